// SPDX-License-Identifier: MIT
// Layers that a program sets by hand, as the layers of an older .nk file: one road for both.
#pragma once

#include <initializer_list>
#include <list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/driver/capi/network.h"

namespace netkit::driver {

// Weights of the caller's, float32, or int8 with a bias of int32; bias NULL: zeros. Weights of a
// quantised network may be NULL: its entries hold them.
struct LayerWeights {
  const void* weights;
  const void* bias;
  Dims dims;         // of the weights
  int64_t channels;  // of the bias
  nk_dtype dtype = NK_FLOAT32;
  std::string_view name = "weights";  // of the parameter, for refusals
};

class Builder : public ArenaOwned {
 public:
  Builder(bool is_mlp, uint32_t layers);

  bool is_mlp() const { return is_mlp_; }
  size_t layer_count() const { return slots_.size(); }
  bool is_quantised() const { return quants_.has_value(); }
  // Replaces layer `index`. Errors: beyond the last layer, a size below 1, weights that are NULL; a
  // layer that was refused counts as never set.
  nk_status_t set(uint32_t index, const nk_legacy::Layer& layer,
                  const std::vector<LayerWeights>& weights);
  // Refuses layer `index`, named with its kind, and keeps the text: InitLayer of the C++ face
  // returns nothing, so that file() tells it.
  nk_status_t refuse_layer(uint32_t index, nk_legacy::Kind kind, nk_status_t status,
                           const std::string& text);
  // Makes the network int8; before any layer is set. Copies the entries, not the weights.
  nk_status_t set_quant(const nk_quant_t& quant);
  // [in] of a dense first layer; 0 where it is something else.
  int64_t first_features() const;
  // Why there is nothing to run, for forward: the layer that was refused, or what build was told.
  nk_status_t refuse_run() const;
  void keep_cause(std::string cause) { cause_ = std::move(cause); }
  // Errors: a layer that was never set, or was refused.
  nk_status_t file(Dims input, nk_legacy::LegacyFile& out) const;

 private:
  struct Slot {
    bool is_set = false;
    nk_status_t status = NK_ERR_LAYER_CONFIG;  // and text, of a layer that was refused
    std::string refusal;
    nk_legacy::Layer layer;
    std::vector<nk_legacy::Stored> weights, biases;
  };
  nk_status_t take_quants(nk_legacy::LegacyFile& out) const;

  bool is_mlp_;
  std::string cause_;  // of the last call that failed; "": none did
  std::vector<Slot> slots_;
  std::optional<std::vector<nk_quant_layer_t>> quants_;
  std::list<std::vector<float>> zeros_;  // biases that nobody gave; int32 zeros look alike
};

// create: an empty network with a builder that the arena owns.
nk_status_t make_builder(void* storage, Arena* arena, uint32_t layers, bool is_mlp);
// What a layer function does with its handle: set, or refuse with the reason where there is one.
// Either way the network is to be planned again before it runs.
struct Refusal {
  nk_status_t status = NK_OK;
  std::string text;  // "": set it
};
nk_status_t set_layer(Network* network, uint32_t index, const nk_legacy::Layer& layer,
                      const std::vector<LayerWeights>& weights, const Refusal& refusal = {});
// The builder of a handle that create filled; nullptr with nk_last_error set.
Builder* builder_of(Network* network);
// NK_OK, or NK_ERR_NOT_INITIALIZED with the cause why the network has no buffers.
nk_status_t check_ready(const Network& network);
// Plans what was set, for one input shape. A failure leaves no buffers, of an older plan neither.
nk_status_t build(Network& network, Arena* arena, const Dims& input,
                  const NkOpsResolver& resolver = {});

}  // namespace netkit::driver
