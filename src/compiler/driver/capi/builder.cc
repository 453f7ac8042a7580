// SPDX-License-Identifier: MIT
#include "compiler/driver/capi/builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace netkit::driver {
namespace {

constexpr const char* kNoBuffers = "the network has no activation buffers yet";

std::span<const std::byte> bytes_at(const void* values, int64_t count, size_t width) {
  return {static_cast<const std::byte*>(values), static_cast<size_t>(count) * width};
}

bool is_scale(float scale) {
  return scale > 0.0f && std::isfinite(scale);
}
bool is_int8(int32_t zero_point) {
  return zero_point >= -128 && zero_point <= 127;
}

bool is_usable(const nk_quant_layer_t& q) {
  const bool channels = q.weight_scales != nullptr && q.num_weight_scales > 0 &&
                        std::all_of(q.weight_scales, q.weight_scales + q.num_weight_scales,
                                    [](float scale) { return is_scale(scale); });
  const bool act = q.act_scale == 0.0f || (is_scale(q.act_scale) && is_int8(q.act_zero_point));
  return channels && act && is_scale(q.in_scale) && is_scale(q.out_scale) &&
         is_int8(q.in_zero_point) && is_int8(q.out_zero_point);
}

}  // namespace

Builder::Builder(bool is_mlp, uint32_t layers) : is_mlp_(is_mlp), slots_(layers) {
  release = [](ArenaOwned* self) { delete static_cast<Builder*>(self); };
}

nk_status_t Builder::set(uint32_t index, const nk_legacy::Layer& layer,
                         const std::vector<LayerWeights>& weights) {
  const auto wrong = [&](nk_status_t status, const std::string& text) {
    return refuse_layer(index, layer.kind, status, text);
  };
  if (index >= slots_.size()) return wrong(NK_ERR_INVALID_ARGUMENT, "");
  if (const std::string parameter = nk_legacy::bad_parameter(layer); !parameter.empty()) {
    return wrong(NK_ERR_LAYER_CONFIG, parameter);
  }
  Slot slot;
  slot.layer = layer;
  for (const LayerWeights& w : weights) {
    const auto elements = element_count(w.dims);
    const bool sized = elements && *elements > 0 && *elements < (int64_t{1} << 29) &&
                       std::ranges::all_of(w.dims, [](int64_t d) { return d > 0; });
    if (!sized) {
      return wrong(NK_ERR_LAYER_CONFIG, fmt::format("{} of {}: a size is below 1 or too large",
                                                    w.name, dims_text(w.dims)));
    }
    if (w.weights == nullptr && !is_quantised()) {
      return wrong(NK_ERR_INVALID_ARGUMENT,
                   fmt::format("{}: NULL; give {} values", w.name, *elements));
    }
    if (w.weights != nullptr && w.dtype != (is_quantised() ? NK_INT8 : NK_FLOAT32)) {
      return wrong(NK_ERR_INVALID_ARGUMENT,
                   fmt::format("{}: an int8 network has them in its entries; set NULL", w.name));
    }
    const void* bias = w.bias;
    if (bias == nullptr && w.weights != nullptr) {
      zeros_.emplace_back(static_cast<size_t>(w.channels), 0.0f);
      bias = zeros_.back().data();
    }
    const nk_dtype types[] = {is_quantised() ? NK_INT8 : NK_FLOAT32,
                              is_quantised() ? NK_INT32 : NK_FLOAT32};
    slot.weights.push_back(
        {types[0], w.dims, bytes_at(w.weights, *elements, types[0] == NK_INT8 ? 1 : 4)});
    slot.biases.push_back({types[1], {w.channels}, bytes_at(bias, w.channels, 4)});
  }
  slot.is_set = true;
  slots_[index] = std::move(slot);
  return NK_OK;
}

nk_status_t Builder::refuse_layer(uint32_t index, nk_legacy::Kind kind, nk_status_t status,
                                  const std::string& text) {
  if (index >= slots_.size()) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT, "layer {}: the network has {}, counted from 0",
                          index, slots_.size());
  }
  Slot& slot = slots_[index] = {};
  slot.layer.kind = kind;
  slot.status = status;
  slot.refusal = fmt::format("layer {} ({}): {}", index, nk_legacy::name_of(kind), text);
  return netkit::refuse(status, slot.refusal.c_str());
}

nk_status_t Builder::refuse_run() const {
  const auto refused =
      std::ranges::find_if(slots_, [](const Slot& slot) { return !slot.refusal.empty(); });
  const std::string& cause = refused != slots_.end() ? refused->refusal : cause_;
  return netkit::refuse(NK_ERR_NOT_INITIALIZED, cause.empty() ? kNoBuffers : cause.c_str());
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
  out.by_hand = true;
  for (size_t i = 0; i < slots_.size(); ++i) {
    const Slot& slot = slots_[i];
    if (!slot.refusal.empty()) return netkit::refuse(slot.status, slot.refusal.c_str());
    if (!slot.is_set) {
      return refuse_numbers(NK_ERR_LAYER_CONFIG,
                            "layer {} of {} was never set: init every layer, then the buffers", i,
                            slots_.size());
    }
    out.layers.push_back(slot.layer);
    out.weights.insert(out.weights.end(), slot.weights.begin(), slot.weights.end());
    out.biases.insert(out.biases.end(), slot.biases.begin(), slot.biases.end());
  }
  return is_quantised() ? take_quants(out) : NK_OK;
}

