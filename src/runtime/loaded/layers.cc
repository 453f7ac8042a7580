// SPDX-License-Identifier: MIT
// Which steps of a version 5 program are layers, and what they are.
#include "ops/conv2d/conv2d.h"
#include "ops/dwconv2d/dwconv2d.h"
#include "ops/matmul/fully_connected.h"
#include "ops/norm/norm.h"
#include "runtime/loaded/loaded.h"

namespace netkit {
namespace {

struct KindRow {
  const char* kernel;  // begins so
  nk_cnn_block_type_t type;
};
constexpr KindRow kKinds[] = {
    {"nk_conv2d_", NK_CNN_BLOCK_CONV2D},           {"nk_dwconv2d_", NK_CNN_BLOCK_DEPTHWISE_CONV2D},
    {"nk_max_pool2d_", NK_CNN_BLOCK_MAX_POOL2D},   {"nk_avg_pool2d_", NK_CNN_BLOCK_AVG_POOL2D},
    {"nk_batch_norm_", NK_CNN_BLOCK_BATCH_NORM2D}, {"nk_norm_", NK_CNN_BLOCK_LAYERNORM2D},
    {"nk_fully_connected_", NK_CNN_BLOCK_DENSE},
};

// In the order of nk_cnn_block_type_t; those of import/nk_legacy/reader.cc.
constexpr const char* kNames[] = {"conv2d",
                                  "depthwise conv2d",
                                  "max pool",
                                  "average pool",
                                  "batch norm",
                                  "layer norm",
                                  "flatten",
                                  "dense",
                                  "ConvNeXt V2 block",
                                  "UIB",
                                  "ResNet basic block",
                                  "YOLOX head",
                                  "feature tap",
                                  "YOLOX PAFPN"};
static_assert(sizeof kNames / sizeof kNames[0] == NK_CNN_BLOCK_YOLOX_PAFPN_MULTISCALE + 1);

// Beyond, steps that share weights count each: looking for them is quadratic.
constexpr uint32_t kMostComparedSteps = 4096;

struct ActivationRow {
  const char* kernel;
  nk_activation_t activation;
};
// The longer name before the one that it begins with.
constexpr ActivationRow kActivations[] = {
    {"nk_relu6_", NK_ACTIVATION_RELU6},           {"nk_relu_", NK_ACTIVATION_RELU},
    {"nk_sigmoid_", NK_ACTIVATION_SIGMOID},       {"nk_tanh_", NK_ACTIVATION_TANH},
    {"nk_leaky_relu_", NK_ACTIVATION_LEAKY_RELU}, {"nk_softmax_", NK_ACTIVATION_SOFTMAX},
};

bool begins(const char* name, const char* start) {
  while (*start != '\0' && *name == *start) ++name, ++start;
  return *start == '\0';
}

template <typename Row, size_t count>
const Row* row_of(const Row (&rows)[count], const char* name) {
  for (const Row& row : rows) {
    if (begins(name, row.kernel)) return &row;
  }
  return nullptr;
}

template <typename Params>
bool read(const NkView& view, const nk_file_step& step, Params& params) {
  if (step.params_bytes < sizeof params) return false;
  __builtin_memcpy(&params, view.params(&step), sizeof params);
  return true;
}

// The clamp inside a step, of float32 exactly, of int8 by its kind.
template <typename Params>
nk_activation_t clamp_of(const Params& p) {
  if (p.clamp_min == 0.0f) {
    return p.clamp_max == 6.0f ? NK_ACTIVATION_RELU6 : NK_ACTIVATION_RELU;
  }
  const bool low = p.act_min > -128, high = p.act_max < 127 && p.act_max > p.act_min;
  return !low ? NK_ACTIVATION_NONE : high ? NK_ACTIVATION_RELU6 : NK_ACTIVATION_RELU;
}

const void* constant(const NkView& view, const nk_file_step& step, uint32_t index) {
  if (index >= step.in_count) return nullptr;
  const nk_file_arg& arg = NkView::args(&step)[index];
  const bool stands = arg.place != NK_ARG_ABSENT && (arg.place & NK_ARG_CONSTANT) != 0;
  return stands ? view.constants() + (arg.place & ~NK_ARG_CONSTANT) : nullptr;
}

const char* kernel_name(const NkView& view, const nk_file_section& names, uint32_t index) {
  nk_file_step_info record;
  __builtin_memcpy(&record, view.payload(names) + index * sizeof record, sizeof record);
  return view.string(record.kernel_name);
}

// The place of the first constant that a step reads; NK_ARG_ABSENT: it reads none.
uint32_t first_constant(const nk_file_step& step) {
  for (uint32_t i = 0; i < step.in_count; ++i) {
    const uint32_t place = NkView::args(&step)[i].place;
    if (place != NK_ARG_ABSENT && (place & NK_ARG_CONSTANT) != 0) return place;
  }
  return NK_ARG_ABSENT;
}

bool is_first_with(const NkView& view, uint32_t index, uint32_t place) {
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; i < index; ++i, step = NkView::next_step(step)) {
    if (first_constant(*step) == place) return false;
  }
  return true;
}

// Does a kernel's name say float32? Its constants are then weights; others have tables too.
bool is_float(const char* name) {
  while (*name != '\0' && !begins(name, "_f32")) ++name;
  return *name != '\0';
}

LayerInfo info_of(const NkView& view, const nk_file_step& step, nk_cnn_block_type_t type) {
  LayerInfo info;
  info.type = type;
  nk_spatial window{};
  nk_conv2d_params conv{};
  nk_dwconv2d_params depthwise{};
  nk_fully_connected_params dense{};
  nk_norm_params norm{};
  if (type == NK_CNN_BLOCK_DENSE && read(view, step, dense)) {
    info.in = dense.in_features;
    info.out = dense.out_features;
    info.activation = clamp_of(dense);
  } else if (type == NK_CNN_BLOCK_LAYERNORM2D && read(view, step, norm)) {
    info.in = info.out = norm.channels;
  } else if (type != NK_CNN_BLOCK_BATCH_NORM2D && read(view, step, window)) {
    info.kernel_h = window.kernel_h;
    info.kernel_w = window.kernel_w;
    info.stride = window.stride_h;
    info.in = window.in_c;
    info.out = window.out_c;
    if (type == NK_CNN_BLOCK_CONV2D && read(view, step, conv)) info.activation = clamp_of(conv);
    if (type == NK_CNN_BLOCK_DEPTHWISE_CONV2D && read(view, step, depthwise)) {
      info.activation = clamp_of(depthwise);
    }
  }
  info.weights = constant(view, step, 1);
  info.bias = constant(view, step, 2);
  return info;
}

// Of one step.
size_t weights_of(const NkView& view, const nk_file_step& step, const char* name) {
  const KindRow* kind = row_of(kKinds, name);
  const LayerInfo info = kind != nullptr ? info_of(view, step, kind->type) : LayerInfo{};
  const auto in = static_cast<size_t>(info.in), out = static_cast<size_t>(info.out);
  const auto taps = static_cast<size_t>(info.kernel_h) * static_cast<size_t>(info.kernel_w);
  const size_t bias = info.bias != nullptr ? out : 0;
  if (kind != nullptr && info.weights != nullptr && out != 0) {
    nk_conv2d_params conv{};
    if (info.type == NK_CNN_BLOCK_DENSE) return in * out + bias;
    if (info.type == NK_CNN_BLOCK_DEPTHWISE_CONV2D) return taps * out + bias;
    if (info.type == NK_CNN_BLOCK_CONV2D && read(view, step, conv) && conv.groups > 0) {
      return taps * in / static_cast<size_t>(conv.groups) * out + bias;
    }
  }
  size_t bytes = 0;
  for (uint32_t i = 0; is_float(name) && i < step.in_count; ++i) {
    if (constant(view, step, i) != nullptr) bytes += NkView::args(&step)[i].bytes;
  }
  return bytes / sizeof(float);
}

}  // namespace

