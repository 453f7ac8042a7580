// SPDX-License-Identifier: MIT
// The walk over the layers of a network that makes steps and values, or only counts them.
#pragma once

#include "runtime/nets/net.h"

namespace netkit::nets {

// A value and its shape, which counting knows too.
struct Image {
  uint16_t index;
  uint32_t h, w, c;
};

struct Window {
  uint32_t kernel_h, kernel_w, stride, top, left, bottom, right;

  static Window square(uint32_t kernel, uint32_t stride) {
    const uint32_t pad = kernel / 2;
    return {kernel, kernel, stride, pad, pad, pad, pad};
  }
};

// What a convolution is followed by: nk_activation_t.
struct Then {
  uint8_t activation;
  float alpha;
};

class Unfolding {
 public:
  explicit Unfolding(Net& net) : net_(net) {}

  nk_status_t run(uint32_t h, uint32_t w, uint32_t c);

 private:
  // Keeps the first refusal; everything goes on, and nothing is used.
  void fail(nk_status_t status) {
    if (status_ == NK_OK) status_ = status;
  }
  void expect(bool fits, nk_status_t status = NK_ERR_WEIGHT_MISMATCH) {
    if (!fits) fail(status);
  }

  Image image(uint32_t h, uint32_t w, uint32_t c, uint16_t parent = kNone, uint32_t offset = 0);
  void use(uint16_t index, uint16_t until);
  // One step; *out is set up by the caller where it returns something.
  Step step(Op op, const Image& in, const Image& out);
  void add(const Step& made);
  uint16_t scratch(uint32_t floats);

  Image slide(const Image& x, const Window& w, uint32_t channels);
  Image conv(const Image& x, const Window& w, uint32_t channels, const float* weights,
             const float* bias, Then then);
  Image depthwise(const Image& x, const Window& w, const float* weights, const float* bias,
                  Then then);
  Image windowed(Op op, const Image& x, const Window& w, uint32_t channels, const float* weights,
                 const float* bias, Then then);
  Image dense(const Image& x, const Layer& l);
  Image scale(const Image& x, const float* factor, const float* shift);
  Image layer_norm(const Image& x, const float* factor, const float* shift, float epsilon);
  Image unary_into(Op op, const Image& x, const Image& y, float alpha);
  Image unary(Op op, const Image& x, float alpha = 1.0f) {
    return unary_into(op, x, image(x.h, x.w, x.c), alpha);
  }
  Image activate(const Image& x, Then then);
  Image pair(Op op, const Image& a, const Image& b, const Image& y);
  Image sum(const Image& a, const Image& b);
  Image flat(const Image& x) { return {x.index, 1, 1, x.h * x.w * x.c}; }

  Image layer(const Layer& l, const Image& x);
  Image tap(const Layer& l, const Image& x);
  // Blocks (import/nk_legacy/layers.h says what they are).
  Image convnext(const Layer& l, const Image& x);
  Image uib(const Layer& l, const Image& x);
  Image resnet(const Layer& l, const Image& x);
  Image head(const Layer& l, const Image& x);
  Image neck(const Layer& l, const Image& x);
  // A convolution of a block: weights, bias, scale and shift of its norm from `at` on.
  Image normed(Op op, const Image& x, const Window& w, uint32_t channels, const float* const* at,
               bool relu);
  Image separable(const Image& x, uint32_t stride, const float* const* at);

  Net& net_;
  nk_status_t status_ = NK_OK;
  uint16_t step_count_ = 0, value_count_ = 0, layer_ = 0;
  Image taps_[kTaps] = {{kNone, 0, 0, 0}, {kNone, 0, 0, 0}, {kNone, 0, 0, 0}, {kNone, 0, 0, 0}};
  bool flat_ = false;  // the last layer's result is a row
};

}  // namespace netkit::nets
