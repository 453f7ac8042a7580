// SPDX-License-Identifier: MIT
#include "compiler/select/select.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <numeric>
#include <span>

namespace netkit {
namespace {

std::string identifier(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool word = std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (word) {
      out += c;
    } else if (!out.empty() && out.back() != '_') {
      out += '_';
    }
  }
  return out;
}

class Selection {
 public:
  Selection(const Graph& graph, const Target& target) : graph_(graph), target_(target) {}

  Result<Schedule> run() {
    out_.target = target_.name;
    out_.source = graph_.source;
    out_.sha256 = graph_.sha256;
    NK_TRY(make_buffers());
    for (const Node& node : graph_.nodes) {
      if (const OpDef* op = find_op(node.op); op == nullptr || op->make_params != nullptr) {
        NK_TRY(add_step(op, node));
      }
    }
    NK_TRY(keep_states());
    NK_TRY(make_in_out(std::span(graph_.inputs).first(graph_.model_inputs()), out_.inputs));
    NK_TRY(make_in_out(std::span(graph_.outputs).first(graph_.model_outputs()), out_.outputs));
    if (refusals_.empty()) return std::move(out_);
    Error error{ErrorCode::kInput,
                fmt::format("no kernel for {} of {} nodes", refusals_.size(), graph_.nodes.size()),
                graph_.source,
                fmt::format("target {}: see docs/operators.md for the types each operator takes",
                            target_.name),
                refusals_};
    return std::unexpected(std::move(error));
  }

 private:
  // One buffer per class of tensors that are views of each other.
  Result<void> make_buffers() {
    std::vector<TensorId> root(graph_.tensors.size());
    std::iota(root.begin(), root.end(), 0);
    for (const Node& node : graph_.nodes) {
      const OpDef* op = find_op(node.op);
      if (op == nullptr || op->make_params != nullptr) continue;
      root[static_cast<size_t>(node.outputs[0])] = root[static_cast<size_t>(node.inputs[0])];
    }
    buffer_of_.assign(graph_.tensors.size(), -1);
    std::map<TensorId, int> buffer_of_root;
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Tensor& tensor = graph_.tensors[i];
      if (tensor.is_constant()) continue;
      const auto [it, fresh] =
          buffer_of_root.try_emplace(root[i], static_cast<int>(out_.buffers.size()));
      NK_ASSIGN(const int64_t bytes, byte_count(tensor.type.dtype, tensor.type.dims));
      if (fresh) out_.buffers.push_back({tensor.name, bytes, {}});
      Buffer& buffer = out_.buffers[static_cast<size_t>(it->second)];
      buffer.bytes = std::max(buffer.bytes, bytes);
      buffer.tensors.push_back(static_cast<TensorId>(i));
      buffer_of_[i] = it->second;
    }
    return {};
  }

  // The last steps write each state's new value into its place.
  Result<void> keep_states() {
    for (const GraphState& state : graph_.states) {
      const TensorId from = graph_.inputs[state.input], to = graph_.outputs[state.output];
      const std::string& name = graph_.tensor(from).name;
      const Node copy{"copy", name + "/keep", {to}, {from}, {}};
      NK_TRY(add_step(find_op(copy.op), copy));
      const int initial =
          state.initial
              ? add_constant({"initial", state.initial, graph_.tensor(from).type.dtype, 4}, copy)
              : -1;
      out_.states.push_back({name, buffer_of_[static_cast<size_t>(from)], initial});
    }
    return {};
  }

  Result<void> make_in_out(std::span<const TensorId> ids, std::vector<InOut>& to) {
    for (const TensorId id : ids) {
      const Tensor& tensor = graph_.tensor(id);
      if (tensor.is_constant()) {
        return bad_input(fmt::format("output '{}' is a constant", tensor.name), graph_.source);
      }
      to.push_back({tensor.name, tensor.type, buffer_of_[static_cast<size_t>(id)]});
    }
    return {};
  }

  // The first row whose signature, arch and predicate fit; rows passed over are noted.
  const KernelRow* choose_row(const Node& node, const StepParams& params,
                              std::vector<std::string>& refused) const {
    for (const KernelRow& row : all_kernel_rows()) {
      if (row.op != node.op || row.signature != params.signature) continue;
      if (!runs_on(target_, row.arch)) continue;
      if (row.fits(params.params.data())) return &row;
      refused.push_back(fmt::format("{}: {}", row.symbol, row.predicate));
    }
    return nullptr;
  }

