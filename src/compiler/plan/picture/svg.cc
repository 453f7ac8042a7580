// SPDX-License-Identifier: MIT
// The picture as SVG: a rectangle per buffer, slanted where an output eats up an input.
#include "compiler/plan/picture/svg.h"

#include <fmt/core.h>

#include <algorithm>

namespace netkit::plan {

std::string escape_xml(const std::string& text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return out;
}

namespace {

constexpr double kLetterWidth = 6.2;  // of the 11 px sans-serif that the style asks for
constexpr double kLetterHeight = 12;

struct Scale {
  Window window;
  double width, height;  // of the address field
  int64_t top_bytes;
  double x(double step) const {
    return (step - window.first) * width / (window.last - window.first + 1);
  }
  double y(int64_t address) const {
    return height - static_cast<double>(address) * height / static_cast<double>(top_bytes);
  }
};

std::string rect(double x, double y, double w, double h, const char* classes) {
  return fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" class=\"{}\"/>", x, y,
      std::max(w, 0.3), std::max(h, 0.3), classes);
}

// Where `b` is eaten up (as an input) or eats in (as an output), and from which side.
struct Slants {
  bool left = false, right = false;
  bool left_forward = true, right_forward = true;
};

bool runs_forward(const LayoutBuffer& out, const LayoutBuffer& in, const LayoutOverlap& o) {
  return o.forward_bytes && out.offset <= in.offset - *o.forward_bytes;
}

Slants slants_of(const Layout& layout, int b) {
  Slants s;
  const LayoutBuffer& buffer = layout.buffers[b];
  for (const LayoutOverlap& o : buffer.overlaps) {
    s.left = true;
    s.left_forward = runs_forward(buffer, layout.buffers[o.with], o);
  }
  for (const LayoutBuffer& other : layout.buffers) {
    for (const LayoutOverlap& o : other.overlaps) {
      if (o.with != b) continue;
      s.right = true;
      s.right_forward = runs_forward(other, buffer, o);
    }
  }
  return s;
}

// A kernel that runs forward frees its input from below and fills its output from below.
std::string shape(const Layout& layout, const Scale& scale, int b, const std::string& classes) {
  const LayoutBuffer& buffer = layout.buffers[b];
  const double x0 = scale.x(std::max(buffer.first_step, scale.window.first));
  const double x1 = scale.x(std::min(buffer.last_step, scale.window.last) + 1);
  const double low = scale.y(buffer.offset), high = scale.y(buffer.offset + buffer.bytes);
  const Slants s = slants_of(layout, b);
  const double column = scale.x(scale.window.first + 1) - scale.x(scale.window.first);
  if (!s.left && !s.right) return rect(x0, high, x1 - x0, low - high, classes.c_str());
  const double left_low = s.left && !s.left_forward ? x0 + column : x0;
  const double left_high = s.left && s.left_forward ? x0 + column : x0;
  const double right_low = s.right && s.right_forward ? x1 - column : x1;
  const double right_high = s.right && !s.right_forward ? x1 - column : x1;
  return fmt::format(
      "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
      "class=\"{}\"/>",
      left_low, low, left_high, high, right_high, high, right_low, low, classes);
}

std::string buffer_svg(const Layout& layout, const Scale& scale, int b, bool names) {
  const LayoutBuffer& buffer = layout.buffers[b];
  const double x0 = scale.x(std::max(buffer.first_step, scale.window.first));
  const double x1 = scale.x(std::min(buffer.last_step, scale.window.last) + 1);
  const double y0 = scale.y(buffer.offset + buffer.bytes), y1 = scale.y(buffer.offset);
  std::string classes = std::string("b ") + kind_name(buffer.kind);
  std::string out = "<g><title>" +
                    fmt::format("{}: {} bytes at {}, steps {} to {}, {}",
                                escape_xml(buffer.name), buffer.bytes, buffer.offset,
                                buffer.first_step, buffer.last_step, kind_name(buffer.kind)) +
                    "</title>" + shape(layout, scale, b, classes);
  if (buffer.kind == BufferKind::kScratch) {
    out += rect(x0, y0, x1 - x0, y1 - y0, "hatch");
  }
  const size_t fits = static_cast<size_t>(std::max(0.0, (x1 - x0 - 4) / kLetterWidth));
  if (names && y1 - y0 >= kLetterHeight && fits >= 3) {
    const std::string name = buffer.name.size() > fits
                                 ? buffer.name.substr(0, fits - 2) + ".."
                                 : buffer.name;
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\">{}</text>",
                       (x0 + x1) / 2, (y0 + y1) / 2 + 4, escape_xml(name));
  }
  return out + "</g>\n";
}

