/* SPDX-License-Identifier: MIT */
/* Reads by index: gather, gather_nd, gather_elements, one_hot. */
#include <string.h>

#include "ops/common/nd_walk.h"
#include "ops/lookup/lookup.h"
#include "ops/lookup/lookup_index.h"

void nk_gather_ref(NK_KERNEL_ARGS) {
  const nk_gather_params* p = (const nk_gather_params*)params;
  const uint8_t* data = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const size_t run = (size_t)p->run_bytes;
  int32_t b, o, i;
  (void)scratch;
  for (b = 0; b < p->batch; ++b) {
    for (o = 0; o < p->outer; ++o) {
      for (i = 0; i < p->count; ++i) {
        const int64_t index = nk_index_at(in[1], b * p->count + i, p->index_bytes);
        memcpy(target, data + (size_t)nk_position(index, p->n) * run, run);
        target += run;
      }
      data += (size_t)p->n * run;
    }
  }
}

void nk_gather_nd_ref(NK_KERNEL_ARGS) {
  const nk_slices_params* p = (const nk_slices_params*)params;
  const uint8_t* data = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const size_t run = (size_t)p->run_elems * (size_t)p->width;
  int32_t b, i;
  (void)scratch;
  for (b = 0; b < p->batch; ++b) {
    for (i = 0; i < p->count; ++i) {
      const int32_t at = nk_slice_start(p, in[1], (b * p->count + i) * p->depth);
      memcpy(target, data + ((size_t)b * (size_t)p->batch_elems + (size_t)at) * (size_t)p->width,
             run);
      target += run;
    }
  }
}

void nk_gather_elements_ref(NK_KERNEL_ARGS) {
  const nk_elements_params* p = (const nk_elements_params*)params;
  const uint8_t* data = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const size_t width = (size_t)p->width;
  const int32_t* strides[1];
  int32_t index[NK_ND_DIMS] = {0}, offset = 0, i = 0;
  (void)scratch;
  strides[0] = p->strides;
  if (nk_nd_empty(p->dims, p->rank)) return;
  do {
    const int32_t at = nk_position(nk_index_at(in[1], i++, p->index_bytes), p->n);
    memcpy(target, data + (size_t)(offset + at * p->axis_stride) * width, width);
    target += width;
  } while (nk_nd_next(index, p->dims, p->rank, strides, &offset, 1));
}

void nk_one_hot_ref(NK_KERNEL_ARGS) {
  const nk_one_hot_params* p = (const nk_one_hot_params*)params;
  const uint8_t* values = (const uint8_t*)in[1];
  uint8_t* target = (uint8_t*)out[0];
  const size_t width = (size_t)p->width;
  int32_t o, d, i;
  (void)scratch;
  for (o = 0; o < p->outer; ++o) {
    for (d = 0; d < p->depth; ++d) {
      for (i = 0; i < p->inner; ++i) {
        const int64_t index = nk_index_at(in[0], o * p->inner + i, p->index_bytes);
        const int on = index == d || index == (int64_t)d - p->depth;
        memcpy(target, values + (on ? width : 0), width);
        target += width;
      }
    }
  }
}
