/* SPDX-License-Identifier: MIT */
/* Operators that read or write where integers say. Indices are int32 or int64 (index_bytes); a
 * negative one counts from the end; one outside the axis is taken as the nearest inside, so that no
 * value can lead out of a tensor (constants are checked on the host).
 *
 *   gather            in: data [batch, outer, n, run], indices [batch, count]; attributes axis,
 *                     batch_dims. out: [batch, outer, count, run]
 *   gather_nd         in: data, indices [batch, count, depth]; attribute batch_dims
 *   scatter_nd        in: data, indices [count, depth], updates; attribute reduction (none, add,
 *                     mul, max, min). out: data with the slices replaced or combined, in order.
 *                     out and data may be the same memory (forward 0)
 *   gather_elements   in: data, indices; attribute axis; out: of the shape of the indices
 *   scatter_elements  in: data, indices, updates; attributes axis, reduction; as scatter_nd
 *   one_hot           in: indices, values [off, on]; attributes axis (of the output), depth; an
 *                     index outside [-depth, depth) gives off everywhere
 *   topk              in: x; attributes axis, k, largest, to (int32 or int64); out: the k greatest
 *                     (or least) along axis in order, and their positions. Of equals the first
 *                     comes first; NaN counts as the greatest */
#ifndef NETKIT_OPS_LOOKUP_LOOKUP_H
#define NETKIT_OPS_LOOKUP_LOOKUP_H

#include "ops/common/kernel.h"

#define NK_GATHER_FIELDS(S, A) \
  S(int32_t, batch) \
  S(int32_t, outer) \
  S(int32_t, n) \
  S(int32_t, count) \
  S(int32_t, run_bytes) \
  S(int32_t, index_bytes)

typedef struct nk_gather_params { NK_GATHER_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_gather_params;

/* gather_nd and scatter_nd: `depth` indices name a slice of run_elems elements of `width` bytes. */
#define NK_SLICES_FIELDS(S, A) \
  S(int32_t, batch) \
  S(int32_t, batch_elems) /* of data, per batch */ \
  S(int32_t, count) \
  S(int32_t, depth) \
  A(int32_t, dims, 6) \
  A(int32_t, strides, 6) /* in elements */ \
  S(int32_t, run_elems) \
  S(int32_t, width) \
  S(int32_t, index_bytes) \
  S(int32_t, reduction)

typedef struct nk_slices_params { NK_SLICES_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_slices_params;

/* gather_elements and scatter_elements. */
#define NK_ELEMENTS_FIELDS(S, A) \
  S(int32_t, rank) \
  S(int32_t, axis) \
  A(int32_t, dims, 6)    /* of the indices */ \
  A(int32_t, strides, 6) /* of data; 0 at the axis */ \
  S(int32_t, axis_stride) \
  S(int32_t, n) /* size of data's axis */ \
  S(int32_t, data_elems) \
  S(int32_t, width) \
  S(int32_t, index_bytes) \
  S(int32_t, reduction)

typedef struct nk_elements_params {
  NK_ELEMENTS_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_elements_params;

#define NK_ONE_HOT_FIELDS(S, A) \
  S(int32_t, outer) \
  S(int32_t, depth) \
  S(int32_t, inner) \
  S(int32_t, width) \
  S(int32_t, index_bytes)

typedef struct nk_one_hot_params { NK_ONE_HOT_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_one_hot_params;

#define NK_TOPK_FIELDS(S, A) \
  S(int32_t, outer) \
  S(int32_t, n) \
  S(int32_t, inner) \
  S(int32_t, k) \
  S(int32_t, largest) \
  S(int32_t, index_bytes)

typedef struct nk_topk_params { NK_TOPK_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_topk_params;

/* `reduction` of the scatter operators. */
#define NK_SCATTER_NONE 0
#define NK_SCATTER_ADD 1
#define NK_SCATTER_MUL 2
#define NK_SCATTER_MAX 3
#define NK_SCATTER_MIN 4

typedef nk_slices_params nk_gather_nd_params;
typedef nk_slices_params nk_scatter_nd_params;
typedef nk_elements_params nk_gather_elements_params;
typedef nk_elements_params nk_scatter_elements_params;

#endif
