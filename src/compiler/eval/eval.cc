// SPDX-License-Identifier: MIT
// One node at a time: parameters, reference row, arguments, call.
#include "compiler/eval/eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace netkit {
namespace {

constexpr std::byte kPoison{0xa5};  // kernels may not depend on what memory held before

std::string place(const Node& node) {
  return fmt::format("{} ({})", node.op, node.name);
}

const KernelRow* reference_row(const Node& node, const StepParams& params) {
  const KernelRow* found = nullptr;
  for (const KernelRow& row : all_kernel_rows()) {
    if (row.op == node.op && row.arch == "generic" && row.signature == params.signature &&
        row.fits(params.params.data())) {
      found = &row;
    }
  }
  return found;
}

void set_mode(const OpDef& op, int mode, Bytes& params) {
  const auto field = std::ranges::find(op.fields, std::string_view("mode"), &ParamField::name);
  if (field == op.fields.end()) return;
  const int32_t value = mode;
  std::memcpy(params.data() + field->offset, &value, sizeof value);
}

Result<std::vector<Bytes>> output_buffers(const Graph& graph, const Node& node, int64_t left) {
  std::vector<Bytes> buffers;
  for (const TensorId id : node.outputs) {
    if (id == kNoTensor) {
      buffers.emplace_back();
      continue;
    }
    const TensorType& type = graph.tensor(id).type;
    NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
    if (bytes > left) {
      return bad_input(fmt::format("{} is too large to compute here", type_text(type)),
                       place(node));
    }
    left -= bytes;
    buffers.emplace_back(static_cast<size_t>(bytes), kPoison);
  }
  return buffers;
}

// The values of a step's inputs in the order of its kernel; `held` keeps them alive.
Result<std::vector<const void*>> input_pointers(const OpDef& op, const Graph& graph,
                                                const Node& node, const KernelRow& row,
                                                const ValueOf& value_of,
                                                std::vector<ConstData>& held) {
  NK_ASSIGN(const std::vector<StepArg> args, op.make_args(graph, node, row));
  std::vector<const void*> pointers;
  for (const StepArg& arg : args) {
    ConstData data = arg.constant;
    if (data == nullptr && arg.tensor != kNoTensor) {
      data = value_of(arg.tensor);
      if (data == nullptr) {
        return bad_input(fmt::format("tensor {} has no value", graph.tensor(arg.tensor).name),
                         place(node));
      }
    }
    pointers.push_back(data == nullptr ? nullptr : data->data());
    held.push_back(std::move(data));
  }
  return pointers;
}

Result<std::vector<ConstData>> evaluate_view(const Node& node, const ValueOf& value_of) {
  const ConstData data = node.inputs.empty() ? nullptr : value_of(node.inputs[0]);
  if (data == nullptr) return bad_input("the input has no value", place(node));
  return std::vector<ConstData>{data};
}

// One repeated element stays what it is.
bool is_moved_repetition(const Node& node, const ValueOf& value_of) {
  if (!moves_only(node) || node.inputs.empty()) return false;
  const ConstData data = value_of(node.inputs[0]);
  return data != nullptr && data.element() != nullptr;
}

}  // namespace

bool moves_only(const Node& node) {
  const OpDef* op = find_op(node.op);
  return node.op == "transpose" || (op != nullptr && op->make_params == nullptr);
}

