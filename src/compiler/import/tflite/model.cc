// SPDX-License-Identifier: MIT
// A TFLite file → ForeignGraph: the flatbuffers verifier proves that every reference stays inside
// the file, then graphs are read and their indices checked.
#include <fmt/format.h>

#include <cstring>

#include "compiler/import/tflite/tflite.h"
#include "compiler/import/tflite/vectors.h"
#include "tflite_generated.h"

namespace netkit::tflite {
namespace {

constexpr uint32_t kMaxDepth = 64;
constexpr uint32_t kMaxTables = 250'000;
constexpr uint32_t kMaxSubgraphs = 1000;
constexpr size_t kMinFileBytes = 8;  // root offset and identifier
constexpr uint32_t kSchemaVersion = 3;

template <typename T>
uint32_t size_of(const flatbuffers::Vector<T>* vector) {
  return vector == nullptr ? 0 : vector->size();
}

// Text of a string field, "" where it is absent.
std::string text_of(const flatbuffers::String* string) {
  return string == nullptr ? std::string() : string->str();
}

class GraphReader {
 public:
  GraphReader(const fbs::Model& model, const fbs::SubGraph& graph, BufferPool& buffers,
              const ImportOptions& options)
      : model_(model), in_(graph), buffers_(buffers), options_(options) {}

  Result<ForeignGraph> run() {
    out_.format = SourceFormat::kTflite;
    for (uint32_t i = 0; i < size_of(in_.tensors()); ++i) {
      NK_ASSIGN(ForeignTensor tensor, read_tensor(*in_.tensors()->Get(i), i, buffers_, options_));
      out_.tensors.push_back(std::move(tensor));
    }
    NK_ASSIGN(out_.inputs, indices(in_.inputs(), "graph input", false));
    NK_ASSIGN(out_.outputs, indices(in_.outputs(), "graph output", false));
    NK_TRY(mark_sources());
    for (uint32_t i = 0; i < size_of(in_.operators()); ++i) NK_TRY(add_node(i));
    for (const int t : out_.outputs) {
      if (!made_[static_cast<size_t>(t)]) {
        return bad_input("a graph output is produced by no operator", tensor_text(t));
      }
    }
    return std::move(out_);
  }

 private:
  std::string tensor_text(int t) const {
    return "tensor " + shown(out_.tensors[static_cast<size_t>(t)].name);
  }

  Result<std::vector<int>> indices(const flatbuffers::Vector<int32_t>* list, std::string_view what,
                                   bool may_be_absent) const {
    NK_TRY(buffers_.budget().spend(uint64_t{size_of(list)} * sizeof(int)));
    std::vector<int> result;
    for (const int32_t t : copied(list)) {
      if (t == kAbsent && may_be_absent) {
        result.push_back(kAbsent);
      } else if (t < 0 || static_cast<size_t>(t) >= out_.tensors.size()) {
        return bad_input(fmt::format("{} {} has tensor index {}, the graph has {} tensors", what,
                                     result.size(), t, out_.tensors.size()));
      } else {
        result.push_back(t);
      }
    }
    return result;
  }

  // Tensors that hold a value before the first operator runs.
  Result<void> mark_sources() {
    made_.assign(out_.tensors.size(), false);
    for (const int t : out_.inputs) {
      const auto i = static_cast<size_t>(t);
      if (made_[i]) return bad_input("listed twice among the graph's inputs", tensor_text(t));
      made_[i] = true;
      out_.tensors[i].has_shape = true;
    }
    for (size_t i = 0; i < out_.tensors.size(); ++i) {
      if (out_.tensors[i].data || out_.tensors[i].is_variable) made_[i] = true;
    }
    return {};
  }

  Result<void> set_operator(uint32_t opcode_index, ForeignNode& node) const {
    if (opcode_index >= size_of(model_.operator_codes())) {
      return bad_input(fmt::format("operator code index {}, the file has {} codes", opcode_index,
                                   size_of(model_.operator_codes())));
    }
    const fbs::OperatorCode& code = *model_.operator_codes()->Get(opcode_index);
    // Files before the field builtin_code know the first 127 operators only.
    const int32_t builtin = std::max(static_cast<int32_t>(code.deprecated_builtin_code()),
                                     static_cast<int32_t>(code.builtin_code()));
    if (builtin < 0) return bad_input(fmt::format("operator code {} is negative", builtin));
    node.version = code.version();
    node.op = builtin_name(builtin);
    if (builtin == static_cast<int32_t>(fbs::BuiltinOperator::CUSTOM)) {
      node.op = "CUSTOM:" + text_of(code.custom_code());
    }
    return {};
  }

