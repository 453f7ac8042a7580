// SPDX-License-Identifier: MIT
// Files with an offline allocation, read back: the order and every offset are the plan's, lives do
// not collide, and the network computes what it computed before.
#include "compiler/driver/plan/offline_tflite.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "compiler/driver/session.h"
#include "compiler/emit/tflm/offline_allocation.h"
#include "compiler/import/import.h"
#include "compiler/import/shared_folder.h"

namespace netkit::driver {
namespace {

struct Life {
  int first = 1 << 30, last = -1;
};

// Lives as TensorFlow Lite Micro marks them: inputs from the start, outputs to the end.
std::vector<Life> lives_of(const emit::OfflineReadBack& back, const plan::Problem& problem) {
  std::vector<Life> lives(back.offsets.size());
  const auto mark = [&](int t, int step) {
    if (t < 0) return;
    lives[static_cast<size_t>(t)].first = std::min(lives[static_cast<size_t>(t)].first, step);
    lives[static_cast<size_t>(t)].last = std::max(lives[static_cast<size_t>(t)].last, step);
  };
  const int steps = static_cast<int>(back.operator_outputs.size());
  for (int i = 0; i < steps; ++i) {
    for (const int t : back.operator_inputs[static_cast<size_t>(i)]) mark(t, i);
    for (const int t : back.operator_outputs[static_cast<size_t>(i)]) mark(t, i);
  }
  for (const int t : problem.inputs) mark(t, 0);
  for (const int t : problem.outputs) mark(t, steps - 1);
  return lives;
}

void expect_sound(const std::string& path) {
  const auto made = plan_offline_tflite(path, {});
  ASSERT_TRUE(made.has_value()) << path << ": " << made.error().message;
  const auto back = emit::read_offline_allocation(made->file);
  ASSERT_TRUE(back.has_value()) << back.error().message;
  const plan::Layout& layout = made->layout;
  ASSERT_EQ(back->offsets.size(), made->problem.tensors.size());
  for (size_t t = 0; t < back->offsets.size(); ++t) {
    const int b = layout.tensor_buffer[t];
    const bool planned = b >= 0 && made->problem.tensors[t].bytes > 0;
    EXPECT_EQ(back->offsets[t], planned ? layout.buffers[static_cast<size_t>(b)].offset : -1);
    EXPECT_TRUE(back->offsets[t] < 0 || back->offsets[t] % 16 == 0);
  }
  ASSERT_EQ(back->operator_outputs.size(), layout.steps.size());
  for (size_t i = 0; i < layout.steps.size(); ++i) {
    std::vector<int> planned;
    for (const int t : back->operator_outputs[i]) {
      if (made->problem.tensors[static_cast<size_t>(t)].bytes > 0) planned.push_back(t);
    }
    EXPECT_EQ(planned, made->problem.steps[static_cast<size_t>(layout.steps[i].step)].outputs);
  }
  const std::vector<Life> lives = lives_of(*back, made->problem);
  for (size_t a = 0; a < lives.size(); ++a) {
    const int64_t end = back->offsets[a] + made->problem.tensors[a].bytes;
    if (back->offsets[a] < 0 || lives[a].last < 0) continue;
    EXPECT_LE(end, layout.arena_bytes);
    for (size_t b = 0; b < a; ++b) {
      const bool together = lives[a].first <= lives[b].last && lives[b].first <= lives[a].last;
      if (back->offsets[b] < 0 || lives[b].last < 0 || !together) continue;
      EXPECT_TRUE(end <= back->offsets[b] ||
                  back->offsets[b] + made->problem.tensors[b].bytes <= back->offsets[a])
          << path << " tensors " << a << " " << b;
    }
  }
}

std::string model(const std::string& name) {
  std::string path = NETKIT_SOURCE_DIR;
  path += "/models/";
  path += name;
  return path;
}

std::string digits() {
  return model("digits_dscnn_int8.tflite");
}

TEST(OfflineTflite, DigitModels) {
  expect_sound(digits());
  expect_sound(model("digits_cnn_int8.tflite"));
}

TEST(OfflineTflite, PublicModels) {
  const auto shared = shared_folder();
  if (!shared) {
    std::puts("note: NETKIT_SHARED is absent: public models not tested");
    return;
  }
  for (const char* name :
       {"models/mlperf_tiny/kws_ref_model.tflite", "models/mlperf_tiny/vww_96_int8.tflite",
        "models/mlperf_tiny/str_ww_ref_model.tflite", "models/tflm/person_detect.tflite",
        "models/mlperf_tiny/pretrainedResnet_quant.tflite", "models/mcunet/mcunet_vww.tflite",
        "data/planner-models/swiftnet_vww224_uint8.tflite"}) {
    expect_sound((*shared / name).string());
  }
}

TEST(OfflineTflite, TheNetworkComputesTheSame) {
  const auto made = plan_offline_tflite(digits(), {});
  ASSERT_TRUE(made.has_value());
  std::string copy = NETKIT_BINARY_DIR;
  copy += "/offline_digits.tflite";
  std::ofstream(copy, std::ios::binary)
      .write(reinterpret_cast<const char*>(made->file.data()),
             static_cast<std::streamsize>(made->file.size()));
  auto before = Session::open(digits(), {});
  auto after = Session::open(copy, {});
  ASSERT_TRUE(before.has_value() && after.has_value());
  for (int k = 0; k < 5; ++k) {
    Bytes input(784);
    for (size_t i = 0; i < input.size(); ++i) {
      input[i] = static_cast<std::byte>((i * 37 + static_cast<size_t>(k) * 101) % 256);
    }
    const auto x = before->run({input}), y = after->run({input});
    ASSERT_TRUE(x.has_value() && y.has_value());
    EXPECT_TRUE(*x == *y);
  }
}

TEST(OfflineTflite, WrittenTwiceItStandsOnce) {
  const auto first = plan_offline_tflite(digits(), {});
  ASSERT_TRUE(first.has_value());
  emit::OfflineAllocation other;
  other.offsets.assign(first->problem.tensors.size(), -1);
  for (size_t i = 0; i < first->problem.steps.size(); ++i)
    other.order.push_back(static_cast<int>(i));
  const auto second = emit::write_offline_allocation(first->file, other);
  ASSERT_TRUE(second.has_value());
  const auto back = emit::read_offline_allocation(*second);
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->offsets, other.offsets);
  other.order.back() = 0;
  EXPECT_FALSE(emit::write_offline_allocation(first->file, other).has_value());
  other.offsets.pop_back();
  EXPECT_FALSE(emit::write_offline_allocation(first->file, other).has_value());
}

TEST(OfflineTflite, OtherFilesAreRefused) {
  EXPECT_FALSE(plan_offline_tflite(model("digits_cnn.onnx"), {}).has_value());
  EXPECT_FALSE(plan_offline_tflite("missing.tflite", {}).has_value());
}

}  // namespace
}  // namespace netkit::driver
