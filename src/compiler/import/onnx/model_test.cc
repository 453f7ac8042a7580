// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "compiler/import/import.h"
#include "compiler/import/onnx/test_model.h"

namespace netkit {
namespace {

Result<ForeignGraph> import_pb(const pb::Model& model) {
  return import_model(bytes_of(model), "m.onnx");
}

std::string refusal(const pb::Model& model) {
  const auto graph = import_pb(model);
  if (graph) return "accepted";
  return graph.error().where + ": " + graph.error().message;
}

// float32 x [2] → … → y; the caller adds what makes y.
pb::Model open_model(int64_t opset = 13) {
  pb::Model model = onnx_model(opset);
  set_type(*model.mutable_graph()->add_input(), "x", kOnnxFloat, {2});
  set_type(*model.mutable_graph()->add_output(), "y", kOnnxFloat, {2});
  return model;
}

std::string body_of(const ForeignGraph& graph) {
  const std::string text = to_text(graph);
  return text.substr(text.find("input"));
}

TEST(ImportOnnx, ReadsAConvolution) {
  const auto graph = import_pb(conv_onnx_model());
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(body_of(*graph),
            "input %x float32[1x2x4x4]\n"
            "const %w float32[3x2x3x3] = splat 0.5\n"
            "const %b float32[3] = 1 2 3\n"
            "const %shape int64[2] = 1 48\n"
            "%c none[unknown] = Conv:13(%x, %w, %b) {auto_pad=\"NOTSET\", pads=[1,1,1,1]} @\"c\"\n"
            "%r none[unknown] = Relu:13(%c) @\"r\"\n"
            "%y float32[1x48] = Reshape:13(%r, %shape) @\"flatten\"\n"
            "output %y\n");
  EXPECT_EQ(graph->producer, "test");
  EXPECT_EQ(graph->ir_version, 7);
}

TEST(ImportOnnx, SortsNodesAndKeepsTheFilesOrderElse) {
  pb::Model model = open_model();
  pb::Graph& g = *model.mutable_graph();
  add_node(g, "Add", {"a", "b"}, {"y"});
  add_node(g, "Neg", {"x"}, {"b"});
  add_node(g, "Abs", {"x"}, {"a"});
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->nodes[0].op, "Neg");
  EXPECT_EQ(graph->nodes[1].op, "Abs");
  EXPECT_EQ(graph->nodes[2].op, "Add");
}

TEST(ImportOnnx, InitialisersAmongTheInputsAreConstants) {
  pb::Model model = open_model();
  pb::Graph& g = *model.mutable_graph();
  set_type(*g.add_input(), "k", kOnnxFloat, {2});
  pb::Tensor& k = add_initialiser(g, "k", kOnnxFloat, {2});
  k.add_float_data(1);
  k.add_float_data(2);
  add_node(g, "Add", {"x", "k"}, {"y"});
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->inputs.size(), 1u);
  EXPECT_EQ(graph->tensors[static_cast<size_t>(graph->inputs[0])].name, "x");
}

TEST(ImportOnnx, NamesOfOpenDimensions) {
  pb::Model model = open_model();
  pb::Graph& g = *model.mutable_graph();
  auto& shape = *g.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape.mutable_dim(0)->set_dim_param("batch");
  shape.mutable_dim(0)->clear_dim_value();
  shape.add_dim();
  shape.add_dim()->set_dim_value(3);
  add_node(g, "Neg", {"x"}, {"y"});
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->tensors[0].type.dims, (Dims{-1, -1, 3}));
  EXPECT_EQ(graph->tensors[0].dim_names, (std::vector<std::string>{"batch", "", ""}));
}

TEST(ImportOnnx, SubgraphsCaptureOuterValues) {
  pb::Model model = open_model();
  pb::Graph& g = *model.mutable_graph();
  set_type(*g.add_input(), "flag", kOnnxBool, {});
  pb::Node& branch = add_node(g, "If", {"flag"}, {"y"});
  for (const char* name : {"then_branch", "else_branch"}) {
    pb::Graph& inner = *add_attr(branch, name, kOnnxAttrGraph).mutable_g();
    add_node(inner, "Neg", {"late"}, {"r"});
    inner.add_output()->set_name("r");
  }
  add_node(g, "Abs", {"x"}, {"late"});
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->subgraphs.size(), 2u);
  EXPECT_EQ(graph->nodes[0].op, "Abs");  // the branch needs it
  EXPECT_EQ(graph->nodes[1].subgraphs[1], (std::pair<std::string, int>{"else_branch", 1}));
  const ForeignGraph& then_graph = graph->subgraphs[0];
  const ForeignTensor& captured =
      then_graph.tensors[static_cast<size_t>(then_graph.nodes[0].inputs[0])];
  EXPECT_EQ(graph->tensors[static_cast<size_t>(captured.outer)].name, "late");
}

