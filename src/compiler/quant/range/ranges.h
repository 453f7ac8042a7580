// SPDX-License-Identifier: MIT
// From what was seen to a range, and from a range to scale and zero point.
#pragma once

#include "compiler/quant/range/observe.h"

namespace netkit::quant {

struct Range {
  double lo = 0, hi = 0;
  bool operator==(const Range&) const = default;
};

// Methods but min-max need the histogram; without one (all values equal) the range is [lo, hi].
Range range_of(const Observed& observed, RangeMethod method, double percentile);

Range united(const Range& a, const Range& b);

// One range per tensor: tensors that must share scale and zero point have the same one.
std::vector<Range> shared_ranges(const Graph& graph, const std::vector<Observed>& seen,
                                 const Options& options);

// The tightest type that holds the range and 0: int8 affine, int16 symmetric.
Quant quant_for(const Range& range, Mode mode);

// The real values that it can hold.
Range held_by(const Quant& quant, Mode mode);

}  // namespace netkit::quant
