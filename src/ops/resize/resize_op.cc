// SPDX-License-Identifier: MIT
// The host face of resize (resize.h).
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "ops/common/host/nd_layout.h"
#include "ops/common/host/op_helpers.h"
#include "ops/resize/resize.h"
#include "ops/resize/resize_lower.h"

namespace netkit {

void resize_modes(const nk_resize_params*, std::vector<KernelMode>& out) { add_plain_mode(out); }

namespace {

NK_PARAM_TABLE(kTable, nk_resize_params, NK_RESIZE_FIELDS);

// Inputs 1 and 2, or 3 and 4: positions inside [0, size) and weights of the same shape, or none.
Result<void> check_table(const Graph& graph, const Node& node, size_t i, int64_t size) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* index, need_input(graph, node, i, 2));
  const TensorType* weight = input_type(graph, node, i + 1);
  const ConstData& data = graph.tensor(node.inputs[i]).data;
  const bool fits = index->dtype == NK_INT32 && data != nullptr && index->dims[1] >= 1 &&
                    (weight == nullptr ? index->dims[1] == 1 : weight->dims == index->dims);
  if (!fits) return bad_input(fmt::format("input {} is no table of positions", i), where);
  std::vector<int32_t> values(data->size() / sizeof(int32_t));
  if (!values.empty()) std::memcpy(values.data(), data->data(), values.size() * sizeof(int32_t));
  for (const int32_t value : values) {
    if (value < 0 || value >= size) {
      return bad_input(fmt::format("position {} is outside [0, {})", value, size), where);
    }
  }
  return {};
}

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, need_input(graph, node, 0, 4));
  NK_TRY(check_table(graph, node, 1, x->dims[1]));
  NK_TRY(check_table(graph, node, 3, x->dims[2]));
  const bool weighted = input_type(graph, node, 2) != nullptr;
  if (weighted != (input_type(graph, node, 4) != nullptr)) {
    return bad_input("only one axis has weights", place_of(node));
  }
  TensorType y{x->dtype,
               {x->dims[0], input_type(graph, node, 1)->dims[0],
                input_type(graph, node, 3)->dims[0], x->dims[3]},
               x->quant};
  NK_TRY(check_sizes(std::array<const TensorType*, 2>{x, &y}, place_of(node)));
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  const bool weighted = input_type(graph, node, 2) != nullptr;
  const int bits = bits_of(x.dtype);
  if (bits % 8 != 0) {
    return bad_input(fmt::format("elements of type {}", name_of(x.dtype)), place_of(node));
  }
  const nk_dtype table = is_float(x.dtype) ? NK_FLOAT32 : NK_INT32;
  if (weighted && (input_type(graph, node, 2)->dtype != table ||
                   input_type(graph, node, 4)->dtype != table)) {
    return bad_input(fmt::format("weights beside {} are to be {}", name_of(x.dtype),
                                 name_of(table)),
                     place_of(node));
  }
  nk_resize_params p{};
  p.n = static_cast<int32_t>(x.dims[0]);
  p.h = static_cast<int32_t>(x.dims[1]);
  p.w = static_cast<int32_t>(x.dims[2]);
  p.c = static_cast<int32_t>(x.dims[3]);
  p.out_h = static_cast<int32_t>(y[0].dims[1]);
  p.out_w = static_cast<int32_t>(y[0].dims[2]);
  p.row_taps = static_cast<int32_t>(input_type(graph, node, 1)->dims[1]);
  p.column_taps = static_cast<int32_t>(input_type(graph, node, 3)->dims[1]);
  NK_ASSIGN(p.pixel_bytes, checked_int32(x.dims[3] * bits / 8, 0, INT32_MAX, "bytes of a pixel",
                                         place_of(node)));
  return StepParams{bytes_of(p), weighted ? std::string(signature_of(x.dtype)) : "nearest"};
}

Result<std::vector<StepArg>> make_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "x"), tensor_arg(node, 1, "rows"),
                     tensor_arg(node, 2, "row_weights"), tensor_arg(node, 3, "columns"),
                     tensor_arg(node, 4, "column_weights")};
}

// Weights of two taps in 1/1024; their sum stays 1.
Result<Tensor> integer_table(const Tensor& table) {
  if (table.type.dims.size() != 2 || table.type.dims[1] != 2) {
    return bad_input("the integer form interpolates between two elements");
  }
  std::vector<float> real(table.data->size() / sizeof(float));
  std::memcpy(real.data(), table.data->data(), real.size() * sizeof(float));
  std::vector<int32_t> parts(real.size());
  for (size_t i = 0; i + 1 < real.size(); i += 2) {
    parts[i + 1] = static_cast<int32_t>(std::lround(real[i + 1] * 1024.0f));
    parts[i] = 1024 - parts[i + 1];
  }
  return Tensor{table.name, {NK_INT32, table.type.dims, {}}, constant_of(parts)};
}

// Two multiply-accumulates a tap pair, rows and columns apart.
uint64_t macs(const Graph& graph, const Node& node) {
  if (input_type(graph, node, 2) == nullptr) return 0;
  const auto rows = static_cast<uint64_t>(input_type(graph, node, 1)->dims[1]);
  const auto columns = static_cast<uint64_t>(input_type(graph, node, 3)->dims[1]);
  const Dims& dims = graph.tensor(node.outputs[0]).type.dims;
  return static_cast<uint64_t>(product_of(dims, 0, dims.size())) * rows * (columns + 1);
}

}  // namespace

extern const OpDef nk_op_resize =
    with_quant({"resize", resize_rules(), kTable::fields, kTable::bytes,
                infer,    make_params,    make_args,      macs},
               {QuantRule::kSame, 0, 0.0f, 0, 1, integer_table, true});

}  // namespace netkit
