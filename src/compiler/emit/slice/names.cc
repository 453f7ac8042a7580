// SPDX-License-Identifier: MIT
#include "compiler/emit/slice/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace netkit::emit {
namespace {

// Names of headers that a compiler's search for <NAME.h> could meet: those of C, and those that
// C libraries and their headers use.
constexpr std::string_view kSystemHeaders[] = {
    "alloca",   "arduino",  "assert",   "complex",   "ctype",       "dirent",    "endian",
    "errno",    "fcntl",    "features", "fenv",      "float",       "inttypes",  "iso646",
    "limits",   "locale",   "malloc",   "math",      "memory",      "netkit",    "newlib",
    "picolibc", "poll",     "pthread",  "reent",     "sched",       "semaphore", "setjmp",
    "signal",   "stdalign", "stdarg",   "stdatomic", "stdbit",      "stdbool",   "stdckdint",
    "stddef",   "stdint",   "stdio",    "stdlib",    "stdnoreturn", "string",    "strings",
    "tgmath",   "threads",  "time",     "uchar",     "unistd",      "wchar",     "wctype"};

constexpr int kMaxLevels = 16;

// Words after which no declared name stands: the type, or no declaration at all.
constexpr std::array<std::string_view, 25> kNoType = {
    "const",  "static", "inline", "extern", "volatile", "register", "unsigned", "signed", "long",
    "short",  "struct", "enum",   "union",  "typedef",  "return",   "else",     "case",   "goto",
    "sizeof", "do",     "define", "if",     "ifdef",    "ifndef",   "elif"};

bool is_space(char c) {
  return std::isspace(static_cast<unsigned char>(c)) != 0;
}

size_t word_end(std::string_view text, size_t at) {
  while (at < text.size() && is_word(text[at])) ++at;
  return at;
}

size_t next_solid(std::string_view text, size_t at) {
  while (at < text.size() && (is_space(text[at]) || text[at] == '\\')) ++at;
  return at;
}

// Walks over the words of blanked code and tells those that the code declares itself.
class NameWalk {
 public:
  explicit NameWalk(std::string code) : code_(std::move(code)) {}

  std::vector<std::string> run() {
    const size_t params = take_macro_params();
    for (size_t i = 0; i < code_.size();) {
      if (!is_word(code_[i])) {
        punctuation(i++);
        continue;
      }
      const size_t end = word_end(code_, i);
      if (std::isdigit(static_cast<unsigned char>(code_[i])) == 0 && i >= params) word(i, end);
      before_ = before_ == "define" ? "" : code_.substr(i, end - i);
      i = end;
    }
    std::erase_if(names_, [&](const std::string& name) { return own_.contains(name); });
    return std::move(names_);
  }

 private:
  // The list of "#define NAME(a, b)"; returns where it ends.
  size_t take_macro_params() {
    size_t at = next_solid(code_, 0);
    if (at >= code_.size() || code_[at] != '#') return 0;
    at = next_solid(code_, at + 1);
    if (code_.compare(at, 6, "define") != 0) return 0;
    at = word_end(code_, next_solid(code_, at + 6));
    if (at >= code_.size() || code_[at] != '(') return 0;
    const size_t end = code_.find(')', at);
    for (const std::string& name : identifiers_of(code_.substr(at, end - at))) own_.insert(name);
    return end;
  }

  void punctuation(size_t i) {
    const char c = code_[i];
    if (c == '\n') before_.clear();
    if (is_space(c) || c == '\\') return;
    if (c == '(' || c == '[') ++depth_;
    if (c == ')' || c == ']') --depth_;
    const bool over = c == ';' || c == '{' || c == '}' || depth_ < declaring_at_;
    if (over) declaring_at_ = -1;
    comma_ = c == ',';
    // "type* name": the style has no space between a type and its star.
    const bool star = c == '*' && i > 0 && (is_word(code_[i - 1]) || code_[i - 1] == '*');
    if (!star) before_.clear();
    field_ = c == '.' || (c == '>' && i > 0 && code_[i - 1] == '-');
  }

  void word(size_t begin, size_t end) {
    std::string name = code_.substr(begin, end - begin);
    const size_t next = next_solid(code_, end);
    const char after = next < code_.size() ? code_[next] : '\0';
    const bool typed = !before_.empty() && std::ranges::find(kNoType, before_) == kNoType.end();
    const bool listed = comma_ && depth_ == declaring_at_ && std::string(",=;[)").contains(after);
    if (field_) {
      field_ = false;
    } else if ((typed && after != '(') || listed) {
      own_.insert(name);
      declaring_at_ = depth_;
    } else if (seen_.insert(name).second) {
      names_.push_back(std::move(name));
    }
    comma_ = false;
  }

