// SPDX-License-Identifier: MIT
// Convolutions of single tensors: the kernels of conv2d and dwconv2d without a network.
#include "base/memory.h"
#include "netkit.h"
#include "netkit/depthwise_conv2d.hpp"
#include "ops/conv2d/conv2d.h"
#include "ops/dwconv2d/dwconv2d.h"

namespace {

constexpr float kInfinity = __builtin_inff();
constexpr int64_t kMaxElements = INT32_MAX;

struct Geometry {
  int kernel_h, kernel_w, stride, pad_h, pad_w, pad_h_end, pad_w_end, in_c, out_c;
};

bool is_image(const nk_tensor_t* t) {
  return t && t->data && t->dtype == NK_DTYPE_FLOAT32 && t->rank == 3;
}

// The size of one axis of the output; 0: the window does not fit.
int64_t slide(int64_t in, int kernel, int stride, int begin, int end) {
  const int64_t room = in + begin + (end < 0 ? begin : end) - kernel;
  return kernel < 1 || stride < 1 || begin < 0 || room < 0 ? 0 : room / stride + 1;
}

// false: input, output and geometry do not fit each other.
bool fill(const Geometry& g, const nk_tensor_t* x, const nk_tensor_t* y, nk_spatial& p) {
  if (!is_image(x) || !is_image(y)) return false;
  const size_t x_bytes = sizeof(float) * size_t{x->num_elements};
  if (netkit::share_bytes(x->data, x_bytes, y->data, sizeof(float) * size_t{y->num_elements})) {
    return false;
  }
  const int64_t h = slide(x->shape[0], g.kernel_h, g.stride, g.pad_h, g.pad_h_end);
  const int64_t w = slide(x->shape[1], g.kernel_w, g.stride, g.pad_w, g.pad_w_end);
  const bool fits = h > 0 && w > 0 && g.in_c > 0 && g.out_c > 0 &&
                    x->shape[2] == static_cast<uint32_t>(g.in_c) && y->shape[0] == h &&
                    y->shape[1] == w && y->shape[2] == static_cast<uint32_t>(g.out_c) &&
                    x->num_elements <= kMaxElements && y->num_elements <= kMaxElements;
  if (!fits) return false;
  p = nk_spatial{};
  p.batch = 1;
  p.in_h = p.in_ring_h = static_cast<int32_t>(x->shape[0]);
  p.in_w = static_cast<int32_t>(x->shape[1]);
  p.in_c = g.in_c;
  p.out_h = p.out_ring_h = p.out_y1 = static_cast<int32_t>(h);
  p.out_w = static_cast<int32_t>(w);
  p.out_c = g.out_c;
  p.kernel_h = g.kernel_h;
  p.kernel_w = g.kernel_w;
  p.stride_h = p.stride_w = g.stride;
  p.dilation_h = p.dilation_w = 1;
  p.pad_top = g.pad_h;
  p.pad_left = g.pad_w;
  p.mode = NK_MODE_PLAIN;
  return true;
}

struct Clamp {
  float lo, hi;
};

Clamp clamp_of(netkit::NetkitKernelActivation activation) {
  switch (activation) {
    case netkit::NetkitKernelActivation::ReLU:
      return {0.0f, kInfinity};
    case netkit::NetkitKernelActivation::ReLU6:
      return {0.0f, 6.0f};
    case netkit::NetkitKernelActivation::None:
      break;
  }
  return {-kInfinity, kInfinity};
}

bool conv2d(const nk_conv2d_t& conv, const nk_tensor_t* input, nk_tensor_t* output,
            const Clamp& clamp) {
  nk_spatial s;
  if (!conv.weights ||
      !fill({conv.kernel_size, conv.kernel_size, conv.stride, conv.pad_h, conv.pad_w,
             conv.pad_h_end, conv.pad_w_end, conv.in_channels, conv.out_channels},
            input, output, s)) {
    return false;
  }
  nk_conv2d_params p{};
  __builtin_memcpy(&p, &s, sizeof s);
  p.groups = 1;
  p.clamp_min = clamp.lo;
  p.clamp_max = clamp.hi;
  const void* in[] = {input->data, conv.weights, conv.bias, nullptr, nullptr};
  void* out[] = {output->data};
  nk_conv2d_f32_ref(&p, in, out, nullptr);
  return true;
}

bool depthwise(const nk_depthwise_conv2d_t& conv, const nk_tensor_t* input, nk_tensor_t* output,
               const Clamp& clamp) {
  nk_spatial s;
  if (!conv.weights || !fill({conv.kernel_h, conv.kernel_w, conv.stride, conv.pad_h, conv.pad_w,
                              conv.pad_h_end, conv.pad_w_end, conv.channels, conv.channels},
                             input, output, s)) {
    return false;
  }
  nk_dwconv2d_params p{};
  __builtin_memcpy(&p, &s, sizeof s);
  p.depth_multiplier = 1;
  p.clamp_min = clamp.lo;
  p.clamp_max = clamp.hi;
  const void* in[] = {input->data, conv.weights, conv.bias};
  void* out[] = {output->data};
  nk_dwconv2d_planar_f32(&p, in, out, nullptr);
  return true;
}

}  // namespace

namespace netkit {

bool run_conv2d(const nk_conv2d_t& conv, const Tensor& input, Tensor& output,
                NetkitKernelActivation activation) {
  const nk_tensor_t x = to_c(input);
  nk_tensor_t y = to_c(output);
  return conv2d(conv, &x, &y, clamp_of(activation));
}

bool run_depthwise_conv2d(const nk_depthwise_conv2d_t& conv, const Tensor& input, Tensor& output,
                          NetkitKernelActivation activation) {
  const nk_tensor_t x = to_c(input);
  nk_tensor_t y = to_c(output);
  return depthwise(conv, &x, &y, clamp_of(activation));
}

}  // namespace netkit

extern "C" {

void nk_conv2d_forward(const nk_conv2d_t* conv, const nk_tensor_t* input, nk_tensor_t* output) {
  if (conv) conv2d(*conv, input, output, {-kInfinity, kInfinity});
}

void nk_depthwise_conv2d_forward(const nk_depthwise_conv2d_t* conv, const nk_tensor_t* input,
                                 nk_tensor_t* output) {
  if (conv) depthwise(*conv, input, output, {-kInfinity, kInfinity});
}

}  // extern "C"
