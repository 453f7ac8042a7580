/* SPDX-License-Identifier: MIT */
/* Whether parameters of dwconv2d and dwconv2d_parts fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/dwconv2d/dwconv2d.h"

static int is_mode(const nk_fit* f, const nk_dwconv2d_params* p) {
  int32_t rows;
  if (p->mode != NK_MODE_CHANNEL_RING) {
    return nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD);
  }
  rows = (p->kernel_h - 1) * p->dilation_h + 1;
  if (rows > p->in_h) rows = p->in_h;
  return p->depth_multiplier == 1 &&
         nk_fit_scratch(f, f->in_elem, nk_fit_times((uint32_t)rows, (uint32_t)p->in_w));
}

/* What does not depend on where the input stands; the input's sizes fit. */
static int fits(const nk_fit* f) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)f->params;
  const int32_t weights[3] = {p->kernel_h, p->kernel_w, p->out_c};
  return p->depth_multiplier >= 1 &&
         nk_fit_times((uint32_t)p->in_c, (uint32_t)p->depth_multiplier) == (uint32_t)p->out_c &&
         nk_fit_in(f, 1, f->in_elem, nk_fit_count(weights, 3)) && is_mode(f, p) &&
         nk_fit_weighted(f, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}

NK_FIT(nk_dwconv2d_fit) { return nk_fit_spatial(f, (const nk_spatial*)f->params) && fits(f); }

NK_FIT(nk_dwconv2d_parts_fit) {
  const nk_dwconv2d_parts_params* p = (const nk_dwconv2d_parts_params*)f->params;
  nk_fit rest;
  return p->mode != NK_MODE_CHANNEL_RING &&
         nk_fit_parts(f, (const nk_spatial*)f->params, p->parts, p->part_c, &rest) && fits(&rest);
}
