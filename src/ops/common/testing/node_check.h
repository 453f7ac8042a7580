// SPDX-License-Identifier: MIT
// One foreign operator from its words to its values: lowered by its own rule, computed by the
// reference kernels into poison-filled memory. Tests only.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "compiler/eval/eval.h"
#include "ops/common/testing/fake_lower.h"
#include "ops/common/host/op_helpers.h"

namespace netkit::check {

template <typename T>
constexpr nk_dtype dtype_for() {
  if constexpr (std::is_same_v<T, float>) return NK_FLOAT32;
  if constexpr (std::is_same_v<T, int8_t>) return NK_INT8;
  if constexpr (std::is_same_v<T, uint8_t>) return NK_UINT8;
  if constexpr (std::is_same_v<T, int16_t>) return NK_INT16;
  if constexpr (std::is_same_v<T, int32_t>) return NK_INT32;
  if constexpr (std::is_same_v<T, int64_t>) return NK_INT64;
  if constexpr (std::is_same_v<T, bool>) return NK_BOOL;
  return NK_DTYPE_NONE;
}

inline Quant quant_of(float scale, int64_t zero_point) { return {{scale}, {zero_point}, 0}; }

// Builds up a foreign node: `onnx("Add", 13).in<float>({2}, {1, 2}).set("axis", 1).run<float>()`.
class NodeCase {
 public:
  NodeCase(SourceFormat format, std::string op, int version) : lower_(format) {
    node_.op = std::move(op);
    node_.version = version;
    node_.name = "node";
    node_.outputs = {0};
  }

  // An activation of the given values; T bool is given as uint8_t with dtype NK_BOOL.
  template <typename T>
  NodeCase& in(Dims shape, const std::vector<T>& values, Quant quant = {},
               nk_dtype dtype = dtype_for<T>()) {
    const TensorId id = lower_.give("x", {dtype, std::move(shape), std::move(quant)});
    node_.inputs.push_back(id);
    lower_.graph.inputs.push_back(id);
    values_.push_back(constant_of(values));
    return *this;
  }
  template <typename T>
  NodeCase& constant(Dims shape, const std::vector<T>& values, Quant quant = {},
                     nk_dtype dtype = dtype_for<T>()) {
    node_.inputs.push_back(
        lower_.give("c", {dtype, std::move(shape), std::move(quant)}, constant_of(values)));
    return *this;
  }
  NodeCase& absent() {
    lower_.give_absent();
    node_.inputs.push_back(kAbsent);
    return *this;
  }
  NodeCase& set(std::string name, AttrValue value) {
    node_.attrs.set(std::move(name), std::move(value));
    return *this;
  }
  NodeCase& declare(nk_dtype dtype, Dims shape, Quant quant = {}) {
    lower_.declare({dtype, std::move(shape), std::move(quant)});
    return *this;
  }
  NodeCase& domain(std::string name) {
    node_.domain = std::move(name);
    return *this;
  }
  NodeCase& outputs(int count) {
    node_.outputs.clear();
    for (int i = 0; i < count; ++i) node_.outputs.push_back(i);
    return *this;
  }

  Result<void> lower() { return lower_.lower(node_); }

  // Values of output `i`; on failure error() says why and the list is empty.
  template <typename T>
  std::vector<T> run(size_t i = 0) {
    if (lower_.outputs.empty()) {
      const auto lowered = lower();
      if (!lowered) {
        error_ = lowered.error().message;
        return {};
      }
    }
    Graph& graph = lower_.graph;
    const TensorId id = lower_.outputs.at(i);
    graph.outputs = {id};
    dims = graph.tensor(id).type.dims;
    type = graph.tensor(id).type;
    const auto results = evaluate_graph(graph, values_, int64_t{1} << 30);
    if (!results) {
      error_ = results.error().message;
      return {};
    }
    std::vector<T> out((*results)[0]->size() / sizeof(T));
    if (!out.empty()) std::memcpy(out.data(), (*results)[0]->data(), out.size() * sizeof(T));
    return out;
  }

  const std::string& error() const { return error_; }
  Graph& graph() { return lower_.graph; }
  std::vector<ConstData>& values() { return values_; }

  Dims dims;        // of the output last computed
  TensorType type;

 private:
  FakeLower lower_;
  ForeignNode node_;
  std::vector<ConstData> values_;
  std::string error_;
};

inline NodeCase onnx(std::string op, int version) {
  return {SourceFormat::kOnnx, std::move(op), version};
}
inline NodeCase tflite(std::string op) { return {SourceFormat::kTflite, std::move(op), 1}; }

// The error of a node that must be refused; "" where it was accepted.
inline std::string refusal(NodeCase& node) {
  node.run<uint8_t>();
  return node.error();
}

}  // namespace netkit::check
