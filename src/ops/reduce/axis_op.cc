// SPDX-License-Identifier: MIT
// The host face of arg_max, arg_min and cumsum (reduce.h).
#include <array>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/reduce/reduce.h"

namespace netkit {

void arg_modes(const nk_axis_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

// In place only where the walk is that of memory.
void cumsum_modes(const nk_axis_params* p, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  if (p->inner == 1 && p->flag_b == 0) add_forward_mode({0}, out);
}

namespace {

NK_PARAM_TABLE(kTable, nk_axis_params, NK_AXIS_FIELDS);

Result<nk_axis_params> axis_params(const TensorType& x, const Node& node) {
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis"), x.dims.size(), place_of(node)));
  const auto at = static_cast<size_t>(axis);
  nk_axis_params p{};
  p.outer = static_cast<int32_t>(product_of(x.dims, 0, at));
  p.n = static_cast<int32_t>(x.dims[at]);
  p.inner = static_cast<int32_t>(product_of(x.dims, at + 1, x.dims.size()));
  return p;
}

Result<std::vector<TensorType>> infer_arg(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, where));
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis"), x->dims.size(), where));
  const nk_dtype to = dtype_from_name(node.attrs.get_string("to", "int64"));
  if (to != NK_INT32 && to != NK_INT64) {
    return bad_input(fmt::format("positions of type '{}'", node.attrs.get_string("to")), where);
  }
  TensorType y{to, x->dims, {}};
  const auto at = static_cast<size_t>(axis);
  if (x->dims[at] == 0) return bad_input("the axis has no element", where);
  y.dims[at] = 1;
  if (node.attrs.get_int("keepdims", 1) == 0) y.dims.erase(y.dims.begin() + axis);
  return std::vector{std::move(y)};
}

Result<StepParams> arg_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_arg(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  NK_ASSIGN(nk_axis_params p, axis_params(x, node));
  p.flag_a = node.attrs.get_int("select_last") != 0 ? 1 : 0;
  return StepParams{bytes_of(p),
                    fmt::format("{}_{}", signature_of(x.dtype), signature_of(y[0].dtype))};
}

Result<std::vector<TensorType>> infer_cumsum(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  NK_TRY(check_sizes(std::array{x}, place_of(node)));
  NK_TRY(normal_axis(node.attrs.get_int("axis"), x->dims.size(), place_of(node)));
  return std::vector{*x};
}

Result<StepParams> cumsum_params(const Graph& graph, const Node& node) {
  NK_TRY(infer_cumsum(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  NK_ASSIGN(nk_axis_params p, axis_params(x, node));
  p.flag_a = node.attrs.get_int("exclusive") != 0 ? 1 : 0;
  p.flag_b = node.attrs.get_int("reverse") != 0 ? 1 : 0;
  return StepParams{bytes_of(p), std::string(signature_of(x.dtype))};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x")};
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

Result<int64_t> axis_input(const ForeignNode& node, const LowerContext& context) {
  const TensorId id = context.input(node, 1);
  const auto values = id == kNoTensor ? std::nullopt : context.const_ints(id);
  if (values.has_value() && values->size() == 1) return (*values)[0];
  return bad_input("the axis is not a constant scalar", place_of(node));
}

Result<void> lower_arg(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const auto declared = declared_type(context, node, 0);
  Attrs attrs;
  if (context.format() == SourceFormat::kOnnx) {
    attrs.set("axis", node.attrs.get_int("axis", 0));
    attrs.set("keepdims", node.attrs.get_int("keepdims", 1));
    attrs.set("select_last", node.attrs.get_int("select_last_index", 0));
  } else {
    NK_ASSIGN(const int64_t axis, axis_input(node, context));
    attrs.set("axis", axis);
    attrs.set("keepdims", int64_t{0});
    if (declared.has_value()) attrs.set("to", std::string(name_of(declared->dtype)));
  }
  const bool max = node.op == "ArgMax" || node.op == "ARG_MAX";
  NK_ASSIGN(const TensorId y,
            context.add(max ? "arg_max" : "arg_min", {x}, std::move(attrs), declared));
  return context.bind(node, 0, y);
}

Result<void> lower_cumsum(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const int64_t axis, axis_input(node, context));
  Attrs attrs;
  attrs.set("axis", axis);
  attrs.set("exclusive", node.attrs.get_int("exclusive", 0));
  attrs.set("reverse", node.attrs.get_int("reverse", 0));
  NK_ASSIGN(const TensorId y,
            context.add("cumsum", {x}, std::move(attrs), declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

constexpr RulePair kArgMaxRules = rule_pair("ArgMax", "ARG_MAX", lower_arg);
constexpr RulePair kArgMinRules = rule_pair("ArgMin", "ARG_MIN", lower_arg);
constexpr std::string_view kType = "nk_axis_params";
constexpr RulePair kCumsumRules = rule_pair("CumSum", "CUMSUM", lower_cumsum);

}  // namespace

extern const OpDef nk_op_arg_max = {"arg_max", kArgMaxRules, kTable::fields, kTable::bytes,
                                    infer_arg, arg_params,   make_args,      no_macs,
                                    false,     false,         kType};
extern const OpDef nk_op_arg_min = {"arg_min", kArgMinRules, kTable::fields, kTable::bytes,
                                    infer_arg, arg_params,   make_args,      no_macs,
                                    false,     false,         kType};
extern const OpDef nk_op_cumsum = {"cumsum",     kCumsumRules,  kTable::fields, kTable::bytes,
                                   infer_cumsum, cumsum_params, make_args,      no_macs,
                                    false,     false,         kType};

}  // namespace netkit
