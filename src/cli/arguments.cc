// SPDX-License-Identifier: MIT
// The words of the command line before they are parsed: what the parser would take in silence or
// tell in words of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <map>

#include "cli/cli.h"

namespace netkit::cli {
namespace {

const CLI::App* verb_of(const CLI::App& app, const std::string& word) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->check_name(word)) return verb;
  }
  return nullptr;
}

// "--input" of "--input=x", "-o" of "-oFILE"; `word` begins with a dash.
std::string name_in(const std::string& word) {
  return word.starts_with("--") ? word.substr(0, word.find('=')) : word.substr(0, 2);
}

const CLI::Option* option_of(const CLI::App& app, const CLI::App* verb, const std::string& word) {
  if (word.size() < 2 || word[0] != '-') return nullptr;
  const CLI::Option* own = verb == nullptr ? nullptr : verb->get_option_no_throw(name_in(word));
  return own != nullptr ? own : app.get_option_no_throw(name_in(word));
}

Result<void> check_value(const CLI::App& app, const CLI::App* verb, const CLI::Option& option,
                         const std::string* next) {
  const bool is_value =
      next != nullptr && !next->starts_with("--") && option_of(app, verb, *next) == nullptr;
  if (is_value) return {};
  const std::string name = option.get_name();
  return fail(ErrorCode::kUsage, "needs a value", name,
              next == nullptr
                  ? "give one behind it"
                  : fmt::format("a value that begins so is written {}={}", name, *next));
}

}  // namespace

Result<void> check_words(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* verb = nullptr;
  std::map<std::string, int> given;
  for (size_t i = 0; i < words.size() && words[i] != "--"; ++i) {
    const std::string& word = words[i];
    if (!word.starts_with('-')) {
      if (verb == nullptr) verb = verb_of(app, word);
      continue;
    }
    const CLI::Option* option = option_of(app, verb, word);
    if (option == nullptr || option->get_items_expected_max() == 0) continue;  // unknown, a flag
    if (++given[option->get_name()] > 1 && option->get_items_expected_max() == 1) {
      return fail(ErrorCode::kUsage, "is given twice", option->get_name(), "give it once");
    }
    if (word != name_in(word)) continue;  // the value is inside
    NK_TRY(check_value(app, verb, *option, i + 1 < words.size() ? &words[i + 1] : nullptr));
    ++i;
  }
  return {};
}

bool is_option(const CLI::App& app, const std::string& verb, const std::string& word) {
  return option_of(app, verb_of(app, verb), word) != nullptr;
}

Result<int> parse_count(const std::string& text, std::string_view option) {
  constexpr int kMost = 1'000'000'000;
  int value = 0;
  const char* last = text.data() + text.size();
  const auto [end, error] = std::from_chars(text.data(), last, value);
  if (error == std::errc() && end == last && value >= 1 && value <= kMost) return value;
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is not a whole number from 1 to {}", text, kMost),
              std::string(option), "write it in digits, as 1000");
}

}  // namespace netkit::cli
