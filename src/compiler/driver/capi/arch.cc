// SPDX-License-Identifier: MIT
// nk_arch_info_t of layers.
#include <algorithm>
#include <cstdio>

#include "compiler/driver/capi/network.h"

namespace netkit::driver {
namespace {

size_t total_bytes(const std::vector<nk_legacy::Stored>& list) {
  size_t bytes = 0;
  for (const nk_legacy::Stored& s : list) bytes += s.bytes.size();
  return bytes;
}

size_t total_elements(const std::vector<nk_legacy::Stored>& list) {
  size_t elements = 0;
  for (const nk_legacy::Stored& s : list) elements += s.bytes.size() / (s.dtype == NK_INT8 ? 1 : 4);
  return elements;
}

struct KindRow {
  nk_legacy::Kind kind;
  nk_cnn_block_type_t type;
};
constexpr KindRow kKinds[] = {
    {nk_legacy::Kind::kDense, NK_CNN_BLOCK_DENSE},
    {nk_legacy::Kind::kConv2d, NK_CNN_BLOCK_CONV2D},
    {nk_legacy::Kind::kMaxPool, NK_CNN_BLOCK_MAX_POOL2D},
    {nk_legacy::Kind::kFlatten, NK_CNN_BLOCK_FLATTEN},
    {nk_legacy::Kind::kAvgPool, NK_CNN_BLOCK_AVG_POOL2D},
    {nk_legacy::Kind::kBatchNorm, NK_CNN_BLOCK_BATCH_NORM2D},
    {nk_legacy::Kind::kDepthwise, NK_CNN_BLOCK_DEPTHWISE_CONV2D},
    {nk_legacy::Kind::kConvNext, NK_CNN_BLOCK_CONVNEXTV2_BLOCK},
    {nk_legacy::Kind::kUib, NK_CNN_BLOCK_MOBILENETV4_UIB},
    {nk_legacy::Kind::kResNet, NK_CNN_BLOCK_RESNET_BASIC_BLOCK},
    {nk_legacy::Kind::kLayerNorm, NK_CNN_BLOCK_LAYERNORM2D},
    {nk_legacy::Kind::kYoloxHead, NK_CNN_BLOCK_YOLOX_DECOUPLED_HEAD},
    {nk_legacy::Kind::kFeatureTap, NK_CNN_BLOCK_FEATURE_TAP},
    {nk_legacy::Kind::kPafpn, NK_CNN_BLOCK_YOLOX_PAFPN_MULTISCALE},
};

// Channels behind a layer that reads `in`; 0: the record does not state them.
uint32_t channels_behind(const nk_legacy::Layer& l, uint32_t in) {
  using enum nk_legacy::Kind;
  switch (l.kind) {
    case kDense:
      return l.u[0];
    case kConv2d:
    case kDepthwise:
      return l.u[2];
    case kUib:
    case kResNet:
      return l.u[1];
    case kYoloxHead:
      return 5 + l.u[2];
    case kFlatten:
    case kPafpn:
      return 0;
    default:
      return in;
  }
}

void set_window(const nk_legacy::Layer& l, LayerInfo& info) {
  using enum nk_legacy::Kind;
  const auto set = [&info](uint32_t h, uint32_t w, uint32_t stride) {
    info.kernel_h = static_cast<int>(h);
    info.kernel_w = static_cast<int>(w);
    info.stride = static_cast<int>(stride);
  };
  if (l.window) {
    info.kernel_h = static_cast<int>(l.window->kernel_h);
    info.kernel_w = static_cast<int>(l.window->kernel_w);
    info.stride = static_cast<int>(l.window->stride);
  } else if (l.kind == kConv2d || l.kind == kDepthwise) {
    set(l.u[0], l.u[0], l.u[1]);
  } else if (l.kind == kMaxPool || l.kind == kAvgPool) {
    set(l.u[0], (l.half & 255) != 0 ? l.half & 255 : l.u[0], l.u[1]);
  } else if (l.kind == kConvNext) {
    set(7, 7, 1);
  } else if (l.kind == kResNet || l.kind == kYoloxHead) {
    set(3, 3, l.kind == kResNet ? l.b[0] : 1);
  } else if (l.kind == kUib) {
    info.stride = l.b[2];
  }
}

}  // namespace

std::vector<LayerInfo> layers_of(const nk_legacy::LegacyFile& file) {
  std::vector<LayerInfo> out;
  uint32_t channels = file.input.empty() ? 0 : static_cast<uint32_t>(file.input.back());
  for (size_t i = 0; i < file.layers.size(); ++i) {
    const nk_legacy::Layer& l = file.layers[i];
    LayerInfo info;
    info.type = std::ranges::find(kKinds, l.kind, &KindRow::kind)->type;
    set_window(l, info);
    if (file.is_mlp && i < file.weights.size() && file.weights[i].dims.size() == 2) {
      channels = static_cast<uint32_t>(file.weights[i].dims[1]);
      info.weights = file.weights[i].bytes.data();
      info.bias = file.biases[i].bytes.data();
    }
    info.in = static_cast<int>(channels);
    channels = channels_behind(l, channels);
    info.out = static_cast<int>(channels);
    if (info.type == NK_CNN_BLOCK_DENSE || info.type == NK_CNN_BLOCK_CONV2D ||
        info.type == NK_CNN_BLOCK_DEPTHWISE_CONV2D) {
      info.activation = static_cast<nk_activation_t>(l.b[0]);
      info.leaky_alpha = l.f;
    }
    out.push_back(info);
  }
  return out;
}

nk_arch_info_t arch_of(const nk_legacy::LegacyFile& file) {
  nk_arch_info_t arch{};
  arch.version = file.version;
  arch.kind = file.is_mlp ? NK_NETWORK_MLP : NK_NETWORK_CNN;
  arch.input_rank = static_cast<uint32_t>(file.input.size());
  arch.input_elements = 1;
  for (uint32_t i = 0; i < NK_MAX_TENSOR_RANK; ++i) {
    arch.input_shape[i] = i < arch.input_rank ? static_cast<uint32_t>(file.input[i]) : 0;
    if (i < arch.input_rank) arch.input_elements *= arch.input_shape[i];
  }
  arch.num_layers = static_cast<uint32_t>(file.layers.size());
  arch.weights_bytes = total_bytes(file.weights);
  arch.biases_bytes = total_bytes(file.biases);
  arch.expected_weight_floats = total_elements(file.weights) + total_elements(file.biases);
  return arch;
}

void print_arch(const char* path, const nk_arch_info_t& arch) {
  const char* kind = arch.kind == NK_NETWORK_MLP ? "mlp" : "cnn";
  std::printf("%s: version %u, %s, %u layers, input", path, arch.version, kind, arch.num_layers);
  for (uint32_t i = 0; i < arch.input_rank; ++i) {
    std::printf(i == 0 ? " %u" : "x%u", arch.input_shape[i]);
  }
  std::printf(", %u outputs, weights %zu B, biases %zu B\n", arch.output_elements,
              arch.weights_bytes, arch.biases_bytes);
}

}  // namespace netkit::driver
