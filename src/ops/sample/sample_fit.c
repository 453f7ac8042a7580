/* SPDX-License-Identifier: MIT */
/* Whether parameters of grid_sample and roi_align fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/sample/sample.h"

NK_FIT(nk_grid_sample_fit) {
  const nk_grid_sample_params* p = (const nk_grid_sample_params*)f->params;
  const int32_t image[4] = {p->batch, p->in_h, p->in_w, p->channels};
  const int32_t grid[3] = {p->batch, p->pixels, 2};
  const int32_t made[3] = {p->batch, p->pixels, p->channels};
  return nk_fit_apart(nk_is_within(p->way, NK_SAMPLE_LINEAR, NK_SAMPLE_CUBIC) &&
                      nk_is_within(p->padding, NK_SAMPLE_ZEROS, NK_SAMPLE_REFLECTION) &&
                      nk_fit_in(f, 0, sizeof(float), nk_fit_count(image, 4)) &&
                      nk_fit_in(f, 1, sizeof(float), nk_fit_count(grid, 3)) &&
                      nk_fit_out(f, 0, sizeof(float), nk_fit_count(made, 3)));
}

NK_FIT(nk_roi_align_fit) {
  const nk_roi_align_params* p = (const nk_roi_align_params*)f->params;
  const int32_t image[4] = {p->batch, p->in_h, p->in_w, p->channels};
  const int32_t rois[2] = {p->count, 4};
  const int32_t made[4] = {p->count, p->out_h, p->out_w, p->channels};
  return nk_fit_apart(nk_is_within(p->samples, 1, 64) &&
                      nk_fit_in(f, 0, sizeof(float), nk_fit_count(image, 4)) &&
                      nk_fit_in(f, 1, sizeof(float), nk_fit_count(rois, 2)) &&
                      nk_fit_in(f, 2, sizeof(int64_t), nk_fit_count(&p->count, 1)) &&
                      nk_fit_out(f, 0, sizeof(float), nk_fit_count(made, 4)));
}
