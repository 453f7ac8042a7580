// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_chunks.h"

#include <algorithm>
#include <cctype>
#include <set>

namespace netkit::emit {
namespace {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
}

// Code with comments and literals blanked, same length, so that positions agree.
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
      if (c == '\\') out[++i] = ' ';
      if (c == quote) {
        out[i] = c;
        state = kCode;
      }
    }
  }
  return out;
}

struct Line {
  std::string_view text, code;  // code: comments blanked
};

std::vector<Line> lines_of(std::string_view text, std::string_view code) {
  std::vector<Line> lines;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find('\n', at);
    if (end == std::string_view::npos) end = text.size();
    lines.push_back({text.substr(at, end - at), code.substr(at, end - at)});
    at = end + 1;
  }
  return lines;
}

std::string_view trimmed(std::string_view s) {
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.front()))) s.remove_prefix(1);
  while (!s.empty() && std::isspace(static_cast<unsigned char>(s.back()))) s.remove_suffix(1);
  return s;
}

std::string_view directive(std::string_view code) {
  code = trimmed(code);
  if (!code.starts_with('#')) return {};
  code = trimmed(code.substr(1));
  size_t n = 0;
  while (n < code.size() && is_word(code[n])) ++n;
  return code.substr(0, n);
}

int depth_change(std::string_view code) {
  return static_cast<int>(std::ranges::count(code, '{') + std::ranges::count(code, '(')) -
         static_cast<int>(std::ranges::count(code, '}') + std::ranges::count(code, ')'));
}

// Last identifier before `end`.
std::string word_before(std::string_view code, size_t end) {
  while (end > 0 && !is_word(code[end - 1])) --end;
  size_t begin = end;
  while (begin > 0 && is_word(code[begin - 1])) --begin;
  return std::string(code.substr(begin, end - begin));
}

// The enumerators between braces: directives and values are left out.
void name_enumerators(Chunk& chunk, std::string_view body) {
  bool expects_name = true;
  for (const Line& line : lines_of(body, body)) {
    if (!directive(line.code).empty()) continue;
    std::string word;
    for (const char c : line.code) {
      if (is_word(c)) {
        word += c;
        continue;
      }
      if (!word.empty() && expects_name) {
        chunk.defines.push_back(word);
        expects_name = false;
      }
      word.clear();
      if (c == ',') expects_name = true;
    }
  }
}

// typedef, struct and enum.
void name_type(Chunk& chunk, std::string_view text) {
  const size_t brace = text.find('{');
  const size_t pointer = text.find("(*");
  if (brace == std::string_view::npos && pointer != std::string_view::npos) {
    chunk.defines.push_back(word_before(text, text.find(')', pointer)));
    return;
  }
  chunk.defines.push_back(word_before(text, text.rfind(';')));
  if (brace == std::string_view::npos) return;
  chunk.defines.push_back(word_before(text, brace));
  const bool is_enum = text.substr(0, brace).find("enum") != std::string_view::npos;
  if (is_enum) name_enumerators(chunk, text.substr(brace + 1, text.rfind('}') - brace - 1));
}

// Names that a declaration (not a directive) introduces; none for a prototype.
void name_declaration(Chunk& chunk, const std::string& code) {
  const std::string_view text = trimmed(code);
  const size_t brace = text.find('{');
  const size_t paren = text.find('(');
  const size_t equals = text.find('=');
  chunk.is_static = text.starts_with("static");
  if (text.starts_with("typedef") || text.starts_with("struct") || text.starts_with("enum")) {
    name_type(chunk, text);
  } else if (paren != std::string_view::npos && brace != std::string_view::npos && paren < brace &&
             equals > paren) {
    chunk.kind = ChunkKind::kFunction;
    chunk.defines.push_back(word_before(text, paren));
  } else if (equals != std::string_view::npos) {
    chunk.defines.push_back(word_before(text, std::min(equals, text.find('['))));
  }
}

class Cutter {
 public:
  explicit Cutter(std::string_view text) : code_(blanked(text)), lines_(lines_of(text, code_)) {}

  ChunkedFile run() {
    while (at_ < lines_.size()) step();
    return std::move(out_);
  }

