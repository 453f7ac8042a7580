// SPDX-License-Identifier: MIT
// A FlexBuffer map of numbers, written out by hand with words of 64 bits: the custom options of
// TFLite operators. Tests only.
#pragma once

#include <bit>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "compiler/ir/attrs.h"

namespace netkit::check {

using FlexValue = std::variant<int64_t, double, bool>;
using FlexMap = std::map<std::string, FlexValue>;

inline std::vector<uint8_t> flex_bytes(const FlexMap& map) {
  constexpr uint8_t kWide = 3;                             // log2 of 8 bytes
  constexpr uint8_t kTypes[] = {1 << 2, 3 << 2, 26 << 2};  // int, float, bool
  constexpr uint8_t kMap = 9 << 2;
  std::vector<uint8_t> out;
  const auto word = [&out](uint64_t value) {
    for (int i = 0; i < 64; i += 8) out.push_back(static_cast<uint8_t>(value >> i));
  };
  const auto align = [&out] {
    while (out.size() % 8 != 0) out.push_back(0);
  };
  std::vector<size_t> names;
  for (const auto& [name, value] : map) {
    names.push_back(out.size());
    out.insert(out.end(), name.begin(), name.end());
    out.push_back(0);
  }
  align();
  word(map.size());
  const size_t keys = out.size();
  for (const size_t name : names) word(out.size() - name);
  word(out.size() - keys);
  word(8);
  word(map.size());
  const size_t values = out.size();
  for (const auto& [name, value] : map) {
    if (const auto* real = std::get_if<double>(&value)) {
      word(std::bit_cast<uint64_t>(*real));
    } else if (const auto* whole = std::get_if<int64_t>(&value)) {
      word(static_cast<uint64_t>(*whole));
    } else {
      word(std::get<bool>(value) ? 1 : 0);
    }
  }
  for (const auto& [name, value] : map) out.push_back(kTypes[value.index()] | kWide);
  align();
  word(out.size() - values);
  out.push_back(kMap | kWide);
  out.push_back(8);
  return out;
}

// Value of the attribute custom_options.
inline AttrTensor custom_options(const std::vector<uint8_t>& bytes) {
  Bytes data(bytes.size());
  for (size_t i = 0; i < bytes.size(); ++i) data[i] = std::byte{bytes[i]};
  return {{NK_UINT8, {static_cast<int64_t>(bytes.size())}, {}},
          std::make_shared<const Bytes>(std::move(data))};
}
inline AttrTensor custom_options(const FlexMap& map) {
  return custom_options(flex_bytes(map));
}

}  // namespace netkit::check
