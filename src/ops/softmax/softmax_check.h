// SPDX-License-Identifier: MIT
// Does a softmax kernel agree with the reference? Generated cases for every ISA and backend, in all
// of the row's modes. Tests only.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "ops/common/testing/kernel_check.h"
#include "ops/common/host/op_helpers.h"
#include "ops/softmax/softmax.h"

namespace netkit::check {

// Case `seed` of a node of `op`; s8 scalings as the host makes them for scales 0.001 to 1.
inline std::pair<nk_softmax_params, KernelCase> softmax_case(std::string_view op, uint64_t seed,
                                                             bool f32, float* scale = nullptr) {
  Rng rng(seed);
  const int32_t rows = rng.in(1, 4);
  const int32_t depth = rng.in(0, 9) == 0 ? rng.in(100, 1500) : rng.in(1, 40);
  const float x_scale = std::pow(10.0f, rng.real(-3.0f, 0.0f));
  if (scale != nullptr) *scale = x_scale;
  const bool log = op == "log_softmax";
  const nk_dtype dtype = f32 ? NK_FLOAT32 : NK_INT8;
  Graph graph;
  const Dims dims{rows, depth};
  const TensorId x = graph.add_tensor("x", {dtype, dims, {{x_scale}, {rng.in(-128, 127)}, 0}});
  const Quant quant{{log ? 0.0625f : 0.00390625f}, {log ? 127 : -128}, 0};
  const TensorId y = graph.add_tensor("y", {dtype, dims, quant});
  Node node{std::string(op), "check", {x}, {y}, {}};
  if (!log && f32) node.attrs.set("beta", double{rng.real(0.5f, 2.0f)});
  const StepParams made = find_op(op)->make_params(graph, node).value();
  nk_softmax_params p{};
  std::memcpy(&p, made.params.data(), sizeof p);
  KernelCase c;
  c.params = made.params;
  c.text = fmt::format("seed {}: {} {}x{}, scale {}", seed, op, rows, depth, x_scale);
  const auto count = static_cast<size_t>(rows * depth);
  c.out_bytes = count * (f32 ? sizeof(float) : 1);
  const int32_t spread = rng.in(1, 128);
  c.inputs.push_back(f32 ? to_bytes(rng.reals(count, -8.0f, 8.0f))
                         : to_bytes(rng.ints<int8_t>(count, -spread, spread - 1)));
  return {p, c};
}

// "" where the row's kernel equals `reference` (u8: the s8 kernel, all values 128 lower) on `count`
// cases that its predicate accepts.
inline std::string check_softmax(const KernelRow& row, nk_kernel_fn reference, int count) {
  for (int seed = 0; seed < count; ++seed) {
    auto [p, c] = softmax_case(row.op, static_cast<uint64_t>(seed), row.signature == "f32");
    if (!row.fits(&p)) continue;
    Bytes expected = run_case(reference, c, {}).output;
    if (row.signature == "u8") {
      c.inputs[0] = raised(c.inputs[0]);
      expected = raised(expected);
    }
    std::vector<KernelMode> modes;
    row.modes(&p, modes);
    const int64_t elem_bytes = row.signature == "f32" ? 4 : 1;
    std::string fault = check_modes(row.fn, c, modes, expected, elem_bytes);
    if (!fault.empty()) return fmt::format("{}: {}", row.symbol, fault);
  }
  return {};
}

}  // namespace netkit::check
