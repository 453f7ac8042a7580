/* SPDX-License-Identifier: MIT */
/* A .nk file from C: loads it, runs it on the first digits of an IDX file, prints the classes.
 * usage: infer_c MODEL.nk IMAGES.idx3 */
#include <stdio.h>

#include "netkit.h"

#define PIXELS 784
#define CLASSES 10

/* One picture through the model, as real numbers from 0 to 1 or as int8, pixel - 128. */
static nk_status_t classify(const nk_model_t* model, nk_arena_t* arena,
                            const unsigned char* pixels, uint32_t* class_index) {
  uint32_t i, count = 0;
  nk_status_t status;
  if (nk_model_is_quantized(model)) {
    int8_t input[PIXELS], scores[CLASSES];
    for (i = 0; i < PIXELS; ++i) input[i] = (int8_t)(pixels[i] - 128);
    status = nk_model_run_int8(model, arena, input, PIXELS, scores, CLASSES, &count);
    *class_index = status == NK_OK ? nk_argmax_i8(scores, count) : 0;
  } else {
    float input[PIXELS], scores[CLASSES];
    for (i = 0; i < PIXELS; ++i) input[i] = (float)pixels[i] / 255.0f;
    status = nk_model_run(model, arena, input, PIXELS, scores, CLASSES, &count);
    *class_index = status == NK_OK ? nk_argmax_f32(scores, count) : 0;
  }
  return status;
}

static int stop(const char* what) {
  fprintf(stderr, "infer_c: %s: %s\n", what, nk_last_error());
  return 1;
}

int main(int argc, char** argv) {
  static NK_MAX_ALIGNED unsigned char memory[1 << 20];
  unsigned char header[16], pixels[PIXELS];
  nk_arena_t arena;
  nk_model_t model;
  FILE* images;
  int i;
  if (argc != 3) {
    fprintf(stderr, "usage: infer_c MODEL.nk IMAGES.idx3\n");
    return 2;
  }
  nk_arena_init(&arena, memory, sizeof memory);
  if (nk_model_load(argv[1], &arena, &model) != NK_OK) return stop(argv[1]);
  images = fopen(argv[2], "rb");
  if (images == NULL || fread(header, sizeof header, 1, images) != 1) return stop(argv[2]);
  printf("arena %zu B, classes:", nk_arena_used(&arena));
  for (i = 0; i < 10 && fread(pixels, sizeof pixels, 1, images) == 1; ++i) {
    uint32_t class_index;
    if (classify(&model, &arena, pixels, &class_index) != NK_OK) return stop("run");
    printf(" %u", (unsigned)class_index);
  }
  printf("\n");
  fclose(images);
  nk_arena_reset(&arena); /* releases the mapped file */
  return 0;
}
