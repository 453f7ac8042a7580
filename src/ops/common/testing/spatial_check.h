// SPDX-License-Identifier: MIT
// Random sliding-window geometry for the spatial operators' checks. Tests only.
#pragma once

#include <algorithm>
#include <string>

#include "ops/common/host/op_helpers.h"
#include "ops/common/testing/kernel_check.h"
#include "ops/common/spatial.h"

namespace netkit::check {

// Fills the nk_spatial fields except channels (whole tensors, plain mode): odd shapes, strides,
// dilations and asymmetric padding, every window within the padded input. Tensors stay small.
template <typename Params>
void random_window(Rng& rng, Params& p) {
  const bool one = rng.in(0, 3) == 0;  // a 1x1 window is worth a quarter of the cases
  p.batch = rng.in(0, 3) == 0 ? rng.in(2, 3) : 1;
  p.kernel_h = one ? 1 : rng.in(1, 4);
  p.kernel_w = one ? 1 : rng.in(1, 4);
  p.stride_h = rng.in(1, 3);
  p.stride_w = rng.in(1, 3);
  p.dilation_h = rng.in(0, 2) == 0 ? rng.in(2, 3) : 1;
  p.dilation_w = rng.in(0, 2) == 0 ? rng.in(2, 3) : 1;
  const int32_t extent_h = (p.kernel_h - 1) * p.dilation_h + 1;
  const int32_t extent_w = (p.kernel_w - 1) * p.dilation_w + 1;
  p.pad_top = rng.in(0, extent_h - 1);
  p.pad_left = rng.in(0, extent_w - 1);
  const int32_t pad_bottom = rng.in(0, extent_h - 1);
  const int32_t pad_right = rng.in(0, extent_w - 1);
  p.in_h = p.in_ring_h = rng.in(1, 9);
  p.in_w = rng.in(1, 9);
  while (p.in_h + p.pad_top + pad_bottom < extent_h) p.in_ring_h = ++p.in_h;
  while (p.in_w + p.pad_left + pad_right < extent_w) ++p.in_w;
  p.out_h = (p.in_h + p.pad_top + pad_bottom - extent_h) / p.stride_h + 1;
  p.out_w = (p.in_w + p.pad_left + pad_right - extent_w) / p.stride_w + 1;
  p.out_ring_h = p.out_y1 = p.out_h;
  p.out_y0 = 0;
  p.mode = NK_MODE_PLAIN;
}

template <typename Params>
std::string window_text(const Params& p) {
  return fmt::format(
      "{}x{}x{}x{} to {}x{}x{}, kernel {}x{}, stride {}x{}, dilation {}x{}, pad {} {}",
      p.batch, p.in_h, p.in_w, p.in_c, p.out_h, p.out_w, p.out_c, p.kernel_h,
      p.kernel_w, p.stride_h, p.stride_w, p.dilation_h, p.dilation_w, p.pad_top,
      p.pad_left);
}

template <typename Params>
size_t in_elems(const Params& p) {
  return static_cast<size_t>(p.batch) * static_cast<size_t>(p.in_h * p.in_w * p.in_c);
}
template <typename Params>
size_t out_elems(const Params& p) {
  return static_cast<size_t>(p.batch) * static_cast<size_t>(p.out_h * p.out_w * p.out_c);
}

// Fields of NK_WEIGHTED_FIELDS: wide, or (sharp) such that every input step shows in the output:
// no offsets, no clamp, multiplier 1.
template <typename Params>
void random_weighted(Rng& rng, Params& p, bool sharp) {
  p.per_channel = rng.in(0, 2) == 0 ? 0 : 1;
  p.input_offset = sharp ? 0 : rng.in(-127, 128);
  p.filter_offset = sharp || rng.in(0, 3) != 0 ? 0 : rng.in(-127, 128);
  p.output_offset = sharp ? 0 : rng.in(-128, 127);
  p.act_min = sharp || rng.in(0, 1) == 0 ? -128 : rng.in(-128, 0);
  p.act_max = sharp || rng.in(0, 1) == 0 ? 127 : rng.in(1, 127);
  p.clamp_min = sharp || rng.in(0, 1) == 0 ? -INFINITY : rng.real(-1.0f, 0.0f);
  p.clamp_max = sharp || rng.in(0, 1) == 0 ? INFINITY : rng.real(0.0f, 1.0f);
}

// weights, bias, multiplier, shift of an s8 case, behind the input.
template <typename Params>
void add_s8_constants(Rng& rng, const Params& p, size_t weights, size_t window, bool sharp,
                      KernelCase& c) {
  const auto out_c = static_cast<size_t>(p.out_c);
  const auto scales = p.per_channel != 0 ? out_c : 1;
  const int32_t least = rng.in(0, 3) == 0 ? -128 : -127;  // as converters make them, mostly
  std::vector<int8_t> w = rng.ints<int8_t>(weights, sharp ? 1 : least, sharp ? 2 : 127);
  std::vector<int32_t> mantissa = rng.ints<int32_t>(scales, 1 << 30, INT32_MAX);
  // About 1 / (window * 50): the results spread over the int8 range.
  int32_t spread = 5;
  for (size_t n = window; n > 1; n /= 2) ++spread;
  std::vector<int32_t> shift = rng.ints<int32_t>(scales, -spread - 2, -spread + 3);
  if (rng.in(0, 3) == 0) shift[0] = rng.in(-31, 5);
  if (sharp) {
    mantissa.assign(scales, 1 << 30);
    shift.assign(scales, 1);
  }
  c.inputs.push_back(to_bytes(w));
  std::vector<int32_t> bias = rng.ints<int32_t>(out_c, sharp ? 0 : -9999, sharp ? 0 : 9999);
  if (!sharp && rng.in(0, 5) == 0) bias[0] = rng.in(0, 1) == 0 ? INT32_MAX : INT32_MIN;
  c.inputs.push_back(to_bytes(bias));
  c.inputs.push_back(to_bytes(mantissa));
  c.inputs.push_back(to_bytes(shift));
}

// weights and, in most cases, bias of an f32 case, behind the input; no multiplier and shift.
template <typename Params>
void add_f32_constants(Rng& rng, const Params& p, size_t weights, bool sharp, KernelCase& c) {
  const auto out_c = static_cast<size_t>(p.out_c);
  c.inputs.push_back(to_bytes(rng.reals(weights, sharp ? 0.5f : -1.0f, 1.0f)));
  const bool bias = rng.in(0, 4) != 0;
  c.inputs.push_back(bias ? to_bytes(rng.reals(out_c, -1.0f, 1.0f)) : Bytes{});
  c.inputs.resize(5);
}

// An s8 case as one of the u8 kernel: every quantised value 128 higher, so that the right output is
// the s8 kernel's, raised().
template <typename Params>
void raise_case(Params& p, KernelCase& c) {
  p.input_offset -= 128;
  p.filter_offset -= 128;
  p.output_offset += 128;
  p.act_min += 128;
  p.act_max += 128;
  c.params = bytes_of(p);
  c.inputs[0] = raised(c.inputs[0]);
  c.inputs[1] = raised(c.inputs[1]);
}

// The case of p with its input in 2 to 5 parts (in_c is 2 or more). `kinds` chooses their channels.
template <typename Parts, typename Params>
Parts split_case(uint64_t kinds, const Params& p, size_t elem_bytes, KernelCase& c) {
  Rng rng(kinds);
  Parts made{};
  std::memcpy(&made, &p, sizeof p);
  made.parts = rng.in(2, std::min(p.in_c, 5));
  std::vector<Bytes> parts;
  size_t first = 0;
  const size_t pixels = in_elems(p) / static_cast<size_t>(p.in_c);
  for (int32_t k = 0; k < made.parts; ++k) {
    const int32_t others = made.parts - 1 - k;
    const int32_t left = p.in_c - static_cast<int32_t>(first) - others;
    const auto channels = static_cast<size_t>(others == 0 ? left : rng.in(1, left));
    made.part_c[k] = static_cast<int32_t>(channels);
    Bytes part;
    for (size_t i = 0; i < pixels; ++i) {
      const auto from = c.inputs[0].begin() +
                        static_cast<std::ptrdiff_t>((i * static_cast<size_t>(p.in_c) + first) *
                                                    elem_bytes);
      part.insert(part.end(), from, from + static_cast<std::ptrdiff_t>(channels * elem_bytes));
    }
    parts.push_back(std::move(part));
    first += channels;
  }
  c.inputs.erase(c.inputs.begin());
  c.inputs.insert(c.inputs.begin(), parts.begin(), parts.end());
  c.params = bytes_of(made);
  c.text += fmt::format(", in {} parts", made.parts);
  return made;
}

// "" where the row's kernel equals `reference` on `count` cases of `make(seed, f32)` that it takes,
// its constants as `pack(row, p, c)` gives them; the reference is the f32 or the s8 kernel of the
// operator without parts. A tenth of the cases fits at least.
template <typename Parts, typename MakeCase, typename Pack>
std::string check_weighted_row(const KernelRow& row, nk_kernel_fn reference, MakeCase make,
                               Pack pack, int count) {
  const bool f32 = row.signature == "f32", in_parts = row.op.ends_with("_parts");
  const size_t elem_bytes = f32 ? sizeof(float) : 1;
  int tried = 0;
  for (int seed = 0; seed < count; ++seed) {
    auto [p, c] = make(static_cast<uint64_t>(seed), f32);
    Bytes expected = run_case(reference, c, {}).output;
    if (row.signature == "u8") {
      raise_case(p, c);
      expected = raised(expected);
    }
    if (in_parts) {
      if constexpr (requires { p.groups; }) {
        if (p.groups != 1) continue;
      }
      if (p.in_c < 2) continue;
      split_case<Parts>(static_cast<uint64_t>(seed), p, elem_bytes, c);
    }
    if (!row.fits(c.params.data())) continue;
    std::vector<KernelMode> modes;
    row.modes(c.params.data(), modes);
    const KernelCase packed = in_parts ? c : pack(row, p, c);
    std::string fault =
        check_modes(row.fn, packed, modes, expected, static_cast<int64_t>(elem_bytes));
    if (!fault.empty()) return fmt::format("{}: {}", row.symbol, fault);
    ++tried;
  }
  return tried > count / 10 ? "" : fmt::format("{}: only {} cases fit", row.symbol, tried);
}

}  // namespace netkit::check
