/* SPDX-License-Identifier: MIT */
/* Whether parameters of dwconv2d's planar rows fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/dwconv2d/planar.h"

NK_FIT(nk_dwconv2d_planar_fit) {
  const nk_dwconv2d_params* p = (const nk_dwconv2d_params*)f->params;
  const nk_spatial* s = (const nk_spatial*)f->params;
  int32_t taps[3];
  int64_t scratch_bytes;
  if (!nk_fit_spatial(f, s) || !nk_is_whole(s) || p->in_c != p->out_c ||
      (p->mode != NK_MODE_PLAIN && p->mode != NK_MODE_CHANNEL_RING) ||
      !nk_is_within(p->pad_top, 0, p->kernel_h - 1) ||
      !nk_is_within(p->pad_left, 0, p->kernel_w - 1)) {
    return NK_FIT_REFUSED;
  }
  taps[0] = p->out_c;
  taps[1] = nk_planar_of(p).kernel_h;
  taps[2] = nk_planar_of(p).words * 2;
  scratch_bytes = nk_planar_scratch(p);
  return scratch_bytes <= NK_FILE_MAX_PLACE && nk_fit_in(f, 1, 1, nk_fit_count(taps, 3)) &&
         nk_fit_scratch(f, 8, (uint32_t)scratch_bytes / 8) &&
         nk_fit_dsp_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
