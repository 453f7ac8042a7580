// SPDX-License-Identifier: MIT
// Elementwise functions of two tensors: broadcasting, integer oracle, in place, lowering.
#include <cmath>
#include <limits>

#include <gtest/gtest.h>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::quant_of;
using check::Rng;
using check::tflite;

// Index of the operand element that broadcasts to output position `at` of shape `to`.
size_t source_index(size_t at, const Dims& to, const Dims& dims) {
  size_t index = 0, stride = 1;
  for (size_t i = 0; i < to.size(); ++i) {
    const size_t axis = to.size() - 1 - i;
    const size_t position = at % static_cast<size_t>(to[axis]);
    at /= static_cast<size_t>(to[axis]);
    if (i >= dims.size()) continue;
    const auto n = static_cast<size_t>(dims[dims.size() - 1 - i]);
    index += (n == 1 ? 0 : position) * stride;
    stride *= n;
  }
  return index;
}

size_t count_of(const Dims& dims) {
  size_t n = 1;
  for (const int64_t dim : dims) n *= static_cast<size_t>(dim);
  return n;
}

struct Shapes {
  Dims a, b, y;
};
const Shapes kShapes[] = {
    {{2, 3, 4}, {2, 3, 4}, {2, 3, 4}},
    {{2, 3, 4}, {4}, {2, 3, 4}},
    {{2, 3, 4}, {2, 1, 4}, {2, 3, 4}},
    {{3, 1}, {4}, {3, 4}},
    {{}, {2, 3}, {2, 3}},
    {{5}, {1}, {5}},
    {{1, 5, 1, 3}, {2, 5, 4, 3}, {2, 5, 4, 3}},
    {{0, 3}, {1, 3}, {0, 3}},
};

TEST(BinaryFloat, BroadcastsLikeNumpy) {
  Rng rng(1);
  for (const Shapes& shapes : kShapes) {
    const Dims& y_dims = shapes.y;
    const auto a = rng.reals(count_of(shapes.a), -2, 2);
    const auto b = rng.reals(count_of(shapes.b), 1, 2);
    for (const std::string op : {"Add", "Sub", "Mul", "Div"}) {
      auto node = onnx(op, 13).in<float>(shapes.a, a).in<float>(shapes.b, b);
      const auto y = node.run<float>();
      ASSERT_EQ(node.dims, y_dims) << node.error();
      for (size_t i = 0; i < y.size(); ++i) {
        const float p = a[source_index(i, y_dims, shapes.a)];
        const float q = b[source_index(i, y_dims, shapes.b)];
        const float want = op == "Add" ? p + q : op == "Sub" ? p - q : op == "Mul" ? p * q : p / q;
        ASSERT_EQ(y[i], want) << op << " at " << i;
      }
    }
  }
}

TEST(BinaryFloat, SixAxesAndRefusals) {
  Rng rng(2);
  const Dims a_dims{2, 1, 3, 1, 2, 1}, b_dims{2, 3, 1, 2, 4}, y_dims{2, 2, 3, 1, 2, 4};
  const auto a = rng.reals(12, -1, 1), b = rng.reals(48, -1, 1);
  auto node = onnx("Add", 13).in<float>(a_dims, a).in<float>(b_dims, b);
  const auto y = node.run<float>();
  ASSERT_EQ(node.dims, y_dims);
  for (size_t i = 0; i < y.size(); ++i) {
    ASSERT_EQ(y[i], a[source_index(i, y_dims, a_dims)] + b[source_index(i, y_dims, b_dims)]);
  }
  auto wrong = onnx("Add", 13).in<float>({2}, {1, 2}).in<float>({3}, {1, 2, 3});
  EXPECT_NE(check::refusal(wrong).find("do not broadcast"), std::string::npos);
  auto mixed = onnx("Add", 13).in<float>({1}, {1}).in<int32_t>({1}, {1});
  EXPECT_NE(check::refusal(mixed), "");
  auto deep = onnx("Add", 13).in<float>({1, 1, 1, 1, 1, 1, 1}, {1}).in<float>({1}, {1});
  EXPECT_NE(check::refusal(deep), "");
}

