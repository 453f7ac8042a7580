// SPDX-License-Identifier: MIT
// Inner face of the pictures: one drawing of a window of steps, and what its parts share.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>

#include "compiler/plan/picture/picture.h"

namespace netkit::plan {

// Longer plans are shown as a window of so many steps round the peak, with the whole as a map.
inline constexpr int kWindowSteps = 60;

struct Window {
  int first = 0, last = 0;  // positions, inclusive
  int count() const { return last - first + 1; }
};

Window whole_window(const Layout& layout);
Window peak_window(const Layout& layout);  // at most kWindowSteps

// User units of the address field; y grows downwards, addresses upwards.
struct Scale {
  Window window;
  double width = 0, height = 0;
  int64_t top_bytes = 1;  // the address at the upper edge

  double x(double step) const { return (step - window.first) * width / window.count(); }
  double y(double address) const {
    return height - address * height / static_cast<double>(top_bytes);
  }
  double column() const { return width / window.count(); }
};

struct SvgOptions {
  Window window;
  double width = 960;            // user units
  int64_t top_bytes = 1;         // the address at the upper edge of the field
  bool map = false;              // a small drawing without names, ticks and curve
  std::optional<Window> marked;  // drawn as a frame
  std::string id = "p";          // keeps ids of several drawings on one page apart
  double y = 0;                  // of a drawing inside another one
};

// One <svg> element, with the height that it takes.
struct SvgDrawing {
  std::string text;
  double height = 0;
};
SvgDrawing plan_svg(const PictureView& view, const SvgOptions& options);

// The buffers of the window; those too small to see become one shape per role.
std::string boxes_svg(const Layout& layout, const Scale& scale, const SvgOptions& options);
// Ticks and grid of the addresses.
std::string address_axis(const Scale& scale);
// Arena and bound, with their figures.
std::string level_lines(const Layout& layout, const Scale& scale, bool labelled);
// Numbers and, where there is room, names of the steps; `y` is the upper edge.
std::string step_axis(const PictureView& view, const Scale& scale, double y);
double step_axis_height(const PictureView& view, const Scale& scale);
// The bytes in use per step, on the same x.
std::string live_curve(const PictureView& view, const Scale& scale, double top, double height);

// Colours (:root) and the classes of a drawing; light and dark by the reader's preference.
const char* colour_style();
const char* drawing_style();

std::string rect_svg(double x, double y, double w, double h, const std::string& classes);
std::string escape_xml(const std::string& text);
// Converters join the names of what they fused with ';': the first one.
std::string first_name(const std::string& text);
// What tells long names apart stands at their end: ".." and the last letters.
std::string shortened(const std::string& text, size_t letters);
std::string grouped(int64_t number);  // 139,264
std::string kib_text(int64_t bytes);  // 139,264 B (136.0 KiB)

}  // namespace netkit::plan
