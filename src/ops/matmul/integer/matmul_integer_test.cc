// SPDX-License-Identifier: MIT
// Products of 8-bit matrices whose scales the node states: MatMulInteger, QLinearMatMul.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::Rng;

// Sums of the differences to the zero points, row by row.
template <typename A, typename B>
std::vector<int64_t> product(const std::vector<A>& a, const std::vector<B>& b, size_t rows,
                             size_t depth, size_t cols, int az, int bz) {
  std::vector<int64_t> y(rows * cols, 0);
  for (size_t i = 0; i < rows; ++i) {
    for (size_t j = 0; j < cols; ++j) {
      for (size_t k = 0; k < depth; ++k) {
        y[i * cols + j] += int64_t{a[i * depth + k] - az} * (b[k * cols + j] - bz);
      }
    }
  }
  return y;
}

template <typename A, typename B>
void check_integer(bool constant) {
  Rng rng(7);
  const auto any = [&rng]<typename T>(T, size_t n) {
    return rng.ints<T>(n, std::is_signed_v<T> ? -128 : 0, std::is_signed_v<T> ? 127 : 255);
  };
  for (int round = 0; round < 20; ++round) {
    const auto rows = static_cast<size_t>(rng.in(1, 4)), depth = static_cast<size_t>(rng.in(1, 40));
    const auto cols = static_cast<size_t>(rng.in(1, 5));
    const std::vector<A> a = any(A{}, rows * depth), az = any(A{}, 1);
    const std::vector<B> b = any(B{}, depth * cols), bz = any(B{}, 1);
    const Dims b_dims{static_cast<int64_t>(depth), static_cast<int64_t>(cols)};
    NodeCase node = onnx("MatMulInteger", 10);
    node.in<A>({static_cast<int64_t>(rows), b_dims[0]}, a);
    if (constant) {
      node.constant<B>(b_dims, b);
    } else {
      node.in<B>(b_dims, b);
    }
    node.constant<A>({}, az);
    node.constant<B>({}, bz);
    const auto y = node.run<int32_t>();
    const auto want = product(a, b, rows, depth, cols, az[0], bz[0]);
    ASSERT_EQ(std::vector<int64_t>(y.begin(), y.end()), want) << node.error();
    EXPECT_EQ(node.type.dtype, NK_INT32);
  }
}

TEST(MatmulInteger, EqualsAnIndependentOracleInAllTypes) {
  for (const bool constant : {false, true}) {
    check_integer<int8_t, int8_t>(constant);
    check_integer<uint8_t, int8_t>(constant);
    check_integer<int8_t, uint8_t>(constant);
    check_integer<uint8_t, uint8_t>(constant);
  }
}

TEST(MatmulInteger, StacksAndRefusals) {
  NodeCase node = onnx("MatMulInteger", 10)
                      .in<uint8_t>({2, 1, 2}, {1, 2, 3, 4})
                      .in<uint8_t>({2, 2, 1}, {5, 6, 7, 8});
  EXPECT_EQ(node.run<int32_t>(), (std::vector<int32_t>{17, 53}));
  EXPECT_EQ(node.dims, (Dims{2, 1, 1}));
  NodeCase real = onnx("MatMulInteger", 10).in<float>({1, 1}, {1}).in<float>({1, 1}, {1});
  EXPECT_NE(check::refusal(real), "");
  NodeCase several = onnx("MatMulInteger", 10)
                         .in<int8_t>({1, 2}, {1, 2})
                         .constant<int8_t>({2, 2}, {1, 2, 3, 4})
                         .absent()
                         .constant<int8_t>({2}, {1, 2});
  EXPECT_NE(check::refusal(several), "");
}

// The real value of each result is within a step of the real product.
template <typename A, typename B, typename Y>
void check_qlinear_product(bool constant) {
  Rng rng(8);
  for (int round = 0; round < 20; ++round) {
    const size_t rows = 3, depth = 17, cols = 4;
    const auto a = rng.ints<A>(rows * depth, 0, 100);
    const auto b = rng.ints<B>(depth * cols, 0, 100);
    const float sa = rng.real(0.01f, 0.1f), sb = rng.real(0.01f, 0.1f), sy = rng.real(0.5f, 2.0f);
    const A az = static_cast<A>(rng.in(0, 100));
    const B bz = static_cast<B>(rng.in(0, 100));
    const Y yz = static_cast<Y>(rng.in(0, 100));
    NodeCase node = onnx("QLinearMatMul", 10);
    node.in<A>({3, 17}, a);
    node.constant<float>({}, {sa});
    node.constant<A>({}, {az});
    if (constant) {
      node.constant<B>({17, 4}, b);
    } else {
      node.in<B>({17, 4}, b);
    }
    node.constant<float>({}, {sb});
    node.constant<B>({}, {bz});
    node.constant<float>({}, {sy});
    node.constant<Y>({}, {yz});
    const auto y = node.run<Y>();
    const auto sums = product(a, b, rows, depth, cols, az, bz);
    ASSERT_EQ(y.size(), sums.size()) << node.error();
    for (size_t i = 0; i < y.size(); ++i) {
      const double lo = std::numeric_limits<Y>::min(), hi = std::numeric_limits<Y>::max();
      const double want = static_cast<double>(sums[i]) * sa * sb / sy + yz;
      ASSERT_NEAR(y[i], std::clamp(want, lo, hi), 0.501) << i;
    }
  }
}

TEST(QLinearMatmul, IsWithinAStepOfTheRealProduct) {
  for (const bool constant : {false, true}) {
    check_qlinear_product<uint8_t, uint8_t, uint8_t>(constant);
    check_qlinear_product<uint8_t, int8_t, uint8_t>(constant);
    check_qlinear_product<int8_t, int8_t, int8_t>(constant);
    check_qlinear_product<uint8_t, int8_t, int8_t>(constant);
  }
}

TEST(QLinearMatmul, ScalesPerColumn) {
  NodeCase node = onnx("QLinearMatMul", 10)
                      .in<int8_t>({1, 2}, {10, 20})
                      .constant<float>({}, {0.5f})
                      .constant<int8_t>({}, {0})
                      .constant<int8_t>({2, 2}, {1, 2, 3, 4})
                      .constant<float>({2}, {1.0f, 0.25f})
                      .constant<int8_t>({2}, {0, 0})
                      .constant<float>({}, {1.0f})
                      .constant<int8_t>({}, {-5});
  EXPECT_EQ(node.run<int8_t>(), (std::vector<int8_t>{30, 8})) << node.error();
}

}  // namespace
}  // namespace netkit
