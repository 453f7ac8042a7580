// SPDX-License-Identifier: MIT
// Does a pooling kernel agree with the reference? Generated cases for every ISA and backend, in all
// of the row's modes. Tests only.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ops/common/host/op_helpers.h"
#include "ops/common/testing/spatial_check.h"
#include "ops/pool2d/pool2d.h"

namespace netkit::check {

// Case `seed`; every window has a tap inside the input. `variant` changes the values only.
inline std::pair<nk_pool2d_params, KernelCase> pool2d_case(uint64_t seed, bool f32,
                                                           uint64_t variant = 0) {
  Rng rng(seed);
  nk_pool2d_params p{};
  random_window(rng, p);
  p.dilation_h = p.dilation_w = 1;  // of the window that random_window made the undilated extent
  p.pad_top = std::min(p.pad_top, p.kernel_h - 1);
  p.pad_left = std::min(p.pad_left, p.kernel_w - 1);
  p.pad_bottom = rng.in(0, p.kernel_h - 1);
  p.pad_right = rng.in(0, p.kernel_w - 1);
  p.in_h = std::max(p.in_h, p.kernel_h - p.pad_top - p.pad_bottom);
  p.in_w = std::max(p.in_w, p.kernel_w - p.pad_left - p.pad_right);
  p.out_h = (p.in_h + p.pad_top + p.pad_bottom - p.kernel_h) / p.stride_h + 1;
  p.out_w = (p.in_w + p.pad_left + p.pad_right - p.kernel_w) / p.stride_w + 1;
  p.in_ring_h = p.in_h;
  p.out_ring_h = p.out_y1 = p.out_h;
  p.in_c = p.out_c = rng.in(1, 9);
  p.count_include_pad = rng.in(0, 1);
  p.pad_value = rng.in(-128, 127);
  const bool clamped = rng.in(0, 1) == 1;
  p.act_min = clamped ? rng.in(-128, -20) : -128;
  p.act_max = clamped ? rng.in(20, 127) : 127;
  p.clamp_min = clamped ? -0.9f : -INFINITY;
  p.clamp_max = clamped ? 0.9f : INFINITY;
  rng = Rng(seed + (variant << 32));
  KernelCase c;
  c.params = bytes_of(p);
  c.mode_offset = offsetof(nk_pool2d_params, mode);
  c.text = fmt::format("seed {}: {}", seed, window_text(p));
  c.out_bytes = out_elems(p) * (f32 ? sizeof(float) : 1);
  c.inputs.push_back(f32 ? to_bytes(rng.reals(in_elems(p), -1.0f, 1.0f))
                         : to_bytes(rng.ints<int8_t>(in_elems(p), -128, 127)));
  return {p, c};
}

// An s8 case as one of the u8 kernels: every quantised value 128 higher.
inline void raise_pool(nk_pool2d_params& p, KernelCase& c) {
  p.pad_value += 128;
  p.act_min += 128;
  p.act_max += 128;
  c.params = bytes_of(p);
  c.inputs[0] = raised(c.inputs[0]);
}

// "" where the row's kernel equals `reference` on `count` cases that its predicate accepts.
inline std::string check_pool2d(const KernelRow& row, nk_kernel_fn reference, int count) {
  for (int seed = 0; seed < count; ++seed) {
    auto [p, c] = pool2d_case(static_cast<uint64_t>(seed), row.signature == "f32");
    if (row.signature == "u8") raise_pool(p, c);
    if (!row.fits(&p)) continue;
    const RunResult expected = run_case(reference, c, {});
    std::vector<KernelMode> modes;
    row.modes(&p, modes);
    const int64_t elem_bytes = row.signature == "f32" ? 4 : 1;
    std::string fault = check_modes(row.fn, c, modes, expected.output, elem_bytes);
    if (!fault.empty()) return fmt::format("{}: {}", row.symbol, fault);
  }
  return {};
}

}  // namespace netkit::check
