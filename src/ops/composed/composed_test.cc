// SPDX-License-Identifier: MIT
// Operators that are made of others, against their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <numbers>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::Rng;

void expect_near(const std::vector<float>& got, const std::vector<double>& want,
                 const std::string& what, double tolerance = 1e-5) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (size_t i = 0; i < want.size(); ++i) {
    ASSERT_NEAR(got[i], want[i], tolerance * (1 + std::abs(want[i]))) << what << " at " << i;
  }
}

struct EinsumCase {
  std::string equation;
  std::vector<Dims> operands;
  Dims result;
};

// All labels of an equation, each counted through its size; the product of the operands goes to the
// place of the output.
std::vector<double> einsum(const EinsumCase& c, const std::string& letters, const Dims& sizes,
                           const std::vector<std::string>& terms,
                           const std::vector<std::vector<float>>& values) {
  const auto size_of = [&](char l) { return sizes[letters.find(l)]; };
  std::vector<int64_t> index(letters.size(), 0);
  const auto place = [&](const std::string& term) {
    int64_t at = 0;
    for (const char l : term) at = at * size_of(l) + index[letters.find(l)];
    return static_cast<size_t>(at);
  };
  int64_t cells = 1;
  for (const int64_t n : c.result) cells *= n;
  std::vector<double> out(static_cast<size_t>(cells), 0.0);
  for (;;) {
    double product = 1;
    for (size_t k = 0; k < values.size(); ++k) product *= double{values[k][place(terms[k])]};
    out[place(terms.back())] += product;
    size_t axis = letters.size();
    while (axis > 0 && ++index[axis - 1] == sizes[axis - 1]) index[--axis] = 0;
    if (axis == 0) return out;
  }
}

TEST(Einsum, EqualsItsSum) {
  const std::tuple<EinsumCase, std::string, Dims, std::vector<std::string>> cases[] = {
      {{"ij->ji", {{2, 3}}, {3, 2}}, "ij", {2, 3}, {"ij", "ji"}},
      {{"b i i -> b i", {{2, 3, 3}}, {2, 3}}, "bi", {2, 3}, {"bii", "bi"}},
      {{"ii", {{3, 3}}, {}}, "i", {3}, {"ii", ""}},
      {{"ij,jk->ik", {{2, 3}, {3, 4}}, {2, 4}}, "ijk", {2, 3, 4}, {"ij", "jk", "ik"}},
      {{"jk,ij", {{3, 4}, {2, 3}}, {2, 4}}, "ijk", {2, 3, 4}, {"jk", "ij", "ik"}},
      {{"bhid,bhjd->bhij", {{2, 2, 3, 4}, {2, 2, 5, 4}}, {2, 2, 3, 5}},
       "bhijd",
       {2, 2, 3, 5, 4},
       {"bhid", "bhjd", "bhij"}},
      {{"i,j->ij", {{2}, {3}}, {2, 3}}, "ij", {2, 3}, {"i", "j", "ij"}},
      {{"ijk,jl,k->li", {{2, 3, 4}, {3, 5}, {4}}, {5, 2}},
       "ijkl",
       {2, 3, 4, 5},
       {"ijk", "jl", "k", "li"}},
      {{"...ij,...jk->...ik", {{2, 2, 3}, {2, 3, 4}}, {2, 2, 4}},
       "aijk",
       {2, 2, 3, 4},
       {"aij", "ajk", "aik"}},
      {{"i...->...", {{2, 3, 4}}, {3, 4}}, "iab", {2, 3, 4}, {"iab", "ab"}},
  };
  Rng rng(1);
  for (const auto& [c, letters, sizes, terms] : cases) {
    NodeCase node = onnx("Einsum", 12).set("equation", c.equation);
    std::vector<std::vector<float>> values;
    for (const Dims& dims : c.operands) {
      size_t count = 1;
      for (const int64_t n : dims) count *= static_cast<size_t>(n);
      values.push_back(rng.reals(count, -1, 1));
      node.in<float>(dims, values.back());
    }
    const auto got = node.run<float>();
    ASSERT_EQ(node.error(), "") << c.equation;
    ASSERT_EQ(node.dims, c.result) << c.equation;
    expect_near(got, einsum(c, letters, sizes, terms, values), c.equation);
  }
}

