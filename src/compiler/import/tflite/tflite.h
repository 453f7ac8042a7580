// SPDX-License-Identifier: MIT
// Parts of the TFLite importer, which share the generated reader of schema/tflite.fbs.
#pragma once

#include <optional>
#include <span>
#include <string>

#include "compiler/import/common.h"

namespace netkit::fbs {
struct Model;
struct Operator;
struct SparsityParameters;
struct Tensor;
}  // namespace netkit::fbs

namespace netkit::tflite {

// tensor.cc. The file's constants: each buffer is copied once, however many tensors show it.
class BufferPool {
 public:
  BufferPool(std::span<const std::byte> file, const fbs::Model& model);

  // Bytes of buffer `index`, inside the flatbuffer or behind it; nullopt where it holds none.
  // Errors: no such buffer; bytes outside the file.
  Result<std::optional<std::span<const std::byte>>> find(uint32_t index) const;
  // Bytes of the file behind the flatbuffer. Errors: outside the file.
  Result<std::span<const std::byte>> range(uint64_t offset, uint64_t size) const;
  ConstData shared(uint32_t index, std::span<const std::byte> bytes);

  Budget& budget() { return budget_; }

 private:
  std::span<const std::byte> file_;
  Budget budget_;
  const fbs::Model& model_;
  std::vector<ConstData> copies_;
};

// Everything of a tensor, its constant included. `index` names it where it has no name.
Result<ForeignTensor> read_tensor(const fbs::Tensor& tensor, size_t index, BufferPool& buffers,
                                  const ImportOptions& options);

// sparse.cc: a constant of `type` in row-major order from the stored non-zero values.
Result<Bytes> densify(const fbs::SparsityParameters& sparsity, const TensorType& type,
                      std::span<const std::byte> values);

// options.cc: the parameters of an operator as attributes by their schema names, enumerations by
// the names of their values, fields that the file leaves out by the schema's defaults, subgraph
// numbers (of the file) in node.subgraphs. No attributes where the file has no options at all.
Result<void> read_options(const fbs::Operator& op, ForeignNode& node, Budget& budget);

// "CONV_2D"; "BUILTIN:9999" beyond the schema.
std::string builtin_name(int32_t code);

}  // namespace netkit::tflite
