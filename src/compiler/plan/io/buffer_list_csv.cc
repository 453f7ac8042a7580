// SPDX-License-Identifier: MIT
// Reads a CSV buffer list; every number is checked before it is used.
#include "compiler/plan/io/buffer_list_csv.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <climits>
#include <optional>
#include <unordered_set>

namespace netkit::plan {
namespace {

enum Column { kId, kLower, kUpper, kSize, kAlignment, kHint, kOffset, kGaps, kColumns };

struct ColumnName {
  std::string_view text;
  Column column;
  bool inclusive = false;
};

constexpr ColumnName kNames[] = {
    {"id", kId},       {"buffer", kId},   {"buffer_id", kId},  {"lower", kLower},
    {"begin", kLower}, {"start", kLower}, {"upper", kUpper},   {"end", kUpper, true},
    {"size", kSize},   {"hint", kHint},   {"offset", kOffset}, {"alignment", kAlignment},
    {"gaps", kGaps},
};

constexpr int64_t kMostNumber = int64_t{1} << 53;  // of all that JSON carries
constexpr int64_t kLastStep = INT_MAX;             // one past it

struct Header {
  std::array<int, kColumns> at;  // field index, or -1
  size_t fields = 0;
  int64_t upper_shift = 0;  // 1 when the last step is given, not the one past it
};

struct ListReader {
  const std::string& file;
  size_t line = 0;

  std::unexpected<Error> error(std::string message, std::string hint = {}) const {
    return bad_input(std::move(message), file + ":" + std::to_string(line), std::move(hint));
  }
};

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const size_t at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<int64_t> number(std::string_view text) {
  int64_t value = 0;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || end != text.data() + text.size() || text.empty()) return {};
  if (value < -kMostNumber || value > kMostNumber) return {};
  return value;
}

Result<Header> read_header(const ListReader& reader, std::string_view line) {
  Header header;
  header.at.fill(-1);
  const std::vector<std::string_view> fields = split(line, ',');
  header.fields = fields.size();
  for (size_t i = 0; i < fields.size(); ++i) {
    const ColumnName* found = nullptr;
    for (const ColumnName& name : kNames) {
      if (name.text == trim(fields[i])) found = &name;
    }
    if (found == nullptr) {
      return reader.error("unknown column '" + std::string(trim(fields[i]).substr(0, 40)) + "'",
                          "columns are id,lower,upper,size and optionally alignment,hint,offset,"
                          "gaps");
    }
    if (header.at[found->column] >= 0) {
      return reader.error("column '" + std::string(found->text) + "' stands twice");
    }
    header.at[found->column] = static_cast<int>(i);
    if (found->inclusive) header.upper_shift = 1;
  }
  for (const Column needed : {kId, kLower, kUpper, kSize}) {
    if (header.at[needed] < 0) {
      return reader.error("a required column is missing", "it needs id, lower, upper and size");
    }
  }
  return header;
}

Result<LifeGap> read_gap(const ListReader& reader, std::string_view text, int64_t shift,
                         const PlacementBuffer& b) {
  const std::vector<std::string_view> halves = split(text, '@');
  const std::vector<std::string_view> steps = split(halves[0], '-');
  LifeGap gap;
  if (halves.size() <= 2 && steps.size() == 2) {
    const auto from = number(steps[0]), to = number(steps[1]);
    std::optional<int64_t> low = 0, high = 0;
    if (halves.size() == 2) {
      const std::vector<std::string_view> window = split(halves[1], ':');
      low = window.size() == 2 ? number(window[0]) : std::nullopt;
      high = window.size() == 2 ? number(window[1]) : std::nullopt;
    }
    if (from && to && low && high) {
      gap = {{*from, *to + shift}, {*low, *high}};
      const bool inside = *from >= b.lower && gap.steps.end <= b.upper;
      if (inside && *from < gap.steps.end && *low >= 0 && *low <= *high && *high <= b.bytes) {
        return gap;
      }
      return reader.error("gap '" + std::string(text.substr(0, 40)) + "' leaves the buffer");
    }
  }
  return reader.error("'" + std::string(text.substr(0, 40)) + "' is not a gap",
                      "write from-to or from-to@low:high");
}

Result<PlacementBuffer> read_buffer(const ListReader& reader, const Header& header,
                                    const std::vector<std::string_view>& fields) {
  auto field = [&](Column column) {
    const int at = header.at[column];
    return at < 0 ? std::string_view() : trim(fields[static_cast<size_t>(at)]);
  };
  std::array<std::optional<int64_t>, kColumns> values;
  for (const Column c : {kLower, kUpper, kSize, kAlignment, kOffset}) {
    const bool optional = c == kAlignment || c == kOffset;
    if (optional && field(c).empty()) continue;
    values[c] = number(field(c));
    if (!values[c]) {
      return reader.error("'" + std::string(field(c).substr(0, 40)) +
                          "' is not a whole number between -2^53 and 2^53");
    }
  }
  PlacementBuffer b;
  b.lower = *values[kLower];
  b.upper = *values[kUpper] + header.upper_shift;
  b.bytes = *values[kSize];
  b.alignment = values[kAlignment].value_or(0);
  b.fixed_offset = values[kOffset];
  if (b.lower >= b.upper) return reader.error("the life is empty: lower is not below upper");
  if (b.lower < 0 || b.upper > kLastStep) {
    return reader.error("the life leaves the steps 0 to 2^31 - 2", "count steps from 0");
  }
  if (b.bytes < 0) return reader.error("the size is negative");
  if (values[kAlignment] && (b.alignment < 1 || b.alignment > (int64_t{1} << 40))) {
    return reader.error("the alignment is not between 1 and 2^40");
  }
  if (b.fixed_offset && *b.fixed_offset < 0) return reader.error("the offset is negative");
  for (const std::string_view text : split(field(kGaps), ' ')) {
    if (text.empty()) continue;
    NK_ASSIGN(LifeGap gap, read_gap(reader, text, header.upper_shift, b));
    b.gaps.push_back(gap);
  }
  return b;
}

// No placement ends above the highest fixed end and all sizes, rounded up, together.
struct SizeLimit {
  int64_t sum = 0, highest = 0;

