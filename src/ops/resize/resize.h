/* SPDX-License-Identifier: MIT */
/* resize: two-dimensional interpolation, NHWC. All coordinate rules are worked out on the host and
 * arrive as tables, so that one kernel serves every mode.
 *
 * in[0]: x [n, h, w, c]; in[1]: rows [out_h, taps] int32, the input row of each tap;
 * in[2]: row weights [out_h, taps], float32 or int32 in 1/1024, or NULL (nearest);
 * in[3], in[4]: the same for columns. out[0]: [n, out_h, out_w, c].
 *   x8    nearest: one tap, any element type
 *   f32   sum over the taps of row weight * column weight * x
 *   s8 u8 the same in integers, two taps, rounded as the TensorFlow Lite reference kernel
 * Attributes: none beyond the tables; the host operator takes them as constant inputs 1 to 4. */
#ifndef NETKIT_OPS_RESIZE_RESIZE_H
#define NETKIT_OPS_RESIZE_RESIZE_H

#include "ops/common/kernel.h"

#define NK_RESIZE_FIELDS(S, A) \
  S(int32_t, n) \
  S(int32_t, h) \
  S(int32_t, w) \
  S(int32_t, c) \
  S(int32_t, out_h) \
  S(int32_t, out_w) \
  S(int32_t, row_taps) \
  S(int32_t, column_taps) \
  S(int32_t, pixel_bytes) /* c elements */

typedef struct nk_resize_params { NK_RESIZE_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_resize_params;

#endif
