// SPDX-License-Identifier: MIT
// What libnetkit alone links: a file of version 3, a network by hand, the command line.
#include <cstdio>
#include <cstring>
#include <type_traits>
#include <vector>

#include "netkit/cli.hpp"
#include "netkit/nk_loader.hpp"
#include "netkit/tensor_factory.hpp"

namespace {

using netkit::TensorFactory::View2D;

struct Writer {
  std::vector<std::uint8_t> bytes;
  template <typename... T>
  Writer& put(T... values) {
    const auto one = [this](auto value) {
      const auto* from = reinterpret_cast<const std::uint8_t*>(&value);
      bytes.insert(bytes.end(), from, from + sizeof value);
    };
    (one(values), ...);
    return *this;
  }
  Writer& words(std::initializer_list<std::uint32_t> values) {
    for (const std::uint32_t value : values) put(value);
    return *this;
  }
};

// One dense layer of two features and two units (docs/nk-legacy.md).
std::vector<std::uint8_t> version_3() {
  Writer file;
  file.put('N', 'K', 'I', 'T').words({3});
  file.put(std::uint8_t{1}, std::uint8_t{2}, std::uint16_t{0}).words({1, 2, 0, 0, 1, 1, 1, 16, 8});
  file.words({1, 2, 1}).put(0.0f);  // dense, relu
  file.put(std::uint8_t{2}, std::uint8_t{1}, std::uint16_t{0}).words({2, 2, 0, 0, 4});  // weights
  file.put(std::uint8_t{1}, std::uint8_t{1}, std::uint16_t{0}).words({2, 0, 0, 0, 2});  // bias
  return file.put(1.0f, 2.0f, -1.0f, -1.0f, 0.5f, 0.25f).bytes;
}

bool runs_version_3(netkit::Arena& arena) {
  const std::vector<std::uint8_t> file = version_3();
  netkit::MLPNetwork* net = nullptr;
  std::array<std::uint32_t, netkit::kMaxTensorRank> shape{};
  std::uint32_t rank = 0;
  const auto loaded =
      netkit::NkLoader::LoadMLPFromBuffer(file.data(), file.size(), arena, net, shape, rank);
  if (net == nullptr) return std::puts(loaded.message), false;
  float in[] = {3, 4}, out[] = {-1, -1};
  netkit::Tensor y = View2D(out, 1, 2);
  net->forward(View2D(in, 1, 2), y, arena);
  return out[0] == 11.5f && out[1] == 0.0f;
}

bool runs_by_hand(netkit::Arena& arena) {
  static float weights[] = {2}, bias[] = {1}, x[] = {1, 2, 3, 4};
  netkit::CNNNetwork net(1, arena);
  net.InitConvLayer(0, 1, 1, 1, 1, weights, bias, netkit::ConvActivationType::None);
  if (!net.InitActivationBuffers(arena, 2, 2, 1)) return std::puts(nk_last_error()), false;
  const std::uint32_t shape[] = {2, 2, 1};
  const netkit::Tensor& y = net.forward(netkit::TensorFactory::ViewND(x, 3, shape), arena);
  return y.data != nullptr && netkit::tensor_data_f32(y)[3] == 9.0f;
}

}  // namespace

int main() {
  alignas(16) static unsigned char memory[8192];
  netkit::Arena arena(memory, sizeof memory);
  char name[] = "netkit", verb[] = "version";
  char* words[] = {name, verb, nullptr};
  if (!runs_version_3(arena)) return 1;
  arena.reset();
  if (!runs_by_hand(arena)) return 2;
  return netkit::Cli::Run(2, words) == 0 ? 0 : 3;
}
