/* SPDX-License-Identifier: MIT */
/* An input that stands in parts: its channels, in order, are those of several tensors of the same
 * rows and columns, so that a concatenation along the channels need not be made. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_PARTS_H
#define NETKIT_OPS_COMMON_PARTS_H

#include <stddef.h>
#include <stdint.h>

#define NK_MAX_PARTS 16

/* Last fields of the parameters of an operator that reads parts; in[0] to in[parts - 1] are they,
 * and everything else follows.
 *   parts   2 to NK_MAX_PARTS
 *   part_c  channels of each; their sum is in_c */
#define NK_PARTS_FIELDS(S, A) S(int32_t, parts) A(int32_t, part_c, NK_MAX_PARTS)

/* One part as a kernel reads it. */
typedef struct nk_part {
  const void* x;        /* its first pixel */
  int32_t pixel_elems;  /* elements from pixel to pixel; 0: a single pixel for all */
  int32_t count;        /* channels that a window reads */
} nk_part;

static inline void nk_make_parts(const void* const* in, int32_t parts, const int32_t* part_c,
                                 nk_part* made) {
  int32_t k;
  for (k = 0; k < parts; ++k) {
    made[k].x = in[k];
    made[k].pixel_elems = made[k].count = part_c[k];
  }
}

#endif