 private:
  void step() {
    const std::string_view code = trimmed(lines_[at_].code);
    const std::string_view word = directive(code);
    if (code.empty()) {
      comment_line();
    } else if (code == "NK_EXTERN_C_BEGIN" || code == "NK_EXTERN_C_END" || word == "undef") {
      drop_line();
    } else if (word == "include") {
      if (const size_t open = code.find('<'); open != std::string_view::npos) {
        out_.includes.emplace_back(code.substr(open));
      }
      drop_line();
    } else if (word == "ifndef" && is_guard()) {
      at_ += 2;
      ++guards_;
      pending_.clear();
    } else if (word == "endif" && guards_ > 0) {
      --guards_;
      drop_line();
    } else if (!word.empty()) {
      take_directive(word);
    } else {
      take_declaration();
    }
  }

  void comment_line() {
    if (trimmed(lines_[at_].text).empty()) {
      pending_.clear();
    } else {
      pending_ += std::string(lines_[at_].text) + "\n";
    }
    ++at_;
  }

  void drop_line() {
    pending_.clear();
    ++at_;
  }

  // "#ifndef X" whose next line is "#define X" and nothing else.
  bool is_guard() const {
    if (at_ + 1 >= lines_.size() || directive(lines_[at_ + 1].code) != "define") return false;
    const auto a = identifiers_of(lines_[at_].code);
    const auto b = identifiers_of(lines_[at_ + 1].code);
    return a.size() == 2 && b.size() == 2 && a[1] == b[1];
  }

  void append_line(Chunk& chunk, std::string& code) {
    chunk.text += std::string(lines_[at_].text) + "\n";
    code += std::string(lines_[at_].code) + "\n";
    ++at_;
  }

  void take_directive(std::string_view word) {
    Chunk chunk;
    chunk.kind = ChunkKind::kDirective;
    std::string code;
    int nesting = 0;
    do {
      const std::string_view inner = directive(lines_[at_].code);
      if (inner.starts_with("if")) ++nesting;
      if (inner == "endif") --nesting;
      if (inner == "define") {
        chunk.defines.push_back(identifiers_of(lines_[at_].code)[1]);
      } else if (inner.empty() && word != "define") {
        name_line(chunk, lines_[at_].code);
      }
      while (trimmed(lines_[at_].code).ends_with('\\')) append_line(chunk, code);
      append_line(chunk, code);
    } while (nesting > 0 && at_ < lines_.size());
    finish(std::move(chunk), code);
  }

  // A function head inside a conditional block.
  static void name_line(Chunk& chunk, std::string_view code) {
    const size_t paren = code.find('(');
    if (paren == std::string_view::npos || code.empty() || !is_word(code[0])) return;
    chunk.defines.push_back(word_before(code, paren));
  }

  void take_declaration() {
    Chunk chunk;
    std::string code;
    int depth = 0;
    bool done = false;
    while (!done && at_ < lines_.size()) {
      const bool is_directive = !directive(lines_[at_].code).empty();
      if (!is_directive) depth += depth_change(lines_[at_].code);
      const std::string_view end = trimmed(lines_[at_].code);
      done = depth == 0 && !is_directive && (end.ends_with(';') || end.ends_with('}'));
      append_line(chunk, code);
    }
    name_declaration(chunk, code);
    if (chunk.defines.empty()) {
      pending_.clear();
    } else {
      finish(std::move(chunk), code);
    }
  }

  void finish(Chunk chunk, const std::string& code) {
    chunk.uses = identifiers_of(code);
    chunk.text = pending_ + chunk.text;
    pending_.clear();
    out_.chunks.push_back(std::move(chunk));
  }

  std::string code_;
  std::vector<Line> lines_;
  size_t at_ = 0;
  int guards_ = 0;
  std::string pending_;  // comment lines waiting for their declaration
  ChunkedFile out_;
};

}  // namespace

ChunkedFile cut_into_chunks(std::string_view text) {
  return Cutter(text).run();
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
    size_t end = i;
    while (end < code.size() && is_word(code[end])) ++end;
    if (std::isdigit(static_cast<unsigned char>(code[i])) == 0) {
      std::string word = code.substr(i, end - i);
      if (seen.insert(word).second) out.push_back(std::move(word));
    }
    i = end;
  }
  return out;
}

}  // namespace netkit::emit
