/* SPDX-License-Identifier: MIT */
/* Reductions: for every kept cell a walk over the reduced box, the innermost reduced axis as a
 * plain strided loop. Sums run in the order of memory. */
#include <math.h>

#include "ops/common/nd_walk.h"
#include "ops/common/requantize.h"
#include "ops/reduce/reduce.h"

/* Body of a kernel: acc starts at `first` and becomes `step` (of acc, x and p) for every reduced
 * element; the output is `final` (of acc and p). */
#define NK_REDUCE_LOOP(from, accumulator, to, first, step, final)                             \
  const nk_reduce_params* p = (const nk_reduce_params*)params;                                \
  const from* source = (const from*)in[0];                                                    \
  to* target = (to*)out[0];                                                                   \
  const int32_t last = p->reduced_rank - 1;                                                   \
  const int32_t n = last < 0 ? 1 : p->reduced_dims[last];                                     \
  const int32_t stride = last < 0 ? 0 : p->reduced_strides[last];                             \
  const int empty = nk_nd_empty(p->reduced_dims, p->reduced_rank);                            \
  const int32_t* kept_strides[1];                                                             \
  const int32_t* reduced_strides[1];                                                          \
  int32_t kept_index[NK_ND_DIMS] = {0}, kept_offset = 0;                                      \
  (void)scratch;                                                                              \
  kept_strides[0] = p->kept_strides;                                                          \
  reduced_strides[0] = p->reduced_strides;                                                    \
  if (nk_nd_empty(p->kept_dims, p->kept_rank)) return;                                        \
  do {                                                                                        \
    accumulator acc = first;                                                                  \
    int32_t index[NK_ND_DIMS] = {0}, offset = kept_offset, i;                                 \
    if (!empty) {                                                                             \
      do {                                                                                    \
        for (i = 0; i < n; ++i) {                                                             \
          const from x = source[offset + i * stride];                                         \
          acc = (accumulator)(step);                                                          \
        }                                                                                     \
      } while (nk_nd_next(index, p->reduced_dims, last, reduced_strides, &offset, 1));        \
    }                                                                                         \
    *target++ = (to)(final);                                                                  \
  } while (nk_nd_next(kept_index, p->kept_dims, p->kept_rank, kept_strides, &kept_offset, 1));

/* max and min: once acc or x is NaN the result is. */
void nk_reduce_sum_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 0.0f, acc + x, acc)
}
void nk_reduce_mean_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 0.0f, acc + x, acc / (float)p->reduced_count)
}
void nk_reduce_max_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, -INFINITY, x > acc || x != x ? x : acc, acc)
}
void nk_reduce_min_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, INFINITY, x < acc || x != x ? x : acc, acc)
}
void nk_reduce_prod_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 1.0f, acc * x, acc)
}
void nk_reduce_l1_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 0.0f, acc + fabsf(x), acc)
}
void nk_reduce_l2_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 0.0f, acc + x * x, sqrtf(acc))
}
void nk_reduce_sum_square_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 0.0f, acc + x * x, acc)
}
void nk_reduce_log_sum_f32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(float, float, float, 0.0f, acc + x, logf(acc))
}

void nk_reduce_sum_f64_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(double, double, double, 0.0, acc + x, acc)
}

void nk_reduce_sum_s32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int32_t, int32_t, int32_t, 0, (uint32_t)acc + (uint32_t)x, acc)
}
void nk_reduce_max_s32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int32_t, int32_t, int32_t, INT32_MIN, x > acc ? x : acc, acc)
}
void nk_reduce_min_s32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int32_t, int32_t, int32_t, INT32_MAX, x < acc ? x : acc, acc)
}
void nk_reduce_prod_s32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int32_t, int32_t, int32_t, 1, (uint32_t)acc * (uint32_t)x, acc)
}
void nk_reduce_sum_s64_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int64_t, int64_t, int64_t, 0, (uint64_t)acc + (uint64_t)x, acc)
}
void nk_reduce_max_s64_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int64_t, int64_t, int64_t, INT64_MIN, x > acc ? x : acc, acc)
}
void nk_reduce_min_s64_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int64_t, int64_t, int64_t, INT64_MAX, x < acc ? x : acc, acc)
}
void nk_reduce_prod_s64_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int64_t, int64_t, int64_t, 1, (uint64_t)acc * (uint64_t)x, acc)
}

/* Towards zero; over no element 0. */
void nk_reduce_mean_s32_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int32_t, int64_t, int32_t, 0, acc + x,
                 p->reduced_count == 0 ? 0 : acc / p->reduced_count)
}

void nk_reduce_any_b8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(uint8_t, uint8_t, uint8_t, 0, acc != 0 || x != 0, acc)
}
void nk_reduce_all_b8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(uint8_t, uint8_t, uint8_t, 1, acc != 0 && x != 0, acc)
}

