// SPDX-License-Identifier: MIT
// ONNX tensors → constants: raw bytes, the typed fields, external files, sparse tensors.
#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <iterator>
#include <limits>

#include "compiler/import/onnx/onnx.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

static_assert(std::endian::native == std::endian::little, "typed fields are copied as they stand");

// By the value of TensorProto.DataType.
constexpr ForeignDType kDTypes[] = {
    {NK_DTYPE_NONE, "undefined"},
    {NK_FLOAT32, "float32"},
    {NK_UINT8, "uint8"},
    {NK_INT8, "int8"},
    {NK_UINT16, "uint16"},
    {NK_INT16, "int16"},
    {NK_INT32, "int32"},
    {NK_INT64, "int64"},
    {NK_STRING, "string"},
    {NK_BOOL, "bool"},
    {NK_FLOAT16, "float16"},
    {NK_FLOAT64, "float64"},
    {NK_UINT32, "uint32"},
    {NK_UINT64, "uint64"},
    {NK_DTYPE_NONE, "complex64"},
    {NK_DTYPE_NONE, "complex128"},
    {NK_DTYPE_NONE, "bfloat16"},
    {NK_DTYPE_NONE, "float8e4m3fn"},
    {NK_DTYPE_NONE, "float8e4m3fnuz"},
    {NK_DTYPE_NONE, "float8e5m2"},
    {NK_DTYPE_NONE, "float8e5m2fnuz"},
    {NK_DTYPE_NONE, "uint4"},
    {NK_INT4, "int4"},
    {NK_DTYPE_NONE, "float4e2m1"},
    {NK_DTYPE_NONE, "float8e8m0"},
    {NK_DTYPE_NONE, "uint2"},
    {NK_DTYPE_NONE, "int2"},
};
constexpr ForeignDType kUnknown = {NK_DTYPE_NONE, "unknown"};

constexpr int kMaxRank = 16;
constexpr int32_t kExternal = 1;  // data_location

Result<Dims> read_dims(const google::protobuf::RepeatedField<int64_t>& field) {
  if (field.size() > kMaxRank) {
    return bad_input(fmt::format("shape with {} dimensions", field.size()));
  }
  Dims dims(field.begin(), field.end());
  for (const int64_t d : dims) {
    if (d < 0) return bad_input(fmt::format("shape with the negative dimension {}", d));
  }
  return dims;
}

class TensorReader {
 public:
  TensorReader(pb::Tensor& tensor, FileContext& file) : in_(tensor), file_(file) {}

  Result<AttrTensor> run() {
    const ForeignDType& row = dtype_row(in_.data_type());
    if (in_.data_type() == 0 || &row == &kUnknown) {
      return bad_input(fmt::format("unknown data type {}", in_.data_type()));
    }
    out_.type.dtype = row.dtype;
    NK_ASSIGN(out_.type.dims, read_dims(in_.dims()));
    NK_ASSIGN(Bytes bytes, read_bytes());
    if (row.dtype == NK_BOOL) normalise_bools(bytes);
    out_.data = std::make_shared<const Bytes>(std::move(bytes));
    return std::move(out_);
  }

 private:
  Result<Bytes> read_bytes() {
    if (out_.type.dtype == NK_STRING) return strings();
    if (bits_of(out_.type.dtype) == 0) return foreign_bytes();
    NK_ASSIGN(bytes_, byte_count(out_.type.dtype, out_.type.dims));
    if (in_.data_location() == kExternal) return file_.external.read(in_, bytes_);
    if (in_.has_raw_data() && !(in_.raw_data().empty() && bytes_ != 0)) return raw();
    return typed();
  }

  Result<Bytes> raw() {
    const std::string& raw = in_.raw_data();
    if (raw.size() != static_cast<uint64_t>(bytes_)) {
      return bad_input(fmt::format("raw_data holds {} bytes, but {} needs {}", raw.size(),
                                   type_text(out_.type), bytes_));
    }
    const auto view = std::as_bytes(std::span(raw.data(), raw.size()));
    Bytes bytes(view.begin(), view.end());
    std::string().swap(*in_.mutable_raw_data());
    return bytes;
  }

  // An element type that netkit lacks: what is there, for whoever may want to say more.
  Result<Bytes> foreign_bytes() {
    const auto view = std::as_bytes(std::span(in_.raw_data().data(), in_.raw_data().size()));
    return Bytes(view.begin(), view.end());
  }

  Result<Bytes> strings() {
    NK_ASSIGN(const int64_t count, element_count(out_.type.dims));
    if (count != in_.string_data_size())
      return wrong_count("string_data", in_.string_data_size(), count);
    std::vector<std::string_view> views(in_.string_data().begin(), in_.string_data().end());
    return pack_strings(views);
  }

  static std::unexpected<Error> wrong_count(std::string_view field, int64_t have, int64_t need) {
    return bad_input(fmt::format("{} holds {} data values, {} are needed", field, have, need));
  }

  Result<Bytes> typed() {
    switch (out_.type.dtype) {
      case NK_FLOAT32:
        return copied("float_data", *in_.mutable_float_data());
      case NK_FLOAT64:
        return copied("double_data", *in_.mutable_double_data());
      case NK_INT64:
        return copied("int64_data", *in_.mutable_int64_data());
      case NK_INT32:
        return copied("int32_data", *in_.mutable_int32_data());
      case NK_UINT64:
        return copied("uint64_data", *in_.mutable_uint64_data());
      case NK_UINT32:
        return narrowed<uint32_t>("uint64_data", *in_.mutable_uint64_data());
      case NK_INT16:
        return narrowed<int16_t>("int32_data", *in_.mutable_int32_data());
      case NK_INT8:
        return narrowed<int8_t>("int32_data", *in_.mutable_int32_data());
      case NK_UINT16:
      case NK_FLOAT16:
        return narrowed<uint16_t>("int32_data", *in_.mutable_int32_data());
      // uint8, bool, pairs of int4
      default:
        return narrowed<uint8_t>("int32_data", *in_.mutable_int32_data());
    }
  }

