// SPDX-License-Identifier: MIT
// Embedded test cases: copy the inputs in, run, compare the outputs.
#include "runtime/host/self_tests.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "runtime/executor.h"
#include "runtime/host/values.h"

namespace netkit {
namespace {

constexpr int kPoison = 0xA5;

struct Free {
  void operator()(void* block) const { std::free(block); }
};
using Block = std::unique_ptr<void, Free>;

uint32_t aligned(uint32_t bytes) {
  return nk_align_up(bytes, NK_FILE_SECTION_ALIGN);
}

// NaN equals NaN and an infinity itself.
bool is_near(double a, double b, double tolerance) {
  return a == b || (std::isnan(a) && std::isnan(b)) || std::fabs(a - b) <= tolerance;
}

// True and `mismatch` filled where the output differs.
bool differs(const nk_file_tensor& tensor, const void* got, const void* expected, double tolerance,
             TestMismatch& mismatch) {
  if (std::memcmp(got, expected, tensor.bytes) == 0) return false;
  const uint32_t count = element_count(tensor);
  for (uint32_t i = 0; i < count; ++i) {
    // Exact comparison is of bytes: -0 and 0 differ, and so do two NaN.
    const uint32_t size = tensor.bytes / count;
    const bool same =
        tolerance > 0
            ? is_near(real_element(tensor, got, i), real_element(tensor, expected, i), tolerance)
        : size > 0 ? std::memcmp(static_cast<const char*>(got) + size_t{i} * size,
                                 static_cast<const char*>(expected) + size_t{i} * size, size) == 0
                   : element(tensor, got, i) == element(tensor, expected, i);
    if (same) continue;
    mismatch.element = i;
    mismatch.expected = element(tensor, expected, i);
    mismatch.got = element(tensor, got, i);
    return true;
  }
  return false;
}

// One case; `data` begins with the first input. True when it passed.
bool run_case(Executor& executor, const uint8_t* data, double tolerance, TestMismatch& mismatch) {
  const NkView& view = executor.view();
  uint32_t at = 0;
  for (uint32_t i = 0; i < view.input_count(); ++i) {
    std::memcpy(executor.input_data(i), data + at, view.input(i).bytes);
    at = aligned(at + view.input(i).bytes);
  }
  if (executor.run() != NK_STATUS_OK) return false;
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    mismatch.output = i;
    if (differs(view.output(i), executor.output_data(i), data + at, tolerance, mismatch)) {
      return false;
    }
    at = aligned(at + view.output(i).bytes);
  }
  return true;
}

}  // namespace

Fault run_self_tests(const void* file, size_t bytes, KernelTable kernels, TestReport& report,
                     TestListener listener, void* user) {
  report = {};
  NkView view;
  if (const Fault fault = view.open(file, bytes); !fault.ok()) return fault;
  const size_t alignment = std::max<size_t>(view.header().arena_alignment, alignof(max_align_t));
  const size_t size = (view.header().arena_bytes + alignment - 1) / alignment * alignment;
  const Block arena(std::aligned_alloc(alignment, std::max(size, alignment)));
  Executor executor;
  const Fault fault = executor.load(file, bytes, arena.get(), arena ? view.header().arena_bytes : 0,
                                    kernels, NK_CHECK_ALL);
  if (!fault.ok()) return fault;
  const nk_file_section* tests = view.find_section(NK_SECTION_TESTS);
  if (!tests) return {};
  const uint8_t* section = view.payload(*tests);
  const auto* cases = reinterpret_cast<const nk_file_case*>(section);
  for (uint32_t i = 0; i < tests->count; ++i) {
    std::memset(arena.get(), kPoison, view.header().arena_bytes);
    executor.reset();
    TestMismatch mismatch;
    const bool passed = run_case(executor, section + cases[i].data_offset,
                                 static_cast<double>(cases[i].tolerance), mismatch);
    (passed ? report.passed : report.failed) += 1;
    if (listener) listener(user, i, view.string(cases[i].name), passed ? nullptr : &mismatch);
  }
  return {};
}

Fault print_self_tests(std::FILE* to, const void* file, size_t bytes, KernelTable kernels,
                       TestReport& report) {
  const auto line = [](void* user, uint32_t index, const char* name, const TestMismatch* mismatch) {
    if (!mismatch) return;
    std::fprintf(static_cast<std::FILE*>(user),
                 "case %u %s: output %u differs at element %u: expected %.9g, got %.9g\n",
                 static_cast<unsigned>(index), name, static_cast<unsigned>(mismatch->output),
                 static_cast<unsigned>(mismatch->element), mismatch->expected, mismatch->got);
  };
  const Fault fault = run_self_tests(file, bytes, kernels, report, line, to);
  if (fault.ok()) {
    std::fprintf(to, "%u passed, %u failed\n", static_cast<unsigned>(report.passed),
                 static_cast<unsigned>(report.failed));
  } else {
    std::fprintf(to, "%s\n", nk_status_text(fault.status));
  }
  return fault;
}

}  // namespace netkit
