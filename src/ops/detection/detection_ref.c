/* SPDX-License-Identifier: MIT */
/* The reference of detection_postprocess (detection.h). Nothing is sorted: what comes next is found
 * by a pass over the boxes, so scratch holds a score and four corners of each. */
#include <math.h>
#include <string.h>

#include "ops/detection/detection.h"

typedef struct box_corners {
  float y_min, x_min, y_max, x_max;
} box_corners;

/* Element i of input `which` as a real number. */
static float real_at(const nk_detection_postprocess_params* p, const void* const* in, int which,
                     size_t i) {
  const int32_t kind = p->kind[which];
  int32_t q;
  if (kind == NK_DETECTION_F32) return ((const float*)in[which])[i];
  q = kind == NK_DETECTION_U8 ? ((const uint8_t*)in[which])[i] : ((const int8_t*)in[which])[i];
  return (float)(q - p->zero_point[which]) * p->scale[which];
}

/* Score of a box for a class, the background not counted. */
static float score_at(const nk_detection_postprocess_params* p, const void* const* in, int32_t box,
                      int32_t class_index) {
  const size_t at = (size_t)box * (size_t)p->classes + (size_t)class_index;
  return real_at(p, in, NK_DETECTION_SCORES, at + (size_t)(p->classes - p->num_classes));
}

static float centre_of(double offset, double unit, double anchor_size, double anchor) {
  return (float)(offset / unit * anchor_size + anchor);
}
static float half_of(double size, double unit, double anchor_size) {
  return (float)(0.5 * exp(size / unit) * anchor_size);
}

static box_corners corners_of(const nk_detection_postprocess_params* p, const void* const* in,
                              int32_t box) {
  float code[4], anchor[4], y, x, half_h, half_w;
  box_corners corners;
  int k;
  for (k = 0; k < 4; ++k) {
    code[k] = real_at(p, in, NK_DETECTION_BOXES, (size_t)box * (size_t)p->coords + (size_t)k);
    anchor[k] = real_at(p, in, NK_DETECTION_ANCHORS, (size_t)box * 4 + (size_t)k);
  }
  y = centre_of(code[0], p->unit[0], anchor[2], anchor[0]);
  x = centre_of(code[1], p->unit[1], anchor[3], anchor[1]);
  half_h = half_of(code[2], p->unit[2], anchor[2]);
  half_w = half_of(code[3], p->unit[3], anchor[3]);
  corners.y_min = y - half_h;
  corners.x_min = x - half_w;
  corners.y_max = y + half_h;
  corners.x_max = x + half_w;
  return corners;
}

static float greater_of(float a, float b) { return a < b ? b : a; }
static float lesser_of(float a, float b) { return b < a ? b : a; }

/* The area that both cover by the area that any covers; 0 where a box has none. */
static float overlap_of(const box_corners* a, const box_corners* b) {
  const float area_a = (a->y_max - a->y_min) * (a->x_max - a->x_min);
  const float area_b = (b->y_max - b->y_min) * (b->x_max - b->x_min);
  float h, w;
  if (area_a <= 0.0f || area_b <= 0.0f) return 0.0f;
  h = lesser_of(a->y_max, b->y_max) - greater_of(a->y_min, b->y_min);
  w = lesser_of(a->x_max, b->x_max) - greater_of(a->x_min, b->x_min);
  h = greater_of(h, 0.0f) * greater_of(w, 0.0f);
  return h / (area_a + area_b - h);
}

/* The box of the greatest score that reaches the threshold, the first of equals; -1: none. It and
 * those that overlap it too much are struck out: their scores become NaN. */
static int32_t take_best(const nk_detection_postprocess_params* p, const box_corners* corners,
                         float* scores) {
  int32_t i, best = -1;
  for (i = 0; i < p->boxes; ++i) {
    if (scores[i] >= p->score_threshold && (best < 0 || scores[i] > scores[best])) best = i;
  }
  if (best < 0) return best;
  for (i = 0; i < p->boxes; ++i) {
    if (i == best || overlap_of(&corners[best], &corners[i]) > p->iou_threshold) scores[i] = NAN;
  }
  return best;
}

