// SPDX-License-Identifier: MIT
// ONNX graphs → ForeignGraph: names become indices, Constant nodes and initialisers constants, and
// the nodes stand in an executable order.
#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "compiler/import/onnx/onnx.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

// Element type and shape as a value_info states them.
void apply_type(const pb::Type& type, ForeignTensor& tensor) {
  const std::pair<bool, std::string_view> others[] = {
      {type.has_sequence_type(), "sequence"},
      {type.has_map_type(), "map"},
      {type.has_optional_type(), "optional"},
      {type.has_sparse_tensor_type(), "sparse tensor"},
      {type.has_opaque_type(), "opaque"}};
  for (const auto& [is_set, name] : others) {
    if (is_set) tensor.dtype_name = name;
  }
  if (!type.has_tensor_type()) return;
  const ForeignDType& row = dtype_row(type.tensor_type().elem_type());
  tensor.type.dtype = row.dtype;
  if (row.dtype == NK_DTYPE_NONE) tensor.dtype_name = row.name;
  if (!type.tensor_type().has_shape()) return;
  const pb::Shape& shape = type.tensor_type().shape();
  tensor.has_shape = true;
  tensor.type.dims.clear();
  tensor.dim_names.clear();
  for (int i = 0; i < shape.dim_size(); ++i) {
    const pb::Shape::Dim& dim = shape.dim(i);
    const bool closed = dim.has_dim_value() && dim.dim_value() >= 0;
    tensor.type.dims.push_back(closed ? dim.dim_value() : -1);
    if (closed) continue;
    tensor.dim_names.resize(static_cast<size_t>(shape.dim_size()));
    tensor.dim_names[static_cast<size_t>(i)] = dim.dim_param();
  }
}

std::string node_text(const pb::Node& node, int index) {
  const std::string name = !node.name().empty() ? node.name()
                           : node.output_size() != 0 && !node.output(0).empty()
                               ? node.output(0)
                               : fmt::format("{}#{}", node.op_type(), index);
  return name;
}

class GraphReader final : public Scope {
 public:
  GraphReader(pb::Graph& graph, FileContext& file, Scope* outer)
      : in_(graph), file_(file), outer_(outer) {}

  Result<ForeignGraph> run() {
    out_.format = SourceFormat::kOnnx;
    NK_TRY(add_initialisers());
    NK_TRY(add_inputs());
    NK_TRY(add_node_outputs());
    for (const pb::ValueInfo& info : in_.value_info()) describe(info);
    for (const pb::ValueInfo& info : in_.output()) describe(info);
    for (int i = 0; i < in_.node_size(); ++i) {
      if (!is_constant(in_.node(i))) NK_TRY(add_node(i));
    }
    for (const pb::ValueInfo& info : in_.output()) {
      const int t = resolve(info.name());
      if (t == kAbsent) {
        return bad_input(fmt::format("graph output {} is made by no node", shown(info.name())));
      }
      out_.outputs.push_back(t);
    }
    NK_TRY(sort_nodes(out_, needs_));
    return std::move(out_);
  }

  int resolve(const std::string& name) override {
    if (const auto it = index_.find(name); it != index_.end()) return it->second;
    const int outer = outer_ == nullptr ? kAbsent : outer_->resolve(name);
    if (outer == kAbsent) return kAbsent;
    ForeignTensor tensor = outer_->tensor(outer);
    tensor.outer = outer;
    return add(std::move(tensor));
  }

  const ForeignTensor& tensor(int index) const override {
    return out_.tensors[static_cast<size_t>(index)];
  }

 private:
  static bool is_constant(const pb::Node& node) {
    return node.op_type() == "Constant" && (node.domain().empty() || node.domain() == "ai.onnx");
  }

  int add(ForeignTensor tensor) {
    const int index = static_cast<int>(out_.tensors.size());
    index_.emplace(tensor.name, index);
    out_.tensors.push_back(std::move(tensor));
    return index;
  }

  // A new name of this graph; it may hide one of an enclosing graph, but not one of its own.
  Result<int> declare(const std::string& name, std::string_view what) {
    if (index_.contains(name)) {
      return bad_input(fmt::format("{} {}: the name is made twice", what, shown(name)));
    }
    ForeignTensor tensor;
    tensor.name = name;
    return add(std::move(tensor));
  }

  Result<void> declare_constant(const std::string& name, std::string_view what,
                                Result<AttrTensor> value, int32_t data_type) {
    const std::string where = fmt::format("{} {}", what, shown(name));
    if (!value) return std::unexpected(inside(where, std::move(value.error())));
    NK_ASSIGN(const int index, declare(name, what));
    ForeignTensor& tensor = out_.tensors[static_cast<size_t>(index)];
    tensor.type = std::move(value->type);
    tensor.data = std::move(value->data);
    tensor.has_shape = true;
    if (tensor.type.dtype == NK_DTYPE_NONE) tensor.dtype_name = dtype_row(data_type).name;
    return {};
  }

  Result<void> add_initialisers() {
    for (pb::Tensor& t : *in_.mutable_initializer()) {
      if (t.name().empty()) return bad_input("an initializer without a name");
      NK_TRY(declare_constant(t.name(), "initializer", read_tensor(t, file_), t.data_type()));
    }
    for (pb::SparseTensor& t : *in_.mutable_sparse_initializer()) {
      const std::string& name = t.values().name();
      if (name.empty()) return bad_input("a sparse initializer without a name");
      NK_TRY(declare_constant(name, "sparse initializer", read_sparse_tensor(t, file_),
                              t.values().data_type()));
    }
    return {};
  }

