// SPDX-License-Identifier: MIT
// Files of version 5 through the interface of bare devices, on this machine: nk_model_t, handles of
// networks, NkLoader, timing. Older versions are refused. Built with -Iinclude/compat.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "nk_loader.hpp"
#include "tensor_factory.hpp"

namespace {

const std::string& digits_path() {
  static const std::string path = [] {
    const std::string out = std::string(NETKIT_BINARY_DIR) + "/bare_digits.nk";
    const std::string line = std::string("'") + NETKIT_BINARY_DIR + "/netkit' compile '" +
                             NETKIT_SOURCE_DIR + "/models/digits_cnn_int8.tflite' -o '" + out +
                             "' >/dev/null";
    EXPECT_EQ(std::system(line.c_str()), 0);
    return out;
  }();
  return path;
}

// The file as flash holds it.
struct Flash {
  Flash() {
    FILE* file = std::fopen(digits_path().c_str(), "rb");
    if (file != nullptr) size = std::fread(data, 1, sizeof data, file);
    if (file != nullptr) std::fclose(file);
  }
  alignas(64) unsigned char data[1 << 18] = {};
  size_t size = 0;
};
const Flash& flash() {
  static const Flash made;
  return made;
}

using Shape = std::array<uint32_t, kMaxTensorRank>;

struct Memory {
  explicit Memory(size_t bytes = 1 << 16) : block(bytes, 0xA5) {
    nk_arena_init(&c, block.data(), bytes);
    arena.init(block.data(), bytes);
  }
  std::vector<unsigned char> block;
  nk_arena_t c;
  Arena arena;
};

std::vector<float> blank() {
  return std::vector<float>(784, 0.25f);
}

TEST(BareModels, ModelOfFlash) {
  Memory memory;
  nk_model_t model;
  ASSERT_EQ(nk_model_load_memory(flash().data, flash().size, &memory.c, &model), NK_OK);
  EXPECT_TRUE(nk_model_is_quantized(&model));
  EXPECT_EQ(nk_model_kind(&model), NK_NETWORK_CNN);
  EXPECT_EQ(nk_model_input_count(&model), 784u);
  EXPECT_EQ(nk_model_output_count(&model), 10u);
  const std::vector<float> x = blank();
  float y[10] = {}, again[10] = {};
  uint32_t count = 0;
  ASSERT_EQ(nk_model_run(&model, nullptr, x.data(), 784, y, 10, &count), NK_OK);
  EXPECT_EQ(count, 10u);
  const size_t used = nk_arena_used(&memory.c);
  ASSERT_EQ(nk_model_run(&model, &memory.c, x.data(), 784, again, 10, nullptr), NK_OK);
  EXPECT_EQ(std::memcmp(y, again, sizeof y), 0);
  EXPECT_EQ(nk_arena_used(&memory.c), used);
  EXPECT_EQ(nk_model_run(&model, nullptr, x.data(), 784, y, 9, nullptr), NK_ERR_BUFFER_TOO_SMALL);
  std::vector<int8_t> bytes(784, -128);
  int8_t scores[10];
  EXPECT_EQ(nk_model_run_int8(&model, nullptr, bytes.data(), 784, scores, 10, nullptr), NK_OK);
  nk_arena_reset(&memory.c);
  EXPECT_EQ(nk_model_run(&model, nullptr, x.data(), 784, y, 10, nullptr), NK_ERR_MODEL_NOT_LOADED);
}

TEST(BareModels, PathsAreReadIntoTheArena) {
  Memory memory(1 << 18);
  nk_model_t model;
  ASSERT_EQ(nk_model_load(digits_path().c_str(), &memory.c, &model), NK_OK);
  EXPECT_GT(nk_arena_used(&memory.c), flash().size);
  const std::vector<float> x = blank();
  float y[10];
  EXPECT_EQ(nk_model_run(&model, nullptr, x.data(), 784, y, 10, nullptr), NK_OK);
  Memory small(4096);
  EXPECT_EQ(nk_model_load(digits_path().c_str(), &small.c, &model), NK_ERR_ARENA_OVERFLOW);
  EXPECT_EQ(nk_arena_used(&small.c), 0u);
  EXPECT_EQ(nk_model_load("no such file", &small.c, &model), NK_ERR_MODEL_OPEN);
}

TEST(BareModels, InspectAndParse) {
  Memory memory;
  nk_inspect_info_t info;
  ASSERT_EQ(nk_inspect_model_memory(flash().data, flash().size, &memory.c, &info), NK_OK);
  EXPECT_EQ(info.arena_bytes_after_load, info.arena_bytes_after_forward);
  EXPECT_GT(info.flash_payload_bytes, 1000u);
  nk_arch_info_t arch;
  EXPECT_EQ(nk_parse_architecture_memory(flash().data, flash().size, &arch), NK_OK);
  EXPECT_EQ(arch.version, 5u);
  EXPECT_EQ(nk_parse_architecture_memory(flash().data, 40, &arch), NK_ERR_MODEL_PARSE);
  EXPECT_EQ(nk_parse_architecture(digits_path().c_str(), &arch), NK_ERR_MODEL_OPEN);
  EXPECT_EQ(nk_recommended_arena_bytes(digits_path().c_str()), 0u);
}

TEST(BareModels, OlderVersionsAreToBeConverted) {
  for (const unsigned char version : {3, 4}) {
    alignas(16) unsigned char old[64] = {'N', 'K', 'I', 'T', version};
    Memory memory;
    nk_model_t model;
    EXPECT_EQ(nk_model_load_memory(old, sizeof old, &memory.c, &model), NK_ERR_VERSION_MISMATCH);
    EXPECT_NE(std::strstr(nk_last_error(), "netkit compile"), nullptr);
    CNNNetwork* cnn = nullptr;
    Shape shape;
    uint32_t rank;
    EXPECT_EQ(NkLoader::LoadCNNFromBuffer(old, sizeof old, memory.arena, cnn, shape, rank).status,
              NkLoader::LoadStatus::UnsupportedVersion);
    EXPECT_EQ(cnn, nullptr);
    EXPECT_EQ(memory.arena.offset, 0u);
  }
}

void note(const char* tag, uint64_t, void* user) {
  static_cast<std::vector<std::string>*>(user)->push_back(tag);
}

TEST(BareModels, NetworkOfFlash) {
  Memory memory;
  CNNNetwork* cnn = nullptr;
  MLPNetwork* mlp = nullptr;
  Shape shape;
  uint32_t rank = 0;
  EXPECT_EQ(NkLoader::LoadMLPFromBuffer(flash().data, flash().size, memory.arena, mlp, shape, rank)
                .status,
            NkLoader::LoadStatus::UnsupportedLayer);
  EXPECT_EQ(memory.arena.offset, 0u);
  ASSERT_EQ(NkLoader::LoadCNNFromBuffer(flash().data, flash().size, memory.arena, cnn, shape, rank)
                .status,
            NkLoader::LoadStatus::Ok);
  EXPECT_TRUE(cnn->IsValid() && cnn->IsQuantized() && cnn->HasActivationBuffers());
  EXPECT_EQ(rank, 3u);
  ASSERT_GT(cnn->LayerCount(), 2u);
  EXPECT_EQ(cnn->GetBlock(0).type, CnnBlockType::Conv2D);
  EXPECT_EQ(cnn->GetBlock(0).in_channels, 1);
  std::vector<int8_t> image(784, -128);
  const Tensor in = TensorFactory::View3DInt8(image.data(), 28, 28, 1);
  const Tensor& out = cnn->forward(in, memory.arena);
  ASSERT_NE(out.data, nullptr);
  EXPECT_EQ(out.num_elements, 10u);
  std::vector<std::string> tags;
  cnn->forward_timed(in, memory.arena, note, &tags);
  EXPECT_GE(tags.size(), cnn->LayerCount());
  EXPECT_EQ(tags[0], "conv2d");
  cnn->SetOmitFinalSoftmax(true);
  EXPECT_TRUE(cnn->OmitFinalSoftmax());
  EXPECT_NE(cnn->forward(in, memory.arena).data, nullptr);
  EXPECT_EQ(cnn->GetFeatureTapBuffer(0), nullptr);
  NkLoader::ParsedModel parsed;
  ASSERT_EQ(NkLoader::ParseBuffer(flash().data, flash().size, parsed).status,
            NkLoader::LoadStatus::Ok);
  EXPECT_TRUE(parsed.quantized);
  NkLoader::FreeParsedModelExtras(parsed);
}

// A handle that held a file takes a network by hand, and the other way round.
TEST(BareModels, HandlesAreUsedAnew) {
  Memory memory;
  nk_cnn_t cnn;
  ASSERT_EQ(nk_cnn_load_memory(flash().data, flash().size, &memory.c, &cnn, nullptr), NK_OK);
  EXPECT_EQ(nk_cnn_init_flatten_layer(&cnn, 0), NK_ERR_NOT_INITIALIZED);
  ASSERT_EQ(nk_cnn_create(&memory.c, 1, &cnn), NK_OK);
  EXPECT_FALSE(nk_cnn_is_quantized(&cnn));
  ASSERT_EQ(nk_cnn_init_pool_layer(&cnn, 0, 2, 2, 2, 0, 0, 0, 0), NK_OK);
  ASSERT_EQ(nk_cnn_init_activation_buffers(&cnn, &memory.c, 4, 4, 1), NK_OK);
  ASSERT_EQ(nk_cnn_load_memory(flash().data, flash().size, &memory.c, &cnn, nullptr), NK_OK);
  EXPECT_TRUE(nk_cnn_is_quantized(&cnn));
}

// A refused layer leaves nothing to run, nor does a plan that fails.
TEST(BareModels, WhatIsRefusedLeavesNoPlan) {
  Memory memory;
  float w[64] = {1}, x[32] = {1, 2, 3};
  const uint32_t shape[] = {4, 4, 2}, other[] = {8, 2, 2};
  nk_tensor_t in, wrong, out, matrix;
  ASSERT_EQ(nk_tensor_create_nd(&memory.c, 3, shape, &in), NK_OK);
  ASSERT_EQ(nk_tensor_create_nd(&memory.c, 3, other, &wrong), NK_OK);
  nk_tensor_fill(&in, x, 32);
  nk_tensor_view_2d(w, 2, 32, &matrix);
  nk_cnn_t cnn;
  ASSERT_EQ(nk_cnn_create(&memory.c, 1, &cnn), NK_OK);
  const float nan = NAN;
  const auto conv = [&](float alpha) {
    return nk_cnn_init_conv_layer(&cnn, 0, 1, 1, 2, 2, w, nullptr, NK_CONV_ACTIVATION_LEAKY_RELU,
                                  alpha, 0, 0, 0, 0);
  };
  const auto refused = [&](nk_status_t status) {
    EXPECT_EQ(status, NK_ERR_LAYER_CONFIG);
    EXPECT_FALSE(nk_cnn_has_activation_buffers(&cnn));
    EXPECT_EQ(nk_cnn_forward(&cnn, &memory.c, &in, &out), NK_ERR_NOT_INITIALIZED);
    EXPECT_EQ(nk_cnn_init_activation_buffers(&cnn, &memory.c, 4, 4, 2), NK_ERR_LAYER_CONFIG);
    ASSERT_EQ(conv(0.5f), NK_OK);
    ASSERT_EQ(nk_cnn_init_activation_buffers(&cnn, &memory.c, 4, 4, 2), NK_OK);
    EXPECT_EQ(nk_cnn_forward(&cnn, &memory.c, &in, &out), NK_OK);
  };
  refused(conv(nan));
  refused(conv(INFINITY));
  refused(nk_cnn_init_layernorm_layer(&cnn, 0, 2, nan, w, w));
  refused(nk_cnn_init_layernorm_layer(&cnn, 0, 2, -1.0f, w, w));
  refused(nk_cnn_init_convnextv2_block_layer(&cnn, nullptr, 0, 4, 4, 2, -1.0f, w, w, w, w, w, w, w,
                                             w, w, w));
  refused(nk_cnn_init_dense_layer(&cnn, 0, &matrix, nullptr, NK_ACTIVATION_LEAKY_RELU, nan));
  refused(nk_cnn_init_feature_tap_layer(&cnn, nullptr, 0, 4, 4, 2, 7));
  refused(nk_cnn_init_resnet_basic_block_layer(&cnn, nullptr, 0, 4, 4, 2, 2, -1, w, w, w, w, w, w,
                                               w, w, w, w, w, w));
  EXPECT_EQ(nk_cnn_init_flatten_layer(&cnn, 1), NK_ERR_INVALID_ARGUMENT);
  EXPECT_FALSE(nk_cnn_has_activation_buffers(&cnn));
  ASSERT_EQ(nk_cnn_init_activation_buffers(&cnn, &memory.c, 4, 4, 2), NK_OK);
  EXPECT_EQ(nk_cnn_forward(&cnn, &memory.c, &wrong, &out), NK_ERR_INVALID_ARGUMENT);
  in.stride[0] = 2;
  in.stride[1] = 8;
  EXPECT_EQ(nk_cnn_forward(&cnn, &memory.c, &in, &out), NK_ERR_INVALID_ARGUMENT);
  EXPECT_EQ(nk_cnn_init_activation_buffers(&cnn, nullptr, 4, 4, 2), NK_ERR_INVALID_ARGUMENT);
  EXPECT_FALSE(nk_cnn_has_activation_buffers(&cnn));
}

TEST(BareModels, LayersOfANetworkByHandAreTimed) {
  Memory memory;
  float w[9] = {1}, b[1] = {}, x[16] = {1, 2, 3};
  CNNNetwork net(3, memory.arena);
  net.InitConvLayer(0, 3, 1, 1, 1, w, b, ConvActivationType::Sigmoid, 0, 1, 1);
  net.InitPoolLayer(1, 2, 2, 2);
  net.InitFlattenLayer(2);
  ASSERT_TRUE(net.InitActivationBuffers(memory.arena, 4, 4, 1));
  const uint32_t shape[] = {4, 4, 1};
  std::vector<std::string> tags;
  const Tensor& out =
      net.forward_timed(TensorFactory::ViewND(x, 3, shape), memory.arena, note, &tags);
  EXPECT_EQ(out.num_elements, 4u);
  EXPECT_EQ(tags, (std::vector<std::string>{"conv2d", "max pool", "flatten"}));
}

}  // namespace
