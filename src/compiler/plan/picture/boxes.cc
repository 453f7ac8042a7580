// SPDX-License-Identifier: MIT
// The buffers of a picture: width is life, height bytes, a slanted edge where an output eats up an
// input while both are alive.
#include <fmt/core.h>

#include <array>

#include "compiler/plan/picture/svg.h"

namespace netkit::plan {
namespace {

constexpr double kLetterWidth = 6.3;  // of the 11 px sans-serif that the style asks for
constexpr double kLineHeight = 13;
constexpr double kSmallHeight = 2, kSmallWidth = 1.5;  // user units; below: merged
constexpr size_t kKinds = 5;

struct Box {
  double x0 = 0, x1 = 0, top = 0, bottom = 0;
  double width() const { return x1 - x0; }
  double height() const { return bottom - top; }
};

Box box_of(const LayoutBuffer& buffer, const Scale& scale) {
  return {scale.x(std::max(buffer.first_step, scale.window.first)),
          scale.x(std::min(buffer.last_step, scale.window.last) + 1),
          scale.y(static_cast<double>(buffer.offset + buffer.bytes)),
          scale.y(static_cast<double>(buffer.offset))};
}

// Where a buffer is eaten up (as an input) or eats in (as an output), and from which side.
struct Slants {
  bool left = false, right = false;
  bool left_forward = true, right_forward = true;
};

bool runs_forward(const LayoutBuffer& out, const LayoutBuffer& in, const LayoutOverlap& o) {
  return o.forward_bytes && out.offset <= in.offset - *o.forward_bytes;
}

bool shares_bytes(const LayoutBuffer& a, const LayoutBuffer& b) {
  return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

std::vector<Slants> slants_of(const Layout& layout, const Window& window) {
  std::vector<Slants> slants(layout.buffers.size());
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    const LayoutBuffer& out = layout.buffers[b];
    for (const LayoutOverlap& o : out.overlaps) {
      const LayoutBuffer& in = layout.buffers[o.with];
      if (!shares_bytes(out, in) || o.step < window.first || o.step > window.last) continue;
      const bool forward = runs_forward(out, in, o);
      slants[b].left = true;
      slants[b].left_forward = forward;
      slants[o.with].right = true;
      slants[o.with].right_forward = forward;
    }
  }
  return slants;
}

// A kernel that runs forward frees its input from below and fills its output from below.
std::string outline(const Box& box, const Slants& s, double column, const std::string& classes) {
  if (!s.left && !s.right) return rect_svg(box.x0, box.top, box.width(), box.height(), classes);
  const double left_low = s.left && !s.left_forward ? box.x0 + column : box.x0;
  const double left_high = s.left && s.left_forward ? box.x0 + column : box.x0;
  const double right_low = s.right && s.right_forward ? box.x1 - column : box.x1;
  const double right_high = s.right && !s.right_forward ? box.x1 - column : box.x1;
  return fmt::format(
      "<polygon points=\"{:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f} {:.1f},{:.1f}\" "
      "class=\"{}\"/>",
      left_low, box.bottom, left_high, box.top, right_high, box.top, right_low, box.bottom,
      classes);
}

// In the middle of what the slanted edges leave.
std::string label(const LayoutBuffer& buffer, Box box, const Slants& s, double column) {
  if (s.left) box.x0 += column / 2;
  if (s.right) box.x1 -= column / 2;
  const std::string name = first_name(buffer.name);
  const double x = (box.x0 + box.x1) / 2, y = (box.top + box.bottom) / 2;
  const auto fits = [](double length) {
    return static_cast<size_t>(std::max(0.0, (length - 6) / kLetterWidth));
  };
  const size_t across = fits(box.width()), up = fits(box.height());
  if (box.height() >= kLineHeight && across >= std::min<size_t>(4, name.size())) {
    const std::string bytes = grouped(buffer.bytes) + " B";
    const bool two = box.height() >= 2 * kLineHeight + 2 && across >= bytes.size();
    std::string out = fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"name\">{}</text>", x,
                                  y + (two ? -2 : 4), escape_xml(shortened(name, across)));
    if (two) {
      out +=
          fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" class=\"size\">{}</text>", x, y + 11, bytes);
    }
    return out;
  }
  if (box.width() >= kLineHeight && up >= std::min<size_t>(4, name.size())) {
    return fmt::format(
        "<text x=\"{0:.1f}\" y=\"{1:.1f}\" class=\"name\" "
        "transform=\"rotate(-90 {0:.1f} {1:.1f})\" dy=\"4\">{2}</text>",
        x, y, escape_xml(shortened(name, up)));
  }
  return {};
}

std::string one_box(const Layout& layout, const Scale& scale, int b, const Slants& slants,
                    const SvgOptions& options) {
  const LayoutBuffer& buffer = layout.buffers[b];
  const Box box = box_of(buffer, scale);
  std::string classes = std::string("b ") + kind_name(buffer.kind);
  std::string note;
  if (buffer.alias_of >= 0) {
    classes += " alias";
    note = ", lies in " + escape_xml(layout.buffers[buffer.alias_of].name);
  }
  std::string out =
      fmt::format("<g><title>{}: {} at {}, steps {} to {}, {}{}</title>", escape_xml(buffer.name),
                  kib_text(buffer.bytes), grouped(buffer.offset), buffer.first_step + 1,
                  buffer.last_step + 1, kind_name(buffer.kind), note);
  out += outline(box, slants, scale.column(), classes);
  if (buffer.kind == BufferKind::kScratch) {
    out += fmt::format(
        "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" "
        "fill=\"url(#{}h)\"/>",
        box.x0, box.top, std::max(box.width(), 0.3), std::max(box.height(), 0.3), options.id);
  }
  return out + label(buffer, box, slants, scale.column()) + "</g>\n";
}

}  // namespace

std::string boxes_svg(const Layout& layout, const Scale& scale, const SvgOptions& options) {
  const std::vector<Slants> slants = slants_of(layout, scale.window);
  std::string out;
  std::array<std::string, kKinds> paths;
  std::array<int, kKinds> merged{};
  for (size_t b = 0; b < layout.buffers.size(); ++b) {
    const LayoutBuffer& buffer = layout.buffers[b];
    if (buffer.bytes == 0 || buffer.first_step > scale.window.last ||
        buffer.last_step < scale.window.first) {
      continue;
    }
    const Box box = box_of(buffer, scale);
    if (!options.map && box.height() >= kSmallHeight && box.width() >= kSmallWidth) {
      out += one_box(layout, scale, static_cast<int>(b), slants[b], options);
      continue;
    }
    const size_t kind = static_cast<size_t>(buffer.kind);
    paths[kind] += fmt::format("M{:.1f} {:.1f}h{:.1f}v{:.1f}h{:.1f}z", box.x0, box.top,
                               std::max(box.width(), 0.5), std::max(box.height(), 0.5),
                               -std::max(box.width(), 0.5));
    ++merged[kind];
  }
  for (size_t k = 0; k < kKinds; ++k) {
    if (merged[k] == 0) continue;
    const char* kind = kind_name(static_cast<BufferKind>(k));
    out += fmt::format(
        "<path d=\"{}\" class=\"small {}\"><title>{} small buffers: {}</title>"
        "</path>\n",
        paths[k], kind, merged[k], kind);
  }
  return out;
}

}  // namespace netkit::plan
