// SPDX-License-Identifier: MIT
#include "compiler/lower/control/control_flow.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "compiler/ir/const_values.h"
#include "compiler/ir/op_def.h"

namespace netkit {
namespace {

constexpr char kDataDependent[] = "depends on data: such control flow is not supported";

std::optional<int64_t> constant_scalar(const GraphBuilder& builder, TensorId id) {
  const auto values = builder.const_ints(id);
  if (!values || values->size() != 1) return std::nullopt;
  return (*values)[0];
}

TensorId scalar(GraphBuilder& builder, nk_dtype dtype, int64_t value) {
  const std::vector<int64_t> values{value};
  return builder.add_constant("pass", {dtype, {}, {}}, *constant_ints(dtype, values));
}

Attrs with_ints(std::string name, std::vector<int64_t> values) {
  Attrs attrs;
  attrs.set(std::move(name), std::move(values));
  return attrs;
}

}  // namespace

// Of a Scan: where its inputs and outputs lie.
struct ControlFlow::Scan {
  const ForeignGraph* body = nullptr;
  size_t states = 0, scanned = 0, outputs = 0;
  std::vector<int64_t> in_axes, out_axes, in_backward, out_backward;
};

bool ControlFlow::handles(const ForeignNode& node) {
  return node.domain.empty() && !node.subgraphs.empty() &&
         (node.op == "If" || node.op == "Loop" || node.op == "Scan");
}

bool ControlFlow::captures(const ForeignNode& node, const std::function<bool(int)>& is) const {
  for (const auto& [name, index] : node.subgraphs) {
    if (static_cast<size_t>(index) >= root_.subgraphs.size()) continue;
    for (const ForeignTensor& t : root_.subgraphs[static_cast<size_t>(index)].tensors) {
      if (t.outer != kAbsent && is(t.outer)) return true;
    }
  }
  return false;
}

Result<void> ControlFlow::lower(const ForeignNode& node) {
  if (node.op == "If") return lower_if(node);
  return node.op == "Loop" ? lower_loop(node) : lower_scan(node);
}

Result<const ForeignGraph*> ControlFlow::body_of(const ForeignNode& node,
                                                 std::string_view attribute) const {
  for (const auto& [name, index] : node.subgraphs) {
    if (name == attribute && static_cast<size_t>(index) < root_.subgraphs.size()) {
      return &root_.subgraphs[static_cast<size_t>(index)];
    }
  }
  return bad_input(fmt::format("attribute '{}' is missing", attribute));
}

Result<std::vector<TensorId>> ControlFlow::run(const ForeignNode& node, const ForeignGraph& body,
                                               const std::vector<TensorId>& inputs, int64_t pass) {
  if (body.inputs.size() != inputs.size()) {
    return bad_input(
        fmt::format("its graph takes {} inputs, not {}", body.inputs.size(), inputs.size()));
  }
  nodes_ += static_cast<int64_t>(body.nodes.size()) + 1;
  if (nodes_ > kMostNodes) {
    return bad_input(
        fmt::format("it unfolds into more than {} nodes, which is not supported", kMostNodes));
  }
  const std::string prefix = fmt::format("{}/{}/", node.name, pass);
  GraphBuilder::Scope outer = builder_.enter(body, prefix);
  for (size_t i = 0; i < inputs.size(); ++i) builder_.set(body.inputs[i], inputs[i]);
  TensorId counted = builder_.end_tensor();
  Result<void> done;
  for (const ForeignNode& inner : body.nodes) {
    ForeignNode named = inner;
    named.name = prefix + inner.name;
    done = lower_node_(body, named);
    for (; counted < builder_.end_tensor(); ++counted) {
      const ConstData& data = builder_.tensor(counted).data;
      if (data != nullptr && data.element() == nullptr) bytes_ += data.size();
    }
    if (done && bytes_ > kMostBytes) {
      done = bad_input("it unfolds into more than 256 MiB of constants, which is not supported");
    }
    if (!done) break;
  }
  std::vector<TensorId> outputs;
  for (const int id : body.outputs) outputs.push_back(builder_.resolve(id));
  builder_.leave(std::move(outer));
  builder_.begin(node);
  if (!done) return std::unexpected(std::move(done.error()));
  if (std::ranges::find(outputs, kNoTensor) != outputs.end()) {
    return bad_input("its graph leaves an output open");
  }
  return outputs;
}

Result<void> ControlFlow::lower_if(const ForeignNode& node) {
  NK_ASSIGN(const ForeignGraph* then_graph, body_of(node, "then_branch"));
  NK_ASSIGN(const ForeignGraph* else_graph, body_of(node, "else_branch"));
  TensorId condition = builder_.input(node, 0);
  if (condition == kNoTensor) return bad_input("the condition is missing");
  if (const auto chosen = constant_scalar(builder_, condition)) {
    NK_ASSIGN(const auto values, run(node, *chosen != 0 ? *then_graph : *else_graph, {}, 0));
    for (size_t i = 0; i < values.size(); ++i) NK_TRY(builder_.bind(node, i, values[i]));
    return {};
  }
  NK_ASSIGN(const auto yes, run(node, *then_graph, {}, 0));
  NK_ASSIGN(const auto no, run(node, *else_graph, {}, 1));
  bool same = yes.size() == no.size();
  for (size_t i = 0; same && i < yes.size(); ++i)
    same = builder_.type(yes[i]) == builder_.type(no[i]);
  if (!same) return bad_input(fmt::format("the shape of its result {}", kDataDependent));
  NK_ASSIGN(condition, builder_.add("reshape", {condition}, with_ints("shape", {}), {}));
  for (size_t i = 0; i < yes.size(); ++i) {
    NK_ASSIGN(const TensorId y, builder_.add("where", {condition, yes[i], no[i]}, {}, {}));
    NK_TRY(builder_.bind(node, i, y));
  }
  return {};
}

// x[at] along the axis.
Result<TensorId> ControlFlow::without_axis(TensorId x, int64_t axis, int64_t at) {
  Dims sizes = builder_.type(x).dims;
  Attrs attrs;
  Dims starts(sizes.size(), 0);
  starts[static_cast<size_t>(axis)] = at;
  sizes[static_cast<size_t>(axis)] = 1;
  attrs.set("starts", std::move(starts));
  attrs.set("steps", Dims(sizes.size(), 1));
  attrs.set("sizes", sizes);
  NK_ASSIGN(const TensorId y, builder_.add("slice", {x}, std::move(attrs), {}));
  sizes.erase(sizes.begin() + axis);
  return builder_.add("reshape", {y}, with_ints("shape", sizes), {});
}

// Equal shapes side by side along a new axis.
Result<TensorId> ControlFlow::stacked(std::vector<TensorId> parts, int64_t axis) {
  if (parts.empty()) return bad_input("a result of no pass is not supported");
  const auto rank = static_cast<int64_t>(builder_.type(parts[0]).dims.size()) + 1;
  if (axis < 0) axis += rank;
  if (axis < 0 || axis >= rank) return bad_input(fmt::format("axis {} of rank {}", axis, rank));
  for (TensorId& part : parts) {
    Dims dims = builder_.type(part).dims;
    dims.insert(dims.begin() + axis, 1);
    NK_ASSIGN(part, builder_.add("reshape", {part}, with_ints("shape", std::move(dims)), {}));
  }
  constexpr size_t kMostParts = NK_MAX_STEP_ARGS - 1;
  while (parts.size() > 1) {
    std::vector<TensorId> next;
    for (size_t i = 0; i < parts.size(); i += kMostParts) {
      const size_t end = std::min(parts.size(), i + kMostParts);
      std::vector<TensorId> group(parts.begin() + static_cast<std::ptrdiff_t>(i),
                                  parts.begin() + static_cast<std::ptrdiff_t>(end));
      Attrs attrs;
      attrs.set("axis", axis);
      NK_ASSIGN(const TensorId y, builder_.add("concat", std::move(group), std::move(attrs), {}));
      next.push_back(y);
    }
    parts = std::move(next);
  }
  return parts[0];
}

// Inputs: number of passes, condition (both optional), values that each pass hands to the next.
// The body takes the pass, the condition and those; it gives the condition, those and rows of
// further outputs.
Result<void> ControlFlow::lower_loop(const ForeignNode& node) {
  NK_ASSIGN(const ForeignGraph* body, body_of(node, "body"));
  const TensorId count_id = builder_.input(node, 0), condition_id = builder_.input(node, 1);
  const auto count = constant_scalar(builder_, count_id);
  auto condition = constant_scalar(builder_, condition_id);
  if ((count_id != kNoTensor && !count) || (condition_id != kNoTensor && !condition)) {
    return bad_input(fmt::format("the number of passes {}", kDataDependent));
  }
  if (condition_id == kNoTensor) condition = 1;
  std::vector<TensorId> values;
  for (size_t i = 2; i < node.inputs.size(); ++i) values.push_back(builder_.input(node, i));
  if (body->outputs.size() < values.size() + 1) return bad_input("its graph has too few outputs");
  std::vector<std::vector<TensorId>> rows(body->outputs.size() - values.size() - 1);
  for (int64_t pass = 0; *condition != 0 && (!count || pass < *count); ++pass) {
    std::vector<TensorId> inputs{scalar(builder_, NK_INT64, pass), scalar(builder_, NK_BOOL, 1)};
    inputs.insert(inputs.end(), values.begin(), values.end());
    NK_ASSIGN(const auto made, run(node, *body, inputs, pass));
    condition = constant_scalar(builder_, made[0]);
    if (!condition) return bad_input(fmt::format("the number of passes {}", kDataDependent));
    std::copy_n(made.begin() + 1, values.size(), values.begin());
    for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(made[1 + values.size() + i]);
  }
  for (size_t i = 0; i < values.size(); ++i) NK_TRY(builder_.bind(node, i, values[i]));
  for (size_t i = 0; i < rows.size(); ++i) {
    NK_ASSIGN(const TensorId y, stacked(std::move(rows[i]), 0));
    NK_TRY(builder_.bind(node, values.size() + i, y));
  }
  return {};
}

Result<ControlFlow::Scan> ControlFlow::scan_of(const ForeignNode& node) const {
  Scan scan;
  NK_ASSIGN(scan.body, body_of(node, "body"));
  const int64_t scanned = node.attrs.get_int("num_scan_inputs");
  const size_t given = node.inputs.size() - (node.version < 9 ? 1 : 0);
  if (scanned < 1 || node.inputs.empty() || static_cast<size_t>(scanned) > given) {
    return bad_input(fmt::format("num_scan_inputs is {}", scanned));
  }
  scan.scanned = static_cast<size_t>(scanned);
  scan.states = given - scan.scanned;
  if (scan.body->outputs.size() < scan.states) return bad_input("its graph has too few outputs");
  scan.outputs = scan.body->outputs.size() - scan.states;
  const auto listed = [&](const char* name, size_t count, std::vector<int64_t>& out) {
    out = node.attrs.get_ints(name, std::vector<int64_t>(count, 0));
    return out.size() == count;
  };
  const bool old = node.version < 9;
  if (!listed("scan_input_axes", scan.scanned, scan.in_axes) ||
      !listed("scan_output_axes", scan.outputs, scan.out_axes) ||
      !listed(old ? "directions" : "scan_input_directions", scan.scanned, scan.in_backward) ||
      !listed("scan_output_directions", scan.outputs, scan.out_backward)) {
    return bad_input("its axes and directions are not as many as its inputs and outputs");
  }
  return scan;
}

// Inputs: values that each pass hands to the next, then tensors of which each pass takes a slice.
// Opset 8 has lengths in front and an axis of sequences, of which one is supported.
Result<void> ControlFlow::lower_scan(const ForeignNode& node) {
  NK_ASSIGN(Scan scan, scan_of(node));
  const bool batched = node.version < 9;
  if (batched && builder_.input(node, 0) != kNoTensor) {
    return bad_input("lengths of sequences are not supported");
  }
  std::vector<TensorId> values, scanned;
  for (size_t i = batched ? 1 : 0; i < node.inputs.size(); ++i) {
    TensorId x = builder_.input(node, i);
    if (x == kNoTensor) return bad_input(fmt::format("input {} is missing", i));
    if (batched) {
      const Dims& dims = builder_.type(x).dims;
      if (dims.empty() || dims[0] != 1) return bad_input("several sequences are not supported");
      NK_ASSIGN(x, without_axis(x, 0, 0));
    }
    (values.size() < scan.states ? values : scanned).push_back(x);
  }
  int64_t passes = -1;
  for (size_t i = 0; i < scanned.size(); ++i) {
    const Dims& dims = builder_.type(scanned[i]).dims;
    const auto rank = static_cast<int64_t>(dims.size());
    int64_t& axis = scan.in_axes[i];
    if (axis < 0) axis += rank;
    if (axis < 0 || axis >= rank) return bad_input(fmt::format("axis {} of rank {}", axis, rank));
    const int64_t n = dims[static_cast<size_t>(axis)];
    if (passes >= 0 && n != passes) return bad_input("inputs of different lengths");
    passes = n;
  }
  std::vector<std::vector<TensorId>> rows(scan.outputs);
  for (int64_t pass = 0; pass < passes; ++pass) {
    std::vector<TensorId> inputs = values;
    for (size_t i = 0; i < scanned.size(); ++i) {
      const int64_t at = scan.in_backward[i] != 0 ? passes - 1 - pass : pass;
      NK_ASSIGN(const TensorId slice, without_axis(scanned[i], scan.in_axes[i], at));
      inputs.push_back(slice);
    }
    NK_ASSIGN(const auto made, run(node, *scan.body, inputs, pass));
    std::copy_n(made.begin(), values.size(), values.begin());
    for (size_t i = 0; i < rows.size(); ++i) rows[i].push_back(made[values.size() + i]);
  }
  for (size_t i = 0; i < rows.size(); ++i) {
    if (scan.out_backward[i] != 0) std::ranges::reverse(rows[i]);
    NK_ASSIGN(const TensorId y, stacked(std::move(rows[i]), scan.out_axes[i]));
    values.push_back(y);
  }
  for (size_t i = 0; i < values.size(); ++i) {
    TensorId y = values[i];
    if (batched) {
      Dims dims = builder_.type(y).dims;
      dims.insert(dims.begin(), 1);
      NK_ASSIGN(y, builder_.add("reshape", {y}, with_ints("shape", std::move(dims)), {}));
    }
    NK_TRY(builder_.bind(node, i, y));
  }
  return {};
}

}  // namespace netkit
