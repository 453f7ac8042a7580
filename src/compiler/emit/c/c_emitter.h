// SPDX-License-Identifier: MIT
// Program → C (NAME.h, NAME.c) or C++ (NAME.hpp, NAME.cpp): heap-free, one call, the same bits as
// the interpreter.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emit/output_files.h"
#include "compiler/select/program.h"

namespace netkit::emit {

enum class Language { kC, kCpp };

struct CEmitOptions {
  std::string name = "model";  // C identifier; prefix of every symbol, or the namespace
  bool standalone = true;      // kernels inside; else linked from libnetkit
  Language language = Language::kC;
  // false: the .nk file inside and libnetkit's interpreter, with the kernels that it calls.
  bool lowered = true;
  // Every kernel is inlined into its call, whose parameters are constants: shapes are folded by
  // the compiler, at the price of one copy of the kernel per step. Standalone and lowered only.
  bool specialize = false;
};

// The sources are C99 and also valid C23 and C++, or C++17 to C++26. Beyond mem* they call only the
// math functions that a float model needs. Inputs and outputs stand where the program has placed
// them: in the arena, or in buffers of the caller (kOutsideArena). Errors: the name is not an
// identifier or is that of a system header.
Result<std::vector<OutputFile>> emit_c(const Program& program, const CEmitOptions& options);

// Flash of the model itself, bytes: constants and parameter structs, kernels not counted.
int64_t model_flash_bytes(const Program& program);
// Bytes of constants alone (weights, biases, multipliers).
int64_t weight_bytes(const Program& program);
uint64_t total_macs(const Program& program);

}  // namespace netkit::emit
