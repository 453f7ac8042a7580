// SPDX-License-Identifier: MIT
#include "base/json_text.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_set>
#include <vector>

namespace netkit {
namespace {

using Json = nlohmann::ordered_json;
using Value = nlohmann::json;

// How many bytes the list or object takes that the text begins with; 0: it begins with none.
size_t end_of_value(std::string_view text) {
  int depth = 0;
  bool quoted = false;
  for (size_t i = text.find_first_not_of(" \t\r\n"); i < text.size(); ++i) {
    const char c = text[i];
    if (quoted && c == '\\') {
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (!quoted) {
      depth += c == '[' || c == '{' ? 1 : c == ']' || c == '}' ? -1 : 0;
    }
    if (depth == 0) return c == ']' || c == '}' ? i + 1 : 0;
  }
  return 0;
}

// `byte` counts from 1, as the library does.
std::unexpected<Error> broken_at(std::string_view text, size_t byte) {
  const std::string_view before = text.substr(0, byte == 0 ? 0 : byte - 1);
  const size_t line = 1 + static_cast<size_t>(std::count(before.begin(), before.end(), '\n'));
  const size_t column = before.size() - (before.find_last_of('\n') + 1) + 1;
  const bool ends = byte > text.size();
  return bad_input("not valid JSON at byte " + std::to_string(byte) + ", line " +
                       std::to_string(line) + ", column " + std::to_string(column) +
                       (ends ? ": the text ends too early" : ""),
                   {},
                   ends ? "complete the file, or write or copy it again"
                        : "correct the text there, or write the file again");
}

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

// The field that stands twice in one object, of which the library would keep one; else empty.
class DoubledField {
 public:
  bool see(Json::parse_event_t event, const Json& value) {
    using Event = Json::parse_event_t;
    if (event == Event::object_end || event == Event::array_end) {
      open_.pop_back();
      return true;
    }
    if (event == Event::key) {
      open_.back().key = value.get<std::string>();
      if (!found && !open_.back().keys.insert(open_.back().key).second) {
        found = open_.back().key;
        where = path();
      }
      return true;
    }
    if (!open_.empty()) ++open_.back().items;
    if (event != Event::value) open_.push_back({.list = event == Event::array_start});
    return true;
  }
  std::optional<std::string> found;
  std::string where;  // "tensors[0].bytes"

 private:
  struct Level {
    bool list;
    size_t items = 0;
    std::string key = {};
    std::unordered_set<std::string> keys = {};
  };
  std::string path() const {
    std::string out;
    for (const Level& level : open_) {
      if (level.list) {
        out += "[" + std::to_string(level.items - 1) + "]";
      } else {
        out += (out.empty() ? "" : ".") + level.key;
      }
    }
    return out;
  }
  std::vector<Level> open_;
};

constexpr uint64_t kMostNumber = uint64_t{1} << 53;

std::unexpected<Error> wrong(std::string what, const std::string& where) {
  return bad_input(std::move(what), where, "give the file as its format is documented");
}

Result<void> check_object(const Value& value, const Value& shapes, const Value& fields,
                          const std::string& where) {
  if (!value.is_object()) return wrong("is no object", where);
  const std::string before = where.empty() ? where : where + ".";
  for (const auto& [key, field] : value.items()) {
    const bool known = !key.ends_with('?') && (fields.contains(key) || fields.contains(key + "?"));
    if (!known) return wrong("is no known field", before + key);
  }
  for (const auto& [key, shape] : fields.items()) {
    const bool optional = key.ends_with('?');
    const std::string name = key.substr(0, key.size() - (optional ? 1 : 0));
    const auto found = value.find(name);
    if (found != value.end()) {
      NK_TRY(check_shape(*found, shapes, shape, before + name));
    } else if (!optional) {
      return wrong("is missing", before + name);
    }
  }
  return {};
}

// Is the text one of those between the bars?
bool is_listed(const std::string& texts, const std::string& text) {
  return text.find('|') == text.npos && ('|' + texts + '|').find('|' + text + '|') != text.npos;
}

}  // namespace

Result<nlohmann::ordered_json> parse_json(std::string_view text) {
  if (is_too_deep(text)) {
    return bad_input("JSON nested more than " + std::to_string(kMaxJsonDepth) + " deep", {},
                     "give a file of the format that is read here");
  }
  try {
    DoubledField doubled;
    Json value = Json::parse(text, [&](int, Json::parse_event_t event, const Json& parsed) {
      return doubled.see(event, parsed);
    });
    const size_t zero = text.find('\0');  // ends the text for the library
    if (zero != std::string_view::npos) return broken_at(text, zero + 1);
    if (!doubled.found) return value;
    return bad_input("the field '" + *doubled.found + "' stands twice in one object", doubled.where,
                     "keep one of the two");
  } catch (const Json::parse_error& error) {
    const size_t end = end_of_value(text);
    if (end > 0 && std::string_view(error.what()).ends_with("expected end of input")) {
      return bad_input(
          "not valid JSON: the document ended at byte " + std::to_string(end) + " and more follows",
          {}, "remove what follows, or write the file again");
    }
    return broken_at(text, error.byte);
  } catch (const Json::exception&) {
    return bad_input("not valid JSON: a number is out of range", {},
                     "write numbers that a double can hold");
  }
}

Result<void> check_shape(const Value& value, const Value& shapes, const Value& shape,
                         const std::string& where) {
  if (shape.is_array()) {
    if (!value.is_array()) return wrong("is no list", where);
    for (size_t i = 0; i < value.size(); ++i) {
      NK_TRY(check_shape(value[i], shapes, shape[0], where + "[" + std::to_string(i) + "]"));
    }
    return {};
  }
  const auto name = shape.get<std::string>();
  const auto fields = shapes.find(name);
  if (fields != shapes.end()) return check_object(value, shapes, *fields, where);
  const bool number = value.is_number_unsigned() && value.get<uint64_t>() <= kMostNumber;
  if (name == "s" && !value.is_string()) return wrong("is no text", where);
  if (name.starts_with('=') && !(value.is_string() && is_listed(name.substr(1), value))) {
    return wrong("is not " + name.substr(1), where);
  }
  if ((name == "n" && !number) || (name == "d" && !number && !value.is_null())) {
    return wrong("is no whole number from 0 to 2^53", where);
  }
  return {};
}

}  // namespace netkit
