/* SPDX-License-Identifier: MIT */
/* The affine walk that carries transposes, slices, broadcasts and their kin, and concat. */
#include <string.h>

#include "ops/move/move.h"

/* One line of elements of a fixed width. */
#define NK_COPY_LINE(type)                                     \
  {                                                            \
    const type* from = (const type*)source + offsets[0];       \
    type* to = (type*)target + offsets[1];                     \
    for (i = 0; i < n; ++i) to[i * so] = from[i * si];         \
    break;                                                     \
  }

void nk_copy_nd_ref(NK_KERNEL_ARGS) {
  const nk_copy_params* p = (const nk_copy_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const int32_t last = p->rank - 1;
  const int32_t n = p->dims[last], si = p->in_strides[last], so = p->out_strides[last];
  const int dense = si == 1 && so == 1;
  const int32_t* strides[2];
  int32_t index[NK_ND_DIMS] = {0};
  int32_t offsets[2];
  int32_t i;
  (void)scratch;
  strides[0] = p->in_strides;
  strides[1] = p->out_strides;
  offsets[0] = p->in_offset;
  offsets[1] = p->out_offset;
  if (nk_nd_empty(p->dims, p->rank)) return;
  do {
    switch (dense ? 0 : p->width) {
      case 1: NK_COPY_LINE(uint8_t)
      case 2: NK_COPY_LINE(uint16_t)
      case 4: NK_COPY_LINE(uint32_t)
      case 8: NK_COPY_LINE(uint64_t)
      default:
        memcpy(target + (size_t)offsets[1] * (size_t)p->width,
               source + (size_t)offsets[0] * (size_t)p->width, (size_t)n * (size_t)p->width);
    }
  } while (nk_nd_next(index, p->dims, last, strides, offsets, 2));
}

void nk_concat_x8_ref(NK_KERNEL_ARGS) {
  const nk_concat_params* p = (const nk_concat_params*)params;
  uint8_t* target = (uint8_t*)out[0];
  int32_t o, k;
  (void)scratch;
  for (o = 0; o < p->outer; ++o) {
    for (k = 0; k < p->count; ++k) {
      const size_t bytes = (size_t)p->run_bytes[k];
      if (bytes == 0) continue;
      memmove(target, (const uint8_t*)in[k] + (size_t)o * bytes, bytes); /* may be there already */
      target += bytes;
    }
  }
}
