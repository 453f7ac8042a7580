/* SPDX-License-Identifier: MIT */
/* Elementwise functions of two tensors with numpy broadcasting.
 *
 * in[0]: a, in[1]: b, out[0] of the broadcast shape (rank at most 6 before merging). An input of
 * the full shape may be overwritten (forward 0); a broadcast one is read again and may not.
 * Attribute `activation` (add, sub, mul, div): none, relu, relu6, relu_n1_to_1, clamped into the
 * result. Quantised tensors are per tensor; add, sub, mul and div rescale as the TensorFlow Lite
 * reference kernels; minimum and maximum need equal quantisation on all three (the host inserts
 * requantize); comparisons of quantised tensors rescale both sides. Comparisons give bool. Shifts
 * are of plain unsigned integers; one by the type's width and more gives 0. */
#ifndef NETKIT_OPS_BINARY_BINARY_H
#define NETKIT_OPS_BINARY_BINARY_H

#include "ops/common/kernel.h"

#define NK_BINARY_FIELDS(S, A) \
  S(int32_t, rank)    /* of the merged box, 1 to 6 */ \
  A(int32_t, dims, 6) /* of the output */ \
  A(int32_t, a_strides, 6) /* in elements; 0 where broadcast */ \
  A(int32_t, b_strides, 6) \
  S(int32_t, a_zero_point) \
  S(int32_t, b_zero_point) \
  S(int32_t, zero_point) \
  S(int32_t, left_shift) \
  S(int32_t, a_multiplier) \
  S(int32_t, a_shift) \
  S(int32_t, b_multiplier) \
  S(int32_t, b_shift) \
  S(int32_t, multiplier) /* of the result */ \
  S(int32_t, shift) \
  S(int32_t, act_min) \
  S(int32_t, act_max) \
  S(float, act_min_f32) \
  S(float, act_max_f32)

typedef struct nk_binary_params { NK_BINARY_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_binary_params;

/* where: in[0] condition (bool), in[1] a, in[2] b; the three broadcast together. */
#define NK_WHERE_FIELDS(S, A) \
  S(int32_t, rank) \
  A(int32_t, dims, 6) \
  A(int32_t, c_strides, 6) \
  A(int32_t, a_strides, 6) \
  A(int32_t, b_strides, 6)

typedef struct nk_where_params { NK_WHERE_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_where_params;

/* X(op, ONNX name, TFLite name) */
#define NK_BINARY_ARITHMETIC_OPS(X) \
  X(add, "Add", "ADD") \
  X(sub, "Sub", "SUB") \
  X(mul, "Mul", "MUL") \
  X(div, "Div", "DIV") \
  X(pow, "Pow", "POW") \
  X(minimum, "", "MINIMUM") \
  X(maximum, "", "MAXIMUM") \
  X(squared_difference, "", "SQUARED_DIFFERENCE") \
  X(floor_div, "", "FLOOR_DIV") \
  X(floor_mod, "", "FLOOR_MOD") \
  X(fmod, "", "") \
  X(atan2, "", "ATAN2") \
  X(prelu, "PRelu", "PRELU")

#define NK_BINARY_COMPARE_OPS(X) \
  X(equal, "Equal", "EQUAL") \
  X(not_equal, "", "NOT_EQUAL") \
  X(less, "Less", "LESS") \
  X(less_equal, "LessOrEqual", "LESS_EQUAL") \
  X(greater, "Greater", "GREATER") \
  X(greater_equal, "GreaterOrEqual", "GREATER_EQUAL")

#define NK_BINARY_LOGICAL_OPS(X) \
  X(logical_and, "And", "LOGICAL_AND") \
  X(logical_or, "Or", "LOGICAL_OR") \
  X(logical_xor, "Xor", "") \
  X(bitwise_and, "BitwiseAnd", "") \
  X(bitwise_or, "BitwiseOr", "") \
  X(bitwise_xor, "BitwiseXor", "BITWISE_XOR") \
  X(shift_left, "", "") \
  X(shift_right, "", "")

#define NK_BINARY_OPS(X) \
  NK_BINARY_ARITHMETIC_OPS(X) NK_BINARY_COMPARE_OPS(X) NK_BINARY_LOGICAL_OPS(X)

#define NK_BINARY_PARAMS(op, onnx, tflite) typedef nk_binary_params nk_##op##_params;
NK_BINARY_OPS(NK_BINARY_PARAMS)
#undef NK_BINARY_PARAMS

#endif
