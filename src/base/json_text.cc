// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <nlohmann/json.hpp>

namespace netkit {
namespace {

bool is_too_deep(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted && (c == '[' || c == '{')) {
      if (++depth > kMaxJsonDepth) return true;
    } else if (!quoted && (c == ']' || c == '}')) {
      --depth;
    }
  }
  return false;
}

}  // namespace

Result<nlohmann::ordered_json> parse_json(std::string_view text) {
  if (is_too_deep(text)) {
    return fail(ErrorCode::kInput,
                "JSON nested more than " + std::to_string(kMaxJsonDepth) + " deep");
  }
  try {
    return nlohmann::ordered_json::parse(text);
  } catch (const nlohmann::ordered_json::parse_error& error) {
    return fail(ErrorCode::kInput, "not valid JSON at byte " + std::to_string(error.byte));
  } catch (const nlohmann::ordered_json::exception&) {
    return fail(ErrorCode::kInput, "not valid JSON: a number is out of range");
  }
}

}  // namespace netkit
