// SPDX-License-Identifier: MIT
// A TFLite tensor: type, shape, quantisation and constant, each checked against the others.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>
#include <limits>

#include "compiler/import/tflite/tflite.h"
#include "compiler/import/tflite/vectors.h"
#include "tflite_generated.h"

namespace netkit::tflite {
namespace {

// By the value of TensorType.
constexpr ForeignDType kDTypes[] = {
    {NK_FLOAT32, "float32"},
    {NK_FLOAT16, "float16"},
    {NK_INT32, "int32"},
    {NK_UINT8, "uint8"},
    {NK_INT64, "int64"},
    {NK_STRING, "string"},
    {NK_BOOL, "bool"},
    {NK_INT16, "int16"},
    {NK_DTYPE_NONE, "complex64"},
    {NK_INT8, "int8"},
    {NK_FLOAT64, "float64"},
    {NK_DTYPE_NONE, "complex128"},
    {NK_UINT64, "uint64"},
    {NK_DTYPE_NONE, "resource"},
    {NK_DTYPE_NONE, "variant"},
    {NK_UINT32, "uint32"},
    {NK_UINT16, "uint16"},
    {NK_INT4, "int4"},
    {NK_DTYPE_NONE, "bfloat16"},
    {NK_DTYPE_NONE, "int2"},
    {NK_DTYPE_NONE, "uint4"},
    {NK_DTYPE_NONE, "float8_e4m3fn"},
    {NK_DTYPE_NONE, "float8_e5m2"},
};

constexpr uint32_t kMaxRank = 16;
constexpr size_t kMaxNameBytes = 4096;

class TensorReader {
 public:
  TensorReader(const fbs::Tensor& tensor, size_t index, BufferPool& buffers,
               const ImportOptions& options)
      : in_(tensor), buffers_(buffers), options_(options) {
    if (in_.name() == nullptr || in_.name()->size() == 0) {
      out_.name = fmt::format("tensor_{}", index);
    } else {
      out_.name = in_.name()->str().substr(0, kMaxNameBytes);
    }
  }

  Result<ForeignTensor> run() {
    NK_TRY(buffers_.budget().spend(out_.name.size()));
    NK_TRY(dtype());
    NK_TRY(shape());
    NK_TRY(quantisation());
    NK_TRY(constant());
    out_.is_variable = in_.is_variable();
    out_.has_shape = !out_.type.dims.empty() || in_.has_rank() || out_.data || out_.is_variable;
    return std::move(out_);
  }

  std::string where() const { return "tensor " + shown(out_.name); }

 private:
  Result<void> dtype() {
    const auto value = static_cast<int>(in_.type());
    if (value < 0 || value >= static_cast<int>(std::size(kDTypes))) {
      return bad_input(fmt::format("unknown element type {}", value));
    }
    const ForeignDType& row = kDTypes[value];
    out_.type.dtype = row.dtype;
    if (row.dtype == NK_DTYPE_NONE) out_.dtype_name = row.name;
    return {};
  }

  // -1 in `shape` itself leaves a dimension open without a nominal size.
  Result<void> shape() {
    Dims& dims = out_.type.dims;
    if (in_.shape() != nullptr) {
      if (in_.shape()->size() > kMaxRank) {
        return bad_input(fmt::format("shape with {} dimensions", in_.shape()->size()));
      }
      const std::vector<int32_t> shape = copied(in_.shape());
      dims.assign(shape.begin(), shape.end());
    }
    const std::vector<int32_t> signature = copied(in_.shape_signature());
    const bool is_signed = signature.size() == dims.size();
    bool has_nominal = true;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (dims[i] < -1) {
        return bad_input(fmt::format("shape with the negative dimension {}", dims[i]));
      }
      has_nominal = has_nominal && dims[i] >= 0;
      if (dims[i] >= 0 && !(is_signed && signature[i] == -1)) continue;
      out_.dim_names.resize(dims.size());
      out_.dim_names[i] = "?";
    }
    if (has_nominal && has_fixed_size()) {
      NK_ASSIGN(bytes_, byte_count(out_.type.dtype, dims));
    }
    for (size_t i = 0; options_.keep_open_dims && i < out_.dim_names.size(); ++i) {
      if (!out_.dim_names[i].empty()) dims[i] = -1;
    }
    is_open_ = std::ranges::find(dims, -1) != dims.end();
    return {};
  }

