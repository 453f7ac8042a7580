// SPDX-License-Identifier: MIT
// Networks of float32 that a program builds on a bare device: layers → steps over values → places
// in one buffer → run, all in the caller's arena, weights where they are. layers [unfold] steps
// [place] offsets [run]. The host builds the same networks through its compiler
// (compiler/driver/capi).
#pragma once

#include "netkit.h"
#include "netkit/arena.hpp"
#include "netkit/ops_resolver.hpp"
#include "ops/common/kernel.h"

namespace netkit::nets {

inline constexpr uint16_t kNone = 0xFFFF;
inline constexpr uint8_t kUnset = 0xFF;  // the kind of a layer that was refused when it was set
inline constexpr uint8_t kTaps = 4;
inline constexpr uint32_t kAlignBytes = 16;

// What an init call was given. Windows and channels as far as the kind has them; weights are the
// tensors of the call in its order, NULL where absent.
struct alignas(const float*) Layer {
  uint8_t kind;        // nk_cnn_block_type_t
  uint8_t activation;  // nk_activation_t
  uint8_t tap;
  uint8_t count;  // of weights
  uint16_t kernel_h, kernel_w, stride;
  uint16_t top, left, bottom, right;
  uint16_t spatial_h, spatial_w;  // 0: not stated
  uint16_t extra[3];              // kernels of a UIB, convolutions of a head, channels of a neck
  uint32_t in, out;
  float value;  // alpha, eps or expand ratio

  // They follow the record.
  const float** weights() { return reinterpret_cast<const float**>(this + 1); }
  const float* const* weights() const { return reinterpret_cast<const float* const*>(this + 1); }
};
static_assert(sizeof(Layer) % alignof(const float*) == 0);

enum class Op : uint8_t {
  kConv,
  kDepthwise,
  kDense,
  kMaxPool,
  kAvgPool,
  kScale,  // batch norm
  kLayerNorm,
  kResponseNorm,  // of ConvNeXt V2; in place
  kRelu,
  kRelu6,
  kSigmoid,
  kTanh,
  kLeakyRelu,
  kSwish,
  kGelu,
  kSoftmax,
  kAdd,
  kAddUpsampled,  // the second input has half the height and width
  kCopyChannels,  // into the output from channel `left` on
  kOpCount
};

// An activation of float32 [h, w, c] in the buffer.
struct Value {
  uint32_t offset;  // bytes; of a part: from the start of its parent
  uint16_t h, w;
  uint32_t c;
  uint16_t parent;       // kNone, or the value that this one is a part of
  uint16_t first, last;  // steps that need it
};

struct Step {
  Op op;
  uint8_t mode;     // nk_spatial_mode
  uint8_t clamp;    // 0 none, 1 relu, 2 relu6
  uint8_t variant;  // 1: the kernel uses scratch to reach further
  uint16_t in[2], out, scratch;
  uint16_t kernel_h, kernel_w, stride, top, left;
  uint16_t layer;  // that it is of
  float value;
  const float* weights;
  const float* bias;
};

// One network; all zeros but for what create sets.
struct Net {
  Arena* arena;
  Layer** layers;
  Step* steps;
  Value* values;
  uint8_t* buffer;  // nullptr: not planned
  uint32_t buffer_bytes, generation;
  uint16_t layer_count, step_count, value_count;
  uint16_t input, output, taps[kTaps];
  uint8_t output_rank;
  bool is_mlp, omits_softmax;
  nk_kernel_fn kernels[static_cast<size_t>(Op::kOpCount)];  // as far as the steps need them
};

// A layer of `count` weights in the arena, zeroed; nullptr: no such index, or the arena is full.
Layer* set_layer(Net& net, uint32_t index, uint32_t count);

// Plans for an input [h, w, c], of an MLP [1, rows, features]: tables first, then the buffer, from
// `arena`. Errors: a layer that was never set (NK_ERR_LAYER_CONFIG) or does not fit the one before
// (NK_ERR_WEIGHT_MISMATCH), NK_ERR_ARENA_OVERFLOW.
nk_status_t plan(Net& net, Arena& arena, uint32_t h, uint32_t w, uint32_t c);

// Layers as steps over values; twice: first with net.steps and net.values nullptr, which counts.
nk_status_t unfold(Net& net, uint32_t h, uint32_t w, uint32_t c);
// Offsets of all values, modes of all steps and buffer_bytes; takes temporary memory from `arena`.
nk_status_t place(Net& net, Arena& arena);

// Finds the kernels of the steps in the tables; NK_ERR_UNKNOWN_KERNEL where one is in none.
nk_status_t bind(Net& net, const NkOpsResolver& resolver);

// One inference on what stands in the input; `hook` is called behind each layer.
using LayerHook = void (*)(void* user, uint8_t kind);
nk_status_t run(const Net& net, LayerHook hook = nullptr, void* user = nullptr);

inline uint32_t elements(const Value& v) {
  return uint32_t{v.h} * v.w * v.c;
}
inline uint32_t bytes_of(const Value& v) {
  return elements(v) * static_cast<uint32_t>(sizeof(float));
}
// Where a value stands in the buffer.
inline uint32_t offset_of(const Net& net, uint16_t index) {
  const Value& v = net.values[index];
  return v.offset + (v.parent == kNone ? 0 : net.values[v.parent].offset);
}
inline float* data_of(const Net& net, uint16_t index) {
  return index == kNone ? nullptr : reinterpret_cast<float*>(net.buffer + offset_of(net, index));
}

}  // namespace netkit::nets