TEST(BinaryFloat, FunctionsByHand) {
  const std::vector<float> a{-7, 7, -7, 7}, b{3, 3, -3, -3};
  const auto run = [&](NodeCase node) {
    return node.in<float>({4}, a).in<float>({4}, b).run<float>();
  };
  EXPECT_EQ(run(tflite("FLOOR_DIV")), (std::vector<float>{-3, 2, 2, -3}));
  EXPECT_EQ(run(tflite("FLOOR_MOD")), (std::vector<float>{2, 1, -1, -2}));
  EXPECT_EQ(run(onnx("Mod", 13).set("fmod", int64_t{1})), (std::vector<float>{-1, 1, -1, 1}));
  EXPECT_EQ(run(tflite("SQUARED_DIFFERENCE")), (std::vector<float>{100, 16, 16, 100}));
  EXPECT_EQ(run(onnx("Max", 13)), (std::vector<float>{3, 7, -3, 7}));
  EXPECT_EQ(run(onnx("Min", 13)), (std::vector<float>{-7, 3, -7, -3}));
  auto pow = onnx("Pow", 15).in<float>({3}, {2, 3, 4}).in<int32_t>({3}, {3, 2, -1});
  EXPECT_EQ(pow.run<float>(), (std::vector<float>{8, 9, 0.25f}));
  auto square = onnx("Pow", 15).in<float>({2}, {-3, 4}).constant<float>({}, {2});
  EXPECT_EQ(square.run<float>(), (std::vector<float>{9, 16}));
  EXPECT_EQ(square.graph().nodes[0].op, "square");
  auto sum = onnx("Sum", 13).in<float>({2}, {1, 2}).in<float>({2}, {3, 4}).in<float>({1}, {10});
  EXPECT_EQ(sum.run<float>(), (std::vector<float>{14, 16}));
  auto mean = onnx("Mean", 13).in<float>({2}, {1, 2}).in<float>({2}, {3, 6});
  EXPECT_EQ(mean.run<float>(), (std::vector<float>{2, 4}));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  auto max = onnx("Max", 13).in<float>({2}, {nan, 1}).in<float>({2}, {1, nan});
  for (const float v : max.run<float>()) EXPECT_TRUE(std::isnan(v));
}

TEST(BinaryFloat, FusedActivationAndLegacyBroadcast) {
  auto add = tflite("ADD")
                 .in<float>({4}, {-4, 1, 5, 9})
                 .in<float>({1}, {1})
                 .set("fused_activation_function", std::string("RELU6"));
  EXPECT_EQ(add.run<float>(), (std::vector<float>{0, 2, 6, 6}));
  auto axis = onnx("Add", 6)
                  .in<float>({2, 3, 2}, std::vector<float>(12, 1.0f))
                  .in<float>({3}, {10, 20, 30})
                  .set("broadcast", int64_t{1})
                  .set("axis", int64_t{1});
  EXPECT_EQ(axis.run<float>(),
            (std::vector<float>{11, 11, 21, 21, 31, 31, 11, 11, 21, 21, 31, 31}));
}

TEST(BinaryInteger, NeverTraps) {
  const std::vector<int32_t> a{7, -7, INT32_MIN, 5, INT32_MAX}, b{2, 2, -1, 0, 1};
  const auto run = [&](NodeCase node) {
    return node.in<int32_t>({5}, a).in<int32_t>({5}, b).run<int32_t>();
  };
  EXPECT_EQ(run(onnx("Div", 14)), (std::vector<int32_t>{3, -3, INT32_MIN, 0, INT32_MAX}));
  EXPECT_EQ(run(tflite("FLOOR_DIV")), (std::vector<int32_t>{3, -4, INT32_MIN, 0, INT32_MAX}));
  EXPECT_EQ(run(onnx("Mod", 13)), (std::vector<int32_t>{1, 1, 0, 0, 0}));
  EXPECT_EQ(run(onnx("Add", 14)), (std::vector<int32_t>{9, -5, INT32_MAX, 5, INT32_MIN}));
  auto pow = onnx("Pow", 15).in<int64_t>({3}, {3, -2, 2}).in<int64_t>({3}, {4, 3, -1});
  EXPECT_EQ(pow.run<int64_t>(), (std::vector<int64_t>{81, -8, 0}));
}

