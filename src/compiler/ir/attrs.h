// SPDX-License-Identifier: MIT
// Named attributes of a node: small, ordered by name, so that text dumps are stable.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "compiler/ir/tensor_type.h"

namespace netkit {

struct AttrTensor {
  TensorType type;
  ConstData data;
};

using AttrValue = std::variant<int64_t, double, std::string, std::vector<int64_t>,
                               std::vector<double>, std::vector<std::string>, AttrTensor>;

class Attrs {
 public:
  bool has(std::string_view name) const { return values_.find(name) != values_.end(); }
  void set(std::string name, AttrValue value) { values_[std::move(name)] = std::move(value); }
  void erase(std::string_view name) {
    if (auto it = values_.find(name); it != values_.end()) values_.erase(it);
  }
  // The value, or `fallback` where the name is absent or of another type.
  int64_t get_int(std::string_view name, int64_t fallback = 0) const {
    return get<int64_t>(name, fallback);
  }
  double get_float(std::string_view name, double fallback = 0.0) const;  // int64 is widened
  std::string get_string(std::string_view name, std::string fallback = {}) const {
    return get<std::string>(name, std::move(fallback));
  }
  std::vector<int64_t> get_ints(std::string_view name, std::vector<int64_t> fallback = {}) const {
    return get<std::vector<int64_t>>(name, std::move(fallback));
  }
  const AttrValue* find(std::string_view name) const {
    auto it = values_.find(name);
    return it == values_.end() ? nullptr : &it->second;
  }
  const auto& all() const { return values_; }

 private:
  template <typename T>
  T get(std::string_view name, T fallback) const {
    const AttrValue* v = find(name);
    if (v != nullptr) {
      if (const T* t = std::get_if<T>(v)) return *t;
    }
    return fallback;
  }
  std::map<std::string, AttrValue, std::less<>> values_;
};

}  // namespace netkit
