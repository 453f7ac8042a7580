// SPDX-License-Identifier: MIT
// Shapes and strides on the host: numpy broadcasting, axes, merging of axes for the box walks of
// nd_walk.h, and the modes of kernels that run through memory in order. Host only.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "compiler/ir/op_def.h"

namespace netkit {

// Strides in elements of a dense row-major tensor.
Dims row_major_strides(const Dims& dims);

// Shape of the broadcast of all operands; an error names the two that do not fit.
Result<Dims> broadcast_dims(std::initializer_list<const Dims*> operands, const std::string& where);

// Strides with which a dense tensor of shape `dims` is read as shape `to`: 0 along broadcast axes.
Dims broadcast_strides(const Dims& dims, const Dims& to);

// A box with the strides of several operands.
struct NdBox {
  Dims dims;
  std::vector<Dims> strides;  // per operand, as long as dims
};
// The same walk with fewest axes: axes of size 1 go, neighbours that every operand walks evenly
// become one. At least one axis remains. A box without cells becomes {0}.
NdBox merged(const NdBox& box);

// axis, counted from the end where negative, inside [0, rank).
Result<int64_t> normal_axis(int64_t axis, size_t rank, const std::string& where);
// As normal_axis for each; ascending and without repeats.
Result<Dims> normal_axes(const Dims& axes, size_t rank, const std::string& where);

// Product of dims[begin, end).
int64_t product_of(const Dims& dims, size_t begin, size_t end);

// values into a parameter array; what is left of it stays 0. Fits by the caller's checks.
template <size_t kSize>
void fill_array(int32_t (&to)[kSize], const Dims& values) {
  for (size_t i = 0; i < values.size() && i < kSize; ++i) to[i] = static_cast<int32_t>(values[i]);
}

// The plain mode.
void add_plain_mode(std::vector<KernelMode>& out);
// Mode 1: output 0 may overlap each of `inputs` as stated.
void add_forward_mode(std::vector<int> inputs, std::vector<KernelMode>& out);
void add_backward_mode(int input, int64_t backward_bytes, std::vector<KernelMode>& out);

// Rules of an operator that ONNX and TFLite each know by at most one name ("": none).
struct RulePair {
  std::array<ForeignRule, 2> rules;
  size_t count = 0;
  constexpr operator std::span<const ForeignRule>() const { return {rules.data(), count}; }
};
constexpr RulePair rule_pair(std::string_view onnx, std::string_view tflite,
                             Result<void> (*lower)(const ForeignNode&, LowerContext&)) {
  RulePair pair{};
  if (!onnx.empty()) pair.rules[pair.count++] = {SourceFormat::kOnnx, onnx, "", lower};
  if (!tflite.empty()) pair.rules[pair.count++] = {SourceFormat::kTflite, tflite, "", lower};
  return pair;
}

}  // namespace netkit