Result<std::vector<ConstData>> evaluate(const Graph& graph, const Node& node,
                                        const ValueOf& value_of, int64_t max_bytes) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr) return bad_input(fmt::format("unknown operator '{}'", node.op), node.name);
  if (op->make_params == nullptr || is_moved_repetition(node, value_of)) {
    return evaluate_view(node, value_of);
  }

  NK_ASSIGN(StepParams params, op->make_params(graph, node));
  const KernelRow* row = reference_row(node, params);
  if (row == nullptr) {
    return bad_input(fmt::format("no kernel takes types {}", params.signature), place(node));
  }
  std::vector<KernelMode> modes;
  row->modes(params.params.data(), modes);
  const KernelMode plain = modes.empty() ? KernelMode{} : modes[0];
  set_mode(*op, plain.id, params.params);

  const int64_t scratch_bytes = plain.scratch_bytes;
  if (scratch_bytes > max_bytes) return bad_input("too much scratch", place(node));
  NK_ASSIGN(std::vector<Bytes> outputs, output_buffers(graph, node, max_bytes - scratch_bytes));
  std::vector<ConstData> held;
  NK_ASSIGN(const auto in, input_pointers(*op, graph, node, *row, value_of, held));
  std::vector<void*> out;
  for (size_t i = 0; i < outputs.size(); ++i) {
    out.push_back(node.outputs[i] == kNoTensor ? nullptr : outputs[i].data());
  }
  Bytes scratch(static_cast<size_t>(scratch_bytes), kPoison);
  row->fn(params.params.data(), in.data(), out.data(), scratch.empty() ? nullptr : scratch.data());

  std::vector<ConstData> results;
  for (Bytes& output : outputs) {
    results.push_back(std::make_shared<const Bytes>(std::move(output)));
  }
  return results;
}

Result<std::vector<ConstData>> evaluate_constant(const Graph& graph, const Node& node,
                                                 int64_t max_bytes) {
  for (const TensorId id : node.inputs) {
    if (id != kNoTensor && !graph.tensor(id).is_constant()) {
      return bad_input(fmt::format("input {} is not a constant", graph.tensor(id).name),
                       place(node));
    }
  }
  return evaluate(graph, node, [&](TensorId id) { return graph.tensor(id).data; }, max_bytes);
}

Result<void> has_kernel(const Graph& graph, const Node& node) {
  const OpDef* op = find_op(node.op);
  if (op == nullptr) return bad_input(fmt::format("unknown operator '{}'", node.op), node.name);
  NK_TRY(op->infer(graph, node));
  if (op->make_params == nullptr) return {};
  NK_ASSIGN(const StepParams params, op->make_params(graph, node));
  if (const KernelRow* row = reference_row(node, params)) {
    NK_TRY(op->make_args(graph, node, *row));
    return {};
  }
  return bad_input(fmt::format("no kernel takes types {}", params.signature), place(node));
}

Result<std::vector<ConstData>> evaluate_tensors(const Graph& graph,
                                                std::span<const ConstData> inputs,
                                                int64_t max_bytes_per_node) {
  if (inputs.size() != graph.inputs.size()) {
    return bad_input(
        fmt::format("{} inputs given, the graph has {}", inputs.size(), graph.inputs.size()));
  }
  std::vector<ConstData> values(graph.tensors.size());
  for (size_t i = 0; i < values.size(); ++i) values[i] = graph.tensors[i].data;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs[i]);
    NK_ASSIGN(const int64_t bytes, byte_count(tensor.type.dtype, tensor.type.dims));
    if (inputs[i] == nullptr || inputs[i]->size() != static_cast<size_t>(bytes)) {
      return bad_input(fmt::format("input {} takes {} bytes", tensor.name, bytes));
    }
    values[static_cast<size_t>(graph.inputs[i])] = inputs[i];
  }
  const ValueOf value_of = [&](TensorId id) { return values[static_cast<size_t>(id)]; };
  for (const Node& node : graph.nodes) {
    NK_ASSIGN(auto outputs, evaluate(graph, node, value_of, max_bytes_per_node));
    for (size_t i = 0; i < node.outputs.size() && i < outputs.size(); ++i) {
      if (node.outputs[i] == kNoTensor) continue;
      values[static_cast<size_t>(node.outputs[i])] = std::move(outputs[i]);
    }
  }
  return values;
}

Result<std::vector<ConstData>> evaluate_graph(const Graph& graph, std::span<const ConstData> inputs,
                                              int64_t max_bytes_per_node) {
  NK_ASSIGN(const auto values, evaluate_tensors(graph, inputs, max_bytes_per_node));
  std::vector<ConstData> results;
  for (const TensorId id : graph.outputs) results.push_back(values[static_cast<size_t>(id)]);
  return results;
}

}  // namespace netkit
