// SPDX-License-Identifier: MIT
// Inner face of the pictures: one drawing of a window of steps.
#pragma once

#include <optional>
#include <string>

#include "compiler/plan/picture/picture.h"

namespace netkit::plan {

struct Window {
  int first = 0, last = 0;  // positions, inclusive
};

struct SvgOptions {
  Window window;
  double width = 900;           // user units
  int64_t top_bytes = 1;        // the address at the upper edge
  bool names = true;            // with names, curve and ticks; else a map
  std::optional<Window> marked; // drawn as a frame
  std::string style;            // a <style> element, or nothing
};

std::string plan_svg(const Layout& layout, const SvgOptions& options);
std::string escape_xml(const std::string& text);

}  // namespace netkit::plan
