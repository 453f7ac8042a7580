// SPDX-License-Identifier: MIT
#include "compiler/emit/slice/chunks.h"

#include <algorithm>

#include "compiler/emit/slice/names.h"

namespace netkit::emit {
namespace {

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

// The enumerators between braces, values left out.
void name_enumerators(Chunk& chunk, std::string_view body) {
  bool expects_name = true;
  for (size_t i = 0; i < body.size(); ++i) {
    if (body[i] == ',') expects_name = true;
    if (!is_word(body[i])) continue;
    const size_t begin = i;
    while (i + 1 < body.size() && is_word(body[i + 1])) ++i;
    if (expects_name) chunk.defines.emplace_back(body.substr(begin, i + 1 - begin));
    expects_name = false;
  }
}

// The names that "typedef … a, b[4];" declares; `list` begins behind the type's last brace.
void name_declarators(Chunk& chunk, std::string_view list) {
  for (size_t at = 0; at < list.size();) {
    const size_t end = std::min(list.find_first_of(",;", at), list.size());
    const std::string_view item = list.substr(at, end - at);
    std::string name = word_before(item, std::min(item.find('['), item.size()));
    if (!name.empty()) chunk.defines.push_back(std::move(name));
    at = end + 1;
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
  const size_t close = text.rfind('}');
  name_declarators(chunk, close == std::string_view::npos ? text : text.substr(close + 1));
  if (brace == std::string_view::npos) return;
  chunk.defines.push_back(word_before(text, brace));
  const bool is_enum = text.substr(0, brace).find("enum") != std::string_view::npos;
  if (is_enum) name_enumerators(chunk, text.substr(brace + 1, close - brace - 1));
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
      } else {
        take_header(trimmed(lines_[at_].text));
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
    } else if (is_call(code)) {
      take_call();
    } else {
      take_declaration();
    }
  }

  void take_header(std::string_view line) {
    const size_t open = line.find('"'), close = line.rfind('"');
    if (open < close) out_.headers.emplace_back(line.substr(open + 1, close - open - 1));
  }

  // A line that begins with a list macro: declarations that it makes.
  bool is_call(std::string_view code) const {
    const size_t open = code.find('(');
    return open != std::string_view::npos && macros_.contains(code.substr(0, open));
  }

  void take_call() {
    std::string code;
    do {
      code += std::string(lines_[at_].code) + "\n";
      ++at_;
    } while (depth_change(code) != 0 && at_ < lines_.size());
    pending_.clear();
    take_expansion(expanded(code, macros_));
  }

  // Each declaration of an expansion is a chunk.
  void take_expansion(std::string_view code) {
    int depth = 0;
    size_t begin = 0;
    for (size_t i = 0; i < code.size(); ++i) {
      depth += depth_change(code.substr(i, 1));
      if (depth != 0 || (code[i] != ';' && code[i] != '}')) continue;
      Chunk chunk;
      chunk.text = std::string(trimmed(code.substr(begin, i + 1 - begin))) + "\n";
      const std::string own = chunk.text;
      name_declaration(chunk, own);
      if (!chunk.defines.empty()) finish(std::move(chunk), own);
      begin = i + 1;
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
    if (word == "define") add_macro(code, macros_);
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
    if (trimmed(code).starts_with("typedef enum") && code.find('#') != std::string::npos) {
      expand_enum(chunk, code);
    }
    name_declaration(chunk, code);
    if (chunk.defines.empty()) {
      pending_.clear();
    } else {
      finish(std::move(chunk), code);
    }
  }

  // An enum whose enumerators a list macro makes, with the item macro defined inside.
  void expand_enum(Chunk& chunk, std::string& code) const {
    Macros macros = macros_;
    std::string plain;
    for (const Line& line : lines_of(code, code)) {
      const std::string_view word = directive(line.code);
      if (word == "define") add_macro(line.code, macros);
      if (word.empty()) plain += std::string(line.code) + "\n";
    }
    code = expanded(plain, macros);
    chunk.text = code;
  }

  void finish(Chunk chunk, const std::string& code) {
    chunk.uses = outer_names_of(code);
    chunk.code_at = pending_.size();
    chunk.text = pending_ + chunk.text;
    pending_.clear();
    out_.chunks.push_back(std::move(chunk));
  }

  std::string code_;
  std::vector<Line> lines_;
  size_t at_ = 0;
  int guards_ = 0;
  std::string pending_;  // comment lines waiting for their declaration
  Macros macros_;        // those with parameters, as of this line
  ChunkedFile out_;
};

}  // namespace

ChunkedFile cut_into_chunks(std::string_view text) {
  return Cutter(text).run();
}

}  // namespace netkit::emit
