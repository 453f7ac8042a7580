// SPDX-License-Identifier: MIT
// Colours and classes of the pictures, and the small texts that all of them share.
#include <fmt/core.h>

#include "compiler/plan/picture/svg.h"

namespace netkit::plan {

const char* colour_style() {
  return R"(
:root{--bg:#fff;--ink:#1b1f24;--soft:#5d6673;--line:#d8dce2;--card:#f6f7f9;--input:#8bbdf0;
--activation:#b4dcae;--output:#f5bd74;--scratch:#e3e3ea;--state:#d0b3e8;--peak:#ffcf33;
--curve:#cbd3de;--curveline:#5f728c;--bound:#c62f2f}
@media(prefers-color-scheme:dark){:root{--bg:#14171b;--ink:#e9ebee;--soft:#9aa4b0;--line:#343a42;
--card:#1c2026;--input:#2b66a6;--activation:#33703a;--output:#9c601c;--scratch:#454552;
--state:#664486;--peak:#c79a14;--curve:#2d343e;--curveline:#8ea0b8;--bound:#ff7a6b}}
)";
}

const char* drawing_style() {
  return R"(
svg{font:11px system-ui,"Segoe UI",Roboto,"DejaVu Sans",sans-serif}
.field{fill:var(--bg);stroke:var(--line)}.grid{stroke:var(--line);stroke-width:.7}
.b{stroke:var(--bg);stroke-width:.8}
.input{fill:var(--input)}.output{fill:var(--output)}.activation{fill:var(--activation)}
.scratch{fill:var(--scratch)}.state{fill:var(--state)}
.b.input,.b.output{stroke:var(--ink);stroke-width:1.3}
.alias{fill-opacity:.45;stroke:var(--soft);stroke-dasharray:3 2}
.small{stroke:none}.hatchline{stroke:var(--soft);stroke-width:1.3}
.name{fill:var(--ink);text-anchor:middle;pointer-events:none}
.size{fill:var(--ink);fill-opacity:.72;text-anchor:middle;font-size:10px;pointer-events:none}
.tick{fill:var(--soft)}.mid{text-anchor:middle}.end{text-anchor:end}
.arena{stroke:var(--ink);stroke-width:1.5}.arenatext{fill:var(--ink);font-weight:600}
.bound{stroke:var(--bound);stroke-width:1.5;stroke-dasharray:7 4}.boundtext{fill:var(--bound)}
.peak{fill:var(--peak);fill-opacity:.17;stroke:var(--peak);stroke-width:1;pointer-events:none}
.peaktext{fill:var(--ink);font-weight:600}
.curve{fill:var(--curve)}
.curveline{fill:none;stroke:var(--curveline);stroke-width:1.4}
.hit{fill:transparent}.marked{fill:none;stroke:var(--bound);stroke-width:2}
)";
}

std::string rect_svg(double x, double y, double w, double h, const std::string& classes) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", x, y,
      std::max(w, 0.3), std::max(h, 0.3), classes);
}

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

std::string first_name(const std::string& text) {
  const size_t end = text.find(';');
  return end == std::string::npos || end == 0 ? text : text.substr(0, end);
}

std::string shortened(const std::string& text, size_t letters) {
  if (text.size() <= letters) return text;
  size_t begin = text.size() - (letters < 3 ? 1 : letters - 2);
  // Never inside a UTF-8 sequence.
  while (begin < text.size() && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80) ++begin;
  return ".." + text.substr(begin);
}

std::string grouped(int64_t number) {
  const std::string digits = std::to_string(number);
  std::string out;
  for (size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) out += ',';
    out += digits[i];
  }
  return out;
}

std::string kib_text(int64_t bytes) {
  if (bytes < 1024) return grouped(bytes) + " B";
  return fmt::format("{} B ({:.1f} KiB)", grouped(bytes), static_cast<double>(bytes) / 1024);
}

}  // namespace netkit::plan
