// SPDX-License-Identifier: MIT
#include "ops/unary/unary_real.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/fixed_functions.h"
#include "ops/common/requantize.h"
#include "ops/unary/unary.h"

namespace netkit {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
double softplus(double x) { return std::max(x, 0.0) + std::log1p(std::exp(-std::abs(x))); }

// In the order of NK_UNARY_REAL_OPS.
#define NK_REAL(op, formula)                                                                \
  double real_##op([[maybe_unused]] double x, [[maybe_unused]] double a,                    \
                   [[maybe_unused]] double b) {                                             \
    return formula;                                                                         \
  }
NK_REAL(relu, x < 0 ? 0 : x)
NK_REAL(relu6, std::clamp(x, 0.0, 6.0))
NK_REAL(relu_n1_to_1, std::clamp(x, -1.0, 1.0))
NK_REAL(relu_0_to_1, std::clamp(x, 0.0, 1.0))
NK_REAL(clip, std::min(std::max(x, a), b))
NK_REAL(leaky_relu, x > 0 ? x : a * x)
NK_REAL(thresholded_relu, x > a ? x : 0)
NK_REAL(hard_sigmoid, std::clamp(a * x + b, 0.0, 1.0))
NK_REAL(hard_swish, x * std::clamp(x + 3.0, 0.0, 6.0) / 6.0)
NK_REAL(shrink, x < -a ? x + b : (x > a ? x - b : 0))
NK_REAL(softsign, x / (1.0 + std::abs(x)))
NK_REAL(abs, std::abs(x))
NK_REAL(neg, -x)
NK_REAL(sign, (x > 0) - (x < 0))
NK_REAL(square, x* x)
NK_REAL(reciprocal, 1.0 / x)
NK_REAL(ceil, std::ceil(x))
NK_REAL(floor, std::floor(x))
NK_REAL(round, std::nearbyint(x))
NK_REAL(sqrt, std::sqrt(x))
NK_REAL(rsqrt, 1.0 / std::sqrt(x))
NK_REAL(exp, std::exp(x))
NK_REAL(log, std::log(x))
NK_REAL(sigmoid, sigmoid(x))
NK_REAL(tanh, std::tanh(x))
NK_REAL(erf, std::erf(x))
NK_REAL(gelu, 0.5 * x * std::erfc(-x / std::sqrt(2.0)))
NK_REAL(gelu_tanh, x* sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)))
NK_REAL(elu, x < 0 ? a * std::expm1(x) : x)
NK_REAL(selu, b*(x < 0 ? a * std::expm1(x) : x))
NK_REAL(celu, x < 0 ? a * std::expm1(x / a) : x)
NK_REAL(softplus, softplus(x))
NK_REAL(mish, x* std::tanh(softplus(x)))
NK_REAL(swish, x* sigmoid(a* x))
NK_REAL(sin, std::sin(x))
NK_REAL(cos, std::cos(x))
NK_REAL(tan, std::tan(x))
NK_REAL(asin, std::asin(x))
NK_REAL(acos, std::acos(x))
NK_REAL(atan, std::atan(x))
NK_REAL(sinh, std::sinh(x))
NK_REAL(cosh, std::cosh(x))
NK_REAL(asinh, std::asinh(x))
NK_REAL(acosh, std::acosh(x))
NK_REAL(atanh, std::atanh(x))
#undef NK_REAL

