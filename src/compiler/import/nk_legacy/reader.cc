// SPDX-License-Identifier: MIT
// The bytes of an older .nk file → LegacyFile: every count, size and word is checked here.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "compiler/import/nk_legacy/legacy.h"

namespace netkit::nk_legacy {
namespace {

static_assert(std::endian::native == std::endian::little, "words are read as they stand");

constexpr uint32_t kMaxLayers = 100, kMaxTensors = 128, kMaxCases = 16;
constexpr uint8_t kKindMlp = 1, kKindCnn = 2;
constexpr uint16_t kHasTests = 1, kHasQuant = 2, kInt8Inputs = 4;
constexpr uint16_t kPerChannel = 1;

// A field of a layer's body, in file order: 'u' a word, 'b' a byte, 'h' a half word, 'f' a float,
// '0' a byte and '4' a word that hold nothing.
struct KindRow {
  Kind kind;
  std::string_view name, fields;
};
constexpr KindRow kKinds[] = {
    {Kind::kDense, "dense", "ub000f"},
    {Kind::kConv2d, "conv2d", "uuubbbbf"},
    {Kind::kMaxPool, "max pool", "uubbh"},
    {Kind::kFlatten, "flatten", ""},
    {Kind::kAvgPool, "average pool", "uubbh"},
    {Kind::kBatchNorm, "batch norm", "u4"},
    {Kind::kDepthwise, "depthwise conv2d", "uuubbbbf"},
    {Kind::kConvNext, "ConvNeXt V2 block", "u4f"},
    {Kind::kUib, "UIB", "uubbbbf4"},
    {Kind::kResNet, "ResNet basic block", "uub000"},
    {Kind::kLayerNorm, "layer norm", "uf4"},
    {Kind::kYoloxHead, "YOLOX head", "uuub000"},
    {Kind::kFeatureTap, "feature tap", "ub000"},
    {Kind::kPafpn, "YOLOX PAFPN", "uuuuub000"},
};

template <typename T>
std::span<std::byte> raw(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  Result<LegacyFile> run() {
    NK_TRY(header());
    for (uint32_t i = 0; i < layer_count_; ++i) NK_TRY(layer(i));
    NK_TRY(catalogue(file_.weights, weight_count_, weight_bytes_, "weight"));
    NK_TRY(catalogue(file_.biases, bias_count_, bias_bytes_, "bias"));
    if ((flags_ & kHasQuant) != 0) NK_TRY(quants());
    while (at_ % 4 != 0) {
      NK_ASSIGN(const auto zero, get<uint8_t>());
      if (zero != 0) return wrong("padding before the weights is not 0");
    }
    NK_TRY(payload(file_.weights));
    NK_TRY(payload(file_.biases));
    if ((flags_ & kHasTests) != 0) NK_TRY(cases());
    if (at_ != bytes_.size()) {
      return wrong(fmt::format("{} bytes follow the last section", bytes_.size() - at_));
    }
    return std::move(file_);
  }

 private:
  std::unexpected<Error> wrong(std::string message) const {
    return bad_input(std::move(message), fmt::format("byte {}", at_),
                     "copy or export the file again");
  }

  Result<std::span<const std::byte>> take(uint64_t count) {
    if (count > bytes_.size() - at_) {
      return wrong(fmt::format("cut short: {} more bytes are needed, {} follow", count,
                               bytes_.size() - at_));
    }
    const auto out = bytes_.subspan(at_, static_cast<size_t>(count));
    at_ += static_cast<size_t>(count);
    return out;
  }

  template <typename T>
  Result<T> get() {
    static_assert(std::is_trivially_copyable_v<T>);
    NK_ASSIGN(const auto bytes, take(sizeof(T)));
    T value;
    std::memcpy(&value, bytes.data(), sizeof value);
    return value;
  }

  Result<void> magic(std::string_view word) {
    NK_ASSIGN(const auto found, take(word.size()));
    if (std::memcmp(found.data(), word.data(), word.size()) == 0) return {};
    at_ -= word.size();
    return wrong(fmt::format("'{}' is expected here", word));
  }

  Result<void> header() {
    NK_TRY(magic("NKIT"));
    NK_ASSIGN(file_.version, get<uint32_t>());
    NK_ASSIGN(const auto kind, get<uint8_t>());
    NK_ASSIGN(const auto rank, get<uint8_t>());
    NK_ASSIGN(flags_, get<uint16_t>());
    std::array<uint32_t, 4> dims{};
    for (uint32_t& dim : dims) {
      NK_ASSIGN(dim, get<uint32_t>());
    }
    for (uint32_t* word :
         {&layer_count_, &weight_count_, &bias_count_, &weight_bytes_, &bias_bytes_}) {
      NK_ASSIGN(*word, get<uint32_t>());
    }
    if (kind != kKindMlp && kind != kKindCnn) return wrong(fmt::format("network kind {}", kind));
    file_.is_mlp = kind == kKindMlp;
    return check_header(rank, dims);
  }

  Result<void> check_header(uint8_t rank, const std::array<uint32_t, 4>& dims) {
    if (rank != (file_.is_mlp ? 2 : 3)) {
      return wrong(fmt::format("input rank {}, {} is expected", rank,
                               file_.is_mlp ? "2 (batch, features)" : "3 (h, w, c)"));
    }
    file_.input.assign(dims.begin(), dims.begin() + rank);
    if (std::ranges::any_of(file_.input, [](int64_t d) { return d == 0; })) {
      return wrong(fmt::format("input shape {}", dims_text(file_.input)));
    }
    if (const auto size = byte_count(NK_FLOAT32, file_.input); !size) {
      return wrong(size.error().message);
    }
    if ((flags_ & ~(kHasTests | kHasQuant | kInt8Inputs)) != 0) {
      return wrong(fmt::format("unknown flags {:#x}", flags_));
    }
    if (((flags_ & kHasQuant) != 0) != file_.is_int8()) {
      return wrong(fmt::format("version {} {} quantisation", file_.version,
                               file_.is_int8() ? "without" : "with"));
    }
    if (layer_count_ == 0 || layer_count_ > kMaxLayers) {
      return wrong(fmt::format("{} layers, 1 to {} are possible", layer_count_, kMaxLayers));
    }
    if (weight_count_ > kMaxTensors || bias_count_ != weight_count_) {
      return wrong(
          fmt::format("{} weight and {} bias tensors, as many of each and at most {} are "
                      "possible",
                      weight_count_, bias_count_, kMaxTensors));
    }
    return {};
  }

  Result<void> layer(uint32_t index) {
    NK_ASSIGN(const auto kind, get<uint8_t>());
    NK_TRY(take(3));
    const auto row = std::ranges::find(kKinds, static_cast<Kind>(kind), &KindRow::kind);
    if (row == std::end(kKinds)) {
      return bad_input(fmt::format("unknown layer kind {}", kind), fmt::format("layer {}", index),
                       "kinds 1 to 14 are known; export the model to .onnx or .tflite");
    }
    Layer out;
    out.kind = row->kind;
    size_t words = 0, bytes = 0;
    for (const char field : row->fields) {
      const auto into = field == 'u'   ? raw(out.u[words++])
                        : field == 'b' ? raw(out.b[bytes++])
                        : field == 'h' ? raw(out.half)
                        : field == 'f' ? raw(out.f)
                                       : std::span<std::byte>();
      NK_ASSIGN(const auto from, take(field == '0' ? 1 : field == '4' ? 4 : into.size()));
      std::ranges::copy(from.first(into.size()), into.begin());
    }
    if (std::string wrong = bad_parameter(out); !wrong.empty()) {
      return bad_input(std::move(wrong), fmt::format("layer {} ({})", index, row->name));
    }
    file_.layers.push_back(out);
    return {};
  }

  Result<void> catalogue(std::vector<Stored>& list, uint32_t count, uint32_t stated,
                         std::string_view what) {
    uint64_t total = 0;
    for (uint32_t i = 0; i < count; ++i) {
      NK_ASSIGN(const auto rank, get<uint8_t>());
      NK_ASSIGN(const auto dtype, get<uint8_t>());
      NK_TRY(take(2));
      Stored tensor;
      for (int d = 0; d < 4; ++d) {
        NK_ASSIGN(const auto dim, get<uint32_t>());
        if (d < rank) tensor.dims.push_back(dim);
      }
      NK_ASSIGN(const auto elems, get<uint32_t>());
      tensor.dtype = dtype == 1   ? NK_FLOAT32
                     : dtype == 2 ? NK_INT8
                     : dtype == 3 ? NK_INT32
                                  : NK_DTYPE_NONE;
      const std::string name = fmt::format("{} tensor {}", what, i);
      if (tensor.dtype == NK_DTYPE_NONE) return wrong(fmt::format("{}: dtype {}", name, dtype));
      const auto made = element_count(tensor.dims);
      if (rank < 1 || rank > 4 || !made || *made != elems) {
        return wrong(fmt::format("{}: {} elements in shape {} of rank {}", name, elems,
                                 dims_text(tensor.dims), rank));
      }
      total += uint64_t{elems} * (tensor.dtype == NK_INT8 ? 1 : 4);
      list.push_back(std::move(tensor));
    }
    if (total == stated) return {};
    return wrong(
        fmt::format("the {} tensors take {} bytes, the header says {}", what, total, stated));
  }

  Result<void> payload(std::vector<Stored>& list) {
    for (Stored& tensor : list) {
      NK_ASSIGN(const int64_t bytes, byte_count(tensor.dtype, tensor.dims));
      NK_ASSIGN(tensor.bytes, take(static_cast<uint64_t>(bytes)));
    }
    return {};
  }

  Result<float> scale() {
    NK_ASSIGN(const auto value, get<float>());
    if (!(value > 0.0f) || !std::isfinite(value)) return wrong(fmt::format("scale {}", value));
    return value;
  }

  Result<int32_t> zero_point() {
    NK_ASSIGN(const auto value, get<int32_t>());
    if (value < -128 || value > 127) return wrong(fmt::format("zero point {} of int8", value));
    return value;
  }

  Result<void> quants() {
    NK_TRY(magic("QUAN"));
    NK_ASSIGN(const auto count, get<uint16_t>());
    NK_ASSIGN(const auto flags, get<uint16_t>());
    if (count > kMaxTensors || (flags & ~kPerChannel) != 0) {
      return wrong(fmt::format("{} quantisation entries with flags {:#x}", count, flags));
    }
    for (uint16_t i = 0; i < count; ++i) {
      QuantEntry entry;
      NK_ASSIGN(entry.in_scale, scale());
      NK_ASSIGN(entry.in_zero, zero_point());
      NK_ASSIGN(const float weight_scale, scale());
      NK_ASSIGN(const auto weight_zero, zero_point());
      NK_TRY(take(8));  // the bias: always in_scale * weight scale, 0
      NK_ASSIGN(entry.out_scale, scale());
      NK_ASSIGN(entry.out_zero, zero_point());
      if (weight_zero != 0) return wrong("weights with a zero point");
      entry.weight_scales = {weight_scale};
      file_.quants.push_back(std::move(entry));
    }
    return (flags & kPerChannel) != 0 ? channel_scales() : Result<void>{};
  }

  Result<void> channel_scales() {
    for (QuantEntry& entry : file_.quants) {
      NK_ASSIGN(const auto channels, get<uint32_t>());
      if (channels > (bytes_.size() - at_) / sizeof(float)) {
        return wrong(fmt::format("cut short: {} channel scales do not follow", channels));
      }
      if (channels != 0) entry.weight_scales.clear();
      for (uint32_t c = 0; c < channels; ++c) {
        NK_ASSIGN(const float value, scale());
        entry.weight_scales.push_back(value);
      }
    }
    return {};
  }

  Result<void> cases() {
    NK_TRY(magic("TCAS"));
    NK_ASSIGN(const auto count, get<uint32_t>());
    NK_ASSIGN(file_.cases.tolerance, get<float>());
    if (count > kMaxCases || !std::isfinite(file_.cases.tolerance) ||
        file_.cases.tolerance < 0.0f) {
      return wrong(fmt::format("{} test cases of tolerance {}, at most {} are possible", count,
                               file_.cases.tolerance, kMaxCases));
    }
    for (uint32_t i = 0; i < count; ++i) NK_TRY(one_case());
    return {};
  }

  Result<void> one_case() {
    const size_t start = at_;
    LegacyCase out;
    NK_ASSIGN(const auto length, get<uint8_t>());
    NK_ASSIGN(const auto name, take(length));
    out.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
    NK_TRY(take((4 - (at_ - start) % 4) % 4));
    NK_ASSIGN(out.label, get<int32_t>());
    NK_ASSIGN(const auto inputs, get<uint32_t>());
    const bool int8 = (flags_ & kInt8Inputs) != 0;
    if (int8 != file_.is_int8()) {
      return wrong(int8 ? "int8 test inputs of a float model" : "float test inputs of an int8 one");
    }
    NK_ASSIGN(const auto values, take(uint64_t{inputs} * (int8 ? 1 : sizeof(float))));
    out.input.assign(values.begin(), values.end());
    NK_ASSIGN(const auto outputs, get<uint32_t>());
    NK_ASSIGN(const auto expected, take(uint64_t{outputs} * sizeof(float)));
    out.expected.resize(outputs);
    if (outputs != 0) std::memcpy(out.expected.data(), expected.data(), expected.size());
    if (!std::ranges::all_of(out.expected, [](float v) { return std::isfinite(v); })) {
      return wrong("an expected output is not finite");
    }
    file_.cases.list.push_back(std::move(out));
    return {};
  }

  std::span<const std::byte> bytes_;
  size_t at_ = 0;
  uint16_t flags_ = 0;
  uint32_t layer_count_ = 0, weight_count_ = 0, bias_count_ = 0, weight_bytes_ = 0, bias_bytes_ = 0;
  LegacyFile file_;
};

}  // namespace

std::string_view name_of(Kind kind) {
  return std::ranges::find(kKinds, kind, &KindRow::kind)->name;
}

std::string bad_parameter(const Layer& layer) {
  const bool eps = layer.kind == Kind::kLayerNorm || layer.kind == Kind::kConvNext;
  const std::string_view name = eps                        ? "eps"
                                : layer.kind == Kind::kUib ? "expand_ratio"
                                                           : "leaky_alpha";
  if (!std::isfinite(layer.f)) {
    return fmt::format("{} {}: a parameter is not finite; give a number", name, layer.f);
  }
  return eps && layer.f < 0.0f
             ? fmt::format("eps {}: below 0; give 0 or a small number above", layer.f)
             : "";
}

Result<LegacyFile> read_legacy(std::span<const std::byte> bytes) {
  return Reader(bytes).run();
}

}  // namespace netkit::nk_legacy

namespace netkit {

Result<LegacyCases> legacy_cases(std::span<const std::byte> bytes) {
  NK_ASSIGN(nk_legacy::LegacyFile file, nk_legacy::read_legacy(bytes));
  return std::move(file.cases);
}

}  // namespace netkit
