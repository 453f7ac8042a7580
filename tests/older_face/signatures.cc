// SPDX-License-Identifier: MIT
// The signatures that the older interface's pages state, checked while compiling. Built with
// -Iinclude/compat.
#include <span>
#include <type_traits>

#include "arena.hpp"
#include "arena_util.hpp"
#include "cli.hpp"
#include "cmsis_nn_kernel.hpp"
#include "cmsis_nn_quant.hpp"
#include "cnn.hpp"
#include "conv2d.hpp"
#include "depthwise_conv2d.hpp"
#include "esp_nn_kernel.hpp"
#include "esp_nn_quant.hpp"
#include "mlp.hpp"
#include "netkit_config.h"
#include "nk_format.hpp"
#include "nk_loader.hpp"
#include "nk_regression.hpp"
#include "nmsis_nn_kernel.hpp"
#include "nmsis_nn_quant.hpp"
#include "ops.hpp"
#include "tensor.hpp"
#include "tensor_access.hpp"
#include "tensor_factory.hpp"
#include "test.hpp"
#include "xnnpack_kernel.hpp"
#include "xnnpack_quant.hpp"

namespace {

#define SAME(what, ...) static_assert(std::is_same_v<decltype(what), __VA_ARGS__>, #what)

SAME(&Arena::init, void (Arena::*)(void*, std::size_t));
SAME(&Arena::alloc, void* (Arena::*)(std::size_t, std::size_t));
SAME(&Arena::reset, void (Arena::*)());
SAME(&Arena::remaining, std::size_t (Arena::*)() const);
SAME(&Arena::attach_mapped_file, void (Arena::*)(const void*, std::size_t));
SAME(&Arena::release_mapped_file, void (Arena::*)());
SAME(&Arena::init_heap, bool (Arena::*)(std::size_t));
SAME(&Arena::destroy_heap, void (Arena::*)());
SAME(Arena::base, std::byte*);
SAME(Arena::capacity, std::size_t);
SAME(Arena::offset, std::size_t);
static_assert(Arena::kDefaultCapacity == NK_ARENA_DEFAULT_CAPACITY &&
              Arena::kDefaultCapacity == 64u << 20);
static_assert(ArenaUtil::kHandCapacity == Arena::kDefaultCapacity &&
              ArenaUtil::kMnistMlpCapacity == Arena::kDefaultCapacity &&
              ArenaUtil::kMnistCnnCapacity == Arena::kDefaultCapacity &&
              ArenaUtil::kLargeCnnCapacity == Arena::kDefaultCapacity &&
              ArenaUtil::kXLargeCnnCapacity == Arena::kDefaultCapacity);
SAME(&ArenaUtil::CapacityForInputElements, std::size_t (*)(uint32_t, bool));
SAME(&ArenaUtil::CapacityForModel, std::size_t (*)(uint32_t, bool, uint32_t, uint32_t));
SAME(&ArenaUtil::Init, bool (*)(Arena&, std::size_t, void*));
SAME(&ArenaUtil::Release, void (*)(Arena&));
static_assert(std::is_class_v<ArenaUtil::Scoped>);
static_assert(sizeof(DataType) == 1 && (int)DataType::Int32 == 4);
static_assert(kMaxTensorRank == 4);
SAME(Tensor::data, void*);
SAME(Tensor::type, DataType);
SAME(Tensor::shape, std::array<uint32_t, kMaxTensorRank>);
SAME(Tensor::stride, std::array<uint32_t, kMaxTensorRank>);
SAME(Tensor::num_elements, uint32_t);
SAME(Tensor::bytes, uint32_t);
SAME(Tensor::rank, uint32_t);
[[maybe_unused]] Tensor (*f1)(Arena&, uint32_t, uint32_t) = &TensorFactory::Create2D;
[[maybe_unused]] Tensor (*f2)(Arena&, uint32_t,
                              std::span<const uint32_t>) = &TensorFactory::CreateND;
[[maybe_unused]] Tensor (*f3)(float*, uint32_t, uint32_t) = &TensorFactory::View2D;
[[maybe_unused]] Tensor (*f4)(int8_t*, uint32_t, uint32_t) = &TensorFactory::View2DInt8;
[[maybe_unused]] Tensor (*f5)(int8_t*, uint32_t, uint32_t, uint32_t) = &TensorFactory::View3DInt8;
[[maybe_unused]] Tensor (*f6)(int32_t*, uint32_t) = &TensorFactory::View1DInt32;
[[maybe_unused]] Tensor (*f7)(float*, uint32_t, std::span<const uint32_t>) = &TensorFactory::ViewND;
[[maybe_unused]] void (*f8)(Tensor&, std::span<const float>) = &TensorFactory::Fill;
[[maybe_unused]] void (*f9)(const Tensor&) = &TensorFactory::Print;
[[maybe_unused]] void (*f10)(const char*, const Tensor&, uint32_t) = &TensorFactory::PrintLabeled;
[[maybe_unused]] float* (*a1)(Tensor&) = &tensor_data_f32;
[[maybe_unused]] const float* (*a2)(const Tensor&) = &tensor_data_f32;
[[maybe_unused]] int8_t* (*a3)(Tensor&) = &tensor_data_i8;
[[maybe_unused]] const int8_t* (*a4)(const Tensor&) = &tensor_data_i8;
[[maybe_unused]] int32_t* (*a5)(Tensor&) = &tensor_data_i32;
[[maybe_unused]] const int32_t* (*a6)(const Tensor&) = &tensor_data_i32;
[[maybe_unused]] uint32_t (*a7)(const Tensor&, uint32_t, uint32_t, uint32_t) = &index_nhwc;
[[maybe_unused]] void use_ops(Tensor& A, Tensor& B, Tensor& C) {
  Ops::MatMul(A, B, C);
  Ops::MatAdd(A, B, C);
  Ops::MatAddND(A, B, C);
  Ops::Mul(A, B, C);
  Ops::MulND(A, B, C);
  Ops::MulScalar(A, 2.0f, C);
  Ops::ReLU(A, C);
  Ops::LeakyReLU(A, C, 0.1f);
  Ops::ReLU6(A, C);
  Ops::Sigmoid(A, C);
  Ops::Tanh(A, C);
  Ops::Softmax(A, C);
  (void)Ops::IsMatMulValid(A, B, C);
  (void)Ops::CheckSameShape2D(A, B, C);
}
static_assert(Conv2D{}.kernel_size == 3 && Conv2D{}.stride == 1 && Conv2D{}.pad_h == 0 &&
              Conv2D{}.pad_h_end == 0 && Conv2D{}.weights_q == nullptr);
SAME(Conv2D::weights, float*);
SAME(Conv2D::weights_hwio, float*);
SAME(Conv2D::bias, float*);
SAME(Conv2D::weights_q, const int8_t*);
SAME(Conv2D::bias_q, const int32_t*);
SAME(Conv2D::in_channels, int);
SAME(Conv2D::out_channels, int);
SAME(Conv2D::pad_w_end, int);
SAME(&Conv2D::forward, bool (Conv2D::*)(const Tensor&, Tensor&, NetkitKernelActivation) const);
static_assert(DepthwiseConv2D{}.kernel_h == 3 && DepthwiseConv2D{}.kernel_w == 3 &&
              DepthwiseConv2D{}.pad_h_end == -1 && DepthwiseConv2D{}.channels == 0);
SAME(&DepthwiseConv2D::forward,
     bool (DepthwiseConv2D::*)(const Tensor&, Tensor&, NetkitKernelActivation) const);
static_assert((int)ActivationType::None == 0 && (int)ActivationType::ReLU == 1 &&
              (int)ActivationType::Sigmoid == 2 && (int)ActivationType::Tanh == 3 &&
              (int)ActivationType::LeakyReLU == 4 && (int)ActivationType::ReLU6 == 5 &&
              (int)ActivationType::Softmax == 6);
SAME(&MLPNetwork::IsValid, bool (MLPNetwork::*)() const);
SAME(&MLPNetwork::IsQuantized, bool (MLPNetwork::*)() const);
SAME(&MLPNetwork::HasActivationBuffers, bool (MLPNetwork::*)() const);
SAME(&MLPNetwork::InitActivationBuffers, bool (MLPNetwork::*)(Arena&, uint32_t));
SAME(&MLPNetwork::InitLayer,
     void (MLPNetwork::*)(uint32_t, const Tensor&, const Tensor&, ActivationType, float));
SAME(&MLPNetwork::SetOmitFinalSoftmax, void (MLPNetwork::*)(bool));
SAME(&MLPNetwork::OmitFinalSoftmax, bool (MLPNetwork::*)() const);
SAME(&MLPNetwork::forward, void (MLPNetwork::*)(const Tensor&, Tensor&, Arena&));
static_assert(std::is_same_v<MLPNetwork::LayerTimingFn, void (*)(const char*, uint64_t, void*)>);
SAME(&MLPNetwork::forward_timed,
     void (MLPNetwork::*)(const Tensor&, Tensor&, MLPNetwork::LayerTimingFn, void*));
SAME(&MLPNetwork::GetLayer, MLPLayer& (MLPNetwork::*)(uint32_t));
static_assert((int)CnnBlockType::YoloxPafpnMultiscale == 13 &&
              (int)CnnBlockType::BatchNorm2d == 4 && (int)CnnBlockType::FeatureTap == 12);
SAME(&CNNNetwork::KernelWorkspaceBytes, std::size_t (CNNNetwork::*)() const);
SAME(&CNNNetwork::InitActivationBuffers,
     bool (CNNNetwork::*)(Arena&, uint32_t, uint32_t, uint32_t));
SAME(&CNNNetwork::InitConvLayer,
     void (CNNNetwork::*)(uint32_t, int, int, int, int, float*, float*, ConvActivationType, float,
                          int, int, int, int));
SAME(&CNNNetwork::InitDepthwiseConvLayer,
     void (CNNNetwork::*)(uint32_t, int, int, int, int, float*, float*, ConvActivationType, float,
                          int, int, int, int));
SAME(&CNNNetwork::InitPoolLayer, void (CNNNetwork::*)(uint32_t, int, int, int, int, int, int, int));
SAME(&CNNNetwork::InitAvgPoolLayer,
     void (CNNNetwork::*)(uint32_t, int, int, int, int, int, int, int));
SAME(&CNNNetwork::InitBatchNormLayer, void (CNNNetwork::*)(uint32_t, int, float*, float*));
SAME(&CNNNetwork::InitLayerNormLayer, void (CNNNetwork::*)(uint32_t, int, float, float*, float*));
SAME(&CNNNetwork::InitFlattenLayer, void (CNNNetwork::*)(uint32_t));
SAME(&CNNNetwork::InitDenseLayer,
     void (CNNNetwork::*)(uint32_t, const Tensor&, const Tensor&, ActivationType, float));
SAME(&CNNNetwork::GetFeatureTapBuffer, float* (CNNNetwork::*)(uint8_t) const);
SAME(&CNNNetwork::GetFeatureTapElems, uint32_t (CNNNetwork::*)(uint8_t) const);
SAME(&CNNNetwork::SetOpsResolver, void (CNNNetwork::*)(const NkOpsResolver&));
SAME(&CNNNetwork::GetOpsResolver, const NkOpsResolver& (CNNNetwork::*)() const);
SAME(&CNNNetwork::forward, Tensor& (CNNNetwork::*)(const Tensor&, Arena&));
SAME(&CNNNetwork::forward_timed,
     Tensor& (CNNNetwork::*)(const Tensor&, Arena&, CNNNetwork::LayerTimingFn, void*));
SAME(&CNNNetwork::GetBlock, CnnBlock& (CNNNetwork::*)(uint32_t));
SAME(&CNNNetwork::GetOutput, Tensor& (CNNNetwork::*)());
static_assert((int)NkLoader::NetworkKind::Cnn == 2 &&
              (int)NkLoader::LoadStatus::ArenaOverflow == 8 &&
              (int)NkLoader::LoadStatus::TruncatedFile == 5);
SAME(NkLoader::LoadResult::status, NkLoader::LoadStatus);
SAME(NkLoader::LoadResult::kind, NkLoader::NetworkKind);
SAME(NkLoader::LoadResult::message, const char*);
SAME(NkLoader::ArchInfo::version, uint32_t);
SAME(NkLoader::ArchInfo::kind, NkLoader::NetworkKind);
SAME(NkLoader::ArchInfo::weight_floats, std::size_t);
SAME(NkLoader::ArchInfo::input_shape, std::array<uint32_t, kMaxTensorRank>);
using R = NkLoader::LoadResult;
using S = std::array<uint32_t, kMaxTensorRank>;
SAME(&NkLoader::ParseFile, R (*)(const char*, NkLoader::ParsedModel&));
SAME(&NkLoader::ParseBuffer, R (*)(const uint8_t*, std::size_t, NkLoader::ParsedModel&));
SAME(&NkLoader::FreeParsedModelExtras, void (*)(NkLoader::ParsedModel&));
[[maybe_unused]] R (*rts)(const char*, TestSuite&) = &NkLoader::ReadTestSuite;
[[maybe_unused]] R (*rts2)(const char*, NkLoader::TestSuite&) = &NkLoader::ReadTestSuite;
SAME(&NkLoader::ModelPayloadBytes, std::size_t (*)(const NkLoader::ParsedModel&));
SAME(&NkLoader::FillArchInfo, void (*)(const NkLoader::ParsedModel&, NkLoader::ArchInfo&));
SAME(&NkLoader::InputElements, uint32_t (*)(const NkLoader::ParsedModel&));
SAME(&NkLoader::OutputElements, uint32_t (*)(const NkLoader::ParsedModel&));
SAME(&NkLoader::PrintNetworkSummary, void (*)(const char*, const NkLoader::ParsedModel&));
SAME(&NkLoader::LoadMLP, R (*)(const char*, Arena&, MLPNetwork*&, S&, uint32_t&));
SAME(&NkLoader::LoadCNN, R (*)(const char*, Arena&, CNNNetwork*&, S&, uint32_t&));
SAME(&NkLoader::LoadMLPFromBuffer,
     R (*)(const uint8_t*, std::size_t, Arena&, MLPNetwork*&, S&, uint32_t&));
SAME(&NkLoader::LoadCNNFromBuffer,
     R (*)(const uint8_t*, std::size_t, Arena&, CNNNetwork*&, S&, uint32_t&));
SAME(&NkLoader::Load,
     R (*)(const char*, Arena&, NkLoader::NetworkKind&, MLPNetwork*&, CNNNetwork*&, S&, uint32_t&));
SAME(NkRegression::RunSummary::passed, uint32_t);
[[maybe_unused]] NkRegression::RunSummary (*rr)(const char*) = &NkRegression::RunModelTests;
SAME(&Cli::Run, int (*)(int, char**));
SAME(&run_all_tests, NkRegression::RunSummary (*)());
static_assert(NK_PAD_MIRROR == -1);
#if !defined(NETKIT_TARGET_CPU) || !defined(NETKIT_DESKTOP) || !defined(NETKIT_ARENA_HEAP) || \
    !defined(NETKIT_USE_MMAP)
#error macros
#endif
static_assert(
    std::is_same_v<decltype(NkOpList<NkOps::Conv2D, NkOps::Dense>::View()), NkOpsResolver>);

}  // namespace
