// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/import/nk_legacy/layers.h"

namespace netkit::nk_legacy {

static Result<int64_t> image_channels(const GraphMaker& graph, int x) {
  if (graph.dims(x).size() == 4) return graph.dims(x)[3];
  return graph.wrong(fmt::format("its input is {}, not an image", dims_text(graph.dims(x))));
}

Result<void> check_channels(const GraphMaker& graph, int x, int64_t channels) {
  NK_ASSIGN(const int64_t has, image_channels(graph, x));
  if (has == channels) return {};
  return graph.wrong(
      fmt::format("{} channels stated, its input is {}", channels, dims_text(graph.dims(x))));
}

namespace {

constexpr int64_t kMaxConvs = 16;

// Of a convolution just made.
Result<int> swish(GraphMaker& graph, int x) {
  const Quant quant = graph.swish_quant();
  if (graph.is_int8() && quant.empty()) {
    return graph.wrong("a convolution before a swish states no scale behind it");
  }
  return graph.node("swish", {x}, graph.dims(x), {}, quant);
}

// y = x * (gamma * n + 1) + beta with n = g / (mean(g) + epsilon), g the norm of each channel.
Result<int> response_norm(GraphMaker& graph, int x, float epsilon) {
  const Dims full = graph.dims(x);
  const Dims row = {full[0], 1, 1, full[3]};
  NK_ASSIGN(const auto gamma_beta, graph.vectors(full[3]));
  Attrs over_space, over_channels;
  over_space.set("axes", std::vector<int64_t>{1, 2});
  over_space.set("keepdims", int64_t{1});
  over_channels.set("axes", std::vector<int64_t>{3});
  over_channels.set("keepdims", int64_t{1});
  const Dims one = {full[0], 1, 1, 1};
  const int g = graph.node("reduce_l2", {x}, row, over_space);
  const int mean = graph.node("reduce_mean", {g}, one, over_channels);
  const int divisor = graph.node("add", {mean, graph.floats("epsilon", {1}, {epsilon})}, one);
  const int n = graph.node("div", {g, divisor}, row);
  const int scaled = graph.node("mul", {n, gamma_beta.first}, row);
  const int factor = graph.node("add", {scaled, graph.floats("one", {1}, {1.0f})}, row);
  const int y = graph.node("mul", {x, factor}, full);
  return graph.node("add", {y, gamma_beta.second}, full);
}

// The `count` convolutions of one block, each with a batch norm behind it or none.
class Block {
 public:
  Block(GraphMaker& graph, int count) : graph_(graph), left_(count) {}

  Result<int> conv(int x, int64_t kernel, int64_t stride, int64_t channels, bool relu) {
    return finish(graph_.conv2d(x, Window::square(kernel, stride), channels, now(relu), 0), relu);
  }
  Result<int> depthwise(int x, int64_t kernel, int64_t stride, bool relu) {
    NK_ASSIGN(const int64_t channels, image_channels(graph_, x));
    return finish(graph_.depthwise(x, Window::square(kernel, stride), channels, now(relu), 0),
                  relu);
  }

 private:
  // With int8 the scale of the output is that behind the activation, so the two are one.
  Activation now(bool relu) const {
    return relu && graph_.is_int8() ? Activation::kRelu : Activation::kNone;
  }
  Result<int> finish(Result<int> y, bool relu) {
    if (!y) return y;
    if (graph_.norm_follows(--left_ == 0)) y = graph_.batch_norm(*y);
    if (!y || !relu || graph_.is_int8()) return y;
    return graph_.activate(*y, Activation::kRelu, 0);
  }

