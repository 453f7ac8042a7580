// SPDX-License-Identifier: MIT
// Models of a few bytes that say much: huge padding, axes of 2^29 elements, tensors of none.
#include <chrono>

#include "command_line.h"
#include "compiler/import/onnx/test_model.h"

namespace netkit::test {
namespace {

class TinyModels : public CommandLine {
 protected:
  static void ints(pb::Node& node, std::string_view name, const std::vector<int64_t>& values) {
    pb::Attribute& a = add_attr(node, name, kOnnxAttrInts);
    for (const int64_t v : values) a.add_ints(v);
  }

  // x → op (x, w where it has values) → y
  pb::Node& model(const std::string& op, const std::vector<int64_t>& x,
                  const std::vector<int64_t>& w = {}) {
    model_ = onnx_model();
    pb::Graph& g = *model_.mutable_graph();
    set_type(*g.add_input(), "x", kOnnxFloat, x);
    g.add_output()->set_name("y");
    g.mutable_output(0)->mutable_type()->mutable_tensor_type()->set_elem_type(kOnnxFloat);
    if (w.empty()) return add_node(g, op, {"x"}, {"y"});
    int64_t count = 1;
    for (const int64_t d : w) count *= d;
    pb::Tensor& t = add_initialiser(g, "w", kOnnxFloat, w);
    for (int64_t i = 0; i < count; ++i) t.add_float_data(1.0f);
    return add_node(g, op, {"x", "w"}, {"y"});
  }

  Outcome seen(const std::string& command) {
    const Bytes bytes = bytes_of(model_);
    put("m.onnx", {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    const auto begin = std::chrono::steady_clock::now();
    Outcome outcome = run(command);
    const auto end = std::chrono::steady_clock::now();
    EXPECT_LT(std::chrono::duration<double>(end - begin).count(), 10.0)
        << command << ": milliseconds where nothing loops over pixels";
    return outcome;
  }

  pb::Model model_;
};

TEST_F(TinyModels, SizesCostNoTime) {
  constexpr int64_t kLong = int64_t{1} << 28;
  ints(model("Conv", {1, 1, 4, 4}, {1, 1, 3, 3}), "pads", {1, 1, 1, kLong - 1});
  EXPECT_EQ(seen("compile m.onnx --stop-after select").code, 0);
  ints(model("Conv", {1, 1, 1, kLong}, {1, 1, 3, 3}), "pads", {1, 1, 1, 1});
  EXPECT_EQ(seen("compile m.onnx --stop-after select").code, 0);
  for (const std::string op : {"MaxPool", "AveragePool"}) {
    pb::Node& node = model(op, {1, 1, 1, kLong});
    ints(node, "kernel_shape", {1, kLong});
    ints(node, "pads", {0, kLong / 2, 0, kLong / 2});
    EXPECT_EQ(seen("compile m.onnx --stop-after select").code, 0);
    pb::Node& padded = model(op, {1, 1, 4, 4});
    ints(padded, "kernel_shape", {3, 3});
    ints(padded, "pads", {1, 1, 1, kLong});
    const Outcome outcome = seen("compile m.onnx --stop-after select");
    EXPECT_EQ(outcome.code, 3);
    EXPECT_NE(outcome.err.find("wholly in the padding"), std::string::npos) << outcome.err;
  }
  model("Relu", {kLong});
  EXPECT_EQ(seen("plan m.onnx").code, 0);
}

TEST_F(TinyModels, BrokenOnesAreToBeChanged) {
  ints(model("Conv", {1, 1, 4, 4}, {1, 1, 3, 3}), "strides", {0, 0});
  Outcome outcome = seen("plan m.onnx");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_NE(outcome.err.find("change the node"), std::string::npos) << outcome.err;
  model("Conv", {1, 2, 4, 4}, {1, 1, 3, 3});
  outcome = seen("plan m.onnx");
  EXPECT_NE(outcome.err.find("change the node"), std::string::npos) << outcome.err;
  model("NoSuchOperator", {1, 2, 4, 4});
  outcome = seen("plan m.onnx");
  EXPECT_NE(outcome.err.find("docs/operators.md"), std::string::npos) << outcome.err;
}

TEST_F(TinyModels, NothingInNothingOut) {
  put("none.bin", "");
  for (const std::string op : {"Add", "MatMul", "Relu"}) {
    const bool alone = op == "Relu";
    model(op, {0, 3}, alone ? std::vector<int64_t>{} : std::vector<int64_t>{3, 3});
    if (op == "Add") model(op, {0, 3}, {1, 3});
    const Outcome outcome = seen("run m.onnx --input '' --json");
    EXPECT_EQ(outcome.code, 0) << op << outcome.err;
    EXPECT_NE(outcome.out.find(R"("values":[])"), std::string::npos) << outcome.out;
  }
}

}  // namespace
}  // namespace netkit::test
