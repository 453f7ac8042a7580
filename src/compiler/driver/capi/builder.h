// SPDX-License-Identifier: MIT
// Layers that a program sets by hand, as the layers of an older .nk file: one road for both.
#pragma once

#include <initializer_list>
#include <list>
#include <vector>

#include "compiler/driver/capi/network.h"

namespace netkit::driver {

// Float weights of the caller's; bias NULL: zeros.
struct LayerWeights {
  const float* weights;
  const float* bias;
  Dims dims;         // of the weights
  int64_t channels;  // of the bias
};

class Builder : public ArenaOwned {
 public:
  Builder(bool is_mlp, uint32_t layers);

  bool is_mlp() const { return is_mlp_; }
  size_t layer_count() const { return slots_.size(); }
  // Replaces layer `index`. Errors: beyond the last layer, a size below 0, weights that are NULL.
  nk_status_t set(uint32_t index, const nk_legacy::Layer& layer,
                  const std::vector<LayerWeights>& weights);
  // [in] of a dense first layer; 0 where it is something else.
  int64_t first_features() const;
  // Errors: a layer that was never set.
  nk_status_t file(Dims input, nk_legacy::LegacyFile& out) const;

 private:
  struct Slot {
    bool is_set = false;
    nk_legacy::Layer layer;
    std::vector<nk_legacy::Stored> weights, biases;
  };
  bool is_mlp_;
  std::vector<Slot> slots_;
  std::list<std::vector<float>> zeros_;  // biases that nobody gave
};

// create: an empty network with a builder that the arena owns.
nk_status_t make_builder(void* storage, nk_arena_t* arena, uint32_t layers, bool is_mlp);
// The builder of a handle that create filled; nullptr with nk_last_error set.
Builder* builder_of(Network* network);
// Plans what was set, for one input shape.
nk_status_t build(Network& network, nk_arena_t* arena, Dims input);
// Copies a tensor of the caller's into the only input.
nk_status_t set_input(Network& network, const nk_tensor_t* input);
// The result as a tensor without a batch of 1 in front of an image.
nk_status_t view_result(Network& network, nk_tensor_t& view);

}  // namespace netkit::driver