TEST(Einsum, RefusesWhatDoesNotFit) {
  for (const std::string equation : {"ij,jk->ik", "ij->iij", "i->i", "ij->ik", "i1->i", ""}) {
    NodeCase node =
        onnx("Einsum", 12).in<float>({2, 3}, std::vector<float>(6)).set("equation", equation);
    EXPECT_NE(check::refusal(node), "") << equation;
  }
}

TEST(Signal, WindowsAreConstants) {
  const auto window = [](const char* op, int64_t periodic) {
    return onnx(op, 17).constant<int32_t>({}, {4}).set("periodic", periodic).run<float>();
  };
  expect_near(window("HannWindow", 1), {0, 0.5, 1, 0.5}, "hann");
  expect_near(window("HannWindow", 0), {0, 0.75, 0.75, 0}, "hann, symmetric");
  const double a = 25.0 / 46.0;
  expect_near(window("HammingWindow", 1), {2 * a - 1, a, 1, a}, "hamming");
  expect_near(window("BlackmanWindow", 1), {0, 0.34, 1, 0.34}, "blackman");
  NodeCase dynamic = onnx("HannWindow", 17).in<int32_t>({}, {4});
  EXPECT_NE(check::refusal(dynamic), "");
}

// DFT of one axis of [2, n, 3, parts], by the sum that defines it.
TEST(Signal, TransformsOfEveryForm) {
  Rng rng(2);
  for (const int64_t parts : {1, 2}) {
    for (const int64_t length : {6, 5, 9}) {
      for (const bool inverse : {false, true}) {
        const bool onesided = parts == 1 && !inverse;
        const int64_t n = 6, bins = onesided ? length / 2 + 1 : length;
        const auto x = rng.reals(static_cast<size_t>(2 * n * 3 * parts), -1, 1);
        NodeCase node = onnx("DFT", 17)
                            .in<float>({2, n, 3, parts}, x)
                            .constant<int64_t>({}, {length})
                            .set("axis", int64_t{1})
                            .set("inverse", int64_t{inverse})
                            .set("onesided", int64_t{onesided});
        const auto got = node.run<float>();
        ASSERT_EQ(node.dims, (Dims{2, bins, 3, 2})) << node.error();
        std::vector<double> want;
        for (int64_t i = 0; i < 2 * bins * 3; ++i) {
          const int64_t b = i / (bins * 3), k = i / 3 % bins, c = i % 3;
          std::complex<double> sum = 0;
          for (int64_t t = 0; t < std::min(n, length); ++t) {
            const auto at = static_cast<size_t>(((b * n + t) * 3 + c) * parts);
            const std::complex<double> value(x[at], parts == 2 ? x[at + 1] : 0.0f);
            const double angle = 2 * std::numbers::pi * static_cast<double>(k * t) /
                                 static_cast<double>(length) * (inverse ? 1 : -1);
            sum += value * std::polar(1.0, angle);
          }
          if (inverse) sum /= static_cast<double>(length);
          want.insert(want.end(), {sum.real(), sum.imag()});
        }
        expect_near(got, want, "dft");
      }
    }
  }
}

// TFLite's: rows and columns of a real signal, cropped (the row) or filled with zeros (the column).
TEST(Signal, RealTransformOfTwoAxes) {
  Rng rng(3);
  const int64_t h = 3, w = 6, rows = 4, columns = 5;
  const auto x = rng.reals(static_cast<size_t>(2 * h * w), -1, 1);
  NodeCase node = check::tflite("RFFT2D").in<float>({2, h, w}, x).constant<int32_t>(
      {2}, {rows, columns});
  const auto got = node.run<float>();
  ASSERT_EQ(node.dims, (Dims{2, rows, columns / 2 + 1, 2})) << node.error();
  std::vector<double> want;
  for (int64_t i = 0; i < 2 * rows * (columns / 2 + 1); ++i) {
    const int64_t k = i % (columns / 2 + 1), r = i / (columns / 2 + 1) % rows;
    const int64_t b = i / (columns / 2 + 1) / rows;
    std::complex<double> sum = 0;
    for (int64_t t = 0; t < h * columns; ++t) {
      const auto at = static_cast<size_t>((b * h + t / columns) * w + t % columns);
      const double turns = static_cast<double>(r * (t / columns)) / static_cast<double>(rows) +
                           static_cast<double>(k * (t % columns)) / static_cast<double>(columns);
      sum += double{x[at]} * std::polar(1.0, -2 * std::numbers::pi * turns);
    }
    want.insert(want.end(), {sum.real(), sum.imag()});
  }
  expect_near(got, want, "rfft2d");
}