TEST(ImportOnnx, WarnsOfNewerVersions) {
  pb::Model model = open_model(60);
  model.set_ir_version(90);
  add_node(*model.mutable_graph(), "Neg", {"x"}, {"y"});
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph);
  EXPECT_EQ(graph->warnings.size(), 2u);
  EXPECT_EQ(graph->nodes[0].version, 60);
}

TEST(ImportOnnx, DomainsAndVersions) {
  pb::Model model = open_model();
  pb::OperatorSetId& id = *model.add_opset_import();
  id.set_domain("com.vendor");
  id.set_version(4);
  pb::Node& a = add_node(*model.mutable_graph(), "Neg", {"x"}, {"a"});
  a.set_domain("ai.onnx");
  add_node(*model.mutable_graph(), "Fancy", {"a"}, {"y"}).set_domain("com.vendor");
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->nodes[0].domain, "");
  EXPECT_EQ(graph->nodes[0].version, 13);
  EXPECT_EQ(graph->nodes[1].domain, "com.vendor");
  EXPECT_EQ(graph->nodes[1].version, 4);
}

struct Broken {
  std::string_view words;
  void (*change)(pb::Model&, pb::Graph&);
};

const Broken kBroken[] = {
    {"'ghost' is made by nothing",
     [](pb::Model&, pb::Graph& g) { add_node(g, "Add", {"x", "ghost"}, {"z"}); }},
    {"'y': the name is made twice",
     [](pb::Model&, pb::Graph& g) { add_node(g, "Neg", {"x"}, {"y"}); }},
    {"'x': the name is made twice",
     [](pb::Model&, pb::Graph& g) { add_node(g, "Neg", {"x"}, {"x"}); }},
    {"cycle: 'b'",
     [](pb::Model&, pb::Graph& g) {
       add_node(g, "Neg", {"b"}, {"a"});
       add_node(g, "Neg", {"a"}, {"b"});
     }},
    {"output 'q' is made by no node",
     [](pb::Model&, pb::Graph& g) { g.add_output()->set_name("q"); }},
    {"input without a name", [](pb::Model&, pb::Graph& g) { g.add_input(); }},
    {"without an operator", [](pb::Model&, pb::Graph& g) { add_node(g, "", {"x"}, {"z"}); }},
    {"initializer without a name", [](pb::Model&, pb::Graph& g) { g.add_initializer(); }},
    {"opset 9999", [](pb::Model& m, pb::Graph&) { m.mutable_opset_import(0)->set_version(9999); }},
    {"opset 0", [](pb::Model& m, pb::Graph&) { m.mutable_opset_import(0)->set_version(0); }},
    {"two opsets", [](pb::Model& m, pb::Graph&) { m.add_opset_import()->set_version(9); }},
    {"states no opset",
     [](pb::Model& m, pb::Graph&) { m.mutable_opset_import(0)->set_domain("other"); }},
    {"must have one attribute",
     [](pb::Model&, pb::Graph& g) { add_node(g, "Constant", {}, {"k"}); }},
    {"gives a Constant no value",
     [](pb::Model&, pb::Graph& g) {
       add_attr(add_node(g, "Constant", {}, {"k"}), "valeu", kOnnxAttrInt).set_i(3);
     }},
    {"attribute 'axis': given twice",
     [](pb::Model&, pb::Graph& g) {
       pb::Node& n = add_node(g, "Softmax", {"x"}, {"z"});
       add_attr(n, "axis", kOnnxAttrInt);
       add_attr(n, "axis", kOnnxAttrInt);
     }},
    {"unknown attribute type 77",
     [](pb::Model&, pb::Graph& g) { add_attr(add_node(g, "Softmax", {"x"}, {"z"}), "axis", 77); }},
};

TEST(ImportOnnx, RefusesWhatContradictsItself) {
  for (const Broken& b : kBroken) {
    pb::Model model = open_model();
    add_node(*model.mutable_graph(), "Neg", {"x"}, {"y"});
    b.change(model, *model.mutable_graph());
    const std::string error = refusal(model);
    EXPECT_NE(error.find(b.words), std::string::npos) << error << "\nwanted: " << b.words;
    EXPECT_EQ(error.find("m.onnx"), 0u);
  }
}

pb::Function& add_function(pb::Model& model, const char* name,
                           const std::vector<std::string>& inputs,
                           const std::vector<std::string>& outputs) {
  pb::Function& f = *model.add_functions();
  f.set_domain("local");
  f.set_name(name);
  for (const std::string& i : inputs) f.add_input(i);
  for (const std::string& o : outputs) f.add_output(o);
  pb::OperatorSetId& id = *f.add_opset_import();
  id.set_version(13);
  return f;
}

