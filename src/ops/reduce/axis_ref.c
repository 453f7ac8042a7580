/* SPDX-License-Identifier: MIT */
/* Positions of the greatest or least element along an axis, and running sums along an axis. */
#include "ops/reduce/reduce.h"

/* Body of a kernel: `better` compares x with best. Ties keep the first position, or take the last
 * where flag_a says so; the first NaN wins, as numpy has it. */
#define NK_ARG_LOOP(from, to, better)                                                       \
  const nk_axis_params* p = (const nk_axis_params*)params;                                  \
  const from* source = (const from*)in[0];                                                  \
  to* target = (to*)out[0];                                                                 \
  int32_t o, i, k;                                                                          \
  (void)scratch;                                                                            \
  for (o = 0; o < p->outer; ++o) {                                                          \
    for (i = 0; i < p->inner; ++i) {                                                        \
      const from* line = source + o * p->n * p->inner + i;                                  \
      from best = line[0];                                                                  \
      int32_t where = 0;                                                                    \
      for (k = 1; k < p->n; ++k) {                                                          \
        const from x = line[k * p->inner];                                                  \
        if ((better) || (x != x && best == best) || (p->flag_a != 0 && x == best)) {        \
          best = x;                                                                         \
          where = k;                                                                        \
        }                                                                                   \
      }                                                                                     \
      *target++ = where;                                                                    \
    }                                                                                       \
  }

void nk_arg_max_f32_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(float, int32_t, x > best) }
void nk_arg_max_f32_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(float, int64_t, x > best) }
void nk_arg_min_f32_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(float, int32_t, x < best) }
void nk_arg_min_f32_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(float, int64_t, x < best) }
void nk_arg_max_s8_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int8_t, int32_t, x > best) }
void nk_arg_max_s8_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int8_t, int64_t, x > best) }
void nk_arg_min_s8_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int8_t, int32_t, x < best) }
void nk_arg_min_s8_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int8_t, int64_t, x < best) }
void nk_arg_max_u8_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(uint8_t, int32_t, x > best) }
void nk_arg_max_u8_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(uint8_t, int64_t, x > best) }
void nk_arg_min_u8_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(uint8_t, int32_t, x < best) }
void nk_arg_min_u8_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(uint8_t, int64_t, x < best) }
void nk_arg_max_s16_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int16_t, int32_t, x > best) }
void nk_arg_max_s16_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int16_t, int64_t, x > best) }
void nk_arg_min_s16_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int16_t, int32_t, x < best) }
void nk_arg_min_s16_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int16_t, int64_t, x < best) }
void nk_arg_max_s32_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int32_t, int32_t, x > best) }
void nk_arg_max_s32_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int32_t, int64_t, x > best) }
void nk_arg_min_s32_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int32_t, int32_t, x < best) }
void nk_arg_min_s32_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int32_t, int64_t, x < best) }
void nk_arg_max_s64_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int64_t, int32_t, x > best) }
void nk_arg_max_s64_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int64_t, int64_t, x > best) }
void nk_arg_min_s64_s32_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int64_t, int32_t, x < best) }
void nk_arg_min_s64_s64_ref(NK_KERNEL_ARGS) { NK_ARG_LOOP(int64_t, int64_t, x < best) }

/* Body of a kernel. Reads each element before it writes there, so that x may be overwritten. */
#define NK_CUMSUM_LOOP(type, sum_type)                                                      \
  const nk_axis_params* p = (const nk_axis_params*)params;                                  \
  const type* source = (const type*)in[0];                                                  \
  type* target = (type*)out[0];                                                             \
  int32_t o, i, k;                                                                          \
  (void)scratch;                                                                            \
  for (o = 0; o < p->outer; ++o) {                                                          \
    for (i = 0; i < p->inner; ++i) {                                                        \
      const int32_t base = o * p->n * p->inner + i;                                         \
      sum_type sum = 0;                                                                     \
      for (k = 0; k < p->n; ++k) {                                                          \
        const int32_t at = base + (p->flag_b != 0 ? p->n - 1 - k : k) * p->inner;           \
        const sum_type before = sum;                                                        \
        sum += (sum_type)source[at];                                                        \
        target[at] = (type)(p->flag_a != 0 ? before : sum);                                 \
      }                                                                                     \
    }                                                                                       \
  }

void nk_cumsum_f32_ref(NK_KERNEL_ARGS) { NK_CUMSUM_LOOP(float, float) }
void nk_cumsum_f64_ref(NK_KERNEL_ARGS) { NK_CUMSUM_LOOP(double, double) }
void nk_cumsum_s32_ref(NK_KERNEL_ARGS) { NK_CUMSUM_LOOP(int32_t, uint32_t) }
void nk_cumsum_s64_ref(NK_KERNEL_ARGS) { NK_CUMSUM_LOOP(int64_t, uint64_t) }
