// SPDX-License-Identifier: MIT
// The words of the command line before they are parsed: what the parser would take in silence or
// tell in words of its own.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <filesystem>
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

// What a second file in the place of the model was meant as.
struct FileOption {
  const char *verb, *option;
};
constexpr FileOption kFileOptions[] = {{"run", "--input"}, {"compile", "-o"}, {"emit", "-o"}};

// Letters to change, add or take away to make one of the other.
size_t distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t corner = row[0]++;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t change = corner + (a[i - 1] == b[j - 1] ? 0 : 1);
      corner = row[j];
      row[j] = std::min({change, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// The long option that `name` is nearest to; empty: none is near.
std::string near_option(const CLI::App& app, const CLI::App* verb, const std::string& name) {
  constexpr size_t kMostLetters = 64, kNear = 3;  // exclusive
  std::string near;
  size_t least = std::min(kNear, name.size() / 2);
  if (!name.starts_with("--") || name.size() > kMostLetters) return near;
  for (const CLI::App* of : {verb, &app}) {
    if (of == nullptr) continue;
    for (const CLI::Option* option : of->get_options()) {
      if (!option->nonpositional()) continue;
      const size_t away = distance(name, option->get_name());
      if (away >= least) continue;
      least = away;
      near = option->get_name();
    }
  }
  return near;
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
    if (word.starts_with("--") && word.ends_with('=') && word.size() == name_in(word).size() + 1) {
      return fail(ErrorCode::kUsage, "needs a value", option->get_name(), "give one behind the =");
    }
    if (word != name_in(word)) continue;  // the value is inside
    NK_TRY(check_value(app, verb, *option, i + 1 < words.size() ? &words[i + 1] : nullptr));
    ++i;
  }
  return {};
}

std::string usage_hint(const CLI::App& app, const std::vector<std::string>& words,
                       const std::string& verb_name) {
  const CLI::App* verb = verb_of(app, verb_name);
  for (const std::string& word : words) {
    if (!word.starts_with('-') || word.size() < 2 || option_of(app, verb, word) != nullptr) {
      continue;
    }
    std::error_code error;
    if (std::filesystem::exists(word, error)) {
      return fmt::format("for the file of that name write ./{}", word);
    }
    const std::string near = near_option(app, verb, name_in(word));
    if (!near.empty()) return fmt::format("did you mean {}?", near);
  }
  const std::vector<std::string> rest = verb == nullptr ? app.remaining() : app.remaining(true);
  for (const FileOption& known : kFileOptions) {
    if (verb == nullptr || rest.empty() || rest[0].starts_with('-')) break;
    if (!verb->check_name(known.verb)) continue;
    return fmt::format("did you mean {} {}?", known.option, rest[0]);
  }
  return fmt::format("netkit{}{} --help", verb_name.empty() ? "" : " ", verb_name);
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