pb::Node function_node(std::string_view op, const std::vector<std::string>& inputs,
                       const std::vector<std::string>& outputs) {
  pb::Graph scratch;
  return add_node(scratch, op, inputs, outputs);
}

TEST(ImportOnnx, FunctionsAreExpanded) {
  pb::Model model = open_model();
  pb::Graph& g = *model.mutable_graph();
  pb::Function& inner = add_function(model, "Inner", {"a"}, {"b", "a"});
  pb::Node relu = function_node("LeakyRelu", {"a"}, {"t"});
  pb::Attribute& alpha = add_attr(relu, "alpha", kOnnxAttrFloat);
  alpha.set_ref_attr_name("slope");
  *inner.add_node() = relu;
  *inner.add_node() = function_node("Neg", {"t"}, {"b"});
  pb::Function& outer = add_function(model, "Outer", {"a"}, {"r"});
  pb::Node call = function_node("Inner", {"a"}, {"p", "q"});
  call.set_domain("local");
  add_attr(call, "slope", kOnnxAttrFloat).set_f(0.5f);
  *outer.add_node() = call;
  *outer.add_node() = function_node("Add", {"p", "q"}, {"r"});
  pb::Node& node = add_node(g, "Outer", {"x"}, {"y"});
  node.set_domain("local");
  node.set_name("n");
  const auto graph = import_pb(model);
  ASSERT_TRUE(graph) << graph.error().message;
  const std::string inside = "n/Outer#0/0/Inner#1/";
  EXPECT_EQ(body_of(*graph),
            "input %x float32[2]\n"
            "%n/Outer#0/q none[unknown] = Identity:13(%x) @\"" + inside + "output_1\"\n"
            "%" + inside + "t none[unknown] = LeakyRelu:13(%x) {alpha=0.5} @\"" + inside + "0\"\n"
            "%n/Outer#0/p none[unknown] = Neg:13(%" + inside + "t) @\"" + inside + "1\"\n"
            "%y float32[2] = Add:13(%n/Outer#0/p, %n/Outer#0/q) @\"n/Outer#0/1\"\n"
            "output %y\n");
}

TEST(ImportOnnx, FunctionsWithoutEndAreRefused) {
  pb::Model model = open_model();
  pb::Node call = function_node("F", {"a"}, {"b"});
  call.set_domain("local");
  *add_function(model, "F", {"a"}, {"b"}).add_node() = call;
  *model.mutable_graph()->add_node() = function_node("F", {"x"}, {"y"});
  model.mutable_graph()->mutable_node(0)->set_domain("local");
  EXPECT_NE(refusal(model).find("without end"), std::string::npos);
  model.mutable_functions(0)->mutable_opset_import(0)->set_version(9);
  EXPECT_NE(refusal(model).find("opset 9"), std::string::npos);
}

// Each of 30 functions calls the next one twice.
TEST(ImportOnnx, FunctionsCannotBlowUpMemory) {
  pb::Model model = open_model();
  for (int i = 0; i < 30; ++i) {
    const std::string next = "F" + std::to_string(i + 1);
    pb::Function& f = add_function(model, ("F" + std::to_string(i)).c_str(), {"a"}, {"c"});
    *f.add_node() = function_node(next, {"a"}, {"b"});
    *f.add_node() = function_node(next, {"b"}, {"c"});
    for (pb::Node& n : *f.mutable_node()) n.set_domain("local");
  }
  *add_function(model, "F30", {"a"}, {"c"}).add_node() = function_node("Neg", {"a"}, {"c"});
  *model.mutable_graph()->add_node() = function_node("F0", {"x"}, {"y"});
  model.mutable_graph()->mutable_node(0)->set_domain("local");
  EXPECT_NE(refusal(model).find("times the file's size"), std::string::npos);
}

TEST(ImportOnnx, RefusesAModelWithoutAGraph) {
  pb::Model model = onnx_model();
  model.clear_graph();
  EXPECT_NE(refusal(model).find("no graph"), std::string::npos);
}

TEST(ImportOnnx, DeepNestingIsRefused) {
  pb::Model model = open_model();
  pb::Graph* g = model.mutable_graph();
  for (int depth = 0; depth < 100; ++depth) {
    g = add_attr(add_node(*g, "If", {"x"}, {depth == 0 ? "y" : "r"}), "then_branch", kOnnxAttrGraph)
            .mutable_g();
  }
  EXPECT_NE(refusal(model).find("nested too deep"), std::string::npos);
}

}  // namespace
}  // namespace netkit
