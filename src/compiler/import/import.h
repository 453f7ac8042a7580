// SPDX-License-Identifier: MIT
// The first phase: the bytes of a model file → ForeignGraph, in the words of the file's own format.
// Everything that can be wrong with a file's structure is found here; what an operator means is
// the business of lower.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"
#include "compiler/ir/foreign.h"

namespace netkit {

// kNk: a compiled program (version 5); kNkLegacy: versions 3 and 4, which are models.
enum class ModelFormat { kUnknown, kTflite, kOnnx, kNk, kNkLegacy };

constexpr uint64_t kMaxModelBytes = uint64_t{1} << 30;

struct ImportOptions {
  // TFLite gives every open dimension a nominal size (a batch is 1). false: take it. true: -1.
  bool keep_open_dims = false;
  // ONNX keeps large tensors in files beside the model. false: a model that does is refused.
  bool read_external_files = true;
  uint64_t max_external_bytes = kMaxModelBytes;  // in all
};

// The whole file. Errors: not found, a folder, not readable, empty, above max_bytes.
Result<Bytes> read_model_file(const std::string& path, uint64_t max_bytes = kMaxModelBytes);

// By content alone; kUnknown where no format fits. kOnnx has no magic number: it is a guess.
ModelFormat sniff_format(std::span<const std::byte> bytes);

// Reads a .tflite, .onnx or older .nk file. `file_name` names the model in messages, and its folder
// is where external data may lie. A .nk of version 5 is refused: the runtime's reader takes it.
// Guarantees on success: tensor indices are in range; every tensor has at most one producer; what a
// node reads is an input, a constant, a variable, a captured tensor, or made by an earlier node
// (but for custom operators of TFLite, which may read what nothing makes);
// constants hold exactly byte_count(dtype, dims) bytes (strings: the layout of TFLite's string
// buffers; element types that netkit lacks: the file's bytes); scales are finite and >= 0.
// Limits: memory is linear in bytes.size(); sparse constants are made dense, at
// most 16 times the file's size.
Result<ForeignGraph> import_model(std::span<const std::byte> bytes, std::string file_name,
                                  const ImportOptions& options = {});

// Stable text for --dump import and tests.
std::string to_text(const ForeignGraph& graph);

}  // namespace netkit
