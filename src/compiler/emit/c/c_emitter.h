// SPDX-License-Identifier: MIT
// Program → C: NAME.h and NAME.c, heap-free, one call, the same bits as the interpreter.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emit/output_files.h"
#include "compiler/select/program.h"

namespace netkit::emit {

struct CEmitOptions {
  std::string name = "model";  // C identifier; prefix of every symbol
  bool standalone = true;      // kernels inside; else linked from libnetkit
};

// The sources are C99 and also valid C23 and C++. Beyond mem* they call only the math functions
// that a float model needs. Inputs and outputs stand where the program has placed them: in the
// arena, or in buffers of the caller (kOutsideArena). Errors: the name is not an identifier or is
// that of a system header.
Result<std::vector<OutputFile>> emit_c(const Program& program, const CEmitOptions& options);

// Flash of the model itself, bytes: constants and parameter structs, kernels not counted.
int64_t model_flash_bytes(const Program& program);
// Bytes of constants alone (weights, biases, multipliers).
int64_t weight_bytes(const Program& program);
uint64_t total_macs(const Program& program);

}  // namespace netkit::emit
