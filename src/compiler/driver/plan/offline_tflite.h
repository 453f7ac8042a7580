// SPDX-License-Identifier: MIT
// plan --offline-tflite: the file's own operators planned as TensorFlow Lite Micro runs them, and
// the plan written into the file. TFLM's kernels do not overlap and its tensors are no views.
#pragma once

#include <string>

#include "base/result.h"
#include "compiler/driver/compile.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

struct OfflineTflite {
  Bytes file;               // the .tflite with its operators in the planned order
  plan::Problem problem;    // tensor t of the file is Problem::tensors[t]; constants have 0 bytes
  plan::Layout layout;      // class plain
  int planned_tensors = 0;  // the others are constants, variables or without bytes
  bool kept_order = false;  // control flow or resources: the file's order was kept
};

// The order is searched as `options.plan` asks. What TFLM allots by itself (scratch, variables) is
// placed by it around these offsets.
Result<OfflineTflite> plan_offline_tflite(const std::string& path, const CompileOptions& options);

}  // namespace netkit::driver
