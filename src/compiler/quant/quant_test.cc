// SPDX-License-Identifier: MIT
// Ranges, weights, equalisation and the rewritten network.
#include "compiler/quant/quant.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/ir/const_values.h"
#include "compiler/passes/pass_check.h"
#include "compiler/quant/equalise.h"
#include "compiler/quant/range/ranges.h"
#include "compiler/quant/weights.h"

namespace netkit::quant {
namespace {

using check::parsed;
using check::some_inputs;

const Progress kSilent = [](std::string_view, double) {};

std::vector<Sample> samples_of(const Graph& graph, size_t count) {
  std::vector<Sample> samples;
  for (size_t s = 0; s < count; ++s) {
    Sample inputs = some_inputs(graph, s + 1);
    inputs.resize(graph.model_inputs());
    samples.push_back(std::move(inputs));
  }
  return samples;
}

Quantised quantised(const Graph& graph, const Options& options, size_t count = 20) {
  auto made = quantise(graph, samples_of(graph, count), options, kSilent);
  if (!made) {
    ADD_FAILURE() << made.error().message << " " << made.error().where;
    return {};
  }
  return std::move(*made);
}

std::string error_of(const Graph& graph, const Options& options) {
  const auto made = quantise(graph, samples_of(graph, 2), options, kSilent);
  return made ? "" : made.error().where + ": " + made.error().message;
}

// Two convolutions, a sum, a softmax.
constexpr std::string_view kNet = R"(input %x float32[1x4x4x2]
const %w0 float32[3x1x1x2] = 1 -0.5 0.3 0.2 0.7 1
const %b0 float32[3] = 0.5 0.1 -0.25
const %w1 float32[3x1x1x3] = 0.3 0.5 1 -0.2 0.8 0.5 0.1 -0.6 -1
%a float32[1x4x4x3] = conv2d(%x, %w0, %b0) {activation="relu"} @"first"
%b float32[1x4x4x3] = conv2d(%a, %w1, _) @"second"
%s float32[1x4x4x3] = add(%b, %a) @"sum"
%y float32[1x4x4x3] = softmax(%s) @"last"
output %y
)";
// Two convolutions whose channels have very different ranges; the activation has one reader.
constexpr std::string_view kChain = R"(input %x float32[1x4x4x2]
const %w0 float32[3x1x1x2] = 100 -50 0.01 0.02 1 1
const %b0 float32[3] = 0.5 0.001 -0.25
const %w1 float32[3x1x1x3] = 0.01 50 1 -0.02 80 0.5 0.01 -60 -1
%a float32[1x4x4x3] = conv2d(%x, %w0, %b0) {activation="relu"} @"first"
%y float32[1x4x4x3] = conv2d(%a, %w1, _) @"second"
output %y
)";

TEST(QuantRanges, AScaleHoldsTheRangeAndZero) {
  for (const Range range : {Range{-1, 1}, Range{0, 6}, Range{2, 5}, Range{-7, -3}, Range{0, 0}}) {
    for (const Mode mode : {Mode::kInt8, Mode::kInt16}) {
      const Quant quant = quant_for(range, mode);
      const Range held = held_by(quant, mode);
      const double step = quant.scale[0];
      EXPECT_GT(step, 0);
      EXPECT_LE(held.lo, std::min(range.lo, 0.0) + step) << range.lo << " " << range.hi;
      EXPECT_GE(held.hi, std::max(range.hi, 0.0) - step);
      EXPECT_EQ(std::nearbyint(held.lo / step) * step - held.lo, 0) << "zero is a value";
    }
  }
  // What softmax and tanh state for themselves comes back from the range that it holds.
  for (const auto& [scale, zero] : {std::pair{1.0f / 256, -128}, {1.0f / 128, 0}, {0.0625f, 127}}) {
    const Quant quant{{scale}, {zero}, 0};
    EXPECT_EQ(quant_for(held_by(quant, Mode::kInt8), Mode::kInt8), quant);
  }
}

