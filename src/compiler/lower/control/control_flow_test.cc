// SPDX-License-Identifier: MIT
// If, Loop and Scan written out: values, names, captured tensors, refusals.
#include "compiler/lower/control/control_flow.h"

#include <gtest/gtest.h>

#include <cstring>

#include "compiler/eval/eval.h"
#include "compiler/ir/const_values.h"
#include "compiler/lower/lower.h"

namespace netkit {
namespace {

// A graph in the making; index() of a tensor by its name, made when first asked for.
struct Draft {
  ForeignGraph g;

  Draft() {
    g.format = SourceFormat::kOnnx;
    g.file = "m.onnx";
  }
  int index(const std::string& name) {
    for (size_t i = 0; i < g.tensors.size(); ++i) {
      if (g.tensors[i].name == name) return static_cast<int>(i);
    }
    ForeignTensor t;
    t.name = name;
    g.tensors.push_back(std::move(t));
    return static_cast<int>(g.tensors.size()) - 1;
  }
  std::vector<int> all(const std::vector<std::string>& names) {
    std::vector<int> out;
    for (const std::string& name : names) out.push_back(name.empty() ? kAbsent : index(name));
    return out;
  }
  void input(const std::string& name, nk_dtype dtype, Dims dims) {
    const int at = index(name);
    g.tensors[static_cast<size_t>(at)].type = {dtype, std::move(dims), {}};
    g.tensors[static_cast<size_t>(at)].has_shape = true;
    g.inputs.push_back(at);
  }
  void scalar(const std::string& name, nk_dtype dtype, int64_t value) {
    ForeignTensor& t = g.tensors[static_cast<size_t>(index(name))];
    t.type = {dtype, {}, {}};
    t.has_shape = true;
    t.data = constant_ints(dtype, std::vector<int64_t>{value});
  }
  ForeignNode& node(std::string op, const std::vector<std::string>& inputs,
                    const std::vector<std::string>& outputs) {
    ForeignNode n;
    n.op = std::move(op);
    n.version = 16;
    n.name = outputs[0];
    n.inputs = all(inputs);
    n.outputs = all(outputs);
    g.nodes.push_back(std::move(n));
    return g.nodes.back();
  }
  // The body of the last node; `captured` are names of this graph that it reads.
  void body(const std::string& attribute, Draft inner, const std::vector<std::string>& captured) {
    for (const std::string& name : captured) {
      inner.g.tensors[static_cast<size_t>(inner.index(name))].outer = index(name);
    }
    g.nodes.back().subgraphs.emplace_back(attribute, static_cast<int>(g.subgraphs.size()));
    g.subgraphs.push_back(std::move(inner.g));
  }
};

template <typename T>
ConstData bytes_as(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return std::make_shared<const Bytes>(std::move(bytes));
}

std::vector<std::vector<float>> values_of(const Draft& draft, const std::vector<ConstData>& given) {
  const auto lowered = lower(draft.g, {});
  if (!lowered) {
    ADD_FAILURE() << (lowered.error().items.empty() ? lowered.error().message
                                                    : lowered.error().items[0]);
    return {};
  }
  const auto made = evaluate_graph(lowered->graph, given, int64_t{1} << 20);
  if (!made) return {};
  std::vector<std::vector<float>> out;
  for (const ConstData& data : *made) {
    out.emplace_back(data->size() / sizeof(float));
    std::memcpy(out.back().data(), data->data(), data->size());
  }
  return out;
}

std::string refusal_of(const Draft& draft) {
  const auto lowered = lower(draft.g, {});
  if (lowered) return {};
  return lowered.error().items.empty() ? lowered.error().message : lowered.error().items[0];
}

Draft branch(const char* op) {
  Draft inner;
  inner.node(op, {"x"}, {"y"});
  inner.g.outputs = inner.all({"y"});
  return inner;
}

Draft choice() {
  Draft draft;
  draft.input("x", NK_FLOAT32, {2});
  draft.node("If", {"c"}, {"z"});
  draft.body("then_branch", branch("Neg"), {"x"});
  draft.body("else_branch", branch("Abs"), {"x"});
  draft.g.outputs = draft.all({"z"});
  return draft;
}

TEST(ControlFlow, IfTakesOneBranchOrChooses) {
  const ConstData x = bytes_as<float>({-1, 2});
  for (const int64_t condition : {0, 1}) {
    const std::vector<float> want =
        condition != 0 ? std::vector<float>{1, -2} : std::vector<float>{1, 2};
    Draft constant = choice();
    constant.scalar("c", NK_BOOL, condition);
    EXPECT_EQ(values_of(constant, {x}), (std::vector<std::vector<float>>{want}));
    Draft given = choice();
    given.input("c", NK_BOOL, {1});
    EXPECT_EQ(values_of(given, {x, bytes_as<uint8_t>({static_cast<uint8_t>(condition)})}),
              (std::vector<std::vector<float>>{want}));
  }
}

TEST(ControlFlow, IfOfUnequalResultsIsRefused) {
  Draft draft = choice();
  draft.input("c", NK_BOOL, {});
  ForeignGraph& other = draft.g.subgraphs[1];
  other.nodes[0].op = "Unsqueeze";
  other.nodes[0].attrs.set("axes", std::vector<int64_t>{0});
  EXPECT_NE(refusal_of(draft).find("depends on data"), std::string::npos) << refusal_of(draft);
  Draft unknown = choice();
  unknown.scalar("c", NK_BOOL, 1);
  unknown.g.subgraphs[0].nodes[0].op = "Nonsense";
  EXPECT_EQ(refusal_of(unknown), "If (z): Nonsense (z/0/y): operator is not supported");
}

// v becomes v + x in each pass; every v is a row of the second result.
Draft loop(const std::string& count) {
  Draft inner;
  inner.input("i", NK_INT64, {});
  inner.input("again", NK_BOOL, {});
  inner.input("v", NK_FLOAT32, {2});
  inner.node("Add", {"v", "x"}, {"w"});
  inner.node("Identity", {"w"}, {"row"});
  inner.g.outputs = inner.all({"again", "w", "row"});
  Draft draft;
  draft.input("x", NK_FLOAT32, {2});
  draft.node("Loop", {count, "", "x"}, {"last", "rows"});
  draft.body("body", std::move(inner), {"x"});
  draft.g.outputs = draft.all({"last", "rows"});
  return draft;
}

TEST(ControlFlow, LoopOfAConstantNumberOfPasses) {
  Draft draft = loop("n");
  draft.scalar("n", NK_INT64, 3);
  EXPECT_EQ(values_of(draft, {bytes_as<float>({1, -2})}),
            (std::vector<std::vector<float>>{{4, -8}, {2, -4, 3, -6, 4, -8}}));
  Draft dynamic = loop("n");
  dynamic.input("n", NK_INT64, {});
  EXPECT_NE(refusal_of(dynamic).find("depends on data"), std::string::npos);
  Draft endless = loop("");
  EXPECT_NE(refusal_of(endless).find("unfolds into more than"), std::string::npos);
}

TEST(ControlFlow, ScanOfBothDirections) {
  for (const int64_t backward : {0, 1}) {
    Draft inner;
    inner.input("sum", NK_FLOAT32, {2});
    inner.input("part", NK_FLOAT32, {2});
    inner.node("Add", {"sum", "part"}, {"more"});
    inner.node("Identity", {"more"}, {"row"});
    inner.g.outputs = inner.all({"more", "row"});
    Draft draft;
    draft.input("start", NK_FLOAT32, {2});
    draft.input("x", NK_FLOAT32, {2, 3});
    ForeignNode& node = draft.node("Scan", {"start", "x"}, {"last", "rows"});
    node.attrs.set("num_scan_inputs", int64_t{1});
    node.attrs.set("scan_input_axes", std::vector<int64_t>{1});
    node.attrs.set("scan_input_directions", std::vector<int64_t>{backward});
    node.attrs.set("scan_output_directions", std::vector<int64_t>{backward});
    draft.body("body", std::move(inner), {});
    draft.g.outputs = draft.all({"last", "rows"});
    const auto got =
        values_of(draft, {bytes_as<float>({10, 20}), bytes_as<float>({1, 2, 3, 4, 5, 6})});
    ASSERT_EQ(got.size(), 2u);
    EXPECT_EQ(got[0], (std::vector<float>{16, 35}));
    EXPECT_EQ(got[1], backward == 0 ? (std::vector<float>{11, 24, 13, 29, 16, 35})
                                    : (std::vector<float>{16, 35, 15, 31, 13, 26}));
  }
}

}  // namespace
}  // namespace netkit
