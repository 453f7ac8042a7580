// SPDX-License-Identifier: MIT
// Networks built by hand and what they need: a line each of name, layers, operators inside, bytes
// of the planned buffer, bytes of tables, and numbers of the result. Built against the host's
// planner and, with NETKIT_BARE, against the one of bare devices; compare_figures.py compares the
// two.
#include <cstdio>
#include <cstring>
#include <vector>

#include "cnn.hpp"
#include "tensor_factory.hpp"
#ifdef NETKIT_BARE
#include "runtime/bare/built_network.h"
#endif

namespace {

// Weights that differ, the same for every network.
float* numbers(size_t count) {
  static std::vector<float> pool = [] {
    std::vector<float> all(1 << 21);
    for (size_t i = 0; i < all.size(); ++i) {
      all[i] = static_cast<float>(static_cast<int>(i * 2654435761u >> 20) % 201 - 100) * 0.002f;
    }
    return all;
  }();
  static size_t used = 0;
  used = used + count > pool.size() ? 0 : used;
  used += count;
  return pool.data() + used - count;
}

struct Sizes {
  uint32_t h, w, c;
};

template <typename Set>
void measure(const char* name, uint32_t layers, Sizes in, const Set& set) {
  static std::vector<unsigned char> memory(16 << 20);
  std::memset(memory.data(), 0xA5, memory.size());
  Arena arena(memory.data(), memory.size());
  CNNNetwork net(layers, arena);
  set(net, arena);
  arena.alloc(0, 16);  // both planners align so; none of it is the plan's
  const size_t before = arena.offset;
  if (!net.InitActivationBuffers(arena, in.h, in.w, in.c)) {
    std::printf("%s failed: %s\n", name, nk_last_error());
    return;
  }
  size_t buffer = arena.offset - before;
  unsigned steps = 0;
#ifdef NETKIT_BARE
  const netkit::nets::Net& built = *netkit::net_of(net.handle());
  buffer = built.buffer_bytes;
  steps = built.step_count;
#endif
  std::vector<float> x(in.h * in.w * in.c);
  for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i * 37 % 97) * 0.02f - 1;
  const uint32_t shape[] = {in.h, in.w, in.c};
  const Tensor& y = net.forward(TensorFactory::ViewND(x.data(), 3, shape), arena);
  double sum = 0, most = 0;
  for (uint32_t i = 0; i < y.num_elements; ++i) {
    const double value = static_cast<double>(tensor_data_f32(y)[i]);
    sum += value * (i % 7 + 1);
    most = value > most ? value : most;
  }
  std::printf("%s %u %u %zu %zu %.9g %.9g\n", name, layers, steps, buffer, arena.offset - buffer,
              sum, most);
}

void primitives() {
  measure("mnist_cnn", 7, {28, 28, 1}, [](CNNNetwork& net, Arena&) {
    net.InitConvLayer(0, 3, 1, 1, 32, numbers(288), numbers(32), ConvActivationType::ReLU);
    net.InitPoolLayer(1, 2, 2, 2);
    net.InitConvLayer(2, 3, 1, 32, 64, numbers(18432), numbers(64), ConvActivationType::ReLU);
    net.InitPoolLayer(3, 2, 2, 2);
    net.InitFlattenLayer(4);
    net.InitDenseLayer(5, TensorFactory::View2D(numbers(1600 * 128), 128, 1600),
                       TensorFactory::View2D(numbers(128), 1, 128), ActivationType::ReLU);
    net.InitDenseLayer(6, TensorFactory::View2D(numbers(1280), 10, 128),
                       TensorFactory::View2D(numbers(10), 1, 10), ActivationType::Softmax);
  });
  measure("separable", 8, {32, 32, 3}, [](CNNNetwork& net, Arena&) {
    net.InitConvLayer(0, 3, 2, 3, 8, numbers(216), numbers(8), ConvActivationType::ReLU6, 0, 1, 1);
    for (uint32_t i = 0; i < 2; ++i) {
      const int c = i == 0 ? 8 : 16;
      net.InitDepthwiseConvLayer(1 + 2 * i, 3, 3, i == 0 ? 1 : 2, c, numbers(144), numbers(16),
                                 ConvActivationType::ReLU, 0, 1, 1);
      net.InitConvLayer(2 + 2 * i, 1, 1, c, 2 * c, numbers(512), numbers(32),
                        ConvActivationType::LeakyReLU, 0.1f);
    }
    net.InitAvgPoolLayer(5, 8, 8, 8);
    net.InitFlattenLayer(6);
    net.InitDenseLayer(7, TensorFactory::View2D(numbers(320), 10, 32),
                       TensorFactory::View2D(numbers(10), 1, 10), ActivationType::Sigmoid);
  });
}

