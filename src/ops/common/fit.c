/* SPDX-License-Identifier: MIT */
/* What the checks of parameter blocks share (fit.h). */
#include "ops/common/fit.h"

#include "ops/common/wide.h"

uint32_t nk_fit_times(uint32_t a, uint32_t b) {
  const uint64_t product = (uint64_t)a * b;
  return product > NK_FILE_MAX_PLACE ? NK_FIT_MANY : (uint32_t)product;
}

uint32_t nk_fit_count(const int32_t* sizes, int32_t rank) {
  uint32_t count = 1;
  int32_t i;
  for (i = 0; i < rank; ++i) {
    if (sizes[i] < 1) return NK_FIT_MANY;
    count = nk_fit_times(count, (uint32_t)sizes[i]);
  }
  return count;
}

uint32_t nk_fit_span(const int32_t* dims, const int32_t* strides, int32_t rank, int32_t start) {
  int64_t low = start, high = start;
  int32_t i;
  for (i = 0; i < rank; ++i) {
    const int64_t way = (int64_t)(dims[i] - 1) * strides[i];
    if (way < 0) {
      low += way;
    } else {
      high += way;
    }
    if (high >= (int64_t)NK_FILE_MAX_PLACE) return NK_FIT_MANY;
    if (low < 0) return NK_FIT_MANY;
  }
  return low < 0 ? NK_FIT_MANY : (uint32_t)high + 1;
}

static int holds(const nk_fit* f, const nk_file_arg* arg, uint32_t elem, uint32_t count) {
  uint32_t place = arg->place;
  if (place == NK_ARG_ABSENT) return 0;
  if ((place & NK_ARG_CONSTANT) == 0) place |= f->arena_alignment;
  return (place & (elem - 1)) == 0 && nk_fit_times(elem, count) <= arg->bytes;
}

int nk_fit_in(const nk_fit* f, uint32_t i, uint32_t elem, uint32_t count) {
  return i < f->in_count && holds(f, &f->in[i], elem, count);
}

int nk_fit_optional(const nk_fit* f, uint32_t i, uint32_t elem, uint32_t count) {
  return i < f->in_count &&
         (f->in[i].place == NK_ARG_ABSENT || holds(f, &f->in[i], elem, count));
}

int nk_fit_out(const nk_fit* f, uint32_t i, uint32_t elem, uint32_t count) {
  return i < f->out_count && holds(f, &f->out[i], elem, count);
}

int nk_fit_scratch(const nk_fit* f, uint32_t elem, uint32_t count) {
  return ((f->scratch_offset | f->arena_alignment) & (elem - 1)) == 0 &&
         nk_fit_times(elem, count) <= f->scratch_bytes;
}

const int32_t* nk_fit_constant(const nk_fit* f, uint32_t i, uint32_t count) {
  if (!nk_fit_in(f, i, sizeof(int32_t), count)) return NULL;
  if ((f->in[i].place & NK_ARG_CONSTANT) == 0) return NULL;
  return (const int32_t*)(const void*)(f->constants + (f->in[i].place & ~NK_ARG_CONSTANT));
}

int nk_fit_table(const nk_fit* f, uint32_t i, uint32_t count, int32_t lo, int32_t hi) {
  const int32_t* value = nk_fit_constant(f, i, count);
  const uint32_t range = (uint32_t)hi - (uint32_t)lo;
  const int32_t* end;
  if (value == NULL) return 0;
  for (end = value + count; value != end; ++value) {
    if ((uint32_t)*value - (uint32_t)lo > range) return 0;
  }
  return 1;
}

/* Positions along an axis and their differences stay far inside int32. */
static int is_axis(int32_t in, int32_t out, int32_t taps, int32_t stride, int32_t dilation,
                   int32_t pad) {
  const int32_t sizes[5] = {in, out, taps, stride, dilation};
  int i;
  for (i = 0; i < 5; ++i) {
    if (!nk_is_within(sizes[i], 1, NK_FIT_FAR)) return 0;
  }
  return nk_is_within(pad, -NK_FIT_FAR, NK_FIT_FAR) &&
         nk_fit_times((uint32_t)(out - 1), (uint32_t)stride) <= NK_FIT_FAR &&
         nk_fit_times((uint32_t)(taps - 1), (uint32_t)dilation) <= NK_FIT_FAR;
}

