// SPDX-License-Identifier: MIT
// Whole line against outputs that TensorFlow Lite Micro's reference kernels gave: int8 models byte
// for byte, float models within 1e-5, in the interpreter and in emitted C.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/driver/compile.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "test_support.h"

namespace netkit::test {
namespace {

struct Golden {
  const char* name;
  int64_t most_arena_bytes;  // of class overlap or plain; 0: no bound stated
};

// The models of the anchor table and their float twins.
constexpr Golden kGoldens[] = {
    {"kws_ref_model", 9000}, {"ad01_int8", 768},         {"pretrainedResnet_quant", 34816},
    {"vww_96_int8", 38400},  {"str_ww_ref_model", 4096}, {"person_detect", 38400},
    {"hello_world_int8", 0}, {"hello_world_float", 0},   {"ad01_fp32", 0},
    {"pretrainedResnet", 0}, {"vww_96_float", 0},
};

class Goldens : public testing::TestWithParam<Golden> {};

nlohmann::json find_model(const std::string& shared, const std::string& name) {
  std::ifstream in(shared + "/goldens/tflm/index.json");
  const nlohmann::json index = nlohmann::json::parse(in);
  for (const auto& model : index["models"]) {
    if (model["name"] == name) return model;
  }
  ADD_FAILURE() << "no golden " << name;
  return {};
}

// Bytes equal, or floats within 1e-5 relative or absolute.
void expect_equal(const Bytes& got, const Bytes& want, nk_dtype dtype, const std::string& where) {
  ASSERT_EQ(got.size(), want.size()) << where;
  if (!is_float(dtype)) {
    EXPECT_TRUE(got == want) << where << ": bytes differ";
    return;
  }
  for (size_t i = 0; i < got.size() / sizeof(float); ++i) {
    const double a = driver::element(got, dtype, i), b = driver::element(want, dtype, i);
    ASSERT_LE(std::abs(a - b), 1e-5 * std::max(1.0, std::abs(b))) << where << " element " << i;
  }
}

// The target's kernels on this machine: interpreter under three poison patterns, and emitted C.
void expect_golden_bytes(const Golden& wanted_of, const char* target) {
  const auto shared = shared_folder();
  if (!shared) return;
  const nlohmann::json golden = find_model(*shared, wanted_of.name);
  const std::string path = *shared + "/goldens/tflm/" + golden["path"].get<std::string>();
  driver::CompileOptions options;
  options.target = target;
  auto made = driver::compile_file(path, options);
  ASSERT_TRUE(made.has_value()) << made.error().message << " " << made.error().where;
  const Program& program = made->program;
  EXPECT_TRUE(program.proven_minimal);
  EXPECT_EQ(program.arena_bytes, program.lower_bound_bytes);
  if (wanted_of.most_arena_bytes > 0) {
    EXPECT_LE(program.arena_bytes, wanted_of.most_arena_bytes);
  }

  auto nk = write_nk(program);
  ASSERT_TRUE(nk.has_value()) << nk.error().message;
  auto session = driver::Session::from_nk(std::move(*nk), wanted_of.name);
  ASSERT_TRUE(session.has_value()) << session.error().message;
  const nk_dtype dtype = program.schedule.outputs[0].type.dtype;
  std::vector<Bytes> cases, wanted;
  for (const auto& vector : golden["vectors"]) {
    const std::string folder = *shared + "/goldens/tflm/";
    cases.push_back(read_bytes(folder + vector["in"].get<std::string>()));
    wanted.push_back(read_bytes(folder + vector["out"].get<std::string>()));
    for (const uint8_t poison : {0x00, 0xFF, 0xA5}) {
      session->poison(poison);
      const auto got = session->run(cut_to_ports(cases.back(), program.schedule.inputs));
      ASSERT_TRUE(got.has_value()) << got.error().message;
      expect_equal(joined(*got), wanted.back(), dtype, "interpreter");
    }
  }
  const std::vector<Bytes> emitted = run_emitted_c(
      program, work_folder(fmt::format("golden_{}_{}", wanted_of.name, target)), cases);
  ASSERT_EQ(emitted.size(), wanted.size());
  for (size_t i = 0; i < emitted.size(); ++i) {
    expect_equal(emitted[i], wanted[i], dtype, "emitted C");
  }
}

TEST_P(Goldens, InterpreterAndEmittedCGiveTheGoldenBytes) {
  expect_golden_bytes(GetParam(), "generic");
}

TEST_P(Goldens, SoDoTheRowsForDsp) {
  expect_golden_bytes(GetParam(), "cortex-m4");
}

TEST_P(Goldens, SoDoTheRowsForHelium) {
  expect_golden_bytes(GetParam(), "cortex-m55");
}

TEST_P(Goldens, SoDoTheScalarRows) {
  expect_golden_bytes(GetParam(), "cortex-m0");
}

INSTANTIATE_TEST_SUITE_P(Tflm, Goldens, testing::ValuesIn(kGoldens),
                         [](const auto& param) { return std::string(param.param.name); });

}  // namespace
}  // namespace netkit::test
