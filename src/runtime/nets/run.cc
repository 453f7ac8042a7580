// SPDX-License-Identifier: MIT
// The steps of a built network through the kernels that files use: parameters are made on the stack
// for each call, from the record.
#include "ops/binary/binary.h"
#include "ops/conv2d/conv2d.h"
#include "ops/dwconv2d/dwconv2d.h"
#include "ops/matmul/fully_connected.h"
#include "ops/norm/norm.h"
#include "ops/pool2d/pool2d.h"
#include "ops/reduce/reduce.h"
#include "ops/softmax/softmax.h"
#include "ops/unary/unary.h"
#include "runtime/nets/steps.h"

NK_EXTERN_C_BEGIN
NK_DECLARE_KERNEL(nk_reduce_l2_f32_ref);
NK_DECLARE_KERNEL(nk_reduce_mean_f32_ref);
NK_EXTERN_C_END

namespace netkit::nets {

nk_spatial spatial_of(const Net& net, const Step& step) {
  const Value &x = net.values[step.in[0]], &y = net.values[step.out];
  nk_spatial s{};
  s.batch = 1;
  s.in_h = s.in_ring_h = x.h;
  s.in_w = x.w;
  s.in_c = static_cast<int32_t>(x.c);
  s.out_h = s.out_ring_h = s.out_y1 = y.h;
  s.out_w = y.w;
  s.out_c = static_cast<int32_t>(y.c);
  s.kernel_h = step.kernel_h;
  s.kernel_w = step.kernel_w;
  s.stride_h = s.stride_w = step.stride;
  s.dilation_h = s.dilation_w = 1;
  s.pad_top = step.top;
  s.pad_left = step.left;
  s.mode = step.mode;
  return s;
}

namespace {

constexpr float kInfinity = __builtin_inff();

struct Call {
  const Net& net;
  const Step& step;
  const Value &x, &y;
  const void* in[5];
  void* out[1];
  void* scratch;

