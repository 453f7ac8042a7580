// SPDX-License-Identifier: MIT
// Program → [write_nk] → the bytes of a .nk file, version 5 (docs/nk-format.md).
#pragma once

#include "base/result.h"
#include "compiler/select/program.h"

namespace netkit {

struct NkWriteOptions {
  bool step_info = true;  // kernel and node names and MACs, for messages and inspect
  bool plan = true;       // plan and certificate
  bool tests = true;
};

// The same program gives the same bytes. Fails, naming the step or tensor, where the program does
// not fit the format (2 GiB of arena or constants, 65,535 steps, 24 arguments of a step) or
// contradicts itself (an offset outside the arena, a test case of another size).
Result<Bytes> write_nk(const Program& program, const NkWriteOptions& options = {});

}  // namespace netkit
