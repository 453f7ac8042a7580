/* SPDX-License-Identifier: MIT */
/* Every function of netkit.h at least once, in the dialect that the build gives (C99, C11, C23).
 * usage: all_calls MODEL.tflite FOLDER; stands in netkit's source folder. Prints the first line
 * that does not hold and ends with 1. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls.h"

#define ARENA_BYTES (1u << 20)
static unsigned char memory[ARENA_BYTES + 3];

/* An arena of any alignment, filled with a poison pattern. */
static nk_arena_t fresh_arena(void) {
  nk_arena_t arena;
  memset(memory, 0xA5, sizeof memory);
  nk_arena_init(&arena, memory + 3, ARENA_BYTES);
  return arena;
}

/* Small numbers that differ, for weights. */
static float* numbers(int count) {
  static float pool[1 << 16];
  static int used = 0;
  float* out = pool + used;
  int i;
  CHECK(used + count <= 1 << 16);
  for (i = 0; i < count; ++i) out[i] = (float)((i * 7 + used * 3) % 11 - 5) * 0.1f;
  used += count;
  return out;
}

static void check_tensors(void) {
  nk_arena_t arena = fresh_arena();
  const uint32_t shape[] = {2, 3, 4};
  float values[6] = {-1, 0, 1, 2, 3, 9};
  int8_t bytes[24] = {0};
  int32_t words[3] = {1, 2, 3};
  nk_tensor_t a, b, c, t;
  CHECK(nk_tensor_create_2d(&arena, 2, 3, &a) == NK_OK && a.num_elements == 6);
  CHECK(nk_tensor_create_nd(&arena, 3, shape, &b) == NK_OK && b.bytes == 96);
  CHECK(nk_tensor_create_nd(&arena, 5, shape, &c) == NK_ERR_INVALID_ARGUMENT);
  CHECK(nk_tensor_index_nhwc(&b, 1, 2, 3) == 23);
  CHECK(nk_tensor_fill(&a, values, 6) == NK_OK && nk_tensor_data_f32(&a)[5] == 9);
  CHECK(nk_tensor_fill(&a, values, 7) == NK_ERR_BUFFER_TOO_SMALL);
  CHECK(nk_tensor_data_f32_const(&a)[0] == -1 && nk_tensor_data_i8(&a) == NULL);
  nk_tensor_view_2d(values, 3, 2, &t);
  CHECK(t.data == values && t.shape[0] == 3 && t.stride[0] == 2);
  nk_tensor_view_2d_int8(bytes, 4, 6, &t);
  CHECK(nk_tensor_data_i8(&t) == bytes && nk_tensor_data_i8_const(&t) == bytes);
  nk_tensor_view_3d_int8(bytes, 2, 3, 4, &t);
  CHECK(t.rank == 3 && t.bytes == 24);
  nk_tensor_view_1d_int32(words, 3, &t);
  CHECK(nk_tensor_data_i32(&t) == words && nk_tensor_data_i32_const(&t)[2] == 3);
  nk_tensor_print(&t);
  nk_tensor_print_labeled("a", &a);
  CHECK(nk_argmax_f32(values, 6) == 5);
  values[2] = values[4] = nanf("");
  CHECK(nk_argmax_f32(values, 6) == 2 && nk_argmax_f32(values + 4, 2) == 0);
  CHECK(nk_argmax_f32(values, 0) == 0 && nk_argmax_f32(NULL, 6) == 0);
  bytes[7] = 4;
  CHECK(nk_argmax_i8(bytes, 24) == 7);
}

