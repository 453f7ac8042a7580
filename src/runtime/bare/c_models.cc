// SPDX-License-Identifier: MIT
// nk_model_t on a bare device, and version 5 files in the handles of networks: in place, with every
// kernel of the library. A path is mapped where arenas own mappings, else read into the arena.
#include "netkit/network.hpp"
#include "runtime/capi/c_status.h"
#include "runtime/loaded/loaded.h"
#include "runtime/loaded/read_file.h"
#ifdef NETKIT_USE_MMAP
#include "runtime/host/mapped_file.h"
#endif

using namespace netkit;

namespace {

nk_status_t load_checked(Loaded& loaded, const void* data, size_t size, Arena& arena,
                         bool mlp_only) {
  const nk_status_t status = load_version_5(loaded, data, size, arena);
  if (status != NK_OK || !mlp_only || loaded.arch.kind == NK_NETWORK_MLP) return status;
  return refuse(NK_ERR_UNSUPPORTED_NETWORK, "not a network of dense layers only");
}

#ifdef NETKIT_USE_MMAP
// A mapping that goes with the arena, and stands in it.
struct OwnedMapping : ArenaOwned {
  MappedFile file;
};

nk_status_t own(MappedFile& file, Arena& arena) {
  auto* owned = static_cast<OwnedMapping*>(arena.alloc(sizeof(OwnedMapping)));
  if (owned == nullptr) return refuse(NK_ERR_ARENA_OVERFLOW, "no room for the file's mapping");
  __builtin_memset(static_cast<void*>(owned), 0, sizeof *owned);
  owned->file = static_cast<MappedFile&&>(file);
  owned->release = [](ArenaOwned* self) { static_cast<OwnedMapping*>(self)->file.close(); };
  arena.own(owned);
  return NK_OK;
}

nk_status_t load_path(Loaded& loaded, const char* path, Arena& arena, bool mlp_only) {
  MappedFile file;
  if (const char* why = file.open(path)) return refuse(NK_ERR_MODEL_OPEN, why);
  const nk_status_t status = load_checked(loaded, file.data(), file.size(), arena, mlp_only);
  return status == NK_OK ? own(file, arena) : status;
}
#else
nk_status_t load_path(Loaded& loaded, const char* path, Arena& arena, bool mlp_only) {
  FileBytes file;
  const nk_status_t status = read_file(path, arena, file);
  if (status != NK_OK) return status;
  return load_checked(loaded, file.data, file.size, arena, mlp_only);
}
#endif

// A failure leaves the arena as before and nothing loaded.
nk_status_t load(void* storage, Arena* arena, const ModelSource& from, bool mlp_only,
                 nk_arch_info_t* info) {
  if (storage == nullptr || arena == nullptr) {
    return refuse(NK_ERR_INVALID_ARGUMENT, "load: no arena or no handle");
  }
  Loaded& loaded = make_loaded(storage, *arena);
  const Arena::Mark before = arena->mark();
  const nk_status_t status = from.path != nullptr
                                 ? load_path(loaded, from.path, *arena, mlp_only)
                                 : load_checked(loaded, from.data, from.size, *arena, mlp_only);
  if (status != NK_OK) {
    arena->release(before);
    loaded.mark = 0;
    return status;
  }
  if (info != nullptr) *info = loaded.arch;
  return NK_OK;
}

nk_status_t parse(const uint8_t* data, size_t size, nk_arch_info_t* info) {
  if (data == nullptr || info == nullptr) {
    return refuse(NK_ERR_INVALID_ARGUMENT, "nk_parse_architecture: no data or no info");
  }
  NkView view;
  Fault fault = view.open(data, size);
  if (fault.ok()) fault = view.verify_structure(all_kernels());
  return fault.ok() ? arch_of(view, *info) : public_status(fault.code());
}

// Every input is zero; outputs stay where they are.
nk_status_t run_zeros(Loaded& loaded) {
  nk_program_tensor_t tensor;
  for (uint32_t i = 0; nk_program_input(&loaded.program, i, &tensor) == NK_OK; ++i) {
    __builtin_memset(tensor.data, 0, tensor.bytes);
  }
  return run_loaded(loaded);
}

nk_status_t inspect(const ModelSource& from, nk_arena_t* arena, nk_inspect_info_t* info) {
  if (info == nullptr) return refuse(NK_ERR_INVALID_ARGUMENT, "nk_inspect_model: no info");
  nk_model_t model;
  nk_arena_reset(arena);
  nk_status_t status = load(model.storage, arena_of(arena), from, false, &info->arch);
  if (status != NK_OK) return status;
  info->weight_floats = info->arch.expected_weight_floats;
  info->flash_payload_bytes = constants_bytes(*loaded_of(&model));
  info->arena_bytes_after_load = nk_arena_used(arena);
  status = run_zeros(*loaded_of(&model));
  info->arena_bytes_after_forward = nk_arena_used(arena);
  info->arena_remaining = nk_arena_remaining(arena);
  return status;
}

template <typename T>
nk_status_t run_handle(const nk_model_t* model, const T* input, uint32_t input_count, T* output,
                       uint32_t capacity, uint32_t* output_count) {
  Loaded* loaded = loaded_of(model);
  if (loaded == nullptr) return NK_ERR_MODEL_NOT_LOADED;
  return run_model(*loaded, input, input_count, output, capacity, output_count);
}

}  // namespace

