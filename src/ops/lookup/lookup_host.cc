// SPDX-License-Identifier: MIT
#include "ops/lookup/lookup_host.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/const_values.h"

namespace netkit {

Result<int32_t> lookup_width(nk_dtype dtype, const std::string& where) {
  const int bits = bits_of(dtype);
  if (bits == 0 || bits % 8 != 0) {
    return bad_input(fmt::format("elements of type {} cannot be looked up", name_of(dtype)), where);
  }
  return bits / 8;
}

Result<int32_t> index_bytes(const TensorType& indices, const std::string& where) {
  if (indices.dtype == NK_INT32) return 4;
  if (indices.dtype == NK_INT64) return 8;
  return bad_input(fmt::format("indices of type {}", name_of(indices.dtype)), where,
                   "int32 and int64 are supported");
}

Result<void> check_indices(const Graph& graph, const Node& node, size_t i, const Dims& bounds) {
  const std::string where = place_of(node);
  const Tensor& tensor = graph.tensor(node.inputs[i]);
  NK_ASSIGN(const int64_t count, element_count(tensor.type.dims));
  if (count > 0 && std::ranges::count(bounds, int64_t{0}) != 0) {
    return bad_input("an element is asked of an empty axis", where);
  }
  if (!tensor.is_constant()) return {};
  const auto values = ints_of(tensor);
  if (!values.has_value()) return {};
  for (size_t k = 0; k < values->size(); ++k) {
    const int64_t n = bounds[k % bounds.size()];
    if ((*values)[k] < -n || (*values)[k] >= n) {
      return bad_input(fmt::format("index {} is outside an axis of size {}", (*values)[k], n),
                       where);
    }
  }
  return {};
}

Result<int64_t> elements_axis(const Node& node, const Dims& data, const Dims& indices) {
  const std::string where = place_of(node);
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", 0), data.size(), where));
  bool fits = indices.size() == data.size();
  for (size_t i = 0; fits && i < data.size(); ++i) {
    fits = static_cast<int64_t>(i) == axis || indices[i] <= data[i];
  }
  if (fits) return axis;
  return bad_input(
      fmt::format("indices {} do not fit data {}", dims_text(indices), dims_text(data)), where);
}

nk_elements_params elements_layout(const Dims& data, const Dims& indices, int64_t axis) {
  const auto at = static_cast<size_t>(axis);
  Dims strides = row_major_strides(data);
  nk_elements_params p{};
  p.rank = static_cast<int32_t>(data.size());
  p.axis = static_cast<int32_t>(axis);
  p.axis_stride = static_cast<int32_t>(strides[at]);
  strides[at] = 0;
  fill_array(p.dims, indices);
  fill_array(p.strides, strides);
  p.n = static_cast<int32_t>(data[at]);
  p.data_elems = static_cast<int32_t>(product_of(data, 0, data.size()));
  return p;
}

Result<int32_t> scatter_reduction(const Node& node) {
  static constexpr std::pair<std::string_view, int32_t> kNames[] = {{"none", NK_SCATTER_NONE},
                                                                    {"add", NK_SCATTER_ADD},
                                                                    {"mul", NK_SCATTER_MUL},
                                                                    {"max", NK_SCATTER_MAX},
                                                                    {"min", NK_SCATTER_MIN}};
  const std::string name = node.attrs.get_string("reduction", "none");
  for (const auto& [word, value] : kNames) {
    if (word == name) return value;
  }
  return bad_input(fmt::format("unknown reduction '{}'", name), place_of(node));
}

Result<std::vector<StepArg>> all_args(const Graph&, const Node& node, const KernelRow&) {
  std::vector<StepArg> args;
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    args.push_back(tensor_arg(node, i, fmt::format("in{}", i)));
  }
  return args;
}

uint64_t lookup_macs(const Graph&, const Node&) {
  return 0;
}

Result<TensorId> integer_indices(LowerContext& context, TensorId id) {
  const nk_dtype dtype = context.type(id).dtype;
  if (dtype == NK_INT32 || dtype == NK_INT64) return id;
  Attrs attrs;
  attrs.set("to", std::string("int32"));
  return context.add("cast", {id}, std::move(attrs));
}

}  // namespace netkit
