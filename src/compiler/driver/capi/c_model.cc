// SPDX-License-Identifier: MIT
// nk_model_t, and loading into the handles of both kinds of networks.
#include <cstring>

#include "compiler/driver/capi/network.h"

namespace netkit::driver {

nk_status_t load(void* storage, Arena* arena, nk_arch_info_t* info, const ModelBytes& from,
                 bool mlp_only) {
  if (arena == nullptr || storage == nullptr) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "load: no arena or no handle");
  }
  return guarded([&] {
    Network* n = make_network(storage, *arena);
    const Arena::Mark mark = arena->mark();
    nk_status_t status = from.path != nullptr ? load_path(*n, from.path, *arena)
                                              : load_bytes(*n, from.data, from.size, *arena);
    if (status == NK_OK && mlp_only && n->arch.kind != NK_NETWORK_MLP) {
      status = netkit::refuse(NK_ERR_UNSUPPORTED_NETWORK, "not a network of dense layers only");
    }
    if (status != NK_OK) {
      arena->release(mark);
      n->mark = 0;
      return status;
    }
    if (info != nullptr) *info = n->arch;
    return NK_OK;
  });
}

namespace {

template <typename T>
nk_status_t checked_run(const nk_model_t* model, const T* input, uint32_t input_count, T* output,
                        uint32_t capacity, uint32_t* output_count) {
  Network* n = network_of(model, "nk_model_run");
  if (n == nullptr) return NK_ERR_MODEL_NOT_LOADED;
  return run_model(*n, input, input_count, output, capacity, output_count);
}

// NULL is a path that names nothing, not a file in memory.
ModelBytes path_of(const char* path) {
  return {path != nullptr ? path : ""};
}

bool is_quantized(const Network* n) {
  return n != nullptr && n->ready && n->quantized;
}

}  // namespace
}  // namespace netkit::driver

using namespace netkit;
using namespace netkit::driver;

extern "C" {

nk_status_t nk_mlp_load(const char* nk_path, nk_arena_t* arena, nk_mlp_t* mlp,
                        nk_arch_info_t* info) {
  return load(mlp ? mlp->storage : nullptr, arena_of(arena), info, path_of(nk_path), true);
}
nk_status_t nk_mlp_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_mlp_t* mlp,
                               nk_arch_info_t* info) {
  return load(mlp ? mlp->storage : nullptr, arena_of(arena), info, {nullptr, data, size}, true);
}
nk_status_t nk_cnn_load(const char* nk_path, nk_arena_t* arena, nk_cnn_t* cnn,
                        nk_arch_info_t* info) {
  return load(cnn ? cnn->storage : nullptr, arena_of(arena), info, path_of(nk_path), false);
}
nk_status_t nk_cnn_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_cnn_t* cnn,
                               nk_arch_info_t* info) {
  return load(cnn ? cnn->storage : nullptr, arena_of(arena), info, {nullptr, data, size}, false);
}
nk_status_t nk_model_load(const char* nk_path, nk_arena_t* arena, nk_model_t* model) {
  return load(model ? model->storage : nullptr, arena_of(arena), nullptr, path_of(nk_path), false);
}
nk_status_t nk_model_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena,
                                 nk_model_t* model) {
  return load(model ? model->storage : nullptr, arena_of(arena), nullptr, {nullptr, data, size},
              false);
}

nk_status_t nk_model_load_auto(const char* nk_path, nk_arena_t* arena, nk_network_kind_t* kind,
                               nk_mlp_t* mlp, nk_cnn_t* cnn, nk_arch_info_t* info) {
  nk_arch_info_t arch;
  if (kind == nullptr || mlp == nullptr || cnn == nullptr) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_model_load_auto: a handle is NULL");
  }
  *kind = NK_NETWORK_UNKNOWN;
  nk_status_t status = load(cnn->storage, arena_of(arena), &arch, path_of(nk_path), false);
  if (status != NK_OK) return status;
  if (info != nullptr) *info = arch;
  *kind = arch.kind;
  if (arch.kind == NK_NETWORK_MLP) {
    std::memcpy(mlp->storage, cnn->storage, sizeof(Network));
    reinterpret_cast<Network*>(cnn->storage)->mark = 0;
  }
  return NK_OK;
}

bool nk_mlp_is_quantized(const nk_mlp_t* mlp) {
  return is_quantized(network_of(mlp, "nk_mlp_is_quantized"));
}
bool nk_cnn_is_quantized(const nk_cnn_t* cnn) {
  return is_quantized(network_of(cnn, "nk_cnn_is_quantized"));
}
bool nk_model_is_quantized(const nk_model_t* model) {
  return is_quantized(network_of(model, "nk_model_is_quantized"));
}

nk_status_t nk_model_get_arch(const nk_model_t* model, nk_arch_info_t* info) {
  const Network* n = network_of(model, "nk_model_get_arch");
  if (n == nullptr) return NK_ERR_MODEL_NOT_LOADED;
  if (info == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_model_get_arch: no info");
  *info = n->arch;
  return NK_OK;
}
uint32_t nk_model_input_count(const nk_model_t* model) {
  const Network* n = network_of(model, "nk_model_input_count");
  return n ? n->arch.input_elements : 0;
}
uint32_t nk_model_output_count(const nk_model_t* model) {
  const Network* n = network_of(model, "nk_model_output_count");
  return n ? n->arch.output_elements : 0;
}
nk_network_kind_t nk_model_kind(const nk_model_t* model) {
  const Network* n = network_of(model, "nk_model_kind");
  return n ? n->arch.kind : NK_NETWORK_UNKNOWN;
}
void nk_model_set_omit_final_softmax(nk_model_t* model, bool omit) {
  if (Network* n = network_of(model, "nk_model_set_omit_final_softmax")) n->omits_softmax = omit;
}
bool nk_model_omit_final_softmax(const nk_model_t* model) {
  const Network* n = network_of(model, "nk_model_omit_final_softmax");
  return n && n->omits_softmax;
}

nk_status_t nk_model_run(const nk_model_t* model, nk_arena_t*, const float* input,
                         uint32_t input_count, float* output, uint32_t output_capacity,
                         uint32_t* output_count) {
  return checked_run(model, input, input_count, output, output_capacity, output_count);
}
nk_status_t nk_model_run_int8(const nk_model_t* model, nk_arena_t*, const int8_t* input,
                              uint32_t input_count, int8_t* output, uint32_t output_capacity,
                              uint32_t* output_count) {
  return checked_run(model, input, input_count, output, output_capacity, output_count);
}

}  // extern "C"
