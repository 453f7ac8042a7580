// SPDX-License-Identifier: MIT
// The self-contained page, and the same drawing as one SVG file.
#include <fmt/core.h>

#include <algorithm>

#include "compiler/plan/picture/svg.h"

namespace netkit::plan {
namespace {

constexpr size_t kMaxPeakRows = 30, kListLetters = 26;

constexpr const char* kPageStyle = R"(
body{background:var(--bg);color:var(--ink);font:15px/1.5 system-ui,"Segoe UI",Roboto,"DejaVu Sans",
sans-serif;margin:28px auto;max-width:1440px;padding:0 20px}
h1{font-size:22px;margin:0 0 2px}h2{font-size:18px;margin:26px 0 8px;overflow-wrap:anywhere}
h3{font-size:14px;margin:0 0 6px}p{margin:4px 0;color:var(--soft);overflow-wrap:anywhere}
.views{display:flex;flex-wrap:wrap;gap:36px}.view{flex:1 1 600px;min-width:0}
.row{display:flex;flex-wrap:wrap;gap:24px}.pic{flex:3 1 640px;min-width:0}
.pic svg{width:100%;height:auto;display:block}
.list{flex:1 1 270px;min-width:0}
.cards{display:flex;flex-wrap:wrap;gap:10px;margin:8px 0 14px}
.card{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:6px 14px}
.card b{display:block;font-size:17px;font-variant-numeric:tabular-nums}
.card span{font-size:12.5px;color:var(--soft)}
table{border-collapse:collapse;font-size:13px;width:100%;table-layout:fixed}
th{font-weight:600;color:var(--soft);text-align:left;padding:2px 6px 2px 0}
td{padding:3px 6px 3px 0;border-top:1px solid var(--line)}
.n{text-align:right;font-variant-numeric:tabular-nums}
td.name,th.name{padding-left:8px}td.name{overflow:hidden;text-overflow:ellipsis;white-space:nowrap}
.bar{display:block;height:4px;border-radius:2px;margin-top:2px}
.key{margin:6px 0;font-size:13px}.key span{display:inline-block;margin-right:16px}
.key i{display:inline-block;width:13px;height:13px;margin-right:6px;vertical-align:-2px;
border:1px solid var(--line);box-sizing:border-box}
.key .input,.key .output{border:1.5px solid var(--ink)}
.key .scratch{background:repeating-linear-gradient(135deg,var(--soft) 0 1px,var(--scratch) 1px 4px)}
.key .l{height:0;border:0;border-top:2px solid var(--ink);vertical-align:4px}
.key .d{border-top:2px dashed var(--bound)}.key .p{background:var(--peak);opacity:.5}
)";

std::string card(const std::string& value, const std::string& what) {
  return fmt::format("<div class=\"card\"><b>{}</b><span>{}</span></div>", value, what);
}

std::string cards(const Layout& layout) {
  const int64_t given = layout.given_order_peak_bytes;
  std::string out = "<div class=\"cards\">";
  out += card(kib_text(layout.arena_bytes),
              fmt::format("arena, class {}", class_name(layout.plan_class)));
  out += card(kib_text(layout.lower_bound_bytes), layout.proven_minimal
                                                      ? "lower bound: the arena is proven minimal"
                                                      : "lower bound: not proven minimal");
  out += card(kib_text(given), "largest live set of the given order");
  if (given > 0 && layout.arena_bytes < given) {
    const double saved = static_cast<double>(given - layout.arena_bytes);
    out += card(fmt::format("{:.2f} %", 100 * saved / static_cast<double>(given)), "saved of that");
  }
  out +=
      card(fmt::format("{} / {}", layout.steps.size(), layout.buffers.size()), "steps / buffers");
  return out + "</div>\n";
}

std::string peak_row(const LayoutBuffer& b, double largest, double live) {
  const double bytes = static_cast<double>(b.bytes);
  return fmt::format(
      "<tr><td class=\"n\">{}<i class=\"bar\" style=\"background:var(--{});width:{:.1f}%\"></i>"
      "</td><td class=\"n\">{:.1f} %</td><td class=\"name\" title=\"{}\">{}</td><td>{}</td></tr>\n",
      grouped(b.bytes), kind_name(b.kind), 100 * bytes / largest, 100 * bytes / live,
      escape_xml(b.name), escape_xml(shortened(first_name(b.name), kListLetters)),
      kind_name(b.kind));
}

std::string peak_table(const Problem& problem, const Layout& layout) {
  if (layout.steps.empty()) return {};
  const int peak = peak_step(layout);
  const std::vector<int> live = peak_buffers(layout);
  const LayoutStep& step = layout.steps[peak];
  std::string out = fmt::format(
      "<h3>What to change to go lower</h3><p>Alive at the peak, step {} ({}): {}.</p><table>"
      "<colgroup><col style=\"width:26%\"><col style=\"width:19%\"><col><col style=\"width:24%\">"
      "</colgroup><tr><th class=\"n\">bytes</th><th class=\"n\">share</th><th "
      "class=\"name\">buffer</th>"
      "<th>role</th></tr>\n",
      peak + 1, escape_xml(first_name(problem.steps[step.step].name)), kib_text(step.live_bytes));
  const double all = static_cast<double>(std::max<int64_t>(1, step.live_bytes));
  double largest = 1, sum = 0;
  for (const int b : live) {
    largest = std::max(largest, static_cast<double>(layout.buffers[b].bytes));
    sum += static_cast<double>(layout.buffers[b].bytes);
  }
  for (size_t i = 0; i < live.size() && i < kMaxPeakRows; ++i) {
    out += peak_row(layout.buffers[live[i]], largest, all);
  }
  if (live.size() > kMaxPeakRows) {
    out += fmt::format("<tr><td colspan=\"4\">and {} smaller ones</td></tr>\n",
                       live.size() - kMaxPeakRows);
  }
  out += "</table>\n";
  if (sum > all) {
    out +=
        "<p>Buffers that share bytes count once in the peak, so the shares add to more than "
        "100 %.</p>\n";
  }
  return out;
}

std::string view_html(const PictureView& view, int64_t top_bytes, const std::string& id) {
  const Layout& layout = *view.layout;
  SvgOptions options;
  options.window = peak_window(layout);
  options.top_bytes = top_bytes;
  options.id = id;
  std::string out = fmt::format("<section class=\"view\"><h2>{}</h2>\n", escape_xml(view.title)) +
                    cards(layout) + "<div class=\"row\"><div class=\"pic\">" +
                    plan_svg(view, options).text;
  const Window all = whole_window(layout);
  if (options.window.count() < all.count()) {
    SvgOptions map = options;
    map.window = all;
    map.map = true;
    map.marked = options.window;
    map.id = id + "m";
    out += fmt::format("<p>All {} steps; the frame is the window above, round the peak.</p>",
                       all.count()) +
           plan_svg(view, map).text;
  }
  out += "</div><div class=\"list\">" + peak_table(*view.problem, layout) + "</div></div>";
  return out + "</section>\n";
}

std::string legend() {
  std::string out = "<p class=\"key\">";
  for (const BufferKind kind : {BufferKind::kInput, BufferKind::kActivation, BufferKind::kOutput,
                                BufferKind::kScratch, BufferKind::kState}) {
    out +=
        fmt::format("<span><i class=\"{0}\" style=\"background-color:var(--{0})\"></i>{0}</span>",
                    kind_name(kind));
  }
  return out +
         "<span><i class=\"l\"></i>arena</span><span><i class=\"l d\"></i>proven lower bound</span>"
         "<span><i class=\"p\"></i>peak step</span>"
         "<span>slanted edge: an output overwrites what was read of an input</span></p>\n";
}

std::string comparison(const std::vector<PictureView>& views) {
  if (views.size() != 2) return {};
  const int64_t a = views[0].layout->arena_bytes, b = views[1].layout->arena_bytes;
  if (a == b) return fmt::format("<p>Both plans need {}.</p>\n", kib_text(a));
  const double share = 100 * static_cast<double>(std::max(a, b) - std::min(a, b)) /
                       static_cast<double>(std::max(a, b));
  return fmt::format("<p>{} needs {} less ({:.2f} %) than {}; both are drawn at one scale.</p>\n",
                     escape_xml(views[a < b ? 0 : 1].title),
                     kib_text(std::max(a, b) - std::min(a, b)), share,
                     escape_xml(views[a < b ? 1 : 0].title));
}

}  // namespace