  // Files of the first versions list initializers among the inputs: those are constants.
  Result<void> add_inputs() {
    for (const pb::ValueInfo& info : in_.input()) {
      if (info.name().empty()) return bad_input("a graph input without a name");
      if (const auto it = index_.find(info.name()); it != index_.end()) {
        if (out_.tensors[static_cast<size_t>(it->second)].data) continue;
      }
      NK_ASSIGN(const int index, declare(info.name(), "graph input"));
      apply_type(info.type(), out_.tensors[static_cast<size_t>(index)]);
      out_.inputs.push_back(index);
    }
    return {};
  }

  Result<void> add_node_outputs() {
    for (int i = 0; i < in_.node_size(); ++i) {
      pb::Node& node = *in_.mutable_node(i);
      if (is_constant(node)) {
        NK_TRY(add_constant(node, i));
        continue;
      }
      for (const std::string& name : node.output()) {
        if (name.empty()) continue;
        if (auto index = declare(name, "output"); !index) {
          return std::unexpected(inside(where(node, i), std::move(index.error())));
        }
      }
    }
    return {};
  }

  Result<void> add_constant(pb::Node& node, int index) {
    const std::string place = where(node, index);
    if (node.output_size() != 1 || node.output(0).empty()) {
      return bad_input("a Constant must have one output", place);
    }
    if (node.attribute_size() != 1) {
      return bad_input("a Constant must have one attribute with its value", place);
    }
    pb::Attribute& a = *node.mutable_attribute(0);
    const int32_t data_type =
        a.has_t() ? a.t().data_type() : a.sparse_tensor().values().data_type();
    auto done = declare_constant(node.output(0), "constant", constant_of(a, file_), data_type);
    if (!done) return std::unexpected(inside(place, std::move(done.error())));
    return {};
  }

  // What the file says of a value that a node makes.
  void describe(const pb::ValueInfo& info) {
    const auto it = index_.find(info.name());
    if (it == index_.end()) return;
    ForeignTensor& tensor = out_.tensors[static_cast<size_t>(it->second)];
    const bool is_input = std::ranges::find(out_.inputs, it->second) != out_.inputs.end();
    if (!tensor.data && !is_input) apply_type(info.type(), tensor);
  }

  static std::string where(const pb::Node& node, int index) {
    return fmt::format("node {} ({})", shown(node_text(node, index)), shown(node.op_type()));
  }

  Result<void> add_node(int index) {
    pb::Node& node = *in_.mutable_node(index);
    ForeignNode out;
    std::vector<int> needs;
    if (auto done = fill_node(node, index, out, needs); !done) {
      return std::unexpected(inside(where(node, index), std::move(done.error())));
    }
    out_.nodes.push_back(std::move(out));
    needs_.push_back(std::move(needs));
    return {};
  }

  Result<void> fill_node(pb::Node& node, int index, ForeignNode& out, std::vector<int>& needs) {
    if (node.op_type().empty()) return bad_input("a node without an operator");
    out.op = node.op_type();
    out.name = node_text(node, index);
    out.domain = node.domain() == "ai.onnx" ? std::string() : node.domain();
    const auto opset = file_.opsets.find(out.domain);
    if (opset == file_.opsets.end() && out.domain.empty()) {
      return bad_input("the model states no opset for the domain ai.onnx");
    }
    out.version = opset == file_.opsets.end() ? 0 : static_cast<int>(opset->second);
    for (const std::string& name : node.input()) {
      const int t = name.empty() ? kAbsent : resolve(name);
      if (t == kAbsent && !name.empty()) {
        return bad_input(fmt::format("input {} is made by nothing", shown(name)));
      }
      out.inputs.push_back(t);
    }
    for (const std::string& name : node.output()) {
      out.outputs.push_back(name.empty() ? kAbsent : index_.find(name)->second);
    }
    needs = out.inputs;
    for (pb::Attribute& a : *node.mutable_attribute()) NK_TRY(add_attribute(a, out, needs));
    return {};
  }

  Result<void> add_attribute(pb::Attribute& a, ForeignNode& out, std::vector<int>& needs) {
    if (a.name().empty()) return bad_input("an attribute without a name");
    const std::string place = "attribute " + shown(a.name());
    if (out.attrs.has(a.name())) return bad_input("given twice", place);
    switch (kind_of(a)) {
      case AttrKind::kGraph:
        return add_subgraph(*a.mutable_g(), a.name(), out, needs);
      case AttrKind::kGraphs:
        for (pb::Graph& g : *a.mutable_graphs()) NK_TRY(add_subgraph(g, a.name(), out, needs));
        return {};
      case AttrKind::kValue:
        break;
    }
    auto value = read_attribute(a, file_);
    if (!value) return std::unexpected(inside(place, std::move(value.error())));
    out.attrs.set(a.name(), std::move(*value));
    return {};
  }

  // Reads a graph that belongs to a node; what it captures counts among the node's needs.
  Result<void> add_subgraph(pb::Graph& graph, const std::string& name, ForeignNode& out,
                            std::vector<int>& needs) {
    auto sub = read_graph(graph, file_, this);
    if (!sub) return std::unexpected(inside("attribute " + shown(name), std::move(sub.error())));
    for (const ForeignTensor& tensor : sub->tensors) {
      if (tensor.outer != kAbsent) needs.push_back(tensor.outer);
    }
    out.subgraphs.emplace_back(name, static_cast<int>(file_.subgraphs.size()));
    file_.subgraphs.push_back(std::move(*sub));
    return {};
  }

  pb::Graph& in_;
  FileContext& file_;
  Scope* outer_;
  ForeignGraph out_;
  std::unordered_map<std::string, int> index_;
  std::vector<std::vector<int>> needs_;
};

}  // namespace

Result<ForeignGraph> read_graph(pb::Graph& graph, FileContext& file, Scope* outer) {
  return GraphReader(graph, file, outer).run();
}

}  // namespace netkit::onnx
