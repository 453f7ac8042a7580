// SPDX-License-Identifier: MIT
// DepthwiseConv2D: as Conv2D, each channel by itself. C++17 and newer.
#ifndef NETKIT_DEPTHWISE_CONV2D_HPP
#define NETKIT_DEPTHWISE_CONV2D_HPP

#include "netkit/conv2d.hpp"

namespace netkit {

struct DepthwiseConv2D {
  int kernel_h = 3, kernel_w = 3;
  int stride = 1;
  int pad_h = 0, pad_w = 0;
  int pad_h_end = NK_PAD_MIRROR, pad_w_end = NK_PAD_MIRROR;
  int channels = 0;
  float* weights = nullptr;  // [channel][kh][kw]
  float* bias = nullptr;     // [channel], or none
  const std::int8_t* weights_q = nullptr;  // not read: int8 needs a network's scales
  const std::int32_t* bias_q = nullptr;

  bool forward(const Tensor& input, Tensor& output,
               NetkitKernelActivation fuse_activation = NetkitKernelActivation::None) const {
    return run_depthwise_conv2d({kernel_h, kernel_w, stride, pad_h, pad_w, pad_h_end, pad_w_end,
                                 channels, weights, bias},
                                input, output, fuse_activation);
  }
};

}  // namespace netkit

#endif
