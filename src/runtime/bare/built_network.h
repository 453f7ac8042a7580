// SPDX-License-Identifier: MIT
// What stands in an nk_mlp_t and nk_cnn_t on a bare device: a network that a program builds.
#pragma once

#include "runtime/capi/c_arena.h"
#include "runtime/capi/last_error.h"
#include "runtime/nets/steps.h"

namespace netkit {

struct BuiltNetwork {
  nets::Net net;
  uint64_t mark;  // create has filled the storage; chance is 2^-64
};
static_assert(sizeof(BuiltNetwork) <= sizeof(nk_mlp_t) && sizeof(nk_mlp_t) == sizeof(nk_cnn_t));

// nullptr: never created, or its arena was reset.
nets::Net* net_of(const void* storage);
template <typename Handle>
nets::Net* net_of(const Handle* handle) {
  return net_of(static_cast<const void*>(handle ? handle->storage : nullptr));
}

nk_status_t create_net(void* storage, Arena* arena, uint32_t layers, bool is_mlp);
// Copies the input in and runs; `view` becomes a view of the result.
nk_status_t forward_net(nets::Net* net, const nk_tensor_t* input, nk_tensor_t& view,
                        nets::LayerHook hook = nullptr, void* user = nullptr);

// What every init function of a layer does first, so that a refused one leaves nothing to run: the
// layer counts as never set and the network as not planned.
void unset_layer(nets::Net* net, uint32_t index);
// A number, and for an epsilon none below 0.
inline bool is_finite(float value) {
  return __builtin_isfinite(value);
}
inline bool is_epsilon(float value) {
  return is_finite(value) && value >= 0.0f;
}
// A layer of a kind with `count` weights; nullptr, with *status set, where it cannot be.
nets::Layer* new_layer(nk_cnn_t* cnn, uint32_t index, nk_cnn_block_type_t kind, uint32_t count,
                       nk_status_t* status);

}  // namespace netkit
