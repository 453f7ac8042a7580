// SPDX-License-Identifier: MIT
// Quantisation arithmetic of the host: multipliers, zero points, activation ranges, in double and
// float exactly as TensorFlow Lite prepares its reference kernels. Host only.
#pragma once

#include <cstdint>
#include <string>

#include "compiler/ir/op_def.h"

namespace netkit {

// value = mantissa * 2^(shift - 31); mantissa 0 or in [2^30, 2^31); shift in [-31, 30].
struct QuantizedMultiplier {
  int32_t mantissa = 0;
  int32_t shift = 0;
};

// The nearest multiplier to `real`; what is below 2^-32 becomes 0 (TFLite QuantizeMultiplier). An
// error where real is negative, not finite or 2^30 and more.
Result<QuantizedMultiplier> quantize_multiplier(double real, const std::string& where);

// Values that an integer dtype holds: int8, uint8, int16.
struct IntRange {
  int32_t lo = 0, hi = 0;
  bool operator==(const IntRange&) const = default;
};
Result<IntRange> value_range(nk_dtype dtype, const std::string& where);

// The single scale (finite, above 0) and zero point (inside the dtype) of a per-tensor quantised
// type; an error where there are none or several.
struct TensorQuant {
  float scale = 1.0f;
  int32_t zero_point = 0;
};
Result<TensorQuant> tensor_quant(const TensorType& type, std::string_view what,
                                 const std::string& where);

// The zero point of a type whose scale does not matter; 0 where it has no quantisation.
Result<int32_t> zero_point_of(const TensorType& type, std::string_view what,
                              const std::string& where);

// Real bounds of the attributes activation, then clamp_min and clamp_max (min(max(x, clamp_min),
// clamp_max) of the activation's result); infinite where there are none.
struct RealRange {
  float lo, hi;
};
Result<RealRange> activation_clamp(const Attrs& attrs, const std::string& where);
// The same bounds in the steps of a quantised output type, inside its dtype.
Result<IntRange> activation_range(const Attrs& attrs, const TensorType& output,
                                  const std::string& where);

// The step of `quant` nearest to a real value: zero point + round(value / scale), ties away from 0;
// saturates at int32.
int32_t quantized_value(float value, const TensorQuant& quant);

}  // namespace netkit
