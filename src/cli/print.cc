// SPDX-License-Identifier: MIT
#include <fmt/format.h>
#include <unistd.h>

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
constexpr Unit kUnits[] = {{"", 1},        {"B", 1},        {"K", 1024},     {"KB", 1024},
                           {"KiB", 1024},  {"M", 1 << 20},  {"MB", 1 << 20}, {"MiB", 1 << 20},
                           {"G", 1 << 30}, {"GB", 1 << 30}, {"GiB", 1 << 30}};

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
  return "correct the file, or export or copy it again";
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
  for (const char c : text) {
    const bool control = static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
    out += control ? '?' : c;
  }
  return out;
}

Result<int64_t> parse_size(const std::string& text, std::string_view option) {
  int64_t value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  const std::string_view suffix(end, static_cast<size_t>(last - end));
  for (const Unit& unit : kUnits) {
    if (error == std::errc() && suffix == unit.suffix && value > 0 &&
        value <= kMaxSize / unit.bytes) {
      return value * unit.bytes;
    }
  }
  return fail(ErrorCode::kUsage, fmt::format("'{}' is not a size", text), std::string(option),
              "give bytes or a unit: 65536, 64K, 64KiB, 1MiB");
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

int report_on_stderr(const Error& found) {
  const Error error = with_hint(found);
  fmt::print(stderr, "netkit: {}\n  {}\n", printable(one_line(error)), printable(error.hint));
  return static_cast<int>(error.code);
}

Result<void> no_arena(const Globals& globals, std::string_view verb) {
  if (!globals.arena_bytes) return {};
  return fail(ErrorCode::kUsage, fmt::format("says nothing to {}", verb), "--arena",
              "leave it out");
}

void print_warnings(const std::vector<std::string>& warnings) {
  for (const std::string& warning : warnings) {
    fmt::print(stderr, "netkit: warning: {}\n", printable(warning));
  }
}

void progress(std::string_view what, double done) {
  if (isatty(STDERR_FILENO) == 0) return;
  constexpr int kColumns = 30;
  std::string bar(static_cast<size_t>(done * kColumns), '#');
  bar.resize(kColumns, '.');
  fmt::print(stderr, "\r{} [{}] {:3.0f} %{}", what, bar, done * 100.0, done >= 1.0 ? "\n" : "");
}

}  // namespace netkit::cli
