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

template <typename Row, size_t count>
const Row* row_of(const Row (&rows)[count], const char* name) {
  for (const Row& row : rows) {
    size_t i = 0;
    while (row.kernel[i] != '\0' && name[i] == row.kernel[i]) ++i;
    if (row.kernel[i] == '\0') return &row;
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

}  // namespace

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
    nk_file_step_info record;
    __builtin_memcpy(&record, view.payload(*names) + i * sizeof record, sizeof record);
    const char* name = view.string(record.kernel_name);
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
