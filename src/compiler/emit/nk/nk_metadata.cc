// SPDX-License-Identifier: MIT
// Metadata to and from JSON.
#include "compiler/emit/nk/nk_metadata.h"

#include <nlohmann/json.hpp>

#include "base/json_text.h"

namespace netkit {

using Json = nlohmann::ordered_json;

std::string metadata_to_json(const Metadata& metadata) {
  Json object = Json::object();
  for (const auto& [key, value] : metadata) object[key] = value;
  return object.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Metadata metadata_from_json(std::string_view json) {
  const auto object = parse_json(json);
  Metadata metadata;
  if (!object || !object->is_object()) return metadata;
  for (const auto& [key, value] : object->items()) {
    const Json& field = value;
    metadata.emplace_back(key, field.is_string()
                                   ? field.get<std::string>()
                                   : field.dump(-1, ' ', false, Json::error_handler_t::replace));
  }
  return metadata;
}

}  // namespace netkit