nk_status_t Builder::set_quant(const nk_quant_t& quant) {
  if (std::ranges::any_of(slots_, &Slot::is_set)) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "set_quant comes before the layers");
  }
  std::vector<nk_quant_layer_t> entries(quant.layers, quant.layers + quant.num_layers);
  const auto bad = std::ranges::find_if_not(entries, is_usable);
  if (bad != entries.end()) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT,
                          "entry {}: a scale is not above 0, or a zero point no int8",
                          static_cast<uint64_t>(bad - entries.begin()));
  }
  quants_ = std::move(entries);
  return NK_OK;
}

// One entry per tensor of weights, in their order.
nk_status_t Builder::take_quants(nk_legacy::LegacyFile& out) const {
  out.version = 4;
  if (quants_->size() != out.weights.size()) {
    return refuse_numbers(NK_ERR_LAYER_CONFIG, "{} quantisation entries for {} weight tensors",
                          quants_->size(), out.weights.size());
  }
  for (size_t i = 0; i < quants_->size(); ++i) {
    const nk_quant_layer_t& q = (*quants_)[i];
    if (out.weights[i].bytes.data() == nullptr) {
      if (q.weights == nullptr || q.bias == nullptr) {
        return refuse_numbers(NK_ERR_INVALID_ARGUMENT,
                              "weight tensor {}: neither its layer nor its entry holds it", i);
      }
      out.weights[i].bytes = bytes_at(q.weights, element_count(out.weights[i].dims).value_or(0), 1);
      out.biases[i].bytes = bytes_at(q.bias, out.biases[i].dims[0], 4);
    }
    nk_legacy::QuantEntry entry;
    entry.in_scale = q.in_scale;
    entry.in_zero = q.in_zero_point;
    entry.out_scale = q.out_scale;
    entry.out_zero = q.out_zero_point;
    entry.act_scale = q.act_scale;
    entry.act_zero = q.act_zero_point;
    entry.weight_scales.assign(q.weight_scales, q.weight_scales + q.num_weight_scales);
    out.quants.push_back(std::move(entry));
  }
  return NK_OK;
}

nk_status_t make_builder(void* storage, Arena* arena, uint32_t layers, bool is_mlp) {
  if (storage == nullptr || arena == nullptr || layers < 1 || layers > NK_MAX_LAYERS) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT,
                          "create: no arena, no handle, or not 1 to 100 layers");
  }
  return guarded([&] {
    auto* builder = new Builder(is_mlp, layers);
    arena->own(builder);
    make_network(storage, *arena)->builder = builder;
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

nk_status_t set_layer(Network* network, uint32_t index, const nk_legacy::Layer& layer,
                      const std::vector<LayerWeights>& weights, const Refusal& refusal) {
  Builder* builder = builder_of(network);
  if (builder == nullptr) return network ? NK_ERR_INVALID_ARGUMENT : NK_ERR_NOT_INITIALIZED;
  network->ready = false;
  return guarded([&] {
    const nk_status_t status =
        refusal.text.empty()
            ? builder->set(index, layer, weights)
            : builder->refuse_layer(index, layer.kind, refusal.status, refusal.text);
    builder->keep_cause(status == NK_OK ? "" : nk_last_error());
    return status;
  });
}

nk_status_t check_ready(const Network& network) {
  if (network.ready) return NK_OK;
  if (network.builder != nullptr) return network.builder->refuse_run();
  return netkit::refuse(NK_ERR_NOT_INITIALIZED, kNoBuffers);
}

namespace {

nk_status_t plan(Network& network, Arena* arena, const Dims& input, const NkOpsResolver& resolver) {
  if (arena == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no arena");
  nk_legacy::LegacyFile file;
  const nk_status_t status = network.builder->file(input, file);
  if (status != NK_OK) return status;
  if (std::ranges::any_of(input, [](int64_t d) { return d < 1 || d > 1 << 20; })) {
    return netkit::refuse(
        NK_ERR_INVALID_ARGUMENT,
        fmt::format("an input of {}: each size is 1 to {}", dims_text(input), 1 << 20).c_str());
  }
  return load_layers(network, file, *arena, NK_ERR_LAYER_CONFIG, resolver);
}

}  // namespace

nk_status_t build(Network& network, Arena* arena, const Dims& input,
                  const NkOpsResolver& resolver) {
  network.ready = false;
  return guarded([&] {
    const nk_status_t status = plan(network, arena, input, resolver);
    network.builder->keep_cause(status == NK_OK ? "" : nk_last_error());
    return status;
  });
}

}  // namespace netkit::driver
