// SPDX-License-Identifier: MIT
// Division and rounding of byte counts; a divisor is greater than 0.
#pragma once

#include <cstdint>

namespace netkit::plan {

// Greatest whole number <= a / b; a may be negative.
constexpr int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

// Least whole number >= a / b; a may be negative.
constexpr int64_t ceil_div(int64_t a, int64_t b) {
  return a / b + (a % b > 0 ? 1 : 0);
}

// Least multiple of `unit` >= value; `value` may be negative.
constexpr int64_t round_up(int64_t value, int64_t unit) {
  return ceil_div(value, unit) * unit;
}

}  // namespace netkit::plan
