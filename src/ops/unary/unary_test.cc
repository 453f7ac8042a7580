// SPDX-License-Identifier: MIT
// Elementwise functions of one tensor: double oracle, the integer reference's own values, ranges,
// in place, lowering.
#include "ops/unary/unary.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::quant_of;
using check::tflite;

constexpr float kInfinite = std::numeric_limits<float>::infinity();

// Values over a range, its ends and zero among them.
std::vector<float> spread(float lo, float hi) {
  std::vector<float> out;
  for (int i = 0; i <= 400; ++i) out.push_back(lo + (hi - lo) * static_cast<float>(i) / 400.0f);
  if (lo <= 0.0f && hi >= 0.0f) out.push_back(0.0f);
  return out;
}

// A graph of the canonical operator alone.
struct Single {
  Graph graph;
  std::vector<ConstData> values;

  Single(std::string_view op, TensorType x, ConstData data, Attrs attrs, TensorType y) {
    const TensorId in = graph.add_tensor("x", std::move(x));
    const TensorId out = graph.add_tensor("y", std::move(y));
    graph.nodes.push_back({std::string(op), "node", {in}, {out}, std::move(attrs)});
    graph.inputs = {in};
    graph.outputs = {out};
    values = {std::move(data)};
  }
  template <typename T>
  std::vector<T> run() const {
    const auto results = evaluate_graph(graph, values, 1 << 24);
    if (!results) return {};
    return check::from_bytes<T>(*(*results)[0]);
  }
};

Single float_case(std::string_view op, const std::vector<float>& x, Attrs attrs = {}) {
  const TensorType type{NK_FLOAT32, {static_cast<int64_t>(x.size())}, {}};
  return {op, type, constant_of(x), std::move(attrs), type};
}

struct Oracle {
  std::string_view op;
  float lo, hi;
  double (*real)(double);
  double ulps;       // of the result's size, plus the smallest normal float
  double floor = 0;  // plus as much: cancellation near a zero
};

