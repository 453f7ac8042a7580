// SPDX-License-Identifier: MIT
// nk_mlp_t: networks of dense layers; what both kinds of networks take.
#include <cstring>

#include "compiler/driver/capi/builder.h"

using namespace netkit;
using namespace netkit::driver;

namespace {

bool holds(const nk_tensor_t* t, nk_dtype_t dtype) {
  return t != nullptr && t->dtype == dtype;
}

// Weights [units, in] and a vector: float32, or with a quantisation int8 and int32.
nk_status_t dense_layer(Network* n, uint32_t index, const nk_tensor_t* weights,
                        const nk_tensor_t* bias, uint8_t activation, float alpha) {
  Builder* builder = builder_of(n);
  if (builder == nullptr) return n ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  const bool int8 = builder->is_quantised();
  if (!holds(weights, int8 ? NK_DTYPE_INT8 : NK_DTYPE_FLOAT32) || weights->rank != 2 ||
      activation > NK_ACTIVATION_SOFTMAX ||
      (bias != nullptr && !holds(bias, int8 ? NK_DTYPE_INT32 : NK_DTYPE_FLOAT32))) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT,
                          "a dense layer wants float32 weights [out, in], a float32 bias [out]; "
                          "int8 and int32 after set_quant");
  }
  if (bias != nullptr && bias->num_elements != weights->shape[0]) {
    return refuse_numbers(NK_ERR_WEIGHT_MISMATCH, "a bias of {} for {} units", bias->num_elements,
                          weights->shape[0]);
  }
  nk_legacy::Layer layer;
  layer.kind = nk_legacy::Kind::kDense;
  layer.u[0] = weights->shape[0];
  layer.b[0] = activation;
  layer.f = alpha;
  return guarded([&] {
    return builder->set(index, layer,
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
                     static_cast<uint8_t>(activation), leaky_alpha);
}
nk_status_t nk_cnn_init_dense_layer(nk_cnn_t* cnn, uint32_t layer_idx, const nk_tensor_t* weights,
                                    const nk_tensor_t* bias, nk_activation_t activation,
                                    float leaky_alpha) {
  return dense_layer(network_of(cnn, "nk_cnn_init_dense_layer"), layer_idx, weights, bias,
                     static_cast<uint8_t>(activation), leaky_alpha);
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
  const nk_status_t status = forward_loaded(*n, input, result);
  if (status != NK_OK) return status;
  if (output == nullptr || output->data == nullptr || output->dtype != result.dtype) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no output tensor, or one of another type");
  }
  if (output->num_elements < result.num_elements) {
    return refuse_numbers(NK_ERR_BUFFER_TOO_SMALL, "room for {} outputs, the network has {}",
                          output->num_elements, result.num_elements);
  }
  if (result.bytes != 0) std::memcpy(output->data, result.data, result.bytes);
  return NK_OK;
}

}  // extern "C"
