// SPDX-License-Identifier: MIT
// The self-contained page, and the same drawing as one SVG file.
#include <fmt/core.h>

#include <algorithm>

#include "compiler/plan/picture/svg.h"

namespace netkit::plan {
namespace {

constexpr int kWindowSteps = 60;      // longer plans get a window and a map
constexpr size_t kMaxPeakRows = 30;

constexpr const char* kStyle = R"(
:root{--bg:#fff;--ink:#1c1e21;--soft:#667;--line:#c8ccd2;--input:#7fb3ef;--activation:#a9d6a0;
--output:#f3b46b;--scratch:#d9d9e3;--state:#c9a6e4;--peak:#ffe58a66;--curve:#9aa6b8}
@media(prefers-color-scheme:dark){:root{--bg:#16181c;--ink:#e7e9ec;--soft:#9aa3ad;--line:#3b4048;
--input:#2f6cab;--activation:#3d7a39;--output:#a9671d;--scratch:#4a4a58;--state:#6d4a8a;
--peak:#6b5a1466;--curve:#5b6675}}
body{background:var(--bg);color:var(--ink);font:15px/1.45 system-ui,sans-serif;margin:24px auto;
max-width:1320px;padding:0 16px}
h1{font-size:22px;margin:0 0 4px}h2{font-size:17px;margin:24px 0 4px}
.views{display:flex;flex-wrap:wrap;gap:32px}.view{flex:1 1 560px;min-width:0}
.row{display:flex;flex-wrap:wrap;gap:20px}.pic{flex:3 1 520px;min-width:0}.list{flex:1 1 240px}
table{border-collapse:collapse;font-size:13px}td,th{padding:2px 8px 2px 0;text-align:left}
td.n{text-align:right;font-variant-numeric:tabular-nums}
td.name{max-width:260px;overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.key span{display:inline-block;margin-right:14px;font-size:13px}
.key i{display:inline-block;width:12px;height:12px;margin-right:5px;border:1px solid var(--ink)}
p{margin:4px 0;color:var(--soft)}
)";

constexpr const char* kSvgStyle = R"(
svg{width:100%;height:auto;display:block;font:11px system-ui,sans-serif}
.b{stroke:var(--bg,#fff);stroke-width:.6}
.input{fill:var(--input,#7fb3ef);stroke:var(--ink,#1c1e21);stroke-width:1.2}
.output{fill:var(--output,#f3b46b);stroke:var(--ink,#1c1e21);stroke-width:1.2}
.activation{fill:var(--activation,#a9d6a0)}.scratch{fill:var(--scratch,#d9d9e3)}
.state{fill:var(--state,#c9a6e4)}.hatch{fill:url(#h)}
.hatchline{stroke:var(--soft,#667);stroke-width:1.4}
.name{fill:var(--ink,#1c1e21);text-anchor:middle}.tick{fill:var(--soft,#667)}
.mid{text-anchor:middle}.end{text-anchor:end}
.arena{stroke:var(--ink,#1c1e21);stroke-width:1.4}
.bound{stroke:#d33;stroke-width:1.4;stroke-dasharray:6 4}
.peak{fill:var(--peak,#ffe58a66)}.curve{fill:var(--curve,#9aa6b8);fill-opacity:.55}
.marked{fill:none;stroke:#d33;stroke-width:2}
)";

Window whole(const Layout& layout) {
  return {0, std::max(0, static_cast<int>(layout.steps.size()) - 1)};
}

Window around_peak(const Layout& layout) {
  const Window all = whole(layout);
  if (all.last + 1 <= kWindowSteps) return all;
  int first = std::max(0, peak_step(layout) - kWindowSteps / 2);
  first = std::min(first, all.last + 1 - kWindowSteps);
  return {first, first + kWindowSteps - 1};
}

std::string kib(int64_t bytes) {
  return fmt::format("{} B ({:.1f} KiB)", bytes, static_cast<double>(bytes) / 1024);
}

std::string peak_table(const Problem& problem, const Layout& layout) {
  const int peak = peak_step(layout);
  const std::vector<int> live = peak_buffers(layout);
  const double sum = static_cast<double>(std::max<int64_t>(1, layout.steps[peak].live_bytes));
  std::string out = fmt::format(
      "<p>To go lower, change what is alive at step {} ({}): {}.</p><table>"
      "<tr><th>bytes</th><th>share</th><th>buffer</th><th>role</th></tr>\n",
      peak, escape_xml(problem.steps[layout.steps[peak].step].name),
      kib(layout.steps[peak].live_bytes));
  for (size_t i = 0; i < live.size() && i < kMaxPeakRows; ++i) {
    const LayoutBuffer& b = layout.buffers[live[i]];
    out += fmt::format("<tr><td class=\"n\">{}</td><td class=\"n\">{:.1f} %</td>"
                       "<td class=\"name\" title=\"{}\">{}</td><td>{}</td></tr>\n",
                       b.bytes, 100.0 * static_cast<double>(b.bytes) / sum, escape_xml(b.name),
                       escape_xml(b.name), kind_name(b.kind));
  }
  if (live.size() > kMaxPeakRows) {
    out += fmt::format("<tr><td colspan=\"4\">and {} smaller ones</td></tr>\n",
                       live.size() - kMaxPeakRows);
  }
  return out + "</table>\n";
}

std::string view_html(const PictureView& view, int64_t top_bytes) {
  const Layout& layout = *view.layout;
  SvgOptions options;
  options.window = around_peak(layout);
  options.top_bytes = top_bytes;
  std::string out = fmt::format(
      "<section class=\"view\"><h2>{}</h2><p>Class {}: arena {}, lower bound {} ({}); the given "
      "order needs {}; {} steps, {} buffers.</p>\n<div class=\"row\"><div class=\"pic\">",
      escape_xml(view.title), class_name(layout.plan_class), kib(layout.arena_bytes),
      kib(layout.lower_bound_bytes),
      layout.proven_minimal ? "proven minimal" : "not proven minimal",
      kib(layout.given_order_peak_bytes), layout.steps.size(), layout.buffers.size());
  out += plan_svg(layout, options);
  const Window all = whole(layout);
  if (options.window.last - options.window.first < all.last) {
    SvgOptions map = options;
    map.window = all;
    map.names = false;
    map.marked = options.window;
    out += "<p>The whole plan; the frame is the window above.</p>" + plan_svg(layout, map);
  }
  out += "</div><div class=\"list\">" + peak_table(*view.problem, layout) + "</div></div>";
  return out + "</section>\n";
}

}  // namespace

std::string svg_picture(const PictureView& view) {
  SvgOptions options;
  options.window = whole(*view.layout);
  options.top_bytes = view.layout->arena_bytes;
  options.style = fmt::format("<style>{}</style>", kSvgStyle);
  return plan_svg(*view.layout, options);
}

std::string html_page(const std::vector<PictureView>& views) {
  int64_t top = 1;
  for (const PictureView& v : views) top = std::max(top, v.layout->arena_bytes);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>netkit memory plan</title>"
      "<style>{}{}</style></head><body>\n<h1>Memory plan</h1>\n<p class=\"key\">",
      kStyle, kSvgStyle);
  for (const BufferKind kind : {BufferKind::kInput, BufferKind::kActivation, BufferKind::kOutput,
                                BufferKind::kScratch, BufferKind::kState}) {
    out += fmt::format("<span><i style=\"background:var(--{})\"></i>{}</span>", kind_name(kind),
                       kind_name(kind));
  }
  out += "<span>solid line: arena</span><span>dashed line: proven lower bound</span>"
         "<span>slanted edge: an output overwrites an input</span></p>\n<div class=\"views\">\n";
  for (const PictureView& v : views) out += view_html(v, top);
  return out + "</div>\n</body></html>\n";
}

}  // namespace netkit::plan
