// SPDX-License-Identifier: MIT
#include "compiler/driver/quant/samples.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <iterator>

#include "compiler/driver/io/npy.h"
#include "compiler/driver/io/read_text.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/quant/pictures.h"
#include "compiler/import/import.h"
#include "compiler/ir/files/files_read.h"

namespace netkit::driver {
namespace {

constexpr size_t kMaxSamplesBytes = size_t{4} << 30;

using Values = std::vector<float>;

// The samples of one input, in order.
class InputSamples {
 public:
  InputSamples(const Tensor& tensor, const PixelRange& pixels) : tensor_(tensor), pixels_(pixels) {
    count_ = static_cast<size_t>(element_count(tensor.type.dims).value_or(0));
  }

  Result<void> add_file(const std::string& path) {
    NK_ASSIGN(const Bytes file, read_model_file(path));
    const std::string ending = lower_ending(path);
    if (ending == ".npy") return add_npy(file, path);
    if (ending == ".csv") return add_csv(path);
    if (is_picture(file)) {
      NK_ASSIGN(const Picture picture, parse_picture(file, path));
      return add_picture(picture, path);
    }
    if (is_idx(file, path)) {
      NK_ASSIGN(const Idx idx, parse_idx(file, path));
      return add_bytes(idx.bytes, path);
    }
    if (file.size() % sizeof(float) != 0) {
      return bad_input("raw samples are float32, of 4 bytes each", path, std::string(kHint));
    }
    Values values(file.size() / sizeof(float));
    std::memcpy(values.data(), file.data(), file.size());
    return add(values, path);
  }

  std::vector<ConstData>& samples() { return samples_; }

 private:
  static constexpr std::string_view kHint =
      "give .npy, .csv, IDX, .pgm, .ppm or raw float32 of the input's shape";

  static std::string lower_ending(const std::string& path) {
    std::string ending = std::filesystem::path(path).extension().string();
    std::ranges::transform(ending, ending.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return ending;
  }

  // One or more samples, one after the other.
  Result<void> add(const Values& values, const std::string& where) {
    if (count_ == 0 || values.empty() || values.size() % count_ != 0) {
      return bad_input(fmt::format("holds {} values, a sample of input '{}' has {}", values.size(),
                                   tensor_.name, count_),
                       where, std::string(kHint));
    }
    for (size_t at = 0; at < values.size(); at += count_) {
      Bytes bytes(count_ * sizeof(float));
      std::memcpy(bytes.data(), values.data() + at, bytes.size());
      bytes_ += bytes.size();
      samples_.push_back(std::make_shared<const Bytes>(std::move(bytes)));
    }
    if (bytes_ <= kMaxSamplesBytes) return {};
    return bad_input("all samples together take more than 4 GiB", where, "give fewer samples");
  }

  Result<void> add_npy(const Bytes& file, const std::string& path) {
    NK_ASSIGN(const NpyArray array, parse_npy(file, path));
    NK_ASSIGN(const int64_t count, element_count(array.type.dims));
    Values values(static_cast<size_t>(count));
    for (size_t i = 0; i < values.size(); ++i) {
      values[i] = static_cast<float>(element(array.data, array.type.dtype, i));
    }
    return add(values, path);
  }

  Result<void> add_csv(const std::string& path) {
    NK_ASSIGN(const std::string text, read_text(path));
    Bytes bytes;
    const TensorType real{NK_FLOAT32, {}, {}};
    size_t line = 1;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find_first_of(",;\n", at), text.size());
      std::string token = text.substr(at, end - at);
      std::erase_if(token, [](unsigned char c) { return std::isspace(c) != 0; });
      if (!token.empty()) {
        NK_TRY(append_text(bytes, token, real, true, fmt::format("{}:{}", path, line)));
      }
      if (end < text.size() && text[end] == '\n') ++line;
      at = end + 1;
    }
    Values values(bytes.size() / sizeof(float));
    if (!bytes.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return add(values, path);
  }

  float pixel(std::byte value) const {
    const double share = static_cast<double>(static_cast<uint8_t>(value)) / 255.0;
    return static_cast<float>(pixels_.lo + share * (pixels_.hi - pixels_.lo));
  }

  Result<void> add_bytes(const Bytes& bytes, const std::string& path) {
    Values values(bytes.size());
    std::ranges::transform(bytes, values.begin(), [&](std::byte b) { return pixel(b); });
    return add(values, path);
  }