namespace netkit {

nk_status_t load_network(void* storage, Arena& arena, const ModelSource& source, bool mlp_only,
                         nk_arch_info_t* info) {
  return load(storage, &arena, source, mlp_only, info);
}

void each_loaded_layer(const void* storage, LayerListener listener, void* user) {
  if (const Loaded* loaded = loaded_of(storage)) each_layer_of(*loaded, listener, user);
}

}  // namespace netkit

extern "C" {

nk_status_t nk_parse_architecture_memory(const uint8_t* data, size_t size, nk_arch_info_t* info) {
  return parse(data, size, info);
}

#ifdef NETKIT_USE_MMAP
nk_status_t nk_parse_architecture(const char* nk_path, nk_arch_info_t* info) {
  MappedFile file;
  if (nk_path == nullptr) return refuse(NK_ERR_INVALID_ARGUMENT, "no path");
  if (const char* why = file.open(nk_path)) return refuse(NK_ERR_MODEL_OPEN, why);
  return parse(file.data(), file.size(), info);
}
size_t nk_recommended_arena_bytes(const char* nk_path) {
  MappedFile file;
  size_t bytes = 0, alignment = 1;
  if (nk_path == nullptr || file.open(nk_path) != nullptr) return 0;
  if (nk_program_need(file.data(), file.size(), &bytes, &alignment) != NK_OK) return 0;
  return bytes + alignment - 1 + sizeof(OwnedMapping) + alignof(max_align_t) - 1;
}
#else
// Without an arena there is no place for the file.
nk_status_t nk_parse_architecture(const char*, nk_arch_info_t*) {
  return refuse(NK_ERR_MODEL_OPEN, "no mapped files here: nk_parse_architecture_memory");
}
size_t nk_recommended_arena_bytes(const char*) {
  return 0;
}
#endif

nk_status_t nk_mlp_load(const char* nk_path, nk_arena_t* arena, nk_mlp_t* mlp,
                        nk_arch_info_t* info) {
  return load(mlp ? mlp->storage : nullptr, arena_of(arena), {nk_path}, true, info);
}
nk_status_t nk_mlp_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_mlp_t* mlp,
                               nk_arch_info_t* info) {
  return load(mlp ? mlp->storage : nullptr, arena_of(arena), {nullptr, data, size}, true, info);
}
nk_status_t nk_cnn_load(const char* nk_path, nk_arena_t* arena, nk_cnn_t* cnn,
                        nk_arch_info_t* info) {
  return load(cnn ? cnn->storage : nullptr, arena_of(arena), {nk_path}, false, info);
}
nk_status_t nk_cnn_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_cnn_t* cnn,
                               nk_arch_info_t* info) {
  return load(cnn ? cnn->storage : nullptr, arena_of(arena), {nullptr, data, size}, false, info);
}
nk_status_t nk_model_load(const char* nk_path, nk_arena_t* arena, nk_model_t* model) {
  return load(model ? model->storage : nullptr, arena_of(arena), {nk_path}, false, nullptr);
}
nk_status_t nk_model_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena,
                                 nk_model_t* model) {
  return load(model ? model->storage : nullptr, arena_of(arena), {nullptr, data, size}, false,
              nullptr);
}
nk_status_t nk_model_load_auto(const char* nk_path, nk_arena_t* arena, nk_network_kind_t* kind,
                               nk_mlp_t* mlp, nk_cnn_t* cnn, nk_arch_info_t* info) {
  nk_arch_info_t arch;
  if (kind == nullptr || mlp == nullptr || cnn == nullptr) {
    return refuse(NK_ERR_INVALID_ARGUMENT, "nk_model_load_auto: a handle is NULL");
  }
  *kind = NK_NETWORK_UNKNOWN;
  const nk_status_t status = load(cnn->storage, arena_of(arena), {nk_path}, false, &arch);
  if (status != NK_OK) return status;
  if (info != nullptr) *info = arch;
  *kind = arch.kind;
  if (arch.kind == NK_NETWORK_MLP) {
    __builtin_memcpy(mlp->storage, cnn->storage, sizeof cnn->storage);
    loaded_of(cnn)->mark = 0;
  }
  return NK_OK;
}

