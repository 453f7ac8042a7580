// SPDX-License-Identifier: MIT
// The verb emit: model → C sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"

namespace netkit::driver {

struct EmitOptions {
  std::string folder;
  std::string name;                          // C identifier; "": made from the model's file name
  std::optional<int64_t> arena_limit_bytes;  // a model that needs more is refused (kNo)
  std::string memory_map;                    // "", or netkit-memory/1: the same by its regions
  bool standalone = true;                    // kernels inside; else linked from libnetkit
  bool caller_io = false;  // inputs and outputs in the caller's buffers, planned without them
};

struct EmitReport {
  std::string name;
  std::vector<std::string> files;  // paths
  int64_t arena_bytes = 0, weight_bytes = 0, parameter_bytes = 0;
  uint64_t macs = 0;
  bool proven_minimal = false;
  std::string plan_class;
  std::vector<std::string> warnings;
};

Result<EmitReport> emit_model(const std::string& path, const CompileOptions& options,
                              const EmitOptions& emit);

// "models/My Net-2.tflite" → "my_net_2": a C identifier, and not the name of a system header.
std::string identifier_from_path(const std::string& path);

}  // namespace netkit::driver
