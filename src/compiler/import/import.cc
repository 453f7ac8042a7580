// SPDX-License-Identifier: MIT
// Which importer a file belongs to, and what the files are that people pass by mistake.
#include "compiler/import/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <string_view>

#include "base/sha256.h"
#include "compiler/import/common.h"

namespace netkit {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct Magic {
  size_t offset;
  std::string_view bytes;
  ModelFormat format;
  std::string_view what;  // where netkit does not read it
  std::string_view hint;
};

using std::string_view_literals::operator""sv;
constexpr Magic kMagics[] = {
    {4, "TFL3", ModelFormat::kTflite, {}, {}},
    {0, "NKIT", ModelFormat::kNk, {}, {}},
    {4, "ORTM", ModelFormat::kUnknown, "an ONNX Runtime .ort file",
     "pass the .onnx file that it was made from"},
    {0, "PK\x03\x04", ModelFormat::kUnknown, "a zip archive (PyTorch, Keras or numpy)",
     "export the model to .onnx or .tflite"},
    {0, "\x89HDF", ModelFormat::kUnknown, "an HDF5 file (Keras)",
     "convert the model to .tflite or .onnx"},
    {0, "\x80\x02", ModelFormat::kUnknown, "a Python pickle (PyTorch)",
     "export the model to .onnx"},
    {0, "\x1f\x8b", ModelFormat::kUnknown, "a gzip archive", "unpack it"},
    {0, "\x7f""ELF", ModelFormat::kUnknown, "an ELF program", "pass the model file"},
    {0, "\x93NUMPY", ModelFormat::kUnknown, "a numpy array", "pass the model file"},
    {0, "GGUF", ModelFormat::kUnknown, "a GGUF model", "export the model to .onnx or .tflite"},
    {0, "version https://git-lfs", ModelFormat::kUnknown, "a Git LFS pointer",
     "fetch the file itself: git lfs pull"},
    {0, "{\"format\":\"netkit-plan/", ModelFormat::kUnknown, "a finished plan",
     "netkit plan shows it; give the model that it was made from"},
    {0, "{", ModelFormat::kUnknown, "JSON text",
     "netkit plan takes JSON, graphs and plans; give a model"},
    {0, "<", ModelFormat::kUnknown, "a page or XML text", "download the model file itself"},
};

const Magic* magic_of(std::span<const std::byte> bytes) {
  const std::string_view text = text_of(bytes);
  const auto fits = [text](const Magic& m) {
    return text.size() >= m.offset && text.substr(m.offset).starts_with(m.bytes);
  };
  const auto it = std::ranges::find_if(kMagics, fits);
  return it == std::end(kMagics) ? nullptr : it;
}

// The start of a protobuf message: a field number that ModelProto has, with its wire type.
bool may_be_onnx(std::span<const std::byte> bytes) {
  constexpr std::string_view kFirstBytes = "\x08\x12\x1a\x22\x28\x32\x3a\x42\x72\xa2\xca\xd2"sv;
  return !bytes.empty() && kFirstBytes.find(text_of(bytes)[0]) != std::string_view::npos;
}

// The version behind the magic number of a .nk file.
bool is_nk_legacy(std::span<const std::byte> bytes) {
  constexpr size_t kVersionAt = 4;
  uint32_t version = 0;
  if (bytes.size() < kVersionAt + sizeof version) return false;
  std::memcpy(&version, bytes.data() + kVersionAt, sizeof version);
  return version == 3 || version == 4;
}

bool has_suffix(std::string_view name, std::string_view suffix) {
  return name.size() >= suffix.size() &&
         std::ranges::equal(name.substr(name.size() - suffix.size()), suffix, [](char a, char b) {
           return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b;
         });
}

Result<ForeignGraph> dispatch(std::span<const std::byte> bytes, const std::string& file_name,
                              const ImportOptions& options) {
  if (bytes.empty()) return bad_input("the file is empty");
  switch (sniff_format(bytes)) {
    case ModelFormat::kTflite: return import_tflite(bytes, options);
    case ModelFormat::kNkLegacy: return import_nk_legacy(bytes);
    case ModelFormat::kNk:
      return bad_input("a .nk file is compiled already: there is nothing to import", {},
                       "give the model it was made from");
    case ModelFormat::kOnnx: {
      auto graph =
          import_onnx(bytes, std::filesystem::path(file_name).parent_path().string(), options);
      // A guess by the first byte, which a broken .tflite may have too: its name then decides.
      if (graph || !has_suffix(file_name, ".tflite")) return graph;
      break;
    }
    case ModelFormat::kUnknown: break;
  }
  if (const Magic* magic = magic_of(bytes); magic != nullptr && !magic->what.empty()) {
    return bad_input(fmt::format("not a .tflite, .onnx or .nk model but {}", magic->what), {},
                     std::string(magic->hint));
  }
  if (has_suffix(file_name, ".tflite")) return import_tflite(bytes, options);
  return bad_input("not a model: neither the TFLite, the ONNX nor the .nk format fits", {},
                   "give a .tflite, .onnx or .nk file; if it is one, export or copy it again");
}

}  // namespace

ModelFormat sniff_format(std::span<const std::byte> bytes) {
  if (const Magic* magic = magic_of(bytes)) {
    return magic->format == ModelFormat::kNk && is_nk_legacy(bytes) ? ModelFormat::kNkLegacy
                                                                    : magic->format;
  }
  return may_be_onnx(bytes) ? ModelFormat::kOnnx : ModelFormat::kUnknown;
}

Result<ForeignGraph> import_model(std::span<const std::byte> bytes, std::string file_name,
                                  const ImportOptions& options) {
  auto graph = dispatch(bytes, file_name, options);
  if (!graph) return std::unexpected(inside(file_name, std::move(graph.error())));
  graph->file = std::move(file_name);
  graph->sha256 = sha256_hex(bytes);
  return graph;
}

}  // namespace netkit