constexpr UnaryFunction kFunctions[] = {
#define NK_UNARY_ROW(op, onnx, tflite, a, a0, b, b0) \
  {#op, onnx, tflite, a, a0, b, b0, real_##op},
    NK_UNARY_REAL_OPS(NK_UNARY_ROW)
#undef NK_UNARY_ROW
};

// Input in 4 integer bits for logistic and tanh: the multiplier and the distance from the zero
// point beyond which the result saturates (TensorFlow Lite's CalculateInputRadius).
struct Q4Input {
  QuantizedMultiplier multiplier;
  int32_t radius = 0;
};

Result<Q4Input> q4_input(float scale, const std::string& where) {
  constexpr int kIntegerBits = 4;
  Q4Input out;
  NK_ASSIGN(out.multiplier,
            quantize_multiplier(static_cast<double>(scale) * 0x1p27, where));
  const double largest = ((1 << kIntegerBits) - 1) * std::ldexp(1.0, 31 - kIntegerBits) /
                         std::ldexp(1.0, out.multiplier.shift);
  out.radius = static_cast<int32_t>(std::min(std::floor(largest), 0x1p30));
  return out;
}

int32_t in_q4(int32_t x, const Q4Input& input) {
  return nk_multiply_by_quantized(x, input.multiplier.mantissa, input.multiplier.shift);
}

int32_t logistic_s8(int32_t x, const Q4Input& input) {
  if (x <= -input.radius) return -128;
  if (x >= input.radius) return 127;
  const int32_t q = nk_rounding_divide_by_pot(nk_logistic(in_q4(x, input), 4), 23) - 128;
  return std::clamp(q, -128, 127);
}

int32_t tanh_s8(int32_t x, const Q4Input& input) {
  if (x <= -input.radius) return -128;
  if (x >= input.radius) return 127;
  const int32_t q = nk_rounding_divide_by_pot(nk_tanh(in_q4(x, input), 4), 24);
  return std::clamp(q, -128, 127);
}

// 16-bit arithmetic of the reference HARD_SWISH.
int32_t saturated_s16(int32_t x) { return std::clamp(x, -32768, 32767); }

int32_t high_mul_s16(int32_t a, int32_t b, bool rounding) {
  if (a == -32768 && b == -32768) return 32767;
  const int32_t product = a * b;
  const int32_t nudge = rounding ? (product >= 0 ? 1 << 14 : 1 - (1 << 14)) : 0;
  return (product + nudge) / (1 << 15);
}

struct HardSwishSteps {
  int32_t output_multiplier, output_exponent, relu_multiplier, relu_exponent;
};

Result<HardSwishSteps> hard_swish_steps(float in_scale, float out_scale, const std::string& where) {
  const float fine = (1.0f / 128.0f) * in_scale;
  NK_ASSIGN(const auto output, quantize_multiplier(double{fine / out_scale}, where));
  NK_ASSIGN(const auto relu, quantize_multiplier(double{fine / (3.0f / 32768.0f)}, where));
  const auto halved = [](int32_t m) { return m >= 0x7FFF8000 ? 32767 : (m + (1 << 15)) >> 16; };
  return HardSwishSteps{halved(output.mantissa), output.shift, halved(relu.mantissa), relu.shift};
}

int32_t hard_swish_s8(int32_t x, const HardSwishSteps& s) {
  const int32_t fine = x * (1 << 7);
  const int32_t preshift = high_mul_s16(fine, s.output_multiplier, true);
  const int e = s.relu_exponent;
  int32_t gate = fine;
  if (e > 0) gate = saturated_s16(nk_shift_left_saturated(gate, e - 1));
  gate = high_mul_s16(gate, s.relu_multiplier, true);
  if (e > 0) gate = saturated_s16(gate * 2);
  if (e < 0) gate = nk_rounding_divide_by_pot(gate, -e);
  gate = (gate + (1 << 15)) >> 1;
  return nk_rounding_divide_by_pot(high_mul_s16(gate, preshift, false), -s.output_exponent);
}

using Steps = int32_t;  // distance from a zero point

// The function in float, as TensorFlow Lite fills its tables.
int32_t general_steps(const UnaryFunction& function, const UnaryAttrs& attrs, Steps x,
                      const TensorQuant& in, const TensorQuant& out) {
  const float value = in.scale * static_cast<float>(x);
  const auto y = static_cast<float>(function.real(value, attrs.alpha, attrs.beta));
  const float scaled = std::round(y * (1.0f / out.scale));
  if (std::isnan(scaled)) return 0;
  return static_cast<int32_t>(std::clamp(scaled, -65536.0f, 65536.0f));
}

bool near(float a, double b) { return std::abs(a - b) <= 1e-6 * b; }

// A function from input steps to output steps, chosen once per table.
template <typename Function>
Bytes fill_table(const TensorQuant& in, const TensorQuant& out, IntRange in_range,
                 IntRange out_range, Function&& function) {
  Bytes table(256);
  for (int32_t q = in_range.lo; q <= in_range.hi; ++q) {
    const int32_t y = function(q - in.zero_point) + out.zero_point;
    table[static_cast<uint8_t>(q)] =
        static_cast<std::byte>(std::clamp(y, out_range.lo, out_range.hi));
  }
  return table;
}

}  // namespace

const UnaryFunction* find_unary_function(std::string_view op) {
  const auto* it = std::ranges::find(kFunctions, op, &UnaryFunction::op);
  return it == std::end(kFunctions) ? nullptr : it;
}

const UnaryFunction* find_foreign_unary(SourceFormat format, std::string_view op) {
  const auto name = format == SourceFormat::kOnnx ? &UnaryFunction::onnx : &UnaryFunction::tflite;
  const auto* it = std::ranges::find(kFunctions, op, name);
  return it == std::end(kFunctions) ? nullptr : it;
}

