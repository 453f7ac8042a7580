// SPDX-License-Identifier: MIT
// Does a fully_connected kernel agree with the reference? Generated cases for every ISA and
// backend, in all of the row's modes. Tests only.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ops/common/host/op_helpers.h"
#include "ops/common/testing/dsp_check.h"
#include "ops/common/testing/spatial_check.h"
#include "ops/matmul/fully_connected.h"

namespace netkit::check {

inline std::pair<nk_fully_connected_params, KernelCase> fully_connected_case(uint64_t seed,
                                                                             bool f32) {
  Rng rng(seed);
  nk_fully_connected_params p{};
  p.rows = rng.in(0, 2) == 0 ? rng.in(2, 5) : 1;
  p.in_features = rng.in(0, 4) == 0 ? rng.in(100, 300) : rng.in(1, 70);
  p.out_features = rng.in(1, 40);
  struct Weighted {  // the fields random_weighted fills
    int32_t input_offset, filter_offset, output_offset, act_min, act_max, per_channel, out_c;
    float clamp_min, clamp_max;
  } w{};
  w.out_c = p.out_features;
  random_weighted(rng, w, false);
  p.input_offset = w.input_offset;
  p.filter_offset = w.filter_offset;
  p.output_offset = w.output_offset;
  p.act_min = w.act_min;
  p.act_max = w.act_max;
  p.per_channel = w.per_channel;
  p.clamp_min = w.clamp_min;
  p.clamp_max = w.clamp_max;
  const auto in = static_cast<size_t>(p.in_features);
  const auto out = static_cast<size_t>(p.out_features);
  const auto rows = static_cast<size_t>(p.rows);
  KernelCase c;
  c.params = bytes_of(p);
  c.text = fmt::format("seed {}: {}x{} to {}", seed, p.rows, p.in_features, p.out_features);
  c.out_bytes = rows * out * (f32 ? sizeof(float) : 1);
  if (f32) {
    c.inputs.push_back(to_bytes(rng.reals(rows * in, -1.0f, 1.0f)));
    add_f32_constants(rng, w, in * out, false, c);
  } else {
    c.inputs.push_back(to_bytes(rng.ints<int8_t>(rows * in, -128, 127)));
    add_s8_constants(rng, w, in * out, in, false, c);
    p.narrow_weights = are_narrow(case_weights(c, w, false)) ? 1 : 0;
    c.params = bytes_of(p);
  }
  return {p, c};
}

// "" where the row's kernel equals nk_fully_connected_*_ref on `count` cases that it accepts.
inline std::string check_fully_connected(const KernelRow& row, int count) {
  const bool f32 = row.signature == "f32";
  int tried = 0;
  for (int seed = 0; seed < count; ++seed) {
    auto [p, c] = fully_connected_case(static_cast<uint64_t>(seed), f32);
    if (!row.fits(&p)) continue;
    Bytes expected =
        run_case(f32 ? nk_fully_connected_f32_ref : nk_fully_connected_s8_ref, c, {}).output;
    if (row.signature == "u8") {
      raise_case(p, c);
      expected = raised(expected);
    }
    std::vector<KernelMode> modes;
    row.modes(&p, modes);
    KernelCase packed = c;
    if (row.layout != "oi") {
      struct Channels {
        int32_t out_c;
      } channels{p.out_features};
      const ChannelWeights weights = case_weights(c, channels, false);
      packed = dsp_case(c, weights, p, [&](const ChannelWeights& w) {
        if (row.layout == "blocks2") return *blocks2(w).constant;
        return row.layout == "pairs2" ? to_bytes(pack_pairs2(w, 1)) : as_they_stand(w);
      });
    }
    std::string fault = check_modes(row.fn, packed, modes, expected);
    if (!fault.empty()) return fmt::format("{}: {}", row.symbol, fault);
    ++tried;
  }
  return tried > count / 5 ? "" : fmt::format("{}: only {} cases fit", row.symbol, tried);
}

}  // namespace netkit::check
