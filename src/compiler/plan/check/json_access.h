// SPDX-License-Identifier: MIT
// How the checker reads JSON: what is not as it has to be is thrown, with words, and unwinds the
// checker only; check_certificate catches it.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <vector>

namespace netkit::plan {

inline void demand(bool good, const std::string& why) {
  if (!good) throw std::runtime_error(why);
}

inline int64_t number(const nlohmann::json& value, const std::string& what) {
  const bool good = value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t{1} << 53;
  demand(good, what + " is no whole number from 0 to 2^53");
  return value.get<int64_t>();
}

inline int64_t number(const nlohmann::json& object, const std::string& key, int64_t absent) {
  return object.contains(key) && !object[key].is_null() ? number(object[key], key) : absent;
}

inline std::string text(const nlohmann::json& value) {
  demand(value.is_string(), value.dump() + " is no text");
  return value;
}

inline nlohmann::json list(const nlohmann::json& object, const std::string& key) {
  nlohmann::json found = object.value(key, nlohmann::json::array());
  demand(found.is_array(), key + " is no list");
  return found;
}

template <typename Items>
auto& item(Items& items, int64_t i, const std::string& what) {
  demand(i < std::ssize(items), what + ' ' + std::to_string(i) + " does not exist");
  return items[static_cast<size_t>(i)];
}

// What stands at `name`, or at each of the names.
inline int id(const nlohmann::json& index, const nlohmann::json& name) {
  demand(index.contains(text(name)), "there is no '" + text(name) + "'");
  return index[text(name)];
}
inline std::vector<int> ids(const nlohmann::json& index, const nlohmann::json& names) {
  std::vector<int> found;
  for (const nlohmann::json& name : names) found.push_back(id(index, name));
  return found;
}

}  // namespace netkit::plan
