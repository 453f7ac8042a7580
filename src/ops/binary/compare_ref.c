/* SPDX-License-Identifier: MIT */
/* Comparisons of two tensors, bool out (0 or 1), and the choice between two by a third. Quantised
 * tensors are compared after both sides are brought to one scale, as the TensorFlow Lite reference
 * kernels do. */
#include "base/fixed_point.h"
#include "ops/binary/binary_loop.h"

void nk_equal_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, uint8_t, a == b) }
void nk_not_equal_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, uint8_t, a != b) }
void nk_less_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, uint8_t, a < b) }
void nk_less_equal_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, uint8_t, a <= b) }
void nk_greater_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, uint8_t, a > b) }
void nk_greater_equal_f32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(float, uint8_t, a >= b) }

void nk_equal_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, uint8_t, a == b) }
void nk_not_equal_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, uint8_t, a != b) }
void nk_less_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, uint8_t, a < b) }
void nk_less_equal_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, uint8_t, a <= b) }
void nk_greater_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, uint8_t, a > b) }
void nk_greater_equal_s32_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int32_t, uint8_t, a >= b) }

void nk_equal_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, uint8_t, a == b) }
void nk_not_equal_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, uint8_t, a != b) }
void nk_less_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, uint8_t, a < b) }
void nk_less_equal_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, uint8_t, a <= b) }
void nk_greater_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, uint8_t, a > b) }
void nk_greater_equal_s64_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int64_t, uint8_t, a >= b) }

void nk_equal_b8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(uint8_t, uint8_t, (a != 0) == (b != 0)) }
void nk_not_equal_b8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, (a != 0) != (b != 0))
}

static inline int32_t side_a(int32_t a, const nk_binary_params* p) {
  const int32_t x = (a - p->a_zero_point) * ((int32_t)1 << p->left_shift);
  return nk_multiply_by_quantized(x, p->a_multiplier, p->a_shift);
}

static inline int32_t side_b(int32_t b, const nk_binary_params* p) {
  const int32_t x = (b - p->b_zero_point) * ((int32_t)1 << p->left_shift);
  return nk_multiply_by_quantized(x, p->b_multiplier, p->b_shift);
}

void nk_equal_s8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int8_t, uint8_t, side_a(a, p) == side_b(b, p))
}
void nk_not_equal_s8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int8_t, uint8_t, side_a(a, p) != side_b(b, p))
}
void nk_less_s8_ref(NK_KERNEL_ARGS) { NK_BINARY_LOOP(int8_t, uint8_t, side_a(a, p) < side_b(b, p)) }
void nk_less_equal_s8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int8_t, uint8_t, side_a(a, p) <= side_b(b, p))
}
void nk_greater_s8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int8_t, uint8_t, side_a(a, p) > side_b(b, p))
}
void nk_greater_equal_s8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(int8_t, uint8_t, side_a(a, p) >= side_b(b, p))
}

void nk_equal_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, side_a(a, p) == side_b(b, p))
}
void nk_not_equal_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, side_a(a, p) != side_b(b, p))
}
void nk_less_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, side_a(a, p) < side_b(b, p))
}
void nk_less_equal_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, side_a(a, p) <= side_b(b, p))
}
void nk_greater_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, side_a(a, p) > side_b(b, p))
}
void nk_greater_equal_u8_ref(NK_KERNEL_ARGS) {
  NK_BINARY_LOOP(uint8_t, uint8_t, side_a(a, p) >= side_b(b, p))
}

/* Body of `where` for elements of one width. */
#define NK_WHERE_LOOP(type)                                                              \
  const nk_where_params* p = (const nk_where_params*)params;                             \
  const uint8_t* c_data = (const uint8_t*)in[0];                                         \
  const type* a_data = (const type*)in[1];                                               \
  const type* b_data = (const type*)in[2];                                               \
  type* target = (type*)out[0];                                                          \
  const int32_t* strides[3];                                                             \
  int32_t index[NK_ND_DIMS] = {0};                                                       \
  int32_t offsets[3] = {0, 0, 0};                                                        \
  const int32_t last = p->rank - 1;                                                      \
  int32_t i;                                                                             \
  (void)scratch;                                                                         \
  strides[0] = p->c_strides;                                                             \
  strides[1] = p->a_strides;                                                             \
  strides[2] = p->b_strides;                                                             \
  if (nk_nd_empty(p->dims, p->rank)) return;                                             \
  do {                                                                                   \
    const uint8_t* c = c_data + offsets[0];                                              \
    const type* a = a_data + offsets[1];                                                 \
    const type* b = b_data + offsets[2];                                                 \
    for (i = 0; i < p->dims[last]; ++i) {                                                \
      *target++ = c[i * p->c_strides[last]] != 0 ? a[i * p->a_strides[last]]             \
                                                 : b[i * p->b_strides[last]];            \
    }                                                                                    \
  } while (nk_nd_next(index, p->dims, last, strides, offsets, 3));

void nk_where_x8_ref(NK_KERNEL_ARGS) { NK_WHERE_LOOP(uint8_t) }
void nk_where_x16_ref(NK_KERNEL_ARGS) { NK_WHERE_LOOP(uint16_t) }
void nk_where_x32_ref(NK_KERNEL_ARGS) { NK_WHERE_LOOP(uint32_t) }
void nk_where_x64_ref(NK_KERNEL_ARGS) { NK_WHERE_LOOP(uint64_t) }
