// SPDX-License-Identifier: MIT
// What stands in an nk_model_t, nk_mlp_t or nk_cnn_t that holds a program in the version 5 format:
// read from a file in place, or made by the compiler of layers. No heap.
#pragma once

#include "netkit/layer_info.hpp"
#include "runtime/capi/c_arena.h"
#include "runtime/capi/c_program.h"
#include "runtime/capi/last_error.h"

namespace netkit {

struct Loaded {
  nk_program_t program;
  nk_arch_info_t arch;
  Arena* arena;              // that owns what stands behind the handle
  uint32_t generation;       // of the arena when the handle was made
  uint32_t results;          // outputs that are no feature taps
  uint32_t workspace_bytes;  // the largest scratch of a kernel
  bool ready;                // the program is loaded
  bool omits_softmax;
  bool quantized;  // the first input is
  // One inference on `input`, and `view` a view of the result; in a handle whose other calls must
  // not link the executor.
  nk_status_t (*forward)(Loaded& loaded, const nk_tensor_t* input, nk_tensor_t& view);
  uint64_t mark;  // create or load has filled the storage
};
static_assert(sizeof(Loaded) <= sizeof(nk_model_t) && sizeof(nk_model_t) == sizeof(nk_mlp_t) &&
              sizeof(nk_model_t) == sizeof(nk_cnn_t));

inline constexpr uint64_t kLoadedMark = 0xa1f07c55d2394be6u;  // chance is 2^-64

// nullptr: never filled, or its arena was reset.
inline Loaded* loaded_of(const void* storage) {
  auto* loaded = static_cast<Loaded*>(const_cast<void*>(storage));
  const bool filled = loaded != nullptr && loaded->mark == kLoadedMark;
  return filled && loaded->arena->generation() == loaded->generation ? loaded : nullptr;
}
// The same of a const handle; nullptr for NULL.
template <typename Handle>
Loaded* loaded_of(const Handle* handle) {
  return loaded_of(static_cast<const void*>(handle != nullptr ? handle->storage : nullptr));
}
// An empty one in the storage, whatever that held.
Loaded& make_loaded(void* storage, Arena& arena);

// Takes the planned bytes from the arena and loads with `kernels`, or with all of the library where
// there are none. On failure the arena is as before. Does not fill `arch`.
nk_status_t load_program(Loaded& loaded, const void* file, size_t size, Arena& arena,
                         KernelTable kernels = {});
// load_program and arch. NK_ERR_VERSION_MISMATCH for versions 3 and 4: netkit compile converts
// them.
nk_status_t load_version_5(Loaded& loaded, const void* file, size_t size, Arena& arena);
// The version that the first bytes state; 0: not a .nk file.
uint32_t version_of(const void* data, size_t size);
// Of a verified file. NK_ERR_UNSUPPORTED_NETWORK: the input has more than four axes.
nk_status_t arch_of(const NkView& view, nk_arch_info_t& arch);

// One inference on what stands in the inputs; without the last softmax where that is asked for.
nk_status_t run_loaded(Loaded& loaded, Executor::Hook hook = nullptr, void* user = nullptr);
// An output behind run_loaded, or what the softmax that was left out would have read.
nk_status_t result_of(Loaded& loaded, uint32_t index, nk_program_tensor_t& tensor);
// Copies a tensor of the caller's, of the input's shape and dense, into the only input.
nk_status_t set_input(Loaded& loaded, const nk_tensor_t* input);
// The result as a tensor without a batch of 1 in front of an image.
nk_status_t view_result(Loaded& loaded, nk_tensor_t& view);
// set_input, run_loaded, view_result.
nk_status_t forward_loaded(Loaded& loaded, const nk_tensor_t* input, nk_tensor_t& view);

// "conv2d", "max pool", …: what timings and refusals call a layer.
const char* block_name(nk_cnn_block_type_t type);
// What a step of a verified file does, as block_name where it is a layer, else the operator
// ("softmax"); stands in `text` or for good.
const char* step_name(const NkView& view, uint32_t index, char (&text)[32]);
// All constants of the program: what it keeps outside its arena.
size_t constants_bytes(const Loaded& loaded);
// nk_arch_info_t::expected_weight_floats of a verified file.
size_t weight_elements(const NkView& view);
// Calls the listener for each step that is a layer (LayerInfo).
void each_layer_of(const Loaded& loaded, LayerListener listener, void* user);

// nk_model_run and nk_model_run_int8.
nk_status_t run_model(Loaded& loaded, const float* input, uint32_t input_count, float* output,
                      uint32_t capacity, uint32_t* output_count);
nk_status_t run_model(Loaded& loaded, const int8_t* input, uint32_t input_count, int8_t* output,
                      uint32_t capacity, uint32_t* output_count);

}  // namespace netkit
