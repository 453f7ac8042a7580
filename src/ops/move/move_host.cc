// SPDX-License-Identifier: MIT
#include "ops/move/move_host.h"

#include <array>

#include <fmt/format.h>

namespace netkit {

Result<int32_t> element_bytes(nk_dtype dtype, const std::string& where) {
  const int bits = bits_of(dtype);
  if (bits == 0 || bits % 8 != 0) {
    return bad_input(fmt::format("elements of type {} cannot be moved", name_of(dtype)), where);
  }
  return bits / 8;
}

Result<const TensorType*> moved_input(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, -1));
  if (x->dims.size() > NK_MAX_RANK) {
    return bad_input(fmt::format("shape {} has more than {} axes", dims_text(x->dims), NK_MAX_RANK),
                     where);
  }
  NK_TRY(check_sizes(std::array{x}, where));
  return x;
}

Result<StepParams> copy_step(const NdBox& box, int64_t in_offset, nk_dtype dtype,
                             const std::string& where) {
  const NdBox walk = merged(box);
  if (walk.dims.size() > NK_ND_DIMS) {
    return bad_input(fmt::format("the walk needs {} axes, at most {} are supported",
                                 walk.dims.size(), NK_ND_DIMS),
                     where, "split the operator into two");
  }
  nk_copy_params p{};
  NK_ASSIGN(p.width, element_bytes(dtype, where));
  p.rank = static_cast<int32_t>(walk.dims.size());
  p.in_offset = static_cast<int32_t>(in_offset);
  fill_array(p.dims, walk.dims);
  fill_array(p.in_strides, walk.strides[0]);
  fill_array(p.out_strides, walk.strides[1]);
  return StepParams{bytes_of(p), "any"};
}

Result<std::vector<StepArg>> one_arg(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x")};
}

uint64_t no_macs(const Graph&, const Node&) { return 0; }

Result<TensorId> reshaped(LowerContext& context, TensorId x, Dims shape,
                          std::optional<TensorType> declared) {
  if (context.type(x).dims == shape) return x;
  Attrs attrs;
  attrs.set("shape", std::move(shape));
  return context.add("reshape", {x}, std::move(attrs), std::move(declared));
}

Result<Dims> constant_ints(const LowerContext& context, const ForeignNode& node, size_t i,
                           std::string_view what) {
  NK_ASSIGN(const TensorId id, need_foreign_input(context, node, i));
  const auto values = context.const_ints(id);
  if (values.has_value()) return *values;
  return bad_input(fmt::format("the {} is not constant", what), place_of(node),
                   "export the model with a fixed value");
}

}  // namespace netkit