TEST(Signal, FramesAreWeighedAndTransformed) {
  NodeCase node = onnx("STFT", 17)
                      .in<float>({1, 8, 1}, {0, 1, 2, 3, 4, 5, 6, 7})
                      .constant<int64_t>({}, {2})
                      .constant<float>({4}, {0, 1, 2, 1});
  const auto got = node.run<float>();
  ASSERT_EQ(node.dims, (Dims{1, 3, 3, 2})) << node.error();
  std::vector<double> want;
  for (int f = 0; f < 3; ++f) {
    const double a = 2 * f + 1, b = 2 * (2 * f + 2), c = 2 * f + 3;
    want.insert(want.end(), {a + b + c, 0, -b, c - a, b - a - c, 0});
  }
  expect_near(got, want, "stft");
}

TEST(Signal, MelTrianglesPeakAtOne) {
  NodeCase node = onnx("MelWeightMatrix", 17)
                      .constant<int64_t>({}, {4})
                      .constant<int64_t>({}, {64})
                      .constant<int64_t>({}, {8000})
                      .constant<float>({}, {0})
                      .constant<float>({}, {4000});
  const auto y = node.run<float>();
  ASSERT_EQ(node.dims, (Dims{33, 4})) << node.error();
  for (size_t m = 0; m < 4; ++m) {
    float most = 0;
    for (size_t i = 0; i < 33; ++i) most = std::max(most, y[i * 4 + m]);
    EXPECT_EQ(most, 1.0f) << m;
  }
}

TEST(Training, StepsOfOptimisers) {
  const auto step = [](const char* op, int64_t iteration) {
    NodeCase node = onnx(op, 1);
    node.in<float>({}, {0.1f}).in<int64_t>({}, {iteration});
    for (int k = 0; k < 2; ++k) node.in<float>({1}, {2.0f}).in<float>({1}, {3.0f});
    return node.domain("ai.onnx.preview.training").outputs(2);
  };
  NodeCase momentum = step("Momentum", 1).set("alpha", 0.5).set("beta", 2.0);
  // Inputs are x 2, 3, gradients 2, 3 and no states: two of the three kinds are missing.
  EXPECT_NE(check::refusal(momentum), "");
  NodeCase adagrad = onnx("Adagrad", 1)
                         .in<float>({}, {0.1f})
                         .in<int64_t>({}, {2})
                         .in<float>({1}, {1})
                         .in<float>({1}, {2})
                         .in<float>({1}, {5})
                         .set("decay_factor", 0.5)
                         .set("epsilon", 0.0)
                         .domain("ai.onnx.preview.training")
                         .outputs(2);
  expect_near(adagrad.run<float>(1), {9}, "h");
  expect_near(adagrad.run<float>(0), {1 - 0.05 * 2 / 3}, "x");
  for (const int64_t iteration : {0, 3}) {
    NodeCase adam = onnx("Adam", 1)
                        .in<float>({}, {0.1f})
                        .in<int64_t>({}, {iteration})
                        .in<float>({1}, {1})
                        .in<float>({1}, {2})
                        .in<float>({1}, {0.5f})
                        .in<float>({1}, {0.25f})
                        .set("beta", 0.75)
                        .domain("ai.onnx.preview.training")
                        .outputs(3);
    const double v = 0.9 * 0.5 + 0.1 * 2, h = 0.75 * 0.25 + 0.25 * 4;
    const double rate =
        iteration == 0 ? 0.1 : 0.1 * std::sqrt(1 - std::pow(0.75, 3)) / (1 - std::pow(0.9, 3));
    expect_near(adam.run<float>(0), {1 - rate * v / (std::sqrt(h) + 1e-6)}, "adam");
  }
}

