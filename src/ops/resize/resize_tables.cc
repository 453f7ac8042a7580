// SPDX-License-Identifier: MIT
#include "ops/resize/resize_tables.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace netkit {
namespace {

// Position in the input that output position x stands for (ONNX operator specification, Resize).
struct CoordinateRule {
  std::string_view name;
  double (*place)(double x, const OnnxAxis& axis);
};

double half_pixel(double x, const OnnxAxis& a) { return (x + 0.5) / a.scale - 0.5; }

constexpr CoordinateRule kCoordinates[] = {
    {"half_pixel", half_pixel},
    {"pytorch_half_pixel",
     [](double x, const OnnxAxis& a) { return a.out > 1 ? half_pixel(x, a) : 0.0; }},
    {"asymmetric", [](double x, const OnnxAxis& a) { return x / a.scale; }},
    {"align_corners",
     [](double x, const OnnxAxis& a) {
       const double steps = static_cast<double>(a.in) * a.scale - 1.0;  // not rounded down
       return a.out > 1 ? x * static_cast<double>(a.in - 1) / steps : 0.0;
     }},
    {"tf_half_pixel_for_nn", [](double x, const OnnxAxis& a) { return (x + 0.5) / a.scale; }},
    {"half_pixel_symmetric",
     [](double x, const OnnxAxis& a) {
       const double in = static_cast<double>(a.in);
       const double adjustment = static_cast<double>(a.out) / (a.scale * in);
       return in / 2.0 * (1.0 - adjustment) + half_pixel(x, a);
     }},
    {"tf_crop_and_resize",
     [](double x, const OnnxAxis& a) {
       const double span = static_cast<double>(a.in - 1);
       if (a.out == 1) return 0.5 * (a.roi_start + a.roi_end) * span;
       return a.roi_start * span +
              x * (a.roi_end - a.roi_start) * span / static_cast<double>(a.out - 1);
     }},
};

struct RoundRule {
  std::string_view name;
  double (*round)(double x);
};
constexpr RoundRule kRounds[] = {
    {"round_prefer_floor", [](double x) { return std::ceil(x - 0.5); }},
    {"round_prefer_ceil", [](double x) { return std::floor(x + 0.5); }},
    {"floor", [](double x) { return std::floor(x); }},
    {"ceil", [](double x) { return std::ceil(x); }},
};

int32_t clamped(double x, int64_t in) {
  return static_cast<int32_t>(std::clamp(x, 0.0, static_cast<double>(in - 1)));
}

// Weight of an input element at distance d.
double linear_weight(double d, double) { return std::max(0.0, 1.0 - std::abs(d)); }
double cubic_weight(double d, double a) {
  d = std::abs(d);
  if (d < 1.0) return ((a + 2.0) * d - (a + 3.0)) * d * d + 1.0;
  if (d < 2.0) return ((a * d - 5.0 * a) * d + 8.0 * a) * d - 4.0 * a;
  return 0.0;
}

// Taps from `first` on, the kernel stretched by 1 / squeeze (antialias when shrinking). What lies
// outside counts for the edge element, or for nothing (exclude_outside), and weights are normalised
// where they need not add up to 1.
void add_taps(double at, double squeeze, const OnnxAxis& axis, const OnnxResizeRule& rule,
              AxisTable& table) {
  const bool cubic = rule.mode == "cubic";
  const double reach = (cubic ? 2.0 : 1.0) / squeeze;
  const auto first = static_cast<int64_t>(std::floor(at - reach)) + 1;
  std::vector<double> weights;
  double sum = 0.0;
  for (int32_t k = 0; k < table.taps; ++k) {
    const int64_t i = first + k;
    const double d = (static_cast<double>(i) - at) * squeeze;
    double w = cubic ? cubic_weight(d, rule.cubic_a) : linear_weight(d, 0.0);
    const bool outside = i < 0 || i >= axis.in;
    if (outside && rule.exclude_outside) w = 0.0;
    weights.push_back(w);
    sum += w;
    table.index.push_back(clamped(static_cast<double>(i), axis.in));
  }
  const bool normalise = (rule.exclude_outside || squeeze < 1.0) && sum != 0.0;
  for (const double w : weights) {
    table.weight.push_back(static_cast<float>(normalise ? w / sum : w));
  }
}

}  // namespace

