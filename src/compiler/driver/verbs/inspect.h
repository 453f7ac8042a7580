// SPDX-License-Identifier: MIT
// What a model is made of and what it needs: the layer table, memory, flash and provenance.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"

namespace netkit::driver {

struct LayerInfo {
  std::string name, op, kernel;
  std::vector<std::string> inputs, outputs;  // types of activations: "int8[1x28x28x1] q(…)"
  uint64_t macs = 0;
  int64_t weight_bytes = 0;  // constants that this step reads
  int64_t output_bytes = 0;
  int64_t scratch_bytes = 0;
  int mode = 0;                      // index into the kernel's modes; 0: plain
  std::vector<std::string> refused;  // better kernels whose predicate did not hold
};

struct Inspection {
  std::string file, target;
  std::vector<std::string> inputs, outputs;  // "name: type"
  std::vector<LayerInfo> layers;             // in execution order
  uint64_t macs = 0;
  int transposes = 0;  // steps that only move data to another layout
  int64_t arena_bytes = 0, lower_bound_bytes = 0;
  bool proven_minimal = false;
  std::string plan_class;
  int64_t weight_bytes = 0, parameter_bytes = 0, nk_file_bytes = 0;
  int test_cases = -1;        // inside a .nk file; -1: not one
  int64_t context_bytes = 0;  // RAM of the interpreter beyond the arena
  // The largest scratch of a step, inside the arena.
  int64_t workspace_bytes() const;
  std::vector<std::pair<std::string, std::string>> provenance;
  std::vector<std::string> warnings;  // of the import; none from a .nk file
};

// Any model file; a .nk is reported from what it holds.
Result<Inspection> inspect_file(const std::string& path, const CompileOptions& options);

// From the bytes of a .nk file: activations appear as bytes and arena offset, since a .nk holds no
// shapes of intermediates.
Result<Inspection> inspect_nk(Bytes file, const std::string& path);

std::string to_json(const Inspection& inspection);

}  // namespace netkit::driver
