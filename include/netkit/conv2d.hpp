// SPDX-License-Identifier: MIT
// Conv2D: one convolution of a float32 image [h, w, c] without a network. C++17 and newer.
#ifndef NETKIT_CONV2D_HPP
#define NETKIT_CONV2D_HPP

#include "netkit/tensor.hpp"

namespace netkit {

// What follows the sum in the same call.
enum class NetkitKernelActivation : std::uint8_t { None, ReLU, ReLU6 };

// false: shapes, sizes or weights do not fit; then the output is as it was.
bool run_conv2d(const nk_conv2d_t& conv, const Tensor& input, Tensor& output,
                NetkitKernelActivation activation);
bool run_depthwise_conv2d(const nk_depthwise_conv2d_t& conv, const Tensor& input, Tensor& output,
                          NetkitKernelActivation activation);

// pad_h and pad_w at the start; at the end as many where NK_PAD_MIRROR stands. Output size:
// (in + pads - kernel) / stride + 1.
struct Conv2D {
  int kernel_size = 3;
  int stride = 1;
  int pad_h = 0, pad_w = 0;
  int pad_h_end = 0, pad_w_end = 0;
  int in_channels = 0, out_channels = 0;
  float* weights = nullptr;       // [out][kh][kw][in]
  float* weights_hwio = nullptr;  // not read: the kernels take weights as they are
  float* bias = nullptr;          // [out], or none
  const std::int8_t* weights_q = nullptr;  // not read: int8 needs a network's scales
  const std::int32_t* bias_q = nullptr;

  bool forward(const Tensor& input, Tensor& output,
               NetkitKernelActivation fuse_activation = NetkitKernelActivation::None) const {
    return run_conv2d({kernel_size, stride, pad_h, pad_w, pad_h_end, pad_w_end, in_channels,
                       out_channels, weights, bias},
                      input, output, fuse_activation);
  }
};

}  // namespace netkit

#endif