/* The host has folded 1 / count into the multiplier of a mean. */
static inline int32_t rescaled(int32_t sum, const nk_reduce_params* p, int32_t lo, int32_t hi) {
  return nk_requantize(nk_wrap_sub(sum, nk_wrap_mul(p->in_zero_point, p->reduced_count)),
                       p->multiplier, p->shift, p->zero_point, lo, hi);
}

void nk_reduce_sum_s8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int8_t, int32_t, int8_t, 0, nk_wrap_add(acc, x),
                 rescaled(acc, p, INT8_MIN, INT8_MAX))
}
void nk_reduce_mean_s8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int8_t, int32_t, int8_t, 0, nk_wrap_add(acc, x),
                 rescaled(acc, p, INT8_MIN, INT8_MAX))
}
void nk_reduce_max_s8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int8_t, int8_t, int8_t, INT8_MIN, x > acc ? x : acc, acc)
}
void nk_reduce_min_s8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int8_t, int8_t, int8_t, INT8_MAX, x < acc ? x : acc, acc)
}
void nk_reduce_sum_u8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(uint8_t, int32_t, uint8_t, 0, nk_wrap_add(acc, x),
                 rescaled(acc, p, 0, UINT8_MAX))
}
void nk_reduce_mean_u8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(uint8_t, int32_t, uint8_t, 0, nk_wrap_add(acc, x),
                 rescaled(acc, p, 0, UINT8_MAX))
}
void nk_reduce_max_u8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(uint8_t, uint8_t, uint8_t, 0, x > acc ? x : acc, acc)
}
void nk_reduce_min_u8_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(uint8_t, uint8_t, uint8_t, UINT8_MAX, x < acc ? x : acc, acc)
}
void nk_reduce_sum_s16_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int16_t, int32_t, int16_t, 0, nk_wrap_add(acc, x),
                 rescaled(acc, p, INT16_MIN, INT16_MAX))
}
void nk_reduce_mean_s16_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int16_t, int32_t, int16_t, 0, nk_wrap_add(acc, x),
                 rescaled(acc, p, INT16_MIN, INT16_MAX))
}
void nk_reduce_max_s16_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int16_t, int16_t, int16_t, INT16_MIN, x > acc ? x : acc, acc)
}
void nk_reduce_min_s16_ref(NK_KERNEL_ARGS) {
  NK_REDUCE_LOOP(int16_t, int16_t, int16_t, INT16_MAX, x < acc ? x : acc, acc)
}

/* Body of a function: log(sum(exp(x))) of the reduced box at `start`, about its largest element;
 * two walks. Infinities and NaN are their own answer; x - x would make NaN of them. */
#define NK_LOG_SUM_EXP(real, exp_of, log_of)                                              \
  const int32_t* strides[1];                                                              \
  int32_t index[NK_ND_DIMS] = {0}, offset = start;                                        \
  real greatest = -INFINITY, sum = 0;                                                     \
  strides[0] = p->reduced_strides;                                                        \
  do {                                                                                    \
    if (x[offset] > greatest || x[offset] != x[offset]) greatest = x[offset];             \
  } while (nk_nd_next(index, p->reduced_dims, p->reduced_rank, strides, &offset, 1));     \
  if (greatest - greatest != 0) return greatest;                                          \
  do {                                                                                    \
    sum += exp_of(x[offset] - greatest);                                                  \
  } while (nk_nd_next(index, p->reduced_dims, p->reduced_rank, strides, &offset, 1));     \
  return greatest + log_of(sum);

static inline float log_sum_exp(const float* x, const nk_reduce_params* p, int32_t start) {
  NK_LOG_SUM_EXP(float, expf, logf)
}

static inline double log_sum_exp_f64(const double* x, const nk_reduce_params* p, int32_t start) {
  NK_LOG_SUM_EXP(double, exp, log)
}

/* Body of a kernel: `whole` of each reduced box. */
#define NK_BOXES_LOOP(real, whole)                                                           \
  const nk_reduce_params* p = (const nk_reduce_params*)params;                               \
  const real* source = (const real*)in[0];                                                   \
  real* target = (real*)out[0];                                                              \
  const int empty = nk_nd_empty(p->reduced_dims, p->reduced_rank);                           \
  const int32_t* strides[1];                                                                 \
  int32_t index[NK_ND_DIMS] = {0}, offset = 0;                                               \
  (void)scratch;                                                                             \
  strides[0] = p->kept_strides;                                                              \
  if (nk_nd_empty(p->kept_dims, p->kept_rank)) return;                                       \
  do {                                                                                       \
    *target++ = empty ? -INFINITY : whole(source, p, offset);                                \
  } while (nk_nd_next(index, p->kept_dims, p->kept_rank, strides, &offset, 1));

void nk_reduce_log_sum_exp_f32_ref(NK_KERNEL_ARGS) { NK_BOXES_LOOP(float, log_sum_exp) }
void nk_reduce_log_sum_exp_f64_ref(NK_KERNEL_ARGS) { NK_BOXES_LOOP(double, log_sum_exp_f64) }
