// SPDX-License-Identifier: MIT
#include "compiler/lower/lower.h"

#include <gtest/gtest.h>

#include "compiler/ir/const_values.h"
#include "compiler/lower/builtin_rules.h"
#include "compiler/lower/context.h"
#include "compiler/lower/input_shapes.h"

namespace netkit {
namespace {

int add_tensor(ForeignGraph& g, std::string name, Dims dims, nk_dtype dtype = NK_FLOAT32) {
  ForeignTensor t;
  t.name = std::move(name);
  t.type = {dtype, std::move(dims), {}};
  t.has_shape = true;
  g.tensors.push_back(std::move(t));
  return static_cast<int>(g.tensors.size()) - 1;
}

void add_node(ForeignGraph& g, std::string op, std::vector<int> inputs, std::vector<int> outputs) {
  ForeignNode n;
  n.op = op;
  n.name = "n" + std::to_string(g.nodes.size());
  n.inputs = std::move(inputs);
  n.outputs = std::move(outputs);
  g.nodes.push_back(std::move(n));
}

ForeignGraph onnx_graph() {
  ForeignGraph g;
  g.format = SourceFormat::kOnnx;
  g.file = "m.onnx";
  return g;
}

TEST(Lower, ListsEveryUnsupportedNode) {
  ForeignGraph g = onnx_graph();
  const int x = add_tensor(g, "x", {1});
  const int a = add_tensor(g, "a", {1}), b = add_tensor(g, "b", {1}), c = add_tensor(g, "c", {1});
  add_node(g, "Nonsense", {x}, {a});
  add_node(g, "Shape", {a}, {b});  // lost with its input: no complaint of its own
  add_node(g, "Else", {b, kAbsent}, {c});
  g.nodes[2].domain = "com.example";
  g.nodes[2].subgraphs.push_back({"body", 0});
  g.inputs = {x};
  g.outputs = {c};
  const auto lowered = lower(g, {});
  ASSERT_FALSE(lowered.has_value());
  EXPECT_EQ(lowered.error().code, ErrorCode::kInput);
  EXPECT_EQ(lowered.error().message, "2 of 3 nodes cannot be read");
  EXPECT_EQ(lowered.error().items,
            (std::vector<std::string>{
                "Nonsense (n0): operator is not supported",
                "com.example:Else (n2): control flow (subgraphs) is not supported"}));
}

// complex64 is a pair of float32 for the few operators that know it, and refused by the others.
TEST(Lower, ComplexNumbersArePairs) {
  for (const char* reader : {"COMPLEX_ABS", "IMAG", "MUL"}) {
    ForeignGraph g = onnx_graph();
    g.format = SourceFormat::kTflite;
    const int x = add_tensor(g, "x", {3, 1, 4}), sizes = add_tensor(g, "s", {2}, NK_INT32);
    const int c = add_tensor(g, "c", {3, 1, 3}, NK_DTYPE_NONE);
    const int flat = add_tensor(g, "flat", {3, 3}, NK_DTYPE_NONE), y = add_tensor(g, "y", {3, 3});
    for (const int id : {c, flat}) g.tensors[static_cast<size_t>(id)].dtype_name = "complex64";
    g.tensors[static_cast<size_t>(sizes)].data =
        constant_ints(NK_INT32, std::vector<int64_t>{1, 4});
    add_node(g, "RFFT2D", {x, sizes}, {c});
    add_node(g, "RESHAPE", {c}, {flat});
    const bool multiplies = std::string(reader) == "MUL";
    add_node(g, reader, multiplies ? std::vector{flat, flat} : std::vector{flat}, {y});
    g.inputs = {x};
    g.outputs = {y};
    const auto lowered = lower(g, {});
    EXPECT_EQ(lowered.has_value(), !multiplies) << lowered.error().items[0];
    if (multiplies) {
      EXPECT_EQ(lowered.error().items[0], "MUL (n2): complex numbers are not supported");
    }
    g.tensors[static_cast<size_t>(flat)].dtype_name.clear();
    g.nodes = {g.nodes[2]};
    g.inputs = {flat};
    EXPECT_FALSE(lower(g, {}).has_value()) << reader;
  }
}

// What the file calls a variable but also an input is the caller's.
TEST(Lower, AnInputIsNoState) {
  ForeignGraph g = onnx_graph();
  g.format = SourceFormat::kTflite;
  const int x = add_tensor(g, "x", {2}), y = add_tensor(g, "y", {2}), v = add_tensor(g, "v", {2});
  g.tensors[static_cast<size_t>(v)].is_variable = true;
  add_node(g, "SUB", {x, v}, {y});
  g.inputs = {x, v};
  g.outputs = {y};
  const auto lowered = lower(g, {});
  ASSERT_TRUE(lowered.has_value()) << lowered.error().message;
  EXPECT_TRUE(lowered->graph.states.empty());
  EXPECT_EQ(lowered->graph.nodes[0].inputs, lowered->graph.inputs);
}

TEST(Lower, CyclesAndMissingMakersAreErrors) {
  ForeignGraph g = onnx_graph();
  const int a = add_tensor(g, "a", {1}), b = add_tensor(g, "b", {1});
  add_node(g, "Shape", {b}, {a});
  add_node(g, "Shape", {a}, {b});
  g.outputs = {b};
  EXPECT_NE(lower(g, {}).error().message.find("depends on its own output"), std::string::npos);
  g.nodes.pop_back();
  EXPECT_EQ(lower(g, {}).error().items[0], "Shape (n0): no node makes its input 'b'");
  g.nodes.pop_back();
  EXPECT_EQ(lower(g, {}).error().message, "no node makes the output 'b'");
}

TEST(Lower, ConstantsOfAnotherSizeAreRefused) {
  ForeignGraph g = onnx_graph();
  const int k = add_tensor(g, "k", {3}, NK_INT32);
  g.tensors[static_cast<size_t>(k)].data = std::make_shared<Bytes>(11);
  g.outputs = {k};
  EXPECT_EQ(lower(g, {}).error().message, "int32[3] has 11 bytes, not 12");
}

TEST(LowerInputShapes, OpenDimensions) {
  ForeignGraph g = onnx_graph();
  const int x = add_tensor(g, "x", {-1, 49, -1}), y = add_tensor(g, "y", {2, -1});
  g.tensors[static_cast<size_t>(x)].dim_names = {"batch", "", "time"};
  g.tensors[static_cast<size_t>(y)].dim_names = {"", "time"};
  g.inputs = {x, y};

  std::vector<std::string> warnings;
  const auto open = closed_input_shapes(g, {}, warnings);
  ASSERT_FALSE(open.has_value());
  EXPECT_EQ(open.error().items, (std::vector<std::string>{"input 'x' is batchx49xtime",
                                                          "input 'y' is 2xtime"}));
  EXPECT_EQ(open.error().hint, "give it: --shape x=… --shape y=…");

  warnings.clear();
  const auto closed = closed_input_shapes(g, {{{"y", {2, 80}}}}, warnings);
  ASSERT_TRUE(closed.has_value());
  EXPECT_EQ(*closed, (std::vector<Dims>{{1, 49, 80}, {2, 80}}));
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "input 'x' is batchx49xtime in the file: dimension 0 is taken as 1"}));

  const std::vector<LowerOptions> wrong = {
      {{{"z", {1}}}},
      {{{"y", {3, 80}}}},
      {{{"y", {2, 80, 1}}}},
      {{{"y", {2, -1}}}},
      {{{"x", {1, 49, 7}}, {"y", {2, 8}}}},
  };
  for (const LowerOptions& options : wrong) {
    const auto refused = closed_input_shapes(g, options, warnings);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::kUsage);
  }
}