void blocks() {
  for (const int stride : {1, 2}) {
    for (const int c : {16, 32}) {
      const int out = stride == 1 ? c : 2 * c;
      char name[32];
      std::snprintf(name, sizeof name, "resnet_%d_%d", stride, c);
      measure(name, 1, {14, 14, static_cast<uint32_t>(c)}, [&](CNNNetwork& net, Arena& arena) {
        net.InitResNetBasicBlockLayer(
            0, arena, 14, 14, c, out, stride, numbers(static_cast<size_t>(9 * c * out)),
            numbers(64), nullptr, nullptr, numbers(static_cast<size_t>(9 * out * out)), numbers(64),
            nullptr, nullptr, numbers(static_cast<size_t>(c * out)), numbers(64), nullptr, nullptr);
      });
    }
  }
  struct UibCase {
    const char* name;
    int in, out, start, middle, stride;
  };
  for (const UibCase& u :
       {UibCase{"uib_extra", 16, 16, 3, 3, 1}, UibCase{"uib_ib", 16, 16, 0, 3, 1},
        UibCase{"uib_down", 16, 24, 3, 5, 2}, UibCase{"uib_ffn", 24, 24, 0, 0, 1},
        UibCase{"uib_next", 16, 16, 5, 0, 1}}) {
    measure(u.name, 1, {14, 14, static_cast<uint32_t>(u.in)}, [&](CNNNetwork& net, Arena& arena) {
      net.InitMobilenetV4UibLayer(0, arena, 14, 14, u.in, u.out, u.start, u.middle, u.stride, 1,
                                  4.0f, numbers(800), numbers(24), nullptr, nullptr, numbers(2304),
                                  numbers(96), nullptr, nullptr, numbers(2400), numbers(96),
                                  nullptr, nullptr, numbers(2304), numbers(24), nullptr, nullptr);
    });
  }
  measure("convnext", 1, {14, 14, 16}, [](CNNNetwork& net, Arena& arena) {
    net.InitConvNeXtV2BlockLayer(0, arena, 14, 14, 16, 1e-6f, numbers(784), numbers(16),
                                 numbers(16), numbers(16), numbers(1024), numbers(64), numbers(64),
                                 numbers(64), numbers(1024), numbers(16));
  });
}

void heads() {
  float* convs[2] = {numbers(9 * 32 * 32), numbers(9 * 32 * 32)};
  float* biases[2] = {numbers(32), numbers(32)};
  measure("yolox_head", 1, {10, 10, 48}, [&](CNNNetwork& net, Arena& arena) {
    net.InitYoloxDecoupledHeadLayer(0, arena, 10, 10, 48, 32, 4, 2, numbers(48 * 32), numbers(32),
                                    convs, biases, convs, biases, numbers(128), numbers(4),
                                    numbers(128), numbers(4), numbers(32), numbers(1));
  });
  measure("pafpn", 5, {24, 24, 8}, [](CNNNetwork& net, Arena& arena) {
    const auto w = [](size_t count) { return numbers(count); };
    net.InitFeatureTapLayer(0, 24, 24, 8, 0);
    net.InitConvLayer(1, 3, 2, 8, 12, w(864), w(12), ConvActivationType::ReLU, 0, 1, 1);
    net.InitFeatureTapLayer(2, 12, 12, 12, 1);
    net.InitConvLayer(3, 3, 2, 12, 16, w(1728), w(16), ConvActivationType::ReLU, 0, 1, 1);
    net.InitYoloxPafpnLayer(4, arena, 6, 6, 8, 12, 16, 16, 3, 1, w(128), w(16), w(192), w(16),
                            w(256), w(16), w(144), w(16), w(256), w(16), w(144), w(16), w(256),
                            w(16), w(144), w(16), w(256), w(16), w(144), w(16), w(256), w(16));
  });
}

}  // namespace

int main() {
  primitives();
  blocks();
  heads();
  return 0;
}
