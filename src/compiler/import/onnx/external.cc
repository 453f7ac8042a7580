// SPDX-License-Identifier: MIT
// ONNX external data. A model may not reach outside its own folder: no absolute paths, no "..",
// no symbolic link that leads out, regular files only.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "compiler/import/onnx/onnx.h"
#include "compiler/ir/files/files_read.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

namespace fs = std::filesystem;

struct Place {
  std::string location;
  uint64_t offset = 0;
  std::optional<uint64_t> length;
};

Result<uint64_t> number(const std::string& key, const std::string& text) {
  uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    return bad_input(fmt::format("external data: {} {} is not a number", key, shown(text)));
  }
  return value;
}

Result<Place> place_of(const pb::Tensor& tensor) {
  Place place;
  for (const pb::StringStringEntry& entry : tensor.external_data()) {
    if (entry.key() == "location") place.location = entry.value();
    if (entry.key() == "offset") {
      NK_ASSIGN(place.offset, number("offset", entry.value()));
    }
    if (entry.key() == "length") {
      NK_ASSIGN(place.length, number("length", entry.value()));
    }
  }
  if (place.location.empty()) return bad_input("external data without a location");
  return place;
}

// The file, proven to stand in `folder`.
Result<fs::path> resolve(const std::string& folder, const std::string& location) {
  const fs::path relative(location);
  const bool climbs = std::ranges::find(relative, fs::path("..")) != relative.end();
  if (relative.is_absolute() || climbs || location.find('\0') != std::string::npos) {
    return bad_input(fmt::format("external data location {} leads out of the model's folder",
                                 shown(location)));
  }
  std::error_code error;
  const fs::path base = fs::canonical(folder.empty() ? "." : folder, error);
  if (error) return bad_input("external data: the model's folder cannot be opened");
  const fs::path path = fs::canonical(base / relative, error);
  if (error) {
    return bad_input(fmt::format("external data file {} does not exist", shown(location)), {},
                     "put it beside the model, where the exporter wrote it");
  }
  const auto [at, unused] = std::ranges::mismatch(base, path);
  if (at != base.end()) {
    return bad_input(fmt::format("external data location {} leads out of the model's folder",
                                 shown(location)));
  }
  if (!fs::is_regular_file(path, error)) {
    return bad_input(fmt::format("external data location {} is not a file", shown(location)));
  }
  return path;
}

}  // namespace

Result<Bytes> ExternalFiles::read(const pb::Tensor& tensor, int64_t bytes) {
  if (!allowed_) return bad_input("the data stand in an external file, which may not be read here");
  NK_ASSIGN(const Place place, place_of(tensor));
  NK_ASSIGN(const fs::path path, resolve(folder_, place.location));
  const auto wanted = static_cast<uint64_t>(bytes);
  if (place.length && *place.length != wanted) {
    return bad_input(fmt::format("external data {}: length {} where the tensor needs {} bytes",
                                 shown(place.location), *place.length, wanted));
  }
  std::error_code error;
  const uint64_t size = fs::file_size(path, error);
  if (error || place.offset > size || wanted > size - place.offset) {
    return bad_input(fmt::format("external data {}: {} bytes at {} of a file of {} bytes",
                                 shown(place.location), wanted, place.offset, error ? 0 : size));
  }
  if (wanted > left_bytes_) return bad_input("external data is above the size limit");
  left_bytes_ -= wanted;
  NK_ASSIGN(std::ifstream file, FilesRead::open(path.string()));
  Bytes data(wanted);
  file.seekg(static_cast<std::streamoff>(place.offset));
  file.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(wanted));
  if (!file && wanted != 0) {
    return bad_input(fmt::format("external data file {} cannot be read", shown(place.location)));
  }
  return data;
}

}  // namespace netkit::onnx