  Result<void> quantisation() {
    const fbs::QuantizationParameters* q = in_.quantization();
    if (q == nullptr) return {};
    if (q->details_type() != fbs::QuantizationDetails::NONE) {
      return bad_input("custom, block-wise or multi-axis quantisation is not supported", {},
                       "export the model with one scale per tensor or per channel");
    }
    if (q->scale() == nullptr || q->scale()->size() == 0) return {};
    Quant& quant = out_.type.quant;
    const uint32_t count = q->scale()->size();
    const uint32_t zero_points = q->zero_point() == nullptr ? 0 : q->zero_point()->size();
    if (zero_points != 0 && zero_points != count) {
      return bad_input(fmt::format("{} scales but {} zero points", count, zero_points));
    }
    NK_TRY(buffers_.budget().spend(uint64_t{count} * (sizeof(float) + sizeof(int64_t))));
    quant.scale = copied(q->scale());
    quant.zero_point.assign(count, 0);
    if (zero_points != 0) quant.zero_point = copied(q->zero_point());
    quant.axis = q->quantized_dimension();
    return check_quantisation(quant);
  }

  Result<void> check_quantisation(Quant& quant) const {
    for (const float scale : quant.scale) {
      if (!std::isfinite(scale) || scale < 0) return bad_input(fmt::format("scale {}", scale));
    }
    for (const int64_t zero_point : quant.zero_point) {
      if (zero_point < std::numeric_limits<int32_t>::min() ||
          zero_point > std::numeric_limits<int32_t>::max()) {
        return bad_input(fmt::format("zero point {} is out of range", zero_point));
      }
    }
    if (quant.scale.size() == 1) {
      quant.axis = 0;
      return {};
    }
    const Dims& dims = out_.type.dims;
    const auto count = static_cast<int64_t>(quant.scale.size());
    // A vector has one axis only; some converters number it as in the weights it belongs to.
    if (dims.size() == 1) quant.axis = 0;
    const auto axis = static_cast<size_t>(quant.axis);
    if (quant.axis < 0 || axis >= dims.size() || (dims[axis] != count && dims[axis] != -1)) {
      return bad_input(
          fmt::format("{} scales along axis {} of shape {}", count, quant.axis, dims_text(dims)));
    }
    return {};
  }

  Result<void> constant() {
    if (in_.external_buffer() != 0) {
      return bad_input("the data stand in a file beside the model, which is not supported");
    }
    NK_ASSIGN(const auto found, buffers_.find(in_.buffer()));
    if (in_.sparsity() != nullptr) return sparse_constant(found);
    if (!found) return {};
    if (is_open_) return bad_input("a constant whose shape is open");
    if (out_.type.dtype == NK_STRING) NK_TRY(check_strings(*found));
    if (has_fixed_size() && static_cast<uint64_t>(bytes_) != found->size()) {
      return bad_input(fmt::format("buffer {} holds {} bytes, but {}[{}] needs {}", in_.buffer(),
                                   found->size(), name_of(out_.type.dtype),
                                   dims_text(out_.type.dims), bytes_));
    }
    out_.data = buffers_.shared(in_.buffer(), *found);
    if (out_.type.dtype != NK_BOOL) return {};
    NK_TRY(buffers_.budget().spend(static_cast<uint64_t>(bytes_)));
    Bytes bools(*out_.data);
    normalise_bools(bools);
    out_.data = std::make_shared<const Bytes>(std::move(bools));
    return {};
  }

