// SPDX-License-Identifier: MIT
// The verb emit: model → C or C++ sources.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"
#include "compiler/emit/c/c_emitter.h"

namespace netkit::driver {

struct EmitOptions {
  std::string folder;
  std::string name;                          // C identifier; "": made from the model's file name
  std::optional<int64_t> arena_limit_bytes;  // a model that needs more is refused (kNo)
  std::string memory_map;                    // "", or netkit-memory/1: the same by its regions
  bool standalone = true;                    // kernels inside; else linked from libnetkit
  emit::Language language = emit::Language::kC;
  bool lowered = true;      // false: the .nk file inside, for libnetkit's interpreter
  bool specialize = false;  // kernels inlined per step, shapes constant (c_emitter.h)
  bool caller_io = false;   // inputs and outputs in the caller's buffers, planned without them
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

// Errors: options that exclude each other (kUsage), naming both.
Result<EmitReport> emit_model(const std::string& path, const CompileOptions& options,
                              const EmitOptions& emit);

// "c", "cpp". Errors (kUsage): another word.
Result<emit::Language> language_named(const std::string& name);
// Of --io: "arena" (false) or "caller".
Result<bool> is_caller_io(const std::string& place);

// "models/My Net-2.tflite" → "my_net_2": a C identifier, and not the name of a system header.
std::string identifier_from_path(const std::string& path);

}  // namespace netkit::driver
