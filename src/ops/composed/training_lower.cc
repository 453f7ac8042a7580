// SPDX-License-Identifier: MIT
// What training leaves in models: steps of ONNX's optimisers (formulas of ai.onnx.preview.training
// 1) and batch normalisation by the batch's own mean and variance.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "ops/common/host/chain.h"
#include "ops/composed/composed.h"

namespace netkit {
namespace {

// A chain of scalars, the node's attributes, and tensors.
class Step {
 public:
  Step(const ForeignNode& node, LowerContext& context) : node_(node), chain_(context) {}

  TensorId number(std::string_view attribute, double otherwise) {
    return chain_.number(static_cast<float>(node_.attrs.get_float(attribute, otherwise)));
  }
  TensorId rest_of(std::string_view attribute, double otherwise) {
    return chain_.number(static_cast<float>(1.0 - node_.attrs.get_float(attribute, otherwise)));
  }
  TensorId add(TensorId a, TensorId b) { return chain_.add("add", {a, b}); }
  TensorId sub(TensorId a, TensorId b) { return chain_.add("sub", {a, b}); }
  TensorId mul(TensorId a, TensorId b) { return chain_.add("mul", {a, b}); }
  TensorId div(TensorId a, TensorId b) { return chain_.add("div", {a, b}); }
  Chain& chain() { return chain_; }
  const ForeignNode& node() const { return node_; }

  // The iteration as a real number, and whether it is above 0.
  TensorId real(TensorId t) {
    Attrs attrs;
    attrs.set("to", std::string("float32"));
    return chain_.add("cast", {t}, std::move(attrs));
  }
  TensorId positive(TensorId t) { return chain_.add("greater", {t, chain_.number(0.0f)}); }

