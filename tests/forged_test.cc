// SPDX-License-Identifier: MIT
// Forged parameters and step tables with right checksums: what the verifier accepts stays inside
// its arena and file, whatever the words are. Under AddressSanitizer and
// UndefinedBehaviorSanitizer that means every access and every sum.
#include <gtest/gtest.h>

#include <set>

#include "compiler/driver/compile.h"
#include "compiler/emit/nk/nk_writer.h"
#include "forged_steps.h"
#include "runtime/kernel_table.h"
#include "test_support.h"

namespace netkit::test {
namespace {

// Values around the honest one, at the ends of the range, and at random of any magnitude.
constexpr int kValues = 14;
uint32_t forged_value(int which, uint32_t honest, Xorshift& random) {
  switch (which) {
    case 0:
      return 0;
    case 1:
      return 1;
    case 2:
      return 0xFFFFFFFFu;
    case 3:
      return honest + 1;
    case 4:
      return honest - 1;
    case 5:
      return 0u - honest;
    case 6:
      return honest * 2;
    case 7:
      return honest / 2;
    case 8:
      return 0x7FFFFFFFu;
    case 9:
      return 0x80000000u;
    case 10:
      return 0x10000u;
    case 11:
      return honest ^ (1u << (random.next() % 32));
    default:
      return random.next() >> (random.next() % 32);
  }
}

struct Tally {
  int accepted = 0, refused = 0;
};

void run_one(ForgedStep& step, Tally& tally) {
  bool accepted = false;
  const std::string fault = step.load_and_run(accepted);
  EXPECT_EQ(fault, "");
  (accepted ? tally.accepted : tally.refused) += 1;
  step.restore();
}

// Every word by itself, every value.
void forge_each_word(ForgedStep& step, Xorshift& random, Tally& tally) {
  for (size_t i = 0; i < step.words(); ++i) {
    for (int which = 0; which < kValues; ++which) {
      step.set_word(i, forged_value(which, step.word(i), random));
      run_one(step, tally);
    }
  }
}

// A few words at once; constants of the step among them.
void forge_at_random(ForgedStep& step, int times, Xorshift& random, Tally& tally) {
  for (int time = 0; time < times; ++time) {
    const uint32_t count = 1 + random.next() % 3;
    for (uint32_t k = 0; k < count; ++k) {
      const size_t i = random.next() % step.words();
      const int which = static_cast<int>(random.next() % kValues);
      step.set_word(i, forged_value(which, step.word(i), random));
    }
    if (step.constant_words() != 0 && random.next() % 2 == 0) {
      step.set_constant_word(random.next() % step.constant_words(),
                             random.next() >> (random.next() % 32));
    }
    run_one(step, tally);
  }
}

TEST(Forged, HonestStepsAreAcceptedAndCallEveryCheck) {
  std::set<int (*)(const nk_fit*)> called, all;
  const KernelTable kernels = all_kernels();
  for (uint32_t i = 0; i < kernels.count; ++i) all.insert(kernels.entries[i].fit);
  for (ForgedStep& step : seed_steps()) {
    bool accepted = false;
    EXPECT_EQ(step.load_and_run(accepted), "");
    EXPECT_TRUE(accepted) << step.name();
    called.insert(find_entry(kernels, step.kernel_id())->fit);
  }
  for (uint32_t i = 0; i < kernels.count; ++i) {
    EXPECT_TRUE(called.contains(kernels.entries[i].fit))
        << "no seed for a row of " << kernels.entries[i].params_bytes;
  }
  EXPECT_EQ(called, all);
}

TEST(Forged, EveryWordOfEveryOperator) {
  Xorshift random{0x9E3779B9u};
  Tally tally;
  for (ForgedStep& step : seed_steps()) {
    forge_each_word(step, random, tally);
    forge_at_random(step, 200, random, tally);
  }
  EXPECT_GT(tally.accepted, 1000);
  EXPECT_GT(tally.refused, tally.accepted);
}

// Models of this repository, and the public ones where they are.
void forge_model(const std::string& path, int times) {
  const auto made = driver::compile_file(path, {});
  ASSERT_TRUE(made.has_value()) << made.error().message;
  const auto nk = write_nk(made->program);
  ASSERT_TRUE(nk.has_value());
  Xorshift random{0x1234567u};
  Tally tally;
  for (ForgedStep& step : steps_of(*nk, path)) {
    bool accepted = false;
    EXPECT_EQ(step.load_and_run(accepted), "");
    EXPECT_TRUE(accepted) << step.name();
    forge_at_random(step, times, random, tally);
  }
  EXPECT_GT(tally.refused, 0);
}

TEST(Forged, DigitModels) {
  for (const char* name : {"digits_cnn_int8.tflite", "digits_dscnn_int8.tflite", "digits_cnn.onnx",
                           "digits_dscnn.onnx"}) {
    forge_model(std::string(NETKIT_SOURCE_DIR) + "/models/" + name, 60);
  }
}

TEST(Forged, PublicModels) {
  const auto shared = shared_folder();
  if (!shared) return;
  for (const char* name : {"mlperf_tiny/kws_ref_model.tflite", "mlperf_tiny/ad01_int8.tflite",
                           "tflm/hello_world_int8.tflite", "tflm/hello_world_float.tflite",
                           "mlperf_tiny/str_ww_ref_model.tflite"}) {
    forge_model(*shared + "/models/" + name, 20);
  }
}

}  // namespace
}  // namespace netkit::test
