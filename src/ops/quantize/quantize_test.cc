// SPDX-License-Identifier: MIT
// Changes of element type: rounding rules, ranges, integer oracle, overlap distances, lowering.
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

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST(Quantize, RoundingOfBothFormats) {
  const std::vector<float> x{-2.5f, -1.5f, -0.5f, 0.5f, 1.5f, 2.5f, 0.49999997f, -0.49999997f};
  auto lite = tflite("QUANTIZE").in<float>({8}, x).declare(NK_INT8, {8}, quant_of(1.0f, 10));
  EXPECT_EQ(lite.run<int8_t>(), (std::vector<int8_t>{7, 8, 9, 11, 12, 13, 10, 10}));
  auto even = onnx("QuantizeLinear", 13)
                  .in<float>({8}, x)
                  .constant<float>({}, {1.0f})
                  .constant<int8_t>({}, {10});
  EXPECT_EQ(even.run<int8_t>(), (std::vector<int8_t>{8, 8, 10, 10, 12, 12, 10, 10}));
}

TEST(Quantize, SaturatesAndTakesNanAsTheLeast) {
  const std::vector<float> x{-1e30f, 1e30f, -kInf, kInf, NAN, 127.4f, 127.6f};
  auto s8 = tflite("QUANTIZE").in<float>({7}, x).declare(NK_INT8, {7}, quant_of(1.0f, 0));
  EXPECT_EQ(s8.run<int8_t>(), (std::vector<int8_t>{-128, 127, -128, 127, -128, 127, 127}));
  auto u8 = onnx("QuantizeLinear", 13).in<float>({7}, x).constant<float>({}, {1.0f});
  EXPECT_EQ(u8.run<uint8_t>(), (std::vector<uint8_t>{0, 255, 0, 255, 0, 127, 128}));
  auto s16 = tflite("QUANTIZE").in<float>({2}, {1e9f, -0.25f}).declare(NK_INT16, {2},
                                                                     quant_of(0.5f, 0));
  EXPECT_EQ(s16.run<int16_t>(), (std::vector<int16_t>{32767, -1}));
}

// Every step of every type goes to a real value and back.
TEST(Quantize, RoundTripsEveryStep) {
  std::vector<int8_t> steps(256);
  for (int i = 0; i < 256; ++i) steps[static_cast<size_t>(i)] = static_cast<int8_t>(i - 128);
  auto down = tflite("DEQUANTIZE").in<int8_t>({256}, steps, quant_of(0.0371f, -17));
  const auto real = down.run<float>();
  for (int i = 0; i < 256; ++i) {
    ASSERT_EQ(real[static_cast<size_t>(i)],
              static_cast<float>(double{0.0371f} * (i - 128 + 17)));
  }
  auto up = tflite("QUANTIZE").in<float>({256}, real).declare(NK_INT8, {256},
                                                             quant_of(0.0371f, -17));
  EXPECT_EQ(up.run<int8_t>(), steps);
}

TEST(Quantize, ScalesPerAxis) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  auto up = onnx("QuantizeLinear", 13)
                .in<float>({2, 3}, x)
                .constant<float>({3}, {1, 2, 0.5f})
                .constant<uint8_t>({3}, {0, 1, 2});
  EXPECT_EQ(up.run<uint8_t>(), (std::vector<uint8_t>{1, 2, 8, 4, 3, 14}));
  auto down = onnx("DequantizeLinear", 13)
                  .in<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6})
                  .constant<float>({2}, {1, 10})
                  .constant<int8_t>({2}, {0, 4})
                  .set("axis", int64_t{0});
  EXPECT_EQ(down.run<float>(), (std::vector<float>{1, 2, 3, 0, 10, 20}));
  auto wrong = onnx("DequantizeLinear", 13).in<int8_t>({2, 3}, {1, 2, 3, 4, 5, 6}).constant<float>(
      {2}, {1, 10});
  EXPECT_NE(check::refusal(wrong), "");
  auto zero = onnx("QuantizeLinear", 13).in<float>({1}, {1}).constant<float>({}, {0});
  EXPECT_NE(check::refusal(zero), "");
}

TEST(Dequantize, Int32Bias) {
  auto bias = onnx("DequantizeLinear", 13)
                  .in<int32_t>({2}, {INT32_MIN, 1 << 20})
                  .constant<float>({}, {0.5f});
  EXPECT_EQ(bias.run<float>(), (std::vector<float>{-1073741824.0f, 524288.0f}));
}

// round(v m / 2^31) ties up in magnitude, then / 2^r ties away from zero, on exact integers.
int64_t rescaled(int64_t v, double ratio) {
  int shift = 0;
  const int64_t m = std::llround(std::frexp(ratio, &shift) * 0x1p31);
  const int left = std::max(shift, 0), right = std::max(-shift, 0);
  const int64_t product = (v << left) * m;
  const int64_t high = (product + (product >= 0 ? 1 << 30 : 1 - (1 << 30))) / (1LL << 31);
  const int64_t half = right == 0 ? 0 : int64_t{1} << (right - 1);
  return high >= 0 ? (high + half) >> right : -((-high + half) >> right);
}

