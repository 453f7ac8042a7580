/* SPDX-License-Identifier: MIT */
/* Whether parameters of dwconv2d's Helium row fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/dwconv2d/arm/dwconv2d_mve.h"

NK_FIT(nk_dwconv2d_mve_fit) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)f->params;
  const nk_spatial* s = (const nk_spatial*)f->params;
  nk_mve_planar m;
  int32_t taps[2];
  if (!nk_fit_spatial(f, s) || !nk_is_whole(s) || p->depth_multiplier != 1 ||
      p->dilation_h != 1 || p->dilation_w != 1 ||
      (p->mode != NK_MODE_PLAIN && p->mode != NK_MODE_CHANNEL_RING) ||
      !nk_is_within(p->pad_top, 0, p->kernel_h - 1) ||
      !nk_is_within(p->pad_left, 0, p->kernel_w - 1) || !nk_mve_planar_serves(p)) {
    return NK_FIT_REFUSED;
  }
  m = nk_mve_planar_of(p);
  taps[0] = p->out_c;
  taps[1] = m.vectors * NK_MVE_BYTES;
  return nk_fit_in(f, 1, 1, nk_fit_count(taps, 2)) &&
         nk_fit_scratch(f, 1, (uint32_t)nk_mve_planar_scratch(p)) &&
         nk_fit_mve_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
