// SPDX-License-Identifier: MIT
// Tests only: builds small ONNX files with the generated messages.
#pragma once

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/ir/tensor_type.h"
#include "onnx.pb.h"

namespace netkit {

// TensorProto.DataType and AttributeProto.AttributeType, as far as tests use them.
enum OnnxDType { kOnnxFloat = 1, kOnnxUint8, kOnnxInt8, kOnnxUint16, kOnnxInt16, kOnnxInt32,
                 kOnnxInt64, kOnnxString, kOnnxBool, kOnnxFloat16, kOnnxDouble, kOnnxUint32,
                 kOnnxUint64, kOnnxBfloat16 = 16, kOnnxInt4 = 22 };
enum OnnxAttr { kOnnxAttrFloat = 1, kOnnxAttrInt, kOnnxAttrString, kOnnxAttrTensor, kOnnxAttrGraph,
                kOnnxAttrFloats, kOnnxAttrInts, kOnnxAttrStrings };

inline pb::Model onnx_model(int64_t opset = 13) {
  pb::Model model;
  model.set_ir_version(7);
  model.set_producer_name("test");
  pb::OperatorSetId& id = *model.add_opset_import();
  id.set_domain("");
  id.set_version(opset);
  model.mutable_graph()->set_name("g");
  return model;
}

inline void set_type(pb::ValueInfo& info, std::string_view name, int dtype,
                     const std::vector<int64_t>& dims) {
  info.set_name(std::string(name));
  auto& tensor = *info.mutable_type()->mutable_tensor_type();
  tensor.set_elem_type(dtype);
  tensor.mutable_shape();
  for (const int64_t d : dims) tensor.mutable_shape()->add_dim()->set_dim_value(d);
}

inline pb::Node& add_node(pb::Graph& graph, std::string_view op,
                          const std::vector<std::string>& inputs,
                          const std::vector<std::string>& outputs) {
  pb::Node& node = *graph.add_node();
  node.set_op_type(std::string(op));
  for (const std::string& name : inputs) node.add_input(name);
  for (const std::string& name : outputs) node.add_output(name);
  return node;
}

inline pb::Attribute& add_attr(pb::Node& node, std::string_view name, int type) {
  pb::Attribute& a = *node.add_attribute();
  a.set_name(std::string(name));
  a.set_type(type);
  return a;
}

inline pb::Tensor& add_initialiser(pb::Graph& graph, std::string_view name, int dtype,
                                   const std::vector<int64_t>& dims) {
  pb::Tensor& t = *graph.add_initializer();
  t.set_name(std::string(name));
  t.set_data_type(dtype);
  for (const int64_t d : dims) t.add_dims(d);
  return t;
}

inline Bytes bytes_of(const pb::Model& model) {
  const std::string text = model.SerializeAsString();
  Bytes bytes(text.size());
  if (!text.empty()) std::memcpy(bytes.data(), text.data(), bytes.size());
  return bytes;
}

// x [1,2,4,4] → Conv (w, b) → Relu → Reshape (shape from a Constant) → y.
inline pb::Model conv_onnx_model() {
  pb::Model model = onnx_model();
  pb::Graph& g = *model.mutable_graph();
  set_type(*g.add_input(), "x", kOnnxFloat, {1, 2, 4, 4});
  set_type(*g.add_output(), "y", kOnnxFloat, {1, 48});
  pb::Tensor& w = add_initialiser(g, "w", kOnnxFloat, {3, 2, 3, 3});
  const std::vector<float> weights(54, 0.5f);
  w.set_raw_data(std::string(reinterpret_cast<const char*>(weights.data()), 4 * weights.size()));
  pb::Tensor& b = add_initialiser(g, "b", kOnnxFloat, {3});
  for (const float v : {1.0f, 2.0f, 3.0f}) b.add_float_data(v);
  pb::Node& conv = add_node(g, "Conv", {"x", "w", "b"}, {"c"});
  pb::Attribute& pads = add_attr(conv, "pads", kOnnxAttrInts);
  for (int i = 0; i < 4; ++i) pads.add_ints(1);
  add_attr(conv, "auto_pad", kOnnxAttrString).set_s("NOTSET");
  add_node(g, "Relu", {"c"}, {"r"});
  pb::Node& shape = add_node(g, "Constant", {}, {"shape"});
  pb::Attribute& value = add_attr(shape, "value_ints", kOnnxAttrInts);
  value.add_ints(1);
  value.add_ints(48);
  add_node(g, "Reshape", {"r", "shape"}, {"y"}).set_name("flatten");
  return model;
}

}  // namespace netkit
