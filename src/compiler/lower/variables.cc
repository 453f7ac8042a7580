// SPDX-License-Identifier: MIT
#include "compiler/lower/variables.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/op_def.h"
#include "compiler/lower/builtin_rules.h"

namespace netkit {
namespace {

const ForeignTensor& tensor_of(const ForeignGraph& graph, int id) {
  return graph.tensors[static_cast<size_t>(id)];
}

// int8 begins at its zero point and all else at 0, as TensorFlow Lite resets variable tensors.
Result<ConstData> first_content(const TensorType& type) {
  NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
  const int64_t zero = type.quant.zero_point.empty() ? 0 : type.quant.zero_point[0];
  if (type.dtype != NK_INT8 || zero == 0 || bytes == 0) return ConstData();
  return ConstData::repeated(Bytes{static_cast<std::byte>(zero)}, static_cast<size_t>(bytes));
}

bool has_inputs(const ForeignNode& node, size_t count) {
  return node.inputs.size() >= count && !node.outputs.empty() == (node.op == "READ_VARIABLE") &&
         std::ranges::find(node.inputs, kAbsent) == node.inputs.end();
}

}  // namespace

bool Variables::handles(const ForeignNode& node) {
  static constexpr std::string_view kOps[] = {"VAR_HANDLE", "READ_VARIABLE", "ASSIGN_VARIABLE",
                                              "CALL_ONCE"};
  return std::ranges::find(kOps, std::string_view(node.op)) != std::end(kOps);
}

Variables::Handles Variables::handles_of(const ForeignGraph& graph) {
  Handles handles;
  for (const ForeignNode& node : graph.nodes) {
    if (node.op != "VAR_HANDLE" || node.outputs.empty() || node.outputs[0] == kAbsent) continue;
    handles[node.outputs[0]] =
        node.attrs.get_string("container") + "/" + node.attrs.get_string("shared_name");
  }
  return handles;
}

// What the nodes of an initialising graph assign.
Result<void> Variables::read_contents(const ForeignGraph& graph) {
  const Handles handles = handles_of(graph);
  GraphBuilder builder(graph);
  for (const ForeignNode& node : graph.nodes) {
    if (node.op == "VAR_HANDLE") continue;
    builder.begin(node);
    if (node.op != "ASSIGN_VARIABLE") {
      const ForeignRule* rule = find_builtin_rule(graph.format, node.domain, node.op);
      if (rule == nullptr) rule = find_rule(graph.format, node.domain, node.op);
      if (rule == nullptr) return bad_input("operator is not supported", node.op);
      NK_TRY(rule->lower(node, builder));
      continue;
    }
    const auto key = has_inputs(node, 2) ? handles.find(node.inputs[0]) : handles.end();
    const TensorId value = builder.input(node, 1);
    if (key == handles.end() || value == kNoTensor || !builder.tensor(value).is_constant()) {
      return bad_input("the first content of a variable is not constant", node.name);
    }
    Variable& variable = variables_[key->second];
    variable.type = builder.type(value);
    variable.initial = builder.tensor(value).data;
  }
  return {};
}

Result<void> Variables::start_resources() {
  handles_ = handles_of(foreign_);
  for (const ForeignNode& node : foreign_.nodes) {
    if (node.op != "CALL_ONCE") continue;
    for (const auto& [name, index] : node.subgraphs) {
      NK_TRY(read_contents(foreign_.subgraphs[static_cast<size_t>(index)]));
    }
  }
  for (const ForeignNode& node : foreign_.nodes) {
    if (node.op != "READ_VARIABLE" || !has_inputs(node, 1)) continue;
    const auto key = handles_.find(node.inputs[0]);
    if (key == handles_.end() || node.outputs[0] == kAbsent) continue;
    Variable& variable = variables_[key->second];
    if (variable.state) continue;
    TensorType type = tensor_of(foreign_, node.outputs[0]).type;
    if (variable.initial &&
        (variable.type.dtype != type.dtype || variable.type.dims != type.dims)) {
      return bad_input(
          fmt::format("variable of {} is read as {}", type_text(variable.type), type_text(type)),
          node.name);
    }
    if (!variable.initial) {
      NK_ASSIGN(variable.initial, first_content(type));
    }
    variable.state = builder_.add_state(tensor_of(foreign_, node.outputs[0]).name, std::move(type),
                                        variable.initial);
  }
  return {};
}

Result<void> Variables::start() {
  std::vector<bool> read(foreign_.tensors.size(), false);
  for (const ForeignNode& node : foreign_.nodes) {
    for (const int id : node.inputs) {
      if (id != kAbsent) read[static_cast<size_t>(id)] = true;
    }
  }
  for (size_t i = 0; i < read.size(); ++i) {
    const ForeignTensor& t = foreign_.tensors[i];
    const bool given = std::ranges::find(foreign_.inputs, static_cast<int>(i)) !=
                       foreign_.inputs.end();  // the caller's, whatever the file calls it
    if (!t.is_variable || !read[i] || t.data || given) continue;
    NK_ASSIGN(ConstData initial, first_content(t.type));
    builder_.bind_variable(static_cast<int>(i),
                           builder_.add_state(t.name, t.type, std::move(initial)));
  }
  return start_resources();
}

Result<void> Variables::lower(const ForeignNode& node) {
  if (node.op == "VAR_HANDLE" || node.op == "CALL_ONCE") return {};
  const bool reads = node.op == "READ_VARIABLE";
  const auto key = has_inputs(node, reads ? 1 : 2) ? handles_.find(node.inputs[0]) : handles_.end();
  if (key == handles_.end()) return bad_input("the variable has no VAR_HANDLE");
  const std::optional<size_t> state = variables_[key->second].state;
  if (reads && state) return builder_.bind(node, 0, builder_.state_value(*state));
  if (!state) return {};  // nobody reads it
  return builder_.assign_state(*state, builder_.input(node, 1));
}

}  // namespace netkit