const char* block_name(nk_cnn_block_type_t type) {
  return kNames[type];
}

// nk_<operator>_<types>_<how>: the operator ends before what begins as a type or is "any".
const char* step_name(const NkView& view, uint32_t index, char (&text)[32]) {
  const nk_file_section* names = view.find_section(NK_SECTION_STEP_INFO);
  const char* name =
      names != nullptr && index < names->count ? kernel_name(view, *names, index) : "";
  if (const KindRow* kind = row_of(kKinds, name)) return block_name(kind->type);
  if (!begins(name, "nk_")) return "step";
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  const auto ends = [&](const char* at) {
    if (at[0] != '_') return at[0] == '\0';
    const bool type = at[1] == 'f' || at[1] == 's' || at[1] == 'u' || at[1] == 'x' || at[1] == 'b';
    return (type && is_digit(at[2])) || (at[1] == 'a' && at[2] == 'n' && at[3] == 'y');
  };
  size_t length = 0;
  for (const char* at = name + 3; length + 1 < sizeof text && !ends(at); ++at) text[length++] = *at;
  text[length] = '\0';
  return text;
}

size_t weight_elements(const NkView& view) {
  const nk_file_section* names = view.find_section(NK_SECTION_STEP_INFO);
  if (names == nullptr || names->count < view.step_count()) return 0;
  const nk_file_step* step = view.first_step();
  size_t elements = 0;
  for (uint32_t i = 0; i < view.step_count(); ++i, step = NkView::next_step(step)) {
    const uint32_t place = first_constant(*step);
    if (place == NK_ARG_ABSENT) continue;
    if (i < kMostComparedSteps && !is_first_with(view, i, place)) continue;
    elements += weights_of(view, *step, kernel_name(view, *names, i));
  }
  return elements;
}

void each_layer_of(const Loaded& loaded, LayerListener listener, void* user) {
  const Executor* executor = loaded.ready ? executor_of(&loaded.program) : nullptr;
  if (executor == nullptr) return;
  const NkView& view = executor->view();
  const nk_file_section* names = view.find_section(NK_SECTION_STEP_INFO);
  if (names == nullptr || names->count < view.step_count()) return;
  const nk_file_step* step = view.first_step();
  LayerInfo last;
  uint32_t count = 0;
  bool pending = false;
  for (uint32_t i = 0; i < view.step_count(); ++i, step = NkView::next_step(step)) {
    const char* name = kernel_name(view, *names, i);
    const ActivationRow* activation = row_of(kActivations, name);
    if (pending && activation != nullptr && last.activation == NK_ACTIVATION_NONE) {
      last.activation = activation->activation;
      continue;
    }
    const KindRow* kind = row_of(kKinds, name);
    if (kind == nullptr) continue;
    if (pending) listener(user, count++, last);
    last = info_of(view, *step, kind->type);
    pending = true;
  }
  if (pending) listener(user, count, last);
}

}  // namespace netkit
