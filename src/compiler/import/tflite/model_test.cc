// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include "compiler/import/import.h"
#include "compiler/import/tflite/test_model.h"

namespace netkit {
namespace {

using enum fbs::TensorType;

// The error of a model that must be refused, with its place.
std::string refusal(const Bytes& bytes, const ImportOptions& options = {}) {
  const auto graph = import_model(bytes, "m.tflite", options);
  if (graph) return "accepted";
  return graph.error().where + ": " + graph.error().message;
}

// x → RELU → y, float32 [1,4]; `change` may add to it before the graph ends.
template <typename F>
Bytes relu_model(F change) {
  TestModel m;
  m.tensor("x", {1, 4}, FLOAT32);
  m.tensor("y", {1, 4}, FLOAT32);
  std::vector<int> inputs = {0}, outputs = {1};
  const uint32_t relu = m.code(fbs::BuiltinOperator::RELU);
  m.op(relu, {0}, {1});
  change(m, inputs, outputs);
  m.end_graph(inputs, outputs);
  return m.finish();
}

using Ids = std::vector<int>;

TEST(ImportTflite, ReadsAConvolution) {
  const auto graph = import_model(conv_test_model(), "dir/m.tflite");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(to_text(*graph).substr(0, 36), "format tflite\nfile \"dir/m.tflite\"\nsh");
  const std::string body = to_text(*graph).substr(to_text(*graph).find("input"));
  EXPECT_EQ(body,
            "input %x int8[1x4x4x2] q(0.5,-1)\n"
            "const %w int8[3x3x3x2] q(0.1 0.2 0.3,0,axis 0) = splat 7\n"
            "const %b int32[3] q(0.05 0.1 0.15,0,axis 0) = 1 2 3\n"
            "const %shape int32[2] = 1 48\n"
            "%conv int8[1x4x4x3] q(0.25,-128) = CONV_2D:1(%x, %w, %b) {dilation_h_factor=1, "
            "dilation_w_factor=1, fused_activation_function=\"RELU6\", padding=\"SAME\", "
            "quantized_bias_type=\"FLOAT32\", stride_h=2, stride_w=1} @\"conv\"\n"
            "%y int8[1x48] q(0.25,-128) = RESHAPE:1(%conv, %shape) @\"y\"\n"
            "output %y\n");
  EXPECT_EQ(graph->sha256.size(), 64u);
}

TEST(ImportTflite, ReadsFromAnyAddress) {
  const Bytes bytes = conv_test_model();
  Bytes shifted(bytes.size() + 1);
  std::copy(bytes.begin(), bytes.end(), shifted.begin() + 1);
  EXPECT_TRUE(import_model(std::span(shifted).subspan(1), "m.tflite"));
}

TEST(ImportTflite, OpenDimensions) {
  const Bytes bytes = relu_model([](TestModel& m, Ids& inputs, Ids&) {
    const std::vector<int> shape = {1, 4}, signature = {-1, 4};
    inputs = {0, m.add_tensor(fbs::CreateTensorDirect(m.fbb(), &shape, FLOAT32, 0, "z", 0, false, 0,
                                                      &signature))};
  });
  const auto nominal = import_model(bytes, "m.tflite");
  ASSERT_TRUE(nominal);
  EXPECT_EQ(nominal->tensors[2].type.dims, (Dims{1, 4}));
  EXPECT_EQ(nominal->tensors[2].dim_names, (std::vector<std::string>{"?", ""}));
  EXPECT_TRUE(nominal->tensors[0].dim_names.empty());
  const auto open = import_model(bytes, "m.tflite", {.keep_open_dims = true});
  ASSERT_TRUE(open);
  EXPECT_EQ(open->tensors[2].type.dims, (Dims{-1, 4}));
}

TEST(ImportTflite, CustomAndUnknownOperators) {
  const Bytes bytes = relu_model([](TestModel& m, Ids&, Ids& outputs) {
    const std::vector<uint8_t> options = {1, 2, 3};
    m.tensor("c", {2}, FLOAT32);
    m.tensor("u", {2}, FLOAT32);
    m.op(m.code(fbs::BuiltinOperator::CUSTOM, "Fancy"), {0}, {2}, fbs::BuiltinOptions::NONE, 0,
         &options);
    m.op(m.code(static_cast<fbs::BuiltinOperator>(9999)), {0, -1}, {3});
    outputs = {1, 2, 3};
  });
  const auto graph = import_model(bytes, "m.tflite");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(graph->nodes[1].op, "CUSTOM:Fancy");
  const auto& options = std::get<AttrTensor>(*graph->nodes[1].attrs.find("custom_options"));
  EXPECT_EQ(*options.data, (Bytes{std::byte{1}, std::byte{2}, std::byte{3}}));
  EXPECT_EQ(graph->nodes[2].op, "BUILTIN:9999");
  EXPECT_EQ(graph->nodes[2].inputs, (std::vector<int>{0, kAbsent}));
}

TEST(ImportTflite, DataBehindTheFlatbuffer) {
  constexpr uint64_t kPlace = 4096;
  Bytes bytes = relu_model([&](TestModel& m, Ids&, Ids&) {
    const uint32_t far = m.add_buffer(fbs::CreateBuffer(m.fbb(), 0, kPlace, 4));
    m.tensor("c", {2, 2}, UINT8, far);
  });
  EXPECT_NE(refusal(bytes).find("outside the file"), std::string::npos) << refusal(bytes);
  bytes.resize(kPlace + 4, std::byte{9});
  const auto graph = import_model(bytes, "m.tflite");
  ASSERT_TRUE(graph) << graph.error().message;
  EXPECT_EQ(*graph->tensors[2].data, Bytes(4, std::byte{9}));
}

TEST(ImportTflite, Subgraphs) {
  const auto model = [](int then_graph, int else_graph) {
    TestModel m;
    m.tensor("c", {}, BOOL);
    m.tensor("x", {2}, FLOAT32);
    m.tensor("y", {2}, FLOAT32);
    const auto options = fbs::CreateIfOptions(m.fbb(), then_graph, else_graph);
    const uint32_t branch = m.code(fbs::BuiltinOperator::IF);
    const uint32_t relu = m.code(fbs::BuiltinOperator::RELU);
    m.op(branch, {0, 1}, {2}, fbs::BuiltinOptions::If, options.Union());
    m.end_graph({0, 1}, {2});
    for (int i = 0; i < 2; ++i) {
      m.tensor("a", {2}, FLOAT32);
      m.tensor("b", {2}, FLOAT32);
      m.op(relu, {0}, {1});
      m.end_graph({0}, {1});
    }
    return m.finish();
  };
  const auto graph = import_model(model(2, 1), "m.tflite");
  ASSERT_TRUE(graph) << graph.error().message;
  ASSERT_EQ(graph->subgraphs.size(), 2u);
  using Link = std::pair<std::string, int>;
  EXPECT_EQ(graph->nodes[0].subgraphs,
            (std::vector<Link>{{"else_subgraph_index", 0}, {"then_subgraph_index", 1}}));
  EXPECT_NE(refusal(model(3, 1)).find("3 subgraphs"), std::string::npos);
  EXPECT_NE(refusal(model(0, 1)).find("main graph"), std::string::npos);
  EXPECT_NE(refusal(model(-1, 1)).find("-1 is not"), std::string::npos);
}

TEST(ImportTflite, SubgraphThatCallsItself) {
  TestModel m;
  const uint32_t once = m.code(fbs::BuiltinOperator::CALL_ONCE);
  for (int i = 0; i < 2; ++i) {
    const auto options = fbs::CreateCallOnceOptions(m.fbb(), 1);
    m.op(once, {}, {}, fbs::BuiltinOptions::CallOnce, options.Union());
    m.end_graph({}, {});
  }
  EXPECT_NE(refusal(m.finish()).find("calls itself"), std::string::npos);
}

struct BrokenModel {
  std::string_view words;
  void (*change)(TestModel&, Ids& inputs, Ids& outputs);
};

const BrokenModel kBrokenModels[] = {
    {"graph input 0 has tensor index 9", [](TestModel&, Ids& in, Ids&) { in = {9}; }},
    {"graph output 0 has tensor index -1", [](TestModel&, Ids&, Ids& out) { out = {-1}; }},
    {"listed twice", [](TestModel&, Ids& in, Ids&) { in = {0, 0}; }},
    {"produced by no operator",
     [](TestModel& m, Ids&, Ids& out) { out = {m.tensor("z", {1}, FLOAT32)}; }},
    {"'y': written twice", [](TestModel& m, Ids&, Ids&) { m.op(0, {0}, {1}); }},
    {"operator code index 7", [](TestModel& m, Ids&, Ids&) { m.op(7, {0}, {}); }},
    {"tensor index 50", [](TestModel& m, Ids&, Ids&) { m.op(0, {50}, {}); }},
    {"'late': read before",
     [](TestModel& m, Ids&, Ids&) { m.op(0, {m.tensor("late", {1}, FLOAT32)}, {}); }},
    {"there is no buffer 77", [](TestModel& m, Ids&, Ids&) { m.tensor("c", {1}, INT8, 77); }},
    {"holds 3 bytes, but int32[1] needs 4",
     [](TestModel& m, Ids&, Ids&) { m.tensor("c", {1}, INT32, m.buffer({1, 2, 3})); }},
    {"negative dimension -4", [](TestModel& m, Ids&, Ids&) { m.tensor("c", {-4}, INT8); }},
    {"too many elements",
     [](TestModel& m, Ids&, Ids&) { m.tensor("c", {1 << 30, 1 << 30, 1 << 30}, INT8); }},
    {"unknown element type 99",
     [](TestModel& m, Ids&, Ids&) { m.tensor("c", {1}, static_cast<fbs::TensorType>(99)); }},
    {"2 scales but 1 zero points",
     [](TestModel& m, Ids&, Ids&) { m.tensor("c", {2}, INT8, 0, m.quant({1, 2}, {0})); }},
    {"2 scales along axis 1 of shape 2x3",
     [](TestModel& m, Ids&, Ids&) { m.tensor("c", {2, 3}, INT8, 0, m.quant({1, 2}, {0, 0}, 1)); }},
    {"scale -1", [](TestModel& m, Ids&, Ids&) { m.tensor("c", {1}, INT8, 0, m.quant({-1}, {0})); }},
    {"option padding has the unknown value 9",
     [](TestModel& m, Ids&, Ids&) {
       const auto o = fbs::CreatePool2DOptions(m.fbb(), static_cast<fbs::Padding>(9));
       m.op(m.code(fbs::BuiltinOperator::MAX_POOL_2D), {0}, {}, fbs::BuiltinOptions::Pool2D,
            o.Union());
     }},
    {"no options table: stride",
     [](TestModel& m, Ids&, Ids&) { m.op(m.code(fbs::BuiltinOperator::CONV_2D), {0}, {}); }},
    {"options of another",
     [](TestModel& m, Ids&, Ids&) {
       const auto o = fbs::CreatePool2DOptions(m.fbb());
       m.op(m.code(fbs::BuiltinOperator::CONV_2D), {0}, {}, fbs::BuiltinOptions::Pool2D, o.Union());
     }},
};

TEST(ImportTflite, RefusesWhatContradictsItself) {
  for (const BrokenModel& b : kBrokenModels) {
    const std::string error = refusal(relu_model(b.change));
    EXPECT_NE(error.find(b.words), std::string::npos) << error << "\nwanted: " << b.words;
    EXPECT_EQ(error.find("m.tflite"), 0u);
  }
}

TEST(ImportTflite, RefusesOtherVersionsAndEmptyModels) {
  TestModel none;
  EXPECT_NE(refusal(none.finish()).find("no subgraph"), std::string::npos);
  TestModel old;
  old.end_graph({}, {});
  EXPECT_NE(refusal(old.finish(2)).find("version 2"), std::string::npos);
}

// One name of a megabyte, shown by many tensors.
TEST(ImportTflite, SharedPartsCannotBlowUpMemory) {
  TestModel m;
  const std::vector<float> scales(100'000, 1.0f);
  const std::vector<int64_t> zero_points(100'000, 0);
  const auto quant = m.quant(scales, zero_points);
  const std::vector<int> shape = {100'000};
  const auto tensor = fbs::CreateTensorDirect(m.fbb(), &shape, INT8, 0, "t", quant);
  for (int i = 0; i < 10'000; ++i) m.add_tensor(tensor);
  m.end_graph({}, {});
  EXPECT_NE(refusal(m.finish()).find("times the file's size"), std::string::npos);
}

}  // namespace
}  // namespace netkit
