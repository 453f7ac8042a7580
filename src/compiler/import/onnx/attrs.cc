// SPDX-License-Identifier: MIT
// ONNX attributes → AttrValue, and the constants that Constant nodes carry.
#include <fmt/format.h>

#include <cstring>
#include <iterator>
#include <type_traits>

#include "compiler/import/onnx/onnx.h"
#include "onnx.pb.h"

namespace netkit::onnx {
namespace {

// AttributeProto.AttributeType.
enum AttributeKind : int32_t {
  kUndefined = 0,
  kFloat = 1,
  kInt = 2,
  kString = 3,
  kTensor = 4,
  kGraph = 5,
  kFloats = 6,
  kInts = 7,
  kStrings = 8,
  kTensors = 9,
  kGraphs = 10,
  kSparse = 11,
  kSparses = 12,
  kType = 13,
  kTypes = 14,
};

// The stated type; files of the first format versions state none and are told by what is set.
int32_t type_of(const pb::Attribute& a) {
  if (a.type() != kUndefined) return a.type();
  const std::pair<bool, AttributeKind> set[] = {{a.has_f(), kFloat},
                                                {a.has_i(), kInt},
                                                {a.has_s(), kString},
                                                {a.has_t(), kTensor},
                                                {a.has_g(), kGraph},
                                                {a.floats_size() != 0, kFloats},
                                                {a.ints_size() != 0, kInts},
                                                {a.strings_size() != 0, kStrings},
                                                {a.graphs_size() != 0, kGraphs}};
  for (const auto& [is_set, kind] : set) {
    if (is_set) return kind;
  }
  return kInts;  // an empty list
}

// A 1-D constant, or a scalar.
AttrTensor small_constant(nk_dtype dtype, size_t count, bool scalar, Bytes bytes) {
  AttrTensor out;
  out.type.dtype = dtype;
  if (!scalar) out.type.dims.push_back(static_cast<int64_t>(count));
  out.data = std::make_shared<const Bytes>(std::move(bytes));
  return out;
}

template <typename T>
AttrTensor number_constant(nk_dtype dtype, std::span<const T> values, bool scalar) {
  const auto view = std::as_bytes(values);
  return small_constant(dtype, values.size(), scalar, Bytes(view.begin(), view.end()));
}

Result<AttrTensor> string_constant(const std::vector<std::string_view>& values, bool scalar) {
  NK_ASSIGN(Bytes bytes, pack_strings(values));
  return small_constant(NK_STRING, values.size(), scalar, std::move(bytes));
}

}  // namespace

AttrKind kind_of(const pb::Attribute& attribute) {
  const int32_t type = type_of(attribute);
  return type == kGraph ? AttrKind::kGraph : type == kGraphs ? AttrKind::kGraphs : AttrKind::kValue;
}

Result<AttrValue> read_attribute(pb::Attribute& a, FileContext& file) {
  switch (type_of(a)) {
    case kFloat:
      return AttrValue(double{a.f()});
    case kInt:
      return AttrValue(int64_t{a.i()});
    case kString:
      return AttrValue(a.s());
    case kFloats:
      return AttrValue(std::vector<double>(a.floats().begin(), a.floats().end()));
    case kInts:
      return AttrValue(std::vector<int64_t>(a.ints().begin(), a.ints().end()));
    case kStrings:
      return AttrValue(std::vector<std::string>(a.strings().begin(), a.strings().end()));
    case kTensor: {
      NK_ASSIGN(AttrTensor tensor, read_tensor(*a.mutable_t(), file));
      return AttrValue(std::move(tensor));
    }
    case kSparse: {
      NK_ASSIGN(AttrTensor tensor, read_sparse_tensor(*a.mutable_sparse_tensor(), file));
      return AttrValue(std::move(tensor));
    }
    case kTensors:
      return AttrValue(std::string("TENSORS"));
    case kSparses:
      return AttrValue(std::string("SPARSE_TENSORS"));
    case kType:
      return AttrValue(std::string("TYPE_PROTO"));
    case kTypes:
      return AttrValue(std::string("TYPE_PROTOS"));
    default:
      return bad_input(fmt::format("unknown attribute type {}", a.type()));
  }
}

Result<AttrTensor> constant_of(pb::Attribute& a, FileContext& file) {
  const std::string& name = a.name();
  if (name == "value" && a.has_t()) return read_tensor(*a.mutable_t(), file);
  if (name == "sparse_value" && a.has_sparse_tensor()) {
    return read_sparse_tensor(*a.mutable_sparse_tensor(), file);
  }
  if (name == "value_float") {
    const float value = a.f();
    return number_constant(NK_FLOAT32, std::span<const float>(&value, 1), true);
  }
  if (name == "value_int") {
    const int64_t value = a.i();
    return number_constant(NK_INT64, std::span<const int64_t>(&value, 1), true);
  }
  if (name == "value_floats") {
    const std::span<const float> values(a.floats().data(), static_cast<size_t>(a.floats_size()));
    return number_constant(NK_FLOAT32, values, false);
  }
  if (name == "value_ints") {
    const std::span<const int64_t> values(a.ints().data(), static_cast<size_t>(a.ints_size()));
    return number_constant(NK_INT64, values, false);
  }
  if (name == "value_string") return string_constant({a.s()}, true);
  if (name == "value_strings") {
    return string_constant({a.strings().begin(), a.strings().end()}, false);
  }
  return bad_input(fmt::format("attribute {} gives a Constant no value", shown(name)));
}

}  // namespace netkit::onnx
