// SPDX-License-Identifier: MIT
// Functions that an ONNX model defines itself are expanded where they are called, so that what
// follows sees operators only. Names inside get the call's name as a prefix.
#include <fmt/format.h>

#include <map>
#include <utility>

#include "compiler/import/onnx/onnx.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

constexpr int kMaxCallDepth = 32;
constexpr uint64_t kMessageFactor = 8;  // bytes of a message in memory per byte in the file

std::string key_of(const std::string& domain, const std::string& name,
                   const std::string& overload) {
  return fmt::format("{}:{}:{}", domain == "ai.onnx" ? std::string() : domain, name, overload);
}

const pb::Attribute* find_attribute(const google::protobuf::RepeatedPtrField<pb::Attribute>& list,
                                    const std::string& name) {
  for (const pb::Attribute& a : list) {
    if (a.name() == name) return &a;
  }
  return nullptr;
}

// One call: the function's nodes with the names and attributes of the calling node.
class Call {
 public:
  Call(const pb::Function& function, const pb::Node& node, std::string prefix)
      : function_(function), node_(node), prefix_(std::move(prefix)) {}

  std::vector<pb::Node> expand() {
    std::vector<pb::Node> nodes;
    for (int i = 0; i < function_.input_size(); ++i) {
      names_[function_.input(i)] = i < node_.input_size() ? node_.input(i) : std::string();
    }
    for (int i = 0; i < function_.output_size(); ++i) bind_output(i, nodes);
    for (int i = 0; i < function_.node_size(); ++i) {
      pb::Node copy = function_.node(i);
      copy.set_name(prefix_ + (copy.name().empty() ? std::to_string(i) : copy.name()));
      rename(copy);
      nodes.push_back(std::move(copy));
    }
    return nodes;
  }

 private:
  // An output that is an input too, or is listed twice, needs a node of its own.
  void bind_output(int i, std::vector<pb::Node>& nodes) {
    const bool wanted = i < node_.output_size() && !node_.output(i).empty();
    if (!wanted) return;
    const auto [it, is_new] = names_.emplace(function_.output(i), node_.output(i));
    if (is_new) return;
    pb::Node& copy = nodes.emplace_back();
    copy.set_op_type("Identity");
    copy.set_name(fmt::format("{}output_{}", prefix_, i));
    copy.add_input(it->second);
    copy.add_output(node_.output(i));
  }

  void rename(std::string& name) const {
    if (name.empty()) return;
    const auto it = names_.find(name);
    name = it == names_.end() ? prefix_ + name : it->second;
  }

  void rename(pb::Node& node) const {
    for (std::string& name : *node.mutable_input()) rename(name);
    for (std::string& name : *node.mutable_output()) rename(name);
    google::protobuf::RepeatedPtrField<pb::Attribute> kept;
    for (pb::Attribute& a : *node.mutable_attribute()) {
      if (a.ref_attr_name().empty()) {
        if (a.has_g()) rename(*a.mutable_g());
        for (pb::Graph& g : *a.mutable_graphs()) rename(g);
        *kept.Add() = std::move(a);
        continue;
      }
      // The caller's value, else the function's default, else none.
      const pb::Attribute* value = find_attribute(node_.attribute(), a.ref_attr_name());
      if (value == nullptr) value = find_attribute(function_.attribute_proto(), a.ref_attr_name());
      if (value == nullptr) continue;
      pb::Attribute& bound = *kept.Add();
      bound = *value;
      bound.set_name(a.name());
    }
    node.mutable_attribute()->Swap(&kept);
  }

  void rename(pb::Graph& graph) const {
    for (auto* list : {graph.mutable_input(), graph.mutable_output(), graph.mutable_value_info()}) {
      for (pb::ValueInfo& info : *list) rename(*info.mutable_name());
    }
    for (pb::Tensor& t : *graph.mutable_initializer()) rename(*t.mutable_name());
    for (pb::SparseTensor& t : *graph.mutable_sparse_initializer()) {
      rename(*t.mutable_values()->mutable_name());
    }
    for (pb::Node& node : *graph.mutable_node()) rename(node);
  }

  const pb::Function& function_;
  const pb::Node& node_;
  std::string prefix_;
  std::map<std::string, std::string> names_;
};

class Inliner {
 public:
  Inliner(const pb::Model& model, Budget& budget) : budget_(budget) {
    for (const pb::Function& f : model.functions()) {
      functions_.emplace(key_of(f.domain(), f.name(), f.overload()), &f);
    }
  }

  Result<void> expand(pb::Graph& graph, int depth) {
    google::protobuf::RepeatedPtrField<pb::Node> nodes;
    for (pb::Node& node : *graph.mutable_node()) NK_TRY(expand(node, depth, nodes));
    graph.mutable_node()->Swap(&nodes);
    return {};
  }

 private:
  Result<void> expand(pb::Node& node, int depth,
                      google::protobuf::RepeatedPtrField<pb::Node>& out) {
    const auto it = functions_.find(key_of(node.domain(), node.op_type(), node.overload()));
    if (it == functions_.end()) {
      for (pb::Attribute& a : *node.mutable_attribute()) {
        if (a.has_g()) NK_TRY(expand(*a.mutable_g(), depth));
        for (pb::Graph& g : *a.mutable_graphs()) NK_TRY(expand(g, depth));
      }
      *out.Add() = std::move(node);
      return {};
    }
    const pb::Function& f = *it->second;
    const std::string where = fmt::format("node {} ({})", shown(node.name()), shown(f.name()));
    if (depth >= kMaxCallDepth) {
      return bad_input("the model's functions call each other without end", where);
    }
    if (node.input_size() > f.input_size() || node.output_size() > f.output_size()) {
      return bad_input("the function has fewer inputs or outputs than its call", where);
    }
    const std::string prefix = fmt::format("{}/{}#{}/", node.name(), f.name(), calls_++);
    NK_TRY(budget_.spend(kMessageFactor * (f.ByteSizeLong() + node.ByteSizeLong()) +
                         prefix.size() * static_cast<uint64_t>(f.node_size())));
    for (pb::Node& inner : Call(f, node, prefix).expand()) NK_TRY(expand(inner, depth + 1, out));
    return {};
  }

  Budget& budget_;
  std::map<std::string, const pb::Function*> functions_;
  uint64_t calls_ = 0;
};

// A function's operators must mean what the model's do.
Result<void> merge_opsets(pb::Model& model) {
  std::map<std::string, int64_t> versions;
  const auto normal = [](const std::string& d) { return d == "ai.onnx" ? std::string() : d; };
  for (const pb::OperatorSetId& id : model.opset_import()) {
    versions.emplace(normal(id.domain()), id.version());
  }
  for (const pb::Function& f : model.functions()) {
    for (const pb::OperatorSetId& id : f.opset_import()) {
      const auto [it, is_new] = versions.emplace(normal(id.domain()), id.version());
      if (is_new) {
        *model.add_opset_import() = id;
      } else if (it->second != id.version()) {
        return bad_input(fmt::format("function {} uses opset {} of domain {}, the model {}",
                                     shown(f.name()), id.version(), shown(id.domain()),
                                     it->second),
                         {}, "inline the model's functions when exporting (onnx.inliner)");
      }
    }
  }
  return {};
}

}  // namespace

Result<void> inline_functions(pb::Model& model, Budget& budget) {
  if (model.functions_size() == 0) return {};
  NK_TRY(merge_opsets(model));
  return Inliner(model, budget).expand(*model.mutable_graph(), 0);
}

}  // namespace netkit::onnx
