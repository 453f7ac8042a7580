/* SPDX-License-Identifier: MIT */
/* Whether parameters of conv2d's DSP row fit the arguments (fit.h). */
#include "ops/common/arm/dsp_fit.h"
#include "ops/conv2d/arm/conv2d_dsp.h"

NK_FIT(nk_conv2d_dsp_fit) {
  const nk_conv2d_params* p = (const nk_conv2d_params*)f->params;
  const nk_spatial* s = (const nk_spatial*)f->params;
  const int32_t taps[3] = {p->kernel_h, p->kernel_w, p->in_c};
  int32_t words[2];
  if (!nk_fit_spatial(f, s) || !nk_is_whole(s) || p->groups != 1 ||
      (p->dilation_w != 1 && p->kernel_w != 1) ||
      !nk_is_within(p->mode, NK_MODE_PLAIN, NK_MODE_BACKWARD) ||
      nk_fit_count(taps, 3) > NK_CONV2D_DSP_MOST_SCRATCH ||
      nk_conv2d_dsp_scratch(p) > NK_CONV2D_DSP_MOST_SCRATCH) {
    return NK_FIT_REFUSED;
  }
  words[0] = p->out_c / 2 + p->out_c % 2;
  words[1] = nk_conv2d_dsp_words(p);
  return nk_fit_in(f, 1, sizeof(int32_t), nk_fit_count(words, 2)) &&
         nk_fit_scratch(f, 8, (uint32_t)nk_conv2d_dsp_scratch(p) / 8) &&
         nk_fit_dsp_table(f, 2, (const nk_weighted*)(const void*)&p->input_offset, p->out_c);
}
