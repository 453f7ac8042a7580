/* SPDX-License-Identifier: MIT */
/* Reading of indices, shared by the kernels of this folder. C99 and C++. */
#ifndef NETKIT_OPS_LOOKUP_LOOKUP_INDEX_H
#define NETKIT_OPS_LOOKUP_LOOKUP_INDEX_H

#include <stdint.h>

#include "ops/lookup/lookup.h"

/* The i-th index as it stands. */
static inline int64_t nk_index_at(const void* indices, int32_t i, int32_t index_bytes) {
  return index_bytes == 8 ? ((const int64_t*)indices)[i] : ((const int32_t*)indices)[i];
}

/* Position in [0, n), n >= 1. */
static inline int32_t nk_position(int64_t index, int32_t n) {
  if (index < 0) index += n;
  return index < 0 ? 0 : (index >= n ? n - 1 : (int32_t)index);
}

/* Element of data where the slice named by the `depth` indices from `first` on begins. */
static inline int32_t nk_slice_start(const nk_slices_params* p, const void* indices,
                                     int32_t first) {
  int32_t at = 0, k;
  for (k = 0; k < p->depth; ++k) {
    const int64_t index = nk_index_at(indices, first + k, p->index_bytes);
    at += nk_position(index, p->dims[k]) * p->strides[k];
  }
  return at;
}

#endif
