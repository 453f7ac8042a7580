// SPDX-License-Identifier: MIT
// Runs kernels on generated cases for the operators' *_check.h: poison-filled outputs and scratch,
// guard bytes around everything, outputs placed over inputs as a mode allows. Tests only.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "compiler/ir/op_def.h"

namespace netkit::check {

// Deterministic xorshift64* stream.
class Rng {
 public:
  explicit Rng(uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ull + 0x632BE59BD9B4E019ull) {}
  uint64_t next() {
    state_ ^= state_ >> 12;
    state_ ^= state_ << 25;
    state_ ^= state_ >> 27;
    return state_ * 0x2545F4914F6CDD1Dull;
  }
  // Uniform in [lo, hi].
  int32_t in(int32_t lo, int32_t hi) {
    const auto span = static_cast<uint64_t>(int64_t{hi} - lo + 1);
    return static_cast<int32_t>(lo + static_cast<int64_t>((next() >> 20) % span));
  }
  float real(float lo, float hi) {
    return lo + (hi - lo) * static_cast<float>(next() >> 40) * 0x1p-24f;
  }
  template <typename T>
  std::vector<T> ints(size_t count, int32_t lo, int32_t hi) {
    std::vector<T> out(count);
    for (T& v : out) v = static_cast<T>(in(lo, hi));
    return out;
  }
  std::vector<float> reals(size_t count, float lo, float hi) {
    std::vector<float> out(count);
    for (float& v : out) v = real(lo, hi);
    return out;
  }