TEST(QuantRanges, MethodsCutRareValues) {
  Observed seen{-100, 100, std::vector<uint64_t>(kBins, 0), {}, {}, {}};
  for (int bin = 0; bin < kBins; ++bin) {  // a bell around 0, and a few values at both ends
    const double value = (bin - kBins / 2) / 60.0;
    seen.histogram[static_cast<size_t>(bin)] =
        static_cast<uint64_t>(1e5 * std::exp(-value * value / 2));
  }
  seen.histogram.front() += 2;
  seen.histogram.back() += 2;
  EXPECT_EQ(range_of(seen, RangeMethod::kMinMax, 99.9), (Range{-100, 100}));
  for (const RangeMethod method :
       {RangeMethod::kPercentile, RangeMethod::kMse, RangeMethod::kEntropy}) {
    const Range range = range_of(seen, method, 99.9);
    EXPECT_LT(range.hi, 60) << name_of(method);
    EXPECT_GT(range.hi, 10) << name_of(method);
    EXPECT_NEAR(range.hi, -range.lo, 1) << name_of(method);
    EXPECT_EQ(*range_method(name_of(method)), method);
  }
  // The ends of a clamp are values like any others, however many there are.
  seen.atoms = {Atom{0.0, 0}, Atom{-100.0, 5'000'000}, Atom{100.0, 5'000'000}};
  seen.histogram.front() += 5'000'000;
  seen.histogram.back() += 5'000'000;
  EXPECT_EQ(range_of(seen, RangeMethod::kEntropy, 99.9), (Range{-100, 100}));
  EXPECT_EQ(range_of(seen, RangeMethod::kMse, 99.9), (Range{-100, 100}));
  seen.histogram.clear();
  EXPECT_EQ(range_of(seen, RangeMethod::kMse, 99.9), (Range{-100, 100}));
}

TEST(QuantWeights, NoSumLeavesInt32) {
  // A bias so large that the tightest scale of the weights could not hold it.
  const Graph graph = parsed(R"(input %x float32[1x4]
const %w float32[2x4] = 0.0001 -0.0001 0.00005 0 1 2 3 4
const %b float32[2] = 90000 0.5
%y float32[1x2] = fully_connected(%x, %w, %b)
output %y
)");
  const Node& node = graph.nodes[0];
  const auto layout = WeightLayout::of(graph, node);
  ASSERT_TRUE(layout);
  const TensorType x{NK_INT8, {1, 4}, {{0.001f}, {-3}, 0}};
  const auto made = quantise_weights(graph, node, *layout, x, {});
  ASSERT_TRUE(made) << made.error().message;
  const auto weights = ints_of({"w", made->type, made->weights});
  const auto bias = ints_of({"b", made->bias_type, made->bias});
  ASSERT_TRUE(weights && bias);
  for (size_t c = 0; c < 2; ++c) {
    double most = std::abs(static_cast<double>((*bias)[c]));
    for (size_t i = 0; i < 4; ++i) most += 255.0 * std::abs((*weights)[c * 4 + i]);
    EXPECT_LE(most, INT32_MAX) << "channel " << c;
    EXPECT_NEAR(static_cast<double>((*bias)[c]) * double{made->bias_type.quant.scale[c]},
                c == 0 ? 90000 : 0.5, c == 0 ? 1e-2 : 1e-4);
  }
  EXPECT_EQ((*weights)[7], 127) << "a channel that fits uses the whole width";
}

