// SPDX-License-Identifier: MIT
// Ticks, level lines and the curve of live bytes.
#include <fmt/core.h>

#include <cmath>

#include "compiler/plan/picture/svg.h"

namespace netkit::plan {
namespace {

constexpr int kNamedSteps = 60;  // more steps than that get numbers only
constexpr size_t kAxisNameLetters = 18;
constexpr int kMostTicks = 8;

// A round distance between ticks: 1, 2 or 5 times a power of ten.
double tick_distance(double range) {
  const double rough = range / kMostTicks;
  const double power = std::pow(10.0, std::floor(std::log10(std::max(rough, 1e-9))));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough) return factor * power;
  }
  return 10 * power;
}

bool names_fit(const Scale& scale) {
  return scale.window.count() <= kNamedSteps && scale.column() >= 11;
}

std::string level(const Scale& scale, int64_t bytes, const std::string& css,
                  const std::string& text, bool labelled, bool left) {
  std::string out = fmt::format(
      "<line x1=\"0\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\">"
      "<title>{}</title></line>\n",
      scale.width, scale.y(static_cast<double>(bytes)), scale.y(static_cast<double>(bytes)), css,
      text);
  if (labelled) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"{}text{}\">{}</text>\n",
                       left ? 2.0 : scale.width - 2, scale.y(static_cast<double>(bytes)) - 5, css,
                       left ? "" : " end", text);
  }
  return out;
}

}  // namespace

std::string address_axis(const Scale& scale) {
  const double top = static_cast<double>(scale.top_bytes);
  const double unit = top < 4096 ? 1 : 1024;
  const double step = std::max(1.0 / unit, tick_distance(top / unit));
  std::string out;
  for (double at = 0; at * unit <= top * 1.0001; at += step) {
    const double y = scale.y(at * unit);
    out += fmt::format(
        "<line x1=\"0\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"grid\"/>"
        "<text x=\"-7\" y=\"{:.1f}\" class=\"tick end\">{:g}{}</text>\n",
        scale.width, y, y, y + 4, at, unit > 1 ? " KiB" : " B");
  }
  return out;
}

std::string level_lines(const Layout& layout, const Scale& scale, bool labelled) {
  const std::string proof = layout.proven_minimal ? " = the proven minimum" : ", the least found";
  std::string out = level(scale, layout.arena_bytes, "arena",
                          "arena " + kib_text(layout.arena_bytes) + proof, labelled, true);
  const double apart = scale.y(static_cast<double>(layout.lower_bound_bytes)) -
                       scale.y(static_cast<double>(layout.arena_bytes));
  out += level(scale, layout.lower_bound_bytes, "bound",
               "proven lower bound " + kib_text(layout.lower_bound_bytes),
               labelled && (layout.proven_minimal || apart > 0), false);
  return out;
}

double step_axis_height(const PictureView& view, const Scale& scale) {
  if (!names_fit(scale)) return 34;
  size_t longest = 1;
  for (int i = scale.window.first; i <= scale.window.last; ++i) {
    const Layout& layout = *view.layout;
    longest = std::max(
        longest,
        shortened(first_name(view.problem->steps[layout.steps[i].step].name), kAxisNameLetters)
            .size());
  }
  return 34 + 5.0 * static_cast<double>(longest);
}

std::string step_axis(const PictureView& view, const Scale& scale, double y) {
  const Layout& layout = *view.layout;
  std::string out;
  const int count = scale.window.count();
  const int stride = std::max(1, (count + 29) / 30);
  for (int i = scale.window.first; i <= scale.window.last; i += stride) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick mid\">{}</text>\n",
                       scale.x(i + 0.5), y + 13, i + 1);
  }
  if (!names_fit(scale)) {
    return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick mid\">step</text>\n",
                             scale.width / 2, y + 28);
  }
  for (int i = scale.window.first; i <= scale.window.last; ++i) {
    const std::string& name = view.problem->steps[layout.steps[i].step].name;
    const std::string shown = shortened(first_name(name), kAxisNameLetters);
    out += fmt::format(
        "<text transform=\"translate({:.1f} {:.1f}) rotate(-52)\" class=\"tick end\">"
        "<title>{}</title>{}</text>\n",
        scale.x(i + 0.5) + 4, y + 25, escape_xml(name), escape_xml(shown));
  }
  return out;
}

std::string live_curve(const PictureView& view, const Scale& scale, double top, double height) {
  const Layout& layout = *view.layout;
  const double full = static_cast<double>(scale.top_bytes);
  const auto y_of = [&](int64_t bytes) {
    return top + height - height * static_cast<double>(bytes) / full;
  };
  std::string points, hits;
  for (int i = scale.window.first; i <= scale.window.last; ++i) {
    const LayoutStep& step = layout.steps[i];
    points += fmt::format("{:.1f},{:.1f} {:.1f},{:.1f} ", scale.x(i), y_of(step.live_bytes),
                          scale.x(i + 1), y_of(step.live_bytes));
    hits += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"hit\">"
        "<title>step {} ({}): {} in use</title></rect>\n",
        scale.x(i), top, scale.column(), height, i + 1,
        escape_xml(view.problem->steps[step.step].name), kib_text(step.live_bytes));
  }
  std::string out = fmt::format(
      "<polygon class=\"curve\" points=\"0,{0:.1f} {1}{2:.1f},{0:.1f}\"/>"
      "<polyline class=\"curveline\" points=\"{1}\"/>\n",
      top + height, points, scale.width);
  out += fmt::format(
      "<text x=\"-7\" y=\"{:.1f}\" class=\"tick end\">live</text>"
      "<text x=\"-7\" y=\"{:.1f}\" class=\"tick end\">bytes</text>\n",
      top + height / 2 - 1, top + height / 2 + 11);
  const int peak = peak_step(layout);
  if (peak >= scale.window.first && peak <= scale.window.last) {
    const double x = scale.x(peak + 0.5);
    const bool left = x < scale.width / 2;
    const double edge = left ? scale.x(peak + 1) + 4 : scale.x(peak) - 4;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"peaktext{}\">peak {}</text>\n",
                       edge, top - 4, left ? "" : " end", kib_text(layout.steps[peak].live_bytes));
  }
  return out + hits;
}

}  // namespace netkit::plan
