// SPDX-License-Identifier: MIT
// Program: a Schedule with memory decided. What the .nk writer, the C emitter and reports print.
// Schedule + plan::Layout → [driver/assemble] → Program.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "compiler/select/schedule.h"

namespace netkit {

// A step in execution order. Its params hold the chosen mode already.
struct PlacedStep {
  int step = 0;  // index into Schedule::steps
  int mode = 0;  // index into ScheduleStep::modes
  int64_t scratch_bytes = 0;
  int64_t scratch_offset = 0;  // of the arena; meaningless where scratch_bytes is 0
};

struct TestCase {
  std::string name;
  std::vector<Bytes> inputs, outputs;  // in the model's order; outputs are the expected ones
  float tolerance = 0.0f;              // absolute, of the real values; 0: the very bytes
};

// The offset of a buffer that is the caller's own input or output (emitted code only).
inline constexpr int64_t kOutsideArena = -1;

struct Program {
  Schedule schedule;
  std::vector<PlacedStep> order;
  std::vector<int64_t> buffer_offsets;  // per Schedule::buffers; or kOutsideArena
  int64_t arena_bytes = 0;
  int64_t arena_alignment = 16;
  int64_t lower_bound_bytes = 0;
  bool proven_minimal = false;
  std::string plan_class;                                     // "plain", "overlap"
  std::string plan_json;                                      // netkit-plan/1
  std::string certificate_json;                               // netkit-certificate/1; empty: none
  std::vector<std::pair<std::string, std::string>> metadata;  // source, sha256, version, options …
  std::vector<TestCase> tests;
};

}  // namespace netkit
