// SPDX-License-Identifier: MIT
#include "compiler/quant/range/ranges.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace netkit::quant {
namespace {

constexpr int kShrinks = 100;     // ranges that are tried: [lo, hi] times 1, 0.99, 0.98 …
constexpr int kLeastShrink = 20;  // … down to 0.2
constexpr double kLevels = 256;
constexpr double kLeastScale = 1e-30;  // a float32 above the denormal ones

double bin_width(const Observed& seen) {
  return (seen.hi - seen.lo) / kBins;
}
double bin_centre(const Observed& seen, int bin) {
  return seen.lo + (bin + 0.5) * bin_width(seen);
}

Range by_percentile(const Observed& seen, double percentile) {
  uint64_t total = 0;
  for (const uint64_t count : seen.histogram) total += count;
  const double each_side = static_cast<double>(total) * (1.0 - percentile / 100.0) / 2.0;
  int first = 0, last = kBins - 1;
  for (double left = each_side; first < last; ++first) {
    left -= static_cast<double>(seen.histogram[static_cast<size_t>(first)]);
    if (left < 0) break;
  }
  for (double left = each_side; last > first; --last) {
    left -= static_cast<double>(seen.histogram[static_cast<size_t>(last)]);
    if (left < 0) break;
  }
  return {seen.lo + first * bin_width(seen), seen.lo + (last + 1) * bin_width(seen)};
}

// Mean square of clipping and, within the range, of rounding.
double square_error(const Observed& seen, const Range& range) {
  const double step = (std::max(range.hi, 0.0) - std::min(range.lo, 0.0)) / (kLevels - 1);
  double sum = 0;
  for (int bin = 0; bin < kBins; ++bin) {
    const double count = static_cast<double>(seen.histogram[static_cast<size_t>(bin)]);
    const double value = bin_centre(seen, bin);
    const double clipped = std::max({range.lo - value, value - range.hi, 0.0});
    sum += count * (clipped > 0 ? clipped * clipped : step * step / 12.0);
  }
  return sum;
}

// Kullback-Leibler divergence of the histogram, outliers counted at the ends, from the one that
// kLevels equal steps of the range can tell apart (method of Migacz, "8-bit inference with
// TensorRT", 2017). Atoms inside the range are told apart from everything else. The divergence says
// nothing of how far a clipped value moves, and values that repeat (a picture's background behind a
// bias) make narrow ranges look good: ranges that clip more than kMostClipped are out.
class Divergence {
 public:
  Divergence(const Observed& seen, const Range& range) : seen_(seen), range_(range) {
    p_.assign(kBins, 0.0);
    for (int bin = 0; bin < kBins; ++bin) {
      p_[index(bin)] = static_cast<double>(seen.histogram[index(bin)]);
      total_ += p_[index(bin)];
    }
    for (const Atom& atom : seen.atoms) p_[bin_of(atom.value)] -= static_cast<double>(atom.count);
  }

  double value() const {
    const size_t first = bin_of(range_.lo), last = bin_of(range_.hi);
    std::vector<double> level(static_cast<size_t>(kLevels));
    std::vector<int> filled(static_cast<size_t>(kLevels));
    double inside = 0, outside_below = 0, outside_above = 0;
    for (size_t bin = 0; bin < kBins; ++bin) {
      if (bin < first) outside_below += p_[bin];
      if (bin > last) outside_above += p_[bin];
      if (bin < first || bin > last || p_[bin] <= 0) continue;
      level[level_of(bin)] += p_[bin];
      ++filled[level_of(bin)];
      inside += p_[bin];
    }
    for (const Atom& atom : seen_.atoms) {
      const auto count = static_cast<double>(atom.count);
      if (atom.value < range_.lo) outside_below += count;
      if (atom.value > range_.hi) outside_above += count;
      if (atom.value >= range_.lo && atom.value <= range_.hi) inside += count;
    }
    if (outside_below + outside_above > kMostClipped * total_) return HUGE_VAL;
    double sum = atoms_inside(inside);
    for (size_t bin = first; bin <= last; ++bin) {
      const double p =
          p_[bin] + (bin == first ? outside_below : 0) + (bin == last ? outside_above : 0);
      if (p <= 0) continue;
      const size_t l = level_of(bin);
      const double q = filled[l] > 0 ? level[l] / filled[l] / inside : kNever;
      sum += p / total_ * std::log(p / total_ / q);
    }
    return sum;
  }