template <typename From, typename To>
void check_requantize(nk_dtype to, int64_t lo, int64_t hi, int64_t zi, int64_t zo) {
  Rng rng(5);
  for (int round = 0; round < 20; ++round) {
    const float si = rng.real(0.01f, 0.2f), so = rng.real(0.01f, 0.2f);
    std::vector<From> x(100);
    for (From& v : x) v = static_cast<From>(rng.in(-30000, 30000));
    auto node = tflite("QUANTIZE").in<From>({100}, x, quant_of(si, zi)).declare(
        to, {100}, quant_of(so, zo));
    const auto y = node.template run<To>();
    ASSERT_EQ(y.size(), x.size()) << node.error();
    for (size_t i = 0; i < x.size(); ++i) {
      const int64_t want = rescaled(int64_t{x[i]} - zi, double{si} / double{so}) + zo;
      ASSERT_EQ(y[i], static_cast<To>(std::clamp(want, lo, hi)));
    }
  }
}

TEST(Requantize, EqualsAnIntegerOracle) {
  check_requantize<int8_t, int8_t>(NK_INT8, -128, 127, 3, -7);
  check_requantize<uint8_t, int8_t>(NK_INT8, -128, 127, 128, 0);
  check_requantize<int8_t, uint8_t>(NK_UINT8, 0, 255, 0, 128);
  check_requantize<int16_t, int8_t>(NK_INT8, -128, 127, 0, 5);
  check_requantize<int8_t, int16_t>(NK_INT16, -32768, 32767, 5, 0);
  check_requantize<int16_t, int16_t>(NK_INT16, -32768, 32767, 0, 0);
  check_requantize<int8_t, int32_t>(NK_INT32, INT32_MIN, INT32_MAX, 5, 0);
  check_requantize<int16_t, int32_t>(NK_INT32, INT32_MIN, INT32_MAX, 0, 0);
  check_requantize<int32_t, int8_t>(NK_INT8, -128, 127, 0, 1);
  check_requantize<int32_t, int16_t>(NK_INT16, -32768, 32767, 0, 0);
}

// ONNX numbers of the types.
constexpr int64_t kFloat = 1, kU8 = 2, kS8 = 3, kS32 = 6, kS64 = 7, kBool = 9, kHalf = 10;

TEST(Cast, Values) {
  const std::vector<float> x{-1.9f, 0.0f, 1.9f, 300.0f, NAN, kInf, -kInf};
  const auto cast = [&](int64_t to) { return onnx("Cast", 13).in<float>({7}, x).set("to", to); };
  EXPECT_EQ(cast(kS32).run<int32_t>(),
            (std::vector<int32_t>{-1, 0, 1, 300, 0, INT32_MAX, INT32_MIN}));
  EXPECT_EQ(cast(kS64).run<int64_t>(),
            (std::vector<int64_t>{-1, 0, 1, 300, 0, INT64_MAX, INT64_MIN}));
  EXPECT_EQ(cast(kU8).run<uint8_t>(), (std::vector<uint8_t>{0, 0, 1, 255, 0, 255, 0}));
  EXPECT_EQ(cast(kBool).run<uint8_t>(), (std::vector<uint8_t>{1, 0, 1, 1, 1, 1, 1}));
  auto wrap = onnx("Cast", 13).in<int64_t>({3}, {300, -1, 1LL << 32}).set("to", kS8);
  EXPECT_EQ(wrap.run<int8_t>(), (std::vector<int8_t>{44, -1, 0}));
  auto real = onnx("Cast", 13).in<uint8_t>({2}, {0, 1}, {}, NK_BOOL).set("to", kFloat);
  EXPECT_EQ(real.run<float>(), (std::vector<float>{0, 1}));
  auto text = onnx("Cast", 13).in<float>({1}, {1}).set("to", int64_t{8});
  EXPECT_NE(check::refusal(text), "");
}

TEST(Cast, DoublePrecision) {
  const std::vector<double> x{-1.9, 1e300, 3e9, 0x1p-1000, 2147483647.5};
  const auto cast = [&](int64_t to) {
    return onnx("Cast", 13).in<double>({5}, x, {}, NK_FLOAT64).set("to", to);
  };
  EXPECT_EQ(cast(kS32).run<int32_t>(), (std::vector<int32_t>{-1, INT32_MAX, INT32_MAX, 0,
                                                             INT32_MAX}));
  EXPECT_EQ(cast(kU8).run<uint8_t>(), (std::vector<uint8_t>{0, 255, 255, 0, 255}));
  EXPECT_EQ(cast(kS64).run<int64_t>(),
            (std::vector<int64_t>{-1, INT64_MAX, 3000000000, 0, 2147483647}));
  EXPECT_EQ(cast(kBool).run<uint8_t>(), (std::vector<uint8_t>{1, 1, 1, 1, 1}));
  EXPECT_EQ(cast(kFloat).run<float>(), (std::vector<float>{-1.9f, kInf, 3e9f, 0, 2147483648.0f}));
  auto up = onnx("Cast", 13).in<int64_t>({2}, {-3, 1LL << 53}).set("to", int64_t{11});
  EXPECT_EQ(up.run<double>(), (std::vector<double>{-3, 0x1p53}));
}