static void check_ops(void) {
  float av[4] = {-2, 1, 4, 8}, bv[4] = {1, 2, 3, 4}, cv[4];
  nk_tensor_t a, b, c;
  nk_tensor_view_2d(av, 2, 2, &a);
  nk_tensor_view_2d(bv, 2, 2, &b);
  nk_tensor_view_2d(cv, 2, 2, &c);
  CHECK(nk_ops_is_elementwise_valid(&a, &b) && nk_ops_check_same_shape_2d(&a, &b, &c));
  CHECK(nk_ops_check_same_shape_nd(&a, &b, &c) && nk_ops_is_matmul_valid(&a, &b, &c));
  CHECK(nk_ops_is_elementwise_valid_nd(&a, &b, &c) && nk_ops_is_unary_op_valid(&a, &c));
  nk_ops_mul(&a, &b, &c);
  CHECK(cv[0] == -2 && cv[3] == 32);
  nk_ops_mul_nd(&a, &b, &c);
  CHECK(cv[2] == 12);
  nk_ops_mul_scalar(&a, 0.5f, &c);
  CHECK(cv[3] == 4);
  nk_ops_mat_add(&a, &b, &c);
  CHECK(cv[0] == -1 && cv[3] == 12);
  nk_ops_mat_add_nd(&a, &b, &c);
  CHECK(cv[1] == 3);
  nk_ops_mat_mul(&a, &b, &c);
  CHECK(cv[0] == 1 && cv[1] == 0 && cv[2] == 28 && cv[3] == 40);
  nk_ops_relu(&a, &c);
  CHECK(cv[0] == 0 && cv[3] == 8);
  nk_ops_relu6(&a, &c);
  CHECK(cv[3] == 6);
  nk_ops_leaky_relu(&a, &c, 0.25f);
  CHECK(cv[0] == -0.5f);
  nk_ops_sigmoid(&a, &c);
  CHECK(fabsf(cv[1] - 0.7310586f) < 1e-6f);
  nk_ops_tanh(&a, &c);
  CHECK(fabsf(cv[1] - 0.7615942f) < 1e-6f);
  nk_ops_softmax(&a, &c);
  CHECK(fabsf(cv[0] + cv[1] + cv[2] + cv[3] - 1) < 1e-6f && cv[3] > 0.9f);
}

static void check_convolutions(void) {
  float in[9] = {1, 2, 3, 4, 5, 6, 7, 8, 9}, out[16] = {0};
  float ones[4] = {1, 1, 1, 1}, bias[1] = {0.5f};
  const uint32_t in_shape[] = {3, 3, 1}, out_shape[] = {4, 4, 1};
  nk_arena_t arena = fresh_arena();
  nk_tensor_t x, y;
  nk_conv2d_t conv = {2, 1, 1, 1, NK_PAD_MIRROR, NK_PAD_MIRROR, 1, 1, NULL, NULL};
  nk_depthwise_conv2d_t dw = {2, 2, 1, 1, 1, 1, 1, 1, NULL, NULL};
  CHECK(nk_tensor_create_nd(&arena, 3, in_shape, &x) == NK_OK);
  CHECK(nk_tensor_create_nd(&arena, 3, out_shape, &y) == NK_OK);
  CHECK(nk_tensor_fill(&x, in, 9) == NK_OK);
  conv.weights = dw.weights = ones;
  conv.bias = dw.bias = bias;
  nk_conv2d_forward(&conv, &x, &y);
  memcpy(out, y.data, sizeof out);
  CHECK(out[0] == 1.5f && out[5] == 12.5f && out[15] == 9.5f);
  memset(y.data, 0, sizeof out);
  nk_depthwise_conv2d_forward(&dw, &x, &y);
  CHECK(memcmp(out, y.data, sizeof out) == 0);
}