  // Rows of pixels into the input's layout: [1, h, w, c] or [1, c, h, w].
  Result<void> add_picture(const Picture& picture, const std::string& path) {
    const Dims& dims = tensor_.type.dims;
    const Dims hwc{1, picture.height, picture.width, picture.channels};
    const Dims chw{1, picture.channels, picture.height, picture.width};
    if (dims == hwc || dims == Dims{1, picture.height, picture.width}) {
      return add_bytes(picture.bytes, path);
    }
    if (dims != chw) {
      return bad_input(
          fmt::format("the picture is {}x{} with {} channels, input '{}' is {}", picture.height,
                      picture.width, picture.channels, tensor_.name, dims_text(dims)),
          path, "bring the pictures to the input's size first");
    }
    Bytes planes;
    const auto channels = static_cast<size_t>(picture.channels);
    for (size_t c = 0; c < channels; ++c) {
      for (size_t i = c; i < picture.bytes.size(); i += channels) {
        planes.push_back(picture.bytes[i]);
      }
    }
    return add_bytes(planes, path);
  }

  const Tensor& tensor_;
  const PixelRange& pixels_;
  size_t count_ = 0, bytes_ = 0;
  std::vector<ConstData> samples_;
};

Result<std::vector<std::string>> names_in(const std::string& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with('.')) names.push_back(entry.path().string());
  }
  if (error) return bad_input(error.message(), folder, "give a folder or file that can be read");
  if (names.empty()) return bad_input("the folder is empty", folder, "put sample inputs into it");
  std::ranges::sort(names);
  return names;
}

Result<std::vector<ConstData>> read_one(const std::string& path, const Tensor& tensor,
                                        const PixelRange& pixels) {
  InputSamples samples(tensor, pixels);
  if (!std::filesystem::is_directory(path)) {
    NK_TRY(samples.add_file(path));
    return std::move(samples.samples());
  }
  NK_ASSIGN(const std::vector<std::string> names, names_in(path));
  for (const std::string& name : names) NK_TRY(samples.add_file(name));
  return std::move(samples.samples());
}

// Every k-th of `all` places, so that `limit` of them are taken at most.
std::vector<size_t> spread(size_t all, size_t limit) {
  std::vector<size_t> places;
  const size_t taken = std::min(all, limit);
  for (size_t i = 0; i < taken; ++i) places.push_back(i * all / taken);
  return places;
}

}  // namespace

Result<std::vector<quant::Sample>> read_samples(const std::string& path, const Graph& graph,
                                                const PixelRange& pixels, size_t limit) {
  const size_t inputs = graph.model_inputs();
  std::vector<std::vector<ConstData>> per_input;
  for (size_t i = 0; i < inputs; ++i) {
    const Tensor& tensor = graph.tensor(graph.inputs[i]);
    if (tensor.type.dtype != NK_FLOAT32) {
      return bad_input(fmt::format("input '{}' is {}; float32 inputs can be calibrated",
                                   tensor.name, netkit::name_of(tensor.type.dtype)),
                       path, "a quantised model needs no --int8");
    }
    const std::string place =
        inputs == 1 ? path : (std::filesystem::path(path) / tensor.name).string();
    if (!std::filesystem::exists(place)) {
      return bad_input("no such file or folder", place,
                       inputs == 1 ? "check the name"
                                   : "a network with several inputs needs a folder per input");
    }
    NK_ASSIGN(auto samples, read_one(place, tensor, pixels));
    per_input.push_back(std::move(samples));
  }
  for (size_t i = 1; i < inputs; ++i) {
    if (per_input[i].size() == per_input[0].size()) continue;
    return bad_input(fmt::format("{} samples of input '{}', but {} of '{}'", per_input[i].size(),
                                 graph.tensor(graph.inputs[i]).name, per_input[0].size(),
                                 graph.tensor(graph.inputs[0]).name),
                     path, "give as many of each");
  }
  std::vector<quant::Sample> samples;
  for (const size_t s : spread(inputs == 0 ? 0 : per_input[0].size(), limit)) {
    quant::Sample& sample = samples.emplace_back();
    for (const auto& values : per_input) sample.push_back(values[s]);
  }
  return samples;
}

}  // namespace netkit::driver
