// SPDX-License-Identifier: MIT
// The layers of an older .nk file as canonical nodes, kind by kind.
#include "compiler/import/nk_legacy/layers.h"

#include <fmt/format.h>

#include <array>

#include "compiler/import/common.h"

namespace netkit::nk_legacy {
namespace {

Result<Activation> activation_of(const GraphMaker& graph, uint8_t code) {
  if (code <= static_cast<uint8_t>(Activation::kSoftmax)) return static_cast<Activation>(code);
  return graph.wrong(fmt::format("unknown activation {}", code));
}

int64_t low(uint32_t byte) {
  return byte & 15;
}
int64_t high(uint32_t byte) {
  return byte >> 4 & 15;
}

Result<int> conv2d(GraphMaker& graph, const Layer& l, int x) {
  NK_ASSIGN(const Activation activation, activation_of(graph, l.b[0]));
  const Window window = {
      l.u[0], l.u[0], l.u[1], l.b[1], l.b[2], l.b[1] + low(l.b[3]), l.b[2] + high(l.b[3])};
  return graph.conv2d(x, l.window.value_or(window), l.u[2], activation, l.f);
}

// The last byte is the width of the window where the weights have that width, else padding.
Result<int> depthwise(GraphMaker& graph, const Layer& l, int x) {
  NK_ASSIGN(const Activation activation, activation_of(graph, l.b[0]));
  Window window = {l.u[0], l.u[0], l.u[1], l.b[1], l.b[2], l.b[1], l.b[2]};
  if (l.window) {
    window = *l.window;
  } else if (l.b[3] != 0 && graph.next_width() == l.b[3]) {
    window.kernel_w = l.b[3];
  } else {
    window.bottom += low(l.b[3]);
    window.right += high(l.b[3]);
  }
  return graph.depthwise(x, window, l.u[2], activation, l.f);
}

Result<int> pool(GraphMaker& graph, const Layer& l, int x) {
  const int64_t width = (l.half & 255) != 0 ? l.half & 255 : l.u[0];
  const Window window = {
      l.u[0], width, l.u[1], l.b[0], l.b[1], l.b[0] + low(l.half >> 8), l.b[1] + high(l.half >> 8)};
  const std::string_view op = l.kind == Kind::kMaxPool ? "max_pool2d" : "avg_pool2d";
  return graph.pool(x, op, l.window.value_or(window));
}

Result<int> layer_norm(GraphMaker& graph, const Layer& l, int x) {
  NK_TRY(check_channels(graph, x, l.u[0]));
  return channel_norm(graph, x, l.f);
}

class Unfolding {
 public:
  explicit Unfolding(const LegacyFile& file) : file_(file), graph_(file) {}

  Result<ForeignGraph> run() {
    int x = graph_.add_input();
    for (size_t i = 0; i < file_.layers.size(); ++i) {
      graph_.begin_layer(i);
      if (file_.is_mlp && file_.layers[i].kind != Kind::kDense) {
        return graph_.wrong("a network of kind MLP has dense layers only");
      }
      NK_TRY(check_spatial(file_.layers[i], x));
      NK_ASSIGN(x, layer(file_.layers[i], x));
    }
    for (size_t i = 0; i < taps_.size() && file_.taps_are_outputs; ++i) {
      if (taps_[i] != kAbsent) graph_.keep_output(taps_[i], fmt::format("tap{}", i));
    }
    return graph_.finish(x);
  }

 private:
  Result<int> layer(const Layer& l, int x) {
    switch (l.kind) {
      case Kind::kDense: {
        NK_ASSIGN(const Activation activation, activation_of(graph_, l.b[0]));
        return graph_.dense(x, l.u[0], activation, l.f);
      }
      case Kind::kConv2d:
        return conv2d(graph_, l, x);
      case Kind::kDepthwise:
        return depthwise(graph_, l, x);
      case Kind::kMaxPool:
      case Kind::kAvgPool:
        return pool(graph_, l, x);
      case Kind::kFlatten:
        return graph_.flatten(x);
      case Kind::kBatchNorm: {
        NK_TRY(check_channels(graph_, x, l.u[0]));
        return graph_.batch_norm(x);
      }
      case Kind::kLayerNorm:
        return layer_norm(graph_, l, x);
      case Kind::kConvNext:
        return convnext_block(graph_, x, l.u[0], l.f);
      case Kind::kUib:
        return uib_block(graph_, x, {l.u[0], l.u[1], l.b[0], l.b[1], l.b[2], l.b[3] != 0, l.f});
      case Kind::kResNet:
        return resnet_block(graph_, x, l.u[0], l.u[1], l.b[0]);
      case Kind::kYoloxHead:
        NK_TRY(check_channels(graph_, x, l.u[0]));
        return yolox_head(graph_, x, {l.u[1], l.u[2], l.b[0]});
      case Kind::kFeatureTap:
        return tap(l, x);
      case Kind::kPafpn:
        return pafpn(graph_, {taps_[0], taps_[1], x}, {l.u[0], l.u[1], l.u[2]},
                     {l.u[3], l.u[4], l.b[0]}, l.has_heads);
    }
    return graph_.wrong("unknown kind");
  }

  Result<void> check_spatial(const Layer& l, int x) const {
    const Dims& dims = graph_.dims(x);
    if (!l.spatial) return {};
    if (dims.size() == 4 && dims[1] == (*l.spatial)[0] && dims[2] == (*l.spatial)[1]) return {};
    return graph_.wrong(fmt::format("{}x{} stated, its input is {}", (*l.spatial)[0],
                                    (*l.spatial)[1], dims_text(dims)));
  }

  Result<int> tap(const Layer& l, int x) {
    NK_TRY(check_channels(graph_, x, l.u[0]));
    if (l.b[0] >= taps_.size()) {
      return graph_.wrong(fmt::format("tap {}, 0 to {} are possible", l.b[0], taps_.size() - 1));
    }
    int& place = taps_[l.b[0]];
    if (place != kAbsent) {
      return graph_.wrong(fmt::format(
          "tap {} is set by an earlier layer too: give each tap an id of its own", l.b[0]));
    }
    place = x;
    return x;
  }

  const LegacyFile& file_;
  GraphMaker graph_;
  std::array<int, kTaps> taps_ = {kAbsent, kAbsent, kAbsent, kAbsent};
};

}  // namespace

Result<ForeignGraph> to_foreign(const LegacyFile& file) {
  return Unfolding(file).run();
}

}  // namespace netkit::nk_legacy

namespace netkit {

Result<ForeignGraph> import_nk_legacy(std::span<const std::byte> bytes) {
  NK_ASSIGN(const nk_legacy::LegacyFile file, nk_legacy::read_legacy(bytes));
  return nk_legacy::to_foreign(file);
}

}  // namespace netkit
