// SPDX-License-Identifier: MIT
// Quantisation arithmetic of the host (op_quant.h).
#include "ops/common/host/op_quant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace netkit {

Result<QuantizedMultiplier> quantize_multiplier(double real, const std::string& where) {
  if (!std::isfinite(real) || real < 0.0 || real >= 0x1p30) {
    return bad_input(fmt::format("the scale ratio {} is not in [0, 2^30)", real), where);
  }
  if (real == 0.0) return QuantizedMultiplier{};
  QuantizedMultiplier out;
  int exponent = 0;
  const double fraction = std::frexp(real, &exponent);
  int64_t mantissa = std::llround(fraction * 0x1p31);
  if (mantissa == int64_t{1} << 31) {
    mantissa /= 2;
    ++exponent;
  }
  if (exponent < -31) return QuantizedMultiplier{};
  if (exponent > 30) return bad_input("the scale ratio is not below 2^30", where);
  out.mantissa = static_cast<int32_t>(mantissa);
  out.shift = exponent;
  return out;
}

Result<IntRange> value_range(nk_dtype dtype, const std::string& where) {
  switch (dtype) {
    case NK_INT8:
      return IntRange{-128, 127};
    case NK_UINT8:
      return IntRange{0, 255};
    case NK_INT16:
      return IntRange{-32768, 32767};
    default:
      return bad_input(fmt::format("{} is not a quantised type", name_of(dtype)), where);
  }
}

Result<TensorQuant> tensor_quant(const TensorType& type, std::string_view what,
                                 const std::string& where) {
  NK_ASSIGN(const IntRange range, value_range(type.dtype, where));
  if (type.quant.scale.size() != 1) {
    return bad_input(fmt::format("{} of type {} has {} scales, 1 is needed", what,
                                 name_of(type.dtype), type.quant.scale.size()),
                     where);
  }
  const float scale = type.quant.scale[0];
  if (!std::isfinite(scale) || !(scale > 0.0f)) {
    return bad_input(fmt::format("{} has scale {}", what, scale), where);
  }
  const int64_t zero_point = type.quant.zero_point.empty() ? 0 : type.quant.zero_point[0];
  if (zero_point < range.lo || zero_point > range.hi) {
    return bad_input(
        fmt::format("{} has zero point {}, outside {}", what, zero_point, name_of(type.dtype)),
        where);
  }
  return TensorQuant{scale, static_cast<int32_t>(zero_point)};
}

Result<int32_t> zero_point_of(const TensorType& type, std::string_view what,
                              const std::string& where) {
  if (type.quant.empty()) return 0;
  NK_ASSIGN(const TensorQuant quant, tensor_quant(type, what, where));
  return quant.zero_point;
}

Result<RealRange> activation_clamp(const Attrs& attrs, const std::string& where) {
  constexpr float kInf = std::numeric_limits<float>::infinity();
  struct Row {
    std::string_view name;
    RealRange range;
  };
  static constexpr Row kRows[] = {{"none", {-kInf, kInf}},
                                  {"relu", {0.0f, kInf}},
                                  {"relu6", {0.0f, 6.0f}},
                                  {"relu_n1_to_1", {-1.0f, 1.0f}}};
  const std::string name = attrs.get_string("activation", "none");
  const auto* row = std::ranges::find(kRows, name, &Row::name);
  if (row == std::end(kRows)) return bad_input(fmt::format("unknown activation '{}'", name), where);
  const auto lo = static_cast<float>(attrs.get_float("clamp_min", -double{kInf}));
  const auto hi = static_cast<float>(attrs.get_float("clamp_max", double{kInf}));
  if (std::isnan(lo) || std::isnan(hi)) return bad_input("a clamp bound is NaN", where);
  if (lo > hi) return RealRange{hi, hi};
  return RealRange{std::clamp(row->range.lo, lo, hi), std::clamp(row->range.hi, lo, hi)};
}

int32_t quantized_value(float value, const TensorQuant& quant) {
  const float steps = std::round(value / quant.scale);
  const double q = static_cast<double>(steps) + quant.zero_point;
  return static_cast<int32_t>(std::clamp(q, -0x1p31, 0x1p31 - 1.0));
}

Result<IntRange> activation_range(const Attrs& attrs, const TensorType& output,
                                  const std::string& where) {
  NK_ASSIGN(const RealRange real, activation_clamp(attrs, where));
  NK_ASSIGN(const TensorQuant quant, tensor_quant(output, "the output", where));
  NK_ASSIGN(const IntRange range, value_range(output.dtype, where));
  IntRange out = range;
  if (std::isfinite(real.lo)) {
    out.lo = std::clamp(quantized_value(real.lo, quant), range.lo, range.hi);
  }
  if (std::isfinite(real.hi)) {
    out.hi = std::clamp(quantized_value(real.hi, quant), range.lo, range.hi);
  }
  return out;
}

}  // namespace netkit