  bool has_fixed_size() const { return bits_of(out_.type.dtype) != 0; }

  Result<void> sparse_constant(const std::optional<std::span<const std::byte>>& values) {
    if (!values) return bad_input("a sparse tensor without data");
    if (bits_of(out_.type.dtype) % 8 != 0 || !has_fixed_size() || is_open_) {
      return bad_input("a sparse tensor of this type is not supported");
    }
    NK_TRY(buffers_.budget().spend(static_cast<uint64_t>(bytes_)));
    NK_ASSIGN(Bytes dense, densify(*in_.sparsity(), out_.type, *values));
    out_.data = std::make_shared<const Bytes>(std::move(dense));
    return {};
  }

  // int32 count, count + 1 rising offsets, the last of which ends the buffer.
  static Result<void> check_strings(std::span<const std::byte> bytes) {
    const auto word = [&](size_t i) {
      uint32_t value;
      std::memcpy(&value, bytes.data() + 4 * i, 4);
      return value;
    };
    const uint64_t words = bytes.size() / 4;
    bool good = words >= 2 && word(0) <= words - 2;
    uint64_t least = good ? 4 * (uint64_t{word(0)} + 2) : 0;
    for (size_t i = 0; good && i <= word(0); ++i) {
      good = word(i + 1) >= least && word(i + 1) <= bytes.size();
      least = word(i + 1);
    }
    if (!good) return bad_input("the string buffer is malformed");
    return {};
  }

  const fbs::Tensor& in_;
  BufferPool& buffers_;
  const ImportOptions& options_;
  ForeignTensor out_;
  int64_t bytes_ = 0;  // of the nominal shape; 0 where the type has no fixed size
  bool is_open_ = false;
};

}  // namespace

BufferPool::BufferPool(std::span<const std::byte> file, const fbs::Model& model)
    : file_(file),
      budget_(file.size()),
      model_(model),
      copies_(model.buffers() == nullptr ? 0 : model.buffers()->size()) {}

Result<std::optional<std::span<const std::byte>>> BufferPool::find(uint32_t index) const {
  using Found = std::optional<std::span<const std::byte>>;
  if (index >= copies_.size()) {
    if (index == 0) return Found();
    return bad_input(fmt::format("there is no buffer {}: the file has {}", index, copies_.size()));
  }
  const fbs::Buffer& buffer = *model_.buffers()->Get(index);
  if (buffer.data() != nullptr && buffer.data()->size() != 0) {
    return Found(std::as_bytes(std::span(buffer.data()->data(), buffer.data()->size())));
  }
  // Offsets 0 and 1 are what writers put before they know the place.
  if (buffer.offset() <= 1 || buffer.size() == 0) return Found();
  NK_ASSIGN(const auto bytes, range(buffer.offset(), buffer.size()));
  return Found(bytes);
}

Result<std::span<const std::byte>> BufferPool::range(uint64_t offset, uint64_t size) const {
  if (offset > file_.size() || size > file_.size() - offset) {
    return bad_input(fmt::format("buffer data stand outside the file: {} bytes at {} of {}", size,
                                 offset, file_.size()));
  }
  return file_.subspan(offset, size);
}

ConstData BufferPool::shared(uint32_t index, std::span<const std::byte> bytes) {
  ConstData& copy = copies_[index];
  if (!copy) copy = std::make_shared<const Bytes>(bytes.begin(), bytes.end());
  return copy;
}

Result<ForeignTensor> read_tensor(const fbs::Tensor& tensor, size_t index, BufferPool& buffers,
                                  const ImportOptions& options) {
  TensorReader reader(tensor, index, buffers, options);
  const std::string where = reader.where();
  auto result = reader.run();
  if (!result) return std::unexpected(inside(where, std::move(result.error())));
  return result;
}

}  // namespace netkit::tflite
