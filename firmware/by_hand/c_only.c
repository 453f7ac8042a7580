/* SPDX-License-Identifier: MIT */
/* An image network whose result feeds a network of dense layers, with the C interface alone. */
#include <stdint.h>

#include "by_hand.h"
#include "netkit.h"

/* The interface takes float*; nothing writes through it. */
static float* weights_at(size_t index) {
  return (float*)(uintptr_t)(by_hand_weights + index);
}

static nk_status_t features(nk_arena_t* arena, nk_tensor_t* result) {
  static nk_cnn_t cnn;
  static float pixels[8 * 8 * 4];
  const uint32_t shape[] = {8, 8, 4};
  nk_tensor_t image;
  nk_status_t status;
  int i;
  for (i = 0; i < 256; ++i) pixels[i] = (float)(i * 29 % 83) * 0.02f - 0.8f;
  status = nk_tensor_create_nd(arena, 3, shape, &image);
  if (status == NK_OK) status = nk_tensor_fill(&image, pixels, 256);
  if (status == NK_OK) status = nk_cnn_create(arena, 3, &cnn);
  if (status == NK_OK) {
    status = nk_cnn_init_mobilenetv4_uib_layer(
        &cnn, arena, 0, 8, 8, 4, 4, 3, 3, 1, 1, 4.0f, weights_at(0), weights_at(40), NULL, NULL,
        weights_at(50), weights_at(120), NULL, NULL, weights_at(140), weights_at(300), NULL, NULL,
        weights_at(320), weights_at(390), NULL, NULL);
  }
  if (status == NK_OK) {
    status = nk_cnn_init_avg_pool_layer(&cnn, 1, 4, 4, 4, 0, 0, NK_PAD_MIRROR, NK_PAD_MIRROR);
  }
  if (status == NK_OK) status = nk_cnn_init_flatten_layer(&cnn, 2);
  if (status == NK_OK) status = nk_cnn_init_activation_buffers(&cnn, arena, 8, 8, 4);
  return status == NK_OK ? nk_cnn_forward(&cnn, arena, &image, result) : status;
}

size_t by_hand(unsigned char* memory, float* output, size_t* used_bytes) {
  static nk_arena_t arena;
  static nk_mlp_t mlp;
  nk_tensor_t found, row, weights, bias, scores;
  nk_arena_init(&arena, memory, kMemoryBytes);
  if (features(&arena, &found) != NK_OK || found.num_elements != 16) return 0;
  nk_tensor_view_2d(nk_tensor_data_f32(&found), 1, 16, &row);
  if (nk_mlp_create(&arena, 2, &mlp) != NK_OK) return 0;
  nk_tensor_view_2d(weights_at(400), 12, 16, &weights);
  nk_tensor_view_2d(weights_at(600), 1, 12, &bias);
  if (nk_mlp_init_layer(&mlp, 0, &weights, &bias, NK_ACTIVATION_LEAKY_RELU, 0.125f) != NK_OK) {
    return 0;
  }
  nk_tensor_view_2d(weights_at(700), 5, 12, &weights);
  if (nk_mlp_init_layer(&mlp, 1, &weights, NULL, NK_ACTIVATION_NONE, 0) != NK_OK) return 0;
  if (nk_mlp_init_activation_buffers(&mlp, &arena, 1) != NK_OK) return 0;
  *used_bytes = nk_arena_used(&arena);
  nk_tensor_view_2d(output, 1, 5, &scores);
  if (nk_mlp_forward(&mlp, &arena, &row, &scores) != NK_OK) return 0;
  return nk_argmax_f32(output, 5) < 5 ? 5 : 0;
}
