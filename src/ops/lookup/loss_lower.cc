// SPDX-License-Identifier: MIT
// ONNX NegativeLogLikelihoodLoss and SoftmaxCrossEntropyLoss, as the operators that they stand for.
// Scores are [n, classes, …], labels [n, …]; all axes behind the classes count as one.
#include <fmt/format.h>

#include "ops/common/host/chain.h"
#include "ops/lookup/lookup_host.h"

namespace netkit {
namespace {

struct Loss {
  TensorId scores, labels, weights;  // [n, classes, rest], [n, rest], [classes] or absent
  Dims label_dims;
};

Result<Loss> loss_of(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId scores, need_foreign_input(context, node, 0));
  NK_ASSIGN(TensorId labels, need_foreign_input(context, node, 1));
  const Dims dims = context.type(scores).dims, label_dims = context.type(labels).dims;
  Dims expected = dims;
  if (dims.size() >= 2) expected.erase(expected.begin() + 1);
  if (dims.size() < 2 || label_dims != expected || context.type(scores).dtype != NK_FLOAT32) {
    return bad_input(fmt::format("labels {} do not fit scores {}", type_text(context.type(labels)),
                                 type_text(context.type(scores))),
                     place_of(node));
  }
  const int64_t rest = product_of(dims, 2, dims.size());
  NK_ASSIGN(labels, integer_indices(context, labels));
  Chain chain(context);
  const Loss loss{chain.reshape(scores, {dims[0], dims[1], rest}),
                  chain.reshape(labels, {dims[0], rest}), context.input(node, 2), label_dims};
  if (chain.error()) return std::unexpected(*chain.error());
  return loss;
}

TensorId label_constant(LowerContext& context, nk_dtype dtype, int64_t value) {
  const Bytes bytes = dtype == NK_INT64 ? bytes_of(value) : bytes_of(static_cast<int32_t>(value));
  return context.add_constant("label", {dtype, {}, {}}, bytes);
}

TensorId over_all(Chain& chain, std::string_view op, TensorId x) {
  Attrs attrs;
  attrs.set("axes", Dims{0, 1});
  attrs.set("keepdims", int64_t{0});
  return chain.add(op, {x}, std::move(attrs));
}

// -weight[label] * log_probability[label], 0 where the label is ignore_index, and what `reduction`
// makes of it.
Result<void> bind_loss(const ForeignNode& node, LowerContext& context, const Loss& loss) {
  const std::string reduction = node.attrs.get_string("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none") {
    return bad_input(fmt::format("reduction '{}' is unknown", reduction), place_of(node));
  }
  const Dims dims = context.type(loss.scores).dims;
  const nk_dtype dtype = context.type(loss.labels).dtype;
  Chain chain(context);
  TensorId labels = loss.labels, mask = kNoTensor;
  if (node.attrs.has("ignore_index")) {
    const TensorId ignored = label_constant(context, dtype, node.attrs.get_int("ignore_index"));
    mask = chain.add("not_equal", {labels, ignored});
    labels = chain.add("where", {mask, labels, label_constant(context, dtype, 0)});
  }
  Attrs along;
  along.set("axis", int64_t{1});
  const TensorId picked = chain.add(
      "gather_elements", {loss.scores, chain.reshape(labels, {dims[0], 1, dims[2]})}, along);
  TensorId y = chain.add("neg", {chain.reshape(picked, {dims[0], dims[2]})});
  TensorId weights = kNoTensor;
  if (loss.weights != kNoTensor) {
    Attrs first;
    first.set("axis", int64_t{0});
    weights = chain.add("gather", {loss.weights, labels}, std::move(first));
    if (mask != kNoTensor) weights = chain.add("where", {mask, weights, chain.number(0.0f)});
  } else if (mask != kNoTensor) {
    weights = chain.add("where", {mask, chain.number(1.0f), chain.number(0.0f)});
  }
  if (mask != kNoTensor) y = chain.add("where", {mask, y, chain.number(0.0f)});
  if (weights != kNoTensor) y = chain.add("mul", {y, weights});
  if (reduction == "none") {
    y = chain.reshape(y, loss.label_dims);
  } else if (reduction == "mean" && weights == kNoTensor) {
    y = over_all(chain, "reduce_mean", y);
  } else {
    y = over_all(chain, "reduce_sum", y);
    if (reduction == "mean") y = chain.add("div", {y, over_all(chain, "reduce_sum", weights)});
  }
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

}  // namespace

Result<void> lower_negative_log_loss(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const Loss loss, loss_of(node, context));
  return bind_loss(node, context, loss);
}

// The second output is the logarithm of the softmax.
Result<void> lower_cross_entropy_loss(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(Loss loss, loss_of(node, context));
  Chain chain(context);
  const TensorId last = chain.transpose(loss.scores, {0, 2, 1});
  loss.scores = chain.transpose(chain.add("log_softmax", {last}), {0, 2, 1});
  if (chain.error()) return std::unexpected(*chain.error());
  if (node.outputs.size() > 1 && node.outputs[1] != kAbsent) {
    NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
    NK_ASSIGN(const TensorId y, reshape_to(context, loss.scores, context.type(x).dims));
    NK_TRY(context.bind(node, 1, y));
  }
  return bind_loss(node, context, loss);
}

}  // namespace netkit
