// SPDX-License-Identifier: MIT
// The forms of emitted code (language, --specialize, --lib, --no-lower), each compiled by both
// compilers in an old and the newest dialect, warnings being errors, and run: the interpreter's
// bytes.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "compiler/driver/session.h"
#include "compiler/driver/verbs/emit_model.h"
#include "compiler/emit/output_files.h"
#include "emitted_forms.h"
#include "test_support.h"

namespace netkit::test {
namespace {

using driver::EmitOptions;
using emit::Language;

// Reads one input, fills every place with a pattern, runs twice, writes the outputs of both.
std::string main_file(bool is_c, bool is_float) {
  const char* type = is_float ? "float" : "signed char";
  if (is_c) {
    return fmt::format(
        "#include <stdio.h>\n#include \"net.h\"\n"
        "int main(void) {{\n  static {0} x[NET_INPUT0_ELEMS], y[NET_OUTPUT0_ELEMS];\n  int i;\n"
        "  if (fread(x, sizeof x, 1, stdin) != 1) return 2;\n"
        "  for (i = 0; i < 2; ++i) {{\n    if (net_run(x, y) != 0) return 3;\n"
        "    fwrite(y, sizeof y, 1, stdout);\n  }}\n"
        "  return net_run(NULL, y) == 1 ? 0 : 4;\n}}\n",
        type);
  }
  return fmt::format(
      "#include <cstdio>\n#include <cstring>\n#include \"net.hpp\"\n"
      "struct Pool {{\n  unsigned char* at;\n"
      "  void* alloc(std::size_t bytes, std::size_t) {{ return bytes > 0 ? at : nullptr; }}\n}};\n"
      "int main() {{\n"
      "  static unsigned char memory[net::kArenaBytesRecommended + 1], other[1 << 20];\n"
      "  static {0} x[net::kInput0Elems], y[net::kOutput0Elems];\n"
      "  std::memset(memory, 0xA5, sizeof memory);\n"
      "  if (std::fread(x, sizeof x, 1, stdin) != 1) return 2;\n"
      "  net::Model first, second, third;\n"
      "  if (first.forward(x, y) || !third.load()) return 3;\n"
      "  if (first.load(memory + 1, net::kArenaBytes - 1)) return 4;\n"
      "  if (!first.load(memory + 1, net::kArenaBytesRecommended)) return 5;\n"
      "  Pool pool{{other + (0u - reinterpret_cast<std::uintptr_t>(other)) % 64u}};\n"
      "  if (!second.load(pool)) return 6;\n"
      "  if (!first.forward(x, y)) return 7;\n  std::fwrite(y, sizeof y, 1, stdout);\n"
      "  if (!second.forward(x, y)) return 8;\n  std::fwrite(y, sizeof y, 1, stdout);\n"
      "  if (first.forwardInt8(nullptr, nullptr)) return 9;\n"
      "  return net::kArenaBytesRecommended >= net::kArenaBytes ? 0 : 10;\n}}\n",
      type);
}

void check(const std::string& model, const EmittedForm& form) {
  const std::string path = std::string(NETKIT_SOURCE_DIR) + "/models/" + model;
  auto session = driver::Session::open(path, {});
  ASSERT_TRUE(session) << session.error().message;
  const bool is_float = session->inputs()[0].type.dtype == NK_FLOAT32;
  Bytes input(is_float ? 784 * 4 : 784);
  for (size_t i = 0; i < 784; ++i) {
    const float real = static_cast<float>(i % 17) / 16.0f;
    if (is_float) std::memcpy(input.data() + 4 * i, &real, 4);
    if (!is_float) input[i] = static_cast<std::byte>(i * 37);
  }
  const auto expected = session->run({input});
  ASSERT_TRUE(expected);
  const std::string folder = work_folder(std::string("emit_") + form.name);
  const auto report = driver::emit_model(path, {}, form.options(folder));
  ASSERT_TRUE(report) << report.error().message;
  SCOPED_TRACE(model);
  expect_output(form, folder, main_file(form.is_c(), is_float), input,
                joined({(*expected)[0], (*expected)[0]}));
}

TEST(EmitOptions, EveryFormGivesTheInterpretersBytes) {
  for (const EmittedForm& form : kEmittedForms) {
    check("digits_cnn_int8.tflite", form);
    if (form.specialize || !form.lowered) check("digits_cnn.onnx", form);
  }
}

// Folded shapes leave no parameters behind.
TEST(EmitOptions, SpecializedCodeHasNoParametersInFlash) {
  const std::string folder = work_folder("emit_folded_object");
  EmitOptions options;
  options.folder = folder;
  options.name = "net";
  for (const bool specialize : {false, true}) {
    options.specialize = specialize;
    const auto report = driver::emit_model(
        std::string(NETKIT_SOURCE_DIR) + "/models/digits_cnn_int8.tflite", {}, options);
    ASSERT_TRUE(report) << report.error().message;
    const std::string command = fmt::format(
        "cd '{}' && cc -std=c99 -O2 -c net.c -o net.o && nm net.o | grep -c net_params_ >count; "
        "true",
        folder);
    ASSERT_EQ(std::system(command.c_str()), 0);
    const Bytes count = read_bytes(folder + "/count");
    EXPECT_EQ(count[0] == std::byte{'0'}, specialize);
  }
}

// Real numbers through the scales of an int8 model, as the interpreter's --real.
TEST(EmitOptions, RealNumbersOfAQuantisedModel) {
  const std::string path = std::string(NETKIT_SOURCE_DIR) + "/models/digits_cnn_int8.tflite";
  const std::string folder = work_folder("emit_real");
  EmitOptions options;
  options.folder = folder;
  options.name = "net";
  options.language = Language::kCpp;
  ASSERT_TRUE(driver::emit_model(path, {}, options));
  const std::string main =
      "#include \"net.hpp\"\n"
      "int main() {\n"
      "  static float x[784], y[10];\n  static int8_t qx[784], qy[10];\n"
      "  net::Model model;\n  if (!model.load()) return 1;\n"
      "  for (int i = 0; i < 784; ++i) {\n"
      "    qx[i] = static_cast<int8_t>(i * 37);\n"
      "    x[i] = net::kInput0Scale * static_cast<float>(qx[i] - net::kInput0ZeroPoint);\n  }\n"
      "  if (!model.forward(x, y) || !model.forwardInt8(qx, qy)) return 2;\n"
      "  for (int i = 0; i < 10; ++i) {\n"
      "    if (y[i] != net::kOutput0Scale * static_cast<float>(qy[i] - net::kOutput0ZeroPoint)) "
      "return 3;\n  }\n"
      "  x[0] = 1e30f; x[1] = -1e30f; x[2] = x[0] * x[0] * 0.0f;\n"
      "  return model.forward(x, y) ? 0 : 4;\n}\n";
  ASSERT_TRUE(emit::write_files(folder, {{"main.cpp", main}}));
  EXPECT_EQ(std::system(("cd '" + folder +
                         "' && c++ -std=c++17 -Wall -Wextra -Werror net.cpp "
                         "main.cpp -o net && ./net")
                            .c_str()),
            0);
}

TEST(EmitOptions, WordsOfCppNameNoNamespace) {
  EmitOptions options;
  options.folder = work_folder("emit_words");
  options.language = Language::kCpp;
  for (const char* name : {"class", "std", "co_await"}) {
    options.name = name;
    const auto report = driver::emit_model(
        std::string(NETKIT_SOURCE_DIR) + "/models/digits_cnn_int8.tflite", {}, options);
    ASSERT_FALSE(report) << name;
    EXPECT_EQ(report.error().code, ErrorCode::kUsage);
  }
}

}  // namespace
}  // namespace netkit::test
