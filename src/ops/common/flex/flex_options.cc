// SPDX-License-Identifier: MIT
#include "ops/common/flex/flex_options.h"

// Numbers written as text are not read here: nothing of the library behind its headers is needed.
#define FLATBUFFERS_LOCALE_INDEPENDENT 0
#include <flatbuffers/flexbuffers.h>
#include <fmt/format.h>

#include <cmath>

namespace netkit {
namespace {

constexpr size_t kMostBytes = size_t{1} << 20;
constexpr size_t kFewestBytes = 3;  // a value, its type and its width
constexpr size_t kMaxDepth = 8;

std::unexpected<Error> no_options(std::string what, const ForeignNode& node) {
  return bad_input("the custom options " + std::move(what), place_of(node));
}

void add_scalar(std::string name, const flexbuffers::Reference& value, Attrs& attrs) {
  if (value.IsInt() || value.IsUInt() || value.IsBool()) {
    attrs.set(std::move(name), value.AsInt64());
  } else if (value.IsFloat()) {
    attrs.set(std::move(name), value.AsDouble());
  } else if (value.IsString()) {
    attrs.set(std::move(name), value.AsString().str());
  }
}

}  // namespace

Result<Attrs> flex_options(const ForeignNode& node) {
  const AttrValue* held = node.attrs.find("custom_options");
  const AttrTensor* options = held == nullptr ? nullptr : std::get_if<AttrTensor>(held);
  if (options == nullptr || options->data == nullptr || options->data.size() == 0) return Attrs{};
  const size_t bytes = options->data.size();
  if (bytes < kFewestBytes || bytes > kMostBytes) {
    return no_options(fmt::format("have {} bytes", bytes), node);
  }
  // Scalars are read in place: the copy is aligned for the widest.
  std::vector<uint64_t> aligned((bytes + 7) / 8);
  std::memcpy(aligned.data(), options->data->data(), bytes);
  const auto* data = reinterpret_cast<const uint8_t*>(aligned.data());
  std::vector<uint8_t> seen;
  flexbuffers::Verifier verifier(data, bytes, &seen, true, kMaxDepth);
  if (!verifier.VerifyBuffer()) {
    return no_options("are no valid FlexBuffer", node);
  }
  const flexbuffers::Reference root = flexbuffers::GetRoot(data, bytes);
  if (!root.IsMap()) return no_options("are no FlexBuffer map", node);
  const flexbuffers::Map map = root.AsMap();
  const flexbuffers::TypedVector keys = map.Keys();
  const flexbuffers::Vector values = map.Values();
  Attrs attrs;
  for (size_t i = 0; i < keys.size() && i < values.size(); ++i) {
    add_scalar(keys[i].AsKey(), values[i], attrs);
  }
  return attrs;
}

Result<int32_t> flex_int(const Attrs& options, std::string_view name, int64_t lo, int64_t hi,
                         const ForeignNode& node) {
  const AttrValue* value = options.find(name);
  if (value == nullptr || !std::holds_alternative<int64_t>(*value)) {
    return no_options(fmt::format("state no whole number {}", name), node);
  }
  return checked_int32(std::get<int64_t>(*value), lo, hi, name, place_of(node));
}

Result<float> flex_real(const Attrs& options, std::string_view name, const ForeignNode& node) {
  const double value = options.get_float(name, NAN);
  if (!std::isfinite(value) || !std::isfinite(static_cast<float>(value))) {
    return no_options(fmt::format("state no finite number {}", name), node);
  }
  return static_cast<float>(value);
}

}  // namespace netkit
