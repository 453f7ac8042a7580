// SPDX-License-Identifier: MIT
// Cases of int16 activations with int8 weights, made of those of int8. Tests only.
#pragma once

#include "ops/common/testing/int_oracle.h"
#include "ops/common/testing/spatial_check.h"

namespace netkit::check {

// Fields of NK_WEIGHTED_FIELDS as int16 has them.
template <typename Params>
void widen_params(Rng& rng, bool sharp, Params& p) {
  p.input_offset = p.filter_offset = p.output_offset = 0;
  p.act_min = sharp ? INT16_MIN : rng.in(INT16_MIN, 0);
  p.act_max = sharp ? INT16_MAX : rng.in(1, INT16_MAX);
}

// Constants of add_s8_constants behind `in_elems` int16: the bias has 64 bits, the shifts are few.
inline void widen_inputs(Rng& rng, size_t in_elems, bool sharp, KernelCase& c) {
  const int32_t span = sharp ? 2 : 32767;
  c.inputs[0] = to_bytes(rng.ints<int16_t>(in_elems, -span, span));
  const auto bias = from_bytes<int32_t>(c.inputs[2]);
  std::vector<int64_t> wide(bias.begin(), bias.end());
  if (!sharp) wide[0] *= 100000;
  c.inputs[2] = to_bytes(wide);
  auto shift = from_bytes<int32_t>(c.inputs[4]);
  for (int32_t& s : shift) s = std::min(s, 7);
  c.inputs[4] = to_bytes(shift);
}

// What output channel `oc` is for a sum of products; the bias is added here.
template <typename Params>
int64_t wide_value(const Params& p, const KernelCase& c, int64_t sum, size_t oc) {
  const size_t q = p.per_channel != 0 ? oc : 0;
  return oracle_requantize_wide(sum + from_bytes<int64_t>(c.inputs[2])[oc],
                                from_bytes<int32_t>(c.inputs[3])[q],
                                from_bytes<int32_t>(c.inputs[4])[q], p.act_min, p.act_max);
}

}  // namespace netkit::check
