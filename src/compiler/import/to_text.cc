// SPDX-License-Identifier: MIT
// ForeignGraph → text, for --dump import.
#include <fmt/format.h>

#include <utility>

#include "compiler/import/import.h"
#include "compiler/ir/text/text.h"

namespace netkit {
namespace {

constexpr size_t kMaxElems = 16;

constexpr std::string_view kFormats[] = {"tflite", "onnx", "nk-legacy"};

class Printer {
 public:
  explicit Printer(const ForeignGraph& graph) : graph_(graph) {}

  std::string run(std::string indent) {
    indent_ = std::move(indent);
    for (const int t : graph_.inputs) line("input {}", typed(t));
    for (size_t i = 0; i < graph_.tensors.size(); ++i) {
      const ForeignTensor& tensor = graph_.tensors[i];
      const int t = static_cast<int>(i);
      if (tensor.outer != kAbsent) line("captured {}", typed(t));
      if (tensor.is_variable) line("variable {}", typed(t));
      if (tensor.data && tensor.outer == kAbsent) {
        line("const {} = {}", typed(t), values_text(tensor.type, *tensor.data, kMaxElems));
      }
    }
    for (const ForeignNode& node : graph_.nodes) print(node);
    for (const int t : graph_.outputs) line("output {}", name(t));
    return std::move(out_);
  }

 private:
  template <typename... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    out_ += indent_ + fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  std::string name(int t) const {
    return t == kAbsent ? "_" : name_text(graph_.tensors[static_cast<size_t>(t)].name);
  }

  std::string typed(int t) const {
    if (t == kAbsent) return "_";
    const ForeignTensor& tensor = graph_.tensors[static_cast<size_t>(t)];
    std::string type = type_text(tensor.type, kMaxElems);
    if (!tensor.has_shape) type = fmt::format("{}[unknown]", name_of(tensor.type.dtype));
    if (!tensor.dtype_name.empty()) type = fmt::format("{} ({})", type, tensor.dtype_name);
    std::string open;
    for (size_t i = 0; i < tensor.dim_names.size(); ++i) {
      if (tensor.dim_names[i].empty() && tensor.type.dims[i] >= 0) continue;
      open +=
          fmt::format("{}{}:{}", open.empty() ? " open(" : ",", i, in_quotes(tensor.dim_names[i]));
    }
    return name(t) + ' ' + type + open + (open.empty() ? "" : ")");
  }

  void print(const ForeignNode& node) {
    std::string text;
    for (const int t : node.outputs) text += (text.empty() ? "" : ", ") + typed(t);
    text += fmt::format(" = {}{}:{}(", node.domain.empty() ? "" : in_quotes(node.domain) + ".",
                        name_text(node.op).substr(1), node.version);
    std::string separator;
    for (const int t : node.inputs) text += std::exchange(separator, ", ") + name(t);
    text += ')';
    separator = " {";
    for (const auto& [key, value] : node.attrs.all()) {
      text += std::exchange(separator, ", ") + name_text(key).substr(1) + '=' +
              attr_text(value, kMaxElems);
    }
    for (const auto& [key, index] : node.subgraphs) {
      text += fmt::format("{}{}=graph({})", std::exchange(separator, ", "),
                          name_text(key).substr(1), index);
    }
    if (separator != " {") text += '}';
    line("{} @{}", text, in_quotes(node.name));
  }

  const ForeignGraph& graph_;
  std::string indent_, out_;
};

}  // namespace

std::string to_text(const ForeignGraph& graph) {
  std::string text = fmt::format("format {}\nfile {}\nsha256 {}\nversion {}\nproducer {}\n",
                                 kFormats[static_cast<size_t>(graph.format)], in_quotes(graph.file),
                                 graph.sha256, graph.ir_version, in_quotes(graph.producer));
  for (const std::string& warning : graph.warnings) text += "warning " + in_quotes(warning) + '\n';
  text += Printer(graph).run("");
  for (size_t i = 0; i < graph.subgraphs.size(); ++i) {
    text += fmt::format("graph {}:\n", i) + Printer(graph.subgraphs[i]).run("  ");
  }
  return text;
}

}  // namespace netkit