Result<AxisTable> onnx_axis_table(const OnnxAxis& axis, const OnnxResizeRule& rule,
                                  const std::string& where) {
  const auto* place = std::ranges::find(kCoordinates, rule.coordinates, &CoordinateRule::name);
  const auto* round = std::ranges::find(kRounds, rule.nearest, &RoundRule::name);
  if (place == std::end(kCoordinates) || round == std::end(kRounds)) {
    return bad_input(fmt::format("coordinates '{}' or nearest mode '{}' are unknown",
                                 rule.coordinates, rule.nearest),
                     where);
  }
  AxisTable table;
  const bool nearest = rule.mode == "nearest";
  const double squeeze = rule.antialias ? std::min(axis.scale, 1.0) : 1.0;
  if (!nearest) {
    const double reach = (rule.mode == "cubic" ? 2.0 : 1.0) / squeeze;
    if (reach > 1 << 16) return bad_input(fmt::format("scale {} is too small", axis.scale), where);
    table.taps = static_cast<int32_t>(std::ceil(2.0 * reach));
  }
  for (int64_t x = 0; x < axis.out; ++x) {
    double at = place->place(static_cast<double>(x), axis);
    const bool crops = rule.coordinates == "tf_crop_and_resize";
    if (crops && (at < 0.0 || at > static_cast<double>(axis.in - 1))) {
      if (nearest) return bad_input("extrapolation is not supported for nearest", where);
      table.index.insert(table.index.end(), static_cast<size_t>(table.taps), 0);
      table.weight.insert(table.weight.end(), static_cast<size_t>(table.taps), 0.0f);
    } else if (nearest) {
      // A grid point that division missed by rounding is meant.
      if (std::abs(at - std::round(at)) < 1e-9) at = std::round(at);
      table.index.push_back(clamped(round->round(at), axis.in));
    } else {
      add_taps(at, squeeze, axis, rule, table);
    }
  }
  return table;
}

AxisTable tflite_nearest_table(int64_t in, int64_t out, const TfliteResizeRule& rule) {
  AxisTable table;
  const bool corners = rule.align_corners && out > 1;
  const float scale = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  const float offset = rule.half_pixel_centers ? 0.5f : 0.0f;
  for (int64_t x = 0; x < out; ++x) {
    const float at = (static_cast<float>(x) + offset) * scale;
    table.index.push_back(clamped(rule.align_corners ? std::round(at) : std::floor(at), in));
  }
  return table;
}

AxisTable tflite_linear_table(int64_t in, int64_t out, const TfliteResizeRule& rule) {
  AxisTable table;
  table.taps = 2;
  const bool corners = rule.align_corners && out > 1;
  const float scale = corners ? static_cast<float>(in - 1) / static_cast<float>(out - 1)
                              : static_cast<float>(in) / static_cast<float>(out);
  for (int64_t x = 0; x < out; ++x) {
    const auto position = static_cast<float>(x);
    const float at = rule.half_pixel_centers ? (position + 0.5f) * scale - 0.5f : position * scale;
    const int32_t lower = clamped(std::floor(at), in), upper = clamped(std::ceil(at), in);
    const float part = at - static_cast<float>(lower);
    table.index.insert(table.index.end(), {lower, upper});
    table.weight.insert(table.weight.end(), {1.0f - part, part});
  }
  return table;
}

IntegerTable tflite_integer_table(int64_t in, int64_t out, const TfliteResizeRule& rule) {
  IntegerTable table;
  const bool corners = rule.align_corners && out > 1;
  const int64_t from = corners ? in - 1 : in, to = corners ? out - 1 : out;
  const int64_t scale = (from * 1024 + to / 2) / to;
  for (int64_t x = 0; x < out; ++x) {
    const int64_t at = rule.half_pixel_centers ? x * scale + scale / 2 - 512 : x * scale;
    const auto lower = static_cast<int32_t>(std::clamp<int64_t>(at / 1024, 0, in - 1));
    const auto upper = static_cast<int32_t>(std::clamp<int64_t>((at + 1023) / 1024, 0, in - 1));
    const auto part = static_cast<int32_t>(std::clamp<int64_t>(at - int64_t{lower} * 1024, -1024,
                                                               2048));
    table.index.insert(table.index.end(), {lower, upper});
    table.weight.insert(table.weight.end(), {1024 - part, part});
  }
  return table;
}

}  // namespace netkit
