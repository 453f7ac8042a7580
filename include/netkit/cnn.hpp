// SPDX-License-Identifier: MIT
// CNNNetwork: a network of images, set by hand or loaded (nk_loader.hpp). The C++ face of nk_cnn_t;
// the same rules as for MLPNetwork. Init*Layer take what the nk_cnn_init_* functions of
// netkit/c/network.h take, whose contracts hold. C++17 and newer.
#ifndef NETKIT_CNN_HPP
#define NETKIT_CNN_HPP

#include <type_traits>

#include "netkit/mlp.hpp"

namespace netkit {

enum class ConvActivationType { None, ReLU, Sigmoid, Tanh, LeakyReLU, ReLU6, Softmax };
static_assert(static_cast<int>(ConvActivationType::Softmax) == NK_CONV_ACTIVATION_SOFTMAX);

enum class CnnBlockType {
  Conv2D,
  DepthwiseConv2D,
  MaxPool2D,
  AvgPool2D,
  BatchNorm2d,
  LayerNorm2d,
  Flatten,
  Dense,
  ConvNeXtV2Block,
  MobilenetV4Uib,
  ResNetBasicBlock,
  YoloxDecoupledHead,
  FeatureTap,
  YoloxPafpnMultiscale
};
static_assert(static_cast<int>(CnnBlockType::YoloxPafpnMultiscale) ==
              NK_CNN_BLOCK_YOLOX_PAFPN_MULTISCALE);

// What Init*Layer was given, as far as the kind has it; a copy, changing it changes nothing.
struct CnnBlock {
  CnnBlockType type = CnnBlockType::Flatten;
  ConvActivationType activation = ConvActivationType::None;
  int kernel_h = 0, kernel_w = 0, stride = 0;
  int in_channels = 0, out_channels = 0;
};

class CNNNetwork {
 public:
  // Blocks are kept in the arena; where it is full, IsValid() is false.
  CNNNetwork(std::uint32_t num_layers, Arena& arena) : count_(num_layers) {
    blocks_ = static_cast<CnnBlock*>(
        num_layers <= NK_MAX_LAYERS ? arena.alloc(num_layers * sizeof(CnnBlock), alignof(CnnBlock))
                                    : nullptr);
    for (std::uint32_t i = 0; blocks_ != nullptr && i < count_; ++i) ::new (blocks_ + i) CnnBlock;
    if (blocks_ != nullptr) create_network(handle_.storage, arena, num_layers, false);
  }
  // An empty network for load_network.
  CNNNetwork() = default;

  bool IsValid() const { return nk_cnn_is_valid(&handle_); }
  bool IsQuantized() const { return nk_cnn_is_quantized(&handle_); }
  bool HasActivationBuffers() const { return nk_cnn_has_activation_buffers(&handle_); }
  // The largest scratch of a kernel, inside the planned buffers; 0 before InitActivationBuffers.
  std::size_t KernelWorkspaceBytes() const { return nk_cnn_kernel_workspace_bytes(&handle_); }

  // After all layers: plans the network for an input [in_h, in_w, in_c] and takes its buffers from
  // the arena. false: a layer is missing or does not fit the one before, or the arena is full.
  // Planning again takes bytes anew; those of the plan before stay taken until the reset.
  bool InitActivationBuffers(Arena& arena, std::uint32_t in_h, std::uint32_t in_w,
                             std::uint32_t in_c) {
    const std::uint32_t sizes[] = {in_h, in_w, in_c};
    return plan_network(handle_.storage, arena, sizes, resolver_) == NK_OK;
  }

