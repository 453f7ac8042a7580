// SPDX-License-Identifier: MIT
#include "ops/binary/binary_quant.h"

#include <algorithm>
#include <cmath>

#include "ops/common/host/op_helpers.h"
#include "ops/common/host/op_quant.h"

namespace netkit {
namespace {

// The real factors of both sides and of the result.
struct Factors {
  double a = 0.0, b = 0.0, result = 0.0;
  int left_shift = 0;
};

struct Scales {
  float a, b, y;
};

Factors add_factors(const Scales& s, int left_shift) {
  const double twice = 2.0 * double{std::max(s.a, s.b)};
  return {s.a / twice, s.b / twice, twice / (double(1 << left_shift) * double{s.y}), left_shift};
}

Factors squared_difference_factors(const Scales& s, int left_shift) {
  const double twice = 2.0 * double{std::max(s.a, s.b)};
  const float step = static_cast<float>(1 << (left_shift * 2)) * s.y;
  return {s.a / twice, s.b / twice, twice * twice / double{step}, left_shift};
}

Factors factors_of(std::string_view op, const Scales& s, nk_dtype dtype) {
  const bool wide = dtype == NK_INT16;
  if (op == "add" || op == "sub") return add_factors(s, wide ? 15 : 20);
  if (op == "squared_difference") return squared_difference_factors(s, wide ? 0 : 7);
  if (op == "mul") return {0.0, 0.0, double{s.a} * double{s.b} / double{s.y}, 0};
  if (op == "div") return {0.0, 0.0, double{s.a / (s.b * s.y)}, 0};
  if (op == "prelu") {
    return {double{s.a} * double{s.b} / double{s.y}, 0.0, double{s.a} / double{s.y}, 0};
  }
  return {};
}

Result<void> set_factors(const Factors& f, const std::string& where, nk_binary_params& p) {
  NK_ASSIGN(const QuantizedMultiplier a, quantize_multiplier(f.a, where));
  NK_ASSIGN(const QuantizedMultiplier b, quantize_multiplier(f.b, where));
  NK_ASSIGN(const QuantizedMultiplier result, quantize_multiplier(f.result, where));
  p.a_multiplier = a.mantissa;
  p.a_shift = a.shift;
  p.b_multiplier = b.mantissa;
  p.b_shift = b.shift;
  p.multiplier = result.mantissa;
  p.shift = result.shift;
  p.left_shift = f.left_shift;
  return {};
}

}  // namespace

Result<void> set_binary_quant(const Node& node, const TensorType& a, const TensorType& b,
                              const TensorType& y, nk_binary_params& p) {
  const std::string where = place_of(node);
  const bool order_only = node.op == "minimum" || node.op == "maximum";
  if (order_only) {
    if (a.quant == b.quant && a.quant == y.quant) return {};
    return bad_input("inputs and output differ in quantisation", where,
                     "requantise the inputs to the output's scale");
  }
  NK_ASSIGN(const TensorQuant qa, tensor_quant(a, "input 0", where));
  NK_ASSIGN(const TensorQuant qb, tensor_quant(b, "input 1", where));
  NK_ASSIGN(const TensorQuant qy, tensor_quant(y, "the output", where));
  NK_ASSIGN(const IntRange range, activation_range(node.attrs, y, where));
  p.a_zero_point = qa.zero_point;
  p.b_zero_point = qb.zero_point;
  p.zero_point = qy.zero_point;
  p.act_min = range.lo;
  p.act_max = range.hi;
  return set_factors(factors_of(node.op, {qa.scale, qb.scale, qy.scale}, y.dtype), where, p);
}

Result<void> set_compare_quant(const Node& node, const TensorType& a, const TensorType& b,
                               nk_binary_params& p) {
  const std::string where = place_of(node);
  const bool plain = a.quant.empty() && b.quant.empty();
  TensorQuant qa, qb;
  if (!plain) {
    NK_ASSIGN(qa, tensor_quant(a, "input 0", where));
    NK_ASSIGN(qb, tensor_quant(b, "input 1", where));
  }
  p.a_zero_point = qa.zero_point;
  p.b_zero_point = qb.zero_point;
  // The reference takes the scales themselves, which must be below 1; a power of two brings larger
  // ones there and keeps every order.
  const float largest = std::max(qa.scale, qb.scale);
  const double down = largest < 1.0f ? 1.0 : std::exp2(-std::floor(std::log2(largest)) - 1.0);
  return set_factors({qa.scale * down, qb.scale * down, 0.0, 8}, where, p);
}

}  // namespace netkit
