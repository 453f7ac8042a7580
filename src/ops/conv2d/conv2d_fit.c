/* SPDX-License-Identifier: MIT */
/* Whether parameters of conv2d and conv2d_parts fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/conv2d/conv2d.h"

/* Modes that copy a pixel to scratch read one for every output: 1x1 taps inside the input. */
static int is_mode(const nk_fit* f, const nk_conv2d_params* p) {
  if (!nk_copies_pixel(p->mode)) return nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD);
  return p->kernel_h == 1 && p->kernel_w == 1 && p->pad_top == 0 && p->pad_left == 0 &&
         (p->out_h - 1) * p->stride_h < p->in_h && (p->out_w - 1) * p->stride_w < p->in_w &&
         nk_fit_scratch(f, f->in_elem, (uint32_t)p->in_c);
}

/* What does not depend on where the input stands; the input's sizes fit. */
static int fits(const nk_fit* f) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)f->params;
  int32_t weights[4];
  if (p->groups < 1 || p->in_c % p->groups != 0 || p->out_c % p->groups != 0) return 0;
  weights[0] = p->out_c;
  weights[1] = p->kernel_h;
  weights[2] = p->kernel_w;
  weights[3] = p->in_c / p->groups;
  return nk_fit_in(f, 1, f->in_elem, nk_fit_count(weights, 4)) && is_mode(f, p) &&
         nk_fit_weighted(f, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}

NK_FIT(nk_conv2d_fit) { return nk_fit_spatial(f, (const nk_spatial*)f->params) && fits(f); }

NK_FIT(nk_conv2d_s32_fit) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)f->params;
  return p->mode == NK_MODE_PLAIN &&
         nk_fit_grouped(f, (const nk_spatial*)f->params, p->groups, f->in_elem) &&
         nk_is_offset_x8(p->input_offset) && nk_is_offset_x8(p->filter_offset);
}

NK_FIT(nk_conv2d_parts_fit) {
  const nk_conv2d_parts_params* p = (const nk_conv2d_parts_params*)f->params;
  nk_fit rest;
  return p->groups == 1 &&
         nk_fit_parts(f, (const nk_spatial*)f->params, p->parts, p->part_c, &rest) && fits(&rest);
}
