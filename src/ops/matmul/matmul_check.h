// SPDX-License-Identifier: MIT
// Does a matmul kernel agree with the reference? Generated cases for every ISA and backend. Tests
// only.
#pragma once

#include <string>
#include <vector>

#include "ops/common/testing/kernel_check.h"
#include "ops/common/host/op_helpers.h"
#include "ops/matmul/matmul.h"

namespace netkit::check {

// A node of random shapes: stacks, broadcasts, transposes; the oracle reads these.
struct MatmulCase {
  Graph graph;
  Node node;
  nk_matmul_params params{};
  KernelCase kernel;
};

inline MatmulCase matmul_case(uint64_t seed, bool f32) {
  Rng rng(seed);
  MatmulCase c;
  const bool ta = rng.in(0, 1) == 1, tb = rng.in(0, 1) == 1;
  const int64_t rows = rng.in(1, 6), depth = rng.in(1, 20), cols = rng.in(1, 6);
  Dims a, b;
  const int32_t axes = rng.in(0, 3);
  for (int32_t i = 0; i < axes; ++i) {
    const int64_t size = rng.in(1, 3);
    const int32_t one = rng.in(0, 3);  // 0: broadcast a, 1: broadcast b
    if (i > 0 || rng.in(0, 2) != 0) a.push_back(one == 0 ? 1 : size);
    b.push_back(one == 1 ? 1 : size);
  }
  a.insert(a.end(), {ta ? depth : rows, ta ? rows : depth});
  b.insert(b.end(), {tb ? cols : depth, tb ? depth : cols});
  const nk_dtype dtype = f32 ? NK_FLOAT32 : NK_INT8;
  const TensorId ai = c.graph.add_tensor("a", {dtype, a, {{0.05f}, {rng.in(-128, 127)}, 0}});
  const TensorId bi = c.graph.add_tensor("b", {dtype, b, {{0.04f}, {rng.in(-128, 127)}, 0}});
  c.node = {"matmul", "check", {ai, bi}, {}, {}};
  c.node.attrs.set("transpose_a", int64_t{ta});
  c.node.attrs.set("transpose_b", int64_t{tb});
  TensorType y = find_op("matmul")->infer(c.graph, c.node).value()[0];
  y.quant = {{0.5f}, {rng.in(-20, 20)}, 0};
  const int64_t outputs = element_count(y.dims).value();
  c.node.outputs = {c.graph.add_tensor("y", y)};
  c.kernel.params = find_op("matmul")->make_params(c.graph, c.node).value().params;
  std::memcpy(&c.params, c.kernel.params.data(), sizeof c.params);
  c.kernel.text = fmt::format("seed {}: {} times {}{}{}", seed, dims_text(a), dims_text(b),
                              ta ? ", a transposed" : "", tb ? ", b transposed" : "");
  c.kernel.out_bytes = static_cast<size_t>(outputs) * (f32 ? sizeof(float) : 1);
  for (const Dims& dims : {a, b}) {
    const auto count = static_cast<size_t>(element_count(dims).value());
    c.kernel.inputs.push_back(f32 ? to_bytes(rng.reals(count, -1.0f, 1.0f))
                                  : to_bytes(rng.ints<int8_t>(count, -128, 127)));
  }
  return c;
}

// "" where the row's kernel equals nk_matmul_*_ref on `count` cases that its predicate accepts.
inline std::string check_matmul(const KernelRow& row, int count) {
  const bool f32 = row.signature == "f32";
  for (int seed = 0; seed < count; ++seed) {
    const MatmulCase c = matmul_case(static_cast<uint64_t>(seed), f32);
    if (!row.fits(&c.params)) continue;
    const RunResult expected = run_case(f32 ? nk_matmul_f32_ref : nk_matmul_s8_ref, c.kernel, {});
    std::vector<KernelMode> modes;
    row.modes(&c.params, modes);
    std::string fault = check_modes(row.fn, c.kernel, modes, expected.output, f32 ? 4 : 1);
    if (!fault.empty()) return fmt::format("{}: {}", row.symbol, fault);
  }
  return {};
}

}  // namespace netkit::check