// The reference's arithmetic in exact integers: round(x m / 2^31) ties up in magnitude, then / 2^r
// ties away from zero; multipliers from doubles (ADD) or floats (SUB).
struct Multiplier {
  int64_t mantissa = 0;
  int shift = 0;
  explicit Multiplier(double real) {
    const double fraction = std::frexp(real, &shift);
    mantissa = std::llround(fraction * 0x1p31);
    if (mantissa == int64_t{1} << 31) {
      mantissa /= 2;
      ++shift;
    }
  }
  int64_t of(int64_t x) const {
    const int left = std::max(shift, 0), right = std::max(-shift, 0);
    const int64_t product = static_cast<int32_t>(x << left) * mantissa;
    const int64_t high =
        (product + (product >= 0 ? int64_t{1} << 30 : 1 - (int64_t{1} << 30))) / (int64_t{1} << 31);
    const int64_t half = right == 0 ? 0 : int64_t{1} << (right - 1);
    return high >= 0 ? (high + half) >> right : -((-high + half) >> right);
  }
};

int64_t oracle(const std::string& op, int a, int b, float sa, float sb, float sy, int za, int zb,
               int zy) {
  const int64_t x = a - za, y = b - zb;
  if (op == "MUL") return zy + Multiplier(double{sa} * double{sb} / double{sy}).of(x * y);
  const double twice = 2.0 * std::max(double{sa}, double{sb});
  Multiplier ma(sa / twice), mb(sb / twice), my(twice / (double(1 << 20) * double{sy}));
  if (op == "SUB") {
    const float twice_f = 2.0f * std::max(sa, sb);
    ma = Multiplier(double{sa / twice_f});
    mb = Multiplier(double{sb / twice_f});
    my = Multiplier(double{twice_f / (1048576.0f * sy)});
  }
  const int64_t p = ma.of(x * (1 << 20)), q = mb.of(y * (1 << 20));
  return zy + my.of(op == "ADD" ? p + q : p - q);
}

TEST(BinaryQuantised, EqualsAnIntegerOracle) {
  Rng rng(3);
  for (int round = 0; round < 60; ++round) {
    const float sa = rng.real(0.002f, 0.2f), sb = rng.real(0.002f, 0.2f);
    const int za = rng.in(-128, 127), zb = rng.in(-128, 127), zy = rng.in(-128, 127);
    const auto a = rng.ints<int8_t>(64, -128, 127), b = rng.ints<int8_t>(64, -128, 127);
    for (const std::string op : {"ADD", "SUB", "MUL"}) {
      const float sy = op == "MUL" ? rng.real(0.01f, 1.0f) : rng.real(0.01f, 0.3f);
      auto node = tflite(op)
                      .in<int8_t>({64}, a, quant_of(sa, za))
                      .in<int8_t>({64}, b, quant_of(sb, zb))
                      .declare(NK_INT8, {64}, quant_of(sy, zy));
      const auto y = node.run<int8_t>();
      ASSERT_EQ(y.size(), 64u) << node.error();
      for (size_t i = 0; i < 64; ++i) {
        const int64_t want = std::clamp<int64_t>(
            oracle(op, a[i], b[i], sa, sb, sy, za, zb, zy), -128, 127);
        ASSERT_EQ(y[i], want) << op << " " << int{a[i]} << " " << int{b[i]};
      }
    }
  }
}

TEST(BinaryQuantised, RealValuesAreNear) {
  Rng rng(4);
  const auto a = rng.ints<int8_t>(200, -128, 127), b = rng.ints<int8_t>(200, 10, 127);
  const float sa = 0.03f, sb = 0.02f;
  const auto real = [](int8_t q, float s, int z) { return double{s} * (q - z); };
  struct Row {
    const char* op;
    double (*f)(double, double);
    float sy;
    int zy;
  };
  const Row rows[] = {
      {"DIV", [](double p, double q) { return p / q; }, 0.1f, -5},
      {"SQUARED_DIFFERENCE", [](double p, double q) { return (p - q) * (p - q); }, 0.15f, -128},
      {"PRELU", [](double p, double q) { return p >= 0 ? p : p * q; }, 0.09f, 20},
  };
  for (const Row& row : rows) {
    auto node = tflite(row.op)
                    .in<int8_t>({200}, a, quant_of(sa, 3))
                    .in<int8_t>({200}, b, quant_of(sb, -9))
                    .declare(NK_INT8, {200}, quant_of(row.sy, row.zy));
    const auto y = node.run<int8_t>();
    ASSERT_EQ(y.size(), 200u) << row.op << ": " << node.error();
    for (size_t i = 0; i < y.size(); ++i) {
      const double want = row.f(real(a[i], sa, 3), real(b[i], sb, -9)) / row.sy + row.zy;
      ASSERT_NEAR(y[i], std::clamp(want, -128.0, 127.0), 1.01) << row.op << " at " << i;
    }
  }
}

