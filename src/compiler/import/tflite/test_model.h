// SPDX-License-Identifier: MIT
// Tests only: builds small TFLite files with the generated builders.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstring>
#include <string>
#include <vector>

#include "compiler/ir/tensor_type.h"
#include "tflite_generated.h"

namespace netkit {

class TestModel {
 public:
  template <typename T>
  using Offset = flatbuffers::Offset<T>;

  TestModel() { buffer({}); }

  flatbuffers::FlatBufferBuilder& fbb() { return fbb_; }

  uint32_t buffer(const std::vector<uint8_t>& bytes) {
    const auto data = bytes.empty() ? 0 : fbb_.CreateVector(bytes);
    return add_buffer(fbs::CreateBuffer(fbb_, data));
  }
  uint32_t add_buffer(Offset<fbs::Buffer> buffer) {
    buffers_.push_back(buffer);
    return static_cast<uint32_t>(buffers_.size() - 1);
  }

  Offset<fbs::QuantizationParameters> quant(const std::vector<float>& scale,
                                            const std::vector<int64_t>& zero_point, int axis = 0) {
    return fbs::CreateQuantizationParametersDirect(fbb_, nullptr, nullptr, &scale, &zero_point,
                                                   fbs::QuantizationDetails::NONE, 0, axis);
  }

  int tensor(const char* name, const std::vector<int>& shape, fbs::TensorType type,
             uint32_t buffer = 0, Offset<fbs::QuantizationParameters> quant = 0) {
    return add_tensor(fbs::CreateTensorDirect(fbb_, &shape, type, buffer, name, quant));
  }
  int add_tensor(Offset<fbs::Tensor> tensor) {
    tensors_.push_back(tensor);
    return static_cast<int>(tensors_.size() - 1);
  }

  uint32_t code(fbs::BuiltinOperator op, const char* custom = nullptr) {
    const int value = static_cast<int>(op);
    codes_.push_back(fbs::CreateOperatorCodeDirect(
        fbb_, static_cast<int8_t>(value > 127 ? 127 : value), custom, 1, op));
    return static_cast<uint32_t>(codes_.size() - 1);
  }
  // `options` of the kind `type`, made with fbb().
  void op(uint32_t code, const std::vector<int>& inputs, const std::vector<int>& outputs,
          fbs::BuiltinOptions type = fbs::BuiltinOptions::NONE, Offset<void> options = 0,
          const std::vector<uint8_t>* custom = nullptr) {
    operators_.push_back(
        fbs::CreateOperatorDirect(fbb_, code, &inputs, &outputs, type, options, custom));
  }

  void end_graph(const std::vector<int>& inputs, const std::vector<int>& outputs) {
    graphs_.push_back(
        fbs::CreateSubGraphDirect(fbb_, &tensors_, &inputs, &outputs, &operators_, "g"));
    tensors_.clear();
    operators_.clear();
  }

  Bytes finish(uint32_t version = 3) {
    fbs::FinishModelBuffer(fbb_, fbs::CreateModelDirect(fbb_, version, &codes_, &graphs_,
                                                        "made by a test", &buffers_));
    Bytes bytes(fbb_.GetSize());
    std::memcpy(bytes.data(), fbb_.GetBufferPointer(), bytes.size());
    return bytes;
  }

 private:
  flatbuffers::FlatBufferBuilder fbb_;
  std::vector<Offset<fbs::Buffer>> buffers_;
  std::vector<Offset<fbs::Tensor>> tensors_;
  std::vector<Offset<fbs::OperatorCode>> codes_;
  std::vector<Offset<fbs::Operator>> operators_;
  std::vector<Offset<fbs::SubGraph>> graphs_;
};

// int8: x [1,4,4,2] → CONV_2D (3x3, SAME, RELU6, per channel) → RESHAPE → y [1,48].
inline Bytes conv_test_model() {
  TestModel m;
  using enum fbs::TensorType;
  const uint32_t weights = m.buffer(std::vector<uint8_t>(3 * 3 * 3 * 2, 7));
  const uint32_t bias = m.buffer({1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0});
  const uint32_t shape = m.buffer({1, 0, 0, 0, 48, 0, 0, 0});
  m.tensor("x", {1, 4, 4, 2}, INT8, 0, m.quant({0.5f}, {-1}));
  m.tensor("w", {3, 3, 3, 2}, INT8, weights, m.quant({0.1f, 0.2f, 0.3f}, {0, 0, 0}));
  m.tensor("b", {3}, INT32, bias, m.quant({0.05f, 0.1f, 0.15f}, {0, 0, 0}));
  m.tensor("conv", {1, 4, 4, 3}, INT8, 0, m.quant({0.25f}, {-128}));
  m.tensor("shape", {2}, INT32, shape);
  m.tensor("y", {1, 48}, INT8, 0, m.quant({0.25f}, {-128}));
  const uint32_t conv = m.code(fbs::BuiltinOperator::CONV_2D);
  const uint32_t reshape = m.code(fbs::BuiltinOperator::RESHAPE);
  const auto options = fbs::CreateConv2DOptions(m.fbb(), fbs::Padding::SAME, 1, 2,
                                                fbs::ActivationFunctionType::RELU6);
  m.op(conv, {0, 1, 2}, {3}, fbs::BuiltinOptions::Conv2D, options.Union());
  m.op(reshape, {3, 4}, {5});
  m.end_graph({0}, {5});
  return m.finish();
}

}  // namespace netkit
