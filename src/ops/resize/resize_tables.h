// SPDX-License-Identifier: MIT
// Interpolation along one axis as tables: which input positions an output position takes, and how
// much of each. ONNX Resize (every mode and coordinate rule) and the TFLite resize operators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace netkit {

struct AxisTable {
  int32_t taps = 1;
  std::vector<int32_t> index;  // [out, taps], inside [0, in)
  std::vector<float> weight;   // [out, taps]; empty: nearest
};

// One axis of an ONNX Resize.
struct OnnxAxis {
  int64_t in = 1, out = 1;      // 1 or more
  double scale = 1.0;           // out / in, or as the model states it
  double roi_start = 0.0, roi_end = 1.0;
};

struct OnnxResizeRule {
  std::string mode = "nearest";             // nearest, linear, cubic
  std::string coordinates = "half_pixel";
  std::string nearest = "round_prefer_floor";
  double cubic_a = -0.75;
  bool exclude_outside = false;
  bool antialias = false;
};

// An error names an unknown word of the rule.
Result<AxisTable> onnx_axis_table(const OnnxAxis& axis, const OnnxResizeRule& rule,
                                  const std::string& where);

struct TfliteResizeRule {
  bool align_corners = false, half_pixel_centers = false;
};

AxisTable tflite_nearest_table(int64_t in, int64_t out, const TfliteResizeRule& rule);
AxisTable tflite_linear_table(int64_t in, int64_t out, const TfliteResizeRule& rule);

// The linear table of the integer reference kernel: weights in 1/1024.
struct IntegerTable {
  std::vector<int32_t> index, weight;  // [out, 2]
};
IntegerTable tflite_integer_table(int64_t in, int64_t out, const TfliteResizeRule& rule);

}  // namespace netkit
