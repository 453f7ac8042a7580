// SPDX-License-Identifier: MIT
// The integer LSTM: its gates' functions against the real ones, whole sequences against an LSTM in
// double on the real values, states, refusals.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/inplace_check.h"
#include "ops/recurrent/s8/fixed_gates.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::quant_of;
using check::Rng;
using check::tflite;

TEST(FixedGates, AreNearTheRealFunctions) {
  for (int x = INT16_MIN; x <= INT16_MAX; ++x) {
    const auto raw = static_cast<int16_t>(x);
    const double real_logistic = 1.0 / (1.0 + std::exp(-x / 4096.0));
    ASSERT_NEAR(nk_logistic_q12(raw) / 32768.0, real_logistic, 3e-4) << x;
    for (int bits = 0; bits <= 4; ++bits) {
      const double real = std::tanh(std::ldexp(x, bits - 15));
      ASSERT_NEAR(nk_tanh_q15(raw, bits) / 32768.0, real, 5e-4) << x << " of Q" << bits;
    }
  }
}

TEST(FixedGates, TangentIsOdd) {
  for (int x = -32767; x <= INT16_MAX; ++x) {
    const int16_t y = nk_tanh_q15(static_cast<int16_t>(x), 3);
    ASSERT_EQ(y, -nk_tanh_q15(static_cast<int16_t>(-x), 3)) << x;
  }
}

struct Net {
  size_t steps = 6, batch = 2, input = 5, hidden = 4;
  float x_scale = 0.02f, w_scale = 0.01f, r_scale = 0.008f, h_scale = 1.0f / 128;
  int64_t x_zero = -5, h_zero = -1;
  std::vector<int8_t> x, w, r, h;  // gates in TFLite's order: input, forget, cell, output
  std::vector<int32_t> bias;
  std::vector<int16_t> c;
};

Net net_of(uint64_t seed) {
  Rng rng(seed);
  Net n;
  n.x = rng.ints<int8_t>(n.steps * n.batch * n.input, -128, 127);
  n.w = rng.ints<int8_t>(4 * n.hidden * n.input, -127, 127);
  n.r = rng.ints<int8_t>(4 * n.hidden * n.hidden, -127, 127);
  n.bias = rng.ints<int32_t>(4 * n.hidden, -3000, 3000);
  n.h = rng.ints<int8_t>(n.batch * n.hidden, -100, 100);
  n.c = rng.ints<int16_t>(n.batch * n.hidden, -4000, 4000);
  return n;
}

template <typename T>
std::vector<T> quarter(const std::vector<T>& all, size_t i) {
  const size_t size = all.size() / 4;
  const auto begin = all.begin() + static_cast<ptrdiff_t>(i * size);
  return {begin, begin + static_cast<ptrdiff_t>(size)};
}

NodeCase node_of(const Net& n) {
  NodeCase node = tflite("UNIDIRECTIONAL_SEQUENCE_LSTM");
  const auto i64 = [](size_t v) { return static_cast<int64_t>(v); };
  const Dims state{i64(n.batch), i64(n.hidden)};
  node.in<int8_t>({i64(n.steps), i64(n.batch), i64(n.input)}, n.x, quant_of(n.x_scale, n.x_zero));
  for (size_t g = 0; g < 4; ++g) {
    node.constant<int8_t>({i64(n.hidden), i64(n.input)}, quarter(n.w, g), quant_of(n.w_scale, 0));
  }
  for (size_t g = 0; g < 4; ++g) {
    node.constant<int8_t>({i64(n.hidden), i64(n.hidden)}, quarter(n.r, g), quant_of(n.r_scale, 0));
  }
  node.absent().absent().absent();
  for (size_t g = 0; g < 4; ++g) node.constant<int32_t>({i64(n.hidden)}, quarter(n.bias, g));
  node.absent().absent();
  node.in<int8_t>(state, n.h, quant_of(n.h_scale, n.h_zero));
  node.in<int16_t>(state, n.c, quant_of(0x1p-11f, 0));
  return node.set("time_major", int64_t{1}).set("fused_activation_function", std::string("TANH"));
}

double real_logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

// The same network on real values; one row of the batch.
std::vector<double> real_outputs(const Net& n, size_t b) {
  std::vector<double> h(n.hidden), c(n.hidden), y;
  for (size_t j = 0; j < n.hidden; ++j) {
    h[j] = static_cast<double>(n.h[b * n.hidden + j] - n.h_zero) * n.h_scale;
    c[j] = std::ldexp(n.c[b * n.hidden + j], -11);
  }
  for (size_t t = 0; t < n.steps; ++t) {
    std::vector<double> next(n.hidden);
    for (size_t j = 0; j < n.hidden; ++j) {
      double gate[4];
      for (size_t g = 0; g < 4; ++g) {
        const size_t row = g * n.hidden + j;
        gate[g] = n.bias[row] * double{n.x_scale} * n.w_scale;
        for (size_t i = 0; i < n.input; ++i) {
          gate[g] += static_cast<double>(n.x[(t * n.batch + b) * n.input + i] - n.x_zero) *
                     n.x_scale * n.w[row * n.input + i] * n.w_scale;
        }
        for (size_t i = 0; i < n.hidden; ++i) {
          gate[g] += h[i] * n.r[row * n.hidden + i] * n.r_scale;
        }
      }
      c[j] = real_logistic(gate[1]) * c[j] + real_logistic(gate[0]) * std::tanh(gate[2]);
      next[j] = real_logistic(gate[3]) * std::tanh(c[j]);
    }
    h = next;
    y.insert(y.end(), h.begin(), h.end());
  }
  return y;
}

TEST(LstmInteger, FollowsTheRealNetwork) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const Net n = net_of(seed);
    NodeCase node = node_of(n);
    const auto y = node.run<int8_t>();
    ASSERT_EQ(y.size(), n.steps * n.batch * n.hidden) << node.error();
    for (size_t b = 0; b < n.batch; ++b) {
      const std::vector<double> want = real_outputs(n, b);
      for (size_t t = 0; t < n.steps; ++t) {
        for (size_t j = 0; j < n.hidden; ++j) {
          const int got = y[(t * n.batch + b) * n.hidden + j];
          ASSERT_NEAR((got - n.h_zero) * double{n.h_scale}, want[t * n.hidden + j], 3.5 * n.h_scale)
              << "seed " << seed << " step " << t;
        }
      }
    }
  }
}

TEST(LstmInteger, RefusesWhatItCannotCompute) {
  const Net n = net_of(1);
  NodeCase activation = node_of(n).set("fused_activation_function", std::string("RELU"));
  EXPECT_NE(check::refusal(activation).find("tanh"), std::string::npos);
  NodeCase basic = node_of(n).set("kernel_type", std::string("BASIC"));
  EXPECT_NE(check::refusal(basic).find("basic"), std::string::npos);
}

}  // namespace
}  // namespace netkit
