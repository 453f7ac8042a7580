// SPDX-License-Identifier: MIT
// Recurrences against oracles in double: ONNX's equations, both directions, layouts, states.
#include "ops/recurrent/recurrent.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::Rng;

using Values = std::vector<float>;

double logistic(double x) {
  return 1.0 / (1.0 + std::exp(-x));
}

// Sizes and values of one direction; `at(t, b)` is the row of x.
struct Sequence {
  size_t steps, batch, input, hidden;
  Values x, w, r, bias, h, c;
  std::array<double, 3> clip{};

  double product(size_t row, size_t t, size_t b, const std::vector<double>& state) const {
    double sum = 0;
    for (size_t i = 0; i < input; ++i) {
      sum += double{w[row * input + i]} * x[(t * batch + b) * input + i];
    }
    return sum + recurrent(row, state);
  }
  double recurrent(size_t row, const std::vector<double>& state) const {
    double sum = 0;
    for (size_t i = 0; i < hidden; ++i) sum += double{r[row * hidden + i]} * state[i];
    return sum;
  }
};

Sequence sequence_of(Rng& rng, size_t gates) {
  const auto size = [&rng](int hi) { return static_cast<size_t>(rng.in(1, hi)); };
  Sequence s{size(5), size(3), size(4), size(5), {}, {}, {}, {}, {}, {}, {}};
  s.x = rng.reals(s.steps * s.batch * s.input, -1, 1);
  s.w = rng.reals(gates * s.hidden * s.input, -1, 1);
  s.r = rng.reals(gates * s.hidden * s.hidden, -1, 1);
  s.bias = rng.reals(2 * gates * s.hidden, -1, 1);
  s.h = rng.reals(s.batch * s.hidden, -1, 1);
  s.c = rng.reals(s.batch * s.hidden, -1, 1);
  return s;
}

Dims dims(std::initializer_list<size_t> sizes) {
  return Dims(sizes.begin(), sizes.end());
}

// A node with all of `s` as its inputs; `constants`: the weights are constants.
NodeCase node_of(const Sequence& s, const char* op, size_t gates, bool constants, bool lstm) {
  NodeCase node = onnx(op, 14);
  const Dims w = dims({1, gates * s.hidden, s.input}), r = dims({1, gates * s.hidden, s.hidden});
  const Dims bias = dims({1, 2 * gates * s.hidden}), state = dims({1, s.batch, s.hidden});
  node.in<float>(dims({s.steps, s.batch, s.input}), s.x);
  if (constants) {
    node.constant<float>(w, s.w).constant<float>(r, s.r).constant<float>(bias, s.bias);
  } else {
    node.in<float>(w, s.w).in<float>(r, s.r).in<float>(bias, s.bias);
  }
  node.absent().in<float>(state, s.h);
  if (lstm) node.in<float>(state, s.c);
  node.set("hidden_size", static_cast<int64_t>(s.hidden)).outputs(lstm ? 3 : 2);
  return node;
}

struct Wanted {
  std::vector<double> y, h, c;  // y in the order of the steps of x
};

using Cell = std::vector<double> (*)(const Sequence& s, size_t t, size_t b,
                                     const std::vector<double>& h, std::vector<double>& c);

Wanted unrolled(const Sequence& s, Cell cell, bool reverse) {
  Wanted out{std::vector<double>(s.steps * s.batch * s.hidden), {}, {}};
  for (size_t b = 0; b < s.batch; ++b) {
    const auto begin = static_cast<ptrdiff_t>(b * s.hidden);
    const auto end = begin + static_cast<ptrdiff_t>(s.hidden);
    std::vector<double> h(s.h.begin() + begin, s.h.begin() + end);
    std::vector<double> c(s.c.begin() + begin, s.c.begin() + end);
    for (size_t i = 0; i < s.steps; ++i) {
      const size_t t = reverse ? s.steps - 1 - i : i;
      h = cell(s, t, b, h, c);
      std::ranges::copy(h, out.y.begin() + static_cast<ptrdiff_t>((t * s.batch + b) * s.hidden));
    }
    out.h.insert(out.h.end(), h.begin(), h.end());
    out.c.insert(out.c.end(), c.begin(), c.end());
  }
  return out;
}

