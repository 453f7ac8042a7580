// SPDX-License-Identifier: MIT
// Tests of passes: text in, text out, and the same function before and after. Tests only.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/eval/eval.h"
#include "compiler/ir/const_values.h"
#include "compiler/ir/graph.h"

namespace netkit::check {

inline Graph parsed(std::string_view text) {
  auto graph = parse_graph(text);
  if (!graph) {
    ADD_FAILURE() << graph.error().message << ", " << graph.error().where << "\n" << text;
    return {};
  }
  return std::move(*graph);
}

// Inputs from a fixed generator (Knuth's MMIX constants): float32 in [-2, 2), bytes of any value.
inline std::vector<ConstData> some_inputs(const Graph& graph, uint64_t seed) {
  std::vector<ConstData> inputs;
  const auto next = [&] {
    seed = seed * 6364136223846793005u + 1442695040888963407u;
    return static_cast<uint32_t>(seed >> 40);
  };
  for (const TensorId id : graph.inputs) {
    const TensorType& type = graph.tensor(id).type;
    Bytes bytes(static_cast<size_t>(*byte_count(type.dtype, type.dims)));
    if (type.dtype == NK_FLOAT32) {
      for (size_t i = 0; i < bytes.size(); i += 4) {
        const float value = static_cast<float>(next()) * 0x1p-22f - 2.0f;
        std::memcpy(bytes.data() + i, &value, 4);
      }
    } else {
      for (std::byte& b : bytes) b = static_cast<std::byte>(next());
    }
    inputs.push_back(std::make_shared<const Bytes>(std::move(bytes)));
  }
  return inputs;
}

// Largest difference of float outputs, relative to 1 + |value|; other outputs must be equal.
inline void expect_same_function(const Graph& a, const Graph& b, double tolerance = 1e-6) {
  const auto inputs = some_inputs(a, 1);
  const auto left = evaluate_graph(a, inputs, int64_t{1} << 30);
  const auto right = evaluate_graph(b, inputs, int64_t{1} << 30);
  ASSERT_TRUE(left) << left.error().message << " " << left.error().where;
  ASSERT_TRUE(right) << right.error().message << " " << right.error().where;
  ASSERT_EQ(left->size(), right->size());
  for (size_t o = 0; o < left->size(); ++o) {
    const TensorType& type = a.tensor(a.outputs[o]).type;
    EXPECT_EQ(type, b.tensor(b.outputs[o]).type);
    EXPECT_EQ(a.tensor(a.outputs[o]).name, b.tensor(b.outputs[o]).name);
    ASSERT_EQ((*left)[o]->size(), (*right)[o]->size());
    const auto x = floats_of({"", type, (*left)[o]}), y = floats_of({"", type, (*right)[o]});
    if (!x) {
      EXPECT_EQ(*(*left)[o], *(*right)[o]);
      continue;
    }
    double worst = 0.0;
    for (size_t i = 0; i < x->size(); ++i) {
      const double difference = std::abs((*x)[i] - (*y)[i]) / (1.0 + std::abs((*x)[i]));
      worst = std::isnan(difference) ? 1.0 : std::max(worst, difference);
    }
    EXPECT_LE(worst, tolerance) << "output " << o;
  }
}

using PassFn = Result<Graph> (*)(const Graph&);

// `pass` turns `in` into `out` (texts); with run, both compute the same.
inline void expect_pass(PassFn pass, std::string_view in, std::string_view out, bool run = true) {
  const Graph before = parsed(in);
  const auto after = pass(before);
  ASSERT_TRUE(after) << after.error().message << " " << after.error().where;
  EXPECT_EQ(to_text(*after), out) << "from\n" << in;
  if (run) expect_same_function(before, *after);
}

inline void expect_unchanged(PassFn pass, std::string_view text) {
  expect_pass(pass, text, text, false);
}

}  // namespace netkit::check
