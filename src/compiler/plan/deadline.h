// SPDX-License-Identifier: MIT
// When a search is to stop for the sake of time.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>

namespace netkit::plan {

using Clock = double (*)();  // seconds since whenever, never falling

inline double now_seconds() {
  using std::chrono::steady_clock;
  return std::chrono::duration<double>(steady_clock::now().time_since_epoch()).count();
}

// A moment of a clock, which is read only where there is such a moment; or never.
class Deadline {
 public:
  Deadline() = default;
  explicit Deadline(std::optional<double> seconds_from_now, Clock clock = nullptr)
      : clock_(clock != nullptr ? clock : now_seconds) {
    if (seconds_from_now) end_ = clock_() + *seconds_from_now;
  }
  bool set() const { return end_.has_value(); }
  bool passed() const { return end_ && clock_() >= *end_; }
  // Earlier: when this part (0 to 1) of what is left has gone by.
  Deadline after_part(double part) const {
    if (!end_) return {};
    return Deadline(part * std::max(0.0, *end_ - clock_()), clock_);
  }

 private:
  Clock clock_ = now_seconds;
  std::optional<double> end_;
};

}  // namespace netkit::plan