double logistic_of(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

// Written from the definitions, with default attributes.
const Oracle kOracles[] = {
    {"relu", -5, 5, [](double x) { return x > 0 ? x : 0.0; }, 0},
    {"relu6", -5, 9, [](double x) { return std::min(6.0, std::max(0.0, x)); }, 0},
    {"relu_n1_to_1", -5, 9, [](double x) { return std::min(1.0, std::max(-1.0, x)); }, 0},
    {"relu_0_to_1", -5, 9, [](double x) { return std::min(1.0, std::max(0.0, x)); }, 0},
    {"clip", -5, 9, [](double x) { return x; }, 0},
    {"leaky_relu", -5, 5, [](double x) { return x < 0 ? x * double{0.01f} : x; }, 1},
    {"thresholded_relu", -5, 5, [](double x) { return x > 1 ? x : 0.0; }, 0},
    {"hard_sigmoid", -5, 5,
     [](double x) { return std::min(1.0, std::max(0.0, double{0.2f} * x + 0.5)); }, 1, 0x1p-24},
    {"hard_swish", -5, 5, [](double x) { return x * std::min(6.0, std::max(0.0, x + 3.0)) / 6.0; },
     4},
    {"shrink", -2, 2, [](double x) { return x < -0.5 || x > 0.5 ? x : 0.0; }, 0},
    {"softsign", -50, 50, [](double x) { return x / (1.0 + std::fabs(x)); }, 2},
    {"abs", -5, 5, [](double x) { return std::fabs(x); }, 0},
    {"neg", -5, 5, [](double x) { return -x; }, 0},
    {"sign", -5, 5, [](double x) { return x > 0 ? 1.0 : (x < 0 ? -1.0 : 0.0); }, 0},
    {"square", -5, 5, [](double x) { return x * x; }, 1},
    {"reciprocal", 0.01f, 90, [](double x) { return 1.0 / x; }, 1},
    {"ceil", -5, 5, [](double x) { return std::ceil(x); }, 0},
    {"floor", -5, 5, [](double x) { return std::floor(x); }, 0},
    {"round", -5, 5, [](double x) { return std::nearbyint(x); }, 0},
    {"sqrt", 0, 90, [](double x) { return std::sqrt(x); }, 1},
    {"rsqrt", 0.01f, 90, [](double x) { return 1.0 / std::sqrt(x); }, 2},
    {"exp", -80, 80, [](double x) { return std::exp(x); }, 2},
    {"log", 0.01f, 90, [](double x) { return std::log(x); }, 2},
    {"sigmoid", -80, 80, logistic_of, 4},
    {"tanh", -20, 20, [](double x) { return std::tanh(x); }, 3},
    {"erf", -6, 6, [](double x) { return std::erf(x); }, 3},
    {"gelu", -5, 5, [](double x) { return 0.5 * x * std::erfc(-x * std::numbers::sqrt2 / 2.0); },
     40},
    {"gelu_tanh", -4, 5,
     [](double x) {
       const double u = std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x * x * x);
       return x * logistic_of(2.0 * u);
     },
     40},
    {"elu", -20, 5, [](double x) { return x < 0 ? std::expm1(x) : x; }, 2},
    {"selu", -20, 5,
     [](double x) {
       const double alpha = 1.67326319217681884765625, gamma = 1.05070102214813232421875;
       return gamma * (x < 0 ? alpha * std::expm1(x) : x);
     },
     4},
    {"celu", -20, 5, [](double x) { return x < 0 ? std::expm1(x) : x; }, 2},
    {"softplus", -80, 80,
     [](double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }, 3},
    {"mish", -30, 30, [](double x) { return x * std::tanh(std::log1p(std::exp(x))); }, 8},
    {"swish", -60, 60, [](double x) { return x * logistic_of(x); }, 5},
    {"sin", -7, 7, [](double x) { return std::sin(x); }, 2},
    {"cos", -7, 7, [](double x) { return std::cos(x); }, 2},
    {"tan", -1.5f, 1.5f, [](double x) { return std::tan(x); }, 3},
    {"asin", -1, 1, [](double x) { return std::asin(x); }, 3},
    {"acos", -1, 1, [](double x) { return std::acos(x); }, 3},
    {"atan", -50, 50, [](double x) { return std::atan(x); }, 3},
    {"sinh", -20, 20, [](double x) { return std::sinh(x); }, 3},
    {"cosh", -20, 20, [](double x) { return std::cosh(x); }, 3},
    {"asinh", -50, 50, [](double x) { return std::asinh(x); }, 4},
    {"acosh", 1, 50, [](double x) { return std::acosh(x); }, 4},
    {"atanh", -0.99f, 0.99f, [](double x) { return std::atanh(x); }, 4},
};

TEST(UnaryFloat, IsNearADoubleOracle) {
  size_t covered = 0;
#define NK_COUNT(op, onnx, tflite, a, a0, b, b0) ++covered;
  NK_UNARY_REAL_OPS(NK_COUNT)
#undef NK_COUNT
  EXPECT_EQ(std::size(kOracles), covered) << "every function has an oracle";
  for (const Oracle& oracle : kOracles) {
    const std::vector<float> x = spread(oracle.lo, oracle.hi);
    const auto y = float_case(oracle.op, x).run<float>();
    ASSERT_EQ(y.size(), x.size()) << oracle.op;
    for (size_t i = 0; i < x.size(); ++i) {
      const double want = oracle.real(x[i]);
      const double bound = oracle.ulps * (std::fabs(want) * 0x1p-23 + 0x1p-126) + oracle.floor;
      ASSERT_NEAR(y[i], want, bound) << oracle.op << " of " << x[i];
    }
  }
}

