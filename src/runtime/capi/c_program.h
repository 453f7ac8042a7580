// SPDX-License-Identifier: MIT
// What stands in an nk_program_t.
#pragma once

#include "netkit.h"
#include "runtime/executor.h"

namespace netkit {

// nullptr: no load has been called on this storage, which may hold anything.
Executor* executor_of(nk_program_t* program);
const Executor* executor_of(const nk_program_t* program);

}  // namespace netkit