TEST(LowerInputShapes, TfliteNominalSizes) {
  ForeignGraph g = onnx_graph();
  g.format = SourceFormat::kTflite;
  const int x = add_tensor(g, "x", {1, 16, 8});
  g.tensors[static_cast<size_t>(x)].dim_names = {"?", "?", ""};
  g.inputs = {x};
  std::vector<std::string> warnings;
  EXPECT_EQ(*closed_input_shapes(g, {}, warnings), (std::vector<Dims>{{1, 16, 8}}));
  EXPECT_EQ(warnings, (std::vector<std::string>{
                          "input 'x' is ?x?x8 in the file: dimension 1 is taken as 16"}));
  EXPECT_EQ(*closed_input_shapes(g, {{{"x", {2, 4, 8}}}}, warnings),
            (std::vector<Dims>{{2, 4, 8}}));
}

// Lowers the single node of `g` with its built-in rule and gives the constant that it binds.
Result<Tensor> constant_of_rule(ForeignGraph& g) {
  GraphBuilder builder(g);
  for (const int id : g.inputs) {
    builder.add_input(id, g.tensors[static_cast<size_t>(id)].type.dims);
  }
  const ForeignNode& node = g.nodes[0];
  builder.begin(node);
  NK_TRY(find_builtin_rule(g.format, "", node.op)->lower(node, builder));
  return builder.tensor(builder.resolve(node.outputs[0]));
}

