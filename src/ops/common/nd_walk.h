/* SPDX-License-Identifier: MIT */
/* Walking a box of up to NK_ND_DIMS dimensions with several strided operands at once: the loop
 * beneath broadcasting, transposing, slicing, padding and reducing. C99 and C++; no libc. */
#ifndef NETKIT_OPS_COMMON_ND_WALK_H
#define NETKIT_OPS_COMMON_ND_WALK_H

#include <stdint.h>

#define NK_ND_DIMS 8

/* Steps `index` to the next cell of dims[0, rank) in row-major order and keeps the offsets of the
 * `count` operands (in the unit of their strides) in step. Returns 0 after the last cell, with
 * index and offsets back at the start. */
static inline int nk_nd_next(int32_t* index, const int32_t* dims, int32_t rank,
                             const int32_t* const* strides, int32_t* offsets, int32_t count) {
  int32_t axis, k;
  for (axis = rank - 1; axis >= 0; --axis) {
    if (++index[axis] < dims[axis]) {
      for (k = 0; k < count; ++k) offsets[k] += strides[k][axis];
      return 1;
    }
    index[axis] = 0;
    for (k = 0; k < count; ++k) offsets[k] -= strides[k][axis] * (dims[axis] - 1);
  }
  return 0;
}

/* Whether dims[0, rank) has no cell at all. */
static inline int nk_nd_empty(const int32_t* dims, int32_t rank) {
  int32_t axis;
  for (axis = 0; axis < rank; ++axis) {
    if (dims[axis] == 0) return 1;
  }
  return 0;
}

#endif
