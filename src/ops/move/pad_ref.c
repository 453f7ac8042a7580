/* SPDX-License-Identifier: MIT */
/* Padding: with one value, or with elements of the input by an index rule per axis. */
#include <string.h>

#include "ops/move/move.h"

static inline uint8_t* fill(uint8_t* to, size_t bytes, const nk_pad_params* p) {
  size_t i;
  if (p->width == 1) {
    memset(to, p->value[0], bytes);
  } else {
    for (i = 0; i < bytes; i += (size_t)p->width) memcpy(to + i, p->value, (size_t)p->width);
  }
  return to + bytes;
}

/* Writes the output once from low to high. Axis by axis from the outermost: a block of padding, the
 * inner axes of each input slice, a block of padding. `below[a]` is the output size in bytes of one
 * step along axis a. */
void nk_pad_constant_ref(NK_KERNEL_ARGS) {
  const nk_pad_params* p = (const nk_pad_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const int32_t last = p->rank - 1;
  const size_t line = (size_t)p->dims[last] * (size_t)p->width;
  size_t below[6];
  int32_t index[6] = {0};
  int32_t axis;
  (void)scratch;
  below[last] = (size_t)p->width;
  for (axis = last; axis > 0; --axis) {
    below[axis - 1] =
        below[axis] * (size_t)(p->before[axis] + p->dims[axis] + p->after[axis]);
  }
  if (nk_nd_empty(p->dims, p->rank)) { /* nothing but padding */
    (void)fill(target, below[0] * (size_t)(p->before[0] + p->dims[0] + p->after[0]), p);
    return;
  }
  axis = 0;
  for (;;) {
    for (; axis <= last; ++axis) target = fill(target, (size_t)p->before[axis] * below[axis], p);
    memcpy(target, source, line);
    source += line;
    target = fill(target + line, (size_t)p->after[last] * below[last], p);
    for (axis = last - 1; axis >= 0 && ++index[axis] == p->dims[axis]; --axis) {
      index[axis] = 0;
      target = fill(target, (size_t)p->after[axis] * below[axis], p);
    }
    if (axis < 0) return;
    ++axis;
  }
}

/* Source position along an axis of size n >= 1 for output position i - before; positions beyond one
 * reflection go on bouncing, as numpy.pad has it. */
static inline int32_t source_position(int32_t i, int32_t n, int32_t pad_mode) {
  int32_t period;
  if (pad_mode == NK_PAD_EDGE) return i < 0 ? 0 : (i >= n ? n - 1 : i);
  if (pad_mode == NK_PAD_REFLECT && n == 1) return 0;
  period = pad_mode == NK_PAD_WRAP ? n : (pad_mode == NK_PAD_REFLECT ? 2 * n - 2 : 2 * n);
  i %= period;
  if (i < 0) i += period;
  if (i < n) return i;
  return pad_mode == NK_PAD_REFLECT ? period - i : period - 1 - i;
}

void nk_pad_mirror_ref(NK_KERNEL_ARGS) {
  const nk_pad_params* p = (const nk_pad_params*)params;
  const uint8_t* source = (const uint8_t*)in[0];
  uint8_t* target = (uint8_t*)out[0];
  const size_t width = (size_t)p->width;
  int32_t index[6] = {0};
  int32_t axis;
  (void)scratch;
  for (;;) {
    size_t at = 0;
    for (axis = 0; axis < p->rank; ++axis) {
      const int32_t n = p->dims[axis];
      at = at * (size_t)n +
           (size_t)source_position(index[axis] - p->before[axis], n, p->pad_mode);
    }
    memcpy(target, source + at * width, width);
    target += width;
    for (axis = p->rank - 1; axis >= 0; --axis) {
      if (++index[axis] < p->before[axis] + p->dims[axis] + p->after[axis]) break;
      index[axis] = 0;
    }
    if (axis < 0) return;
  }
}
