/* SPDX-License-Identifier: MIT */
/* detection_postprocess: boxes of a detector, decoded, thinned out and ranked, as TensorFlow Lite's
 * custom operator TFLite_Detection_PostProcess does it.
 *   Inputs:  boxes [1, n, coords] of (y, x, h, w, more that is not read) in units of the scales,
 *            scores [1, n, classes], the first class being the background where there is one more
 *            than num_classes, anchors [n, 4] of (y, x, h, w). Each float32, uint8 or int8.
 *   Outputs: boxes [1, max_detections * max_classes, 4] of (y_min, x_min, y_max, x_max), their
 *            classes (without the background) and scores [1, max_detections * max_classes], and how
 *            many [1]; all float32, what is not used is 0.
 *   Attributes: max_detections, max_classes, detections_per_class, regular, num_classes,
 *            score_threshold, iou_threshold, y_scale, x_scale, h_scale, w_scale.
 * Fast: of each box the best class counts; the best box that is left is taken, those that overlap
 * it by more than iou_threshold are struck out, until max_detections are taken; each gives its
 * max_classes best classes. Regular: that per class with detections_per_class, then the
 * max_detections best of all. Of equal scores the first box comes first, and the first class. A
 * score that is NaN is never taken. Corners are computed in double and rounded to float32.
 * No output overlaps an input. */
#ifndef NETKIT_OPS_DETECTION_DETECTION_H
#define NETKIT_OPS_DETECTION_DETECTION_H

#include "ops/common/kernel.h"

/* kind: how an element of boxes, scores, anchors is stored. */
#define NK_DETECTION_F32 0
#define NK_DETECTION_U8 1
#define NK_DETECTION_S8 2

#define NK_DETECTION_BOXES 0
#define NK_DETECTION_SCORES 1
#define NK_DETECTION_ANCHORS 2

#define NK_DETECTION_POSTPROCESS_FIELDS(S, A) \
  S(int32_t, boxes) \
  S(int32_t, coords) \
  S(int32_t, classes) /* with the background */ \
  S(int32_t, num_classes) \
  S(int32_t, max_detections) \
  S(int32_t, max_classes) \
  S(int32_t, per_class) \
  S(int32_t, regular) \
  A(int32_t, kind, 3) \
  A(int32_t, zero_point, 3) \
  A(float, scale, 3) \
  A(float, unit, 4) /* of y, x, h, w */ \
  S(float, score_threshold) \
  S(float, iou_threshold)

typedef struct nk_detection_postprocess_params {
  NK_DETECTION_POSTPROCESS_FIELDS(NK_FIELD, NK_FIELD_ARRAY)
} nk_detection_postprocess_params;

/* Scratch, in floats: the corners of every box, then a score of every box. */
#define NK_DETECTION_SCRATCH_PER_BOX 5

#endif
