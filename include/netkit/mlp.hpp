// SPDX-License-Identifier: MIT
// MLPNetwork: a network of dense layers, set by hand or loaded (nk_loader.hpp). The C++ face of
// nk_mlp_t; it stands in the arena or anywhere, and needs no destructor: the arena owns what is
// behind it. No call throws; a call that fails says why in nk_last_error(). C++17 and newer.
#ifndef NETKIT_MLP_HPP
#define NETKIT_MLP_HPP

#include <new>

#include "netkit/network.hpp"

namespace netkit {

// What InitLayer was given; a copy, changing it changes nothing.
struct MLPLayer {
  const void* weights = nullptr;  // [out_features, in_features]
  const void* bias = nullptr;     // [out_features], or none
  std::uint32_t in_features = 0, out_features = 0;
  ActivationType activation = ActivationType::None;
  float leaky_alpha = 0.01f;
};

class MLPNetwork {
 public:
  // Layers are kept in the arena; where it is full, IsValid() is false.
  MLPNetwork(std::uint32_t num_layers, Arena& arena) : count_(num_layers) {
    layers_ = static_cast<MLPLayer*>(
        num_layers <= NK_MAX_LAYERS ? arena.alloc(num_layers * sizeof(MLPLayer), alignof(MLPLayer))
                                    : nullptr);
    for (std::uint32_t i = 0; layers_ != nullptr && i < count_; ++i) ::new (layers_ + i) MLPLayer;
    if (layers_ != nullptr) create_network(handle_.storage, arena, num_layers, true);
  }
  // An empty network for load_network.
  MLPNetwork() = default;

  bool IsValid() const { return nk_mlp_is_valid(&handle_); }
  bool IsQuantized() const { return nk_mlp_is_quantized(&handle_); }
  bool HasActivationBuffers() const { return nk_mlp_has_activation_buffers(&handle_); }

  // After all layers: plans the network for batch_rows inputs and takes its buffers from the arena.
  // false: a layer is missing or does not fit the one before, or the arena is full.
  // Planning again takes bytes anew; those of the plan before stay taken until the reset.
  bool InitActivationBuffers(Arena& arena, std::uint32_t batch_rows) {
    const std::uint32_t sizes[] = {batch_rows};
    return plan_network(handle_.storage, arena, sizes, resolver_) == NK_OK;
  }

  // weights [out_features, in_features], row-major, and a bias [out_features], or one without data;
  // both are the caller's, and unchanged until InitActivationBuffers. int8 and int32 after
  // SetQuantRuntime.
  void InitLayer(std::uint32_t layer_idx, const Tensor& weights, const Tensor& bias,
                 ActivationType activation, float leaky_alpha = 0.01f) {
    const nk_tensor_t w = to_c(weights), b = to_c(bias);
    if (nk_mlp_init_layer(&handle_, layer_idx, &w, b.data != nullptr ? &b : nullptr,
                          static_cast<nk_activation_t>(activation), leaky_alpha) == NK_OK) {
      layers_[layer_idx] = {weights.data,     bias.data,  weights.shape[1],
                            weights.shape[0], activation, leaky_alpha};
    }
  }
  // Before the first layer; makes the network int8.
  void SetQuantRuntime(const QuantRuntime& runtime) { nk_mlp_set_quant(&handle_, &runtime); }
  // Before InitActivationBuffers; kernels outside the resolver are then refused.
  void SetOpsResolver(const NkOpsResolver& resolver) { resolver_ = resolver; }
  const NkOpsResolver& GetOpsResolver() const { return resolver_; }

  // Leaves the last softmax out: the output is then what it would read.
  void SetOmitFinalSoftmax(bool omit) { nk_mlp_set_omit_final_softmax(&handle_, omit); }
  bool OmitFinalSoftmax() const { return nk_mlp_omit_final_softmax(&handle_); }

  // [rows, in_features] → output's memory; on failure the output stays as it was. Takes nothing
  // from the arena.
  void forward(const Tensor& input, Tensor& output, Arena&) {
    const nk_tensor_t x = to_c(input);
    nk_tensor_t y = to_c(output);
    nk_mlp_forward(&handle_, nullptr, &x, &y);
  }
  using LayerTimingFn = NetworkTimingFn;
  // The same; timing_fn is called behind each layer in order.
  void forward_timed(const Tensor& input, Tensor& output, LayerTimingFn timing_fn,
                     void* user_data) {
    Tensor result;
    if (time_network(handle_.storage, input, result, timing_fn, user_data) != NK_OK) return;
    if (output.type != result.type || output.bytes < result.bytes) return;
    if (output.data != nullptr) __builtin_memcpy(output.data, result.data, result.bytes);
  }

  // Of a loaded network see LayerInfo. An empty one where idx is too large.
  MLPLayer& GetLayer(std::uint32_t idx) { return idx < count_ && layers_ ? layers_[idx] : none_; }
  std::uint32_t LayerCount() const { return count_; }

  nk_mlp_t* handle() { return &handle_; }
  // Behind load_network: GetLayer gives what the file says, from records in the arena; without room
  // for them it gives empty ones.
  void AdoptLayers(Arena& arena);

 private:
  nk_mlp_t handle_{};
  MLPLayer* layers_ = nullptr;
  std::uint32_t count_ = 0;
  NkOpsResolver resolver_ = default_network_ops();
  MLPLayer none_;
};

}  // namespace netkit

#endif
