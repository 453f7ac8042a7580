/* SPDX-License-Identifier: MIT */
/* Model files of versions 3 to 5 from a path or from memory, and the tools around them.
 * C99 to C23 and C++17. */
#ifndef NETKIT_C_MODEL_H
#define NETKIT_C_MODEL_H

#include "netkit/c/network.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NK_MAX_CASE_FLOATS 16384
#define NK_MAX_LAYERS 100
#define NK_MAX_PATH_LEN 256
#define NK_MAX_MESSAGE_LEN 128

typedef enum nk_network_kind_t {
  NK_NETWORK_UNKNOWN = 0,
  NK_NETWORK_MLP, /* dense layers only */
  NK_NETWORK_CNN
} nk_network_kind_t;

/* As nk_mlp_t. */
typedef struct nk_model_t {
  NK_MAX_ALIGNED unsigned char storage[256];
} nk_model_t;
NK_STATIC_CHECK(model_size, sizeof(nk_model_t) == 256);

/* The first input, without a batch of 1 in front of an image. num_layers: version 5 counts steps.
 * Elements are those of all inputs, all outputs. weights_bytes and biases_bytes: what the file
 * stores; version 5 tells no biases apart from weights, multipliers and tables there. */
typedef struct nk_arch_info_t {
  uint32_t version;
  nk_network_kind_t kind;
  uint32_t input_shape[NK_MAX_TENSOR_RANK];
  uint32_t input_rank;
  uint32_t num_layers;
  size_t expected_weight_floats; /* weights and biases, elements of whatever type; of version 5
                                    those of convolutions, dense layers and norms, and all
                                    constants of float32 operators */
  size_t weights_bytes, biases_bytes;
  uint32_t input_elements, output_elements;
} nk_arch_info_t;

typedef struct nk_inspect_info_t {
  nk_arch_info_t arch;
  size_t weight_floats; /* as expected_weight_floats */
  size_t arena_bytes_after_load;
  size_t arena_bytes_after_forward; /* a forward takes nothing: as after the load */
  size_t arena_remaining;
  size_t flash_payload_bytes; /* all constants of the planned program, which stand outside the
                                 arena: those of `netkit inspect` */
} nk_inspect_info_t;

typedef struct nk_test_summary_t {
  uint32_t passed, failed;
} nk_test_summary_t;

nk_status_t nk_parse_architecture(const char* nk_path, nk_arch_info_t* info);
nk_status_t nk_parse_architecture_memory(const uint8_t* data, size_t size, nk_arch_info_t* info);
nk_status_t nk_arch_print(const char* nk_path);
/* An arena of so many bytes, of any alignment, takes nk_model_load and every run; 0 on failure. */
size_t nk_recommended_arena_bytes(const char* nk_path);

/* Load: `data` stays the caller's and in place; a file is mapped, and the arena owns the mapping,
 * or, where files are not mapped, it is read into the arena. Versions 3 and 4 are converted, their
 * constants stand in memory that the arena owns; class cpu only, elsewhere they are refused
 * (NK_ERR_VERSION_MISMATCH). `info` may be NULL. nk_mlp_load refuses what is no MLP, nk_cnn_load
 * takes both. */
nk_status_t nk_mlp_load(const char* nk_path, nk_arena_t* arena, nk_mlp_t* mlp, nk_arch_info_t*
                        info);
nk_status_t nk_mlp_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_mlp_t* mlp,
                               nk_arch_info_t* info);
bool nk_mlp_is_quantized(const nk_mlp_t* mlp);
nk_status_t nk_cnn_load(const char* nk_path, nk_arena_t* arena, nk_cnn_t* cnn, nk_arch_info_t*
                        info);
nk_status_t nk_cnn_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_cnn_t* cnn,
                               nk_arch_info_t* info);
bool nk_cnn_is_quantized(const nk_cnn_t* cnn);
/* Fills the handle of the file's kind, and *kind. */
nk_status_t nk_model_load_auto(const char* nk_path, nk_arena_t* arena, nk_network_kind_t* kind,
                               nk_mlp_t* mlp, nk_cnn_t* cnn, nk_arch_info_t* info);
nk_status_t nk_model_load(const char* nk_path, nk_arena_t* arena, nk_model_t* model);
nk_status_t nk_model_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_model_t*
                                 model);
nk_status_t nk_model_get_arch(const nk_model_t* model, nk_arch_info_t* info);
/* Elements of all inputs together, and of all outputs. */
uint32_t nk_model_input_count(const nk_model_t* model);
uint32_t nk_model_output_count(const nk_model_t* model);
nk_network_kind_t nk_model_kind(const nk_model_t* model);
bool nk_model_is_quantized(const nk_model_t* model);
void nk_model_set_omit_final_softmax(nk_model_t* model, bool omit);
bool nk_model_omit_final_softmax(const nk_model_t* model);

/* One inference; the inputs one after the other, so the outputs. *output_count (or NULL) gets the
 * number of outputs, also where output_capacity is too small. nk_model_run quantises and
 * dequantises for a quantised model; nk_model_run_int8 needs int8 inputs and outputs. Nothing is
 * taken from the arena, which may be NULL. */
nk_status_t nk_model_run(const nk_model_t* model, nk_arena_t* arena, const float* input, uint32_t
                         input_count, float* output, uint32_t output_capacity, uint32_t*
                         output_count);
nk_status_t nk_model_run_int8(const nk_model_t* model, nk_arena_t* arena, const int8_t* input,
                              uint32_t input_count, int8_t* output, uint32_t output_capacity,
                              uint32_t* output_count);
/* The place of the greatest value, the first of equal ones; a NaN counts as the greatest, as in
 * numpy and in the operator ArgMax, so that a result gone wrong shows. 0: no values. */
uint32_t nk_argmax_i8(const int8_t* values, uint32_t count);
uint32_t nk_argmax_f32(const float* values, uint32_t count);

/* Loads and runs once on zeros, in an arena that is reset first. */
nk_status_t nk_inspect_model(const char* nk_path, nk_arena_t* arena, nk_inspect_info_t* info);
nk_status_t nk_inspect_model_memory(const uint8_t* data, size_t size, nk_arena_t* arena,
                                    nk_inspect_info_t* info);

#if defined(NETKIT_TARGET_CPU)
/* The cases inside a file; one that cannot be read counts as a failed case. nk_run_all_tests runs
 * the models of the folder models/ on their digits. */
nk_test_summary_t nk_run_model_tests(const char* nk_path);
nk_test_summary_t nk_run_all_tests(void);
/* The command line netkit: argv[0] is a name, a verb follows; its exit code. argc 0 or a NULL is
 * wrong usage (2). */
int nk_cli_run(int argc, char** argv);
#endif

#ifdef __cplusplus
}
#endif

#endif
