// SPDX-License-Identifier: MIT
// Tests only: the largest single allocation of the program, seen by a replaced operator new.
#pragma once

#include <cstddef>

namespace netkit {

void watch_allocations();  // from now on
size_t largest_allocation_bytes();

}  // namespace netkit