std::vector<double> lstm_cell(const Sequence& s, size_t t, size_t b, const std::vector<double>& h,
                              std::vector<double>& c) {
  const size_t n = s.hidden;
  std::vector<double> out(n);
  const auto gate = [&](size_t g, size_t j) {
    return s.product(g * n + j, t, b, h) + s.bias[g * n + j] + s.bias[4 * n + g * n + j];
  };
  for (size_t j = 0; j < n; ++j) {
    c[j] = logistic(gate(2, j)) * c[j] + logistic(gate(0, j)) * std::tanh(gate(3, j));
    out[j] = logistic(gate(1, j)) * std::tanh(c[j]);
  }
  return out;
}

template <bool kLinear>
std::vector<double> gru_cell(const Sequence& s, size_t t, size_t b, const std::vector<double>& h,
                             std::vector<double>&) {
  const size_t n = s.hidden;
  const auto both = [&](size_t row) { return double{s.bias[row]} + s.bias[3 * n + row]; };
  std::vector<double> z(n), reset(n), scaled(n), out(n);
  for (size_t j = 0; j < n; ++j) {
    z[j] = logistic(s.product(j, t, b, h) + both(j));
    reset[j] = logistic(s.product(n + j, t, b, h) + both(n + j));
    scaled[j] = reset[j] * h[j];
  }
  for (size_t j = 0; j < n; ++j) {
    const size_t row = 2 * n + j;
    const std::vector<double> none(n, 0.0);
    const double sum = kLinear ? s.product(row, t, b, none) + s.bias[row] +
                                     reset[j] * (s.recurrent(row, h) + s.bias[3 * n + row])
                               : s.product(row, t, b, scaled) + both(row);
    out[j] = (1 - z[j]) * std::tanh(sum) + z[j] * h[j];
  }
  return out;
}

std::vector<double> rnn_cell(const Sequence& s, size_t t, size_t b, const std::vector<double>& h,
                             std::vector<double>&) {
  std::vector<double> out(s.hidden);
  for (size_t j = 0; j < s.hidden; ++j) {
    out[j] = std::tanh(s.product(j, t, b, h) + s.bias[j] + s.bias[s.hidden + j]);
  }
  return out;
}

void expect_near(const Values& got, const std::vector<double>& want, const std::string& what) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], 2e-5) << what << " " << i;
}

struct Form {
  const char* op;
  size_t gates;
  Cell cell;
  bool linear;
};
constexpr Form kForms[] = {{"LSTM", 4, lstm_cell, false},
                           {"GRU", 3, gru_cell<false>, false},
                           {"GRU", 3, gru_cell<true>, true},
                           {"RNN", 1, rnn_cell, false}};

TEST(Recurrent, EveryCellInBothDirections) {
  Rng rng(1);
  for (const Form& form : kForms) {
    for (int round = 0; round < 20; ++round) {
      const Sequence s = sequence_of(rng, form.gates);
      const bool reverse = round % 2 == 1, lstm = form.gates == 4;
      NodeCase node = node_of(s, form.op, form.gates, round % 4 < 2, lstm);
      if (reverse) node.set("direction", std::string("reverse"));
      if (form.linear) node.set("linear_before_reset", int64_t{1});
      const Wanted want = unrolled(s, form.cell, reverse);
      const std::string what = std::string(form.op) + " round " + std::to_string(round);
      expect_near(node.run<float>(0), want.y, what + node.error());
      EXPECT_EQ(node.dims, dims({s.steps, 1, s.batch, s.hidden}));
      expect_near(node.run<float>(1), want.h, what + " h");
      EXPECT_EQ(node.dims, dims({1, s.batch, s.hidden}));
      if (lstm) expect_near(node.run<float>(2), want.c, what + " c");
    }
  }
}

