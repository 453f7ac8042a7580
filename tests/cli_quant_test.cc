// SPDX-License-Identifier: MIT
// The quantiser on the command line.
#include <nlohmann/json.hpp>

#include "command_line.h"

namespace netkit::test {
namespace {

class CommandQuant : public CommandLine {};

constexpr const char* kDigitsInInt8 =
    "models/digits_cnn.onnx --int8 --calibrate models/digits-images.idx3-ubyte --samples 5 ";

TEST_F(CommandQuant, AFloatModelBecomesAnInt8FileWithAReport) {
  const std::string command = std::string("compile ") + kDigitsInInt8;
  const Outcome table = run(command + "-o a.nk --quant-report a.json");
  ASSERT_EQ(table.code, 0) << table.err;
  EXPECT_NE(table.out.find("same answer in 100 % of the cases"), std::string::npos) << table.out;
  const auto report = nlohmann::json::parse(text("a.json"), nullptr, false);
  EXPECT_EQ(report.value("format", ""), "netkit-quant/1");
  EXPECT_EQ(report.value("samples", 0), 5);
  const Outcome json = run("--json " + command + "-o b.nk");
  EXPECT_EQ(nlohmann::json::parse(json.out)["quant"], report);
  EXPECT_EQ(text("a.nk"), text("b.nk"));
  EXPECT_NE(run("inspect a.nk --full").out.find("int8[1x1x28x28]"), std::string::npos);
  EXPECT_EQ(run(std::string("emit ") + kDigitsInInt8 + "-o c --name digits").code, 0);
  EXPECT_NE(text("c/digits.h").find("int8_t"), std::string::npos);
  EXPECT_EQ(run(std::string("plan ") + kDigitsInInt8 + "--float-io --no-picture").code, 0);
  EXPECT_NE(run(std::string("compile ") + kDigitsInInt8 + "--keep-float /fc/Gemm --dump quantise")
                .out.find("dequantize"),
            std::string::npos);
}

TEST_F(CommandQuant, OptionsThatSayNothingAreRefused) {
  const std::string plain = "compile models/digits_cnn.onnx ";
  const std::string quant = std::string("compile ") + kDigitsInInt8;
  expect_error(plain + "--int8", 2, "--int8: needs sample inputs");
  expect_error(plain + "--calibrate models", 2, "--calibrate: says nothing without --int8");
  expect_error(plain + "--float-io", 2, "--float-io: says nothing without --int8");
  expect_error(plain + "--quant-report q.json", 2, "--quant-report: says nothing without --int8");
  expect_error(quant + "--max-drop 1%", 2, "--max-drop: says nothing without --auto-mixed");
  expect_error(quant + "--auto-mixed --max-drop 101%", 2, "'101%' is not a share");
  expect_error(quant + "--percentile 99", 2, "--percentile: says nothing without --range");
  expect_error(quant + "--range percentile --percentile 50", 2, "'50' is not above 50");
  expect_error(quant + "--range widest", 2, "--range: unknown method 'widest'");
  expect_error(quant + "--pixels 1", 2, "--pixels: '1' is not a range");
  expect_error(quant + "--int16 nowhere", 2, "--int16: no layer is named 'nowhere'");
  expect_error(plain + "--int8 --calibrate nowhere", 3, "nowhere: no such file or folder");
  expect_error("compile models/digits_cnn_int8.tflite --int8 --calibrate models", 3,
               "float32 inputs can be calibrated");
  ASSERT_EQ(run(plain + "-o a.nk").code, 0);
  expect_error("plan a.nk --int8 --calibrate models", 2, "--int8: says nothing to a.nk");
}

}  // namespace
}  // namespace netkit::test
