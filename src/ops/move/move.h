/* SPDX-License-Identifier: MIT */
/* Operators that only move elements, whatever their type. In and out never overlap, but that an
 * input of concat may stand in its place of the output.
 *
 * One kernel serves all that are an affine walk: transpose, slice, expand, tile, depth_to_space,
 * space_to_depth, reverse, copy. in[0]: x, out[0]. Attributes of the canonical operators:
 *   reshape         shape (complete); a view, no kernel
 *   copy            none; x as it is, in memory of its own
 *   transpose       perm
 *   slice           starts, steps, sizes (one each per axis, normalised; steps may be negative)
 *   expand          shape
 *   tile            repeats
 *   depth_to_space  block, mode (DCR or CRD), NHWC
 *   space_to_depth  block, NHWC
 *   reverse         axes
 *   concat          axis; up to NK_MAX_STEP_ARGS - 1 inputs of one quantisation
 *   pad             before, after (one each per axis, >= 0), mode (constant, reflect, symmetric,
 *                   edge, wrap), value (real number; the output's quantisation applies) */
#ifndef NETKIT_OPS_MOVE_MOVE_H
#define NETKIT_OPS_MOVE_MOVE_H

#include "ops/common/kernel.h"
#include "ops/common/nd_walk.h"

/* Element (i0, i1, ...) of dims goes from in_offset + sum(i * in_strides) to
 * out_offset + sum(i * out_strides); all in elements of `width` bytes. */
#define NK_COPY_FIELDS(S, A) \
  S(int32_t, rank) \
  S(int32_t, width) /* 1, 2, 4 or 8 */ \
  S(int32_t, in_offset) \
  S(int32_t, out_offset) \
  A(int32_t, dims, NK_ND_DIMS) \
  A(int32_t, in_strides, NK_ND_DIMS) \
  A(int32_t, out_strides, NK_ND_DIMS)

typedef struct nk_copy_params { NK_COPY_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_copy_params;

#define NK_MOVE_COPY_OPS(X) \
  X(copy) X(transpose) X(slice) X(expand) X(tile) X(depth_to_space) X(space_to_depth) X(reverse)

typedef nk_copy_params nk_transpose_params, nk_slice_params, nk_expand_params, nk_tile_params,
    nk_depth_to_space_params, nk_space_to_depth_params, nk_reverse_params, nk_reshape_params;

#define NK_CONCAT_FIELDS(S, A) \
  S(int32_t, outer) /* product of the axes before `axis` */ \
  S(int32_t, count) /* of inputs */ \
  A(int32_t, run_bytes, NK_MAX_STEP_ARGS - 1) /* of each input: its axes from `axis` on */

typedef struct nk_concat_params { NK_CONCAT_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_concat_params;

#define NK_PAD_REFLECT 1   /* dcb|abcd|cba */
#define NK_PAD_SYMMETRIC 2 /* cba|abcd|dcb */
#define NK_PAD_EDGE 3      /* aaa|abcd|ddd */
#define NK_PAD_WRAP 4      /* bcd|abcd|abc */

/* Dimensions of the input and elements before and after. Constant mode: axes without padding are
 * merged into the one before; `value` is one element of `width` bytes. Other modes: the last axes
 * without padding are part of the element of `width` bytes. */
#define NK_PAD_FIELDS(S, A) \
  S(int32_t, rank) \
  S(int32_t, width) \
  S(int32_t, pad_mode) /* 0: constant */ \
  A(int32_t, dims, 6) \
  A(int32_t, before, 6) \
  A(int32_t, after, 6) \
  A(uint8_t, value, 8)

typedef struct nk_pad_params { NK_PAD_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_pad_params;

#endif