  Result<void> add_node(uint32_t index) {
    const fbs::Operator& op = *in_.operators()->Get(index);
    ForeignNode node;
    node.name = fmt::format("#{}", index);
    if (auto done = fill_node(op, index, node); !done) {
      const std::string where =
          fmt::format("node {} ({})", shown(node.name), node.op.empty() ? "?" : shown(node.op));
      return std::unexpected(inside(where, std::move(done.error())));
    }
    out_.nodes.push_back(std::move(node));
    return {};
  }

  Result<void> fill_node(const fbs::Operator& op, uint32_t index, ForeignNode& node) {
    NK_TRY(set_operator(op.opcode_index(), node));
    node.name = fmt::format("{}#{}", node.op, index);
    NK_ASSIGN(node.inputs, indices(op.inputs(), "input", true));
    NK_ASSIGN(node.outputs, indices(op.outputs(), "output", true));
    for (const int t : node.outputs) {
      if (t == kAbsent) continue;
      node.name = out_.tensors[static_cast<size_t>(t)].name;
      break;
    }
    NK_ASSIGN(const std::vector<int> intermediates,
              indices(op.intermediates(), "intermediate", true));
    if (!intermediates.empty()) {
      node.attrs.set("intermediates",
                     std::vector<int64_t>(intermediates.begin(), intermediates.end()));
    }
    NK_TRY(read_options(op, node, buffers_.budget()));
    NK_TRY(read_custom_options(op, node));
    return connect(node);
  }

  Result<void> read_custom_options(const fbs::Operator& op, ForeignNode& node) const {
    std::span<const std::byte> bytes;
    if (op.custom_options() != nullptr) {
      bytes = std::as_bytes(std::span(op.custom_options()->data(), op.custom_options()->size()));
    } else if (op.large_custom_options_offset() > 1) {
      NK_ASSIGN(bytes,
                buffers_.range(op.large_custom_options_offset(), op.large_custom_options_size()));
    } else {
      return {};
    }
    NK_TRY(buffers_.budget().spend(bytes.size()));
    node.attrs.set("custom_options", byte_attr(bytes));
    return {};
  }

  // A tensor without elements needs no bytes to be a constant.
  bool take_empty(int t) {
    ForeignTensor& tensor = out_.tensors[static_cast<size_t>(t)];
    const auto bytes = byte_count(tensor.type.dtype, tensor.type.dims);
    if (!bytes || *bytes != 0) return false;
    tensor.data = std::make_shared<const Bytes>();
    made_[static_cast<size_t>(t)] = true;
    return true;
  }

  Result<void> connect(const ForeignNode& node) {
    for (const int t : node.inputs) {
      if (t == kAbsent || made_[static_cast<size_t>(t)] || take_empty(t)) continue;
      // What a custom operator does with its inputs is its own affair (scratch, for example).
      if (node.op.starts_with("CUSTOM:")) continue;
      return bad_input("read before any operator has produced it", tensor_text(t));
    }
    for (const int t : node.outputs) {
      if (t == kAbsent) continue;
      if (made_[static_cast<size_t>(t)]) {
        return bad_input("written twice, or written although it is an input or a constant",
                         tensor_text(t));
      }
      made_[static_cast<size_t>(t)] = true;
    }
    return {};
  }

