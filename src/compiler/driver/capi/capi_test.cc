// SPDX-License-Identifier: MIT
// The C interface against the engine that it is a face of; tests/capi calls each
// function once.
#include <gtest/gtest.h>
#include <malloc.h>

#include <cstring>
#include <fstream>
#include <set>
#include <sstream>
#include <thread>

#include "compat/test.hpp"
#include "compiler/driver/capi/network.h"
#include "compiler/driver/session.h"
#include "compiler/import/import.h"
#include "compiler/import/shared_folder.h"

namespace netkit::driver {
namespace {

namespace fs = std::filesystem;

constexpr size_t kArenaBytes = size_t{1} << 20;
constexpr size_t kMapsFromBytes = size_t{1} << 22;  // smaller blocks come from the counted heap

// An arena over poisoned memory, reset at the end.
class TestArena {
 public:
  explicit TestArena(size_t bytes = kArenaBytes) : memory_(bytes, 0xA5) {
    nk_arena_init(&arena_, memory_.data(), bytes);
  }
  ~TestArena() { nk_arena_reset(&arena_); }
  nk_arena_t* get() { return &arena_; }

 private:
  std::vector<uint8_t> memory_;
  nk_arena_t arena_;
};

std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream out;
  out << in.rdbuf();
  return out.str();
}

std::vector<float> floats_of(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

TEST(CApi, TheTestProgramCallsEveryFunction) {
  const fs::path root = NETKIT_SOURCE_DIR;
  std::string calls;
  for (const auto& entry : fs::directory_iterator(root / "tests" / "capi")) {
    calls += text_of(entry.path());
  }
  std::string headers = text_of(root / "include" / "netkit.h");
  for (const auto& entry : fs::directory_iterator(root / "include" / "netkit" / "c")) {
    headers += text_of(entry.path());
  }
  std::set<std::string> names;
  for (size_t at = headers.find("nk_"); at != std::string::npos; at = headers.find("nk_", at + 1)) {
    size_t end = at;
    while (std::isalnum(static_cast<unsigned char>(headers[end])) || headers[end] == '_') ++end;
    const bool declared = headers[end] == '(' && (headers[at - 1] == ' ' || headers[at - 1] == '*');
    if (declared) names.insert(headers.substr(at, end - at));
  }
  EXPECT_GT(names.size(), 110u);
  for (const std::string& name : names) {
    EXPECT_NE(calls.find(name + "("), std::string::npos) << name;
  }
}

TEST(CApi, OlderFilesGiveWhatTheEngineGives) {
  for (const fs::path& file : legacy_files()) {
    const auto cases = legacy_cases(*read_model_file(file.string()));
    auto session = Session::open(file.string(), {});
    ASSERT_TRUE(cases && session) << file;
    TestArena arena;
    nk_model_t model;
    ASSERT_EQ(nk_model_load(file.c_str(), arena.get(), &model), NK_OK) << nk_last_error();
    const uint32_t ins = nk_model_input_count(&model), outs = nk_model_output_count(&model);
    for (const LegacyCase& c : cases->list) {
      const auto expected = session->run({c.input});
      ASSERT_TRUE(expected.has_value());
      Bytes got((*expected)[0].size());
      const nk_status_t status =
          nk_model_is_quantized(&model)
              ? nk_model_run_int8(&model, arena.get(),
                                  reinterpret_cast<const int8_t*>(c.input.data()), ins,
                                  reinterpret_cast<int8_t*>(got.data()), outs, nullptr)
              : nk_model_run(&model, arena.get(), floats_of(c.input).data(), ins,
                             reinterpret_cast<float*>(got.data()), outs, nullptr);
      ASSERT_EQ(status, NK_OK) << nk_last_error();
      EXPECT_EQ(got, (*expected)[0]) << file;
    }
  }
}

TEST(CApi, TheRecommendedArenaIsEnoughAndLessIsNot) {
  for (const fs::path& file : legacy_files()) {
    const size_t need = nk_recommended_arena_bytes(file.c_str());
    ASSERT_GT(need, 0u) << nk_last_error();
    nk_model_t model;
    TestArena enough(need);
    EXPECT_EQ(nk_model_load(file.c_str(), enough.get(), &model), NK_OK) << nk_last_error();
    TestArena less(need - 16);
    EXPECT_EQ(nk_model_load(file.c_str(), less.get(), &model), NK_ERR_ARENA_OVERFLOW);
    EXPECT_EQ(nk_arena_used(less.get()), 0u);
  }
}

// conv1, its norm, conv2, its norm of import_resnet_basic_block.nk, set by hand.
TEST(CApi, ABlockSetByHandGivesTheBitsOfTheFile) {
  const auto shared = shared_folder();
  if (!shared) return;
  const std::string path =
      (*shared / "models" / "nk_legacy" / "import_resnet_basic_block.nk").string();
  const Bytes bytes = *read_model_file(path);
  const auto file = nk_legacy::read_legacy(bytes);
  ASSERT_TRUE(file.has_value());
  std::vector<std::vector<float>> t;
  for (size_t i = 0; i < file->weights.size(); ++i) {
    t.push_back(floats_of(file->weights[i].bytes));
    t.push_back(floats_of(file->biases[i].bytes));
  }
  ASSERT_EQ(t.size(), 8u);
  TestArena arena;
  nk_cnn_t by_hand, loaded;
  ASSERT_EQ(nk_cnn_create(arena.get(), 1, &by_hand), NK_OK);
  ASSERT_EQ(nk_cnn_init_resnet_basic_block_layer(&by_hand, arena.get(), 0, 14, 14, 64, 64, 1,
                                                 t[0].data(), t[1].data(), t[2].data(), t[3].data(),
                                                 t[4].data(), t[5].data(), t[6].data(), t[7].data(),
                                                 nullptr, nullptr, nullptr, nullptr),
            NK_OK);
  ASSERT_EQ(nk_cnn_init_activation_buffers(&by_hand, arena.get(), 14, 14, 64), NK_OK)
      << nk_last_error();
  ASSERT_EQ(nk_cnn_load(path.c_str(), arena.get(), &loaded, nullptr), NK_OK);
  for (const LegacyCase& c : file->cases.list) {
    std::vector<float> values = floats_of(c.input);
    nk_tensor_t input, a, b;
    nk_tensor_view_2d(values.data(), 14 * 14, 64, &input);
    ASSERT_EQ(nk_cnn_forward(&by_hand, arena.get(), &input, &a), NK_OK) << nk_last_error();
    ASSERT_EQ(nk_cnn_forward(&loaded, arena.get(), &input, &b), NK_OK) << nk_last_error();
    ASSERT_EQ(a.bytes, b.bytes);
    EXPECT_EQ(std::memcmp(a.data, b.data, a.bytes), 0);
    EXPECT_EQ(a.rank, 3u);
  }
}

TEST(CApi, AMillionRunsTakeNothing) {
  constexpr int kRuns = 1000000;
  float w[4] = {0.5f, -0.25f, 0.125f, 1.0f}, b[2] = {0.1f, 0.2f}, in[2] = {1, 2}, out[2];
  nk_tensor_t weights, bias, x, y;
  nk_tensor_view_2d(w, 2, 2, &weights);
  nk_tensor_view_2d(b, 1, 2, &bias);
  nk_tensor_view_2d(in, 1, 2, &x);
  nk_tensor_view_2d(out, 1, 2, &y);
  mallopt(M_MMAP_THRESHOLD, kMapsFromBytes);
  TestArena arena(4096);
  nk_mlp_t mlp;
  ASSERT_EQ(nk_mlp_create(arena.get(), 1, &mlp), NK_OK);
  ASSERT_EQ(nk_mlp_init_layer(&mlp, 0, &weights, &bias, NK_ACTIVATION_RELU, 0), NK_OK);
  ASSERT_EQ(nk_mlp_init_activation_buffers(&mlp, arena.get(), 1), NK_OK);
  ASSERT_EQ(nk_mlp_forward(&mlp, arena.get(), &x, &y), NK_OK);
  const float first[2] = {out[0], out[1]};
  const size_t used = nk_arena_used(arena.get());
  const size_t heap = mallinfo2().uordblks;
  for (int i = 0; i < kRuns; ++i) {
    if (nk_mlp_forward(&mlp, arena.get(), &x, &y) != NK_OK) FAIL();
  }
  EXPECT_EQ(mallinfo2().uordblks, heap);
  EXPECT_EQ(nk_arena_used(arena.get()), used);
  EXPECT_EQ(std::memcmp(first, out, sizeof first), 0);
}

TEST(CApi, AMillionRunsOfAFileTakeNothing) {
  constexpr int kRuns = 1000000;
  const auto shared = shared_folder();
  if (!shared) return;
  const std::string path = (*shared / "models" / "nk_legacy" / "test_mlp.nk").string();
  TestArena arena(4096);
  nk_model_t model;
  ASSERT_EQ(nk_model_load(path.c_str(), arena.get(), &model), NK_OK) << nk_last_error();
  const float in[2] = {1, 2};
  float out[2] = {0, 0};
  const size_t used = nk_arena_used(arena.get());
  const size_t heap = mallinfo2().uordblks;
  for (int i = 0; i < kRuns; ++i) {
    if (nk_model_run(&model, arena.get(), in, 2, out, 2, nullptr) != NK_OK) FAIL();
  }
  EXPECT_EQ(mallinfo2().uordblks, heap);
  EXPECT_EQ(nk_arena_used(arena.get()), used);
  EXPECT_EQ(out[0], 3.0f);
  EXPECT_EQ(out[1], 3.0f);
}

TEST(CApi, ResetGivesBackWhatLoadsTook) {
  const auto files = legacy_files();
  if (files.empty()) return;
  const std::string path = (files[0].parent_path() / "mnist_mlp.nk").string();
  TestArena arena;
  nk_model_t model;
  size_t heap = 0;
  for (int i = 0; i < 6; ++i) {
    ASSERT_EQ(nk_model_load(path.c_str(), arena.get(), &model), NK_OK) << nk_last_error();
    nk_arena_reset(arena.get());
    if (i == 2) heap = mallinfo2().uordblks;
  }
  EXPECT_LE(mallinfo2().uordblks, heap + 4096);
  EXPECT_EQ(nk_model_input_count(&model), 0u);  // the handle knows that its arena was reset
}

TEST(CApi, EachThreadHasItsOwnLastError) {
  nk_arch_info_t info;
  EXPECT_EQ(nk_parse_architecture("no such file", &info), NK_ERR_MODEL_OPEN);
  const std::string here = nk_last_error();
  EXPECT_NE(here.find("no such file"), std::string::npos);
  std::string there = "unset";
  std::thread([&] { there = nk_last_error(); }).join();
  EXPECT_EQ(there, "");
  EXPECT_EQ(here, nk_last_error());
}

TEST(OlderFace, RegressionRunsTheCasesOfAFile) {
  EXPECT_EQ(NkRegression::RunModelTests("no such file").failed, 1u);
  const auto files = legacy_files();
  if (files.empty()) return;
  const std::string path = (files[0].parent_path() / "mlp_hand.nk").string();
  const NkRegression::RunSummary summary = NkRegression::RunModelTests(path.c_str());
  EXPECT_EQ(summary.passed, 6u);
  EXPECT_EQ(summary.failed, 0u);
}

TEST(CApi, ShapesThatContradictAreNamed) {
  TestArena arena;
  nk_cnn_t cnn;
  std::vector<float> w(64, 0.5f);
  ASSERT_EQ(nk_cnn_create(arena.get(), 1, &cnn), NK_OK);
  ASSERT_EQ(nk_cnn_init_feature_tap_layer(&cnn, arena.get(), 0, 4, 4, 2, 0), NK_OK);
  EXPECT_EQ(nk_cnn_init_activation_buffers(&cnn, arena.get(), 4, 5, 2), NK_ERR_LAYER_CONFIG);
  EXPECT_STREQ(nk_last_error(), "layer 0 (feature tap): 4x4 stated, its input is 1x4x5x2");
  EXPECT_EQ(nk_cnn_init_conv_layer(&cnn, 0, 3, 0, 1, 1, w.data(), nullptr, NK_CONV_ACTIVATION_NONE,
                                   0, 0, 0, 0, 0),
            NK_ERR_LAYER_CONFIG);
  EXPECT_EQ(nk_cnn_init_conv_layer(&cnn, 0, 3, 1, 1, 1, nullptr, nullptr, NK_CONV_ACTIVATION_NONE,
                                   0, 0, 0, 0, 0),
            NK_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(nk_cnn_init_conv_layer(&cnn, 7, 3, 1, 1, 1, w.data(), nullptr, NK_CONV_ACTIVATION_NONE,
                                   0, 0, 0, 0, 0),
            NK_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(nk_arena_used(arena.get()), 0u);
}

}  // namespace
}  // namespace netkit::driver
