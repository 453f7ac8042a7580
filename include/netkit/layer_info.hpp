// SPDX-License-Identifier: MIT
// Layers of a loaded network, as GetLayer and GetBlock tell them. C++17 and newer.
#ifndef NETKIT_LAYER_INFO_HPP
#define NETKIT_LAYER_INFO_HPP

#include <cstdint>

#include "netkit.h"

namespace netkit {

// What a loaded model says of a layer. Versions 3 and 4: the layer of the file. Version 5: a step
// that is a convolution, pool, norm or dense layer, with the activation that follows it.
struct LayerInfo {
  nk_cnn_block_type_t type = NK_CNN_BLOCK_FLATTEN;
  nk_activation_t activation = NK_ACTIVATION_NONE;
  float leaky_alpha = 0.01f;
  int kernel_h = 0, kernel_w = 0, stride = 0;
  int in = 0, out = 0;            // channels or features; 0: not stated
  const void* weights = nullptr;  // in the model's bytes, where they stay in place
  const void* bias = nullptr;
};
using LayerListener = void (*)(void* user, std::uint32_t index, const LayerInfo& info);

}  // namespace netkit

#endif