UnaryAttrs unary_attrs(const UnaryFunction& function, const Attrs& attrs) {
  return {function.alpha.empty() ? 0.0 : attrs.get_float(function.alpha, function.alpha_default),
          function.beta.empty() ? 0.0 : attrs.get_float(function.beta, function.beta_default)};
}

bool is_piecewise(std::string_view op, const UnaryAttrs& attrs, Piecewise& out) {
  const struct {
    std::string_view op;
    Piecewise function;
  } rows[] = {{"relu", {1.0, 0.0f, kInf}},
              {"relu6", {1.0, 0.0f, 6.0f}},
              {"relu_n1_to_1", {1.0, -1.0f, 1.0f}},
              {"relu_0_to_1", {1.0, 0.0f, 1.0f}},
              {"leaky_relu", {attrs.alpha, -kInf, kInf}},
              {"clip", {1.0, static_cast<float>(std::min(attrs.alpha, attrs.beta)),
                        static_cast<float>(attrs.beta)}}};
  for (const auto& row : rows) {
    if (row.op != op) continue;
    out = row.function;
    return true;
  }
  return false;
}

Result<PiecewiseSteps> piecewise_steps(const Piecewise& function, const TensorQuant& in,
                                       const TensorQuant& out, IntRange limits,
                                       const std::string& where) {
  PiecewiseSteps steps;
  // The reference divides in double for relu and in float for leaky_relu.
  const bool leaky = function.slope != 1.0;
  const double ratio = leaky ? double{in.scale / out.scale} : double{in.scale} / double{out.scale};
  NK_ASSIGN(steps.positive, quantize_multiplier(ratio, where));
  steps.negative = steps.positive;
  if (leaky) {
    const float slope = in.scale * static_cast<float>(function.slope) / out.scale;
    NK_ASSIGN(steps.negative, quantize_multiplier(double{std::abs(slope)}, where));
    if (slope < 0) steps.negative.mantissa = -steps.negative.mantissa;
  }
  const auto step = [&](float bound) {
    return std::isfinite(bound) ? std::clamp(quantized_value(bound, out), limits.lo, limits.hi)
                                : (bound < 0 ? limits.lo : limits.hi);
  };
  steps.range = {step(function.lo), step(function.hi)};
  return steps;
}

Result<Bytes> unary_table(const UnaryFunction& function, const UnaryAttrs& attrs,
                          const TensorType& in_type, const TensorType& out_type,
                          const std::string& where) {
  NK_ASSIGN(const TensorQuant in, tensor_quant(in_type, "the input", where));
  NK_ASSIGN(const TensorQuant out, tensor_quant(out_type, "the output", where));
  NK_ASSIGN(const IntRange in_range, value_range(in_type.dtype, where));
  NK_ASSIGN(const IntRange out_range, value_range(out_type.dtype, where));
  const auto fill = [&](IntRange range, auto&& steps) {
    return fill_table(in, out, in_range, range, steps);
  };
  if (Piecewise piecewise; is_piecewise(function.op, attrs, piecewise)) {
    NK_ASSIGN(const PiecewiseSteps s, piecewise_steps(piecewise, in, out, out_range, where));
    return fill(s.range, [&](Steps x) {
      const QuantizedMultiplier& m = x < 0 ? s.negative : s.positive;
      return nk_requantize(x, m.mantissa, m.shift, 0, -65536, 65536);
    });
  }
  const bool s8 = in_type.dtype == NK_INT8 && out_type.dtype == NK_INT8;
  if (s8 && function.op == "sigmoid" && near(out.scale, 1.0 / 256) && out.zero_point == -128) {
    NK_ASSIGN(const Q4Input input, q4_input(in.scale, where));
    return fill(out_range, [&](Steps x) { return logistic_s8(x, input) + 128; });
  }
  if (s8 && function.op == "tanh" && near(out.scale, 1.0 / 128) && out.zero_point == 0) {
    NK_ASSIGN(const Q4Input input, q4_input(in.scale, where));
    return fill(out_range, [&](Steps x) { return tanh_s8(x, input); });
  }
  if (s8 && function.op == "hard_swish") {
    NK_ASSIGN(const HardSwishSteps s, hard_swish_steps(in.scale, out.scale, where));
    if (s.output_exponent <= 0) {
      return fill(out_range, [&](Steps x) { return hard_swish_s8(x, s); });
    }
  }
  return fill(out_range, [&](Steps x) { return general_steps(function, attrs, x, in, out); });
}

}  // namespace netkit
