// SPDX-License-Identifier: MIT
// Ops: arithmetic on float32 tensors by the kernels of networks. The functions do nothing where the
// checks say no. C may be A or B, but not in MatMul. C++17 and newer.
#ifndef NETKIT_OPS_HPP
#define NETKIT_OPS_HPP

#include "netkit/tensor.hpp"

namespace netkit::Ops {

// X(name here, name in C): a function of A and C, of A, B and C, a check of A, B and C.
#define NETKIT_UNARY_OPS(X) \
  X(ReLU, relu) X(ReLU6, relu6) X(Sigmoid, sigmoid) X(Tanh, tanh) X(Softmax, softmax)
#define NETKIT_BINARY_OPS(X) \
  X(MatMul, mat_mul) X(MatAdd, mat_add) X(MatAddND, mat_add_nd) X(Mul, mul) X(MulND, mul_nd)
#define NETKIT_CHECKS(X)                     \
  X(CheckSameShape2D, check_same_shape_2d)   \
  X(CheckSameShapeND, check_same_shape_nd)   \
  X(IsMatMulValid, is_matmul_valid)          \
  X(IsElementwiseValidND, is_elementwise_valid_nd)

#define NETKIT_UNARY_OP(name, c_name)                 \
  inline void name(const Tensor& A, Tensor& C) {      \
    const nk_tensor_t a = to_c(A);                    \
    nk_tensor_t c = to_c(C);                          \
    nk_ops_##c_name(&a, &c);                          \
  }
#define NETKIT_BINARY_OP(name, c_name)                            \
  inline void name(const Tensor& A, const Tensor& B, Tensor& C) { \
    const nk_tensor_t a = to_c(A), b = to_c(B);                   \
    nk_tensor_t c = to_c(C);                                      \
    nk_ops_##c_name(&a, &b, &c);                                  \
  }
#define NETKIT_CHECK(name, c_name)                                      \
  inline bool name(const Tensor& A, const Tensor& B, const Tensor& C) { \
    const nk_tensor_t a = to_c(A), b = to_c(B), c = to_c(C);            \
    return nk_ops_##c_name(&a, &b, &c);                                 \
  }
NETKIT_UNARY_OPS(NETKIT_UNARY_OP)
NETKIT_BINARY_OPS(NETKIT_BINARY_OP)
NETKIT_CHECKS(NETKIT_CHECK)
#undef NETKIT_UNARY_OP
#undef NETKIT_BINARY_OP
#undef NETKIT_CHECK
#undef NETKIT_UNARY_OPS
#undef NETKIT_BINARY_OPS
#undef NETKIT_CHECKS

inline bool IsElementwiseValid(const Tensor& A, const Tensor& B) {
  const nk_tensor_t a = to_c(A), b = to_c(B);
  return nk_ops_is_elementwise_valid(&a, &b);
}
inline bool IsUnaryOpValid(const Tensor& A, const Tensor& C) {
  const nk_tensor_t a = to_c(A), c = to_c(C);
  return nk_ops_is_unary_op_valid(&a, &c);
}
inline void MulScalar(const Tensor& A, float scalar, Tensor& C) {
  const nk_tensor_t a = to_c(A);
  nk_tensor_t c = to_c(C);
  nk_ops_mul_scalar(&a, scalar, &c);
}
inline void LeakyReLU(const Tensor& A, Tensor& C, float alpha) {
  const nk_tensor_t a = to_c(A);
  nk_tensor_t c = to_c(C);
  nk_ops_leaky_relu(&a, &c, alpha);
}

}  // namespace netkit::Ops

#endif
