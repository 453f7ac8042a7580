// SPDX-License-Identifier: MIT
// nk_mlp_t: networks of dense layers; what both kinds of networks take.
#include <fmt/format.h>

#include <cstring>

#include "compiler/driver/capi/builder.h"
#include "runtime/enum_code.h"

using namespace netkit;
using namespace netkit::driver;

namespace {

// Why a dense layer of these tensors cannot be.
Refusal refusal_of(const nk_tensor_t* weights, const nk_tensor_t* bias, unsigned activation,
                   bool int8) {
  const nk_dtype_t types[] = {int8 ? NK_DTYPE_INT8 : NK_DTYPE_FLOAT32,
                              int8 ? NK_DTYPE_INT32 : NK_DTYPE_FLOAT32};
  const char* names[] = {int8 ? "int8" : "float32", int8 ? "int32" : "float32"};
  if (weights == nullptr || (weights->data == nullptr && weights->rank == 0)) {
    return {NK_ERR_INVALID_ARGUMENT, "weights: NULL; a tensor [out, in] is needed"};
  }
  if (weights->dtype != types[0] || (bias != nullptr && bias->dtype != types[1])) {
    return {NK_ERR_INVALID_ARGUMENT, fmt::format("{}: not {}, which this network takes",
                                                 weights->dtype != types[0] ? "weights" : "bias",
                                                 names[weights->dtype != types[0] ? 0 : 1])};
  }
  if (weights->rank != 2) {
    return {NK_ERR_INVALID_ARGUMENT,
            fmt::format("weights: rank {}; [out, in] is needed", weights->rank)};
  }
  if (activation > NK_ACTIVATION_SOFTMAX) {
    return {NK_ERR_INVALID_ARGUMENT,
            fmt::format("activation {}: NK_ACTIVATION_NONE to _SOFTMAX are 0 to {}", activation,
                        static_cast<int>(NK_ACTIVATION_SOFTMAX))};
  }
  if (bias != nullptr && bias->num_elements != weights->shape[0]) {
    return {NK_ERR_WEIGHT_MISMATCH,
            fmt::format("a bias of {} for {} units", bias->num_elements, weights->shape[0])};
  }
  return {};
}

// Weights [units, in] and a vector: float32, or with a quantisation int8 and int32.
nk_status_t dense_layer(Network* n, uint32_t index, const nk_tensor_t* weights,
                        const nk_tensor_t* bias, unsigned activation, float alpha) {
  const Builder* builder = builder_of(n);
  if (builder == nullptr) return n ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  const bool int8 = builder->is_quantised();
  nk_legacy::Layer layer;
  layer.kind = nk_legacy::Kind::kDense;
  return guarded([&] {
    const Refusal refusal = refusal_of(weights, bias, activation, int8);
    if (!refusal.text.empty()) return set_layer(n, index, layer, {}, refusal);
    layer.u[0] = weights->shape[0];
    layer.b[0] = static_cast<uint8_t>(activation);
    layer.f = alpha;
    return set_layer(n, index, layer,
                     {{weights->data,
                       bias == nullptr ? nullptr : bias->data,
                       {weights->shape[0], weights->shape[1]},
                       weights->shape[0],
                       int8 ? NK_INT8 : NK_FLOAT32}});
  });
}

nk_status_t set_quant(Network* n, const nk_quant_t* quant) {
  Builder* builder = builder_of(n);
  if (builder == nullptr) return n ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  if (quant == nullptr || (quant->layers == nullptr && quant->num_layers != 0)) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "set_quant: no entries");
  }
  const nk_status_t status = guarded([&] { return builder->set_quant(*quant); });
  if (status == NK_OK) n->omits_softmax = quant->omit_final_softmax;
  return status;
}

}  // namespace

extern "C" {

nk_status_t nk_mlp_create(nk_arena_t* arena, uint32_t num_layers, nk_mlp_t* mlp) {
  return make_builder(mlp ? mlp->storage : nullptr, arena_of(arena), num_layers, true);
}
bool nk_mlp_is_valid(const nk_mlp_t* mlp) {
  return network_of(mlp, "nk_mlp_is_valid") != nullptr;
}
nk_status_t nk_mlp_init_layer(nk_mlp_t* mlp, uint32_t layer_idx, const nk_tensor_t* weights,
                              const nk_tensor_t* bias, nk_activation_t activation,
                              float leaky_alpha) {
  return dense_layer(network_of(mlp, "nk_mlp_init_layer"), layer_idx, weights, bias,
                     code_of(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_dense_layer(nk_cnn_t* cnn, uint32_t layer_idx, const nk_tensor_t* weights,
                                    const nk_tensor_t* bias, nk_activation_t activation,
                                    float leaky_alpha) {
  return dense_layer(network_of(cnn, "nk_cnn_init_dense_layer"), layer_idx, weights, bias,
                     code_of(activation), leaky_alpha);
}
nk_status_t nk_mlp_set_quant(nk_mlp_t* mlp, const nk_quant_t* quant) {
  return set_quant(network_of(mlp, "nk_mlp_set_quant"), quant);
}
nk_status_t nk_cnn_set_quant(nk_cnn_t* cnn, const nk_quant_t* quant) {
  return set_quant(network_of(cnn, "nk_cnn_set_quant"), quant);
}
nk_status_t nk_mlp_init_activation_buffers(nk_mlp_t* mlp, nk_arena_t* arena, uint32_t batch_rows) {
  Network* n = network_of(mlp, "nk_mlp_init_activation_buffers");
  const Builder* builder = builder_of(n);
  if (builder == nullptr) return n ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  return build(*n, arena_of(arena), {batch_rows, builder->first_features()});
}
bool nk_mlp_has_activation_buffers(const nk_mlp_t* mlp) {
  const Network* n = network_of(mlp, "nk_mlp_has_activation_buffers");
  return n && n->ready;
}
void nk_mlp_set_omit_final_softmax(nk_mlp_t* mlp, bool omit) {
  if (Network* n = network_of(mlp, "nk_mlp_set_omit_final_softmax")) n->omits_softmax = omit;
}
bool nk_mlp_omit_final_softmax(const nk_mlp_t* mlp) {
  const Network* n = network_of(mlp, "nk_mlp_omit_final_softmax");
  return n && n->omits_softmax;
}

nk_status_t nk_mlp_forward(nk_mlp_t* mlp, nk_arena_t*, const nk_tensor_t* input,
                           nk_tensor_t* output) {
  Network* n = network_of(mlp, "nk_mlp_forward");
  if (n == nullptr) return NK_ERR_NOT_INITIALIZED;
  nk_tensor_t result;
  nk_status_t status = check_ready(*n);
  if (status == NK_OK) status = forward_loaded(*n, input, result);
  if (status != NK_OK) return status;
  if (output == nullptr || output->data == nullptr) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "the output tensor is NULL or has no data");
  }
  if (output->dtype != result.dtype) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT,
                          "the output tensor is of type {}, the network gives type {} (nk_dtype_t)",
                          output->dtype, result.dtype);
  }
  if (output->num_elements < result.num_elements) {
    return refuse_numbers(NK_ERR_BUFFER_TOO_SMALL, "room for {} outputs, the network has {}",
                          output->num_elements, result.num_elements);
  }
  if (result.bytes != 0) std::memcpy(output->data, result.data, result.bytes);
  return NK_OK;
}

}  // extern "C"