  Result<void> add(const ListReader& reader, const PlacementBuffer& b) {
    sum += b.bytes + std::max<int64_t>(b.alignment, 1) - 1;
    if (b.fixed_offset) highest = std::max(highest, *b.fixed_offset + b.bytes);
    if (sum + highest <= kMostNumber) return {};
    return reader.error(
        "the sizes, each with its alignment, and the highest fixed end are more than 2^53 bytes in "
        "all",
        "give fewer or smaller buffers");
  }
};

}  // namespace

Result<BufferList> read_buffer_list(std::string_view text, const std::string& file) {
  ListReader reader{file};
  BufferList list;
  std::optional<Header> header;
  std::unordered_set<std::string> seen;
  SizeLimit limit;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    ++reader.line;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (trim(line).empty()) continue;
    if (!header) {
      NK_ASSIGN(header, read_header(reader, line));
      continue;
    }
    const std::vector<std::string_view> fields = split(line, ',');
    if (fields.size() != header->fields) {
      return reader.error(std::to_string(fields.size()) + " fields where the header has " +
                          std::to_string(header->fields));
    }
    std::string id(trim(fields[static_cast<size_t>(header->at[kId])]));
    if (id.empty()) return reader.error("the id is empty");
    if (!seen.insert(id).second) {
      return reader.error("id '" + id.substr(0, 40) + "' stands twice");
    }
    NK_ASSIGN(PlacementBuffer buffer, read_buffer(reader, *header, fields));
    NK_TRY(limit.add(reader, buffer));
    list.problem.names.push_back("line " + std::to_string(reader.line) + ": buffer '" +
                                 id.substr(0, 40) + "'");
    list.ids.push_back(std::move(id));
    list.problem.buffers.push_back(std::move(buffer));
  }
  if (!header) return bad_input("the file is empty", file, "it needs a header line");
  return list;
}

}  // namespace netkit::plan
