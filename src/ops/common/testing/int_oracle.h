// SPDX-License-Identifier: MIT
// An independent statement of the requantisation contract, for tests: floors and signs instead of
// the nudges and masks of fixed_point.h. Tests only.
#pragma once

#include <algorithm>
#include <cstdint>

namespace netkit::check {

inline int64_t oracle_requantize(int64_t acc, int64_t multiplier, int shift, int64_t offset,
                                 int64_t lo, int64_t hi) {
  const int64_t shifted =
      static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(acc) << std::max(0, shift)));
  // round(x) = floor(x + 1/2): ties upward.
  const int64_t high = (shifted * multiplier + (int64_t{1} << 30)) >> 31;
  // Ties away from zero.
  const int right = std::max(0, -shift);
  const int64_t half = right == 0 ? 0 : int64_t{1} << (right - 1);
  const int64_t magnitude = ((high < 0 ? -high : high) + half) >> right;
  const int64_t value = (high < 0 ? -magnitude : magnitude) + offset;
  return std::clamp(value, lo, hi);
}

// That of int16 activations: one rounding, of a multiplier of 15 bits; ties upward.
inline int64_t oracle_requantize_wide(int64_t acc, int64_t multiplier, int shift, int64_t lo,
                                      int64_t hi) {
  const int64_t reduced = std::min<int64_t>((multiplier + 32768) / 65536, 32767);
  const int64_t unit = int64_t{1} << (15 - shift);
  int64_t quotient = acc * reduced / unit, remainder = acc * reduced % unit;
  if (remainder < 0) {
    remainder += unit;
    --quotient;
  }
  return std::clamp(quotient + (remainder * 2 >= unit ? 1 : 0), lo, hi);
}

}  // namespace netkit::check