 private:
  uint64_t state_;
};

template <typename T>
Bytes to_bytes(const std::vector<T>& values) {
  Bytes out(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(out.data(), values.data(), out.size());
  return out;
}

template <typename T>
std::vector<T> from_bytes(const Bytes& bytes) {
  std::vector<T> out(bytes.size() / sizeof(T));
  if (!out.empty()) std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

// int8 values as uint8, each 128 higher; and back.
inline Bytes raised(Bytes bytes) {
  for (std::byte& b : bytes) b ^= std::byte{0x80};
  return bytes;
}

// One call: inputs[0], or the input that a mode's overlap names, stands in an arena with the
// output; an empty input is absent.
struct KernelCase {
  Bytes params;
  std::vector<Bytes> inputs;
  size_t out_bytes = 0;
  size_t mode_offset = SIZE_MAX;  // of the params field `mode`; SIZE_MAX where there is none
  std::string text;               // what is special about it, for messages
};

struct RunResult {
  Bytes output;
  std::string fault;  // "" or what the kernel did wrong besides the result
};

constexpr std::byte kPoison{0xA5};
constexpr size_t kGuardBytes = 64;

// Runs `fn` in `mode`. Where the mode has an overlap, the output is placed at the first one's exact
// distance plus `closer_bytes` nearer (0: as stated; above 0: nearer than is safe).
inline RunResult run_case(nk_kernel_fn fn, const KernelCase& c, const KernelMode& mode,
                          int64_t closer_bytes = 0) {
  const size_t near = mode.overlaps.empty() ? 0 : static_cast<size_t>(mode.overlaps[0].input);
  const Bytes& near_input = c.inputs[near];
  const auto in_bytes = static_cast<int64_t>(near_input.size());
  const auto out_bytes = static_cast<int64_t>(c.out_bytes);
  // Input at in_at, output at out_at of an arena with room for both on either side.
  const int64_t margin = (in_bytes + out_bytes + 2 * int64_t{kGuardBytes} + 63) / 64 * 64;
  const int64_t in_at = margin + 64;
  int64_t out_at = (in_at + in_bytes + int64_t{kGuardBytes} + 63) / 64 * 64;
  if (!mode.overlaps.empty()) {
    const ModeOverlap& overlap = mode.overlaps[0];
    if (overlap.forward_bytes) out_at = in_at - *overlap.forward_bytes + closer_bytes;
    if (overlap.backward_bytes) {
      out_at = in_at + in_bytes + *overlap.backward_bytes - out_bytes - closer_bytes;
    }
  }
  std::vector<Bytes> buffers(c.inputs.size() + 1);
  Bytes arena(static_cast<size_t>(in_at + 3 * margin), kPoison);
  std::memcpy(arena.data() + in_at, near_input.data(), near_input.size());
  Bytes params = c.params;
  if (c.mode_offset != SIZE_MAX) {
    const int32_t id = mode.id;
    std::memcpy(params.data() + c.mode_offset, &id, sizeof id);
  }
  std::vector<const void*> in(c.inputs.size(), nullptr);
  for (size_t i = 0; i < c.inputs.size(); ++i) {
    if (!c.inputs[i].empty()) in[i] = c.inputs[i].data();
  }
  in[near] = arena.data() + in_at;
  void* out[] = {arena.data() + out_at};
  const auto scratch_bytes = static_cast<size_t>(mode.scratch_bytes);
  Bytes scratch(scratch_bytes + 2 * kGuardBytes, kPoison);
  fn(params.data(), in.data(), out, scratch_bytes == 0 ? nullptr : scratch.data() + kGuardBytes);

  RunResult result;
  for (size_t i = 0; i < kGuardBytes; ++i) {
    if (scratch[i] != kPoison || scratch[scratch.size() - 1 - i] != kPoison) {
      result.fault = "wrote outside its scratch";
    }
  }
  for (int64_t i = 0; i < static_cast<int64_t>(arena.size()); ++i) {
    if (i >= out_at && i < out_at + out_bytes) continue;
    const bool input = i >= in_at && i < in_at + in_bytes;
    if (input && out_at < in_at + in_bytes && in_at < out_at + out_bytes) continue;  // dead
    const std::byte expected = input ? near_input[static_cast<size_t>(i - in_at)] : kPoison;
    if (arena[static_cast<size_t>(i)] != expected) result.fault = "wrote outside its output";
  }
  result.output.assign(arena.begin() + out_at, arena.begin() + out_at + out_bytes);
  return result;
}

// Modes of one overlap at most, one for each overlap of `modes`.
inline std::vector<KernelMode> single_overlaps(const std::vector<KernelMode>& modes) {
  std::vector<KernelMode> out;
  for (const KernelMode& mode : modes) {
    if (mode.overlaps.empty()) out.push_back(mode);
    for (const ModeOverlap& o : mode.overlaps) out.push_back({mode.id, mode.scratch_bytes, {o}});
  }
  return out;
}

// "" where `fn` gives `expected` in every mode (the plain one first), at the stated distance and
// at greater ones, else what differs.
inline std::string check_modes(nk_kernel_fn fn, const KernelCase& c,
                               const std::vector<KernelMode>& modes, const Bytes& expected,
                               int64_t elem_bytes = 4) {
  for (const KernelMode& mode : single_overlaps(modes)) {
    for (const int64_t farther : {0, 1, 3, 50}) {
      if (farther != 0 && mode.overlaps.empty()) continue;
      const RunResult got = run_case(fn, c, mode, -farther * elem_bytes);
      if (!got.fault.empty()) return fmt::format("{}: mode {} {}", c.text, mode.id, got.fault);
      for (size_t i = 0; i < expected.size(); ++i) {
        if (got.output[i] == expected[i]) continue;
        return fmt::format("{}: mode {}, {} elements farther: byte {} is {}, {} is right", c.text,
                           mode.id, farther, i, static_cast<int>(got.output[i]),
                           static_cast<int>(expected[i]));
      }
    }
  }
  return {};
}

// "" where every overlap mode's distance is the least one: an output one element nearer than stated
// changes the result for the values of some variant. `make(variant)` gives cases of one geometry.
template <typename MakeCase>
std::string check_least_distances(nk_kernel_fn fn, MakeCase make,
                                  const std::vector<KernelMode>& modes, int64_t elem_bytes) {
  constexpr uint64_t kVariants = 40;
  for (const KernelMode& mode : single_overlaps(modes)) {
    if (mode.overlaps.empty()) continue;
    const ModeOverlap& o = mode.overlaps[0];
    const int64_t distance = o.forward_bytes ? *o.forward_bytes : o.backward_bytes.value_or(0);
    bool caught = distance == 0;
    for (uint64_t variant = 0; variant < kVariants && !caught; ++variant) {
      const KernelCase c = make(variant);
      caught = run_case(fn, c, mode, elem_bytes).output != run_case(fn, c, {}).output;
    }
    if (!caught) {
      return fmt::format("{}: mode {}: {} bytes are more than it needs", make(0).text, mode.id,
                         distance);
    }
  }
  return {};
}

}  // namespace netkit::check