TEST(UnaryFloat, NanGoesThroughAndExtremesHold) {
  for (const Oracle& oracle : kOracles) {
    const auto y = float_case(oracle.op, {NAN}).run<float>();
    if (oracle.op == "sign") continue;
    EXPECT_TRUE(std::isnan(y.at(0))) << oracle.op;
  }
  EXPECT_EQ(float_case("sigmoid", {-kInfinite, kInfinite, -200, 200}).run<float>(),
            (std::vector<float>{0, 1, 0, 1}));
  EXPECT_EQ(float_case("softplus", {-kInfinite, kInfinite, 200}).run<float>(),
            (std::vector<float>{0, kInfinite, 200}));
  EXPECT_EQ(float_case("round", {0.5f, 1.5f, 2.5f, -0.5f, -1.5f}).run<float>(),
            (std::vector<float>{0, 2, 2, -0.0f, -2}));
}

TEST(UnaryFloat, AttributesApply) {
  Attrs clip;
  clip.set("min", -1.0);
  clip.set("max", 2.0);
  EXPECT_EQ(float_case("clip", {-3, 0, 3}, clip).run<float>(), (std::vector<float>{-1, 0, 2}));
  clip.set("min", 5.0);  // above max: max wins
  EXPECT_EQ(float_case("clip", {-3, 0, 3}, clip).run<float>(), (std::vector<float>{2, 2, 2}));
  Attrs leaky;
  leaky.set("alpha", -0.5);
  EXPECT_EQ(float_case("leaky_relu", {-4, 4}, leaky).run<float>(), (std::vector<float>{2, 4}));
}

Single quantised_case(std::string_view op, nk_dtype dtype, const Bytes& x, Quant in, Quant out,
                      Attrs attrs = {}) {
  const auto count = static_cast<int64_t>(x.size()) * 8 / bits_of(dtype);
  return {op,
          {dtype, {count}, std::move(in)},
          std::make_shared<const Bytes>(x),
          std::move(attrs),
          {dtype, {count}, std::move(out)}};
}

std::vector<int8_t> every_int8() {
  std::vector<int8_t> x(256);
  for (int i = 0; i < 256; ++i) x[static_cast<size_t>(i)] = static_cast<int8_t>(i - 128);
  return x;
}

// Where the reference is an integer approximation or rounds twice it may be a step off the real
// value; the general tables round once.
TEST(UnaryQuantised, Int8TablesAreNearTheRealFunctions) {
  const Quant in = quant_of(0.05f, 7);
  for (const Oracle& oracle : kOracles) {
    Quant out = quant_of(0.04f, -3);
    if (oracle.op == "sigmoid") out = quant_of(1.0f / 256, -128);
    if (oracle.op == "tanh") out = quant_of(1.0f / 128, 0);
    const auto x = every_int8();
    const auto y = quantised_case(oracle.op, NK_INT8, check::to_bytes(x), in, out).run<int8_t>();
    ASSERT_EQ(y.size(), x.size()) << oracle.op;
    for (size_t i = 0; i < x.size(); ++i) {
      // In float, as the tables: steps of a function may lie on a grid point.
      const double want = oracle.real(in.scale[0] * static_cast<float>(x[i] - 7));
      if (std::isnan(want)) continue;
      const double step =
          std::clamp(want / out.scale[0] + static_cast<double>(out.zero_point[0]), -128.0, 127.0);
      const double slack = oracle.op == "hard_swish" ? 1.6 : 1.01;
      ASSERT_NEAR(y[i], step, slack) << oracle.op << " of step " << int{x[i]};
    }
  }
}

