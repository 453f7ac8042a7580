/* SPDX-License-Identifier: MIT */
/* Whether parameters of the operators that move elements fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/move/move.h"

/* Each output element is written once. */
NK_FIT(nk_copy_fit) {
  const nk_copy_params* p = (const nk_copy_params*)f->params;
  const uint32_t width = (uint32_t)p->width;
  if (!nk_is_within(p->rank, 1, NK_ND_DIMS) || !nk_is_within(p->width, 1, 8) ||
      (width & (width - 1)) != 0) {
    return NK_FIT_REFUSED;
  }
  return nk_fit_apart(nk_fit_out(f, 0, width, nk_fit_count(p->dims, p->rank)) &&
               nk_fit_in(f, 0, width, nk_fit_span(p->dims, p->in_strides, p->rank,
                                                  p->in_offset)) &&
               nk_fit_out(f, 0, width, nk_fit_span(p->dims, p->out_strides, p->rank,
                                                   p->out_offset)));
}

NK_FIT(nk_concat_fit) {
  const nk_concat_params* p = (const nk_concat_params*)f->params;
  uint32_t total = 0;
  int32_t k;
  if (p->outer < 1 || !nk_is_within(p->count, 1, NK_MAX_STEP_ARGS - 1)) return NK_FIT_REFUSED;
  for (k = 0; k < p->count; ++k) {
    const uint32_t bytes = nk_fit_times((uint32_t)p->outer, (uint32_t)p->run_bytes[k]);
    if (p->run_bytes[k] == 0) continue;
    if (p->run_bytes[k] < 0 || !nk_fit_in(f, (uint32_t)k, 1, bytes)) return NK_FIT_REFUSED;
    total += bytes;
    if (total > NK_FILE_MAX_PLACE) return NK_FIT_REFUSED;
  }
  return total > 0 && nk_fit_out(f, 0, 1, total);
}

/* Bytes of the padded box; NK_FIT_MANY where it is none. Axes of the input may be empty. */
static uint32_t padded_bytes(const nk_pad_params* p) {
  uint32_t bytes = (uint32_t)p->width;
  int32_t i;
  for (i = 0; i < p->rank; ++i) {
    if (!nk_is_within(p->before[i], 0, NK_FIT_FAR) || !nk_is_within(p->after[i], 0, NK_FIT_FAR) ||
        !nk_is_within(p->dims[i], 0, NK_FIT_FAR)) {
      return NK_FIT_MANY;
    }
    bytes = nk_fit_times(bytes, (uint32_t)(p->before[i] + p->dims[i] + p->after[i]));
    if (bytes == 0) return NK_FIT_MANY;
  }
  return bytes;
}

static int is_padded(const nk_fit* f, int32_t most_width) {
  const nk_pad_params* p = (const nk_pad_params*)f->params;
  return nk_is_within(p->rank, 1, 6) && nk_is_within(p->width, 1, most_width) &&
         nk_fit_out(f, 0, 1, padded_bytes(p));
}

static uint32_t source_bytes(const nk_pad_params* p) {
  return nk_fit_times(nk_fit_count(p->dims, p->rank), (uint32_t)p->width);
}

NK_FIT(nk_pad_constant_fit) {
  const nk_pad_params* p = (const nk_pad_params*)f->params;
  return nk_fit_apart(is_padded(f, (int32_t)sizeof(p->value)) && f->in_count >= 1 &&
               (nk_nd_empty(p->dims, p->rank) || nk_fit_in(f, 0, 1, source_bytes(p))));
}

NK_FIT(nk_pad_mirror_fit) {
  const nk_pad_params* p = (const nk_pad_params*)f->params;
  return nk_fit_apart(is_padded(f, INT32_MAX) && nk_fit_in(f, 0, 1, source_bytes(p)));
}
