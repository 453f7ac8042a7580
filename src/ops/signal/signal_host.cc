// SPDX-License-Identifier: MIT
#include "ops/signal/signal_host.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace netkit {

Result<const TensorType*> signal_input(const Graph& graph, const Node& node, size_t i,
                                       nk_dtype dtype) {
  NK_ASSIGN(const TensorType* type, need_input(graph, node, i, -1));
  NK_TRY(check_sizes(std::array{type}, place_of(node)));
  if (type->dtype != dtype || std::ranges::count(type->dims, int64_t{0}) != 0) {
    return bad_input(fmt::format("input {} is {}, elements of {} are needed", i, type_text(*type),
                                 name_of(dtype)),
                     place_of(node));
  }
  return type;
}

Result<int32_t> signal_elems(const Graph& graph, const Node& node, size_t i, nk_dtype dtype) {
  NK_ASSIGN(const TensorType* type, signal_input(graph, node, i, dtype));
  if (type->dims.size() == 1) return static_cast<int32_t>(type->dims[0]);
  return bad_input(fmt::format("input {} has shape {}, rank 1 is needed", i, dims_text(type->dims)),
                   place_of(node));
}

Result<Attrs> signal_attrs(const ForeignNode& node, std::span<const SignalOption> options) {
  NK_ASSIGN(const Attrs given, flex_options(node));
  Attrs attrs;
  for (const SignalOption& option : options) {
    NK_ASSIGN(const int32_t value, flex_int(given, option.name, option.lo, option.hi, node));
    attrs.set(option.name, int64_t{value});
  }
  return attrs;
}

Result<void> lower_signal(const ForeignNode& node, LowerContext& context, const char* op,
                          size_t count, std::span<const SignalOption> options) {
  std::vector<TensorId> inputs;
  for (size_t i = 0; i < count; ++i) {
    NK_ASSIGN(const TensorId input, need_foreign_input(context, node, i));
    inputs.push_back(input);
  }
  NK_ASSIGN(Attrs attrs, signal_attrs(node, options));
  NK_ASSIGN(const std::vector<TensorId> made,
            context.add_multi(op, std::move(inputs), std::move(attrs), {}));
  for (size_t i = 0; i < made.size(); ++i) NK_TRY(context.bind(node, i, made[i]));
  return {};
}

uint64_t signal_macs(const Graph&, const Node&) {
  return 0;
}

}  // namespace netkit