  const fbs::Model& model_;
  const fbs::SubGraph& in_;
  BufferPool& buffers_;
  const ImportOptions& options_;
  ForeignGraph out_;
  std::vector<bool> made_;
};

// Graph numbers of the file → indices into root.subgraphs (the file's graphs but the first).
Result<void> link_subgraphs(ForeignGraph& root) {
  const int count = static_cast<int>(root.subgraphs.size()) + 1;
  const auto graph = [&root](int i) -> ForeignGraph& {
    return i == 0 ? root : root.subgraphs[static_cast<size_t>(i - 1)];
  };
  for (int i = 0; i < count; ++i) {
    for (ForeignNode& node : graph(i).nodes) {
      for (auto& [name, target] : node.subgraphs) {
        const std::string where = fmt::format("node {} ({})", shown(node.name), shown(node.op));
        if (target >= count) {
          return bad_input(fmt::format("{} {}: the file has {} subgraphs", name, target, count),
                           where);
        }
        if (target == 0) return bad_input(fmt::format("{} 0: the main graph", name), where);
        --target;
      }
    }
  }
  return {};
}

// No graph may reach itself. `state`: 0 unseen, 1 on the path, 2 done.
Result<void> check_calls(const ForeignGraph& root, const ForeignGraph& graph,
                         std::vector<int>& state) {
  for (const ForeignNode& node : graph.nodes) {
    for (const auto& [name, target] : node.subgraphs) {
      int& seen = state[static_cast<size_t>(target)];
      if (seen == 1) {
        return bad_input(fmt::format("subgraph {} calls itself", target + 1),
                         fmt::format("node {} ({})", shown(node.name), shown(node.op)));
      }
      if (seen == 2) continue;
      seen = 1;
      NK_TRY(check_calls(root, root.subgraphs[static_cast<size_t>(target)], state));
      seen = 2;
    }
  }
  return {};
}

Result<ForeignGraph> read_model(std::span<const std::byte> file, const fbs::Model& model,
                                const ImportOptions& options) {
  if (model.version() != kSchemaVersion) {
    return bad_input(fmt::format("TFLite schema version {}, only version {} is supported",
                                 model.version(), kSchemaVersion),
                     {}, "convert the model again with a converter of TensorFlow 1.9 or later");
  }
  const uint32_t graphs = size_of(model.subgraphs());
  if (graphs == 0) return bad_input("the model has no subgraph");
  if (graphs > kMaxSubgraphs) return bad_input(fmt::format("the model has {} subgraphs", graphs));
  BufferPool buffers(file, model);
  ForeignGraph root;
  for (uint32_t i = 0; i < graphs; ++i) {
    auto graph = GraphReader(model, *model.subgraphs()->Get(i), buffers, options).run();
    if (!graph) {
      if (i == 0) return graph;
      return std::unexpected(inside(fmt::format("subgraph {}", i), std::move(graph.error())));
    }
    if (i == 0) {
      root = std::move(*graph);
    } else {
      root.subgraphs.push_back(std::move(*graph));
    }
  }
  root.ir_version = model.version();
  root.producer = text_of(model.description());
  NK_TRY(link_subgraphs(root));
  std::vector<int> state(root.subgraphs.size(), 0);
  NK_TRY(check_calls(root, root, state));
  return root;
}

}  // namespace
}  // namespace netkit::tflite

namespace netkit {

Result<ForeignGraph> import_tflite(std::span<const std::byte> bytes, const ImportOptions& options) {
  if (bytes.size() < tflite::kMinFileBytes) {
    return bad_input(fmt::format("not a TFLite file: truncated to {} bytes", bytes.size()));
  }
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return bad_input("the file is above the size limit of flatbuffers, 2 GiB");
  }
  if (std::memcmp(bytes.data() + 4, fbs::ModelIdentifier(), 4) != 0) {
    return bad_input(
        fmt::format("not a TFLite file: identifier {} where 'TFL3' is expected",
                    shown(std::string_view(reinterpret_cast<const char*>(bytes.data()) + 4, 4))));
  }
  // The reader casts in place, so the file must stand as it was meant to: 16-byte aligned.
  std::vector<std::max_align_t> aligned;
  if (reinterpret_cast<uintptr_t>(bytes.data()) % alignof(std::max_align_t) != 0) {
    aligned.resize(bytes.size() / sizeof(std::max_align_t) + 1);
    std::memcpy(aligned.data(), bytes.data(), bytes.size());
    bytes = std::as_bytes(std::span(aligned)).first(bytes.size());
  }
  const auto* data = reinterpret_cast<const uint8_t*>(bytes.data());
  flatbuffers::Verifier verifier(data, bytes.size(), tflite::kMaxDepth, tflite::kMaxTables);
  if (!fbs::VerifyModelBuffer(verifier)) {
    return bad_input("corrupt or truncated TFLite file: the flatbuffer points outside itself", {},
                     "copy or export the file again");
  }
  return tflite::read_model(bytes, *fbs::GetModel(data), options);
}

}  // namespace netkit
