// SPDX-License-Identifier: MIT
// The host face of lrn (norm.h): ONNX LRN, TFLite LOCAL_RESPONSE_NORMALIZATION.
#include <array>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/norm/norm.h"

namespace netkit {

// Channels are read again after their neighbours have been written.
void lrn_modes(const nk_lrn_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

namespace {

NK_PARAM_TABLE(kTable, nk_lrn_params, NK_LRN_FIELDS);

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, where));
  if (x->dims.empty()) return bad_input("a scalar has no channels", where);
  for (const char* name : {"before", "after"}) {
    NK_TRY(checked_int32(node.attrs.get_int(name), 0, 1 << 24, name, where));
  }
  return std::vector{TensorType{x->dtype, x->dims, {}}};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_TRY(infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  nk_lrn_params p{};
  p.rows = static_cast<int32_t>(product_of(x.dims, 0, x.dims.size() - 1));
  p.channels = static_cast<int32_t>(x.dims.back());
  p.before = static_cast<int32_t>(node.attrs.get_int("before"));
  p.after = static_cast<int32_t>(node.attrs.get_int("after"));
  p.alpha = static_cast<float>(node.attrs.get_float("alpha"));
  p.beta = static_cast<float>(node.attrs.get_float("beta"));
  p.bias = static_cast<float>(node.attrs.get_float("bias"));
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x")};
}

uint64_t macs(const Graph& graph, const Node& node) {
  const Dims& dims = input_type(graph, node, 0)->dims;
  const auto window =
      static_cast<uint64_t>(node.attrs.get_int("before") + node.attrs.get_int("after") + 1);
  return static_cast<uint64_t>(product_of(dims, 0, dims.size())) * window;
}

// ONNX: alpha is spread over the window, which is [c - floor((size-1)/2), c + ceil((size-1)/2)].
Result<void> lower_onnx(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(TensorId x, need_foreign_input(context, node, 0));
  const size_t rank = context.type(x).dims.size();
  const int64_t size = node.attrs.get_int("size", 0);
  if (size < 1 || size > 1 << 24 || rank < 2) {
    return bad_input(fmt::format("size {} on shape {}", size, dims_text(context.type(x).dims)),
                     place_of(node));
  }
  Attrs attrs;
  attrs.set("before", (size - 1) / 2);
  attrs.set("after", size / 2);
  attrs.set("alpha", node.attrs.get_float("alpha", 1e-4) / static_cast<double>(size));
  attrs.set("beta", node.attrs.get_float("beta", 0.75));
  attrs.set("bias", node.attrs.get_float("bias", 1.0));
  Dims last{0}, first{0, static_cast<int64_t>(rank) - 1};
  for (size_t i = 2; i < rank; ++i) last.push_back(static_cast<int64_t>(i));
  last.push_back(1);
  for (size_t i = 1; i + 1 < rank; ++i) first.push_back(static_cast<int64_t>(i));
  NK_ASSIGN(x, context.transpose(x, std::move(last)));
  NK_ASSIGN(x, context.add("lrn", {x}, std::move(attrs)));
  NK_ASSIGN(x, context.transpose(x, std::move(first)));
  return context.bind(node, 0, x);
}

Result<void> lower_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs attrs;
  attrs.set("before", node.attrs.get_int("radius", 0));
  attrs.set("after", node.attrs.get_int("radius", 0));
  for (const char* name : {"alpha", "beta", "bias"}) {
    attrs.set(name, node.attrs.get_float(name, 0.0));
  }
  NK_ASSIGN(const TensorId y,
            context.add("lrn", {x}, std::move(attrs), declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "LRN", "", lower_onnx},
    {SourceFormat::kTflite, "LOCAL_RESPONSE_NORMALIZATION", "", lower_tflite}};

}  // namespace

extern const OpDef nk_op_lrn = {"lrn", kRules,      kTable::fields, kTable::bytes,
                                infer, make_params, make_args,      macs};

}  // namespace netkit
