// SPDX-License-Identifier: MIT
// The operators that walk their whole input or output affinely: copy, transpose, expand, tile,
// depth_to_space, space_to_depth, reverse.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "ops/move/move_host.h"

namespace netkit {

void move_modes(const nk_copy_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

namespace {

NK_PARAM_TABLE(kTable, nk_copy_params, NK_COPY_FIELDS);

bool has_axis_scales(const TensorType& x) { return x.quant.scale.size() > 1; }

// The type of a result whose shape is `dims`; refuses scales per axis, which only transpose moves.
Result<std::vector<TensorType>> moved_type(const TensorType& x, Dims dims,
                                           const std::string& where) {
  if (has_axis_scales(x)) return bad_input("scales per axis cannot be moved", where);
  if (dims.size() > NK_MAX_RANK) {
    return bad_input(fmt::format("shape {} has more than {} axes", dims_text(dims), NK_MAX_RANK),
                     where);
  }
  TensorType y{x.dtype, std::move(dims), x.quant};
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, where));
  NK_TRY(byte_count(y.dtype, y.dims));
  return std::vector{std::move(y)};
}

// copy

Result<std::vector<TensorType>> infer_copy(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  return std::vector{*x};
}

Result<StepParams> copy_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  const Dims strides = row_major_strides(x->dims);
  return copy_step({x->dims, {strides, strides}}, 0, x->dtype, place_of(node));
}

// transpose

Result<std::vector<TensorType>> infer_transpose(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  const Dims perm = node.attrs.get_ints("perm");
  Dims sorted = perm;
  std::ranges::sort(sorted);
  bool valid = sorted.size() == x->dims.size();
  for (size_t i = 0; valid && i < sorted.size(); ++i) valid = sorted[i] == static_cast<int64_t>(i);
  if (!valid) {
    return bad_input(fmt::format("perm [{}] is no permutation of the axes of {}",
                                 fmt::join(perm, " "), dims_text(x->dims)),
                     place_of(node));
  }
  TensorType y{x->dtype, {}, x->quant};
  for (size_t i = 0; i < perm.size(); ++i) {
    y.dims.push_back(x->dims[static_cast<size_t>(perm[i])]);
    if (has_axis_scales(*x) && perm[i] == x->quant.axis) y.quant.axis = static_cast<int>(i);
  }
  return std::vector{std::move(y)};
}

Result<StepParams> transpose_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_transpose(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  const Dims strides = row_major_strides(x.dims);
  Dims permuted;
  for (const int64_t axis : node.attrs.get_ints("perm")) {
    permuted.push_back(strides[static_cast<size_t>(axis)]);
  }
  return copy_step({y[0].dims, {permuted, row_major_strides(y[0].dims)}}, 0, x.dtype,
                   place_of(node));
}

Result<void> lower_transpose(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const size_t rank = context.type(x).dims.size();
  Dims perm = node.attrs.get_ints("perm");
  if (context.format() == SourceFormat::kTflite) {
    NK_ASSIGN(perm, constant_ints(context, node, 1, "permutation"));
  } else if (!node.attrs.has("perm")) {
    for (size_t i = rank; i-- > 0;) perm.push_back(static_cast<int64_t>(i));
  }
  if (perm.size() != rank) {
    return bad_input(fmt::format("perm [{}] does not fit shape {}", fmt::join(perm, " "),
                                 dims_text(context.type(x).dims)),
                     place_of(node));
  }
  for (int64_t& axis : perm) {
    NK_ASSIGN(axis, normal_axis(axis, rank, place_of(node)));
  }
  for (size_t i = 0; i < rank; ++i) {
    if (std::ranges::count(perm, static_cast<int64_t>(i)) != 1) {
      return bad_input(fmt::format("perm [{}] is no permutation", fmt::join(perm, " ")),
                       place_of(node));
    }
  }
  NK_ASSIGN(const TensorId y, context.transpose(x, std::move(perm)));
  return context.bind(node, 0, y);
}

// expand: the input broadcast to attribute `shape` (already the joint shape of both)

Result<std::vector<TensorType>> infer_expand(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  const Dims shape = node.attrs.get_ints("shape");
  if (std::ranges::any_of(shape, [](int64_t dim) { return dim < 0; })) {
    return bad_input(fmt::format("shape {} has a negative axis", dims_text(shape)), where);
  }
  NK_ASSIGN(const Dims dims, broadcast_dims({&x->dims, &shape}, where));
  return moved_type(*x, dims, where);
}

Result<StepParams> expand_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_expand(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  return copy_step(
      {y[0].dims, {broadcast_strides(x.dims, y[0].dims), row_major_strides(y[0].dims)}}, 0,
      x.dtype, place_of(node));
}

