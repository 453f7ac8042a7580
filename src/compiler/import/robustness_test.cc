// SPDX-License-Identifier: MIT
// Broken copies of good files: cut at many places, one byte changed. Meant for the sanitizers; the
// size of single allocations is watched everywhere.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "compiler/import/allocation_watch.h"
#include "compiler/import/onnx/test_model.h"
#include "compiler/import/shared_folder.h"
#include "compiler/import/soundness.h"
#include "compiler/import/tflite/test_model.h"

namespace netkit {
namespace {

constexpr int kCuts = 200;
constexpr int kMutations = 2000;
constexpr size_t kMaxAllocationBytes = size_t{64} << 20;

void check(std::span<const std::byte> bytes, const std::string& file, const std::string& what) {
  const std::string wrong = unsound_import(bytes, file);
  ASSERT_TRUE(wrong.empty()) << file << ", " << what << ": " << wrong;
}

void break_in_many_ways(const Bytes& good, const std::string& file) {
  watch_allocations();
  for (int i = 0; i < kCuts; ++i) {
    const size_t size = good.size() * static_cast<size_t>(i) / kCuts;
    // A copy of its own, so that reading behind the end is seen.
    const Bytes cut(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size));
    check(cut, file, "cut at " + std::to_string(size));
  }
  std::mt19937 random(12345);
  Bytes bytes = good;
  // Structure stands at the ends of files: half of the changes go to the first and last 2 KiB.
  const size_t edge = std::min<size_t>(good.size(), 2048);
  for (int i = 0; i < kMutations; ++i) {
    size_t at = random() % good.size();
    if (i % 4 == 1) at = random() % edge;
    if (i % 4 == 3) at = good.size() - 1 - random() % edge;
    const std::byte old = bytes[at];
    bytes[at] = static_cast<std::byte>(random());
    check(bytes, file, "byte " + std::to_string(at) + " changed");
    bytes[at] = old;
  }
  EXPECT_LE(largest_allocation_bytes(), kMaxAllocationBytes) << file;
}

TEST(ImportRobustness, BrokenFilesMadeHere) {
  break_in_many_ways(conv_test_model(), "conv.tflite");
  break_in_many_ways(bytes_of(conv_onnx_model()), "conv.onnx");
}

TEST(ImportRobustness, BrokenSharedFiles) {
  const auto folder = shared_folder();
  if (!folder) return;
  for (const char* name : {
           "models/tflm/micro_speech_quantized.tflite",
           "models/tflm/trained_lstm_int8.tflite",
           "models/conformance/litert_small/quant__lstm_quantized2.tflite",
           "models/onnx_light/light_squeezenet.onnx",
           "cases/lstm_initial_state/model.onnx",
           "cases/net_conv_pool_flatten_gemm/model.onnx",
       }) {
    const auto bytes = read_model_file((*folder / name).string());
    ASSERT_TRUE(bytes) << name;
    break_in_many_ways(*bytes, name);
  }
}

// 10 MB of the smallest nodes: time and memory stay linear.
TEST(ImportRobustness, ManyTinyNodes) {
  pb::Model model = onnx_model();
  pb::Graph& g = *model.mutable_graph();
  set_type(*g.add_input(), "x", kOnnxFloat, {2});
  std::string last = "x";
  for (int i = 0; i < 100'000; ++i) {
    const std::string next = std::to_string(i);
    add_node(g, "Neg", {last}, {next});
    last = next;
  }
  g.add_output()->set_name(last);
  std::reverse(g.mutable_node()->pointer_begin(), g.mutable_node()->pointer_end());
  EXPECT_EQ(unsound_import(bytes_of(model), "m.onnx"), "");
}

}  // namespace
}  // namespace netkit
