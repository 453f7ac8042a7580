/* SPDX-License-Identifier: MIT */
/* Writes by index: data goes to the output, then the updates over it, in order. */
#include <string.h>

#include "ops/common/nd_walk.h"
#include "ops/lookup/lookup.h"
#include "ops/lookup/lookup_index.h"

static inline float combine_f32(float old, float update, int32_t reduction) {
  switch (reduction) {
    case NK_SCATTER_ADD: return old + update;
    case NK_SCATTER_MUL: return old * update;
    case NK_SCATTER_MAX: return update > old || update != update ? update : old;
    case NK_SCATTER_MIN: return update < old || update != update ? update : old;
    default: return update;
  }
}

/* Sums and products wrap as two's complement, in the width of the element. */
static inline int64_t combine_s64(int64_t old, int64_t update, int32_t reduction) {
  switch (reduction) {
    case NK_SCATTER_ADD: return (int64_t)((uint64_t)old + (uint64_t)update);
    case NK_SCATTER_MUL: return (int64_t)((uint64_t)old * (uint64_t)update);
    case NK_SCATTER_MAX: return update > old ? update : old;
    case NK_SCATTER_MIN: return update < old ? update : old;
    default: return update;
  }
}

/* Body of a kernel over slices; `combine` joins an element and its update. */
#define NK_SCATTER_ND_LOOP(type, combine)                                                     \
  const nk_slices_params* p = (const nk_slices_params*)params;                                \
  const type* update = (const type*)in[2];                                                    \
  type* target = (type*)out[0];                                                               \
  int32_t i, j;                                                                               \
  (void)scratch;                                                                              \
  if (in[0] != out[0]) memmove(target, in[0], (size_t)p->batch_elems * sizeof(type));         \
  for (i = 0; i < p->count; ++i) {                                                            \
    type* slice = target + nk_slice_start(p, in[1], i * p->depth);                               \
    for (j = 0; j < p->run_elems; ++j) {                                                      \
      slice[j] = (type)combine(slice[j], *update, p->reduction);                              \
      ++update;                                                                               \
    }                                                                                         \
  }

void nk_scatter_nd_x8_ref(NK_KERNEL_ARGS) { NK_SCATTER_ND_LOOP(uint8_t, combine_s64) }
void nk_scatter_nd_x16_ref(NK_KERNEL_ARGS) { NK_SCATTER_ND_LOOP(uint16_t, combine_s64) }
void nk_scatter_nd_f32_ref(NK_KERNEL_ARGS) { NK_SCATTER_ND_LOOP(float, combine_f32) }
void nk_scatter_nd_s32_ref(NK_KERNEL_ARGS) { NK_SCATTER_ND_LOOP(int32_t, combine_s64) }
void nk_scatter_nd_s64_ref(NK_KERNEL_ARGS) { NK_SCATTER_ND_LOOP(int64_t, combine_s64) }

/* Body of a kernel over single elements. */
#define NK_SCATTER_ELEMENTS_LOOP(type, combine)                                               \
  const nk_elements_params* p = (const nk_elements_params*)params;                            \
  const type* update = (const type*)in[2];                                                    \
  type* target = (type*)out[0];                                                               \
  const int32_t* strides[1];                                                                  \
  int32_t index[NK_ND_DIMS] = {0}, offset = 0, i = 0;                                         \
  (void)scratch;                                                                              \
  strides[0] = p->strides;                                                                    \
  if (in[0] != out[0]) memmove(target, in[0], (size_t)p->data_elems * sizeof(type));          \
  if (nk_nd_empty(p->dims, p->rank)) return;                                                  \
  do {                                                                                        \
    const int32_t at = nk_position(nk_index_at(in[1], i, p->index_bytes), p->n);              \
    type* cell = target + offset + at * p->axis_stride;                                       \
    *cell = (type)combine(*cell, update[i], p->reduction);                                    \
    ++i;                                                                                      \
  } while (nk_nd_next(index, p->dims, p->rank, strides, &offset, 1));

void nk_scatter_elements_x8_ref(NK_KERNEL_ARGS) { NK_SCATTER_ELEMENTS_LOOP(uint8_t, combine_s64) }
void nk_scatter_elements_x16_ref(NK_KERNEL_ARGS) {
  NK_SCATTER_ELEMENTS_LOOP(uint16_t, combine_s64)
}
void nk_scatter_elements_f32_ref(NK_KERNEL_ARGS) { NK_SCATTER_ELEMENTS_LOOP(float, combine_f32) }
void nk_scatter_elements_s32_ref(NK_KERNEL_ARGS) {
  NK_SCATTER_ELEMENTS_LOOP(int32_t, combine_s64)
}
void nk_scatter_elements_s64_ref(NK_KERNEL_ARGS) {
  NK_SCATTER_ELEMENTS_LOOP(int64_t, combine_s64)
}
