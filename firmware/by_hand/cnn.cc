// SPDX-License-Identifier: MIT
// A network of five layers and a ResNet block, built with CNNNetwork where it runs.
#include "netkit/cnn.hpp"

#include "by_hand.h"
#include "netkit/tensor_factory.hpp"

namespace {

// The interface takes float*; nothing writes through it.
float* weights_at(size_t index) {
  return const_cast<float*>(by_hand_weights) + index;
}

}  // namespace

extern "C" size_t by_hand(unsigned char* memory, float* output, size_t* used_bytes) {
  using namespace netkit;
  static float image[16 * 16 * 2];
  for (int i = 0; i < 512; ++i) image[i] = static_cast<float>(i * 37 % 97) * 0.02f - 1.0f;

  Arena arena(memory, kMemoryBytes);
  CNNNetwork net(6, arena);
  net.SetOpsResolver(NkOpList<NkOps::Conv2D, NkOps::DepthwiseConv2D, NkOps::ResNetBasicBlock,
                              NkOps::MaxPool2D, NkOps::Flatten, NkOps::Dense>::View());
  net.InitConvLayer(0, 3, 1, 2, 6, weights_at(0), weights_at(200), ConvActivationType::ReLU, 0, 1,
                    1);
  net.InitDepthwiseConvLayer(1, 3, 3, 2, 6, weights_at(300), weights_at(400),
                             ConvActivationType::ReLU6, 0, 1, 1);
  net.InitResNetBasicBlockLayer(2, arena, 8, 8, 6, 8, 2, weights_at(500), weights_at(1000), nullptr,
                                nullptr, weights_at(1100), weights_at(1700), nullptr, nullptr,
                                weights_at(1800), weights_at(1900), nullptr, nullptr);
  net.InitPoolLayer(3, 2, 2, 2);
  net.InitFlattenLayer(4);
  net.InitDenseLayer(5, TensorFactory::View2D(weights_at(2000), 10, 32),
                     TensorFactory::View2D(weights_at(2400), 1, 10), ActivationType::None);
  if (!net.InitActivationBuffers(arena, 16, 16, 2)) return 0;
  *used_bytes = arena.offset;

  const uint32_t shape[] = {16, 16, 2};
  const Tensor& result = net.forward(TensorFactory::ViewND(image, 3, shape), arena);
  const float* scores = tensor_data_f32(result);
  if (scores == nullptr || result.num_elements > kMostOutputs) return 0;
  for (uint32_t i = 0; i < result.num_elements; ++i) output[i] = scores[i];
  return result.num_elements;
}
