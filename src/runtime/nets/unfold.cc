// SPDX-License-Identifier: MIT
// Layers as steps over values: what both passes share, and the simple kinds. Blocks: blocks.cc.
#include <initializer_list>

#include "runtime/nets/unfolding.h"

namespace netkit::nets {
namespace {

constexpr uint32_t kMostElements = 1u << 27;  // float32 bytes stay within 31 bits
constexpr uint16_t kMostRecords = 0xFFF0;

// The activation that a kernel applies by itself; 0: none.
uint8_t clamp_of(uint8_t activation) {
  return activation == NK_ACTIVATION_RELU ? 1 : activation == NK_ACTIVATION_RELU6 ? 2 : 0;
}

Window window_of(const Layer& l) {
  return {l.kernel_h, l.kernel_w, l.stride, l.top, l.left, l.bottom, l.right};
}

}  // namespace

Image Unfolding::image(uint32_t h, uint32_t w, uint32_t c, uint16_t parent, uint32_t offset) {
  const bool sized =
      h > 0 && w > 0 && c > 0 && h <= 0xFFFF && w <= 0xFFFF && uint64_t{h} * w <= kMostElements / c;
  expect(sized && value_count_ < kMostRecords, NK_ERR_LAYER_CONFIG);
  if (status_ != NK_OK) return {0, 1, 1, 1};
  if (net_.values != nullptr) {
    net_.values[value_count_] = {
        offset,     static_cast<uint16_t>(h), static_cast<uint16_t>(w), c, parent, step_count_,
        step_count_};
  }
  return {value_count_++, h, w, c};
}

void Unfolding::use(uint16_t index, uint16_t until) {
  if (net_.values == nullptr || index == kNone || status_ != NK_OK) return;
  Value& v = net_.values[index];
  if (v.last < until) v.last = until;
  if (v.parent != kNone) use(v.parent, until);
}

Step Unfolding::step(Op op, const Image& in, const Image& out) {
  Step made{};
  made.op = op;
  made.in[0] = in.index;
  made.in[1] = made.scratch = kNone;
  made.out = out.index;
  return made;
}

void Unfolding::add(const Step& made) {
  expect(step_count_ < kMostRecords, NK_ERR_LAYER_CONFIG);
  if (status_ != NK_OK) return;
  for (const uint16_t index : {made.in[0], made.in[1], made.out, made.scratch}) {
    use(index, step_count_);
  }
  if (net_.steps != nullptr) {
    net_.steps[step_count_] = made;
    net_.steps[step_count_].layer = layer_;
  }
  ++step_count_;
}

uint16_t Unfolding::scratch(uint32_t floats) {
  return image(1, 1, floats).index;
}

Image Unfolding::slide(const Image& x, const Window& w, uint32_t channels) {
  const auto size = [](uint32_t in, uint32_t kernel, uint32_t stride, uint32_t pads) {
    return stride == 0 || kernel == 0 || in + pads < kernel ? 0 : (in + pads - kernel) / stride + 1;
  };
  return image(size(x.h, w.kernel_h, w.stride, w.top + w.bottom),
               size(x.w, w.kernel_w, w.stride, w.left + w.right), channels);
}

Image Unfolding::windowed(Op op, const Image& x, const Window& w, uint32_t channels,
                          const float* weights, const float* bias, Then then) {
  const bool weighted = op == Op::kConv || op == Op::kDepthwise;
  expect(!flat_, NK_ERR_LAYER_CONFIG);
  expect(!weighted || weights != nullptr, NK_ERR_INVALID_ARGUMENT);
  const Image y = slide(x, w, channels);
  // A pool's window that lies wholly in the padding has no greatest value and no mean.
  expect(weighted || (w.top < w.kernel_h && w.left < w.kernel_w &&
                      (y.h - 1) * w.stride < x.h + w.top && (y.w - 1) * w.stride < x.w + w.left),
         NK_ERR_LAYER_CONFIG);
  Step made = step(op, x, y);
  made.kernel_h = static_cast<uint16_t>(w.kernel_h);
  made.kernel_w = static_cast<uint16_t>(w.kernel_w);
  made.stride = static_cast<uint16_t>(w.stride);
  made.top = static_cast<uint16_t>(w.top);
  made.left = static_cast<uint16_t>(w.left);
  made.clamp = clamp_of(then.activation);
  made.weights = weights;
  made.bias = bias;
  // Room for what lets the kernel write further into its input; `place` says whether it is used.
  if (op == Op::kConv && w.kernel_h == 1 && w.kernel_w == 1) made.scratch = scratch(x.c);
  if (op == Op::kDepthwise) {
    made.scratch = scratch((w.kernel_h < x.h ? w.kernel_h : x.h) * x.w);
  }
  add(made);
  if (made.clamp != 0) then.activation = NK_ACTIVATION_NONE;
  return activate(y, then);
}

Image Unfolding::conv(const Image& x, const Window& w, uint32_t channels, const float* weights,
                      const float* bias, Then then) {
  return windowed(Op::kConv, x, w, channels, weights, bias, then);
}
Image Unfolding::depthwise(const Image& x, const Window& w, const float* weights, const float* bias,
                           Then then) {
  return windowed(Op::kDepthwise, x, w, x.c, weights, bias, then);
}

Image Unfolding::dense(const Image& x, const Layer& l) {
  const uint32_t rows = net_.is_mlp ? x.w : 1;
  expect(uint64_t{x.h} * x.w * x.c == uint64_t{rows} * l.in);
  const Image y = image(1, rows, l.out);
  Step made = step(Op::kDense, x, y);
  made.clamp = clamp_of(l.activation);
  made.weights = l.weights()[0];
  made.bias = l.weights()[1];
  add(made);
  flat_ = true;
  return activate(y, {made.clamp != 0 ? uint8_t{NK_ACTIVATION_NONE} : l.activation, l.value});
}

Image Unfolding::scale(const Image& x, const float* factor, const float* shift) {
  expect(factor != nullptr, NK_ERR_INVALID_ARGUMENT);
  const Image y = image(x.h, x.w, x.c);
  Step made = step(Op::kScale, x, y);
  made.weights = factor;
  made.bias = shift;
  add(made);
  return y;
}

Image Unfolding::layer_norm(const Image& x, const float* factor, const float* shift,
                            float epsilon) {
  const Image y = image(x.h, x.w, x.c);
  Step made = step(Op::kLayerNorm, x, y);
  made.weights = factor;
  made.bias = shift;
  made.value = epsilon;
  add(made);
  return y;
}

Image Unfolding::unary_into(Op op, const Image& x, const Image& y, float alpha) {
  Step made = step(op, x, y);
  made.value = alpha;
  add(made);
  return y;
}

Image Unfolding::activate(const Image& x, Then then) {
  static constexpr Op kOps[] = {Op::kRelu,      Op::kRelu,  Op::kSigmoid, Op::kTanh,
                                Op::kLeakyRelu, Op::kRelu6, Op::kSoftmax};
  if (then.activation == NK_ACTIVATION_NONE) return x;
  return unary(kOps[then.activation], x, then.alpha);
}

Image Unfolding::pair(Op op, const Image& a, const Image& b, const Image& y) {
  Step made = step(op, a, y);
  made.in[1] = b.index;
  add(made);
  return y;
}

Image Unfolding::sum(const Image& a, const Image& b) {
  expect(a.h == b.h && a.w == b.w && a.c == b.c);
  return pair(Op::kAdd, a, b, image(a.h, a.w, a.c));
}

Image Unfolding::tap(const Layer& l, const Image& x) {
  expect(l.tap < kTaps && taps_[l.tap].index == kNone, NK_ERR_LAYER_CONFIG);
  if (status_ == NK_OK) {
    taps_[l.tap] = x;
    net_.taps[l.tap] = x.index;
    use(x.index, kMostRecords);  // to the end
  }
  return x;
}

Image Unfolding::layer(const Layer& l, const Image& x) {
  const bool stated = l.spatial_h == 0 || (l.spatial_h == x.h && l.spatial_w == x.w);
  expect(stated && (l.in == 0 || l.kind == NK_CNN_BLOCK_DENSE || l.in == x.c));
  const Then then = {l.activation, l.value};
  switch (l.kind) {
    case NK_CNN_BLOCK_CONV2D:
      return conv(x, window_of(l), l.out, l.weights()[0], l.weights()[1], then);
    case NK_CNN_BLOCK_DEPTHWISE_CONV2D:
      return depthwise(x, window_of(l), l.weights()[0], l.weights()[1], then);
    case NK_CNN_BLOCK_MAX_POOL2D:
      return windowed(Op::kMaxPool, x, window_of(l), x.c, nullptr, nullptr, {});
    case NK_CNN_BLOCK_AVG_POOL2D:
      return windowed(Op::kAvgPool, x, window_of(l), x.c, nullptr, nullptr, {});
    case NK_CNN_BLOCK_BATCH_NORM2D:
      return scale(x, l.weights()[0], l.weights()[1]);
    case NK_CNN_BLOCK_LAYERNORM2D:
      return layer_norm(x, l.weights()[0], l.weights()[1], l.value);
    case NK_CNN_BLOCK_FLATTEN:
      flat_ = true;
      return flat(x);
    case NK_CNN_BLOCK_DENSE:
      return dense(x, l);
    case NK_CNN_BLOCK_CONVNEXTV2_BLOCK:
      return convnext(l, x);
    case NK_CNN_BLOCK_MOBILENETV4_UIB:
      return uib(l, x);
    case NK_CNN_BLOCK_RESNET_BASIC_BLOCK:
      return resnet(l, x);
    case NK_CNN_BLOCK_YOLOX_DECOUPLED_HEAD:
      return head(l, x);
    case NK_CNN_BLOCK_FEATURE_TAP:
      return tap(l, x);
    default:
      return neck(l, x);
  }
}

nk_status_t Unfolding::run(uint32_t h, uint32_t w, uint32_t c) {
  for (uint16_t& t : net_.taps) t = kNone;
  Image x = image(h, w, c);
  net_.input = x.index;
  flat_ = net_.is_mlp;
  for (uint16_t i = 0; i < net_.layer_count && status_ == NK_OK; ++i) {
    if (net_.layers[i] == nullptr || net_.layers[i]->kind == kUnset) return NK_ERR_LAYER_CONFIG;
    layer_ = i;
    x = layer(*net_.layers[i], x);
  }
  use(x.index, kMostRecords);
  net_.output = x.index;
  net_.output_rank = flat_ ? 2 : 3;
  net_.step_count = step_count_;
  net_.value_count = value_count_;
  return status_;
}

nk_status_t unfold(Net& net, uint32_t h, uint32_t w, uint32_t c) {
  return Unfolding(net).run(h, w, c);
}

}  // namespace netkit::nets
