// SPDX-License-Identifier: MIT
// The older .nk files, versions 3 (float32) and 4 (int8), as host values: layers with the tensors
// of two catalogues behind them. bytes → [reader] → LegacyFile → [layers, blocks] → ForeignGraph.
// docs/nk-format.md has the byte-level text.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/import/nk_legacy/cases.h"
#include "compiler/ir/foreign.h"

namespace netkit::nk_legacy {

enum class Kind : uint8_t {
  kDense = 1,
  kConv2d,
  kMaxPool,
  kFlatten,
  kAvgPool,
  kBatchNorm,
  kDepthwise,
  kConvNext,
  kUib,
  kResNet,
  kLayerNorm,
  kYoloxHead,
  kFeatureTap,
  kPafpn,
};

// What netkit calls the kind in messages ("conv2d").
std::string_view name_of(Kind kind);

enum class Activation : uint8_t { kNone, kRelu, kSigmoid, kTanh, kLeakyRelu, kRelu6, kSoftmax };

// A sliding window over an image.
struct Window {
  int64_t kernel_h = 1, kernel_w = 1, stride = 1;
  int64_t top = 0, left = 0, bottom = 0, right = 0;

  static Window square(int64_t kernel, int64_t stride) {
    const int64_t pad = kernel / 2;
    return {kernel, kernel, stride, pad, pad, pad, pad};
  }
};

// A layer record: the words of its body in the order of the file, each in the type the file gives
// it; a kind uses some of them.
struct Layer {
  Kind kind = Kind::kFlatten;
  std::array<uint32_t, 5> u = {};  // 32-bit words
  std::array<uint8_t, 4> b = {};   // bytes
  uint16_t half = 0;               // pools: width and padding at the ends
  float f = 0.0f;                  // alpha, eps or expand ratio

  // Networks that a program builds say some things that files do not.
  std::optional<Window> window;                   // in place of the words that tell it
  std::optional<std::array<int64_t, 2>> spatial;  // height and width that its input must have
  bool has_heads = true;                          // PAFPN: false, it ends with P3, N4, N5
};

// Feature taps have the ids below it.
inline constexpr uint32_t kTaps = 4;

// What is wrong with the layer's parameter that is a real number, with its name and what to do, or
// "": alpha, eps and expand ratio are finite, an eps is not negative.
std::string bad_parameter(const Layer& layer);

struct Stored {
  nk_dtype dtype = NK_DTYPE_NONE;
  Dims dims;
  std::span<const std::byte> bytes;  // inside the file, not aligned
};

struct QuantEntry {
  float in_scale = 0, out_scale = 0;
  int32_t in_zero = 0, out_zero = 0;
  std::vector<float> weight_scales;  // one, or one per output channel
  float act_scale = 0;               // behind a swish; files state none
  int32_t act_zero = 0;
};

struct LegacyFile {
  uint32_t version = 0;
  bool is_mlp = false;
  Dims input;  // [batch, features] or [h, w, c]
  std::vector<Layer> layers;
  std::vector<Stored> weights, biases;  // of one length
  std::vector<QuantEntry> quants;       // version 4: an entry per weighted layer inside
  LegacyCases cases;
  bool taps_are_outputs = false;  // after the result, named "tap0" …
  bool by_hand = false;           // ResNet and YOLOX blocks may be int8, which files do not state

  bool is_int8() const { return version == 4; }
};

// Reads and checks the structure of a whole file; spans point into `bytes`. Errors say where in
// the file; memory is linear in bytes.size().
Result<LegacyFile> read_legacy(std::span<const std::byte> bytes);

// The layers as canonical nodes; composite blocks are unfolded. Errors name layer and reason.
Result<ForeignGraph> to_foreign(const LegacyFile& file);

}  // namespace netkit::nk_legacy
