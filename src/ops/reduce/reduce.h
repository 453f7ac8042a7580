/* SPDX-License-Identifier: MIT */
/* Reductions over any set of axes, arg reductions and running sums along one axis.
 *
 * reduce_*: in[0]: x, out[0]: x without the axes (or with size 1). Attributes: axes (ascending, may
 * be empty: each element alone), keepdims. Quantised sum and mean rescale as the TensorFlow Lite
 * reference kernels; max and min need equal quantisation on both sides. Over no element: sum 0,
 * prod 1, max and min the type's least and greatest value, mean NaN (float).
 * arg_max, arg_min: attributes axis, keepdims, select_last; out[0] int32 or int64.
 * cumsum: attributes axis, exclusive, reverse; x and out may be the same memory. */
#ifndef NETKIT_OPS_REDUCE_REDUCE_H
#define NETKIT_OPS_REDUCE_REDUCE_H

#include "ops/common/kernel.h"

/* Neighbouring axes of one kind are merged, so rank 6 has at most 3 kept and 3 reduced ones. */
#define NK_REDUCE_FIELDS(S, A) \
  S(int32_t, kept_rank) \
  S(int32_t, reduced_rank) \
  A(int32_t, kept_dims, 3) \
  A(int32_t, kept_strides, 3) /* of x, in elements */ \
  A(int32_t, reduced_dims, 3) \
  A(int32_t, reduced_strides, 3) \
  S(int32_t, reduced_count) \
  S(int32_t, in_zero_point) \
  S(int32_t, multiplier) \
  S(int32_t, shift) \
  S(int32_t, zero_point)

typedef struct nk_reduce_params { NK_REDUCE_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_reduce_params;

/* x seen as [outer, n, inner]. */
#define NK_AXIS_FIELDS(S, A) \
  S(int32_t, outer) \
  S(int32_t, n) \
  S(int32_t, inner) \
  S(int32_t, flag_a) /* arg: select_last; cumsum: exclusive */ \
  S(int32_t, flag_b) /* cumsum: reverse */

typedef struct nk_axis_params { NK_AXIS_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_axis_params;

/* X(op, ONNX name, TFLite name) */
#define NK_REDUCE_OPS(X) \
  X(reduce_sum, "ReduceSum", "SUM") \
  X(reduce_mean, "ReduceMean", "MEAN") \
  X(reduce_max, "ReduceMax", "REDUCE_MAX") \
  X(reduce_min, "ReduceMin", "REDUCE_MIN") \
  X(reduce_prod, "ReduceProd", "REDUCE_PROD") \
  X(reduce_l1, "ReduceL1", "") \
  X(reduce_l2, "ReduceL2", "") \
  X(reduce_sum_square, "ReduceSumSquare", "") \
  X(reduce_log_sum, "ReduceLogSum", "") \
  X(reduce_log_sum_exp, "ReduceLogSumExp", "") \
  X(reduce_any, "", "REDUCE_ANY") \
  X(reduce_all, "", "REDUCE_ALL")

#define NK_REDUCE_PARAMS(op, onnx, tflite) typedef nk_reduce_params nk_##op##_params;
NK_REDUCE_OPS(NK_REDUCE_PARAMS)
#undef NK_REDUCE_PARAMS

typedef nk_axis_params nk_arg_max_params;
typedef nk_axis_params nk_arg_min_params;
typedef nk_axis_params nk_cumsum_params;

#endif