/* The class that comes after `last` by its score for a box, of equals by its number; the best one
 * after -1, and -1 where none is left. */
static int32_t next_class(const nk_detection_postprocess_params* p, const void* const* in,
                          int32_t box, int32_t last) {
  const float before = last < 0 ? 0.0f : score_at(p, in, box, last);
  float best_score = 0.0f;
  int32_t c, best = -1;
  for (c = 0; c < p->num_classes; ++c) {
    const float score = score_at(p, in, box, c);
    if (last >= 0 && !(score < before || (score == before && c > last))) continue;
    if (best < 0 || score > best_score) {
      best = c;
      best_score = score;
    }
  }
  return best;
}

static void put(void* const* out, size_t at, const box_corners* corners, int32_t class_index,
                float score) {
  ((box_corners*)out[0])[at] = *corners;
  ((float*)out[1])[at] = (float)class_index;
  ((float*)out[2])[at] = score;
}

static int32_t run_fast(const nk_detection_postprocess_params* p, const void* const* in,
                        void* const* out, const box_corners* corners, float* scores) {
  int32_t i, k, taken;
  for (i = 0; i < p->boxes; ++i) scores[i] = score_at(p, in, i, next_class(p, in, i, -1));
  for (taken = 0; taken < p->max_detections; ++taken) {
    const int32_t box = take_best(p, corners, scores);
    int32_t c = -1;
    if (box < 0) break;
    for (k = 0; k < p->max_classes; ++k) {
      c = next_class(p, in, box, c);
      if (c < 0) break;
      put(out, (size_t)taken * (size_t)p->max_classes + (size_t)k, &corners[box], c,
          score_at(p, in, box, c));
    }
  }
  return taken;
}

/* A detection behind those of the same or a greater score, while fewer than max_detections stand
 * before it. Returns how many there are then, of `count` before. */
static int32_t insert(const nk_detection_postprocess_params* p, void* const* out, int32_t count,
                      const box_corners* corners, int32_t class_index, float score) {
  float *classes = (float*)out[1], *scores = (float*)out[2];
  box_corners* boxes = (box_corners*)out[0];
  int32_t at = count, i;
  while (at > 0 && scores[at - 1] < score) --at;
  if (at >= p->max_detections) return count;
  if (count < p->max_detections) ++count;
  for (i = count - 1; i > at; --i) {
    boxes[i] = boxes[i - 1];
    classes[i] = classes[i - 1];
    scores[i] = scores[i - 1];
  }
  put(out, (size_t)at, corners, class_index, score);
  return count;
}

static int32_t run_regular(const nk_detection_postprocess_params* p, const void* const* in,
                           void* const* out, const box_corners* corners, float* scores) {
  int32_t c, i, k, count = 0;
  for (c = 0; c < p->num_classes; ++c) {
    for (i = 0; i < p->boxes; ++i) scores[i] = score_at(p, in, i, c);
    for (k = 0; k < p->per_class; ++k) {
      const int32_t box = take_best(p, corners, scores);
      if (box < 0) break;
      count = insert(p, out, count, &corners[box], c, score_at(p, in, box, c));
    }
  }
  return count;
}

void nk_detection_postprocess_ref(NK_KERNEL_ARGS) {
  const nk_detection_postprocess_params* p = (const nk_detection_postprocess_params*)params;
  const size_t places = (size_t)p->max_detections * (size_t)p->max_classes;
  box_corners* corners = (box_corners*)scratch;
  float* scores = (float*)scratch + (size_t)p->boxes * 4;
  int32_t i, count;
  memset(out[0], 0, places * sizeof(box_corners));
  memset(out[1], 0, places * sizeof(float));
  memset(out[2], 0, places * sizeof(float));
  for (i = 0; i < p->boxes; ++i) corners[i] = corners_of(p, in, i);
  count = p->regular != 0 ? run_regular(p, in, out, corners, scores)
                          : run_fast(p, in, out, corners, scores);
  ((float*)out[3])[0] = (float)count;
}