  GraphMaker& graph_;
  int left_;
};

// Blocks that may be int8 where a program sets them by hand say so.
Result<void> no_int8(const GraphMaker& graph, bool by_hand = false) {
  if (!graph.is_int8() || (by_hand && graph.is_by_hand())) return {};
  return graph.wrong(graph.is_by_hand() ? "it has no int8 form"
                                        : "it has no int8 form in these files");
}

// Rows or columns of nearest upsampling by 2.
int doubled(GraphMaker& graph, int64_t size) {
  std::vector<int32_t> table;
  for (int64_t i = 0; i < 2 * size; ++i) table.push_back(static_cast<int32_t>(i / 2));
  return graph.ints("taps", {2 * size, 1}, table);
}

int upsampled(GraphMaker& graph, int x) {
  const Dims in = graph.dims(x);
  const int rows = doubled(graph, in[1]);
  const int columns = doubled(graph, in[2]);
  return graph.node("resize", {x, rows, kAbsent, columns, kAbsent},
                    {in[0], 2 * in[1], 2 * in[2], in[3]}, {}, graph.quant(x));
}

Result<int> separable(GraphMaker& graph, int x, int64_t stride, int64_t channels) {
  NK_ASSIGN(const int64_t in, image_channels(graph, x));
  NK_ASSIGN(x, graph.depthwise(x, Window::square(3, stride), in, Activation::kNone, 0));
  NK_ASSIGN(x, graph.conv2d(x, Window::square(1, 1), channels, Activation::kNone, 0));
  return swish(graph, x);
}

Result<int> concat(GraphMaker& graph, const std::vector<int>& parts, size_t axis) {
  Dims shape = graph.dims(parts[0]);
  shape[axis] = 0;
  for (const int part : parts) shape[axis] += graph.dims(part)[axis];
  Attrs attrs;
  attrs.set("axis", static_cast<int64_t>(axis));
  for (const int part : parts) {
    if (graph.quant(part).scale != graph.quant(parts[0]).scale ||
        graph.quant(part).zero_point != graph.quant(parts[0]).zero_point) {
      return graph.wrong("what it joins has different scales");
    }
  }
  return graph.node("concat", parts, shape, attrs, graph.quant(parts[0]));
}

}  // namespace

Result<int> channel_norm(GraphMaker& graph, int x, float epsilon) {
  NK_ASSIGN(const int64_t channels, image_channels(graph, x));
  NK_ASSIGN(const auto pair, graph.vectors(channels));
  Attrs attrs;
  attrs.set("axis", int64_t{-1});
  attrs.set("epsilon", static_cast<double>(epsilon));
  return graph.node("layer_norm", {x, pair.first, pair.second}, graph.dims(x), attrs);
}

Result<int> convnext_block(GraphMaker& graph, int x, int64_t channels, float epsilon) {
  NK_TRY(no_int8(graph));
  NK_TRY(check_channels(graph, x, channels));
  NK_ASSIGN(int y, graph.depthwise(x, Window::square(7, 1), channels, Activation::kNone, 0));
  NK_ASSIGN(y, channel_norm(graph, y, epsilon));
  NK_ASSIGN(y, graph.conv2d(y, Window::square(1, 1), 4 * channels, Activation::kNone, 0));
  y = graph.node("gelu_tanh", {y}, graph.dims(y));
  NK_ASSIGN(y, response_norm(graph, y, epsilon));
  NK_ASSIGN(y, graph.conv2d(y, Window::square(1, 1), channels, Activation::kNone, 0));
  return graph.add(x, y);
}

int64_t uib_channels(int64_t in, float expand_ratio) {
  const double value = static_cast<double>(in) * static_cast<double>(expand_ratio);
  const int64_t near = std::max<int64_t>(8, static_cast<int64_t>(value + 4.0) / 8 * 8);
  return static_cast<double>(near) < 0.9 * value ? near + 8 : near;
}

Result<int> uib_block(GraphMaker& graph, int x, const Uib& b) {
  NK_TRY(check_channels(graph, x, b.in));
  const bool middle_strides = b.middle_kernel != 0 && b.middle_downsamples;
  if (b.stride != 1 && !middle_strides && b.start_kernel == 0) {
    return graph.wrong(fmt::format("no convolution takes its stride of {}", b.stride));
  }
  const double wide = static_cast<double>(b.in) * static_cast<double>(b.expand_ratio);
  if (!(wide >= 1.0) || wide > 1e9) {
    return graph.wrong(fmt::format(
        "an expand ratio of {} makes {} channels of {}: from 1 to 1000000000 are possible",
        b.expand_ratio, wide, b.in));
  }
  Block block(graph, 2 + (b.start_kernel != 0 ? 1 : 0) + (b.middle_kernel != 0 ? 1 : 0));
  int y = x;
  if (b.start_kernel != 0) {
    NK_ASSIGN(y, block.depthwise(y, b.start_kernel, middle_strides ? 1 : b.stride, false));
  }
  NK_ASSIGN(y, block.conv(y, 1, 1, uib_channels(b.in, b.expand_ratio), true));
  if (b.middle_kernel != 0) {
    NK_ASSIGN(y, block.depthwise(y, b.middle_kernel, middle_strides ? b.stride : 1, true));
  }
  NK_ASSIGN(y, block.conv(y, 1, 1, b.out, false));
  return b.stride == 1 && b.in == b.out ? graph.add(x, y) : y;
}

Result<int> resnet_block(GraphMaker& graph, int x, int64_t in, int64_t out, int64_t stride) {
  NK_TRY(no_int8(graph, true));
  NK_TRY(check_channels(graph, x, in));
  const bool has_shortcut = stride != 1 || in != out;
  Block block(graph, has_shortcut ? 3 : 2);
  NK_ASSIGN(int y, block.conv(x, 3, stride, out, true));
  NK_ASSIGN(y, block.conv(y, 3, 1, out, false));
  int shortcut = x;
  if (has_shortcut) {
    NK_ASSIGN(shortcut, block.conv(x, 1, stride, out, false));
  }
  return graph.activate(graph.add(shortcut, y), Activation::kRelu, 0);
}

Result<int> yolox_head(GraphMaker& graph, int x, const YoloxHead& head) {
  NK_TRY(no_int8(graph, true));
  if (head.convs > kMaxConvs) {
    return graph.wrong(
        fmt::format("{} convolutions in a branch, at most {}", head.convs, kMaxConvs));
  }
  const auto conv = [&](int from, int64_t kernel, int64_t channels) {
    return graph.conv2d(from, Window::square(kernel, 1), channels, Activation::kNone, 0);
  };
  NK_ASSIGN(int stem, conv(x, 1, head.hidden));
  NK_ASSIGN(stem, swish(graph, stem));
  std::array<int, 2> branch = {stem, stem};  // classes, box
  for (int& b : branch) {
    for (int64_t i = 0; i < head.convs; ++i) {
      NK_ASSIGN(b, conv(b, 3, head.hidden));
      NK_ASSIGN(b, swish(graph, b));
    }
  }
  NK_ASSIGN(const int classes, conv(branch[0], 1, head.classes));
  NK_ASSIGN(const int box, conv(branch[1], 1, 4));
  NK_ASSIGN(const int objectness, conv(branch[1], 1, 1));
  return concat(graph, {box, objectness, classes}, 3);
}

Result<int> pafpn(GraphMaker& graph, std::array<int, 3> scales, std::array<int64_t, 3> channels,
                  const YoloxHead& head, bool has_heads) {
  NK_TRY(no_int8(graph, true));
  std::array<int, 3> lateral{};
  for (size_t i = 0; i < 3; ++i) {
    if (scales[i] == kAbsent) return graph.wrong(fmt::format("feature tap {} is not set", i));
    NK_TRY(check_channels(graph, scales[i], channels[i]));
    const Dims& here = graph.dims(scales[i]);
    const Dims& least = graph.dims(scales[2]);
    const int64_t factor = int64_t{4} >> i;
    if (least.size() != 4 || here[1] != factor * least[1] || here[2] != factor * least[2]) {
      return graph.wrong(fmt::format("tap {} is {}, {} times the size of {} is expected", i,
                                     dims_text(here), factor, dims_text(least)));
    }
    NK_ASSIGN(lateral[i],
              graph.conv2d(scales[i], Window::square(1, 1), head.hidden, Activation::kNone, 0));
  }
  const int p5 = lateral[2];
  NK_ASSIGN(const int p4,
            separable(graph, graph.add(lateral[1], upsampled(graph, p5)), 1, head.hidden));
  NK_ASSIGN(const int p3,
            separable(graph, graph.add(lateral[0], upsampled(graph, p4)), 1, head.hidden));
  NK_ASSIGN(int n4, separable(graph, p3, 2, head.hidden));
  n4 = graph.add(p4, n4);  // a sum has the scale of the convolution before it
  NK_ASSIGN(int n5, separable(graph, n4, 2, head.hidden));
  n5 = graph.add(p5, n5);
  std::vector<int> flat;
  for (const int scale : {p3, n4, n5}) {
    int y = scale;
    if (has_heads) {
      NK_ASSIGN(y, yolox_head(graph, scale, head));
    }
    flat.push_back(graph.flatten(y));
  }
  return concat(graph, flat, 1);
}

}  // namespace netkit::nk_legacy
