// SPDX-License-Identifier: MIT
// nk_model_t, and loading into the handles of both kinds of networks.
#include <cmath>
#include <cstring>

#include "compiler/driver/capi/network.h"
#include "netkit/model.hpp"

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
int64_t integer_at(const void* data, size_t i) {
  return static_cast<const T*>(data)[i];
}

// One element as a real number; false: no such type here.
bool real_at(const nk_program_tensor_t& t, size_t i, float& value) {
  int64_t q = 0;
  switch (t.dtype) {
    case NK_DTYPE_FLOAT32:
      value = static_cast<const float*>(t.data)[i];
      return true;
    case NK_DTYPE_INT8:
      q = integer_at<int8_t>(t.data, i);
      break;
    case NK_DTYPE_BOOL:
    case NK_DTYPE_UINT8:
      q = integer_at<uint8_t>(t.data, i);
      break;
    case NK_DTYPE_INT16:
      q = integer_at<int16_t>(t.data, i);
      break;
    case NK_DTYPE_INT32:
      q = integer_at<int32_t>(t.data, i);
      break;
    case NK_DTYPE_INT64:
      q = integer_at<int64_t>(t.data, i);
      break;
    default:
      return false;
  }
  value = t.scale != 0.0f ? t.scale * static_cast<float>(q - t.zero_point) : static_cast<float>(q);
  return true;
}

bool set_real(const nk_program_tensor_t& t, size_t i, float value) {
  if (t.dtype == NK_DTYPE_FLOAT32) {
    static_cast<float*>(t.data)[i] = value;
    return true;
  }
  ModelTensor tensor{};
  static_cast<nk_program_tensor_t&>(tensor) = t;
  if (t.scale == 0.0f) tensor.scale = 1.0f;
  switch (t.dtype) {
    case NK_DTYPE_INT8:
      tensor.as<int8_t>()[i] = static_cast<int8_t>(tensor.quantize(value, -128, 127));
      return true;
    case NK_DTYPE_UINT8:
      tensor.as<uint8_t>()[i] = static_cast<uint8_t>(tensor.quantize(value, 0, 255));
      return true;
    case NK_DTYPE_INT16:
      tensor.as<int16_t>()[i] = static_cast<int16_t>(tensor.quantize(value, -32768, 32767));
      return true;
    default:
      return false;
  }
}

bool take(const nk_program_tensor_t& t, size_t i, const float* from) {
  return set_real(t, i, *from);
}
bool take(const nk_program_tensor_t& t, size_t i, const int8_t* from) {
  if (t.dtype == NK_DTYPE_INT8) static_cast<int8_t*>(t.data)[i] = *from;
  return t.dtype == NK_DTYPE_INT8;
}
bool give(const nk_program_tensor_t& t, size_t i, float* to) {
  return real_at(t, i, *to);
}
bool give(const nk_program_tensor_t& t, size_t i, int8_t* to) {
  if (t.dtype == NK_DTYPE_INT8) *to = static_cast<const int8_t*>(t.data)[i];
  return t.dtype == NK_DTYPE_INT8;
}

nk_status_t wrong_type(const char* what) {
  const std::string text = std::string(what) +
                           " of the model has a type that this call does not "
                           "convert; use nk_program_t";
  return netkit::refuse(NK_ERR_INVALID_ARGUMENT, text.c_str());
}

template <typename T>
nk_status_t run_model(Network& n, const T* input, uint32_t input_count, T* output,
                      uint32_t capacity, uint32_t* output_count) {
  if (output_count != nullptr) *output_count = n.arch.output_elements;
  if (input == nullptr || output == nullptr || input_count != n.arch.input_elements) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT, "{} input values given, the model has {}",
                          input_count, n.arch.input_elements);
  }
  if (capacity < n.arch.output_elements) {
    return refuse_numbers(NK_ERR_BUFFER_TOO_SMALL, "room for {} outputs, the model has {}",
                          capacity, n.arch.output_elements);
  }
  nk_program_tensor_t tensor;
  for (uint32_t i = 0; nk_program_input(&n.program, i, &tensor) == NK_OK; ++i) {
    for (size_t k = 0; k < tensor.elements; ++k) {
      if (!take(tensor, k, input++)) return wrong_type("an input");
    }
  }
  if (const nk_status_t status = run(n); status != NK_OK) return status;
  for (uint32_t i = 0; i < n.results; ++i) {
    result_of(n, i, tensor);
    const bool has_scale = tensor.dtype == NK_DTYPE_FLOAT32 || tensor.scale != 0.0f;
    if (n.omits_softmax && !has_scale && sizeof(T) != 1) {
      return netkit::refuse(NK_ERR_INVALID_ARGUMENT,
                            "without its softmax an int8 model gives int8: nk_model_run_int8");
    }
    for (size_t k = 0; k < tensor.elements; ++k) {
      if (!give(tensor, k, output++)) return wrong_type("an output");
    }
  }
  return NK_OK;
}

template <typename T>
nk_status_t checked_run(const nk_model_t* model, const T* input, uint32_t input_count, T* output,
                        uint32_t capacity, uint32_t* output_count) {
  Network* n = network_of(model, "nk_model_run");
  if (n == nullptr) return NK_ERR_MODEL_NOT_LOADED;
  return run_model(*n, input, input_count, output, capacity, output_count);
}

bool is_quantized(const Network* n) {
  nk_program_tensor_t tensor;
  return n != nullptr && n->ready && nk_program_input(&n->program, 0, &tensor) == NK_OK &&
         tensor.dtype != NK_DTYPE_FLOAT32 && tensor.scale != 0.0f;
}

}  // namespace
}  // namespace netkit::driver

using namespace netkit;
using namespace netkit::driver;

extern "C" {

nk_status_t nk_mlp_load(const char* nk_path, nk_arena_t* arena, nk_mlp_t* mlp,
                        nk_arch_info_t* info) {
  return load(mlp ? mlp->storage : nullptr, arena_of(arena), info, {nk_path}, true);
}
nk_status_t nk_mlp_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_mlp_t* mlp,
                               nk_arch_info_t* info) {
  return load(mlp ? mlp->storage : nullptr, arena_of(arena), info, {nullptr, data, size}, true);
}
nk_status_t nk_cnn_load(const char* nk_path, nk_arena_t* arena, nk_cnn_t* cnn,
                        nk_arch_info_t* info) {
  return load(cnn ? cnn->storage : nullptr, arena_of(arena), info, {nk_path}, false);
}
nk_status_t nk_cnn_load_memory(const uint8_t* data, size_t size, nk_arena_t* arena, nk_cnn_t* cnn,
                               nk_arch_info_t* info) {
  return load(cnn ? cnn->storage : nullptr, arena_of(arena), info, {nullptr, data, size}, false);
}
nk_status_t nk_model_load(const char* nk_path, nk_arena_t* arena, nk_model_t* model) {
  return load(model ? model->storage : nullptr, arena_of(arena), nullptr, {nk_path}, false);
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
  nk_status_t status = load(cnn->storage, arena_of(arena), &arch, {nk_path}, false);
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