// Outputs of the TensorFlow Lite reference kernels for these inputs and scales.
TEST(UnaryQuantised, PiecewiseEqualsAnIntegerOracle) {
  const float scales[] = {0.05f, 0.1f, 0.037f};
  for (const float in : scales) {
    for (const float out : scales) {
      for (const double alpha : {0.1, -0.3, 1.7}) {
        Attrs attrs;
        attrs.set("alpha", alpha);
        const auto x = every_int8();
        const auto y = quantised_case("leaky_relu", NK_INT8, check::to_bytes(x), quant_of(in, -12),
                                      quant_of(out, 5), attrs)
                           .run<int8_t>();
        for (size_t i = 0; i < x.size(); ++i) {
          // round(v m / 2^31) ties up in magnitude, then / 2^r ties away from zero, exactly
          const int32_t v = x[i] + 12;
          const double ratio =
              v >= 0 ? double{in / out} : double{in * static_cast<float>(alpha) / out};
          int exponent = 0;
          const double fraction = std::frexp(ratio, &exponent);
          const auto m = static_cast<int64_t>(std::llround(fraction * 0x1p31));
          const int left = std::max(exponent, 0), right = std::max(-exponent, 0);
          const int64_t product = (int64_t{v} << left) * m;
          const int64_t high = (product + (product >= 0 ? 1 << 30 : 1 - (1 << 30))) / (1LL << 31);
          const int64_t half = right == 0 ? 0 : int64_t{1} << (right - 1);
          const int64_t q = high >= 0 ? (high + half) >> right : -((-high + half) >> right);
          ASSERT_EQ(y[i], std::clamp<int64_t>(q + 5, -128, 127))
              << in << " " << out << " " << alpha << " " << int{x[i]};
        }
      }
    }
  }
}

TEST(UnaryQuantised, ReluClampsInTheOutputScale) {
  const std::vector<int8_t> x{-128, -20, -10, 0, 60, 127};
  // real -11.8 .. 13.7; relu6 at scale 0.05, zero point -128: 0 is -128, 6 is -8.
  EXPECT_EQ(quantised_case("relu6", NK_INT8, check::to_bytes(x), quant_of(0.1f, -10),
                           quant_of(0.05f, -128))
                .run<int8_t>(),
            (std::vector<int8_t>{-128, -128, -128, -108, -8, -8}));
  EXPECT_EQ(
      quantised_case("relu", NK_INT8, check::to_bytes(x), quant_of(0.1f, -10), quant_of(0.1f, -10))
          .run<int8_t>(),
      (std::vector<int8_t>{-10, -10, -10, 0, 60, 127}));
  const std::vector<int16_t> wide{-32768, -100, 0, 100, 32767};
  Attrs attrs;
  attrs.set("alpha", 0.5);
  EXPECT_EQ(quantised_case("leaky_relu", NK_INT16, check::to_bytes(wide), quant_of(0.01f, 0),
                           quant_of(0.02f, 0), attrs)
                .run<int16_t>(),
            (std::vector<int16_t>{-8192, -25, 0, 50, 16384}));
  const std::vector<uint8_t> legacy{0, 120, 130, 255};
  EXPECT_EQ(quantised_case("relu", NK_UINT8, check::to_bytes(legacy), quant_of(0.1f, 128),
                           quant_of(0.1f, 128))
                .run<uint8_t>(),
            (std::vector<uint8_t>{128, 128, 130, 255}));
}

TEST(UnaryInteger, WrapsAsTwosComplement) {
  const std::vector<int32_t> x{-5, 0, 7, INT32_MIN};
  const TensorType type{NK_INT32, {4}, {}};
  EXPECT_EQ(Single("abs", type, constant_of(x), {}, type).run<int32_t>(),
            (std::vector<int32_t>{5, 0, 7, INT32_MIN}));
  EXPECT_EQ(Single("neg", type, constant_of(x), {}, type).run<int32_t>(),
            (std::vector<int32_t>{5, 0, -7, INT32_MIN}));
  const TensorType wide{NK_INT64, {2}, {}};
  EXPECT_EQ(Single("sign", wide, constant_of(std::vector<int64_t>{-9, 3}), {}, wide).run<int64_t>(),
            (std::vector<int64_t>{-1, 1}));
}