TEST(Cast, Unsigned64) {
  const std::vector<uint64_t> x{3, 1ull << 63, UINT64_MAX};
  const auto cast = [&](int64_t to) {
    return onnx("Cast", 13).in<uint64_t>({3}, x, {}, NK_UINT64).set("to", to);
  };
  EXPECT_EQ(cast(kFloat).run<float>(), (std::vector<float>{3, 0x1p63f, 0x1p64f}));
  EXPECT_EQ(cast(11).run<double>(), (std::vector<double>{3, 0x1p63, 0x1p64}));
  EXPECT_EQ(cast(kU8).run<uint8_t>(), (std::vector<uint8_t>{3, 0, 255}));
  auto real = onnx("Cast", 13).in<float>({4}, {-1, 0x1p63f, 1e30f, NAN}).set("to", int64_t{13});
  EXPECT_EQ(real.run<uint64_t>(), (std::vector<uint64_t>{0, 1ull << 63, UINT64_MAX, 0}));
  auto wide = onnx("Cast", 13)
                  .in<double>({3}, {-1, 0x1p63 + 0x1p12, 1e30}, {}, NK_FLOAT64)
                  .set("to", int64_t{13});
  EXPECT_EQ(wide.run<uint64_t>(), (std::vector<uint64_t>{0, (1ull << 63) + 4096, UINT64_MAX}));
}

// Every float16 to float32 and back; float32 between two float16 values rounds to even.
TEST(Cast, HalfPrecision) {
  std::vector<uint16_t> bits(65536);
  for (size_t i = 0; i < bits.size(); ++i) bits[i] = static_cast<uint16_t>(i);
  auto up = onnx("Cast", 13).in<uint16_t>({65536}, bits, {}, NK_FLOAT16).set("to", kFloat);
  const auto real = up.run<float>();
  ASSERT_EQ(real.size(), bits.size()) << up.error();
  for (size_t i = 0; i < bits.size(); ++i) {
    const int exponent = static_cast<int>(i >> 10 & 31);
    const auto mantissa = static_cast<double>(i & 1023);
    if (exponent == 31) continue;
    const double size = exponent == 0 ? std::ldexp(mantissa, -24)
                                      : std::ldexp(1024.0 + mantissa, exponent - 25);
    ASSERT_EQ(real[i], static_cast<float>(i & 0x8000 ? -size : size));
  }
  auto down = onnx("Cast", 13).in<float>({65536}, real).set("to", kHalf);
  const auto back = down.run<uint16_t>();
  for (size_t i = 0; i < bits.size(); ++i) {
    if (std::isnan(real[i])) continue;
    ASSERT_EQ(back[i], bits[i]);
  }
  auto ties = onnx("Cast", 13)
                  .in<float>({4}, {1.0f + 0x1p-11f, 1.0f + 3 * 0x1p-11f, 65519.0f, 65520.0f})
                  .set("to", kHalf);
  EXPECT_EQ(ties.run<uint16_t>(), (std::vector<uint16_t>{0x3C00, 0x3C02, 0x7BFF, 0x7C00}));
}

// Narrowing goes wrong when the first result lands on the sign byte of the second input.
TEST(QuantizeOverlap, DistancesByWidthAreTight) {
  Rng rng(6);
  int overlaps = 0;
  const auto check = [&](NodeCase node, int64_t elem_bytes) {
    node.run<uint8_t>();
    ASSERT_EQ(node.error(), "");
    EXPECT_EQ(check::check_overlaps(node.graph(), node.values(), elem_bytes, overlaps), "");
    EXPECT_EQ(overlaps, 1);
  };
  check(tflite("QUANTIZE").in<float>({90}, rng.reals(90, -1, 1)).declare(NK_INT8, {90},
                                                                       quant_of(0.01f, 0)),
        7);
  check(tflite("DEQUANTIZE").in<int8_t>({90}, rng.ints<int8_t>(90, -128, 127), quant_of(0.1f, 0)),
        4);
  check(tflite("DEQUANTIZE").in<int16_t>({90}, rng.ints<int16_t>(90, -9999, 9999),
                                         quant_of(0.1f, 0)),
        4);
  check(tflite("QUANTIZE").in<int8_t>({90}, rng.ints<int8_t>(90, -128, 127), quant_of(0.1f, 0))
            .declare(NK_INT16, {90}, quant_of(0.01f, 0)),
        2);
  check(tflite("QUANTIZE").in<int8_t>({90}, rng.ints<int8_t>(90, -128, 127), quant_of(0.1f, 0))
            .declare(NK_INT8, {90}, quant_of(0.07f, 0)),
        1);
  check(onnx("Cast", 13).in<uint8_t>({90}, rng.ints<uint8_t>(90, 0, 255)).set("to", kS64), 8);
  check(onnx("Cast", 13).in<float>({90}, rng.reals(90, -100, 100)).set("to", kS8), 7);
}

}  // namespace
}  // namespace netkit