  // Both release the field: a varint is smaller than what it becomes in memory.
  template <typename T>
  Result<Bytes> copied(std::string_view name, google::protobuf::RepeatedField<T>& source) {
    google::protobuf::RepeatedField<T> field;
    field.Swap(&source);
    const auto size = static_cast<uint64_t>(field.size()) * sizeof(T);
    if (size != static_cast<uint64_t>(bytes_)) {
      return wrong_count(name, field.size(), bytes_ / static_cast<int64_t>(sizeof(T)));
    }
    Bytes bytes(size);
    if (size != 0) std::memcpy(bytes.data(), field.data(), size);
    return bytes;
  }

  template <typename T, typename F>
  Result<Bytes> narrowed(std::string_view name, google::protobuf::RepeatedField<F>& source) {
    google::protobuf::RepeatedField<F> field;
    field.Swap(&source);
    const int64_t need = bytes_ / static_cast<int64_t>(sizeof(T));
    if (field.size() != need) return wrong_count(name, field.size(), need);
    Bytes bytes(static_cast<size_t>(bytes_));
    for (int i = 0; i < field.size(); ++i) {
      const F value = field.Get(i);
      const T small = static_cast<T>(value);
      // int4 pairs are bytes, whether the writer took them as signed or not.
      const bool fits =
          static_cast<F>(small) == value ||
          (out_.type.dtype == NK_INT4 && static_cast<F>(static_cast<int8_t>(value)) == value);
      if (!fits) {
        return bad_input(
            fmt::format("{}: value {} does not fit {}", name, value, name_of(out_.type.dtype)));
      }
      std::memcpy(bytes.data() + static_cast<size_t>(i) * sizeof(T), &small, sizeof(T));
    }
    return bytes;
  }

  pb::Tensor& in_;
  FileContext& file_;
  AttrTensor out_;
  int64_t bytes_ = 0;
};

// Linear place of entry `i` in a tensor of shape `dims`; indices are [n] (linear) or [n, rank].
Result<int64_t> place_of(const AttrTensor& indices, int64_t i, const Dims& dims, int64_t count) {
  const auto at = [&](int64_t k) {
    int64_t value;
    std::memcpy(&value, indices.data->data() + static_cast<size_t>(k) * sizeof(value),
                sizeof(value));
    return value;
  };
  if (indices.type.dims.size() == 1) {
    const int64_t place = at(i);
    if (place < 0 || place >= count) return bad_input("sparse tensor: an index is out of range");
    return place;
  }
  const auto rank = static_cast<int64_t>(dims.size());
  int64_t place = 0;
  for (int64_t d = 0; d < rank; ++d) {
    const int64_t index = at(i * rank + d);
    const int64_t size = dims[static_cast<size_t>(d)];
    if (index < 0 || index >= size) return bad_input("sparse tensor: an index is out of range");
    place = place * size + index;
  }
  return place;
}

}  // namespace

const ForeignDType& dtype_row(int32_t data_type) {
  const bool known = data_type >= 0 && data_type < static_cast<int32_t>(std::size(kDTypes));
  return known ? kDTypes[data_type] : kUnknown;
}

Result<AttrTensor> read_tensor(pb::Tensor& tensor, FileContext& file) {
  return TensorReader(tensor, file).run();
}

Result<AttrTensor> read_sparse_tensor(pb::SparseTensor& sparse, FileContext& file) {
  NK_ASSIGN(const AttrTensor values, read_tensor(*sparse.mutable_values(), file));
  NK_ASSIGN(const AttrTensor indices, read_tensor(*sparse.mutable_indices(), file));
  NK_ASSIGN(const Dims dims, read_dims(sparse.dims()));
  const int bits = bits_of(values.type.dtype);
  const Dims& shape = indices.type.dims;
  const bool linear = shape.size() == 1;
  if (bits % 8 != 0 || bits == 0 || indices.type.dtype != NK_INT64 ||
      values.type.dims.size() != 1 ||
      !(linear || (shape.size() == 2 && shape[1] == static_cast<int64_t>(dims.size()))) ||
      shape[0] != values.type.dims[0]) {
    return bad_input("sparse tensor: values and indices do not fit each other");
  }
  NK_ASSIGN(const int64_t bytes, byte_count(values.type.dtype, dims));
  NK_TRY(file.budget.spend(static_cast<uint64_t>(bytes)));
  Bytes dense(static_cast<size_t>(bytes));
  const auto size = static_cast<size_t>(bits) / 8;
  const auto count = bytes / static_cast<int64_t>(size);
  for (int64_t i = 0; i < shape[0]; ++i) {
    NK_ASSIGN(const int64_t place, place_of(indices, i, dims, count));
    std::memcpy(dense.data() + static_cast<size_t>(place) * size,
                values.data->data() + static_cast<size_t>(i) * size, size);
  }
  AttrTensor out;
  out.type.dtype = values.type.dtype;
  out.type.dims = dims;
  out.data = std::make_shared<const Bytes>(std::move(dense));
  return out;
}

}  // namespace netkit::onnx
