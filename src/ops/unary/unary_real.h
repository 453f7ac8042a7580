// SPDX-License-Identifier: MIT
// The elementwise functions as tables of the host: real values, and the 256-byte tables of 8-bit
// quantised tensors, bit-equal to the TensorFlow Lite reference kernels where those are integer.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/op_def.h"
#include "ops/common/host/op_quant.h"

namespace netkit {

struct UnaryFunction {
  std::string_view op, onnx, tflite;
  std::string_view alpha;  // attribute names; "" where there is none
  double alpha_default;
  std::string_view beta;
  double beta_default;
  double (*real)(double x, double alpha, double beta);
};

// nullptr where `op` is none of NK_UNARY_REAL_OPS.
const UnaryFunction* find_unary_function(std::string_view op);
// By its name in a format.
const UnaryFunction* find_foreign_unary(SourceFormat format, std::string_view op);

// Values of the function's attributes.
struct UnaryAttrs {
  double alpha = 0.0, beta = 0.0;
};
UnaryAttrs unary_attrs(const UnaryFunction& function, const Attrs& attrs);

// A function that is linear on each side of zero, clamped: what relu and its kin are.
struct Piecewise {
  double slope;   // of values below 0 (1: same as above)
  float lo, hi;   // real bounds, infinite where there are none
};
bool is_piecewise(std::string_view op, const UnaryAttrs& attrs, Piecewise& out);

// Multipliers of values from 0 up and below 0, and the clamp in steps of the output.
struct PiecewiseSteps {
  QuantizedMultiplier positive, negative;
  IntRange range;
};
Result<PiecewiseSteps> piecewise_steps(const Piecewise& function, const TensorQuant& in,
                                       const TensorQuant& out, IntRange limits,
                                       const std::string& where);

// The stored output byte of every stored input byte (of int8 or uint8).
Result<Bytes> unary_table(const UnaryFunction& function, const UnaryAttrs& attrs,
                          const TensorType& in, const TensorType& out, const std::string& where);

}  // namespace netkit