Result<void> lower_expand(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs attrs;
  NK_ASSIGN(Dims shape, constant_ints(context, node, 1, "shape"));
  attrs.set("shape", std::move(shape));
  NK_ASSIGN(const TensorId y,
            context.add("expand", {x}, std::move(attrs), declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// tile

Result<std::vector<TensorType>> infer_tile(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  const Dims repeats = node.attrs.get_ints("repeats");
  if (repeats.size() != x->dims.size()) {
    return bad_input(fmt::format("{} repeats do not fit shape {}", repeats.size(),
                                 dims_text(x->dims)),
                     where);
  }
  Dims dims;
  for (size_t i = 0; i < repeats.size(); ++i) {
    if (repeats[i] < 0 || repeats[i] > INT32_MAX) {
      return bad_input(fmt::format("repeat {} is out of range", repeats[i]), where);
    }
    dims.push_back(x->dims[i] * repeats[i]);  // both below 2^31
  }
  return moved_type(*x, std::move(dims), where);
}

Result<StepParams> tile_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer_tile(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  const Dims repeats = node.attrs.get_ints("repeats");
  const Dims in = row_major_strides(x.dims), out = row_major_strides(y[0].dims);
  NdBox box{{}, {{}, {}}};
  for (size_t i = 0; i < repeats.size(); ++i) {
    for (const bool repeat : {true, false}) {
      box.dims.push_back(repeat ? repeats[i] : x.dims[i]);
      box.strides[0].push_back(repeat ? 0 : in[i]);
      box.strides[1].push_back(repeat ? x.dims[i] * out[i] : out[i]);
    }
  }
  return copy_step(box, 0, x.dtype, place_of(node));
}

Result<void> lower_tile(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs attrs;
  NK_ASSIGN(Dims repeats, constant_ints(context, node, 1, "repeat list"));
  attrs.set("repeats", std::move(repeats));
  NK_ASSIGN(const TensorId y,
            context.add("tile", {x}, std::move(attrs), declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// reverse

Result<StepParams> reverse_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  NK_ASSIGN(const Dims axes,
            normal_axes(node.attrs.get_ints("axes"), x->dims.size(), place_of(node)));
  Dims strides = row_major_strides(x->dims);
  int64_t offset = 0;
  for (const int64_t axis : axes) {
    const auto at = static_cast<size_t>(axis);
    if (x->dims[at] > 0) offset += (x->dims[at] - 1) * strides[at];
    strides[at] = -strides[at];
  }
  return copy_step({x->dims, {strides, row_major_strides(x->dims)}}, offset, x->dtype,
                   place_of(node));
}

Result<std::vector<TensorType>> infer_reverse(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  NK_TRY(normal_axes(node.attrs.get_ints("axes"), x->dims.size(), place_of(node)));
  return moved_type(*x, x->dims, place_of(node));
}

Result<void> lower_reverse(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  Attrs attrs;
  NK_ASSIGN(Dims axes, constant_ints(context, node, 1, "axis list"));
  attrs.set("axes", std::move(axes));
  NK_ASSIGN(const TensorId y,
            context.add("reverse", {x}, std::move(attrs), declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

constexpr RulePair kTransposeRules = rule_pair("Transpose", "TRANSPOSE", lower_transpose);
constexpr RulePair kExpandRules = rule_pair("Expand", "BROADCAST_TO", lower_expand);
constexpr RulePair kTileRules = rule_pair("Tile", "TILE", lower_tile);
constexpr RulePair kReverseRules = rule_pair("", "REVERSE_V2", lower_reverse);
constexpr std::string_view kType = "nk_copy_params";

}  // namespace

extern const OpDef nk_op_copy =
    with_quant({"copy",      {},          kTable::fields, kTable::bytes,
                infer_copy,  copy_params, one_arg,        no_macs,
                false,       false,       kType},
               {QuantRule::kSame});
extern const OpDef nk_op_transpose =
    with_quant({"transpose",     kTransposeRules,  kTable::fields,
                kTable::bytes,   infer_transpose,  transpose_params,
                one_arg,         no_macs,          false,
                false,           kType},
               {QuantRule::kSame});
extern const OpDef nk_op_expand =
    with_quant({"expand",      kExpandRules,  kTable::fields, kTable::bytes,
                infer_expand,  expand_params, one_arg,        no_macs,
                false,         false,         kType},
               {QuantRule::kSame});
extern const OpDef nk_op_tile =
    with_quant({"tile",      kTileRules,  kTable::fields, kTable::bytes,
                infer_tile,  tile_params, one_arg,        no_macs,
                false,       false,       kType},
               {QuantRule::kSame});
extern const OpDef nk_op_reverse =
    with_quant({"reverse",      kReverseRules,  kTable::fields, kTable::bytes,
                infer_reverse,  reverse_params, one_arg,        no_macs,
                false,          false,          kType},
               {QuantRule::kSame});

}  // namespace netkit
