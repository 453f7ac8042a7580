/* SPDX-License-Identifier: MIT */
/* Interpolation by tables. */
#include <string.h>

#include "ops/resize/resize.h"

void nk_resize_nearest_x8_ref(NK_KERNEL_ARGS) {
  const nk_resize_params* p = (const nk_resize_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  const int32_t* rows = (const int32_t*)in[1];
  const int32_t* columns = (const int32_t*)in[3];
  uint8_t* target = (uint8_t*)out[0];
  const size_t pixel = (size_t)p->pixel_bytes;
  int32_t n, y, x;
  (void)scratch;
  for (n = 0; n < p->n; ++n) {
    for (y = 0; y < p->out_h; ++y) {
      const uint8_t* row =
          source + ((size_t)n * (size_t)p->h + (size_t)rows[y]) * (size_t)p->w * pixel;
      for (x = 0; x < p->out_w; ++x) {
        memcpy(target, row + (size_t)columns[x] * pixel, pixel);
        target += pixel;
      }
    }
  }
}

/* Body of a kernel: `result` of sum, the weighted sum of the taps in type `accumulator`. */
#define NK_RESIZE_LOOP(type, accumulator, result)                                            \
  const nk_resize_params* p = (const nk_resize_params*)params;                               \
  const type* source = (const type*)in[0];                                                   \
  const int32_t* rows = (const int32_t*)in[1];                                               \
  const accumulator* row_weights = (const accumulator*)in[2];                                \
  const int32_t* columns = (const int32_t*)in[3];                                            \
  const accumulator* column_weights = (const accumulator*)in[4];                             \
  type* target = (type*)out[0];                                                              \
  int32_t n, y, x, c, i, j;                                                                  \
  (void)scratch;                                                                             \
  for (n = 0; n < p->n; ++n) {                                                               \
    for (y = 0; y < p->out_h; ++y) {                                                         \
      for (x = 0; x < p->out_w; ++x) {                                                       \
        for (c = 0; c < p->c; ++c) {                                                         \
          accumulator sum = 0;                                                               \
          for (i = y * p->row_taps; i < (y + 1) * p->row_taps; ++i) {                        \
            const type* row = source + (n * p->h + rows[i]) * p->w * p->c + c;               \
            accumulator line = 0;                                                            \
            for (j = x * p->column_taps; j < (x + 1) * p->column_taps; ++j) {                \
              line += column_weights[j] * (accumulator)row[columns[j] * p->c];               \
            }                                                                                \
            sum += row_weights[i] * line;                                                    \
          }                                                                                  \
          *target++ = (type)(result);                                                        \
        }                                                                                    \
      }                                                                                      \
    }                                                                                        \
  }

/* sum / 2^20 to nearest, ties away from zero. Two taps with weights in [-1024, 2048] that add up to
 * 1024 keep |sum| below 2^31. */
#define NK_RESIZE_ROUND(sum) (((sum) + ((sum) > 0 ? (1 << 19) : -(1 << 19))) / (1 << 20))

void nk_resize_f32_ref(NK_KERNEL_ARGS) { NK_RESIZE_LOOP(float, float, sum) }
void nk_resize_s8_ref(NK_KERNEL_ARGS) { NK_RESIZE_LOOP(int8_t, int32_t, NK_RESIZE_ROUND(sum)) }
void nk_resize_u8_ref(NK_KERNEL_ARGS) { NK_RESIZE_LOOP(uint8_t, int32_t, NK_RESIZE_ROUND(sum)) }