TEST(Training, BatchNormByTheBatchItself) {
  NodeCase node = onnx("BatchNormalization", 15)
                      .in<float>({2, 2, 2}, {1, 3, 0, 0, 5, 7, 4, 4})
                      .in<float>({2}, {2, 1})
                      .in<float>({2}, {1, 0})
                      .in<float>({2}, {10, 20})
                      .in<float>({2}, {1, 1})
                      .set("training_mode", int64_t{1})
                      .set("epsilon", 0.0)
                      .outputs(3);
  const double r = std::sqrt(5.0);
  expect_near(node.run<float>(0), {1 - 6 / r, 1 - 2 / r, -1, -1, 1 + 2 / r, 1 + 6 / r, 1, 1}, "y");
  expect_near(node.run<float>(1), {9.4, 18.2}, "mean");
  expect_near(node.run<float>(2), {1.4, 1.3}, "variance");
}

TEST(Choose, CompressNonZeroAndTheirRefusals) {
  const std::vector<float> x{1, 2, 3, 4, 5, 6};
  const auto compress = [&](std::vector<uint8_t> condition) {
    const auto count = static_cast<int64_t>(condition.size());
    return onnx("Compress", 11)
        .in<float>({3, 2}, x)
        .constant<uint8_t>({count}, condition, {}, NK_BOOL);
  };
  EXPECT_EQ(compress({0, 1, 1}).set("axis", int64_t{0}).run<float>(),
            (std::vector<float>{3, 4, 5, 6}));
  EXPECT_EQ(compress({0, 1}).set("axis", int64_t{-1}).run<float>(), (std::vector<float>{2, 4, 6}));
  EXPECT_EQ(compress({0, 1, 0, 0, 1}).run<float>(), (std::vector<float>{2, 5}));
  NodeCase dynamic =
      onnx("Compress", 11).in<float>({3, 2}, x).in<uint8_t>({2}, {1, 0}, {}, NK_BOOL);
  EXPECT_NE(check::refusal(dynamic).find("depends on data"), std::string::npos);
  NodeCase zero = onnx("NonZero", 13).constant<float>({2, 3}, {0, 1, 0, 2, 0, 3});
  EXPECT_EQ(zero.run<int64_t>(), (std::vector<int64_t>{0, 1, 1, 1, 0, 2}));
  EXPECT_EQ(zero.dims, (Dims{2, 3}));
  NodeCase data = onnx("NonZero", 13).in<float>({2}, {0, 1});
  EXPECT_NE(check::refusal(data).find("depends on data"), std::string::npos);
}

TEST(Choose, SequencesAreReversedAsLongAsTheyAre) {
  const auto reverse = [](int64_t batch) {
    return onnx("ReverseSequence", 10)
        .in<float>({2, 3}, {1, 2, 3, 4, 5, 6})
        .in<int64_t>({batch == 0 ? 2 : 3},
                     batch == 0 ? std::vector<int64_t>{1, 3} : std::vector<int64_t>{2, 1, 0})
        .set("batch_axis", batch)
        .set("time_axis", 1 - batch)
        .run<float>();
  };
  EXPECT_EQ(reverse(0), (std::vector<float>{1, 2, 3, 6, 5, 4}));
  EXPECT_EQ(reverse(1), (std::vector<float>{4, 2, 3, 1, 5, 6}));
}

TEST(Choose, UnpoolingPutsValuesBack) {
  NodeCase node = onnx("MaxUnpool", 11)
                      .in<float>({1, 1, 1, 2}, {7, 8})
                      .in<int64_t>({1, 1, 1, 2}, {5, 2})
                      .constant<int64_t>({4}, {1, 1, 3, 4})
                      .set("kernel_shape", Dims{2, 2})
                      .set("strides", Dims{2, 2});
  EXPECT_EQ(node.run<float>(), (std::vector<float>{0, 0, 8, 0, 0, 7, 0, 0, 0, 0, 0, 0}));
}