TEST(UnaryInPlace, OverlapsHoldAndAreTight) {
  int overlaps = 0;
  std::vector<float> x = spread(-3.0f, 3.0f);
  const auto f = float_case("tanh", x);
  EXPECT_EQ(check::check_overlaps(f.graph, f.values, 4, overlaps), "");
  EXPECT_EQ(overlaps, 1);
  const auto q = quantised_case("tanh", NK_INT8, check::to_bytes(every_int8()), quant_of(0.03f, 0),
                                quant_of(1.0f / 128, 0));
  EXPECT_EQ(check::check_overlaps(q.graph, q.values, 1, overlaps), "");
  EXPECT_EQ(overlaps, 1);
}

TEST(UnaryLower, ClipFormsOfOnnx) {
  const std::vector<float> x{-3, 0.5f, 9};
  auto attributes = onnx("Clip", 6).in<float>({3}, x).set("min", -1.0).set("max", 2.0);
  EXPECT_EQ(attributes.run<float>(), (std::vector<float>{-1, 0.5f, 2}));
  auto only_max = onnx("Clip", 13).in<float>({3}, x).absent().constant<float>({}, {1});
  EXPECT_EQ(only_max.run<float>(), (std::vector<float>{-3, 0.5f, 1}));
  auto relu6 = onnx("Clip", 11).in<float>({3}, x).constant<float>({}, {0}).constant<float>({}, {6});
  EXPECT_EQ(relu6.run<float>(), (std::vector<float>{0, 0.5f, 6}));
  EXPECT_EQ(relu6.graph().nodes[0].op, "relu6");
  auto whole = onnx("Clip", 12).in<int64_t>({3}, {-3, 1, 9}).constant<int64_t>({}, {0}).absent();
  EXPECT_EQ(whole.run<int64_t>(), (std::vector<int64_t>{0, 1, 9}));
  auto open = onnx("Clip", 11).in<float>({3}, x).in<float>({}, {0});
  EXPECT_NE(check::refusal(open), "");
}

TEST(UnaryLower, Int8LogisticAndHardSwishOfTflite) {
  // Values of the reference kernels for these scales.
  const std::vector<int8_t> x{-128, -64, -1, 0, 1, 64, 127};
  auto logistic_of = tflite("LOGISTIC")
                         .in<int8_t>({7}, x, quant_of(0.0625f, 0))
                         .declare(NK_INT8, {7}, quant_of(1.0f / 256, -128));
  EXPECT_EQ(logistic_of.run<int8_t>(), (std::vector<int8_t>{-128, -123, -4, 0, 4, 123, 127}));
  auto relu =
      tflite("RELU").in<int8_t>({7}, x, quant_of(0.1f, 3)).declare(NK_INT8, {7}, quant_of(0.1f, 3));
  EXPECT_EQ(relu.run<int8_t>(), (std::vector<int8_t>{3, 3, 3, 3, 3, 64, 127}));
}

TEST(UnaryLower, OthersAndIntegers) {
  auto inf = onnx("IsInf", 10)
                 .in<float>({4}, {kInfinite, -kInfinite, 1, NAN})
                 .set("detect_negative", int64_t{0});
  EXPECT_EQ(inf.run<uint8_t>(), (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(inf.type.dtype, NK_BOOL);
  auto negate = onnx("Not", 1).in<uint8_t>({3}, {0, 1, 1}, {}, NK_BOOL);
  EXPECT_EQ(negate.run<uint8_t>(), (std::vector<uint8_t>{1, 0, 0}));
  auto relu = onnx("Relu", 14).in<int32_t>({3}, {-4, 0, 4});
  EXPECT_EQ(relu.run<int32_t>(), (std::vector<int32_t>{0, 0, 4}));
  auto gelu = onnx("Gelu", 20).in<float>({1}, {1.0f}).set("approximate", std::string("tanh"));
  EXPECT_NEAR(gelu.run<float>().at(0), 0.841192, 1e-6);
}

}  // namespace
}  // namespace netkit
