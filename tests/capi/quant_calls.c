/* SPDX-License-Identifier: MIT */
/* int8 networks set by hand. */
#include <string.h>

#include "calls.h"

void check_quant(void) {
  static unsigned char memory[4096];
  nk_arena_t arena;
  int8_t w[4] = {64, 0, 0, -64}, in[2] = {10, 20}, out[2];
  int32_t b[2] = {0, 64};
  float float_w[4] = {0, 0, 0, 0};
  const float scale = 1.0f / 64;
  nk_quant_layer_t entry = {NULL, NULL, 1, 0, 1, 0, NULL, 1, 0, 0};
  const nk_quant_t quant = {&entry, 1, false};
  nk_tensor_t weights, bias, x, y;
  nk_mlp_t mlp;
  nk_cnn_t cnn;
  memset(memory, 0xA5, sizeof memory);
  nk_arena_init(&arena, memory, sizeof memory);
  nk_tensor_view_2d_int8(w, 2, 2, &weights);
  nk_tensor_view_1d_int32(b, 2, &bias);
  nk_tensor_view_2d_int8(in, 1, 2, &x);
  nk_tensor_view_2d_int8(out, 1, 2, &y);
  CHECK(nk_mlp_create(&arena, 1, &mlp) == NK_OK);
  CHECK(nk_mlp_set_quant(&mlp, &quant) == NK_ERR_INVALID_ARGUMENT); /* no weight scales */
  entry.weight_scales = &scale;
  CHECK(nk_mlp_set_quant(&mlp, &quant) == NK_OK);
  CHECK(nk_mlp_init_layer(&mlp, 0, &weights, &bias, NK_ACTIVATION_NONE, 0) == NK_OK);
  CHECK(nk_mlp_set_quant(&mlp, &quant) == NK_ERR_INVALID_ARGUMENT); /* a layer is set */
  CHECK(nk_mlp_init_activation_buffers(&mlp, &arena, 1) == NK_OK && nk_mlp_is_quantized(&mlp));
  CHECK(nk_mlp_forward(&mlp, &arena, &x, &y) == NK_OK && out[0] == 10 && out[1] == -19);
  entry.weights = w;
  entry.bias = b;
  CHECK(nk_cnn_create(&arena, 1, &cnn) == NK_OK && nk_cnn_set_quant(&cnn, &quant) == NK_OK);
  CHECK(nk_cnn_init_conv_layer(&cnn, 0, 1, 1, 2, 2, float_w, NULL, NK_CONV_ACTIVATION_NONE, 0, 0,
                               0, 0, 0) == NK_ERR_INVALID_ARGUMENT);
  CHECK(nk_cnn_init_conv_layer(&cnn, 0, 1, 1, 2, 2, NULL, NULL, NK_CONV_ACTIVATION_NONE, 0, 0, 0, 0,
                               0) == NK_OK);
  CHECK(nk_cnn_init_activation_buffers(&cnn, &arena, 1, 1, 2) == NK_OK);
  CHECK(nk_cnn_forward(&cnn, &arena, &x, &y) == NK_OK);
  CHECK(((const int8_t*)y.data)[0] == 10 && ((const int8_t*)y.data)[1] == -19);
  nk_arena_reset(&arena); /* gives back what stands outside its bytes */
}