static void check_mlp(void) {
  nk_arena_t arena = fresh_arena();
  float w[4] = {1, 0, 0, 2}, b[2] = {0, 1}, in[2] = {3, 4}, out[2], logits[2];
  nk_tensor_t weights, bias, x, y;
  nk_mlp_t mlp;
  nk_tensor_view_2d(w, 2, 2, &weights);
  nk_tensor_view_2d(b, 1, 2, &bias);
  nk_tensor_view_2d(in, 1, 2, &x);
  nk_tensor_view_2d(out, 1, 2, &y);
  CHECK(nk_mlp_create(&arena, 2, &mlp) == NK_OK && nk_mlp_is_valid(&mlp));
  CHECK(nk_mlp_init_layer(&mlp, 0, &weights, &bias, NK_ACTIVATION_RELU, 0.01f) == NK_OK);
  CHECK(nk_mlp_init_activation_buffers(&mlp, &arena, 1) == NK_ERR_LAYER_CONFIG);
  CHECK(nk_mlp_init_layer(&mlp, 1, &weights, NULL, NK_ACTIVATION_SOFTMAX, 0.01f) == NK_OK);
  CHECK(nk_mlp_init_layer(&mlp, 2, &weights, NULL, NK_ACTIVATION_NONE, 0.01f) != NK_OK);
  CHECK(strlen(nk_last_error()) > 0);
  CHECK(nk_mlp_forward(&mlp, &arena, &x, &y) == NK_ERR_NOT_INITIALIZED);
  CHECK(nk_mlp_init_activation_buffers(&mlp, &arena, 1) == NK_OK);
  CHECK(nk_mlp_has_activation_buffers(&mlp) && !nk_mlp_is_quantized(&mlp));
  CHECK(nk_mlp_forward(&mlp, &arena, &x, &y) == NK_OK && fabsf(out[0] + out[1] - 1) < 1e-6f);
  nk_mlp_set_omit_final_softmax(&mlp, true);
  CHECK(nk_mlp_omit_final_softmax(&mlp));
  nk_tensor_view_2d(logits, 1, 2, &y);
  CHECK(nk_mlp_forward(&mlp, &arena, &x, &y) == NK_OK && logits[0] == 3 && logits[1] == 18);
  nk_arena_reset(&arena);
  CHECK(!nk_mlp_is_valid(&mlp));
}

static void check_simple_cnn(void) {
  nk_arena_t arena = fresh_arena();
  const uint32_t shape[] = {6, 6, 2};
  nk_tensor_t x, y, weights, bias;
  nk_cnn_t cnn;
  CHECK(nk_tensor_create_nd(&arena, 3, shape, &x) == NK_OK);
  CHECK(nk_tensor_fill(&x, numbers(72), 72) == NK_OK);
  nk_tensor_view_2d(numbers(24), 3, 8, &weights);
  nk_tensor_view_2d(numbers(3), 1, 3, &bias);
  CHECK(nk_cnn_create(&arena, 9, &cnn) == NK_OK && nk_cnn_is_valid(&cnn));
  CHECK(nk_cnn_init_conv_layer(&cnn, 0, 3, 1, 2, 4, numbers(72), numbers(4),
                               NK_CONV_ACTIVATION_RELU, 0.01f, 1, 1, NK_PAD_MIRROR,
                               NK_PAD_MIRROR) == NK_OK);
  CHECK(nk_cnn_init_depthwise_conv_layer(&cnn, 1, 3, 1, 1, 4, numbers(12), NULL,
                                         NK_CONV_ACTIVATION_LEAKY_RELU, 0.1f, 1, 0, 1, 0) == NK_OK);
  CHECK(nk_cnn_init_pool_layer(&cnn, 2, 2, 2, 1, 0, 0, 1, 1) == NK_OK);
  CHECK(nk_cnn_init_avg_pool_layer(&cnn, 3, 2, 2, 2, 0, 0, NK_PAD_MIRROR, 0) == NK_OK);
  CHECK(nk_cnn_init_batch_norm_layer(&cnn, 4, 4, numbers(4), numbers(4)) == NK_OK);
  CHECK(nk_cnn_init_layernorm_layer(&cnn, 5, 4, 1e-6f, numbers(4), numbers(4)) == NK_OK);
  CHECK(nk_cnn_init_conv_layer(&cnn, 6, 2, 1, 4, 2, numbers(32), NULL, NK_CONV_ACTIVATION_NONE, 0,
                               0, 0, 0, 0) == NK_OK);
  CHECK(nk_cnn_init_flatten_layer(&cnn, 7) == NK_OK);
  CHECK(nk_cnn_init_dense_layer(&cnn, 8, &weights, &bias, NK_ACTIVATION_SOFTMAX, 0) == NK_OK);
  CHECK(!nk_cnn_has_activation_buffers(&cnn));
  CHECK(nk_cnn_init_activation_buffers(&cnn, &arena, 6, 6, 2) == NK_OK);
  CHECK(nk_cnn_has_activation_buffers(&cnn) && !nk_cnn_is_quantized(&cnn));
  CHECK(nk_cnn_kernel_workspace_bytes(&cnn) <= nk_arena_used(&arena));
  CHECK(nk_cnn_forward(&cnn, &arena, &x, &y) == NK_OK && y.num_elements == 3);
  nk_cnn_set_omit_final_softmax(&cnn, true);
  CHECK(nk_cnn_omit_final_softmax(&cnn));
  CHECK(nk_cnn_forward(&cnn, &arena, &x, &y) == NK_OK && y.dtype == NK_DTYPE_FLOAT32);
  nk_arena_reset(&arena); /* gives back what stands outside its bytes */
}