TEST(QuantWeights, BiasCorrectionTakesTheMeanErrorOut) {
  const Graph graph = parsed(R"(input %x float32[1x3]
const %w float32[1x3] = 1 0.0039 0.0039
%y float32[1x1] = fully_connected(%x, %w, _)
output %y
)");
  const auto layout = WeightLayout::of(graph, graph.nodes[0]);
  const TensorType x{NK_INT8, {1, 3}, {{0.01f}, {0}, 0}};
  const auto plain = quantise_weights(graph, graph.nodes[0], *layout, x, {});
  const auto corrected = quantise_weights(graph, graph.nodes[0], *layout, x, {0.0, 1.0, 1.0});
  ASSERT_TRUE(plain && corrected);
  const auto bias = ints_of({"b", corrected->bias_type, corrected->bias});
  const double scale = corrected->bias_type.quant.scale[0];
  // Both small weights become 0: 2 * 0.0039 is missing at the mean input.
  EXPECT_NEAR(static_cast<double>((*bias)[0]) * scale, 2 * 0.0039, scale);
  EXPECT_EQ(ints_of({"b", plain->bias_type, plain->bias})->at(0), 0);
}

TEST(QuantEqualise, TheFloatFunctionStaysAndInt8GetsBetter) {
  const Graph graph = parsed(kChain);
  const auto samples = samples_of(graph, 8);
  const auto seen = observe(graph, samples, false, kSilent);
  ASSERT_TRUE(seen);
  const Graph before = graph;
  const auto equal = equalise(graph, *seen);
  ASSERT_TRUE(equal);
  EXPECT_GT(equal->channels, 0u);
  EXPECT_EQ(to_text(graph), to_text(before)) << "constants are replaced, not written";
  for (const Sample& sample : samples) {
    const auto a = evaluate_graph(graph, sample, 1 << 20);
    const auto b = evaluate_graph(equal->graph, sample, 1 << 20);
    ASSERT_TRUE(a && b);
    EXPECT_EQ(*(*a)[0], *(*b)[0]) << "bit for bit";
  }
  Options without;
  without.equalise = false;
  const Report plain = quantised(graph, without).report, better = quantised(graph, {}).report;
  EXPECT_TRUE(better.equalised);
  EXPECT_GT(better.output_sqnr_db, plain.output_sqnr_db + 3);
}

// Type of the tensor of that name.
TensorType type_of(const Graph& graph, std::string_view name) {
  const auto it = std::ranges::find(graph.tensors, name, &Tensor::name);
  return it == graph.tensors.end() ? TensorType{} : it->type;
}

TEST(Quantise, EveryNodeGetsItsTypesAndOutputsStayClose) {
  const Quantised made = quantised(parsed(kNet), {});
  EXPECT_EQ(count_if(made.graph.nodes.begin(), made.graph.nodes.end(),
                     [](const Node& n) { return n.op.ends_with("quantize"); }),
            0);
  EXPECT_EQ(type_of(made.graph, "x").dtype, NK_INT8);
  EXPECT_EQ(type_of(made.graph, "y").quant, (Quant{{1.0f / 256}, {-128}, 0}));
  EXPECT_GT(made.report.output_sqnr_db, 15);
  EXPECT_EQ(made.report.layers.size(), 4u);
  EXPECT_TRUE(made.report.has_classes);
  EXPECT_EQ(made.report.samples, 20u);
}

TEST(Quantise, LayersKeepFloatOrTakeInt16) {
  Options options;
  options.keep_float = {"second"};
  Quantised made = quantised(parsed(kNet), options);
  EXPECT_EQ(type_of(made.graph, "b").dtype, NK_FLOAT32);
  EXPECT_EQ(type_of(made.graph, "y").dtype, NK_INT8);
  EXPECT_EQ(made.report.layers[1].mode, Mode::kFloat);
  EXPECT_EQ(made.report.layers[1].why, "asked for");
  const double with_float = made.report.layers[1].sqnr_db;

  options.keep_float = {};
  const double with_int8 = quantised(parsed(kNet), options).report.layers[1].sqnr_db;
  options.int16 = {"first", "b"};  // a name of a node, and of what one makes
  made = quantised(parsed(kNet), options);
  EXPECT_EQ(type_of(made.graph, "a").dtype, NK_INT16);
  EXPECT_EQ(made.report.layers[1].mode, Mode::kInt16);
  EXPECT_GT(made.report.layers[1].sqnr_db, with_int8);
  EXPECT_GE(with_float, with_int8);

  options.int16 = {"nowhere"};
  EXPECT_EQ(error_of(parsed(kNet), options), "--int16: no layer is named 'nowhere'");
}

