// SPDX-License-Identifier: MIT
// What the command line says of models that are odd and not damaged, and of what it makes of large
// ones: hints, warnings, the key of the table of kernels, the link line of a page.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <tuple>

#include "command_line.h"
#include "compiler/import/onnx/test_model.h"
#include "compiler/import/tflite/test_model.h"

namespace netkit::test {
namespace {

using enum fbs::TensorType;

class CommandModels : public CommandLine {
 protected:
  void put_model(const std::string& name, const Bytes& bytes) const {
    put(name, {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  }
  nlohmann::json error_of(const std::string& command) const {
    const Outcome outcome = run(command + " --json");
    EXPECT_EQ(outcome.code, 3) << command << outcome.err;
    return nlohmann::json::parse(outcome.out, nullptr, false);
  }
};

// x → RELU → y, float32 ?x?x4 of nominal size 1x2x4.
Bytes open_model() {
  TestModel m;
  const std::vector<int> shape = {1, 2, 4}, signature = {-1, -1, 4};
  for (const char* name : {"x", "y"}) {
    m.add_tensor(
        fbs::CreateTensorDirect(m.fbb(), &shape, FLOAT32, 0, name, 0, false, 0, &signature));
  }
  m.op(m.code(fbs::BuiltinOperator::RELU), {0}, {1});
  m.end_graph({0}, {1});
  return m.finish();
}

// x MatMul w, where w has `columns` columns of 1024 floats that take many digits.
Bytes wide_model(int64_t columns) {
  constexpr int64_t kRows = 1024;
  pb::Model model = onnx_model();
  pb::Graph& g = *model.mutable_graph();
  set_type(*g.add_input(), "x", kOnnxFloat, {1, kRows});
  set_type(*g.add_output(), "y", kOnnxFloat, {1, columns});
  const std::vector<float> w(static_cast<size_t>(kRows * columns), -1.2345678e-20f);
  add_initialiser(g, "w", kOnnxFloat, {kRows, columns})
      .set_raw_data(std::string(reinterpret_cast<const char*>(w.data()), 4 * w.size()));
  add_node(g, "MatMul", {"x", "w"}, {"y"});
  return bytes_of(model);
}

TEST_F(CommandModels, ANetworkWithoutOperatorsIsNamed) {
  TestModel m;
  m.end_graph({}, {});
  put_model("empty.tflite", m.finish());
  for (const std::string verb : {"plan", "inspect"}) {
    const auto error = error_of(verb + " empty.tflite");
    EXPECT_EQ(error["where"], "empty.tflite");
    EXPECT_EQ(error["message"], "the graph has no operators");
    EXPECT_EQ(error["hint"], "give a model that computes something");
  }
}

TEST_F(CommandModels, ANetworkWithoutInputsTakesNone) {
  TestModel m;
  m.tensor("x", {1}, FLOAT32, m.buffer({0, 0, 128, 63}));
  m.tensor("y", {1}, FLOAT32);
  m.op(m.code(fbs::BuiltinOperator::RELU), {0}, {1});
  m.end_graph({}, {1});
  put_model("fixed.tflite", m.finish());
  EXPECT_EQ(run("run fixed.tflite").code, 0) << run("run fixed.tflite").err;
  for (const std::string option : {"--input 1", "--input x=1", "--shape x=1", "--fix x=1"}) {
    expect_error("run fixed.tflite " + option, 2, "leave it out: the model has no inputs");
  }
  expect_error("run fixed.tflite --input 1", 2, "1 input given, the model has 0");
}

TEST_F(CommandModels, WhatIsNotDamagedNeedsNoCorrection) {
  TestModel old;
  old.end_graph({}, {});
  put_model("old.tflite", old.finish(2));
  TestModel block;
  const auto details = fbs::CreateCustomQuantization(block.fbb()).Union();
  const auto quant = fbs::CreateQuantizationParametersDirect(
      block.fbb(), nullptr, nullptr, nullptr, nullptr, fbs::QuantizationDetails::CustomQuantization,
      details);
  block.tensor("x", {1, 4}, INT8, 0, quant);
  block.tensor("y", {1, 4}, INT8, 0, quant);
  block.op(block.code(fbs::BuiltinOperator::RELU), {0}, {1});
  block.end_graph({0}, {1});
  put_model("block.tflite", block.finish());
  TestModel words;
  words.tensor("x", {1}, STRING);
  words.tensor("y", {1}, STRING);
  words.op(words.code(fbs::BuiltinOperator::RELU), {0}, {1});
  words.end_graph({0}, {1});
  put_model("words.tflite", words.finish());
  for (const auto& [file, message, hint] :
       std::initializer_list<std::tuple<std::string, std::string, std::string>>{
           {"old.tflite", "schema version 2", "convert the model again"},
           {"block.tflite", "block-wise", "one scale per tensor or per channel"},
           {"words.tflite", "unsupported type", "inputs are numbers"}}) {
    const auto error = error_of("plan " + file);
    EXPECT_TRUE(error["where"].get<std::string>().starts_with(file)) << error;
    EXPECT_NE(error["message"].get<std::string>().find(message), std::string::npos) << error;
    EXPECT_NE(error["hint"].get<std::string>().find(hint), std::string::npos) << error;
  }
}

TEST_F(CommandModels, EveryVerbTellsWhatAnOpenDimensionIsTakenAs) {
  put_model("open.tflite", open_model());
  const std::string warning = "open.tflite: input 'x' is ?x?x4 in the file: dimension 1 is taken";
  const std::string shape = " --shape x=1x5x4";
  for (const std::string verb :
       {"plan open.tflite", "inspect open.tflite", "compile open.tflite -o m.nk",
        "emit open.tflite -o c", "run open.tflite --input 1,2,3,4,5,6,7,8"}) {
    const Outcome outcome = run(verb);
    EXPECT_EQ(outcome.code, 0) << verb << outcome.err;
    EXPECT_NE(outcome.err.find(warning + " as 2"), std::string::npos) << verb << outcome.err;
    const bool runs = verb.starts_with("run");
    const Outcome given =
        run(runs ? verb + ",9,10,11,12,13,14,15,16,17,18,19,20" + shape : verb + shape);
    EXPECT_EQ(given.code, 0) << verb << given.err;
    EXPECT_EQ(given.err.find(warning), std::string::npos) << verb << given.err;
  }
  expect_error("plan open.tflite --shape x=1x4294967296x4", 2,
               "--shape x=1x4294967296x4: has more than 2^31 - 1 elements");
  expect_error("plan open.tflite --shape x=4294967296x4294967296x4", 2, "give smaller dimensions");
  pb::Model model = onnx_model();
  pb::Graph& g = *model.mutable_graph();
  for (pb::ValueInfo* port : {g.add_input(), g.add_output()}) {
    set_type(*port, port == &g.input(0) ? "x" : "y", kOnnxFloat, {1, 2, 4});
    auto& dim = *port->mutable_type()->mutable_tensor_type()->mutable_shape()->mutable_dim(1);
    dim.clear_dim_value();
    dim.set_dim_param("T");
  }
  add_node(g, "Relu", {"x"}, {"y"});
  put_model("open.onnx", bytes_of(model));
  EXPECT_EQ(error_of("inspect open.onnx")["hint"], "give it: --shape x=…");
  EXPECT_EQ(run("inspect open.onnx" + shape).code, 0);
}

TEST_F(CommandModels, SourcesThatCompilersAreSlowWithCarryAWarning) {
  put_model("small.onnx", wide_model(16));
  EXPECT_EQ(run("emit small.onnx -o c").err, "");
#ifndef __SANITIZE_ADDRESS__  // under which no allocation may be as large as this text
  put_model("wide.onnx", wide_model(2048));
  const Outcome wide = run("emit wide.onnx -o c");
  EXPECT_EQ(wide.code, 0);
  EXPECT_NE(wide.err.find("wide.onnx: "), std::string::npos) << wide.err;
  EXPECT_NE(wide.err.find(" MiB of source"), std::string::npos) << wide.err;
  EXPECT_GT(fs::file_size(folder_ + "/c/wide.c"), size_t{32} << 20);
#endif
}

TEST_F(CommandModels, TheLinkLineOfThePageLinks) {
#ifndef __SANITIZE_ADDRESS__  // the library needs its own compiler and sanitizers
  const std::string page = "/docs/cli.md", source = NETKIT_SOURCE_DIR;
  const Bytes bytes = read_bytes(source + page);
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  EXPECT_NE(text.find("`cc -std=c99 -I include main.c DIR/NAME.c build/libnetkit.a -lm`"),
            std::string_view::npos);
  ASSERT_EQ(run("emit " + std::string(kModel) + " -o c --name net --lib").code, 0);
  put("main.c",
      "#include \"c/net.h\"\n"
      "int main(void) { return net_run(net_input0(), net_output0()); }\n");
  const std::string command = fmt::format(
      "cd '{}' && cc -std=c99 -I '{}/include' main.c c/net.c '{}/libnetkit.a' -lm -o "
      "net && ./net",
      folder_, source, NETKIT_BINARY_DIR);
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
#endif
}

TEST_F(CommandModels, TheKeyExplainsTheTypesOfEveryKernel) {
  const std::string table = run("version --operators").out;
  const size_t kernels = table.find("\n## Kernels\n");
  ASSERT_NE(kernels, std::string::npos);
  const std::regex row("\\| `nk_[^|]*\\| [^|]* \\| ([^|]*) \\|\n"),
      part("[sufx][0-9]+|b8|any|nearest");
  const std::string rows = table.substr(kernels);
  size_t count = 0;
  for (std::sregex_iterator at(rows.begin(), rows.end(), row), end; at != end; ++at, ++count) {
    std::istringstream types((*at)[1].str());
    for (std::string one; std::getline(types, one, '_');) {
      EXPECT_TRUE(std::regex_match(one, part)) << one;
    }
  }
  EXPECT_GT(count, 100u);
  for (const char* word :
       {"`s` signed", "`u` unsigned", "`f` floats", "`x` whatever", "`b8`", "`any`", "`nearest`"}) {
    EXPECT_NE(rows.find(word), std::string::npos) << word;
  }
}

}  // namespace
}  // namespace netkit::test
