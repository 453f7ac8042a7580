// SPDX-License-Identifier: MIT
// Runs the test cases that a .nk file embeds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>

#include "runtime/kernel_table.h"
#include "runtime/status.h"

namespace netkit {

// The first element of a case that differs.
struct TestMismatch {
  uint32_t output = 0, element = 0;
  double expected = 0, got = 0;  // stored numbers, not dequantised
};

struct TestReport {
  uint32_t passed = 0, failed = 0;
};

// Called after every case; mismatch is nullptr where it passed. `name` lies in the file.
using TestListener = void (*)(void* user, uint32_t index, const char* name,
                              const TestMismatch* mismatch);

// Loads with every check, in an arena on the heap that is filled with a poison pattern before each
// case, and compares: tolerance 0 the very bytes, else the real values (NaN equals NaN). A file
// without cases gives a report of zeros. Not OK: the file cannot be loaded.
Fault run_self_tests(const void* file, size_t bytes, KernelTable kernels, TestReport& report,
                     TestListener listener = nullptr, void* user = nullptr);

// The same, a line per failed case and one for the total on `to`.
Fault print_self_tests(std::FILE* to, const void* file, size_t bytes, KernelTable kernels,
                       TestReport& report);

}  // namespace netkit
