// SPDX-License-Identifier: MIT
// Graph → text (graph.h states the form).
#include <fmt/format.h>

#include <set>

#include "compiler/ir/graph.h"
#include "compiler/ir/text/text.h"

namespace netkit {
namespace {

class Printer {
 public:
  Printer(const Graph& graph, size_t max_elems) : graph_(graph), max_elems_(max_elems) {
    names_.reserve(graph.tensors.size());
    std::set<std::string> taken;
    for (const Tensor& t : graph.tensors) {
      std::string name = t.name;
      for (int n = 1; name.empty() || taken.contains(name); ++n) {
        name = fmt::format("{}#{}", t.name, n);
      }
      taken.insert(name);
      names_.push_back(name_text(name));
    }
  }

  std::string run() {
    if (!graph_.source.empty()) out_ += fmt::format("source {}\n", in_quotes(graph_.source));
    if (!graph_.sha256.empty()) out_ += fmt::format("sha256 {}\n", in_quotes(graph_.sha256));
    for (const TensorId id : graph_.inputs) out_ += fmt::format("input {}\n", typed(id));
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const Tensor& t = graph_.tensors[i];
      if (!t.is_constant()) continue;
      out_ += fmt::format("const {} = {}\n", typed(static_cast<TensorId>(i)),
                          values_text(t.type, *t.data, max_elems_));
    }
    for (const Node& n : graph_.nodes) node(n);
    for (size_t i = 0; i < graph_.model_outputs(); ++i) {
      out_ += fmt::format("output {}\n", name(graph_.outputs[i]));
    }
    for (const GraphState& state : graph_.states) {
      const TensorId from = graph_.inputs[state.input];
      out_ += fmt::format("state {} -> {}", name(from), name(graph_.outputs[state.output]));
      if (state.initial) {
        const TensorType& type = graph_.tensor(from).type;
        out_ += fmt::format(" = {}", values_text(type, *state.initial, max_elems_));
      }
      out_ += '\n';
    }
    return std::move(out_);
  }

 private:
  std::string name(TensorId id) const {
    return id == kNoTensor ? "_" : names_[static_cast<size_t>(id)];
  }
  std::string typed(TensorId id) const {
    return id == kNoTensor ? "_" : name(id) + ' ' + type_text(graph_.tensor(id).type, max_elems_);
  }
  void node(const Node& node) {
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      out_ += (i == 0 ? "" : ", ") + typed(node.outputs[i]);
    }
    out_ += fmt::format(" = {}(", node.op);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      out_ += (i == 0 ? "" : ", ") + name(node.inputs[i]);
    }
    out_ += ')';
    const char* separator = " {";
    for (const auto& [key, value] : node.attrs.all()) {
      out_ += separator + key + '=' + attr_text(value, max_elems_);
      separator = ", ";
    }
    if (!node.attrs.all().empty()) out_ += '}';
    if (!node.name.empty()) out_ += " @" + in_quotes(node.name);
    out_ += '\n';
  }

  const Graph& graph_;
  size_t max_elems_;
  std::vector<std::string> names_;
  std::string out_;
};

}  // namespace

std::string to_text(const Graph& graph, size_t max_elems) {
  return Printer(graph, max_elems).run();
}

}  // namespace netkit