// Two directions at once, batches first: what each direction gives by itself.
TEST(Recurrent, BidirectionalAndBatchFirst) {
  Rng rng(2);
  const size_t steps = 3, batch = 2, input = 3, hidden = 4;
  const Values x = rng.reals(batch * steps * input, -1, 1);
  const Values w = rng.reals(2 * 16 * input, -1, 1), r = rng.reals(2 * 16 * hidden, -1, 1);
  NodeCase both = onnx("LSTM", 14)
                      .in<float>({2, 3, 3}, x)
                      .constant<float>({2, 16, 3}, w)
                      .constant<float>({2, 16, 4}, r)
                      .set("layout", int64_t{1})
                      .set("direction", std::string("bidirectional"))
                      .outputs(2);
  const Values y = both.run<float>(0), h = both.run<float>(1);
  ASSERT_EQ(y.size(), batch * steps * 2 * hidden) << both.error();
  EXPECT_EQ(both.dims, (Dims{2, 2, 4}));
  for (size_t d = 0; d < 2; ++d) {
    Sequence s{steps, batch, input, hidden, {}, {}, {}, Values(32), Values(8), Values(8), {}};
    for (size_t t = 0; t < steps; ++t) {
      for (size_t b = 0; b < batch; ++b) {
        const auto at = x.begin() + static_cast<ptrdiff_t>((b * steps + t) * input);
        s.x.insert(s.x.end(), at, at + input);
      }
    }
    s.w.assign(w.begin() + static_cast<ptrdiff_t>(d * 48), w.begin() + 48 + 48 * d);
    s.r.assign(r.begin() + static_cast<ptrdiff_t>(d * 64), r.begin() + 64 + 64 * d);
    const Wanted want = unrolled(s, lstm_cell, d == 1);
    for (size_t b = 0; b < batch; ++b) {
      for (size_t j = 0; j < hidden; ++j) {
        for (size_t t = 0; t < steps; ++t) {
          ASSERT_NEAR(y[((b * steps + t) * 2 + d) * hidden + j],
                      want.y[(t * batch + b) * hidden + j], 2e-5);
        }
        ASSERT_NEAR(h[(b * 2 + d) * hidden + j], want.h[b * hidden + j], 2e-5);
      }
    }
  }
}

// Two halves, the second from the states of the first, give the very bytes of the whole.
TEST(Recurrent, HalvesEqualTheWhole) {
  Rng rng(3);
  Sequence s = sequence_of(rng, 4);
  while (s.steps != 4 || s.batch != 2) s = sequence_of(rng, 4);
  NodeCase whole = node_of(s, "LSTM", 4, true, true);
  const Values y = whole.run<float>(0), h = whole.run<float>(1), c = whole.run<float>(2);
  const auto half = static_cast<ptrdiff_t>(s.x.size() / 2);
  Sequence first = s, second = s;
  first.steps = second.steps = 2;
  first.x.assign(s.x.begin(), s.x.begin() + half);
  second.x.assign(s.x.begin() + half, s.x.end());
  NodeCase one = node_of(first, "LSTM", 4, true, true);
  Values joined = one.run<float>(0);
  second.h = one.run<float>(1);
  second.c = one.run<float>(2);
  NodeCase two = node_of(second, "LSTM", 4, true, true);
  const Values rest = two.run<float>(0);
  joined.insert(joined.end(), rest.begin(), rest.end());
  EXPECT_EQ(joined, y);
  EXPECT_EQ(two.run<float>(1), h);
  EXPECT_EQ(two.run<float>(2), c);
}