  std::string code_, before_;  // before_: the word before, "" after other marks than a star
  std::vector<std::string> names_;
  std::set<std::string> own_, seen_;
  int depth_ = 0, declaring_at_ = -1;
  bool comma_ = false, field_ = false;
};

// Arguments of the call whose '(' is at `open`; `end` is set behind its ')'.
std::vector<std::string> arguments(std::string_view text, size_t open, size_t& end) {
  std::vector<std::string> out(1);
  const std::string code = blanked(text);
  int depth = 0;
  for (end = open; end < text.size(); ++end) {
    const char c = code[end];
    if (c == '(' && depth++ == 0) continue;
    if (c == ')' && --depth == 0) break;
    if (c == ',' && depth == 1) {
      out.emplace_back();
    } else {
      out.back() += text[end];
    }
  }
  if (end < text.size()) ++end;
  for (std::string& argument : out) argument = std::string(trimmed(argument));
  return out;
}

std::string substituted(const Macro& macro, const std::vector<std::string>& args) {
  std::string out;
  const std::string_view body = macro.body;
  for (size_t i = 0; i < body.size();) {
    if (!is_word(body[i])) {
      out += body[i++];
      continue;
    }
    const size_t end = word_end(body, i);
    const std::string_view word = body.substr(i, end - i);
    const auto it = std::ranges::find(macro.params, word);
    const auto index = static_cast<size_t>(it - macro.params.begin());
    out += index < args.size() ? std::string_view(args[index]) : word;
    i = end;
  }
  for (size_t at = out.find("##"); at != std::string::npos; at = out.find("##")) {
    size_t begin = at, end = at + 2;
    while (begin > 0 && is_space(out[begin - 1])) --begin;
    while (end < out.size() && is_space(out[end])) ++end;
    out.erase(begin, end - begin);
  }
  return out;
}

}  // namespace

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && is_space(s.front())) s.remove_prefix(1);
  while (!s.empty() && is_space(s.back())) s.remove_suffix(1);
  return s;
}

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

bool is_identifier(std::string_view name) {
  if (name.empty() || name.size() > 64 || std::isdigit(static_cast<unsigned char>(name[0]))) {
    return false;
  }
  return std::ranges::all_of(name, [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}

bool shadows_system_header(std::string_view name) {
  return std::ranges::any_of(kSystemHeaders, [&](std::string_view header) {
    return std::ranges::equal(header, name, [](char a, char b) {
      return a == std::tolower(static_cast<unsigned char>(b));
    });
  });
}

std::string for_comment(std::string_view text) {
  std::string out;
  for (const char c : text.substr(0, 200)) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '\\' && c != '*' && c != '?';
    out += plain ? c : '.';
  }
  return out;
}

std::string blanked(std::string_view text) {
  std::string out(text);
  enum { kCode, kLine, kBlock, kQuote } state = kCode;
  char quote = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    const char c = text[i];
    const char next = i + 1 < text.size() ? text[i + 1] : '\0';
    if (state == kCode) {
      if (c == '/' && next == '/') state = kLine;
      if (c == '/' && next == '*') state = kBlock;
      if (c == '"' || c == '\'') {
        state = kQuote;
        quote = c;
        continue;
      }
      if (state != kCode) out[i] = ' ';
      continue;
    }
    if (c != '\n') out[i] = ' ';
    if (state == kLine && c == '\n') state = kCode;
    if (state == kBlock && c == '*' && next == '/') {
      out[++i] = ' ';
      state = kCode;
    }
    if (state == kQuote) {
      if (c == '\\' && i + 1 < out.size()) out[++i] = ' ';
      if (c == quote) {
        out[i] = c;
        state = kCode;
      }
    }
  }
  return out;
}

std::vector<std::string> identifiers_of(std::string_view text) {
  const std::string code = blanked(text);
  std::vector<std::string> out;
  std::set<std::string> seen;
  for (size_t i = 0; i < code.size();) {
    if (!is_word(code[i])) {
      ++i;
      continue;
    }
    const size_t end = word_end(code, i);
    if (std::isdigit(static_cast<unsigned char>(code[i])) == 0) {
      std::string word = code.substr(i, end - i);
      if (seen.insert(word).second) out.push_back(std::move(word));
    }
    i = end;
  }
  return out;
}

std::vector<std::string> outer_names_of(std::string_view text) {
  return NameWalk(blanked(text)).run();
}

void add_macro(std::string_view define, Macros& macros) {
  std::string text = blanked(define);
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '\\', ' ');
  size_t at = text.find("define");
  if (at == std::string::npos) return;
  at = next_solid(text, at + 6);
  const size_t end = word_end(text, at);
  if (end >= text.size() || text[end] != '(') return;
  const size_t close = text.find(')', end);
  if (close == std::string::npos) return;
  macros[text.substr(at, end - at)] = {identifiers_of(text.substr(end, close - end)),
                                       std::string(trimmed(text.substr(close + 1)))};
}

std::string expanded(std::string_view text, const Macros& macros, int level) {
  std::string out;
  for (size_t i = 0; i < text.size();) {
    if (!is_word(text[i])) {
      out += text[i++];
      continue;
    }
    size_t end = word_end(text, i);
    const auto it = macros.find(text.substr(i, end - i));
    const size_t open = next_solid(text, end);
    if (it == macros.end() || open >= text.size() || text[open] != '(' || level >= kMaxLevels) {
      out += text.substr(i, end - i);
    } else {
      const std::vector<std::string> args = arguments(text, open, end);
      out += expanded(substituted(it->second, args), macros, level + 1);
    }
    i = end;
  }
  return out;
}

}  // namespace netkit::emit