std::string svg_picture(const PictureView& view) {
  SvgOptions options;
  options.window = peak_window(*view.layout);
  options.top_bytes = view.layout->arena_bytes;
  SvgDrawing main = plan_svg(view, options);
  const Window all = whole_window(*view.layout);
  double height = main.height;
  if (options.window.count() < all.count()) {
    SvgOptions map = options;
    map.window = all;
    map.map = true;
    map.marked = options.window;
    map.id = "m";
    map.y = height + 8;
    const SvgDrawing below = plan_svg(view, map);
    main.text += below.text;
    height += 8 + below.height;
  }
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\">\n<title>Memory plan: {2}</title>\n<style>{3}{4}"
      "</style>\n<rect width=\"{0:.0f}\" height=\"{1:.0f}\" "
      "style=\"fill:var(--bg)\"/>\n{5}</svg>\n",
      options.width, height, escape_xml(view.title), colour_style(), drawing_style(), main.text);
}

std::string html_page(const std::vector<PictureView>& views) {
  int64_t top = 1;
  for (const PictureView& v : views) top = std::max(top, v.layout->arena_bytes);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
      "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">"
      "<meta name=\"color-scheme\" content=\"light dark\"><title>netkit memory plan</title>"
      "<style>{}{}{}</style></head><body>\n<h1>Memory plan</h1>\n"
      "<p>Across: the steps in the order of execution. Upwards: byte addresses from 0. A rectangle "
      "is a buffer: its width is its life, its height its bytes. Point at one for its "
      "figures.</p>\n",
      colour_style(), drawing_style(), kPageStyle);
  out += legend() + comparison(views) + "<div class=\"views\">\n";
  for (size_t i = 0; i < views.size(); ++i) out += view_html(views[i], top, fmt::format("v{}", i));
  return out + "</div>\n</body></html>\n";
}

}  // namespace netkit::plan