/* A band has no more rows than the output's ring: each is written once. */
int nk_fit_spatial(const nk_fit* f, const nk_spatial* s) {
  const int32_t in_sizes[4] = {s->batch, s->in_ring_h, s->in_w, s->in_c};
  const int32_t out_sizes[4] = {s->batch, s->out_ring_h, s->out_w, s->out_c};
  return is_axis(s->in_h, s->out_h, s->kernel_h, s->stride_h, s->dilation_h, s->pad_top) &&
         is_axis(s->in_w, s->out_w, s->kernel_w, s->stride_w, s->dilation_w, s->pad_left) &&
         nk_fit_in(f, 0, f->in_elem, nk_fit_count(in_sizes, 4)) &&
         nk_fit_out(f, 0, f->out_elem, nk_fit_count(out_sizes, 4)) && s->out_y0 >= 0 &&
         s->out_y0 < s->out_y1 && s->out_y1 <= s->out_h &&
         s->out_y1 - s->out_y0 <= s->out_ring_h;
}

int nk_fit_parts(const nk_fit* f, const nk_spatial* s, int32_t parts, const int32_t* part_c,
                 nk_fit* rest) {
  nk_spatial one = *s;
  int64_t channels = 0;
  int32_t k;
  *rest = *f;
  if (!nk_is_within(parts, 2, NK_MAX_PARTS) || parts > f->in_count) return 0;
  for (k = 0; k < parts; ++k) {
    one.in_c = part_c[k];
    channels += part_c[k];
    rest->in = f->in + k;
    rest->in_count = (uint8_t)(f->in_count - k);
    if (!nk_fit_spatial(rest, &one)) return 0;
  }
  return channels == s->in_c;
}

int nk_fit_grouped(const nk_fit* f, const nk_spatial* s, int32_t groups, uint32_t w_elem) {
  int32_t weights[4];
  if (!nk_fit_spatial(f, s) || groups < 1 || s->in_c % groups != 0 || s->out_c % groups != 0) {
    return 0;
  }
  weights[0] = s->out_c;
  weights[1] = s->kernel_h;
  weights[2] = s->kernel_w;
  weights[3] = s->in_c / groups;
  return nk_fit_in(f, 1, w_elem, nk_fit_count(weights, 4));
}

int nk_fit_weighted(const nk_fit* f, const nk_weighted* w, int32_t out_channels) {
  const uint32_t channels = (uint32_t)out_channels;
  const uint32_t scales = w->per_channel != 0 ? channels : 1;
  if (f->in_elem != 1) return nk_fit_optional(f, 2, f->in_elem, channels);
  return nk_fit_in(f, 2, sizeof(int32_t), channels) &&
         nk_fit_in(f, 3, sizeof(int32_t), scales) && nk_fit_table(f, 4, scales, -31, 30) &&
         nk_is_offset_x8(w->input_offset) && nk_is_offset_x8(w->filter_offset) &&
         nk_is_offset(w->output_offset) && nk_is_offset(w->act_min) && nk_is_offset(w->act_max);
}

int nk_fit_wide(const nk_fit* f, const nk_weighted* w, int32_t out_channels) {
  const uint32_t channels = (uint32_t)out_channels;
  const uint32_t scales = w->per_channel != 0 ? channels : 1;
  return nk_fit_in(f, 2, sizeof(int64_t), channels) && nk_fit_table(f, 3, scales, 0, INT32_MAX) &&
         nk_fit_table(f, 4, scales, NK_WIDE_MIN_SHIFT, NK_WIDE_MAX_SHIFT) &&
         nk_is_offset(w->act_min) && nk_is_offset(w->act_max);
}