static void run_block(nk_cnn_t* cnn, nk_arena_t* arena, uint32_t size, uint32_t channels,
                      uint32_t outputs) {
  const uint32_t shape[] = {size, size, channels};
  nk_tensor_t x, y;
  CHECK(nk_tensor_create_nd(arena, 3, shape, &x) == NK_OK);
  CHECK(nk_tensor_fill(&x, numbers((int)x.num_elements), x.num_elements) == NK_OK);
  CHECK(nk_cnn_init_activation_buffers(cnn, arena, size, size, channels) == NK_OK);
  CHECK(nk_cnn_forward(cnn, arena, &x, &y) == NK_OK && y.num_elements == outputs);
  CHECK(isfinite(((const float*)y.data)[0]));
}

static void check_blocks(void) {
  nk_arena_t arena = fresh_arena();
  float *convs[2], *biases[2] = {NULL, NULL};
  nk_cnn_t cnn;
  CHECK(nk_cnn_create(&arena, 1, &cnn) == NK_OK);
  CHECK(nk_cnn_init_convnextv2_block_layer(
            &cnn, &arena, 0, 4, 4, 2, 1e-6f, numbers(98), numbers(2), numbers(2), numbers(2),
            numbers(16), numbers(8), numbers(8), numbers(8), numbers(16), numbers(2)) == NK_OK);
  run_block(&cnn, &arena, 4, 2, 32);
  CHECK(nk_cnn_create(&arena, 1, &cnn) == NK_OK);
  CHECK(nk_cnn_init_mobilenetv4_uib_layer(
            &cnn, &arena, 0, 4, 4, 8, 8, 3, 3, 1, 1, 2.0f, numbers(72), NULL, numbers(8),
            numbers(8), numbers(128), NULL, numbers(16), numbers(16), numbers(144), NULL,
            numbers(16), numbers(16), numbers(128), NULL, numbers(8), numbers(8)) == NK_OK);
  run_block(&cnn, &arena, 4, 8, 128);
  CHECK(nk_cnn_create(&arena, 1, &cnn) == NK_OK);
  CHECK(nk_cnn_init_resnet_basic_block_layer(
            &cnn, &arena, 0, 4, 4, 2, 4, 2, numbers(72), NULL, NULL, NULL, numbers(144), NULL,
            NULL, NULL, numbers(8), NULL, NULL, NULL) == NK_OK);
  run_block(&cnn, &arena, 4, 2, 16);
  convs[0] = convs[1] = numbers(144);
  CHECK(nk_cnn_create(&arena, 1, &cnn) == NK_OK);
  CHECK(nk_cnn_init_yolox_decoupled_head_layer(
            &cnn, &arena, 0, 2, 2, 3, 4, 2, 2, numbers(12), NULL, convs, biases, convs, biases,
            numbers(8), NULL, numbers(16), NULL, numbers(4), NULL) == NK_OK);
  run_block(&cnn, &arena, 2, 3, 28);
  nk_arena_reset(&arena); /* gives back what stands outside its bytes */
}

static void check_neck(void) {
  nk_arena_t arena = fresh_arena();
  nk_cnn_t cnn;
  CHECK(nk_cnn_create(&arena, 5, &cnn) == NK_OK);
  CHECK(nk_cnn_init_feature_tap_layer(&cnn, &arena, 0, 8, 8, 2, 0) == NK_OK);
  CHECK(nk_cnn_init_pool_layer(&cnn, 1, 2, 2, 2, 0, 0, 0, 0) == NK_OK);
  CHECK(nk_cnn_init_feature_tap_layer(&cnn, &arena, 2, 4, 4, 2, 1) == NK_OK);
  CHECK(nk_cnn_init_pool_layer(&cnn, 3, 2, 2, 2, 0, 0, 0, 0) == NK_OK);
  CHECK(nk_cnn_init_yolox_pafpn_layer(
            &cnn, &arena, 4, 2, 2, 2, 2, 2, 4, 3, 1, numbers(8), NULL, numbers(8), NULL,
            numbers(8), NULL, numbers(36), NULL, numbers(16), NULL, numbers(36), NULL, numbers(16),
            NULL, numbers(36), NULL, numbers(16), NULL, numbers(36), NULL, numbers(16),
            NULL) == NK_OK);
  run_block(&cnn, &arena, 8, 2, 4 * (64 + 16 + 4));
  CHECK(nk_cnn_get_feature_tap_elems(&cnn, 0) == 128);
  CHECK(nk_cnn_get_feature_tap_elems(&cnn, 1) == 32);
  CHECK(nk_cnn_get_feature_tap_buffer(&cnn, 0) && !nk_cnn_get_feature_tap_buffer(&cnn, 3));
  nk_arena_reset(&arena); /* gives back what stands outside its bytes */
}

