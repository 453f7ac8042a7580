// SPDX-License-Identifier: MIT
// concat, and PACK, which is a concat of reshaped inputs.
#include <array>

#include <fmt/format.h>

#include "ops/move/move_host.h"

namespace netkit {

void concat_modes(const nk_concat_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

namespace {

NK_PARAM_TABLE(kTable, nk_concat_params, NK_CONCAT_FIELDS);

constexpr size_t kMostInputs = NK_MAX_STEP_ARGS - 1;

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* first, moved_input(graph, node));
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis"), first->dims.size(), where));
  if (node.inputs.size() > kMostInputs) {
    return bad_input(fmt::format("{} inputs, at most {}", node.inputs.size(), kMostInputs), where);
  }
  TensorType y = *first;
  if (y.quant.scale.size() > 1) return bad_input("scales per axis cannot be joined", where);
  const auto at = static_cast<size_t>(axis);
  for (size_t i = 1; i < node.inputs.size(); ++i) {
    NK_ASSIGN(const TensorType* x, need_input(graph, node, i, static_cast<int>(y.dims.size())));
    Dims expected = y.dims;
    expected[at] = x->dims[at];
    if (x->dims != expected || x->dtype != y.dtype || !(x->quant == y.quant)) {
      return bad_input(fmt::format("input {} of {} does not join {} along axis {}", i,
                                   type_text(*x), type_text(*first), axis),
                       where);
    }
    y.dims[at] += x->dims[at];
  }
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  NK_ASSIGN(const int64_t axis,
            normal_axis(node.attrs.get_int("axis"), y[0].dims.size(), place_of(node)));
  NK_ASSIGN(const int32_t width, element_bytes(y[0].dtype, place_of(node)));
  const auto at = static_cast<size_t>(axis);
  nk_concat_params p{};
  p.outer = static_cast<int32_t>(product_of(y[0].dims, 0, at));
  p.count = static_cast<int32_t>(node.inputs.size());
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    const Dims& dims = input_type(graph, node, i)->dims;
    NK_ASSIGN(p.run_bytes[i],
              checked_int32(product_of(dims, at, dims.size()) * width, 0, INT32_MAX,
                            "a run of bytes", place_of(node)));
  }
  return StepParams{bytes_of(p), "any"};
}

// One run: every input is a piece of the output.
void views(const void* params, std::vector<StepView>& out) {
  const auto* p = static_cast<const nk_concat_params*>(params);
  int64_t offset_bytes = 0;
  if (p->outer != 1) return;
  for (int32_t k = 0; k < p->count; ++k) {
    if (p->run_bytes[k] > 0) out.push_back({k, 0, offset_bytes});
    offset_bytes += p->run_bytes[k];
  }
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  std::vector<StepArg> args;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    args.push_back(tensor_arg(node, i, fmt::format("x{}", i)));
  }
  return args;
}

// More inputs than a step takes are joined in groups.
Result<TensorId> join(LowerContext& context, std::vector<TensorId> parts, int64_t axis,
                      const std::optional<TensorType>& declared) {
  while (parts.size() > 1) {
    std::vector<TensorId> next;
    for (size_t i = 0; i < parts.size(); i += kMostInputs) {
      const size_t end = std::min(parts.size(), i + kMostInputs);
      std::vector<TensorId> group(parts.begin() + static_cast<std::ptrdiff_t>(i),
                                  parts.begin() + static_cast<std::ptrdiff_t>(end));
      if (group.size() == 1) {
        next.push_back(group[0]);
        continue;
      }
      Attrs attrs;
      attrs.set("axis", axis);
      NK_ASSIGN(const TensorId y,
                context.add("concat", std::move(group), std::move(attrs), declared));
      next.push_back(y);
    }
    parts = std::move(next);
  }
  return parts[0];
}

// Parts whose quantisation differs from the output's are brought to it first. `stack`: PACK gives
// every part a new axis.
Result<void> lower_parts(const ForeignNode& node, LowerContext& context, int64_t axis,
                         bool stack) {
  const auto declared = declared_type(context, node, 0);
  std::vector<TensorId> parts;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    NK_ASSIGN(TensorId x, need_foreign_input(context, node, i));
    const TensorType type = context.type(x);
    const size_t rank = type.dims.size() + (stack ? 1 : 0);
    NK_ASSIGN(axis, normal_axis(axis, rank, place_of(node)));
    if (declared.has_value() && !declared->quant.empty() && !type.quant.empty() &&
        !(type.quant == declared->quant)) {
      NK_ASSIGN(x, context.add("requantize", {x}, {},
                               TensorType{type.dtype, type.dims, declared->quant}));
    }
    if (stack) {
      Dims shape = type.dims;
      shape.insert(shape.begin() + axis, 1);
      NK_ASSIGN(x, reshaped(context, x, std::move(shape)));
    }
    parts.push_back(x);
  }
  if (parts.empty()) return bad_input("no inputs", place_of(node));
  NK_ASSIGN(const TensorId y, join(context, std::move(parts), axis, declared));
  return context.bind(node, 0, y);
}

Result<void> lower_concat(const ForeignNode& node, LowerContext& context) {
  // ONNX opset 1 lets the axis default to 1.
  return lower_parts(node, context, node.attrs.get_int("axis", 1), false);
}

Result<void> lower_concat_tflite(const ForeignNode& node, LowerContext& context) {
  if (node.attrs.get_string("fused_activation_function", "NONE") != "NONE") {
    return bad_input("a fused activation is not supported", place_of(node));
  }
  return lower_parts(node, context, node.attrs.get_int("axis", 0), false);
}

Result<void> lower_pack(const ForeignNode& node, LowerContext& context) {
  return lower_parts(node, context, node.attrs.get_int("axis", 0), true);
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Concat", "", lower_concat},
    {SourceFormat::kTflite, "CONCATENATION", "", lower_concat_tflite},
    {SourceFormat::kTflite, "PACK", "", lower_pack}};

}  // namespace

extern const OpDef nk_op_concat =
    with_quant({"concat", kRules,      kTable::fields, kTable::bytes,
                infer,    make_params, make_args,      no_macs,
                false,    false,       {},             views},
               {QuantRule::kSame});

}  // namespace netkit