  void InitConvLayer(std::uint32_t layer_idx, int kernel_size, int stride, int in_channels,
                     int out_channels, float* weights, float* bias, ConvActivationType activation,
                     float leaky_alpha = 0.01f, int pad_h = 0, int pad_w = 0,
                     int pad_h_end = NK_PAD_MIRROR, int pad_w_end = NK_PAD_MIRROR) {
    note(layer_idx,
         nk_cnn_init_conv_layer(&handle_, layer_idx, kernel_size, stride, in_channels, out_channels,
                                weights, bias, static_cast<nk_conv_activation_t>(activation),
                                leaky_alpha, pad_h, pad_w, pad_h_end, pad_w_end),
         {CnnBlockType::Conv2D, activation, kernel_size, kernel_size, stride, in_channels,
          out_channels});
  }
  void InitDepthwiseConvLayer(std::uint32_t layer_idx, int kernel_h, int kernel_w, int stride,
                              int channels, float* weights, float* bias,
                              ConvActivationType activation, float leaky_alpha = 0.01f,
                              int pad_h = 0, int pad_w = 0, int pad_h_end = NK_PAD_MIRROR,
                              int pad_w_end = NK_PAD_MIRROR) {
    note(layer_idx,
         nk_cnn_init_depthwise_conv_layer(&handle_, layer_idx, kernel_h, kernel_w, stride, channels,
                                          weights, bias,
                                          static_cast<nk_conv_activation_t>(activation),
                                          leaky_alpha, pad_h, pad_w, pad_h_end, pad_w_end),
         {CnnBlockType::DepthwiseConv2D, activation, kernel_h, kernel_w, stride, channels,
          channels});
  }
  void InitPoolLayer(std::uint32_t layer_idx, int pool_h, int pool_w, int stride, int pad_h = 0,
                     int pad_w = 0, int pad_h_end = NK_PAD_MIRROR, int pad_w_end = NK_PAD_MIRROR) {
    note(layer_idx,
         nk_cnn_init_pool_layer(&handle_, layer_idx, pool_h, pool_w, stride, pad_h, pad_w,
                                pad_h_end, pad_w_end),
         {CnnBlockType::MaxPool2D, {}, pool_h, pool_w, stride, 0, 0});
  }
  void InitAvgPoolLayer(std::uint32_t layer_idx, int pool_h, int pool_w, int stride, int pad_h = 0,
                        int pad_w = 0, int pad_h_end = NK_PAD_MIRROR,
                        int pad_w_end = NK_PAD_MIRROR) {
    note(layer_idx,
         nk_cnn_init_avg_pool_layer(&handle_, layer_idx, pool_h, pool_w, stride, pad_h, pad_w,
                                    pad_h_end, pad_w_end),
         {CnnBlockType::AvgPool2D, {}, pool_h, pool_w, stride, 0, 0});
  }
  void InitBatchNormLayer(std::uint32_t layer_idx, int channels, float* scale, float* bias) {
    note(layer_idx, nk_cnn_init_batch_norm_layer(&handle_, layer_idx, channels, scale, bias),
         {CnnBlockType::BatchNorm2d, {}, 0, 0, 0, channels, channels});
  }
  void InitLayerNormLayer(std::uint32_t layer_idx, int channels, float eps, float* weight,
                          float* bias) {
    note(layer_idx, nk_cnn_init_layernorm_layer(&handle_, layer_idx, channels, eps, weight, bias),
         {CnnBlockType::LayerNorm2d, {}, 0, 0, 0, channels, channels});
  }
  void InitFlattenLayer(std::uint32_t layer_idx) {
    note(layer_idx, nk_cnn_init_flatten_layer(&handle_, layer_idx), {});
  }
  // W [units, in], b [units] or one without data.
  void InitDenseLayer(std::uint32_t layer_idx, const Tensor& W, const Tensor& b,
                      ActivationType activation, float leaky_alpha = 0.01f) {
    const nk_tensor_t w = to_c(W), bias = to_c(b);
    note(layer_idx,
         nk_cnn_init_dense_layer(&handle_, layer_idx, &w, bias.data != nullptr ? &bias : nullptr,
                                 static_cast<nk_activation_t>(activation), leaky_alpha),
         {CnnBlockType::Dense, static_cast<ConvActivationType>(activation), 0, 0, 0,
          static_cast<int>(W.shape[1]), static_cast<int>(W.shape[0])});
  }