/* A file's bytes at a multiple of 16; the caller frees the block. */
static unsigned char* read_file(const char* path, size_t* size, void** block) {
  FILE* file = fopen(path, "rb");
  unsigned char* data;
  CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
  *size = (size_t)ftell(file);
  rewind(file);
  *block = malloc(*size + 16);
  CHECK(*block != NULL);
  data = (unsigned char*)*block + (16 - (size_t)*block % 16) % 16;
  CHECK(fread(data, 1, *size, file) == *size);
  fclose(file);
  return data;
}

static void check_run(nk_model_t* model, nk_arena_t* arena) {
  static float in[784], out[10];
  static int8_t in8[784], out8[10];
  uint32_t count = 0;
  CHECK(nk_model_input_count(model) == 784 && nk_model_output_count(model) == 10);
  CHECK(nk_model_kind(model) == NK_NETWORK_CNN && nk_model_is_quantized(model));
  CHECK(nk_model_run(model, arena, in, 784, out, 9, &count) == NK_ERR_BUFFER_TOO_SMALL);
  CHECK(count == 10);
  CHECK(nk_model_run(model, arena, in, 783, out, 10, NULL) == NK_ERR_INVALID_ARGUMENT);
  CHECK(nk_model_run(model, arena, in, 784, out, 10, &count) == NK_OK);
  memset(in8, -128, sizeof in8);
  CHECK(nk_model_run_int8(model, arena, in8, 784, out8, 10, &count) == NK_OK);
  CHECK(nk_argmax_i8(out8, 10) == nk_argmax_f32(out, 10));
  nk_model_set_omit_final_softmax(model, true);
  CHECK(nk_model_omit_final_softmax(model));
  CHECK(nk_model_run_int8(model, arena, in8, 784, out8, 10, &count) == NK_OK);
  CHECK(nk_argmax_i8(out8, 10) == nk_argmax_f32(out, 10));
  nk_model_set_omit_final_softmax(model, false);
}

static void check_program(const void* data, size_t size) {
  nk_program_t program;
  nk_program_tensor_t tensor;
  size_t need = 0, alignment = 0;
  void* at;
  nk_arena_t arena = fresh_arena();
  CHECK(nk_program_need(data, size, &need, &alignment) == NK_OK);
  at = nk_arena_alloc(&arena, need, alignment);
  CHECK(nk_program_load(&program, data, size, at, need) == NK_OK);
  CHECK(nk_program_input_count(&program) == 1 && nk_program_output_count(&program) == 1);
  CHECK(nk_program_input(&program, 0, &tensor) == NK_OK);
  memset(tensor.data, 0, tensor.bytes);
  CHECK(nk_program_run(&program) == NK_OK);
  CHECK(nk_program_output(&program, 0, &tensor) == NK_OK && tensor.elements == 10);
  CHECK(nk_program_arena_bytes(&program) == need);
  CHECK(nk_program_arena_alignment(&program) == alignment);
  CHECK(nk_program_load_with(&program, data, size, at, need, NULL, 0, NK_CHECK_STRUCTURE) ==
        NK_ERR_UNKNOWN_KERNEL);
}