 private:
  static constexpr double kMostClipped = 0.001;
  static constexpr double kNever = 1e-12;  // stands for the probability 0
  static size_t index(int bin) { return static_cast<size_t>(bin); }

  size_t bin_of(double value) const {
    const double at = (value - seen_.lo) / bin_width(seen_);
    return static_cast<size_t>(std::clamp(at, 0.0, double{kBins - 1}));
  }
  size_t level_of(size_t bin) const {
    const double step = (range_.hi - range_.lo) / kLevels;
    const double at = (bin_centre(seen_, static_cast<int>(bin)) - range_.lo) / step;
    return static_cast<size_t>(std::clamp(at, 0.0, kLevels - 1));
  }
  double atoms_inside(double inside) const {
    double sum = 0;
    for (const Atom& atom : seen_.atoms) {
      const bool held = atom.value >= range_.lo && atom.value <= range_.hi;
      const auto count = static_cast<double>(atom.count);
      if (held && atom.count > 0) sum += count / total_ * std::log(inside / total_);
    }
    return sum;
  }

  const Observed& seen_;
  const Range& range_;
  std::vector<double> p_;  // counts per bin, without atoms
  double total_ = 0;
};

double divergence(const Observed& seen, const Range& range) {
  return Divergence(seen, range).value();
}

template <typename Cost>
Range least(const Observed& seen, Cost cost) {
  Range best{seen.lo, seen.hi};
  double best_cost = cost(seen, best);
  for (int percent = kShrinks - 1; percent >= kLeastShrink; --percent) {
    const Range range{seen.lo * percent / kShrinks, seen.hi * percent / kShrinks};
    if (range.lo >= seen.hi || range.hi <= seen.lo) continue;
    const double now = cost(seen, range);
    if (now < best_cost) best = range, best_cost = now;
  }
  return best;
}

}  // namespace

Range range_of(const Observed& seen, RangeMethod method, double percentile) {
  if (!seen.seen()) return {};
  if (seen.histogram.empty()) return {seen.lo, seen.hi};
  switch (method) {
    case RangeMethod::kMinMax:
      break;
    case RangeMethod::kPercentile:
      return by_percentile(seen, percentile);
    case RangeMethod::kMse:
      return least(seen, square_error);
    case RangeMethod::kEntropy:
      return least(seen, divergence);
  }
  return {seen.lo, seen.hi};
}

Range united(const Range& a, const Range& b) {
  return {std::min(a.lo, b.lo), std::max(a.hi, b.hi)};
}

Quant quant_for(const Range& range, Mode mode) {
  const double lo = std::min(range.lo, 0.0), hi = std::max(range.hi, 0.0);
  if (mode == Mode::kInt16) {
    const double peak = std::max({-lo, hi, kLeastScale});
    return {{static_cast<float>(peak / std::numeric_limits<int16_t>::max())}, {0}, 0};
  }
  const double scale = static_cast<float>(std::max((hi - lo) / (kLevels - 1), kLeastScale));
  const double zero = std::round(std::numeric_limits<int8_t>::min() - lo / scale);
  return {{static_cast<float>(scale)}, {static_cast<int64_t>(std::clamp(zero, -128.0, 127.0))}, 0};
}

Range held_by(const Quant& quant, Mode mode) {
  const double lo = mode == Mode::kInt16 ? -32768 : -128, hi = mode == Mode::kInt16 ? 32767 : 127;
  const double zero = static_cast<double>(quant.zero_point[0]), scale = quant.scale[0];
  return {(lo - zero) * scale, (hi - zero) * scale};
}

}  // namespace netkit::quant