nk_status_t nk_model_get_arch(const nk_model_t* model, nk_arch_info_t* info) {
  const Loaded* n = loaded_of(model);
  if (n == nullptr) return NK_ERR_MODEL_NOT_LOADED;
  if (info == nullptr) return NK_ERR_INVALID_ARGUMENT;
  *info = n->arch;
  return NK_OK;
}
uint32_t nk_model_input_count(const nk_model_t* model) {
  const Loaded* n = loaded_of(model);
  return n ? n->arch.input_elements : 0;
}
uint32_t nk_model_output_count(const nk_model_t* model) {
  const Loaded* n = loaded_of(model);
  return n ? n->arch.output_elements : 0;
}
nk_network_kind_t nk_model_kind(const nk_model_t* model) {
  const Loaded* n = loaded_of(model);
  return n ? n->arch.kind : NK_NETWORK_UNKNOWN;
}
bool nk_model_is_quantized(const nk_model_t* model) {
  const Loaded* n = loaded_of(model);
  return n && n->quantized;
}
void nk_model_set_omit_final_softmax(nk_model_t* model, bool omit) {
  if (Loaded* n = loaded_of(model)) n->omits_softmax = omit;
}
bool nk_model_omit_final_softmax(const nk_model_t* model) {
  const Loaded* n = loaded_of(model);
  return n && n->omits_softmax;
}

nk_status_t nk_model_run(const nk_model_t* model, nk_arena_t*, const float* input,
                         uint32_t input_count, float* output, uint32_t output_capacity,
                         uint32_t* output_count) {
  return run_handle(model, input, input_count, output, output_capacity, output_count);
}
nk_status_t nk_model_run_int8(const nk_model_t* model, nk_arena_t*, const int8_t* input,
                              uint32_t input_count, int8_t* output, uint32_t output_capacity,
                              uint32_t* output_count) {
  return run_handle(model, input, input_count, output, output_capacity, output_count);
}

nk_status_t nk_inspect_model(const char* nk_path, nk_arena_t* arena, nk_inspect_info_t* info) {
  return inspect({nk_path}, arena, info);
}
nk_status_t nk_inspect_model_memory(const uint8_t* data, size_t size, nk_arena_t* arena,
                                    nk_inspect_info_t* info) {
  return inspect({nullptr, data, size}, arena, info);
}

}  // extern "C"