static void check_files(const char* path) {
  nk_arena_t arena = fresh_arena();
  nk_arch_info_t info, same;
  nk_inspect_info_t inspected;
  nk_network_kind_t kind;
  nk_model_t model;
  nk_mlp_t mlp;
  nk_cnn_t cnn;
  void* block;
  size_t size;
  unsigned char* data = read_file(path, &size, &block);
  CHECK(nk_parse_architecture(path, &info) == NK_OK && info.version == 5);
  CHECK(nk_parse_architecture_memory(data, size, &same) == NK_OK);
  CHECK(memcmp(&info, &same, sizeof info) == 0 && info.input_rank == 3);
  CHECK(nk_parse_architecture("no such file", &info) == NK_ERR_MODEL_OPEN);
  CHECK(nk_arch_print(path) == NK_OK);
  CHECK(nk_model_load(path, &arena, &model) == NK_OK);
  check_run(&model, &arena);
  CHECK(nk_model_get_arch(&model, &info) == NK_OK && info.output_elements == 10);
  CHECK(nk_model_load_memory(data, size, &arena, &model) == NK_OK);
  check_run(&model, &arena);
  CHECK(nk_model_load_memory(data, size / 2, &arena, &model) == NK_ERR_MODEL_PARSE);
  CHECK(nk_model_input_count(&model) == 0);
  CHECK(nk_mlp_load(path, &arena, &mlp, &info) == NK_ERR_UNSUPPORTED_NETWORK);
  CHECK(nk_mlp_load_memory(data, size, &arena, &mlp, NULL) == NK_ERR_UNSUPPORTED_NETWORK);
  CHECK(nk_cnn_load(path, &arena, &cnn, &info) == NK_OK && nk_cnn_is_quantized(&cnn));
  CHECK(nk_cnn_load_memory(data, size, &arena, &cnn, NULL) == NK_OK);
  CHECK(nk_model_load_auto(path, &arena, &kind, &mlp, &cnn, &info) == NK_OK);
  CHECK(kind == NK_NETWORK_CNN && nk_cnn_is_valid(&cnn));
  CHECK(nk_inspect_model(path, &arena, &inspected) == NK_OK);
  CHECK(inspected.arena_bytes_after_load == inspected.arena_bytes_after_forward);
  CHECK(inspected.arena_bytes_after_load <= nk_recommended_arena_bytes(path));
  CHECK(nk_inspect_model_memory(data, size, &arena, &inspected) == NK_OK);
  CHECK(inspected.flash_payload_bytes == info.weights_bytes);
  CHECK(inspected.weight_floats == 160 + 4640 + 8010);
  nk_arena_reset(&arena);
  check_program(data, size);
  free(block);
}

static void check_tools(const char* model, const char* folder, char* path) {
  char compile[] = "compile", program[] = "netkit", output[] = "-o";
  char* arguments[6];
  nk_test_summary_t summary;
  arguments[0] = program;
  arguments[1] = compile;
  arguments[2] = (char*)(size_t)model;
  arguments[3] = output;
  arguments[4] = path;
  arguments[5] = NULL;
  sprintf(path, "%.200s/all_calls.nk", folder);
  CHECK(nk_cli_run(5, arguments) == 0);
  CHECK(nk_cli_run(4, arguments) == 2);
  CHECK(nk_cli_run(0, NULL) == 2 && nk_cli_run(3, NULL) == 2 && nk_cli_run(-1, arguments) == 2);
  CHECK(nk_cli_run(6, arguments) == 2); /* the sixth is NULL */
  summary = nk_run_model_tests("no such file");
  CHECK(summary.passed == 0 && summary.failed == 1 && strlen(nk_last_error()) > 0);
  summary = nk_run_all_tests();
  CHECK(summary.passed > 0 && summary.failed == 0);
}

int main(int argc, char** argv) {
  char path[NK_MAX_PATH_LEN];
  if (argc != 3) return 2;
  CHECK(strcmp(nk_version_string(), NK_VERSION_STRING) == 0);
  CHECK(strcmp(nk_status_string(NK_OK), "ok") == 0);
  CHECK(strlen(nk_last_error()) == 0);
  check_arena();
  check_page();
  check_tensors();
  check_ops();
  check_convolutions();
  check_mlp();
  check_quant();
  check_simple_cnn();
  check_blocks();
  check_neck();
  check_tools(argv[1], argv[2], path);
  check_files(path);
  printf("all calls hold\n");
  return 0;
}
