// SPDX-License-Identifier: MIT
// Every function of the C++ faces of networks and of the loader at least once, against the C
// functions behind them. Built with -Iinclude/compat.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "cli.hpp"
#include "cmsis_nn_quant.hpp"
#include "cnn.hpp"
#include "esp_nn_quant.hpp"
#include "mlp.hpp"
#include "nk_loader.hpp"
#include "nk_regression.hpp"
#include "nmsis_nn_quant.hpp"
#include "tensor_factory.hpp"
#include "test.hpp"
#include "xnnpack_quant.hpp"

namespace {

using Shape = std::array<uint32_t, kMaxTensorRank>;

std::vector<float> numbers(size_t count, int seed = 0) {
  std::vector<float> out;
  for (size_t i = 0; i < count; ++i) {
    out.push_back(static_cast<float>((static_cast<int>(i) * 7 + seed * 3) % 11 - 5) * 0.1f);
  }
  return out;
}

// An arena over poisoned memory of any alignment.
struct Memory {
  explicit Memory(size_t bytes = 1 << 20) : block(bytes + 3, 0xA5) {
    arena.init(block.data() + 3, bytes);
  }
  std::vector<unsigned char> block;
  Arena arena;
};

// A folder of this run's own.
std::string work_file(const char* name) {
  const auto folder =
      std::filesystem::temp_directory_path() / ("netkit-face-" + std::to_string(getpid()));
  std::filesystem::create_directories(folder);
  return (folder / name).string();
}

struct Timed {
  std::vector<std::string> tags;
};
void note(const char* tag, uint64_t, void* user) {
  static_cast<Timed*>(user)->tags.push_back(tag);
}

TEST(AllCalls, Mlp) {
  Memory memory;
  auto w = numbers(12), b = numbers(4), x = numbers(3, 2);
  MLPNetwork net(2, memory.arena);
  ASSERT_TRUE(net.IsValid());
  EXPECT_FALSE(net.HasActivationBuffers());
  net.SetOpsResolver(NkOpList<NkOps::Dense, NkOps::Softmax>::View());
  EXPECT_EQ(net.GetOpsResolver().count, 2u);
  net.InitLayer(0, TensorFactory::View2D(w.data(), 4, 3), TensorFactory::View2D(b.data(), 1, 4),
                ActivationType::ReLU);
  EXPECT_FALSE(net.InitActivationBuffers(memory.arena, 1));  // layer 1 is missing
  net.InitLayer(1, TensorFactory::View2D(w.data(), 3, 4), Tensor{}, ActivationType::Softmax);
  ASSERT_TRUE(net.InitActivationBuffers(memory.arena, 2)) << nk_last_error();
  EXPECT_TRUE(net.HasActivationBuffers());
  EXPECT_FALSE(net.IsQuantized());
  EXPECT_EQ(net.LayerCount(), 2u);
  EXPECT_EQ(net.GetLayer(1).out_features, 3u);
  EXPECT_EQ(net.GetLayer(7).weights, nullptr);
  auto two = numbers(6, 2);
  float y[6] = {}, timed[6] = {};
  const Tensor in = TensorFactory::View2D(two.data(), 2, 3);
  Tensor out = TensorFactory::View2D(y, 2, 3), other = TensorFactory::View2D(timed, 2, 3);
  net.forward(in, out, memory.arena);
  Timed seen;
  net.forward_timed(in, other, note, &seen);
  EXPECT_EQ(std::memcmp(y, timed, sizeof y), 0);
  EXPECT_EQ(seen.tags, (std::vector<std::string>{"dense", "dense"}));
  net.SetOmitFinalSoftmax(true);
  EXPECT_TRUE(net.OmitFinalSoftmax());
  net.forward(in, out, memory.arena);
  EXPECT_NE(std::memcmp(y, timed, sizeof y), 0);
}

// An int8 dense layer against its real numbers.
TEST(AllCalls, QuantisedMlp) {
  Memory memory;
  int8_t w[] = {10, -20, 30, 40, 50, -60};
  int32_t b[] = {5, -7};
  const float scales[] = {0.01f, 0.02f};
  const QuantLayer entry = {nullptr, nullptr, 0.05f, 3, 0.1f, -4, scales, 2, 0, 0};
  MLPNetwork net(1, memory.arena);
  net.SetQuantRuntime({&entry, 1, false});
  net.InitLayer(0, TensorFactory::View2DInt8(w, 2, 3), TensorFactory::View1DInt32(b, 2),
                ActivationType::None);
  ASSERT_TRUE(net.InitActivationBuffers(memory.arena, 1)) << nk_last_error();
  EXPECT_TRUE(net.IsQuantized());
  int8_t x[] = {13, 43, -37}, y[2] = {};
  Tensor out = TensorFactory::View2DInt8(y, 1, 2);
  net.forward(TensorFactory::View2DInt8(x, 1, 3), out, memory.arena);
  for (int i = 0; i < 2; ++i) {
    double sum = b[i];
    for (int k = 0; k < 3; ++k) sum += (x[k] - 3) * w[i * 3 + k];
    const double real = sum * 0.05 * static_cast<double>(scales[i]);
    EXPECT_NEAR(0.1 * (y[i] + 4), real, 0.051) << i;
  }
}

TEST(AllCalls, PrimitiveLayers) {
  Memory memory;
  auto w = numbers(2000), b = numbers(16, 1);
  CNNNetwork net(8, memory.arena);
  ASSERT_TRUE(net.IsValid());
  net.SetOpsResolver(NkOpList<NkOps::Conv2D, NkOps::DepthwiseConv2D, NkOps::MaxPool2D,
                              NkOps::AvgPool2D, NkOps::BatchNorm2d, NkOps::LayerNorm2d,
                              NkOps::Flatten, NkOps::Dense, NkOps::Softmax>::View());
  EXPECT_EQ(net.GetOpsResolver().count, 9u);
  net.InitConvLayer(0, 3, 1, 2, 4, w.data(), b.data(), ConvActivationType::ReLU6, 0, 1, 1);
  net.InitDepthwiseConvLayer(1, 3, 1, 1, 4, w.data(), b.data(), ConvActivationType::ReLU, 0, 1, 0);
  net.InitPoolLayer(2, 2, 2, 1);
  net.InitAvgPoolLayer(3, 2, 2, 2);
  net.InitBatchNormLayer(4, 4, w.data(), b.data());
  net.InitLayerNormLayer(5, 4, 1e-6f, w.data(), b.data());
  net.InitFlattenLayer(6);
  net.InitDenseLayer(7, TensorFactory::View2D(w.data(), 3, 36),
                     TensorFactory::View2D(b.data(), 1, 3), ActivationType::Softmax);
  EXPECT_EQ(net.KernelWorkspaceBytes(), 0u);
  ASSERT_TRUE(net.InitActivationBuffers(memory.arena, 8, 8, 2)) << nk_last_error();
  EXPECT_TRUE(net.HasActivationBuffers());
  EXPECT_LE(net.KernelWorkspaceBytes(), memory.arena.offset);
  auto x = numbers(128, 3);
  const uint32_t shape[] = {8, 8, 2};
  const Tensor in = TensorFactory::ViewND(x.data(), 3, shape);
  Tensor& out = net.forward(in, memory.arena);
  ASSERT_NE(out.data, nullptr) << nk_last_error();
  const std::vector<float> first(tensor_data_f32(out), tensor_data_f32(out) + 3);
  EXPECT_NEAR(first[0] + first[1] + first[2], 1, 1e-5);
  Timed seen;
  net.forward_timed(in, memory.arena, note, &seen);
  EXPECT_EQ(seen.tags.size(), 8u);
  EXPECT_EQ(seen.tags[1], "depthwise conv2d");
  EXPECT_EQ(std::memcmp(net.GetOutput().data, first.data(), 12), 0);
  net.SetOmitFinalSoftmax(true);
  EXPECT_TRUE(net.OmitFinalSoftmax());
  EXPECT_NE(std::memcmp(net.forward(in, memory.arena).data, first.data(), 12), 0);
  EXPECT_EQ(net.GetBlock(0).activation, ConvActivationType::ReLU6);
  EXPECT_EQ(net.GetBlock(9).type, CnnBlockType::Flatten);
  EXPECT_EQ(net.LayerCount(), 8u);
  EXPECT_FALSE(net.IsQuantized());
  const Tensor wrong = TensorFactory::View2D(x.data(), 1, 5);
  EXPECT_EQ(net.forward(wrong, memory.arena).data, nullptr);
}

TEST(AllCalls, AResolverWithoutTheKernelIsRefused) {
  Memory memory;
  auto w = numbers(100);
  CNNNetwork net(1, memory.arena);
  net.SetOpsResolver(NkOpList<NkOps::MaxPool2D>::View());
  net.InitConvLayer(0, 3, 1, 1, 1, w.data(), nullptr, ConvActivationType::None);
  EXPECT_FALSE(net.InitActivationBuffers(memory.arena, 4, 4, 1));
  EXPECT_STREQ(nk_last_error(),
               "the network needs nk_conv2d_f32_ref, which no operator of the resolver holds");
  net.SetOpsResolver(NkOpList<NkOps::Conv2D>::View());
  EXPECT_TRUE(net.InitActivationBuffers(memory.arena, 4, 4, 1)) << nk_last_error();
}

TEST(AllCalls, BlocksTapsAndNeck) {
  auto w = numbers(4000), b = numbers(64, 1), x = numbers(1000, 2);
  float* const p = w.data();
  float* const q = b.data();
  float* convs[] = {p, p};
  const auto run = [&](CNNNetwork& net, Memory& memory, uint32_t size, uint32_t channels) {
    EXPECT_TRUE(net.InitActivationBuffers(memory.arena, size, size, channels)) << nk_last_error();
    const uint32_t shape[] = {size, size, channels};
    return net.forward(TensorFactory::ViewND(x.data(), 3, shape), memory.arena).num_elements;
  };
  Memory a, c, d, e, f;
  CNNNetwork next(1, a.arena);
  next.SetOpsResolver(NkOpList<NkOps::ConvNeXtV2Block>::View());
  next.InitConvNeXtV2BlockLayer(0, a.arena, 4, 4, 2, 1e-6f, p, q, p, q, p, q, p, q, p, q);
  EXPECT_EQ(run(next, a, 4, 2), 32u);
  CNNNetwork uib(1, c.arena);
  uib.SetOpsResolver(NkOpList<NkOps::MobilenetV4Uib>::View());
  uib.InitMobilenetV4UibLayer(0, c.arena, 4, 4, 8, 8, 3, 3, 1, 1, 2.0f, p, q, q, q, p, q, q, q, p,
                              q, q, q, p, q, q, q);
  EXPECT_EQ(run(uib, c, 4, 8), 128u);
  CNNNetwork res(1, d.arena);
  res.SetOpsResolver(NkOpList<NkOps::ResNetBasicBlock>::View());
  res.InitResNetBasicBlockLayer(0, d.arena, 4, 4, 2, 4, 2, p, q, nullptr, nullptr, p, q, nullptr,
                                nullptr, p, q, nullptr, nullptr);
  EXPECT_EQ(run(res, d, 4, 2), 16u);
  CNNNetwork head(1, e.arena);
  head.SetOpsResolver(NkOpList<NkOps::YoloxDecoupledHead>::View());
  head.InitYoloxDecoupledHeadLayer(0, e.arena, 2, 2, 3, 4, 2, 2, p, q, convs, convs, convs, convs,
                                   p, q, p, q, p, q);
  EXPECT_EQ(run(head, e, 2, 3), 28u);
  CNNNetwork neck(5, f.arena);
  neck.SetOpsResolver(
      NkOpList<NkOps::FeatureTap, NkOps::MaxPool2D, NkOps::YoloxPafpnMultiscale>::View());
  neck.InitFeatureTapLayer(0, 8, 8, 2, 0);
  neck.InitPoolLayer(1, 2, 2, 2);
  neck.InitFeatureTapLayer(2, 4, 4, 2, 1);
  neck.InitPoolLayer(3, 2, 2, 2);
  neck.InitYoloxPafpnLayer(4, f.arena, 2, 2, 2, 2, 2, 4, 3, 1, p, q, p, q, p, q, p, q, p, q, p, q,
                           p, q, p, q, p, q, p, q, p, q);
  EXPECT_EQ(run(neck, f, 8, 2), 4u * (64 + 16 + 4));
  EXPECT_EQ(neck.GetFeatureTapElems(0), 128u);
  ASSERT_NE(neck.GetFeatureTapBuffer(0), nullptr);
  EXPECT_EQ(std::memcmp(neck.GetFeatureTapBuffer(0), x.data(), 512), 0);
  EXPECT_EQ(neck.GetFeatureTapBuffer(3), nullptr);
}

// A .nk file of version 5, made by the command line.
std::string compiled(const char* model, const char* name) {
  std::string words[] = {"netkit", "compile", model, "-o", work_file(name)};
  char* arguments[] = {words[0].data(), words[1].data(), words[2].data(),
                       words[3].data(), words[4].data(), nullptr};
  EXPECT_EQ(Cli::Run(5, arguments), 0);
  return words[4];
}

std::vector<unsigned char> bytes_of(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  std::vector<unsigned char> bytes(std::filesystem::file_size(path));
  EXPECT_EQ(std::fread(bytes.data(), 1, bytes.size(), file), bytes.size());
  std::fclose(file);
  return bytes;
}

TEST(AllCalls, LoaderOfVersion5) {
  const std::string path = compiled("models/digits_cnn_int8.tflite", "digits.nk");
  Memory memory;
  NkLoader::NetworkKind kind;
  MLPNetwork* mlp = nullptr;
  CNNNetwork* cnn = nullptr;
  Shape shape;
  uint32_t rank = 0;
  NkLoader::LoadResult result =
      NkLoader::Load(path.c_str(), memory.arena, kind, mlp, cnn, shape, rank);
  ASSERT_EQ(result.status, NkLoader::LoadStatus::Ok) << result.message;
  EXPECT_EQ(kind, NkLoader::NetworkKind::Cnn);
  EXPECT_EQ(mlp, nullptr);
  ASSERT_TRUE(cnn != nullptr && cnn->IsQuantized());
  EXPECT_EQ(rank, 3u);
  EXPECT_EQ(shape[0], 28u);
  ASSERT_GT(cnn->LayerCount(), 3u);
  EXPECT_EQ(cnn->GetBlock(0).type, CnnBlockType::Conv2D);
  EXPECT_EQ(cnn->GetBlock(0).in_channels, 1);
  EXPECT_GT(cnn->GetBlock(0).kernel_h, 0);
  EXPECT_EQ(cnn->GetBlock(cnn->LayerCount() - 1).type, CnnBlockType::Dense);
  EXPECT_EQ(cnn->GetBlock(cnn->LayerCount() - 1).out_channels, 10);
  std::vector<int8_t> image(784, -128);
  const Tensor in = TensorFactory::View3DInt8(image.data(), 28, 28, 1);
  const Tensor& out = cnn->forward(in, memory.arena);
  ASSERT_NE(out.data, nullptr) << nk_last_error();
  EXPECT_EQ(out.num_elements, 10u);
  Timed seen;
  cnn->forward_timed(in, memory.arena, note, &seen);
  EXPECT_GT(seen.tags.size(), 2u);
  EXPECT_EQ(seen.tags[0], "conv2d");
  EXPECT_EQ(seen.tags.back(), "softmax");

  alignas(16) static unsigned char flash[1 << 18];
  const auto bytes = bytes_of(path);
  ASSERT_LE(bytes.size(), sizeof flash);
  std::memcpy(flash, bytes.data(), bytes.size());
  const size_t used = memory.arena.offset;
  EXPECT_EQ(NkLoader::LoadCNNFromBuffer(flash, bytes.size(), memory.arena, cnn, shape, rank).status,
            NkLoader::LoadStatus::Ok);
  const size_t after = memory.arena.offset;
  EXPECT_GT(after, used);
  EXPECT_EQ(NkLoader::LoadMLPFromBuffer(flash, bytes.size(), memory.arena, mlp, shape, rank).status,
            NkLoader::LoadStatus::UnsupportedLayer);
  EXPECT_EQ(NkLoader::LoadMLP(path.c_str(), memory.arena, mlp, shape, rank).status,
            NkLoader::LoadStatus::UnsupportedLayer);
  EXPECT_EQ(mlp, nullptr);
  EXPECT_EQ(memory.arena.offset, after);
  EXPECT_EQ(NkLoader::LoadCNN("no such file", memory.arena, cnn, shape, rank).status,
            NkLoader::LoadStatus::FileOpenFailed);
  EXPECT_EQ(NkLoader::LoadCNNFromBuffer(flash + 1, 64, memory.arena, cnn, shape, rank).status,
            NkLoader::LoadStatus::SizeMismatch);
  EXPECT_EQ(NkLoader::LoadCNNFromBuffer(flash + 16, 64, memory.arena, cnn, shape, rank).status,
            NkLoader::LoadStatus::InvalidMagic);
  Arena small(memory.block.data(), 900);
  EXPECT_EQ(NkLoader::LoadCNN(path.c_str(), small, cnn, shape, rank).status,
            NkLoader::LoadStatus::ArenaOverflow);

  NkLoader::ParsedModel parsed;
  ASSERT_EQ(NkLoader::ParseFile(path.c_str(), parsed).status, NkLoader::LoadStatus::Ok);
  EXPECT_EQ(NkLoader::ParseBuffer(flash, 40, parsed).status, NkLoader::LoadStatus::TruncatedFile);
  ASSERT_EQ(NkLoader::ParseBuffer(flash, bytes.size(), parsed).status, NkLoader::LoadStatus::Ok);
  NkLoader::ArchInfo info;
  NkLoader::FillArchInfo(parsed, info);
  EXPECT_EQ(info.version, NkFormat::kVersion);
  EXPECT_EQ(NkLoader::InputElements(parsed), 784u);
  EXPECT_EQ(NkLoader::OutputElements(parsed), 10u);
  EXPECT_GT(NkLoader::ModelPayloadBytes(parsed), 1000u);
  EXPECT_TRUE(parsed.quantized);
  NkLoader::PrintNetworkSummary(path.c_str(), parsed);
  NkLoader::FreeParsedModelExtras(parsed);
}

TEST(AllCalls, RegressionAndBackends) {
  EXPECT_TRUE(NkRegression::BeginRegressionArena());
  EXPECT_FALSE(NkRegression::BeginRegressionArena());
  const NkRegression::RunSummary summary = NkRegression::RunModelTests("no such file");
  EXPECT_EQ(summary.failed, 1u);
  NkRegression::EndRegressionArena();
  EXPECT_EQ(run_all_tests().failed, 0u);
  EXPECT_FALSE(CmsisNn::LayerFast() || EspNn::LayerFast() || NmsisNn::LayerFast() ||
               Xnnpack::LayerFast());
  const Tensor t;
  EXPECT_FALSE(CmsisNn::TryConv2D(t) || EspNn::TryAdd(t, t) || NmsisNn::TrySoftmax(t) ||
               Xnnpack::TryFullyConnected(t));
  EXPECT_FALSE(CmsisNn::kBuilt || EspNn::kBuilt || NmsisNn::kBuilt || Xnnpack::kBuilt);
}

// The files of the older formats, where the shared folder is there.
TEST(AllCalls, LoaderOfOlderFiles) {
  const char* shared = std::getenv("NETKIT_SHARED");
  const std::string folder = std::string(shared ? shared : "../shared") + "/models/nk_legacy/";
  if (!std::filesystem::exists(folder)) {
    std::printf("note: %s is absent: older files were not loaded\n", folder.c_str());
    return;
  }
  const std::string mlp_path = folder + "mlp_hand.nk", cnn_path = folder + "mnist_cnn_int8.nk";
  Memory memory;
  Shape shape;
  uint32_t rank = 0;
  MLPNetwork* mlp = nullptr;
  ASSERT_EQ(NkLoader::LoadMLP(mlp_path.c_str(), memory.arena, mlp, shape, rank).status,
            NkLoader::LoadStatus::Ok);
  ASSERT_GT(mlp->LayerCount(), 1u);
  EXPECT_EQ(mlp->GetLayer(0).in_features, shape[1]);
  EXPECT_NE(mlp->GetLayer(0).weights, nullptr);
  EXPECT_EQ(mlp->GetLayer(1).in_features, mlp->GetLayer(0).out_features);
  CNNNetwork* cnn = nullptr;
  {
    // Of unknown kind it takes what its kind takes, and the difference of two objects at most.
    Memory other;
    NkLoader::NetworkKind kind;
    ASSERT_EQ(NkLoader::Load(mlp_path.c_str(), other.arena, kind, mlp, cnn, shape, rank).status,
              NkLoader::LoadStatus::Ok);
    EXPECT_EQ(kind, NkLoader::NetworkKind::Mlp);
    ASSERT_TRUE(mlp != nullptr && cnn == nullptr);
    EXPECT_LE(other.arena.offset, memory.arena.offset + sizeof(CNNNetwork) - sizeof(MLPNetwork));
    ASSERT_EQ(NkLoader::LoadMLP(mlp_path.c_str(), memory.arena, mlp, shape, rank).status,
              NkLoader::LoadStatus::Ok);
  }
  ASSERT_EQ(NkLoader::LoadCNN(cnn_path.c_str(), memory.arena, cnn, shape, rank).status,
            NkLoader::LoadStatus::Ok);
  ASSERT_GT(cnn->LayerCount(), 3u);
  EXPECT_EQ(cnn->GetBlock(0).type, CnnBlockType::Conv2D);
  EXPECT_EQ(cnn->GetBlock(1).type, CnnBlockType::MaxPool2D);
  std::vector<int8_t> image(784, 0);
  Timed seen;
  cnn->forward_timed(TensorFactory::View3DInt8(image.data(), 28, 28, 1), memory.arena, note, &seen);
  ASSERT_EQ(seen.tags.size(), cnn->LayerCount());
  EXPECT_EQ(seen.tags[0], "conv2d");
  EXPECT_EQ(seen.tags[1], "max pool");
  TestSuite suite;
  ASSERT_EQ(NkLoader::ReadTestSuite(mlp_path.c_str(), suite).status, NkLoader::LoadStatus::Ok);
  ASSERT_EQ(suite.num_cases, 6u);
  for (uint32_t i = 0; i < suite.num_cases; ++i) {
    const TestCase& c = suite.cases[i];
    std::vector<float> x(static_cast<const float*>(c.input),
                         static_cast<const float*>(c.input) + c.input_elements);
    std::vector<float> y(c.expected_elements);
    Tensor out = TensorFactory::View2D(y.data(), 1, c.expected_elements);
    mlp->forward(TensorFactory::View2D(x.data(), 1, c.input_elements), out, memory.arena);
    for (uint32_t k = 0; k < c.expected_elements; ++k) {
      EXPECT_NEAR(y[k], c.expected[k], suite.tolerance) << c.name;
    }
  }
  NkLoader::ParsedModel parsed;
  ASSERT_EQ(NkLoader::ParseFile(cnn_path.c_str(), parsed).status, NkLoader::LoadStatus::Ok);
  EXPECT_EQ(parsed.arch.version, NkFormat::kVersionInt8);
  EXPECT_EQ(parsed.layers[0], NkFormat::LayerType::Conv2D);
  EXPECT_EQ(parsed.weights[0].type, DataType::Int8);
  EXPECT_GT(parsed.num_quants, 0u);
  EXPECT_GT(parsed.quants[0].weight_scales[0], 0.0f);
  NkLoader::PrintNetworkSummary(cnn_path.c_str(), parsed);
  NkLoader::FreeParsedModelExtras(parsed);
  ASSERT_TRUE(NkRegression::BeginRegressionArena(1 << 20));
  EXPECT_EQ(NkRegression::RunModelTests(mlp_path.c_str()).passed, 6u);
  NkRegression::EndRegressionArena();
}

}  // namespace