TEST(BinaryQuantised, ActivationAndOrder) {
  auto add = tflite("ADD")
                 .in<int8_t>({3}, {-100, 0, 100}, quant_of(0.1f, 0))
                 .in<int8_t>({3}, {-100, 0, 100}, quant_of(0.1f, 0))
                 .declare(NK_INT8, {3}, quant_of(0.1f, -10))
                 .set("fused_activation_function", std::string("RELU6"));
  EXPECT_EQ(add.run<int8_t>(), (std::vector<int8_t>{-10, -10, 50}));
  // maximum of two scales: both brought to the output's first.
  auto max = tflite("MAXIMUM")
                 .in<int8_t>({2}, {10, 40}, quant_of(0.1f, 0))
                 .in<int8_t>({2}, {10, 10}, quant_of(0.2f, 0))
                 .declare(NK_INT8, {2}, quant_of(0.1f, 0));
  EXPECT_EQ(max.run<int8_t>(), (std::vector<int8_t>{20, 40}));
  auto less = tflite("LESS")
                  .in<int8_t>({2}, {10, 30}, quant_of(0.1f, 0))
                  .in<int8_t>({2}, {10, 10}, quant_of(0.2f, 0))
                  .declare(NK_BOOL, {2});
  EXPECT_EQ(less.run<uint8_t>(), (std::vector<uint8_t>{1, 0}));
}

TEST(BinaryLogic, ComparisonsAndChoice) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto run = [&](const char* op) {
    return onnx(op, 16).in<float>({4}, {1, 2, 3, nan}).in<float>({1}, {2}).run<uint8_t>();
  };
  EXPECT_EQ(run("Less"), (std::vector<uint8_t>{1, 0, 0, 0}));
  EXPECT_EQ(run("LessOrEqual"), (std::vector<uint8_t>{1, 1, 0, 0}));
  EXPECT_EQ(run("Greater"), (std::vector<uint8_t>{0, 0, 1, 0}));
  EXPECT_EQ(run("GreaterOrEqual"), (std::vector<uint8_t>{0, 1, 1, 0}));
  EXPECT_EQ(run("Equal"), (std::vector<uint8_t>{0, 1, 0, 0}));
  auto xor_ = onnx("Xor", 7)
                  .in<uint8_t>({4}, {0, 0, 1, 1}, {}, NK_BOOL)
                  .in<uint8_t>({4}, {0, 1, 0, 1}, {}, NK_BOOL);
  EXPECT_EQ(xor_.run<uint8_t>(), (std::vector<uint8_t>{0, 1, 1, 0}));
  auto where = onnx("Where", 16)
                   .in<uint8_t>({2, 1}, {1, 0}, {}, NK_BOOL)
                   .in<float>({3}, {1, 2, 3})
                   .in<float>({2, 3}, {10, 20, 30, 40, 50, 60});
  EXPECT_EQ(where.run<float>(), (std::vector<float>{1, 2, 3, 40, 50, 60}));
  auto select = tflite("SELECT")
                    .in<uint8_t>({2}, {0, 1}, {}, NK_BOOL)
                    .in<int16_t>({2, 2}, {1, 2, 3, 4})
                    .in<int16_t>({2, 2}, {5, 6, 7, 8});
  EXPECT_EQ(select.run<int16_t>(), (std::vector<int16_t>{5, 6, 3, 4}));
}