TEST(LowerBuiltins, ShapeSizeRank) {
  ForeignGraph g = onnx_graph();
  g.inputs = {add_tensor(g, "x", {2, 3, 4})};
  const int y = add_tensor(g, "y", {-1}, NK_INT64);
  add_node(g, "Shape", g.inputs, {y});
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{2, 3, 4}));
  g.nodes[0].attrs.set("start", int64_t{-2});
  g.nodes[0].attrs.set("end", int64_t{-1});
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{3}));
  g.nodes[0].attrs.set("start", int64_t{9});
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{}));
  g.nodes[0].op = "Size";
  g.tensors[static_cast<size_t>(y)].type.dims = {};
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{24}));
  g.format = SourceFormat::kTflite;
  g.tensors[static_cast<size_t>(y)].type = {NK_INT32, {}, {}};
  g.nodes[0].op = "RANK";
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{3}));
  g.tensors[static_cast<size_t>(y)].type = {NK_INT64, {3}, {}};
  g.nodes[0].op = "SHAPE";
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{2, 3, 4}));
  g.tensors[static_cast<size_t>(y)].type.dims = {4};
  EXPECT_FALSE(constant_of_rule(g).has_value());
}

TEST(LowerBuiltins, Constants) {
  ForeignGraph g = onnx_graph();
  add_node(g, "Constant", {}, {add_tensor(g, "y", {2}, NK_DTYPE_NONE)});
  g.tensors[0].has_shape = false;
  Attrs& attrs = g.nodes[0].attrs;
  EXPECT_FALSE(constant_of_rule(g).has_value());
  attrs.set("value_ints", std::vector<int64_t>{4, 5});
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{4, 5}));
  attrs.set("value_floats", std::vector<double>{0.5});
  EXPECT_EQ(floats_of(*constant_of_rule(g)), (std::vector<double>{0.5}));
  attrs.set("value", AttrTensor{{NK_INT8, {3}, {}}, std::make_shared<Bytes>(2)});
  EXPECT_FALSE(constant_of_rule(g).has_value());
  attrs.set("value", AttrTensor{{NK_INT8, {3}, {}}, std::make_shared<Bytes>(3)});
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{0, 0, 0}));
}

TEST(LowerBuiltins, ConstantOfShapeIsBounded) {
  ForeignGraph g = onnx_graph();
  const int s = add_tensor(g, "s", {2}, NK_INT64);
  const auto set_shape = [&](std::vector<int64_t> dims) {
    g.tensors[static_cast<size_t>(s)].data = constant_ints(NK_INT64, dims);
  };
  add_node(g, "ConstantOfShape", {s}, {add_tensor(g, "y", {-1, -1}, NK_DTYPE_NONE)});
  set_shape({2, 1});
  EXPECT_EQ(floats_of(*constant_of_rule(g)), (std::vector<double>{0, 0}));
  g.nodes[0].attrs.set("value", AttrTensor{{NK_INT32, {1}, {}},
                                           constant_ints(NK_INT32, std::vector<int64_t>{-7})});
  EXPECT_EQ(ints_of(*constant_of_rule(g)), (std::vector<int64_t>{-7, -7}));
  for (const std::vector<int64_t>& dims :
       {std::vector<int64_t>{1 << 20, 1 << 10}, {int64_t{1} << 62, 8}, {-1, 1}}) {
    set_shape(dims);
    EXPECT_FALSE(constant_of_rule(g).has_value());
  }
  set_shape({1 << 14, 1 << 13});
  const auto large = constant_of_rule(g);  // one element and a size
  ASSERT_TRUE(large.has_value());
  EXPECT_EQ(large->data.size(), size_t{1} << 29);
  ASSERT_NE(large->data.element(), nullptr);
  EXPECT_EQ(large->data.element()->size(), 4u);
  EXPECT_FALSE(ints_of(*large).has_value());
}

TEST(LowerBuiltins, RepeatedConstantsStayUnwrittenAndAreBoundedTogether) {
  const ForeignGraph g = onnx_graph();
  GraphBuilder builder(g);
  ForeignNode node;
  node.name = "n";
  builder.begin(node);
  const TensorType half = {NK_FLOAT32, {1 << 14, 1 << 13}, {}};
  const auto first = builder.add_repeated("a", half, Bytes(4));
  ASSERT_TRUE(first.has_value());
  const auto turned = builder.transpose(*first, {1, 0});
  ASSERT_TRUE(turned.has_value());
  EXPECT_EQ(builder.tensor(*turned).type.dims, (Dims{1 << 13, 1 << 14}));
  EXPECT_TRUE(builder.tensor(*turned).data == builder.tensor(*first).data);
  // A sum over it would need all of its bytes: left to the run.
  const auto sum = builder.add("add", {*first, *first}, {}, std::nullopt);
  ASSERT_TRUE(sum.has_value());
  EXPECT_FALSE(builder.tensor(*sum).is_constant());
  EXPECT_TRUE(builder.add_repeated("b", half, Bytes(4)).has_value());
  EXPECT_FALSE(builder.add_repeated("c", {NK_INT8, {1}, {}}, Bytes(1)).has_value());
}

}  // namespace
}  // namespace netkit
