// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "cli/cli.h"

namespace netkit::cli {
namespace {

constexpr size_t kShownItems = 20;
constexpr int64_t kMaxSize = int64_t{1} << 40;

struct Unit {
  std::string_view suffix;
  int64_t bytes;
};
constexpr Unit kUnits[] = {{"", 1}, {"b", 1}, {"k", 1024}, {"m", 1 << 20}, {"g", 1 << 30}};

// The unit of "K", "KB" and "KiB", in either case: a power of 1024. 0: none.
int64_t unit_of(std::string_view text) {
  std::string unit;
  for (const char c : text) unit += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (unit.size() == 3 && unit.ends_with("ib")) unit.resize(1);
  if (unit.size() == 2 && unit.ends_with("b")) unit.resize(1);
  for (const Unit& known : kUnits) {
    if (unit == known.suffix && (unit != "b" || text.size() == 1)) return known.bytes;
  }
  return 0;
}

// Bytes of the UTF-8 sequence that text begins with; 0 where it begins with none, or with a
// control character (U+0080 to U+009F).
size_t sequence_at(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const size_t size = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (size == 0 || first > 0xf4 || size > text.size()) return 0;
  for (size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  const bool bad = (first == 0xc2 && byte(1) < 0xa0) || (first == 0xe0 && byte(1) < 0xa0) ||
                   (first == 0xed && byte(1) > 0x9f) || (first == 0xf0 && byte(1) < 0x90) ||
                   (first == 0xf4 && byte(1) > 0x8f);
  return bad ? 0 : size;
}

// What to do where the place of the fault knew nothing better.
constexpr const char* fallback_hint(ErrorCode code) {
  switch (code) {
    case ErrorCode::kNo:
      return "netkit plan MODEL shows what needs the memory";
    case ErrorCode::kUsage:
      return "netkit --help lists the verbs, netkit VERB --help their options";
    case ErrorCode::kInput:
      break;
  }
  return "correct the file there, or make it again";
}

}  // namespace

std::string one_line(const Error& error) {
  std::string line = error.message;
  for (size_t i = 0; i < error.items.size() && i < kShownItems; ++i) {
    line += (i == 0 ? ": " : "; ") + error.items[i];
  }
  if (error.items.size() > kShownItems) {
    line += fmt::format("; and {} more", error.items.size() - kShownItems);
  }
  return error.where.empty() ? line : fmt::format("{}: {}", error.where, line);
}

Error with_hint(Error error) {
  if (error.hint.empty()) error.hint = fallback_hint(error.code);
  return error;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t size = sequence_at(text);
    const auto first = static_cast<unsigned char>(text[0]);
    if (size == 0) {
      out += fmt::format("\\x{:02x}", first);
    } else if (first < 0x20 || first == 0x7f) {
      out += '?';
    } else {
      out += text.substr(0, size);
    }
    text.remove_prefix(std::max<size_t>(size, 1));
  }
  return out;
}

Result<int64_t> parse_size(const std::string& text, std::string_view option) {
  int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const std::string_view suffix(end, static_cast<size_t>(last - end));
  const int64_t unit = unit_of(suffix);
  if (error == std::errc() && unit > 0 && value > 0 && value <= kMaxSize / unit) {
    return value * unit;
  }
  const bool digits = unit > 0 && end != text.data() && text[0] != '-';  // a number and a unit
  const bool zero = digits && error == std::errc() && value == 0;
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is {}", text,
                          zero     ? "no memory at all"
                          : digits ? "more than 1024G, which no size may be"
                                   : "not a size"),
              std::string(option), "give bytes or a unit: 65536, 64K, 64KiB, 1MiB");
}

std::string size_text(int64_t bytes) {
  if (bytes < 1024) return fmt::format("{} B", bytes);
  return fmt::format("{} B ({:.1f} KiB)", bytes, static_cast<double>(bytes) / 1024.0);
}

int report_error(const Error& found, const Globals& globals) {
  const Error error = with_hint(found);
  if (globals.json) {
    const nlohmann::json object = {
        {"format", "netkit-error/1"}, {"code", static_cast<int>(error.code)},
        {"message", error.message},   {"where", error.where},
        {"hint", error.hint},         {"items", error.items}};
    std::puts(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  }
  return report_on_stderr(error);
}

// Not fmt::print, which throws where a stream takes no more.
void print_on_stderr(const std::string& text) {
  std::fputs(text.c_str(), stderr);
}

int report_on_stderr(const Error& found) {
  const Error error = with_hint(found);
  print_on_stderr(
      fmt::format("netkit: {}\n  {}\n", printable(one_line(error)), printable(error.hint)));
  return static_cast<int>(error.code);
}

Result<void> no_arena(const Globals& globals, std::string_view verb) {
  if (!globals.arena_bytes) return {};
  return fail(ErrorCode::kUsage, fmt::format("says nothing to {}", verb), "--arena",
              "leave it out");
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    print_on_stderr(fmt::format("netkit: warning: {}\n", printable(warning)));
  }
}

void progress(std::string_view what, double done) {
  if (isatty(STDERR_FILENO) == 0) return;
  constexpr int kColumns = 30;
  std::string bar(static_cast<size_t>(done * kColumns), '#');
  bar.resize(kColumns, '.');
  print_on_stderr(
      fmt::format("\r{} [{}] {:3.0f} %{}", what, bar, done * 100.0, done >= 1.0 ? "\n" : ""));
}

}  // namespace netkit::cli