TEST(Quantise, FloatInputsAndOutputsKeepTheirNames) {
  Options options;
  options.float_io = true;
  const Quantised made = quantised(parsed(kNet), options);
  const Graph& graph = made.graph;
  EXPECT_EQ(graph.tensor(graph.inputs[0]).name, "x");
  EXPECT_EQ(graph.tensor(graph.inputs[0]).type.dtype, NK_FLOAT32);
  EXPECT_EQ(graph.tensor(graph.outputs[0]).name, "y");
  EXPECT_EQ(graph.tensor(graph.outputs[0]).type.dtype, NK_FLOAT32);
}

TEST(Quantise, MovedValuesShareOneScale) {
  const Quantised made = quantised(parsed(R"(input %x float32[1x2x2x2]
input %z float32[1x2x2x2]
const %three float32[1x2x2x2] = splat 3
%p float32[1x2x2x2] = mul(%x, %three) @"large"
%c float32[1x2x2x4] = concat(%p, %z) {axis=3} @"join"
%r float32[1x16] = reshape(%c) {shape=[1,16]} @"flat"
output %r
)"),
                                   {});
  EXPECT_EQ(type_of(made.graph, "p").quant, type_of(made.graph, "r").quant);
  EXPECT_EQ(type_of(made.graph, "z").quant, type_of(made.graph, "r").quant);
  EXPECT_NE(type_of(made.graph, "x").quant, type_of(made.graph, "r").quant);
  EXPECT_GT(made.report.output_sqnr_db, 30);
}

TEST(Quantise, StateIsCarriedAndStaysFloat) {
  const Quantised made = quantised(parsed(R"(input %x float32[1x4]
input %h float32[1x4]
%n float32[1x4] = add(%x, %h) @"sum"
%y float32[1x4] = tanh(%n) @"out"
output %y
output %n
state %h -> %n = 0 0 0 0
)"),
                                   {}, 10);
  ASSERT_EQ(made.graph.states.size(), 1u);
  const GraphState& state = made.graph.states[0];
  EXPECT_EQ(made.graph.tensor(made.graph.inputs[state.input]).type.dtype, NK_FLOAT32);
  EXPECT_EQ(made.graph.tensor(made.graph.outputs[state.output]).type.dtype, NK_FLOAT32);
  EXPECT_GT(made.report.layers[0].hi, 4) << "a running sum leaves the range of one input";
}

TEST(Quantise, MixingEndsBelowTheDropAskedFor) {
  Options options;
  options.equalise = false;
  const Report plain = quantised(parsed(kNet), options).report;
  options.max_drop = 0.0;
  const Report mixed = quantised(parsed(kNet), options).report;
  EXPECT_LT(plain.agreement, 1.0) << "the case shows nothing";
  EXPECT_EQ(mixed.agreement, 1.0);
  EXPECT_TRUE(
      std::ranges::any_of(mixed.layers, [](const Layer& l) { return l.mode != Mode::kInt8; }));
}

TEST(Quantise, WhatCannotBeDoneIsSaid) {
  const Graph ints = parsed(R"(input %x int32[4]
%y int32[4] = add(%x, %x)
output %y
)");
  EXPECT_EQ(error_of(ints, {}), ": no node of the network has an integer form");
  const Graph graph = parsed(kNet);
  EXPECT_FALSE(quantise(graph, {}, {}, kSilent)) << "no sample";
  Bytes bytes(*byte_count(NK_FLOAT32, graph.tensor(graph.inputs[0]).type.dims));
  const float nan = NAN;
  std::memcpy(bytes.data(), &nan, sizeof nan);
  const std::vector<Sample> samples{{std::make_shared<const Bytes>(bytes)}};
  EXPECT_FALSE(quantise(graph, samples, {}, kSilent));
}

}  // namespace
}  // namespace netkit::quant