TEST(Text, NGramsAreCounted) {
  NodeCase node = onnx("TfIdfVectorizer", 9)
                      .in<int32_t>({2, 6}, {1, 1, 3, 3, 3, 7, 8, 6, 7, 5, 6, 8})
                      .set("min_gram_length", int64_t{1})
                      .set("max_gram_length", int64_t{2})
                      .set("max_skip_count", int64_t{1})
                      .set("ngram_counts", Dims{0, 4})
                      .set("ngram_indexes", Dims{0, 1, 2, 3, 4, 6})
                      .set("pool_int64s", Dims{2, 3, 5, 4, 3, 3, 7, 6})
                      .set("mode", std::string("TF"));
  // Two 3 in a row: 2 next to each other and 1 with one between; 7 6 stands once with one between.
  EXPECT_EQ(node.run<float>(), (std::vector<float>{0, 3, 0, 0, 3, 0, 0, 0, 0, 1, 0, 0, 0, 1}));
  EXPECT_EQ(node.dims, (Dims{2, 7}));
}

TEST(Determinant, OfSmallMatrices) {
  NodeCase node = onnx("Det", 11).in<float>({2, 3, 3}, {2, 0, 1, 1, 3, 2, 1, 1, 4,  //
                                                        1, 2, 3, 4, 5, 6, 7, 8, 9});
  EXPECT_EQ(node.run<float>(), (std::vector<float>{18, 0}));
  EXPECT_EQ(node.dims, (Dims{2}));
  EXPECT_EQ(onnx("Det", 11).in<float>({2, 2}, {1, 2, 3, 5}).run<float>(), (std::vector<float>{-1}));
  NodeCase large = onnx("Det", 11).in<float>({4, 4}, std::vector<float>(16));
  EXPECT_NE(check::refusal(large).find("not supported"), std::string::npos);
}

// Convolutions over three axes, and the transposed ones, by their sums.
TEST(Planes, ConvolutionsOfThreeAxes) {
  Rng rng(4);
  const auto x = rng.reals(2 * 4 * 3 * 3, -1, 1);      // [1, 2, 4, 3, 3]
  const auto w = rng.reals(2 * 2 * 3 * 2 * 1, -1, 1);  // [2, 2, 3, 2, 1]
  const int64_t stride = 2, pad = 1;                   // of the first axis
  for (const bool transposed : {false, true}) {
    const int64_t depth = transposed ? 7 : 2, rows = transposed ? 4 : 2;
    NodeCase node = onnx(transposed ? "ConvTranspose" : "Conv", 11)
                        .in<float>({1, 2, 4, 3, 3}, x)
                        .constant<float>({2, 2, 3, 2, 1}, w)
                        .constant<float>({2}, {0.5f, -1})
                        .set("strides", Dims{stride, 1, 1})
                        .set("pads", Dims{pad, 0, 0, pad, 0, 0});
    const auto got = node.run<float>();
    ASSERT_EQ(node.dims, (Dims{1, 2, depth, rows, 3})) << node.error();
    std::vector<double> want;
    for (int64_t o = 0; o < 2; ++o) {
      want.insert(want.end(), static_cast<size_t>(depth * rows * 3), o == 0 ? 0.5 : -1);
    }
    // Every product of an element and a weight goes to one place.
    for (int64_t i = 0; i < 2 * 4 * 9; ++i) {
      for (int64_t k = 0; k < 2 * 6; ++k) {
        const int64_t c = i / 36, z = i / 9 % 4, y = i / 3 % 3;
        const int64_t o = k / 6, kz = k / 2 % 3, ky = k % 2;
        int64_t oz = z * stride + kz - pad, oy = y + ky;
        if (!transposed) {
          if ((z + pad - kz) % stride != 0) continue;
          oz = (z + pad - kz) / stride;
          oy = y - ky;
          if (z + pad - kz < 0) continue;
        }
        if (oz < 0 || oz >= depth || oy < 0 || oy >= rows) continue;
        const auto weight = static_cast<size_t>((transposed ? c * 2 + o : o * 2 + c) * 6 + k % 6);
        want[static_cast<size_t>(((o * depth + oz) * rows + oy) * 3 + i % 3)] +=
            double{x[static_cast<size_t>(i)]} * double{w[weight]};
      }
    }
    expect_near(got, want, transposed ? "transposed" : "conv");
  }
}

}  // namespace
}  // namespace netkit
