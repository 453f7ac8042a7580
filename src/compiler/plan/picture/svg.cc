// SPDX-License-Identifier: MIT
// The picture as SVG: x is the step, y the byte address, the live bytes below on the same x.
#include "compiler/plan/picture/svg.h"

#include <fmt/core.h>

namespace netkit::plan {
namespace {

constexpr double kLeft = 74, kRight = 14, kTop = 22;
constexpr double kField = 400, kMapField = 110, kGap = 26, kCurve = 96;

std::string opening(const SvgOptions& options, double height) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" y=\"{2:.0f}\" viewBox=\"0 0 {0:.0f} {1:.0f}\" "
      "width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" aria-label=\"memory plan\">\n"
      "<defs><pattern id=\"{3}h\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" "
      "class=\"hatchline\"/></pattern></defs>\n",
      options.width, height, options.y, options.id);
}

std::string peak_band(const Layout& layout, const Scale& scale, double bottom) {
  const int peak = peak_step(layout);
  if (peak < scale.window.first || peak > scale.window.last) return {};
  return rect_svg(scale.x(peak), 0, scale.column(), bottom, "peak") + "\n";
}

}  // namespace

Window whole_window(const Layout& layout) {
  return {0, std::max(0, static_cast<int>(layout.steps.size()) - 1)};
}

Window peak_window(const Layout& layout) {
  const Window all = whole_window(layout);
  if (all.count() <= kWindowSteps) return all;
  int first = std::max(0, peak_step(layout) - kWindowSteps / 2);
  first = std::min(first, all.count() - kWindowSteps);
  return {first, first + kWindowSteps - 1};
}

SvgDrawing plan_svg(const PictureView& view, const SvgOptions& options) {
  const Layout& layout = *view.layout;
  const double field = options.map ? kMapField : kField;
  const Scale scale{options.window, options.width - kLeft - kRight, field,
                    std::max<int64_t>(1, options.top_bytes)};
  const double curve_top = field + kGap;
  const double bottom = options.map ? field : curve_top + kCurve;
  SvgDrawing drawing;
  drawing.height = kTop + bottom + (options.map ? 12 : step_axis_height(view, scale));
  std::string out = opening(options, drawing.height);
  out += fmt::format("<g transform=\"translate({:.0f},{:.0f})\">\n", kLeft, kTop);
  out += rect_svg(0, 0, scale.width, field, "field") + "\n";
  if (!options.map) out += address_axis(scale);
  out += boxes_svg(layout, scale, options);
  if (!options.map && !layout.steps.empty()) {
    out += live_curve(view, scale, curve_top, kCurve) + step_axis(view, scale, bottom);
  }
  if (!layout.steps.empty()) out += peak_band(layout, scale, bottom);
  out += level_lines(layout, scale, !options.map);
  if (options.marked) {
    const double x = scale.x(options.marked->first);
    out += rect_svg(x, 0, scale.x(options.marked->last + 1) - x, field, "marked") + "\n";
  }
  drawing.text = out + "</g></svg>\n";
  return drawing;
}

}  // namespace netkit::plan