  // Composite blocks. (idx, arena, h, w of the block's input, then as in the C function; the arena
  // is not used: blocks are planned with the whole network.)
  template <typename... Rest>
  void InitConvNeXtV2BlockLayer(std::uint32_t layer_idx, Arena&, std::uint32_t spatial_h,
                                std::uint32_t spatial_w, int channels, float eps, Rest... weights) {
    note(layer_idx,
         nk_cnn_init_convnextv2_block_layer(&handle_, nullptr, layer_idx, spatial_h, spatial_w,
                                            channels, eps, weights...),
         {CnnBlockType::ConvNeXtV2Block, {}, 7, 7, 1, channels, channels});
  }
  // Rest: start_dw_kernel, middle_dw_kernel, stride, middle_dw_downsample, expand_ratio, weights.
  template <typename... Rest>
  void InitMobilenetV4UibLayer(std::uint32_t layer_idx, Arena&, std::uint32_t spatial_h,
                               std::uint32_t spatial_w, int in_channels, int out_channels,
                               Rest... rest) {
    note(layer_idx,
         nk_cnn_init_mobilenetv4_uib_layer(&handle_, nullptr, layer_idx, spatial_h, spatial_w,
                                           in_channels, out_channels, rest...),
         {CnnBlockType::MobilenetV4Uib, {}, 0, 0, 0, in_channels, out_channels});
  }
  template <typename... Rest>
  void InitResNetBasicBlockLayer(std::uint32_t layer_idx, Arena&, std::uint32_t spatial_h,
                                 std::uint32_t spatial_w, int in_channels, int out_channels,
                                 int stride, Rest... weights) {
    note(layer_idx,
         nk_cnn_init_resnet_basic_block_layer(&handle_, nullptr, layer_idx, spatial_h, spatial_w,
                                              in_channels, out_channels, stride, weights...),
         {CnnBlockType::ResNetBasicBlock, {}, 3, 3, stride, in_channels, out_channels});
  }
  // Output [h, w, 4 box + 1 objectness + num_classes].
  template <typename... Rest>
  void InitYoloxDecoupledHeadLayer(std::uint32_t layer_idx, Arena&, std::uint32_t spatial_h,
                                   std::uint32_t spatial_w, int in_channels, int hidden_dim,
                                   int num_classes, int num_convs, Rest... weights) {
    note(layer_idx,
         nk_cnn_init_yolox_decoupled_head_layer(&handle_, nullptr, layer_idx, spatial_h, spatial_w,
                                                in_channels, hidden_dim, num_classes, num_convs,
                                                weights...),
         {CnnBlockType::YoloxDecoupledHead, {}, 3, 3, 1, in_channels, 5 + num_classes});
  }
  void InitFeatureTapLayer(std::uint32_t layer_idx, std::uint32_t spatial_h,
                           std::uint32_t spatial_w, int channels, std::uint8_t tap_id) {
    note(layer_idx,
         nk_cnn_init_feature_tap_layer(&handle_, nullptr, layer_idx, spatial_h, spatial_w, channels,
                                       tap_id),
         {CnnBlockType::FeatureTap, {}, 0, 0, 0, channels, channels});
  }
  // c5_h, c5_w, channels of C3, C4, C5, hidden_dim, num_classes, num_convs, then 22 weights.
  template <typename... Rest>
  void InitYoloxPafpnLayer(std::uint32_t layer_idx, Arena&, std::uint32_t c5_h, std::uint32_t c5_w,
                           Rest... rest) {
    note(layer_idx,
         nk_cnn_init_yolox_pafpn_layer(&handle_, nullptr, layer_idx, c5_h, c5_w, rest...),
         {CnnBlockType::YoloxPafpnMultiscale, {}, 0, 0, 0, 0, 0});
  }

  // What a tap held in the last forward; nullptr and 0 where the network has no such tap.
  float* GetFeatureTapBuffer(std::uint8_t tap_id) const {
    return nk_cnn_get_feature_tap_buffer(&handle_, tap_id);
  }
  std::uint32_t GetFeatureTapElems(std::uint8_t tap_id) const {
    return nk_cnn_get_feature_tap_elems(&handle_, tap_id);
  }

  using Runtime = QuantRuntime;
  // Before the first layer; makes the network int8.
  void SetQuantRuntime(const QuantRuntime& runtime) { nk_cnn_set_quant(&handle_, &runtime); }
  void SetOmitFinalSoftmax(bool omit) { nk_cnn_set_omit_final_softmax(&handle_, omit); }
  bool OmitFinalSoftmax() const { return nk_cnn_omit_final_softmax(&handle_); }
  // Before InitActivationBuffers; kernels outside the resolver are then refused.
  void SetOpsResolver(const NkOpsResolver& resolver) { resolver_ = resolver; }
  const NkOpsResolver& GetOpsResolver() const { return resolver_; }

  // input [h, w, c], float32, or int8 where IsQuantized. The result is a view into the arena, valid
  // until the next forward, without data where the call failed. Takes nothing from the arena.
  Tensor& forward(const Tensor& input, Arena&) {
    const nk_tensor_t x = to_c(input);
    nk_tensor_t y{};
    output_ = nk_cnn_forward(&handle_, nullptr, &x, &y) == NK_OK ? from_c(y) : Tensor{};
    return output_;
  }
  using LayerTimingFn = NetworkTimingFn;
  // The same; timing_fn is called behind each block in order.
  Tensor& forward_timed(const Tensor& input, Arena&, LayerTimingFn timing_fn, void* user_data) {
    if (time_network(handle_.storage, input, output_, timing_fn, user_data) != NK_OK) output_ = {};
    return output_;
  }
  Tensor& GetOutput() { return output_; }

  // Of a loaded network see LayerInfo. An empty one where idx is too large.
  CnnBlock& GetBlock(std::uint32_t idx) { return idx < count_ && blocks_ ? blocks_[idx] : none_; }
  std::uint32_t LayerCount() const { return count_; }

  nk_cnn_t* handle() { return &handle_; }
  void AdoptLayers(Arena& arena);  // as MLPNetwork's

 private:
  void note(std::uint32_t index, nk_status_t status, const CnnBlock& block) {
    if (status == NK_OK && index < count_ && blocks_ != nullptr) blocks_[index] = block;
  }

  nk_cnn_t handle_{};
  CnnBlock* blocks_ = nullptr;
  std::uint32_t count_ = 0;
  NkOpsResolver resolver_ = default_network_ops();
  Tensor output_;
  CnnBlock none_;
};

}  // namespace netkit

#endif
