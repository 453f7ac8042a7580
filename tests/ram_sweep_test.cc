// SPDX-License-Identifier: MIT
// "Fits" never fails: for every KiB from 1 to what the file's order needs without overlap, a plan
// is asked for; what is accepted fits and computes the same bytes, what is refused is refused for
// all smaller sizes too.
#include <gtest/gtest.h>

#include <map>

#include "compiler/driver/assemble.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/plan.h"
#include "test_support.h"

namespace netkit::test {
namespace {

constexpr int64_t kKiB = 1024;

std::vector<Bytes> inputs_of(const driver::Session& session) {
  std::vector<Bytes> inputs;
  for (const driver::PortInfo& port : session.inputs()) {
    Bytes input(static_cast<size_t>(byte_count(port.type.dtype, port.type.dims).value_or(0)));
    for (size_t i = 0; i < input.size(); ++i) input[i] = std::byte((i * 59 + i / 7) % 251);
    if (is_float(port.type.dtype)) {
      for (size_t i = 3; i < input.size(); i += 4) input[i] = std::byte{0x3e};  // small numbers
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

// The network's outputs under this layout, in an arena of exactly its size that held rubbish.
std::vector<Bytes> run_with(const driver::Compilation& made, const plan::Layout& layout) {
  const auto nk = write_nk(driver::assemble(made.schedule, layout));
  EXPECT_TRUE(nk.has_value());
  if (!nk) return {};
  auto session = driver::Session::from_nk(*nk, "sweep", static_cast<size_t>(layout.arena_bytes));
  EXPECT_TRUE(session.has_value()) << (session ? "" : session.error().message);
  if (!session) return {};
  session->poison(0xA5);
  return session->run(inputs_of(*session)).value_or(std::vector<Bytes>());
}

void sweep(const std::string& path) {
  driver::CompileOptions options;
  options.last = driver::Phase::kSelect;
  auto made = driver::compile_file(path, options);
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const plan::Problem problem = driver::to_problem(made->schedule, 16);
  plan::PlanOptions plain;
  plain.order = plan::OrderChoice::kGiven;
  plain.class_limit = plan::PlanClass::kPlain;
  const auto reference = plan::plan(problem, plain);
  ASSERT_TRUE(reference.has_value());
  const std::vector<Bytes> expected = run_with(*made, *reference);
  ASSERT_FALSE(expected.empty());
  std::map<std::string, int64_t> ran;  // distinct plans
  int accepted = 0, refused = 0;
  const int64_t last = (reference->arena_bytes + kKiB - 1) / kKiB;
  for (int64_t kib = 1; kib <= last; ++kib) {
    plan::PlanOptions asked;
    asked.ram_bytes = kib * kKiB;
    auto layout = plan::plan(problem, asked);
    ASSERT_TRUE(layout.has_value()) << kib;
    if (layout->verdict != plan::Verdict::kFits) {
      EXPECT_EQ(accepted, 0) << kib << " KiB is refused, less was accepted";
      EXPECT_GT(layout->arena_bytes, kib * kKiB);
      ++refused;
      continue;
    }
    ++accepted;
    ASSERT_LE(layout->arena_bytes, kib * kKiB);
    layout->seconds = 0;
    if (!ran.emplace(plan::plan_json(problem, *layout), kib).second) continue;
    ASSERT_TRUE(run_with(*made, *layout) == expected) << path << " at " << kib << " KiB";
  }
  EXPECT_GE(accepted, 1);
  std::printf("%s: %d sizes accepted, %d refused, %zu distinct plans run\n",
              path.substr(path.rfind('/') + 1).c_str(), accepted, refused, ran.size());
}

TEST(RamSweep, DigitModels) {
  for (const char* name :
       {"digits_cnn_int8.tflite", "digits_dscnn_int8.tflite", "digits_dscnn.onnx"}) {
    sweep(std::string(NETKIT_SOURCE_DIR) + "/models/" + name);
  }
}

TEST(RamSweep, AnchorModels) {
  const auto shared = shared_folder();
  if (!shared) return;
  for (const char* name :
       {"mlperf_tiny/kws_ref_model.tflite", "mlperf_tiny/ad01_int8.tflite",
        "mlperf_tiny/str_ww_ref_model.tflite", "mlperf_tiny/pretrainedResnet_quant.tflite",
        "mlperf_tiny/vww_96_int8.tflite", "tflm/person_detect.tflite",
        "mcunet/mcunet_vww.tflite"}) {
    sweep(*shared + "/models/" + name);
  }
}

}  // namespace
}  // namespace netkit::test