std::string level_line(const Scale& scale, int64_t bytes, const char* css, const char* what) {
  return fmt::format("<line x1=\"0\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\" class=\"{}\">"
                     "<title>{} {} bytes</title></line>\n",
                     scale.width, scale.y(bytes), scale.y(bytes), css, what, bytes);
}

// The bytes in use per step, below the addresses on the same x.
std::string curve(const Layout& layout, const Scale& scale, double top, double height) {
  std::string points;
  const auto point = [&](double x, double y) { points += fmt::format("{:.1f},{:.1f} ", x, y); };
  point(0, top + height);
  for (int i = scale.window.first; i <= scale.window.last; ++i) {
    const double y = top + height -
                     height * static_cast<double>(layout.steps[i].live_bytes) /
                         static_cast<double>(scale.top_bytes);
    point(scale.x(i), y);
    point(scale.x(i + 1), y);
  }
  point(scale.width, top + height);
  return "<polygon class=\"curve\" points=\"" + points + "\"/>\n";
}

std::string axis(const Scale& scale, double bottom) {
  std::string out;
  for (int k = 0; k <= 4; ++k) {
    const int64_t bytes = scale.top_bytes / 4 * k;
    out += fmt::format("<text x=\"-6\" y=\"{:.1f}\" class=\"tick end\">{:.1f} K</text>\n",
                       scale.y(bytes) + 4, static_cast<double>(bytes) / 1024);
  }
  const int count = scale.window.last - scale.window.first + 1;
  const int stride = std::max(1, (count + 15) / 16);
  for (int i = scale.window.first; i <= scale.window.last; i += stride) {
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"tick mid\">{}</text>\n",
                       (scale.x(i) + scale.x(i + 1)) / 2, bottom + 14, i);
  }
  return out;
}

}  // namespace

std::string plan_svg(const Layout& layout, const SvgOptions& options) {
  constexpr double kLeft = 70, kTop = 12, kCurve = 90, kGap = 16;
  const double field = options.names ? 380 : 120;
  Scale scale{options.window, options.width - kLeft - 12, field,
              std::max<int64_t>(1, options.top_bytes)};
  const double curve_top = field + kGap, bottom = curve_top + (options.names ? kCurve : 0);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" "
      "aria-label=\"memory plan\">\n{}<g transform=\"translate({:.0f},{:.0f})\">\n",
      options.width, bottom + kTop + 24, options.style, kLeft, kTop);
  out += "<defs><pattern id=\"h\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
         "patternTransform=\"rotate(45)\"><line x1=\"0\" y1=\"0\" x2=\"0\" y2=\"6\" "
         "class=\"hatchline\"/></pattern></defs>\n";
  const int peak = peak_step(layout);
  if (peak >= options.window.first && peak <= options.window.last) {
    out += rect(scale.x(peak), 0, scale.x(peak + 1) - scale.x(peak), bottom, "peak") + "\n";
  }
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    const LayoutBuffer& buffer = layout.buffers[b];
    const bool seen = buffer.first_step <= options.window.last &&
                      buffer.last_step >= options.window.first && buffer.alias_of < 0;
    if (seen && buffer.bytes > 0) {
      out += buffer_svg(layout, scale, static_cast<int>(b), options.names);
    }
  }
  out += level_line(scale, layout.arena_bytes, "arena", "arena");
  out += level_line(scale, layout.lower_bound_bytes, "bound", "proven lower bound");
  if (options.names) out += curve(layout, scale, curve_top, kCurve) + axis(scale, bottom);
  if (options.marked) {
    const double x = scale.x(options.marked->first);
    out += rect(x, 0, scale.x(options.marked->last + 1) - x, field, "marked") + "\n";
  }
  return out + "</g></svg>\n";
}

}  // namespace netkit::plan
