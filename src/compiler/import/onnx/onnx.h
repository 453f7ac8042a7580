// SPDX-License-Identifier: MIT
// Parts of the ONNX importer, which share the generated reader of schema/onnx.proto. The messages
// are consumed: payloads are released as soon as they are copied.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/import/common.h"

namespace netkit::pb {
class Attribute;
class Graph;
class Model;
class SparseTensor;
class Tensor;
}  // namespace netkit::pb

namespace netkit::onnx {

constexpr int kMaxNesting = 64;  // messages within messages

// wire.cc. Errors: the bytes are no sequence of protobuf fields (with the place), messages nested
// deeper than kMaxNesting, more messages than the file's size justifies.
Result<void> check_wire(std::span<const std::byte> bytes);

// functions.cc. Expands the calls of the model's own functions, in subgraphs too. Errors: functions
// that call themselves, other opsets than the model's, more than `budget` allows.
Result<void> inline_functions(pb::Model& model, Budget& budget);

// external.cc. Data beside the model: relative paths that stay in the model's folder.
class ExternalFiles {
 public:
  ExternalFiles(std::string folder, const ImportOptions& options)
      : folder_(std::move(folder)),
        allowed_(options.read_external_files),
        left_bytes_(options.max_external_bytes) {}

  // The tensor's `bytes` bytes. Errors: reading is switched off; the path leaves the folder; no
  // such file; the stated range is not in the file or not of this size; above the limit in all.
  Result<Bytes> read(const pb::Tensor& tensor, int64_t bytes);

 private:
  std::string folder_;
  bool allowed_;
  uint64_t left_bytes_;
};

// What the graphs of one file share.
struct FileContext {
  Budget budget;
  ExternalFiles external;
  std::map<std::string, int64_t, std::less<>> opsets;  // by domain
  std::vector<ForeignGraph> subgraphs;                 // finished ones
};

// tensor.cc.
const ForeignDType& dtype_row(int32_t data_type);  // name "undefined" or "unknown" where it is none
Result<AttrTensor> read_tensor(pb::Tensor& tensor, FileContext& file);
Result<AttrTensor> read_sparse_tensor(pb::SparseTensor& sparse, FileContext& file);

// attrs.cc. A value of any type but graphs; type protos and lists of tensors, which no operator of
// netkit takes, become the name of their type.
enum class AttrKind { kValue, kGraph, kGraphs };
AttrKind kind_of(const pb::Attribute& attribute);
Result<AttrValue> read_attribute(pb::Attribute& attribute, FileContext& file);
// The value of a Constant node.
Result<AttrTensor> constant_of(pb::Attribute& attribute, FileContext& file);

// graph.cc. Names of the enclosing graphs are looked up through `outer`.
class Scope {
 public:
  virtual ~Scope() = default;
  // Index of the tensor called `name`, kAbsent where no enclosing graph has it.
  virtual int resolve(const std::string& name) = 0;
  virtual const ForeignTensor& tensor(int index) const = 0;
};
Result<ForeignGraph> read_graph(pb::Graph& graph, FileContext& file, Scope* outer);

}  // namespace netkit::onnx
