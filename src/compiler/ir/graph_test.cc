// SPDX-License-Identifier: MIT
#include "compiler/ir/graph.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>

namespace netkit {
namespace {

constexpr const char* kText =
    R"text(source "dir/a \"b\".tflite"
sha256 "00ff"
input %x float32[1x4]
input %"odd, (1)" int8[1x2x2x3] q(0.0039,-128)
const %w float32[2x4] = 1 2.5 -3 4e-20 inf -inf nan -0
const %b float32[2] = splat 0.1
const %q int8[2x3] q(0.5 0.25,0,axis 0) = -128 127 0 1 2 3
const %n int4[3] = -8 7 -1
const %h float16[2] = 0x3c00 0x0000
const %s int64[scalar] = -9223372036854775808
const %z float32[0x3] = )text"
    "\n"
    R"text(%y float32[1x2] = fully_connected(%x, %w, %b) {activation="relu", floats=[0.5,1.0])text"
    R"text(, i=3, ints=[1,-2], names=["a","b,\"c"], no_floats=[]f, no_ints=[], )text"
    R"text(no_strings=[]s, real=1.0, tiny=1e-300, value=tensor(int32[2] = 1 2)} @"dense \x0a1"
%a int8[1x2x2x1] q(0.0039,-128), %c int8[1x2x2x2] q(0.0039,-128) = split(%"odd, (1)", _) {axis=3}
output %y
output %a
output %c
)text";

TEST(GraphText, RoundTripIsExact) {
  const auto graph = parse_graph(kText);
  ASSERT_TRUE(graph.has_value()) << graph.error().message << " " << graph.error().where;
  EXPECT_EQ(to_text(*graph), kText);
  EXPECT_EQ(graph->nodes[0].attrs.get_float("real"), 1.0);
  EXPECT_EQ(graph->nodes[0].attrs.get_float("i"), 3.0);
  EXPECT_EQ(graph->nodes[0].attrs.get_float("activation", 7.0), 7.0);
  EXPECT_EQ(graph->nodes[0].attrs.get_string("activation"), "relu");
  EXPECT_EQ(graph->nodes[1].inputs[1], kNoTensor);
  EXPECT_EQ(graph->tensor(4).type.quant.zero_point, (std::vector<int64_t>{0, 0}));
}

TEST(GraphText, SharedNamesAreToldApart) {
  Graph graph;
  graph.inputs.push_back(graph.add_tensor("x", {NK_INT8, {2}, {}}));
  graph.inputs.push_back(graph.add_tensor("x", {NK_INT8, {3}, {}}));
  graph.inputs.push_back(graph.add_tensor("", {NK_INT8, {}, {}}));
  EXPECT_EQ(to_text(graph), "input %x int8[2]\ninput %x#1 int8[3]\ninput %#1 int8[scalar]\n");
  EXPECT_EQ(to_text(*parse_graph(to_text(graph))), to_text(graph));
}

TEST(GraphText, LongConstantsAreShortenedAndThenRefused) {
  Graph graph;
  auto bytes = std::make_shared<Bytes>(100);
  (*bytes)[1] = std::byte{1};
  const TensorId id = graph.add_tensor("k", {NK_INT8, {100}, {}}, bytes);
  graph.outputs.push_back(id);
  EXPECT_NE(to_text(graph).find("const %k int8[100] = hash "), std::string::npos);
  const auto back = parse_graph(to_text(graph));
  ASSERT_FALSE(back.has_value());
  EXPECT_NE(back.error().message.find("shortened"), std::string::npos);
  EXPECT_EQ(to_text(*parse_graph(to_text(graph, 100)), 100), to_text(graph, 100));
}

TEST(GraphText, ErrorsNameTheLine) {
  struct Case {
    const char* text;
    const char* message;
    const char* where;
  };
  const Case cases[] = {
      {"input %x\n", "is not a type", "line 1"},
      {"input %x int8[2y3]\n", "bad dimension", "line 1"},
      {"input %x int8[-2]\n", "bad dimension", "line 1"},
      {"input %x int8[1]\ninput %x int8[1]\n", "made twice", "line 2"},
      {"output %x\n", "not made above", "line 1"},
      {"const %x int8[2] = 1\n", "not a number", "line 1"},
      {"const %x int8[1] = 300\n", "not a number", "line 1"},
      {"const %x int8[1] = 1 2\n", "unexpected text", "line 1"},
      {"const %x int8[99999999999] = splat 1\n", "too large for a text", "line 1"},
      {"input %x int8[1] q(0.5 0.5 0.5,1 2)\n", "zero points", "line 1"},
      {"input %x int8[1] q(64 scales,axis 0)\n", "not a number", "line 1"},
      {"%y int8[1] = f(\n", "expected a tensor", "line 1"},
      {"%y int8[1] = f() {a=[1,2.0]}\n", "mixed", "line 1"},
      {"%y int8[1] = f() {a=\"b}\n", "without an end", "line 1"},
  };
  for (const Case& c : cases) {
    const auto graph = parse_graph(c.text);
    ASSERT_FALSE(graph.has_value()) << c.text;
    EXPECT_NE(graph.error().message.find(c.message), std::string::npos)
        << c.text << graph.error().message;
    EXPECT_EQ(graph.error().where, c.where);
  }
}