TEST(BinaryPlain, ShiftsAndWideTypes) {
  const auto shift = [](const char* direction) {
    return onnx("BitShift", 11)
        .in<uint8_t>({5}, {1, 3, 255, 7, 128})
        .in<uint8_t>({5}, {7, 1, 4, 8, 255})
        .set("direction", std::string(direction));
  };
  EXPECT_EQ(shift("LEFT").run<uint8_t>(), (std::vector<uint8_t>{128, 6, 240, 0, 0}));
  EXPECT_EQ(shift("RIGHT").run<uint8_t>(), (std::vector<uint8_t>{0, 1, 15, 0, 0}));
  auto up = shift("UP");
  EXPECT_NE(check::refusal(up).find("UP"), std::string::npos);
  const auto wide = [](const char* op) {
    return onnx(op, 13)
        .in<uint64_t>({3}, {1, UINT64_MAX, 1ull << 63}, {}, NK_UINT64)
        .in<uint64_t>({3}, {63, 10, 9}, {}, NK_UINT64);
  };
  EXPECT_EQ(wide("Max").run<uint64_t>(), (std::vector<uint64_t>{63, UINT64_MAX, 1ull << 63}));
  EXPECT_EQ(wide("Min").run<uint64_t>(), (std::vector<uint64_t>{1, 10, 9}));
  EXPECT_EQ(wide("Mod").run<uint64_t>(), (std::vector<uint64_t>{1, UINT64_MAX % 10, 8}));
  EXPECT_EQ(wide("BitShift").set("direction", std::string("LEFT")).run<uint64_t>(),
            (std::vector<uint64_t>{1ull << 63, UINT64_MAX << 10, 0}));
  const std::vector<double> a{1.0 + 0x1p-50, -7.5, 1e300}, b{2, 2, 0x1p-50};
  for (const std::string op : {"Add", "Sub", "Mul", "Div", "Min", "Max", "Mod"}) {
    auto node = onnx(op, 13).in<double>({3}, a, {}, NK_FLOAT64).in<double>({3}, b, {}, NK_FLOAT64);
    const auto y = node.set("fmod", int64_t{1}).run<double>();
    ASSERT_EQ(y.size(), 3u) << op << ": " << node.error();
    for (size_t i = 0; i < 3; ++i) {
      const double p = a[i], q = b[i];
      const double want = op == "Add"   ? p + q
                          : op == "Sub" ? p - q
                          : op == "Mul" ? p * q
                          : op == "Div" ? p / q
                          : op == "Min" ? std::min(p, q)
                          : op == "Max" ? std::max(p, q)
                                        : std::fmod(p, q);
      EXPECT_EQ(y[i], want) << op << " at " << i;
    }
  }
}

TEST(BinaryLower, PreluSlopeBroadcastsOneWay) {
  auto prelu = onnx("PRelu", 16)
                   .in<float>({1, 2, 2}, {-1, 2, -3, -4})
                   .constant<float>({2, 1}, {0.5f, 2});
  EXPECT_EQ(prelu.run<float>(), (std::vector<float>{-0.5f, 2, -6, -8}));
  auto wider = onnx("PRelu", 16).in<float>({1}, {-1}).constant<float>({2}, {1, 2});
  EXPECT_NE(check::refusal(wider), "");
}

TEST(BinaryInPlace, OnlyFullOperandsMayBeOverwritten) {
  Rng rng(5);
  int overlaps = 0;
  auto same = onnx("Sub", 13)
                  .in<float>({3, 40}, rng.reals(120, -1, 1))
                  .in<float>({3, 40}, rng.reals(120, -1, 1));
  ASSERT_FALSE(same.run<float>().empty());
  EXPECT_EQ(check::check_overlaps(same.graph(), same.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 2);
  auto row = onnx("Sub", 13)
                 .in<float>({3, 40}, rng.reals(120, -1, 1))
                 .in<float>({40}, rng.reals(40, -1, 1));
  ASSERT_FALSE(row.run<float>().empty());
  EXPECT_EQ(check::check_overlaps(row.graph(), row.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 1);
  auto less = onnx("Less", 13)
                  .in<float>({3, 40}, rng.reals(120, -1, 1))
                  .in<float>({3, 40}, rng.reals(120, -1, 1));
  ASSERT_FALSE(less.run<uint8_t>().empty());
  auto where = onnx("Where", 16)
                   .in<uint8_t>({50}, rng.ints<uint8_t>(50, 0, 1), {}, NK_BOOL)
                   .in<float>({50}, rng.reals(50, -1, 1))
                   .in<float>({50}, rng.reals(50, -1, 1));
  ASSERT_FALSE(where.run<float>().empty());
  EXPECT_EQ(check::check_overlaps(where.graph(), where.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 2);
}

}  // namespace
}  // namespace netkit
