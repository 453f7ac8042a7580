/* SPDX-License-Identifier: MIT */
/* Elementwise functions of one tensor: out[i] = f(in[i]).
 *
 * in[0]: x; with layout "table256" in[1]: 256 bytes, f of every stored byte (host-made, bit-equal
 * to the reference integer kernel). out[0]: as many elements. x and out may be the same memory
 * (forward 0). Attributes alpha and beta: see the table; clip keeps min and max there.
 * Quantised tensors: per tensor, input and output may differ in scale and zero point. */
#ifndef NETKIT_OPS_UNARY_UNARY_H
#define NETKIT_OPS_UNARY_UNARY_H

#include "ops/common/kernel.h"

#define NK_UNARY_FIELDS(S, A) \
  S(int32_t, count)      /* elements */ \
  S(int32_t, zero_point) /* s16: of the output */ \
  S(int32_t, in_zero_point) \
  S(int32_t, multiplier) /* s16: of values >= 0 */ \
  S(int32_t, shift) \
  S(int32_t, multiplier_neg) /* s16: of values < 0 */ \
  S(int32_t, shift_neg) \
  S(int32_t, act_min) \
  S(int32_t, act_max) \
  S(float, alpha) \
  S(float, beta)

typedef struct nk_unary_params { NK_UNARY_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_unary_params;

/* X(op, ONNX name, TFLite name, alpha attribute, its default, beta attribute, its default): the
 * functions of real numbers. "" where a format has no such operator or the function no attribute.
 * ONNX Clip and Gelu and TFLite GELU choose among the special ones by their attributes. Formulas
 * stand beside the kernels (unary_ref.c, unary_math_ref.c). */
#define NK_UNARY_NAMED_OPS(X) \
  X(relu, "Relu", "RELU", "", 0, "", 0) \
  X(relu6, "", "RELU6", "", 0, "", 0) \
  X(relu_n1_to_1, "", "RELU_N1_TO_1", "", 0, "", 0) \
  X(relu_0_to_1, "", "RELU_0_TO_1", "", 0, "", 0) \
  X(leaky_relu, "LeakyRelu", "LEAKY_RELU", "alpha", 0.01, "", 0) \
  X(thresholded_relu, "ThresholdedRelu", "", "alpha", 1, "", 0) \
  X(hard_sigmoid, "HardSigmoid", "", "alpha", 0.2, "beta", 0.5) \
  X(hard_swish, "HardSwish", "HARD_SWISH", "", 0, "", 0) \
  X(shrink, "Shrink", "", "lambd", 0.5, "bias", 0) \
  X(softsign, "Softsign", "", "", 0, "", 0) \
  X(abs, "Abs", "ABS", "", 0, "", 0) \
  X(neg, "Neg", "NEG", "", 0, "", 0) \
  X(sign, "Sign", "SIGN", "", 0, "", 0) \
  X(square, "", "SQUARE", "", 0, "", 0) \
  X(reciprocal, "Reciprocal", "", "", 0, "", 0) \
  X(ceil, "Ceil", "CEIL", "", 0, "", 0) \
  X(floor, "Floor", "FLOOR", "", 0, "", 0) \
  X(round, "Round", "ROUND", "", 0, "", 0) \
  X(sqrt, "Sqrt", "SQRT", "", 0, "", 0) \
  X(rsqrt, "", "RSQRT", "", 0, "", 0) \
  X(exp, "Exp", "EXP", "", 0, "", 0) \
  X(log, "Log", "LOG", "", 0, "", 0) \
  X(sigmoid, "Sigmoid", "LOGISTIC", "", 0, "", 0) \
  X(tanh, "Tanh", "TANH", "", 0, "", 0) \
  X(erf, "Erf", "", "", 0, "", 0) \
  X(elu, "Elu", "ELU", "alpha", 1, "", 0) \
  X(selu, "Selu", "", "alpha", 1.67326319217681884765625, "gamma", 1.05070102214813232421875) \
  X(celu, "Celu", "", "alpha", 1, "", 0) \
  X(softplus, "Softplus", "", "", 0, "", 0) \
  X(mish, "Mish", "", "", 0, "", 0) \
  X(swish, "Swish", "", "alpha", 1, "", 0) \
  X(sin, "Sin", "SIN", "", 0, "", 0) \
  X(cos, "Cos", "COS", "", 0, "", 0) \
  X(tan, "Tan", "", "", 0, "", 0) \
  X(asin, "Asin", "", "", 0, "", 0) \
  X(acos, "Acos", "", "", 0, "", 0) \
  X(atan, "Atan", "", "", 0, "", 0) \
  X(sinh, "Sinh", "", "", 0, "", 0) \
  X(cosh, "Cosh", "", "", 0, "", 0) \
  X(asinh, "Asinh", "", "", 0, "", 0) \
  X(acosh, "Acosh", "", "", 0, "", 0) \
  X(atanh, "Atanh", "", "", 0, "", 0)

#define NK_UNARY_SPECIAL_OPS(X) \
  X(clip, "", "", "min", -INFINITY, "max", INFINITY) \
  X(gelu, "", "", "", 0, "", 0) \
  X(gelu_tanh, "", "", "", 0, "", 0)
#define NK_UNARY_REAL_OPS(X) NK_UNARY_NAMED_OPS(X) NK_UNARY_SPECIAL_OPS(X)

/* The functions of other elements: logical_not (bool), is_nan, is_inf (float32 to bool;
 * alpha: detect_negative, beta: detect_positive), bitwise_not. */
#define NK_UNARY_OTHER_OPS(X) X(logical_not) X(bitwise_not) X(is_nan) X(is_inf)

#define NK_UNARY_PARAMS(op) typedef nk_unary_params nk_##op##_params;
#define NK_UNARY_REAL_PARAMS(op, onnx, tflite, a, a0, b, b0) NK_UNARY_PARAMS(op)
NK_UNARY_REAL_OPS(NK_UNARY_REAL_PARAMS)
NK_UNARY_OTHER_OPS(NK_UNARY_PARAMS)
#undef NK_UNARY_REAL_PARAMS
#undef NK_UNARY_PARAMS

#endif