TEST(GraphVerify, FindsBrokenStructure) {
  Graph graph = *parse_graph("input %x int8[2]\n%y int8[2] = f(%x)\noutput %y\n");
  EXPECT_TRUE(verify(graph).has_value());

  Graph range = graph;
  range.nodes[0].inputs[0] = 7;
  EXPECT_NE(verify(range).error().message.find("out of range"), std::string::npos);
  Graph early = graph;
  early.nodes[0].inputs[0] = early.nodes[0].outputs[0];
  EXPECT_NE(verify(early).error().message.find("before it is made"), std::string::npos);
  Graph twice = graph;
  twice.nodes.push_back(twice.nodes[0]);
  EXPECT_NE(verify(twice).error().message.find("made twice"), std::string::npos);
  Graph sized = graph;
  sized.outputs.push_back(
      sized.add_tensor("k", {NK_INT32, {2}, {}}, std::make_shared<Bytes>(7)));
  EXPECT_NE(verify(sized).error().message.find("7 bytes, not 8"), std::string::npos);
}

TEST(GraphUses, ProducersAndReaders) {
  const Graph graph = *parse_graph(
      "input %x int8[2]\n%y int8[2] = f(%x, %x)\n%z int8[2] = g(%y, %x, _)\noutput %z\n");
  const Uses uses = uses_of(graph);
  EXPECT_EQ(uses.producer, (std::vector<int>{-1, 0, 1}));
  EXPECT_EQ(uses.readers[0], (std::vector<int>{0, 1}));
  EXPECT_EQ(uses.readers[1], (std::vector<int>{1}));
  EXPECT_TRUE(uses.readers[2].empty());
}

TEST(GraphCompacted, DropsWhatNothingNames) {
  Graph graph;
  graph.add_tensor("unused", {NK_INT8, {1}, {}}, std::make_shared<Bytes>(1));
  graph.inputs.push_back(graph.add_tensor("x", {NK_INT8, {2}, {}}));
  graph.add_tensor("unused2", {NK_INT8, {2}, {}});
  const TensorId y = graph.add_tensor("y", {NK_INT8, {2}, {}});
  graph.nodes.push_back({"f", "f", {1, kNoTensor}, {y}, {}});
  graph.outputs.push_back(y);
  EXPECT_EQ(to_text(compacted(graph)),
            "input %x int8[2]\n%y int8[2] = f(%x, _) @\"f\"\noutput %y\n");
}

TEST(TensorTypeSizes, OverflowIsAnError) {
  EXPECT_EQ(*byte_count(NK_INT4, Dims{3}), 2);
  EXPECT_EQ(*byte_count(NK_FLOAT32, Dims{}), 4);
  EXPECT_EQ(*byte_count(NK_FLOAT32, Dims{int64_t{1} << 62, 0, 8}), 0);
  EXPECT_FALSE(byte_count(NK_INT8, Dims{int64_t{1} << 62, 8}).has_value());
  EXPECT_FALSE(byte_count(NK_INT8, Dims{(int64_t{1} << 40) + 1}).has_value());
  EXPECT_FALSE(byte_count(NK_FLOAT32, Dims{std::numeric_limits<int64_t>::max()}).has_value());
  EXPECT_FALSE(byte_count(NK_INT8, Dims{-1}).has_value());
  EXPECT_FALSE(byte_count(NK_STRING, Dims{1}).has_value());
}

TEST(TensorTypeText, Spelling) {
  EXPECT_EQ(type_text({NK_INT8, {1, 28, 28, 1}, {{0.0039f}, {-128}, 0}}),
            "int8[1x28x28x1] q(0.0039,-128)");
  EXPECT_EQ(type_text({NK_FLOAT32, {}, {}}), "float32[scalar]");
  EXPECT_EQ(dims_text(Dims{-1, 3}), "?x3");
  Quant many{std::vector<float>(8, 0.5f), std::vector<int64_t>(8, 0), 3};
  EXPECT_EQ(type_text({NK_INT8, {8}, many}), "int8[8] q(8 scales,axis 3)");
  for (const nk_dtype dtype : {NK_FLOAT32, NK_INT4, NK_STRING}) {
    EXPECT_EQ(dtype_from_name(name_of(dtype)), dtype);
  }
  EXPECT_EQ(dtype_from_name("complex64"), NK_DTYPE_NONE);
}

}  // namespace
}  // namespace netkit
