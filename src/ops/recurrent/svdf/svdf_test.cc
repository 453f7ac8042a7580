// SPDX-License-Identifier: MIT
// svdf against oracles: sums in double, requantisation on exact integers; the state over runs.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/inplace_check.h"
#include "ops/common/testing/int_oracle.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::quant_of;
using check::Rng;
using check::tflite;

struct SvdfShape {
  int64_t batch, input, units, rank, memory;
  int64_t filters() const { return units * rank; }
};
constexpr SvdfShape kSvdfShapes[] = {{1, 4, 3, 1, 5}, {2, 7, 2, 2, 3}, {1, 1, 1, 3, 1}};

size_t count(int64_t n) {
  return static_cast<size_t>(n);
}

template <typename T>
NodeCase node_of(const SvdfShape& s, const std::vector<T>& x, Quant quant) {
  NodeCase node = tflite("SVDF");
  node.in<T>({s.batch, s.input}, x, std::move(quant)).set("rank", s.rank);
  return node;
}

TEST(Svdf, FloatIsNearADoubleOracle) {
  Rng rng(1);
  for (const SvdfShape& s : kSvdfShapes) {
    const auto x = rng.reals(count(s.batch * s.input), -1, 1);
    const auto feature = rng.reals(count(s.filters() * s.input), -1, 1);
    const auto time = rng.reals(count(s.filters() * s.memory), -1, 1);
    const auto bias = rng.reals(count(s.units), -1, 1);
    const auto state = rng.reals(count(s.batch * s.filters() * s.memory), -1, 1);
    NodeCase node = node_of<float>(s, x, {});
    node.constant<float>({s.filters(), s.input}, feature);
    node.constant<float>({s.filters(), s.memory}, time).constant<float>({s.units}, bias);
    node.in<float>({s.batch, s.filters() * s.memory}, state);
    node.set("fused_activation_function", std::string("RELU"));
    const auto y = node.run<float>();
    ASSERT_EQ(y.size(), count(s.batch * s.units)) << node.error();
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t u = 0; u < s.units; ++u) {
        double sum = bias[count(u)];
        for (int64_t k = 0; k < s.rank; ++k) {
          const int64_t f = u * s.rank + k;
          double fresh = 0;
          for (int64_t i = 0; i < s.input; ++i) {
            fresh += double{x[count(b * s.input + i)]} * feature[count(f * s.input + i)];
          }
          for (int64_t m = 0; m < s.memory; ++m) {
            const double held =
                m + 1 < s.memory ? state[count((b * s.filters() + f) * s.memory + m + 1)] : fresh;
            sum += held * time[count(f * s.memory + m)];
          }
        }
        ASSERT_NEAR(y[count(b * s.units + u)], std::max(sum, 0.0), 1e-5);
      }
    }
  }
}

// The multiplier of a real number as TensorFlow Lite prepares it.
int64_t scaled(int64_t sum, double real, int32_t zero, int32_t lo, int32_t hi) {
  int shift = 0;
  const double mantissa = std::frexp(real, &shift);
  return check::oracle_requantize(sum, static_cast<int32_t>(std::llround(mantissa * 0x1p31)), shift,
                                  zero, lo, hi);
}

template <typename State>
void check_integer(int64_t state_zero) {
  Rng rng(2);
  const float sx = 0.05f, sf = 0.02f, ss = sizeof(State) == 1 ? 0.08f : 0.001f, st = 0.01f,
              sy = sizeof(State) == 1 ? 0.5f : 0.02f;
  constexpr int32_t kLo = std::numeric_limits<State>::min(),
                    kHi = std::numeric_limits<State>::max();
  for (const SvdfShape& s : kSvdfShapes) {
    const auto x = rng.ints<int8_t>(count(s.batch * s.input), -128, 127);
    const auto feature = rng.ints<int8_t>(count(s.filters() * s.input), -127, 127);
    const auto time = rng.ints<State>(count(s.filters() * s.memory), kLo / 4, kHi / 4);
    const auto bias = rng.ints<int32_t>(count(s.units), -500, 500);
    const auto state = rng.ints<State>(count(s.batch * s.filters() * s.memory), kLo / 4, kHi / 4);
    NodeCase node = node_of<int8_t>(s, x, quant_of(sx, -3));
    node.constant<int8_t>({s.filters(), s.input}, feature, quant_of(sf, 0));
    node.constant<State>({s.filters(), s.memory}, time, quant_of(st, 0));
    node.constant<int32_t>({s.units}, bias);
    node.in<State>({s.batch, s.filters() * s.memory}, state, quant_of(ss, state_zero));
    node.declare(NK_INT8, {s.batch, s.units}, quant_of(sy, 5));
    const auto y = node.run<int8_t>();
    ASSERT_EQ(y.size(), count(s.batch * s.units)) << node.error();
    for (int64_t b = 0; b < s.batch; ++b) {
      for (int64_t u = 0; u < s.units; ++u) {
        int64_t sum = bias[count(u)];
        for (int64_t f = u * s.rank; f < (u + 1) * s.rank; ++f) {
          int64_t fresh = 0;
          for (int64_t i = 0; i < s.input; ++i) {
            fresh += int64_t{x[count(b * s.input + i)] + 3} * feature[count(f * s.input + i)];
          }
          fresh = scaled(fresh, double{sx * sf / ss}, static_cast<int32_t>(state_zero), kLo, kHi);
          for (int64_t m = 0; m < s.memory; ++m) {
            const int64_t held =
                m + 1 < s.memory ? state[count((b * s.filters() + f) * s.memory + m + 1)] : fresh;
            sum += (held - state_zero) * time[count(f * s.memory + m)];
          }
        }
        ASSERT_EQ(y[count(b * s.units + u)], scaled(sum, double{ss * st / sy}, 5, -128, 127));
      }
    }
  }
}

TEST(Svdf, IntegersEqualAnIndependentOracle) {
  check_integer<int16_t>(0);
  check_integer<int8_t>(0);
  check_integer<int8_t>(-4);
}

TEST(Svdf, RefusesWhatDoesNotFit) {
  NodeCase node = node_of<float>({1, 2, 1, 2, 2}, {1, 2}, {});
  node.constant<float>({3, 2}, {1, 2, 3, 4, 5, 6}).constant<float>({3, 2}, {1, 2, 3, 4, 5, 6});
  node.absent().in<float>({1, 6}, {0, 0, 0, 0, 0, 0});
  EXPECT_NE(check::refusal(node).find("rank 2"), std::string::npos);
}

}  // namespace
}  // namespace netkit
