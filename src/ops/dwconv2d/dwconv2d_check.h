// SPDX-License-Identifier: MIT
// Does a dwconv2d kernel agree with the reference? Generated cases for every ISA and backend, in
// all of the row's modes. Tests only.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ops/common/host/op_helpers.h"
#include "ops/common/testing/dsp_check.h"
#include "ops/common/testing/spatial_check.h"
#include "ops/dwconv2d/arm/dwconv2d_mve_pack.h"
#include "ops/dwconv2d/dwconv2d.h"
#include "ops/dwconv2d/planar.h"

namespace netkit::check {

// Case `seed`; sharp: a change of one input element changes an output (for overlap tests).
// `variant` changes the values, not the geometry.
inline std::pair<nk_dwconv2d_params, KernelCase> dwconv2d_case(uint64_t seed, bool f32, bool sharp,
                                                               uint64_t variant = 0) {
  Rng rng(seed);
  nk_dwconv2d_params p{};
  random_window(rng, p);
  p.in_c = rng.in(1, 9);
  p.depth_multiplier = rng.in(0, 2) == 0 ? rng.in(2, 4) : 1;
  p.out_c = p.in_c * p.depth_multiplier;
  random_weighted(rng, p, sharp);
  rng = Rng(seed + (variant << 32));
  const auto taps = static_cast<size_t>(p.kernel_h * p.kernel_w);
  KernelCase c;
  c.params = bytes_of(p);
  c.mode_offset = offsetof(nk_dwconv2d_params, mode);
  c.text = fmt::format("seed {}: {}", seed, window_text(p));
  c.out_bytes = out_elems(p) * (f32 ? sizeof(float) : 1);
  if (f32) {
    c.inputs.push_back(to_bytes(rng.reals(in_elems(p), -1.0f, 1.0f)));
    add_f32_constants(rng, p, taps * static_cast<size_t>(p.out_c), sharp, c);
  } else {
    const int32_t span = sharp ? 2 : 128;
    c.inputs.push_back(to_bytes(rng.ints<int8_t>(in_elems(p), -span, span - 1)));
    add_s8_constants(rng, p, taps * static_cast<size_t>(p.out_c), taps, sharp, c);
    p.narrow_weights = are_narrow(case_weights(c, p, true)) ? 1 : 0;
    c.params = bytes_of(p);
  }
  return {p, c};
}

// The case as the row wants its constants.
inline KernelCase dwconv2d_packed(const KernelRow& row, const nk_dwconv2d_params& p,
                                  const KernelCase& c) {
  if (row.layout == "hwc") return c;
  const ChannelWeights weights = case_weights(c, p, true);
  const int64_t rows = nk_planar_of(&p).kernel_h;
  return dsp_case(c, weights, p, [&](const ChannelWeights& w) {
    if (row.layout != "tap_columns") return to_bytes(pack_taps4(w, rows));
    return *tap_columns(w, tap_columns_of(p)).constant;
  });
}

// "" where the row's kernel equals nk_dwconv2d_*_ref on `count` cases that its predicate accepts.
inline std::string check_dwconv2d(const KernelRow& row, int count) {
  const auto make = [](uint64_t seed, bool f32) { return dwconv2d_case(seed, f32, false); };
  return check_weighted_row<nk_dwconv2d_parts_params>(
      row, row.signature == "f32" ? nk_dwconv2d_f32_ref : nk_dwconv2d_s8_ref, make, dwconv2d_packed,
      count);
}

}  // namespace netkit::check
