// SPDX-License-Identifier: MIT
// Operator parameters by reflection: the compiled schema says which fields a table has, so that
// every operator of the format is read without a line of its own here.
#include <flatbuffers/reflection.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "compiler/import/tflite/tflite.h"
#include "compiler/import/tflite/vectors.h"
#include "tflite_bfbs_generated.h"
#include "tflite_generated.h"

namespace netkit::tflite {
namespace {

using reflection::BaseType;

const reflection::Schema& schema() {
  // The embedded bytes carry no alignment of their own.
  static const std::vector<uint64_t> kAligned = [] {
    std::vector<uint64_t> words((fbs::ModelBinarySchema::size() + 7) / 8);
    std::memcpy(words.data(), fbs::ModelBinarySchema::data(), fbs::ModelBinarySchema::size());
    return words;
  }();
  return *reflection::GetSchema(kAligned.data());
}

const reflection::EnumVal* enum_value(const reflection::Enum& e, int64_t value) {
  const auto& values = *e.values();
  for (const reflection::EnumVal* v : values) {
    if (v->value() == value) return v;
  }
  return nullptr;
}

// One field of an options table.
class FieldReader {
 public:
  FieldReader(const flatbuffers::Table& table, const reflection::Field& field, ForeignNode& node,
              Budget& budget)
      : table_(table), field_(field), node_(node), budget_(budget), name_(field.name()->str()) {}

  Result<void> run() {
    const BaseType type = field_.type()->base_type();
    if (type == BaseType::String) {
      const auto* text = flatbuffers::GetFieldS(table_, field_);
      NK_TRY(budget_.spend(text == nullptr ? 0 : text->size()));
      node_.attrs.set(name_, text == nullptr ? std::string() : text->str());
      return {};
    }
    if (type == BaseType::Vector) return vector();
    if (flatbuffers::IsFloat(type)) {
      node_.attrs.set(name_, double{flatbuffers::GetFieldF<float>(table_, field_)});
      return {};
    }
    if (!flatbuffers::IsInteger(type)) {
      return bad_input(fmt::format("option {} has a form that is not known", name_));
    }
    return integer(read_integer(type));
  }

 private:
  template <typename T>
  int64_t scalar() const {
    return static_cast<int64_t>(flatbuffers::GetFieldI<T>(table_, field_));
  }

  int64_t read_integer(BaseType type) const {
    switch (type) {
      case BaseType::Bool:
        return scalar<uint8_t>() != 0 ? 1 : 0;
      case BaseType::UByte:
        return scalar<uint8_t>();
      case BaseType::Byte:
        return scalar<int8_t>();
      case BaseType::Int:
        return scalar<int32_t>();
      case BaseType::UInt:
        return scalar<uint32_t>();
      default:
        return scalar<int64_t>();
    }
  }

  Result<std::string> enum_name(int64_t value) const {
    const auto& e = *schema().enums()->Get(static_cast<uint32_t>(field_.type()->index()));
    if (const reflection::EnumVal* v = enum_value(e, value)) return v->name()->str();
    return bad_input(fmt::format("option {} has the unknown value {}", name_, value));
  }

  bool is_subgraph() const { return name_.find("subgraph") != std::string::npos; }

  Result<void> add_subgraph(int64_t value) {
    if (value < 0 || value > INT32_MAX) {
      return bad_input(fmt::format("option {}: {} is not the index of a subgraph", name_, value));
    }
    node_.subgraphs.emplace_back(name_, static_cast<int>(value));
    return {};
  }

  Result<void> integer(int64_t value) {
    if (is_subgraph()) return add_subgraph(value);
    if (field_.type()->index() >= 0) {
      NK_ASSIGN(std::string text, enum_name(value));
      node_.attrs.set(name_, std::move(text));
    } else {
      node_.attrs.set(name_, value);
    }
    return {};
  }

  template <typename T>
  Result<std::vector<T>> elements() const {
    const auto* v = flatbuffers::GetFieldV<T>(table_, field_);
    if (v == nullptr) return std::vector<T>();
    NK_TRY(budget_.spend(uint64_t{v->size()} * sizeof(int64_t)));
    return copied(v);
  }

  template <typename T>
  Result<void> integers() {
    NK_ASSIGN(const std::vector<T> raw, elements<T>());
    if (is_subgraph()) {
      for (const T value : raw) NK_TRY(add_subgraph(static_cast<int64_t>(value)));
    } else if (field_.type()->index() >= 0) {
      std::vector<std::string> names;
      for (const T value : raw) {
        NK_ASSIGN(std::string text, enum_name(static_cast<int64_t>(value)));
        names.push_back(std::move(text));
      }
      node_.attrs.set(name_, std::move(names));
    } else {
      node_.attrs.set(name_, std::vector<int64_t>(raw.begin(), raw.end()));
    }
    return {};
  }

