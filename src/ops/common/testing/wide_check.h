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
  p.narrow_weights = rng.in(0, 3) == 0 ? 1 : 0;
  p.act_min = sharp ? INT16_MIN : rng.in(INT16_MIN, 0);
  p.act_max = sharp ? INT16_MAX : rng.in(1, INT16_MAX);
}

// Constants of add_s8_constants behind `in_elems` int16: the bias has 64 bits, the shifts are few;
// with a `narrow` sum neither it nor its shift to the left leaves 32 bits.
inline void widen_inputs(Rng& rng, size_t in_elems, bool sharp, bool narrow, KernelCase& c) {
  const int32_t span = sharp ? 2 : 32767;
  c.inputs[0] = to_bytes(rng.ints<int16_t>(in_elems, -span, span));
  const auto bias = from_bytes<int32_t>(c.inputs[2]);
  std::vector<int64_t> wide(bias.begin(), bias.end());
  if (!sharp && !narrow) wide[0] *= 100000;
  c.inputs[2] = to_bytes(wide);
  auto shift = from_bytes<int32_t>(c.inputs[4]);
  for (int32_t& s : shift) s = std::min(s, narrow ? 0 : 7);
  c.inputs[4] = to_bytes(shift);
}

// What output channel `oc` is for a sum of products; the bias is added here.
template <typename Params>
int64_t wide_value(const Params& p, const KernelCase& c, int64_t sum, size_t oc) {
  const size_t q = p.per_channel != 0 ? oc : 0;
  if (p.narrow_weights != 0) {
    return oracle_requantize(sum + from_bytes<int64_t>(c.inputs[2])[oc],
                             from_bytes<int32_t>(c.inputs[3])[q],
                             from_bytes<int32_t>(c.inputs[4])[q], 0, p.act_min, p.act_max);
  }
  return oracle_requantize_wide(sum + from_bytes<int64_t>(c.inputs[2])[oc],
                                from_bytes<int32_t>(c.inputs[3])[q],
                                from_bytes<int32_t>(c.inputs[4])[q], p.act_min, p.act_max);
}

// The case of int8 `made` (parameters and case, of conv2d_case and the like) as int16 has it.
template <typename Params>
std::pair<Params, KernelCase> widened(std::pair<Params, KernelCase> made, uint64_t seed, bool sharp,
                                      uint64_t variant) {
  auto& [p, c] = made;
  Rng rng(seed + 7);
  widen_params(rng, sharp, p);
  rng = Rng(seed + 7 + (variant << 32));
  widen_inputs(rng, in_elems(p), sharp, p.narrow_weights != 0, c);
  c.params = bytes_of(p);
  c.out_bytes *= sizeof(int16_t);
  return made;
}

// "" where the kernel gives what wide_value makes of `sum_at(params, x, weights, pixel, oc)`.
// make(seed, sharp, variant) as `widened` returns it.
template <typename Make, typename SumAt>
std::string check_wide_oracle(nk_kernel_fn kernel, uint64_t seeds, const Make& make,
                              const SumAt& sum_at) {
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const auto [p, c] = make(seed, false, uint64_t{0});
    const auto got = run_case(kernel, c, {});
    if (!got.fault.empty()) return c.text + ": " + got.fault;
    const auto x = from_bytes<int16_t>(c.inputs[0]);
    const auto w = from_bytes<int8_t>(c.inputs[1]);
    const auto y = from_bytes<int16_t>(got.output);
    for (size_t i = 0; i < y.size(); ++i) {
      const auto at = static_cast<int32_t>(i);
      const int32_t oc = at % p.out_c;
      const int64_t sum = sum_at(p, x, w, at / p.out_c, oc);
      const int64_t wanted = wide_value(p, c, sum, static_cast<size_t>(oc));
      if (y[i] != wanted)
        return fmt::format("{}: output {} is {}, not {}", c.text, i, y[i], wanted);
    }
  }
  return "";
}

// "" where each distance that the row states is safe and, where `is_least(params)`, the least one,
// in more than `at_least` cases in all.
template <typename Make, typename IsLeast>
std::string check_wide_distances(const KernelRow& row, uint64_t seeds, const Make& make,
                                 const IsLeast& is_least, int at_least) {
  int tried = 0;
  for (uint64_t seed = 0; seed < seeds; ++seed) {
    const auto [p, c] = make(seed, true, uint64_t{0});
    std::vector<KernelMode> modes;
    row.modes(&p, modes);
    const auto plain = run_case(row.fn, c, {});
    std::string fault = check_modes(row.fn, c, modes, plain.output, 2);
    if (fault.empty() && is_least(p)) {
      const auto variants = [&](uint64_t variant) { return make(seed, true, variant).second; };
      fault = check_least_distances(row.fn, variants, modes, 2);
      tried += static_cast<int>(modes.size()) - 1;
    }
    if (!fault.empty()) return fault;
  }
  return tried > at_least ? "" : fmt::format("only {} distances were tried", tried);
}

}  // namespace netkit::check
