// SPDX-License-Identifier: MIT
#include "compiler/plan/io/json_fields.h"

#include <cmath>
#include <nlohmann/json.hpp>

namespace netkit::plan {

Result<int64_t> whole_number(const Json& value, const std::string& where, int bits) {
  double number = -1;
  if (value.is_number_unsigned() && value.get<uint64_t>() <= uint64_t{1} << bits) {
    return value.get<int64_t>();
  }
  if (value.is_number_float()) number = value.get<double>();
  if (!(number >= 0 && number <= std::ldexp(1.0, bits)) || number != std::floor(number)) {
    return bad_input("not a whole number between 0 and 2^" + std::to_string(bits), where);
  }
  return static_cast<int64_t>(number);
}

Result<int64_t> whole_field(const Json& object, const char* key, const std::string& where,
                            int bits) {
  const auto it = object.find(key);
  return whole_number(it == object.end() ? Json() : *it, where + "." + key, bits);
}

Result<std::string> text_field(const Json& object, const char* key, const std::string& where) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_string()) {
    return bad_input(std::string("needs a text field '") + key + "'", where);
  }
  return it->get<std::string>();
}

}  // namespace netkit::plan
