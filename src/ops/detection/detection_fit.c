/* SPDX-License-Identifier: MIT */
/* Whether parameters of detection_postprocess fit the arguments (fit.h). */
#include "ops/common/fit.h"
#include "ops/detection/detection.h"

static int is_input(const nk_fit* f, uint32_t which, uint32_t count) {
  const nk_detection_postprocess_params* p = (const nk_detection_postprocess_params*)f->params;
  const int32_t kind = p->kind[which];
  return nk_is_within(kind, NK_DETECTION_F32, NK_DETECTION_S8) &&
         nk_is_offset_x8(p->zero_point[which]) &&
         nk_fit_in(f, which, kind == NK_DETECTION_F32 ? sizeof(float) : 1, count);
}

/* A regular run walks over all boxes per_class times for each class. */
NK_FIT(nk_detection_postprocess_fit) {
  const nk_detection_postprocess_params* p = (const nk_detection_postprocess_params*)f->params;
  const int32_t boxes[2] = {p->boxes, p->coords}, scores[2] = {p->boxes, p->classes};
  const int32_t anchors[2] = {p->boxes, 4}, places[2] = {p->max_detections, p->max_classes};
  const int32_t scratch[2] = {p->boxes, NK_DETECTION_SCRATCH_PER_BOX};
  const uint32_t found = nk_fit_count(places, 2);
  return nk_fit_apart(
      p->coords >= 4 && nk_is_within(p->num_classes, 1, p->classes) &&
      p->classes - p->num_classes <= 1 && nk_is_within(p->per_class, 0, p->boxes) &&
      is_input(f, NK_DETECTION_BOXES, nk_fit_count(boxes, 2)) &&
      is_input(f, NK_DETECTION_SCORES, nk_fit_count(scores, 2)) &&
      is_input(f, NK_DETECTION_ANCHORS, nk_fit_count(anchors, 2)) &&
      nk_fit_out(f, 0, sizeof(float), nk_fit_times(found, 4)) &&
      nk_fit_out(f, 1, sizeof(float), found) && nk_fit_out(f, 2, sizeof(float), found) &&
      nk_fit_out(f, 3, sizeof(float), 1) &&
      nk_fit_scratch(f, sizeof(float), nk_fit_count(scratch, 2)));
}