  Call(const Net& n, const Step& s)
      : net(n),
        step(s),
        x(n.values[s.in[0]]),
        y(n.values[s.out]),
        in{data_of(n, s.in[0]), s.weights, s.bias, nullptr, nullptr},
        out{data_of(n, s.out)},
        scratch(data_of(n, s.scratch)) {}
  // The kernel that bind found for the step.
  void run(const void* params) {
    net.kernels[static_cast<size_t>(step.op)](params, in, out, scratch);
  }
};

template <typename Params>
void set_clamp(const Step& step, Params& p) {
  p.clamp_min = step.clamp == 0 ? -kInfinity : 0.0f;
  p.clamp_max = step.clamp == 2 ? 6.0f : kInfinity;
}

template <typename Params>
Params window(const Call& call) {
  Params p{};
  const nk_spatial s = spatial_of(call.net, call.step);
  __builtin_memcpy(&p, &s, sizeof s);
  set_clamp(call.step, p);
  return p;
}

void run_window(Call& call) {
  if (call.step.op == Op::kConv) {
    auto p = window<nk_conv2d_params>(call);
    p.groups = 1;
    return call.run(&p);
  }
  if (call.step.op == Op::kDepthwise) {
    auto p = window<nk_dwconv2d_params>(call);
    p.depth_multiplier = 1;
    return nk_dwconv2d_planar_f32(&p, call.in, call.out, call.scratch);
  }
  const auto p = window<nk_pool2d_params>(call);
  call.run(&p);
}

void run_dense(Call& call) {
  nk_fully_connected_params p{};
  p.rows = call.y.w;
  p.out_features = static_cast<int32_t>(call.y.c);
  p.in_features = static_cast<int32_t>(elements(call.x)) / p.rows;
  set_clamp(call.step, p);
  call.run(&p);
}

void run_unary(Call& call) {
  nk_unary_params p{};
  p.count = static_cast<int32_t>(elements(call.x));
  p.alpha = call.step.value;
  call.run(&p);
}

void run_norm(Call& call) {
  nk_norm_params p{};
  p.batch = call.x.h * call.x.w;
  p.spatial = p.groups = p.subtract_mean = 1;
  p.channels = static_cast<int32_t>(call.x.c);
  p.epsilon = call.step.value;
  call.run(&p);
}

void run_softmax(Call& call) {
  nk_softmax_params p{};
  p.rows = call.net.is_mlp ? call.x.w : 1;  // an MLP's rows are inputs of their own
  p.depth = static_cast<int32_t>(elements(call.x)) / p.rows;
  p.beta = 1.0f;
  call.run(&p);
}

void run_add(Call& call) {
  nk_binary_params p{};
  p.rank = 1;
  p.dims[0] = static_cast<int32_t>(elements(call.x));
  p.a_strides[0] = p.b_strides[0] = 1;
  p.act_min_f32 = -kInfinity;
  p.act_max_f32 = kInfinity;
  call.in[1] = data_of(call.net, call.step.in[1]);
  call.run(&p);
}

void run_scale(const Call& call) {
  const auto* x = static_cast<const float*>(call.in[0]);
  auto* y = static_cast<float*>(call.out[0]);
  const float *factor = call.step.weights, *shift = call.step.bias;
  for (uint32_t i = 0; i < elements(call.x); i += call.x.c) {
    for (uint32_t c = 0; c < call.x.c; ++c) {
      y[i + c] = x[i + c] * factor[c] + (shift != nullptr ? shift[c] : 0.0f);
    }
  }
}

// The sum of a scale and the nearest pixel of the next smaller one.
void run_add_upsampled(const Call& call) {
  const auto* high = static_cast<const float*>(call.in[0]);
  const float* low = data_of(call.net, call.step.in[1]);
  auto* y = static_cast<float*>(call.out[0]);
  const uint32_t c = call.y.c;
  for (uint32_t row = 0; row < call.y.h; ++row) {
    for (uint32_t column = 0; column < call.y.w; ++column) {
      const float* from = low + (row / 2 * (call.y.w / 2u) + column / 2) * c;
      for (uint32_t k = 0; k < c; ++k) *y++ = *high++ + from[k];
    }
  }
}

void run_copy_channels(const Call& call) {
  const auto* x = static_cast<const float*>(call.in[0]);
  float* y = static_cast<float*>(call.out[0]) + call.step.left;
  for (uint32_t i = 0; i < uint32_t{call.x.h} * call.x.w; ++i, x += call.x.c, y += call.y.c) {
    __builtin_memcpy(y, x, call.x.c * sizeof(float));
  }
}

// y = x * (gamma * n + 1) + beta with n = g / (mean(g) + epsilon), g the norm of each channel.
void run_response_norm(Call& call) {
  const auto pixels = static_cast<int32_t>(call.x.h) * call.x.w;
  const auto channels = static_cast<int32_t>(call.x.c);
  auto* g = static_cast<float*>(call.scratch);
  nk_reduce_params over_space{};
  over_space.kept_rank = over_space.reduced_rank = 1;
  over_space.kept_dims[0] = over_space.reduced_strides[0] = channels;
  over_space.kept_strides[0] = 1;
  over_space.reduced_dims[0] = over_space.reduced_count = pixels;
  void* to[] = {g};
  nk_reduce_l2_f32_ref(&over_space, call.in, to, nullptr);
  nk_reduce_params over_channels{};
  over_channels.kept_rank = over_channels.reduced_rank = 1;
  over_channels.kept_dims[0] = over_channels.kept_strides[0] = 1;
  over_channels.reduced_dims[0] = over_channels.reduced_count = channels;
  over_channels.reduced_strides[0] = 1;
  float mean = 0.0f;
  const void* from[] = {g};
  void* at[] = {&mean};
  nk_reduce_mean_f32_ref(&over_channels, from, at, nullptr);
  const float divisor = mean + call.step.value;
  const auto* x = static_cast<const float*>(call.in[0]);
  auto* y = static_cast<float*>(call.out[0]);
  for (int32_t c = 0; c < channels; ++c) g[c] = g[c] / divisor * call.step.weights[c] + 1.0f;
  for (int32_t i = 0; i < pixels; ++i) {
    for (int32_t c = 0; c < channels; ++c) *y++ = *x++ * g[c] + call.step.bias[c];
  }
}

void run_step(const Net& net, const Step& step) {
  Call call(net, step);
  switch (step.op) {
    case Op::kConv:
    case Op::kDepthwise:
    case Op::kMaxPool:
    case Op::kAvgPool:
      return run_window(call);
    case Op::kDense:
      return run_dense(call);
    case Op::kScale:
      return run_scale(call);
    case Op::kLayerNorm:
      return run_norm(call);
    case Op::kResponseNorm:
      return run_response_norm(call);
    case Op::kRelu:
    case Op::kRelu6:
    case Op::kSigmoid:
    case Op::kTanh:
    case Op::kLeakyRelu:
    case Op::kSwish:
    case Op::kGelu:
      return run_unary(call);
    case Op::kSoftmax:
      return run_softmax(call);
    case Op::kAdd:
      return run_add(call);
    case Op::kAddUpsampled:
      return run_add_upsampled(call);
    case Op::kCopyChannels:
      return run_copy_channels(call);
    case Op::kOpCount:
      return;
  }
}

}  // namespace

nk_status_t run(const Net& net, LayerHook hook, void* user) {
  if (net.buffer == nullptr) return NK_ERR_NOT_INITIALIZED;
  const uint32_t steps = net.step_count - (omitted_softmax(net) ? 1u : 0u);
  uint32_t behind = 0;  // layers that are
  const auto tell = [&](uint32_t until) {
    for (; hook != nullptr && behind < until; ++behind) hook(user, net.layers[behind]->kind);
  };
  for (uint32_t i = 0; i < steps; ++i) {
    tell(net.steps[i].layer);
    run_step(net, net.steps[i]);
  }
  tell(net.layer_count);
  return NK_OK;
}

}  // namespace netkit::nets
