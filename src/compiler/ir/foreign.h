// SPDX-License-Identifier: MIT
// ForeignGraph: what an importer read, in the words of the file's own format, nothing decided yet.
// file → [import] → ForeignGraph → lower → Graph.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "compiler/ir/attrs.h"
#include "compiler/ir/tensor_type.h"

namespace netkit {

enum class SourceFormat { kTflite, kOnnx, kNkLegacy };

constexpr int kAbsent = -1;  // an optional input that is not given

struct ForeignTensor {
  std::string name;
  TensorType type;         // dims: -1 where the file leaves a dimension open
  std::string dtype_name;  // the file's word where type.dtype is NK_DTYPE_NONE ("bfloat16", …)
  bool has_shape = false;  // ONNX intermediates often have none
  // Names of open dimensions, "" where a dimension is closed; empty when all are. TFLite gives an
  // open dimension a nominal size: type.dims holds it and the name is "?".
  std::vector<std::string> dim_names;
  ConstData data;          // constants only
  bool is_variable = false;
  // ONNX subgraphs: the tensor of the enclosing graph (the one that holds the node) which this
  // one stands for.
  int outer = kAbsent;
};

// TFLite's complex64: in a canonical graph pairs of float32 along one more axis.
inline bool is_complex(const ForeignTensor& tensor) { return tensor.dtype_name == "complex64"; }

struct ForeignGraph;

struct ForeignNode {
  std::string op;       // "Conv", "CONV_2D", custom ops: "CUSTOM:name"
  std::string domain;   // ONNX domain ("" is ai.onnx); "" for TFLite
  int version = 0;      // ONNX: opset of the domain; TFLite: operator version
  std::string name;     // the file's name, or one made from the first output or the index
  std::vector<int> inputs;   // tensor index or kAbsent
  std::vector<int> outputs;  // tensor index or kAbsent
  Attrs attrs;          // TFLite: options by their schema name ("stride_h"); enums by their name
  // Attribute name, index into the `subgraphs` of the root graph (never of a nested one).
  std::vector<std::pair<std::string, int>> subgraphs;
};

struct ForeignGraph {
  SourceFormat format = SourceFormat::kTflite;
  std::string file;             // as the user named it
  std::string sha256;           // of the file's bytes, lower-case hex
  int64_t ir_version = 0;
  std::string producer;
  std::vector<ForeignTensor> tensors;
  std::vector<ForeignNode> nodes;
  std::vector<int> inputs, outputs;
  std::vector<ForeignGraph> subgraphs;  // root graph only: all of the file's other graphs
  std::vector<std::string> warnings;
};

}  // namespace netkit