// One unit, one step, weights 1, no bias: h = 0; every activation by its own equation.
TEST(Recurrent, Activations) {
  const struct {
    const char* name;
    double alpha, beta;
    double (*f)(double x, double a, double b);
  } kRows[] = {
      {"Sigmoid", 0, 0, [](double x, double, double) { return logistic(x); }},
      {"Tanh", 0, 0, [](double x, double, double) { return std::tanh(x); }},
      {"Relu", 0, 0, [](double x, double, double) { return std::max(x, 0.0); }},
      {"LeakyRelu", 0.3, 0, [](double x, double a, double) { return x < 0 ? a * x : x; }},
      {"ThresholdedRelu", 0.5, 0, [](double x, double a, double) { return x > a ? x : 0.0; }},
      {"ScaledTanh", 0.7, 1.5, [](double x, double a, double b) { return a * std::tanh(b * x); }},
      {"HardSigmoid", 0.3, 0.4,
       [](double x, double a, double b) { return std::clamp(a * x + b, 0.0, 1.0); }},
      {"Affine", 0.5, 0.25, [](double x, double a, double b) { return a * x + b; }},
      {"Elu", 0.5, 0, [](double x, double a, double) { return x < 0 ? a * std::expm1(x) : x; }},
      {"Softsign", 0, 0, [](double x, double, double) { return x / (1 + std::abs(x)); }},
      {"Softplus", 0, 0, [](double x, double, double) { return std::log1p(std::exp(x)); }}};
  for (const auto& row : kRows) {
    for (const float x : {-1.5f, -0.25f, 0.5f, 0.75f, 2.0f}) {
      NodeCase node = onnx("RNN", 14)
                          .in<float>({1, 1, 1}, {x})
                          .constant<float>({1, 1, 1}, {1.0f})
                          .constant<float>({1, 1, 1}, {1.0f})
                          .set("activations", std::vector<std::string>{row.name});
      if (row.alpha != 0) node.set("activation_alpha", std::vector<double>{row.alpha});
      if (row.beta != 0) node.set("activation_beta", std::vector<double>{row.beta});
      const Values y = node.run<float>();
      ASSERT_EQ(y.size(), 1u) << row.name << node.error();
      ASSERT_NEAR(y[0], row.f(x, row.alpha, row.beta), 1e-6) << row.name << " of " << x;
    }
  }
}

TEST(Recurrent, PeepholesClipAndCoupledGates) {
  const float x = 0.5f, c = 0.8f;
  const Values peephole{0.3f, -0.7f, 0.9f};  // input, output, forget
  NodeCase node = onnx("LSTM", 14)
                      .in<float>({1, 1, 1}, {x})
                      .constant<float>({1, 4, 1}, {0.5f, 1.5f, -0.5f, 3.0f})
                      .constant<float>({1, 4, 1}, {0, 0, 0, 0})
                      .absent()
                      .absent()
                      .constant<float>({1, 1, 1}, {0.0f})
                      .constant<float>({1, 1, 1}, {c})
                      .constant<float>({1, 3}, peephole)
                      .set("clip", 1.0)
                      .set("input_forget", int64_t{1})
                      .outputs(3);
  const Values h = node.run<float>(1), cell = node.run<float>(2);
  ASSERT_EQ(cell.size(), 1u) << node.error();
  const double input = logistic(0.25 + double{0.3f} * c);
  const double fresh = std::tanh(1.0);  // 1.5 is clipped
  const double wanted = (1 - input) * c + input * fresh;
  EXPECT_NEAR(cell[0], wanted, 1e-6);
  EXPECT_NEAR(h[0], logistic(0.75 - double{0.7f} * wanted) * std::tanh(wanted), 1e-6);
}

NodeCase small(const char* op) {
  return onnx(op, 14)
      .in<float>({2, 1, 1}, {1, 2})
      .constant<float>({1, 4, 1}, {1, 1, 1, 1})
      .constant<float>({1, 4, 1}, {1, 1, 1, 1});
}

TEST(Recurrent, RefusesWhatItCannotTell) {
  NodeCase hidden = small("LSTM").set("hidden_size", int64_t{3});
  EXPECT_NE(check::refusal(hidden).find("hidden_size"), std::string::npos);
  NodeCase direction = small("LSTM").set("direction", std::string("sideways"));
  EXPECT_NE(check::refusal(direction).find("direction"), std::string::npos);
  NodeCase activation =
      small("LSTM").set("activations", std::vector<std::string>{"Sigmoid", "Tanh", "Cosh"});
  EXPECT_NE(check::refusal(activation).find("Cosh"), std::string::npos);
  NodeCase gates = small("GRU");
  EXPECT_NE(check::refusal(gates), "");
  NodeCase lengths = small("LSTM").absent().constant<int32_t>({1}, {1});
  EXPECT_NE(check::refusal(lengths).find("sequence_lens"), std::string::npos);
  NodeCase full = small("LSTM").absent().constant<int32_t>({1}, {2});
  EXPECT_EQ(full.run<float>().size(), 2u) << full.error();
}

}  // namespace
}  // namespace netkit