  Result<void> vector() {
    switch (field_.type()->element()) {
      case BaseType::Bool:
        return integers<uint8_t>();
      case BaseType::Int:
        return integers<int32_t>();
      case BaseType::UInt:
        return integers<uint32_t>();
      case BaseType::Long:
        return integers<int64_t>();
      case BaseType::Float: {
        NK_ASSIGN(const std::vector<float> raw, elements<float>());
        node_.attrs.set(name_, std::vector<double>(raw.begin(), raw.end()));
        return {};
      }
      case BaseType::UByte: {
        NK_ASSIGN(const std::vector<uint8_t> raw, elements<uint8_t>());
        node_.attrs.set(name_, byte_attr(std::as_bytes(std::span(raw))));
        return {};
      }
      default:
        return bad_input(fmt::format("option {} has a form that is not known", name_));
    }
  }

  const flatbuffers::Table& table_;
  const reflection::Field& field_;
  ForeignNode& node_;
  Budget& budget_;
  std::string name_;
};

// Operators whose options do not carry their own name.
constexpr std::pair<std::string_view, std::string_view> kSharedOptions[] = {
    {"AVERAGE_POOL_2D", "Pool2D"},
    {"MAX_POOL_2D", "Pool2D"},
    {"L2_POOL_2D", "Pool2D"},
    {"L2_NORMALIZATION", "L2Norm"},
    {"MEAN", "Reducer"},
    {"SUM", "Reducer"},
    {"REDUCE_PROD", "Reducer"},
    {"REDUCE_MAX", "Reducer"},
    {"REDUCE_MIN", "Reducer"},
    {"REDUCE_ANY", "Reducer"},
    {"REDUCE_ALL", "Reducer"},
    {"UNIDIRECTIONAL_SEQUENCE_RNN", "SequenceRNN"},
    {"RANDOM_STANDARD_NORMAL", "Random"},
    {"RANDOM_UNIFORM", "Random"},
    {"MULTINOMIAL", "Random"},
    {"CONV_3D_TRANSPOSE", "Conv3D"},
};

// Operators that mean nothing without their options: a stride of 0 is the schema's default.
constexpr std::string_view kNeedOptions[] = {"CONV_2D",   "DEPTHWISE_CONV_2D", "TRANSPOSE_CONV",
                                             "CONV_3D",   "AVERAGE_POOL_2D",   "MAX_POOL_2D",
                                             "L2_POOL_2D"};

// "CONV_2D" and "Conv2D" are the same to this.
std::string folded(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c != '_') text += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return text;
}

// The union member that an operator's options must be, nullptr where it has none of its own.
const reflection::EnumVal* own_options(const reflection::Enum& options, std::string_view op) {
  const auto shared =
      std::ranges::find(kSharedOptions, op, &std::pair<std::string_view, std::string_view>::first);
  const std::string wanted = folded(shared == std::end(kSharedOptions) ? op : shared->second);
  for (const reflection::EnumVal* v : *options.values()) {
    if (v->value() != 0 && folded(v->name()->string_view()) == wanted) return v;
  }
  return nullptr;
}

Result<void> read_table(const char* union_name, int64_t kind, const void* data, ForeignNode& node,
                        Budget& budget) {
  const reflection::Enum& options = *schema().enums()->LookupByKey(union_name);
  const reflection::EnumVal* own = own_options(options, node.op);
  const auto fields_of = [](const reflection::EnumVal& v) {
    return schema().objects()->Get(static_cast<uint32_t>(v.union_type()->index()))->fields();
  };
  if (own != nullptr && fields_of(*own)->size() != 0 && own->value() != kind) {
    return bad_input(
        fmt::format("the operator carries the options of another one (kind {})", kind));
  }
  const reflection::EnumVal* given = enum_value(options, kind);
  if (given == nullptr) return {};
  for (const reflection::Field* field : *fields_of(*given)) {
    if (field->deprecated()) continue;
    NK_TRY(FieldReader(*static_cast<const flatbuffers::Table*>(data), *field, node, budget).run());
  }
  return {};
}

}  // namespace

std::string builtin_name(int32_t code) {
  static const reflection::Enum& names =
      *schema().enums()->LookupByKey("netkit.fbs.BuiltinOperator");
  if (const reflection::EnumVal* v = enum_value(names, code)) return v->name()->str();
  return fmt::format("BUILTIN:{}", code);
}

Result<void> read_options(const fbs::Operator& op, ForeignNode& node, Budget& budget) {
  if (op.builtin_options() != nullptr && op.builtin_options_type() != fbs::BuiltinOptions::NONE) {
    NK_TRY(read_table("netkit.fbs.BuiltinOptions", static_cast<int64_t>(op.builtin_options_type()),
                      op.builtin_options(), node, budget));
  }
  if (op.builtin_options_2() != nullptr &&
      op.builtin_options_2_type() != fbs::BuiltinOptions2::NONE) {
    NK_TRY(read_table("netkit.fbs.BuiltinOptions2",
                      static_cast<int64_t>(op.builtin_options_2_type()), op.builtin_options_2(),
                      node, budget));
  }
  if (op.builtin_options() == nullptr && std::ranges::count(kNeedOptions, node.op) != 0) {
    return bad_input("the operator has no options table: stride and padding are unknown");
  }
  return {};
}

}  // namespace netkit::tflite