  Result<void> add_step(const OpDef* op, const Node& node) {
    if (op == nullptr) {
      return bad_input(fmt::format("unknown operator '{}'", node.op), node.name);
    }
    ScheduleStep step;
    step.name = node.name;
    step.op = op;
    NK_ASSIGN(StepParams params, op->make_params(graph_, node));
    step.row = choose_row(node, params, step.refused_rows);
    if (step.row == nullptr) {
      std::string why = step.refused_rows.empty()
                            ? fmt::format("no kernel takes types {}", params.signature)
                            : fmt::format("{}", fmt::join(step.refused_rows, ", "));
      refusals_.push_back(fmt::format("{} ({}): {}", node.op, node.name, why));
      return {};
    }
    step.row->modes(params.params.data(), step.modes);
    NK_ASSIGN(const auto args, op->make_args(graph_, node, *step.row));
    if (args.size() + node.outputs.size() > NK_MAX_STEP_ARGS) {
      return bad_input(fmt::format("{} operands are more than {}",
                                   args.size() + node.outputs.size(), NK_MAX_STEP_ARGS),
                       fmt::format("{}: {}", graph_.source, node.name));
    }
    for (const StepArg& arg : args) step.inputs.push_back(place_arg(arg, node));
    for (const TensorId id : node.outputs) {
      step.outputs.push_back({id < 0 ? -1 : buffer_of_[static_cast<size_t>(id)], -1});
    }
    if (op->views != nullptr) add_views(*op, params.params, step);
    step.params = std::move(params.params);
    step.macs = op->macs != nullptr ? op->macs(graph_, node) : 0;
    out_.steps.push_back(std::move(step));
    return {};
  }

  // No graph output lies in a graph input, nor the other way round: callers fill the one while they
  // read the other. A slice that makes an output makes it in its own place.
  void add_views(const OpDef& op, const Bytes& params, ScheduleStep& step) const {
    std::vector<StepView> views;
    op.views(params.data(), views);
    for (const StepView& view : views) {
      const int from = step.inputs[static_cast<size_t>(view.input)].buffer;
      const int to = step.outputs[static_cast<size_t>(view.output)].buffer;
      if (from < 0 || to < 0) continue;
      const int64_t from_bytes = out_.buffers[static_cast<size_t>(from)].bytes;
      const int64_t to_bytes = out_.buffers[static_cast<size_t>(to)].bytes;
      const bool inside = to_bytes <= from_bytes;
      if (holds_any(graph_.outputs, to) && (inside || holds_any(graph_.inputs, from))) continue;
      step.views.push_back(view);
    }
  }

  bool holds_any(const std::vector<TensorId>& ids, int buffer) const {
    return std::ranges::any_of(
        ids, [&](TensorId id) { return buffer_of_[static_cast<size_t>(id)] == buffer; });
  }

  ScheduleArg place_arg(const StepArg& arg, const Node& node) {
    if (arg.constant != nullptr) {
      return {-1, add_constant({arg.label, arg.constant, arg.dtype, arg.alignment}, node)};
    }
    if (arg.tensor == kNoTensor) return {};
    const Tensor& tensor = graph_.tensor(arg.tensor);
    if (!tensor.is_constant()) return {buffer_of_[static_cast<size_t>(arg.tensor)], -1};
    const auto element = static_cast<uint32_t>(bits_of(tensor.type.dtype) / 8);
    return {-1, add_constant(
                    {arg.label, tensor.data, tensor.type.dtype, std::max(arg.alignment, element)},
                    node)};
  }

  // Of the bytes and the type; one repeated element is not written out for it.
  static std::string content_key(const Constant& constant) {
    const Bytes* element = constant.data.element();
    const Bytes& bytes = element != nullptr ? *element : *constant.data;
    std::string key(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (element != nullptr) key += fmt::format("*{}", constant.data.size());
    key += element != nullptr ? 'r' : 'b';
    return key + static_cast<char>(constant.dtype);
  }

  // Equal bytes of equal type stand once in flash.
  int add_constant(Constant constant, const Node& node) {
    const std::string key = content_key(constant);
    const auto [it, fresh] = constant_of_.try_emplace(key, static_cast<int>(out_.constants.size()));
    if (!fresh) {
      uint32_t& stated = out_.constants[static_cast<size_t>(it->second)].alignment;
      stated = std::max(stated, constant.alignment);
      return it->second;
    }
    constant.name = unique(
        fmt::format("{}_{}_{}", identifier(node.op), out_.steps.size(),
                    constant.name.empty() ? std::string("data") : identifier(constant.name)));
    out_.constants.push_back(std::move(constant));
    return it->second;
  }

  std::string unique(const std::string& name) {
    const int n = names_[name]++;
    return n == 0 ? name : fmt::format("{}_{}", name, n);
  }

  const Graph& graph_;
  const Target& target_;
  Schedule out_;
  std::vector<int> buffer_of_;              // per graph tensor; -1: a constant
  std::map<std::string, int> constant_of_;  // by content
  std::map<std::string, int> names_;
  std::vector<std::string> refusals_;
};

}  // namespace

Result<Schedule> select(const Graph& graph, const Target& target) {
  return Selection(graph, target).run();
}

}  // namespace netkit
