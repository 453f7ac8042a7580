// SPDX-License-Identifier: MIT
#include "compiler/driver/capi/builder.h"

#include <algorithm>
#include <cstring>

namespace netkit::driver {
namespace {

std::span<const std::byte> bytes_at(const float* values, int64_t count) {
  return std::as_bytes(std::span(values, static_cast<size_t>(count)));
}

}  // namespace

Builder::Builder(bool is_mlp, uint32_t layers) : is_mlp_(is_mlp), slots_(layers) {
  release = [](ArenaOwned* self) { delete static_cast<Builder*>(self); };
}

nk_status_t Builder::set(uint32_t index, const nk_legacy::Layer& layer,
                         const std::vector<LayerWeights>& weights) {
  if (index >= slots_.size()) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT, "layer {} of a network of {} layers", index,
                          slots_.size());
  }
  Slot slot;
  slot.layer = layer;
  for (const LayerWeights& w : weights) {
    const auto elements = element_count(w.dims);
    const bool sized = elements && *elements > 0 && *elements < (int64_t{1} << 29) &&
                       std::ranges::all_of(w.dims, [](int64_t d) { return d > 0; });
    if (!sized) {
      return refuse_numbers(NK_ERR_LAYER_CONFIG, "layer {}: a size is 0, negative or too large",
                            index);
    }
    if (w.weights == nullptr) {
      return refuse_numbers(NK_ERR_INVALID_ARGUMENT, "layer {}: weights are NULL", index);
    }
    const float* bias = w.bias;
    if (bias == nullptr) {
      zeros_.emplace_back(static_cast<size_t>(w.channels), 0.0f);
      bias = zeros_.back().data();
    }
    slot.weights.push_back({NK_FLOAT32, w.dims, bytes_at(w.weights, *elements)});
    slot.biases.push_back({NK_FLOAT32, {w.channels}, bytes_at(bias, w.channels)});
  }
  slot.is_set = true;
  slots_[index] = std::move(slot);
  return NK_OK;
}

int64_t Builder::first_features() const {
  const Slot& first = slots_.front();
  return first.is_set && first.layer.kind == nk_legacy::Kind::kDense ? first.weights[0].dims[1] : 0;
}

nk_status_t Builder::file(Dims input, nk_legacy::LegacyFile& out) const {
  out.version = 3;
  out.is_mlp = is_mlp_;
  out.input = std::move(input);
  out.taps_are_outputs = true;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.is_set) return refuse_numbers(NK_ERR_LAYER_CONFIG, "layer {} was never set", i);
    out.layers.push_back(slot.layer);
    out.weights.insert(out.weights.end(), slot.weights.begin(), slot.weights.end());
    out.biases.insert(out.biases.end(), slot.biases.begin(), slot.biases.end());
  }
  return NK_OK;
}

nk_status_t make_builder(void* storage, nk_arena_t* arena, uint32_t layers, bool is_mlp) {
  ArenaState* state = state_of(arena);
  if (storage == nullptr || state == nullptr || layers < 1 || layers > NK_MAX_LAYERS) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT,
                          "create: no arena, no handle, or not 1 to 100 layers");
  }
  return guarded([&] {
    auto* builder = new Builder(is_mlp, layers);
    state->arena.own(builder);
    make_network(storage, arena)->builder = builder;
    return NK_OK;
  });
}

Builder* builder_of(Network* network) {
  if (network == nullptr) return nullptr;
  if (network->builder == nullptr) {
    netkit::refuse(NK_ERR_INVALID_ARGUMENT, "a loaded network takes no layers");
  }
  return network->builder;
}

nk_status_t build(Network& network, nk_arena_t* arena, Dims input) {
  ArenaState* state = state_of(arena);
  if (state == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no arena");
  if (std::ranges::any_of(input, [](int64_t d) { return d < 1 || d > 1 << 20; })) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "a size of the input is 0 or too large");
  }
  return guarded([&] {
    nk_legacy::LegacyFile file;
    const nk_status_t status = network.builder->file(std::move(input), file);
    if (status != NK_OK) return status;
    network.ready = false;
    return load_layers(network, file, *state, NK_ERR_LAYER_CONFIG);
  });
}

nk_status_t set_input(Network& network, const nk_tensor_t* input) {
  nk_program_tensor_t to;
  if (nk_program_input(&network.program, 0, &to) != NK_OK || !network.ready) {
    return netkit::refuse(NK_ERR_NOT_INITIALIZED, "the network has no activation buffers yet");
  }
  if (input == nullptr || input->data == nullptr || input->dtype != to.dtype ||
      input->num_elements != to.elements || input->bytes != to.bytes) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT,
                          "the input tensor has {} elements or another type, the network takes {}",
                          input ? input->num_elements : 0, to.elements);
  }
  if (to.bytes != 0) std::memcpy(to.data, input->data, to.bytes);
  return NK_OK;
}

nk_status_t view_result(Network& network, nk_tensor_t& view) {
  nk_program_tensor_t from;
  const nk_status_t status = result_of(network, 0, from);
  if (status != NK_OK) return netkit::refuse(status, nk_status_string(status));
  const uint32_t skip = from.rank == 4 && from.dims[0] == 1 ? 1 : 0;
  view = nk_tensor_t{};
  view.rank = from.rank - skip;
  if (view.rank > NK_MAX_TENSOR_RANK) {
    return refuse_numbers(NK_ERR_UNSUPPORTED_NETWORK, "an output of {} axes, at most {}", from.rank,
                          NK_MAX_TENSOR_RANK);
  }
  uint32_t stride = 1;
  for (uint32_t i = NK_MAX_TENSOR_RANK; i-- > 0;) {
    view.shape[i] = i < view.rank ? from.dims[i + skip] : 1;
    view.stride[i] = i < view.rank ? stride : 0;
    stride *= view.shape[i];
  }
  view.data = from.data;
  view.dtype = from.dtype;
  view.num_elements = static_cast<uint32_t>(from.elements);
  view.bytes = static_cast<uint32_t>(from.bytes);
  return NK_OK;
}

}  // namespace netkit::driver
