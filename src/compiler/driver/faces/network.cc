// SPDX-License-Identifier: MIT
// What MLPNetwork and CNNNetwork need beside the C functions (netkit/network.hpp).
#include "netkit/network.hpp"

#include <array>
#include <charconv>
#include <chrono>
#include <cstring>
#include <string_view>
#include <vector>

#include "compiler/driver/capi/builder.h"

namespace netkit {
namespace {

using driver::Builder;
using driver::Network;
using Clock = std::chrono::steady_clock;

constexpr std::string_view kLayer = "layer";

// Sums the times of steps by the layer that a step's name tells ("layer3.conv2d0"), or tells each
// step where the file has no layers (version 5).
class LayerTimes {
 public:
  LayerTimes(const NkView& view, const std::vector<LayerInfo>* layers, NetworkTimingFn timing,
             void* user)
      : view_(view), layers_(layers), timing_(timing), user_(user), last_(Clock::now()) {
    const nk_file_section* section = view.find_section(NK_SECTION_STEP_INFO);
    if (section != nullptr) infos_ = view.payload(*section);
  }

  // The executor's hook; user is a LayerTimes.
  static void hook(void* user, uint32_t index, const nk_file_step&, void* const*) {
    static_cast<LayerTimes*>(user)->step(index);
  }

  // Layers without steps took no time.
  void finish() {
    for (size_t i = 0; layers_ != nullptr && i < layers_->size(); ++i) {
      timing_(block_name((*layers_)[i].type), ns_[i], user_);
    }
  }

 private:
  void step(uint32_t index) {
    const Clock::time_point now = Clock::now();
    const auto spent = static_cast<uint64_t>(
        std::chrono::duration_cast<std::chrono::nanoseconds>(now - last_).count());
    last_ = now;
    const int layer = layers_ != nullptr ? layer_of(name_of(index)) : -1;
    if (layer >= 0) {
      ns_[static_cast<size_t>(layer)] += spent;
      return;
    }
    char text[32];
    timing_(step_name(view_, index, text), spent, user_);
    last_ = Clock::now();
  }

  std::string_view name_of(uint32_t index) const {
    if (infos_ == nullptr) return {};
    nk_file_step_info info;
    std::memcpy(&info, infos_ + index * sizeof info, sizeof info);
    return view_.string(info.node_name);
  }
  // -1: the name is not that of a layer.
  static int layer_of(std::string_view name) {
    if (!name.starts_with(kLayer)) return -1;
    int layer = -1;
    const char* end = name.data() + name.size();
    const auto read = std::from_chars(name.data() + kLayer.size(), end, layer);
    const bool whole = read.ec == std::errc() && read.ptr != end && *read.ptr == '.';
    return whole && layer >= 0 && layer < NK_MAX_LAYERS ? layer : -1;
  }

  const NkView& view_;
  const std::vector<LayerInfo>* layers_;
  NetworkTimingFn timing_;
  void* user_;
  Clock::time_point last_;
  const uint8_t* infos_ = nullptr;
  std::array<uint64_t, NK_MAX_LAYERS> ns_{};
};

}  // namespace

nk_status_t create_network(void* storage, Arena& arena, uint32_t layers, bool is_mlp) {
  return driver::make_builder(storage, &arena, layers, is_mlp);
}

nk_status_t plan_network(void* storage, Arena& arena, const uint32_t* sizes,
                         const NkOpsResolver& resolver) {
  Network* n = driver::network_of(storage, "InitActivationBuffers");
  const Builder* builder = driver::builder_of(n);
  if (builder == nullptr) return n ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  const Dims input = builder->is_mlp() ? Dims{sizes[0], builder->first_features()}
                                       : Dims{sizes[0], sizes[1], sizes[2]};
  return driver::build(*n, &arena, input, resolver);
}

nk_status_t load_network(void* storage, Arena& arena, const ModelSource& source, bool mlp_only,
                         nk_arch_info_t* info) {
  return driver::load(storage, &arena, info, {source.path, source.data, source.size}, mlp_only);
}

void each_loaded_layer(const void* storage, LayerListener listener, void* user) {
  const Loaded* loaded = loaded_of(storage);
  if (loaded == nullptr) return;
  const auto* network = static_cast<const Network*>(loaded);
  if (network->layers == nullptr) return each_layer_of(*loaded, listener, user);
  uint32_t index = 0;
  for (const LayerInfo& info : *network->layers) listener(user, index++, info);
}

nk_status_t time_network(void* storage, const Tensor& input, Tensor& output, NetworkTimingFn timing,
                         void* user_data) {
  Network* n = driver::network_of(storage, "forward_timed");
  if (n == nullptr) return NK_ERR_NOT_INITIALIZED;
  if (timing == nullptr) return refuse(NK_ERR_INVALID_ARGUMENT, "forward_timed: no function");
  const nk_tensor_t x = to_c(input);
  nk_status_t status = driver::check_ready(*n);
  if (status == NK_OK) status = set_input(*n, &x);
  if (status != NK_OK) return status;
  return driver::guarded([&] {
    const Executor* executor = executor_of(&n->program);
    LayerTimes times(executor->view(), n->layers, timing, user_data);
    status = run_loaded(*n, LayerTimes::hook, &times);
    if (status != NK_OK) return status;
    times.finish();
    nk_tensor_t y;
    status = view_result(*n, y);
    if (status == NK_OK) output = from_c(y);
    return status;
  });
}

}  // namespace netkit
