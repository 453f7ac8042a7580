// SPDX-License-Identifier: MIT
// State of TFLite networks in the graph: who reads which value, what a run leaves, refusals.
#include <gtest/gtest.h>

#include "compiler/ir/const_values.h"
#include "compiler/lower/lower.h"

namespace netkit {
namespace {

// A network x -> y with the resource variable "v" of two floats.
class VariableNetwork {
 public:
  VariableNetwork() {
    graph_.format = SourceFormat::kTflite;
    graph_.file = "net.tflite";
    graph_.inputs = {tensor("x")};
    add("VAR_HANDLE", {}, "handle", NK_DTYPE_NONE);
    graph_.nodes.back().attrs.set("shared_name", std::string("v"));
  }

  int tensor(const std::string& name, nk_dtype dtype = NK_FLOAT32) {
    ForeignTensor t;
    t.name = name;
    t.type = {dtype, {2}, {}};
    t.has_shape = dtype != NK_DTYPE_NONE;
    graph_.tensors.push_back(std::move(t));
    names_.push_back(name);
    return static_cast<int>(graph_.tensors.size()) - 1;
  }
  int at(const std::string& name) const {
    for (size_t i = 0; i < names_.size(); ++i) {
      if (names_[i] == name) return static_cast<int>(i);
    }
    return kAbsent;
  }
  VariableNetwork& add(const std::string& op, const std::vector<std::string>& inputs,
                       const std::string& output, nk_dtype dtype = NK_FLOAT32) {
    ForeignNode node;
    node.op = op;
    node.name = op;
    for (const std::string& input : inputs) node.inputs.push_back(at(input));
    if (!output.empty()) node.outputs = {tensor(output, dtype)};
    graph_.nodes.push_back(std::move(node));
    return *this;
  }
  // CALL_ONCE of a graph that assigns these values.
  VariableNetwork& begins_with(const std::vector<double>& values) {
    ForeignGraph once;
    once.format = SourceFormat::kTflite;
    ForeignTensor handle, value;
    value.type = {NK_FLOAT32, {static_cast<int64_t>(values.size())}, {}};
    value.has_shape = true;
    value.data = constant_floats(NK_FLOAT32, values);
    once.tensors = {handle, value};
    ForeignNode make, assign;
    make.op = "VAR_HANDLE";
    make.outputs = {0};
    make.attrs.set("shared_name", std::string("v"));
    assign.op = "ASSIGN_VARIABLE";
    assign.inputs = {0, 1};
    once.nodes = {make, assign};
    graph_.subgraphs.push_back(std::move(once));
    add("CALL_ONCE", {}, "");
    graph_.nodes.back().subgraphs = {{"init_subgraph_index", 0}};
    return *this;
  }
  Result<Lowered> lowered(const std::string& output) {
    graph_.outputs = {at(output)};
    return lower(graph_, {});
  }
  ForeignGraph& graph() { return graph_; }

 private:
  ForeignGraph graph_;
  std::vector<std::string> names_;
};

// A read before the assignment sees what the last run left; one after it the new value.
TEST(Variables, ReadsBeforeAndAfterAnAssignment) {
  VariableNetwork net;
  net.begins_with({1, 2})
      .add("READ_VARIABLE", {"handle"}, "before")
      .add("ADD", {"x", "before"}, "sum")
      .add("ASSIGN_VARIABLE", {"handle", "sum"}, "")
      .add("READ_VARIABLE", {"handle"}, "after")
      .add("MUL", {"after", "before"}, "y");
  const auto lowered = net.lowered("y");
  ASSERT_TRUE(lowered) << lowered.error().message << " " << lowered.error().items[0];
  EXPECT_EQ(to_text(lowered->graph), R"(source "net.tflite"
input %x float32[2]
input %before float32[2]
%sum float32[2] = add(%x, %before) @"ADD"
%y float32[2] = mul(%sum, %before) @"MUL"
output %y
state %before -> %sum = 1 2
)");
  EXPECT_EQ(to_text(parse_graph(to_text(lowered->graph)).value()), to_text(lowered->graph));
}

// Without CALL_ONCE a variable begins with 0; one that is assigned from itself is copied.
TEST(Variables, BeginWithZeroAndMayStay) {
  VariableNetwork net;
  net.add("READ_VARIABLE", {"handle"}, "before")
      .add("ADD", {"x", "before"}, "y")
      .add("ASSIGN_VARIABLE", {"handle", "before"}, "");
  const auto lowered = net.lowered("y");
  ASSERT_TRUE(lowered) << lowered.error().message;
  ASSERT_EQ(lowered->graph.states.size(), 1u);
  EXPECT_EQ(lowered->graph.states[0].initial, nullptr);
  EXPECT_EQ(lowered->graph.nodes.back().op, "copy");
}

// One that nobody reads is no state.
TEST(Variables, UnreadOnesVanish) {
  VariableNetwork net;
  net.begins_with({1, 2}).add("ADD", {"x", "x"}, "y").add("ASSIGN_VARIABLE", {"handle", "y"}, "");
  const auto lowered = net.lowered("y");
  ASSERT_TRUE(lowered) << lowered.error().message;
  EXPECT_TRUE(lowered->graph.states.empty());
}

TEST(Variables, OtherShapesAndUnknownHandlesAreRefused) {
  VariableNetwork wider;
  wider.begins_with({1, 2, 3}).add("READ_VARIABLE", {"handle"}, "y");
  const auto shape = wider.lowered("y");
  ASSERT_FALSE(shape);
  EXPECT_NE(shape.error().message.find("is read as"), std::string::npos);
  VariableNetwork lost;
  lost.add("READ_VARIABLE", {"x"}, "y");
  const auto handle = lost.lowered("y");
  ASSERT_FALSE(handle);
  EXPECT_NE(handle.error().items.at(0).find("VAR_HANDLE"), std::string::npos);
}

}  // namespace
}  // namespace netkit
