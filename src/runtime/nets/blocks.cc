// SPDX-License-Identifier: MIT
// The composite blocks as steps: those of import/nk_legacy/blocks.cc, in the same order of sums, so
// that a network without batch norms gives the bits of the host's.
#include "runtime/nets/unfolding.h"

namespace netkit::nets {
namespace {

constexpr Then kNothing = {NK_ACTIVATION_NONE, 0.0f};
constexpr uint32_t kBox = 4, kObjectness = 1;

// The nearest multiple of 8 to in * ratio, a step up where that loses more than a tenth.
uint32_t expanded(uint32_t in, float ratio) {
  const double value = static_cast<double>(in) * static_cast<double>(ratio);
  if (!(value >= 1.0 && value < 1e6)) return 0;
  const uint32_t near = static_cast<uint32_t>(value + 4.0) / 8 * 8;
  const uint32_t least = near < 8 ? 8 : near;
  return static_cast<double>(least) < 0.9 * value ? least + 8 : least;
}

}  // namespace

Image Unfolding::normed(Op op, const Image& x, const Window& w, uint32_t channels,
                        const float* const* at, bool relu) {
  const bool has_norm = at[2] != nullptr || at[3] != nullptr;
  const Then then = {relu ? uint8_t{NK_ACTIVATION_RELU} : uint8_t{NK_ACTIVATION_NONE}, 0.0f};
  Image y = windowed(op, x, w, channels, at[0], at[1], has_norm ? kNothing : then);
  if (has_norm) y = activate(scale(y, at[2], at[3]), then);
  return y;
}

// weights: dw, norm, expand, gamma and beta, project; each with its bias.
Image Unfolding::convnext(const Layer& l, const Image& x) {
  const float* const* t = l.weights();
  Image y = depthwise(x, Window::square(7, 1), t[0], t[1], kNothing);
  y = layer_norm(y, t[2], t[3], l.value);
  y = conv(y, Window::square(1, 1), 4 * x.c, t[4], t[5], kNothing);
  y = unary(Op::kGelu, y);
  expect(t[6] != nullptr && t[7] != nullptr, NK_ERR_INVALID_ARGUMENT);
  const Image n = image(y.h, y.w, y.c);
  Step made = step(Op::kResponseNorm, y, n);
  made.weights = t[6];
  made.bias = t[7];
  made.value = l.value;
  made.scratch = scratch(y.c);
  add(made);
  y = conv(n, Window::square(1, 1), x.c, t[8], t[9], kNothing);
  return sum(x, y);
}

// weights: start, expand, middle, project; each with bias, scale and shift. extra: kernels of start
// and middle, does the middle take the stride?
Image Unfolding::uib(const Layer& l, const Image& x) {
  const uint32_t start = l.extra[0], middle = l.extra[1];
  const bool middle_strides = middle != 0 && l.extra[2] != 0;
  expect(l.stride == 1 || middle_strides || start != 0, NK_ERR_LAYER_CONFIG);
  const uint32_t wide = expanded(l.in, l.value);
  Image y = x;
  if (start != 0) {
    y = normed(Op::kDepthwise, y, Window::square(start, middle_strides ? 1 : l.stride), y.c,
               l.weights(), false);
  }
  y = normed(Op::kConv, y, Window::square(1, 1), wide, l.weights() + 4, true);
  if (middle != 0) {
    y = normed(Op::kDepthwise, y, Window::square(middle, middle_strides ? l.stride : 1), y.c,
               l.weights() + 8, true);
  }
  y = normed(Op::kConv, y, Window::square(1, 1), l.out, l.weights() + 12, false);
  return l.stride == 1 && l.in == l.out ? sum(x, y) : y;
}

// weights: first, second, shortcut; as above.
Image Unfolding::resnet(const Layer& l, const Image& x) {
  Image y = normed(Op::kConv, x, Window::square(3, l.stride), l.out, l.weights(), true);
  Image shortcut = x;
  if (l.stride != 1 || l.in != l.out) {
    // Before the second convolution: the input is dead then.
    shortcut = normed(Op::kConv, x, Window::square(1, l.stride), l.out, l.weights() + 8, false);
  }
  y = normed(Op::kConv, y, Window::square(3, 1), l.out, l.weights() + 4, false);
  return activate(sum(shortcut, y), {NK_ACTIVATION_RELU, 0.0f});
}

// weights: stem, predictions of classes, box and objectness, then the convolutions of the class
// branch and of the box branch. extra: convolutions of a branch, hidden channels, classes.
Image Unfolding::head(const Layer& l, const Image& x) {
  const uint32_t convs = l.extra[0], hidden = l.extra[1], classes = l.extra[2];
  const float* const* t = l.weights();
  const Image stem = unary(Op::kSwish, conv(x, Window::square(1, 1), hidden, t[0], t[1], kNothing));
  const auto branch = [&](const float* const* at) {
    Image y = stem;
    for (uint32_t i = 0; i < convs; ++i) {
      y = conv(y, Window::square(3, 1), hidden, at[2 * i], at[2 * i + 1], kNothing);
      y = unary(Op::kSwish, y);
    }
    return y;
  };
  const auto put = [&](const Image& from, const Image& to, uint32_t channel) {
    Step made = step(Op::kCopyChannels, from, to);
    made.left = static_cast<uint16_t>(channel);
    add(made);
  };
  const auto predict = [&](const Image& from, uint32_t channels, uint32_t at) {
    return conv(from, Window::square(1, 1), channels, t[at], t[at + 1], kNothing);
  };
  const Image box_branch = branch(t + 8 + 2 * convs);
  const Image box = predict(box_branch, kBox, 4);
  const Image object = predict(box_branch, kObjectness, 6);
  const Image names = predict(branch(t + 8), classes, 2);
  const Image y = image(x.h, x.w, kBox + kObjectness + classes);
  put(box, y, 0);
  put(object, y, kBox);
  put(names, y, kBox + kObjectness);
  return y;
}

// Depthwise 3x3, pointwise; weights and biases of both. A swish follows.
Image Unfolding::separable(const Image& x, uint32_t stride, const float* const* at) {
  const Image y = depthwise(x, Window::square(3, stride), at[0], at[1], kNothing);
  return conv(y, Window::square(1, 1), x.c, at[2], at[3], kNothing);
}

// weights: laterals of C3, C4, C5, then depthwise and pointwise of P4, P3, N4, N5. extra: channels
// of C3 and C4, hidden channels. P3, N4 and N5 are made as parts of the result.
Image Unfolding::neck(const Layer& l, const Image& x) {
  const uint32_t hidden = l.extra[2];
  const float* const* t = l.weights();
  const Image c3 = taps_[0], c4 = taps_[1];
  expect(c3.index != kNone && c4.index != kNone, NK_ERR_LAYER_CONFIG);
  expect(c3.c == l.extra[0] && c4.c == l.extra[1] && c3.h == 4 * x.h && c3.w == 4 * x.w &&
         c4.h == 2 * x.h && c4.w == 2 * x.w);
  if (status_ != NK_OK) return x;
  const auto lateral = [&](const Image& from, uint32_t at) {
    return conv(from, Window::square(1, 1), hidden, t[at], t[at + 1], kNothing);
  };
  const auto upsampled = [&](const Image& low, const Image& high) {
    return pair(Op::kAddUpsampled, high, low, image(high.h, high.w, high.c));
  };
  const Image p5 = lateral(x, 4);
  const Image p4 = unary(Op::kSwish, separable(upsampled(p5, lateral(c4, 2)), 1, t + 6));
  Image y = separable(upsampled(p4, lateral(c3, 0)), 1, t + 10);
  const uint32_t n5_floats = x.h * x.w * hidden, n4_at = 16 * n5_floats, n5_at = 20 * n5_floats;
  const Image all = image(1, 1, 21 * n5_floats);
  const auto part = [&](const Image& like, uint32_t at) {
    return image(like.h, like.w, like.c, all.index, at * static_cast<uint32_t>(sizeof(float)));
  };
  const Image p3 = unary_into(Op::kSwish, y, part(y, 0), 1.0f);
  y = unary(Op::kSwish, separable(p3, 2, t + 14));
  const Image n4 = pair(Op::kAdd, y, p4, part(y, n4_at));
  y = unary(Op::kSwish, separable(n4, 2, t + 18));
  pair(Op::kAdd, y, p5, part(y, n5_at));
  flat_ = true;
  return all;
}

}  // namespace netkit::nets
