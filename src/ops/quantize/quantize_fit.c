/* SPDX-License-Identifier: MIT */
/* Whether parameters of the changes of element type fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/quantize/quantize.h"

static int same_count(const nk_fit* f, uint32_t count) {
  return nk_fit_in(f, 0, f->in_elem, count) && nk_fit_out(f, 0, f->out_elem, count);
}

/* in[1] and in[2] where the quantisation is per axis. */
NK_FIT(nk_quantize_fit) {
  const nk_quantize_params* p = (const nk_quantize_params*)f->params;
  const int32_t sizes[3] = {p->outer, p->channels, p->inner};
  const uint32_t channels = (uint32_t)p->channels;
  return same_count(f, nk_fit_count(sizes, 3)) && nk_is_offset(p->zero_point) &&
         nk_fit_optional(f, 1, sizeof(float), channels) &&
         nk_fit_optional(f, 2, sizeof(int32_t), channels) &&
         (f->in[2].place == NK_ARG_ABSENT ||
          nk_fit_table(f, 2, channels, -NK_FIT_OFFSET_LIMIT, NK_FIT_OFFSET_LIMIT));
}

/* A result of 32 bits is clamped to all of int32: its zero point is 0. An input of 32 bits may
 * have any: the difference wraps. */
NK_FIT(nk_requantize_fit) {
  const nk_requantize_params* p = (const nk_requantize_params*)f->params;
  return same_count(f, nk_fit_count(&p->count, 1)) && nk_is_shift(p->shift) &&
         (f->out_elem == 4 ? p->zero_point == 0 : nk_is_offset(p->zero_point)) &&
         (f->in_elem == 4 || nk_is_offset(p->in_zero_point));
}

NK_FIT(nk_cast_fit) {
  const nk_cast_params* p = (const nk_cast_params*)f->params;
  const uint32_t count = nk_fit_count(&p->count, 1);
  return nk_fit_in(f, 0, 1, nk_fit_times(count, (uint32_t)nk_cast_width(p->from))) &&
         nk_fit_out(f, 0, 1, nk_fit_times(count, (uint32_t)nk_cast_width(p->to)));
}
