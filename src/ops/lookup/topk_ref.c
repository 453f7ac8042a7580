/* SPDX-License-Identifier: MIT */
/* The k greatest or least along an axis, each found by one pass over its line: no scratch. */
#include "ops/lookup/lookup.h"

/* A NaN is greater than every number. */
static inline int less_f32(float a, float b) { return a < b || (b != b && a == a); }
static inline int less_s32(int32_t a, int32_t b) { return a < b; }
static inline int less_s64(int64_t a, int64_t b) { return a < b; }

/* Body of a kernel. Element j comes before element i by value, of equals by position; what is
 * chosen next is the first of those that come after the last one chosen. */
#define NK_TOPK_LOOP(type, less)                                                              \
  const nk_topk_params* p = (const nk_topk_params*)params;                                    \
  const type* source = (const type*)in[0];                                                    \
  type* values = (type*)out[0];                                                               \
  int32_t o, c, r, j;                                                                         \
  (void)scratch;                                                                              \
  for (o = 0; o < p->outer; ++o) {                                                            \
    for (c = 0; c < p->inner; ++c) {                                                          \
      const type* line = source + o * p->n * p->inner + c;                                    \
      int32_t last = -1;                                                                      \
      for (r = 0; r < p->k; ++r) {                                                            \
        const int32_t at = (o * p->k + r) * p->inner + c;                                     \
        int32_t best = -1;                                                                    \
        for (j = 0; j < p->n; ++j) {                                                          \
          const type x = line[j * p->inner];                                                  \
          if (last >= 0) {                                                                    \
            const type y = line[last * p->inner];                                             \
            const int before = p->largest != 0 ? less(y, x) : less(x, y);                     \
            const int after = p->largest != 0 ? less(x, y) : less(y, x);                      \
            if (before || (!after && j <= last)) continue;                                    \
          }                                                                                   \
          if (best < 0 || (p->largest != 0 ? less(line[best * p->inner], x)                   \
                                           : less(x, line[best * p->inner]))) {               \
            best = j;                                                                         \
          }                                                                                   \
        }                                                                                     \
        values[at] = line[best * p->inner];                                                   \
        if (out[1] != NULL && p->index_bytes == 8) ((int64_t*)out[1])[at] = best;             \
        if (out[1] != NULL && p->index_bytes == 4) ((int32_t*)out[1])[at] = best;             \
        last = best;                                                                          \
      }                                                                                       \
    }                                                                                         \
  }

void nk_topk_f32_ref(NK_KERNEL_ARGS) { NK_TOPK_LOOP(float, less_f32) }
void nk_topk_s8_ref(NK_KERNEL_ARGS) { NK_TOPK_LOOP(int8_t, less_s32) }
void nk_topk_u8_ref(NK_KERNEL_ARGS) { NK_TOPK_LOOP(uint8_t, less_s32) }
void nk_topk_s16_ref(NK_KERNEL_ARGS) { NK_TOPK_LOOP(int16_t, less_s32) }
void nk_topk_s32_ref(NK_KERNEL_ARGS) { NK_TOPK_LOOP(int32_t, less_s32) }
void nk_topk_s64_ref(NK_KERNEL_ARGS) { NK_TOPK_LOOP(int64_t, less_s64) }