 private:
  const ForeignNode& node_;
  Chain chain_;
};

struct Tensors {
  TensorId rate, iteration, x, gradient, v, h;
};

// The outputs of one tensor: x, then what is kept from step to step.
using Updates = std::vector<TensorId>;

Updates momentum(Step& s, const Tensors& t) {
  const TensorId alpha = s.number("alpha", 0.0);
  const TensorId beta = s.chain().add(
      "where", {s.positive(s.real(t.iteration)), s.number("beta", 0.0), s.chain().number(1.0f)});
  const TensorId g = s.add(s.mul(s.number("norm_coefficient", 0.0), t.x), t.gradient);
  const TensorId v = s.add(s.mul(alpha, t.v), s.mul(beta, g));
  const bool nesterov = s.node().attrs.get_string("mode") == "nesterov";
  const TensorId move = nesterov ? s.add(g, s.mul(alpha, v)) : v;
  return {s.sub(t.x, s.mul(t.rate, move)), v};
}

Updates adagrad(Step& s, const Tensors& t) {
  const TensorId decay = s.mul(s.real(t.iteration), s.number("decay_factor", 0.0));
  const TensorId rate = s.div(t.rate, s.add(s.chain().number(1.0f), decay));
  const TensorId g = s.add(s.mul(s.number("norm_coefficient", 0.0), t.x), t.gradient);
  const TensorId h = s.add(t.v, s.mul(g, g));
  const TensorId root = s.add(s.chain().add("sqrt", {h}), s.number("epsilon", 1e-6));
  return {s.sub(t.x, s.div(s.mul(rate, g), root)), h};
}

Updates adam(Step& s, const Tensors& t) {
  const TensorId alpha = s.number("alpha", 0.9), beta = s.number("beta", 0.999);
  const TensorId g = s.add(s.mul(s.number("norm_coefficient", 0.0), t.x), t.gradient);
  const TensorId v = s.add(s.mul(alpha, t.v), s.mul(s.rest_of("alpha", 0.9), g));
  const TensorId h = s.add(s.mul(beta, t.h), s.mul(s.rest_of("beta", 0.999), s.mul(g, g)));
  const TensorId root = s.add(s.chain().add("sqrt", {h}), s.number("epsilon", 1e-6));
  const TensorId time = s.real(t.iteration), one = s.chain().number(1.0f);
  const auto rest = [&](TensorId base) { return s.sub(one, s.chain().add("pow", {base, time})); };
  const TensorId corrected = s.div(s.mul(t.rate, s.chain().add("sqrt", {rest(beta)})), rest(alpha));
  const TensorId rate = s.chain().add("where", {s.positive(time), corrected, t.rate});
  const TensorId moved = s.sub(t.x, s.div(s.mul(rate, v), root));
  return {s.mul(s.rest_of("norm_coefficient_post", 0.0), moved), v, h};
}

struct Optimiser {
  std::string_view op;
  size_t states;
  Updates (*step)(Step&, const Tensors&);
};
constexpr Optimiser kOptimisers[] = {
    {"Momentum", 1, momentum}, {"Adagrad", 1, adagrad}, {"Adam", 2, adam}};

}  // namespace

// Inputs: rate, iteration, then all x, all gradients, and all of each state; outputs the same
// without the gradients.
Result<void> lower_optimiser(const ForeignNode& node, LowerContext& context) {
  const auto* row = std::ranges::find(kOptimisers, node.op, &Optimiser::op);
  const size_t kinds = row->states + 2;
  if (node.inputs.size() < 2 + kinds || (node.inputs.size() - 2) % kinds != 0) {
    return bad_input(fmt::format("{} inputs", node.inputs.size()), place_of(node));
  }
  const size_t count = (node.inputs.size() - 2) / kinds;
  std::array<TensorId, 4> of{kNoTensor, kNoTensor, kNoTensor, kNoTensor};
  NK_ASSIGN(const TensorId rate, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId iteration, need_foreign_input(context, node, 1));
  for (size_t i = 0; i < count; ++i) {
    for (size_t k = 0; k < kinds; ++k) {
      NK_ASSIGN(of[k], need_foreign_input(context, node, 2 + k * count + i));
    }
    Step step(node, context);
    const Updates made = row->step(step, {rate, iteration, of[0], of[1], of[2], of[3]});
    if (step.chain().error()) return std::unexpected(*step.chain().error());
    for (size_t k = 0; k < made.size(); ++k) NK_TRY(context.bind(node, k * count + i, made[k]));
  }
  return {};
}

// Outputs: y, then the running mean and variance, which `momentum` mixes with the batch's own.
Result<void> lower_batch_norm_training(const ForeignNode& node, LowerContext& context) {
  std::array<TensorId, 5> in{};
  for (size_t i = 0; i < in.size(); ++i) {
    NK_ASSIGN(in[i], need_foreign_input(context, node, i));
  }
  const Dims dims = context.type(in[0]).dims;
  if (dims.size() < 2 || node.version < 14) {
    return bad_input("training mode is supported from opset 14 and rank 2 on", place_of(node));
  }
  Step s(node, context);
  Dims axes, channels(dims.size(), 1);
  channels[1] = dims[1];
  for (size_t i = 0; i < dims.size(); ++i) {
    if (i != 1) axes.push_back(static_cast<int64_t>(i));
  }
  const auto mean_of = [&](TensorId x) {
    Attrs attrs;
    attrs.set("axes", axes);
    attrs.set("keepdims", int64_t{1});
    return s.chain().add("reduce_mean", {x}, std::move(attrs));
  };
  const auto per_channel = [&](TensorId x) { return s.chain().reshape(x, channels); };
  const TensorId mean = mean_of(in[0]);
  const TensorId centred = s.sub(in[0], mean);
  const TensorId variance = mean_of(s.mul(centred, centred));
  const TensorId root = s.chain().add("sqrt", {s.add(variance, s.number("epsilon", 1e-5))});
  const TensorId y = s.add(s.mul(s.div(centred, root), per_channel(in[1])), per_channel(in[2]));
  const auto mixed = [&](TensorId old, TensorId own) {
    return s.add(s.mul(old, s.number("momentum", 0.9)),
                 s.mul(s.chain().reshape(own, {dims[1]}), s.rest_of("momentum", 0.9)));
  };
  const TensorId running_mean = mixed(in[3], mean), running_variance = mixed(in[4], variance);
  if (s.chain().error()) return std::unexpected(*s.chain().error());
  NK_TRY(context.bind(node, 0, y));
  NK_TRY(context.bind(node, 1, running_mean));
  return context.bind(node, 2, running_variance);
}

}  // namespace netkit
