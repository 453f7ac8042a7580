// SPDX-License-Identifier: MIT
// What MLPNetwork and CNNNetwork share beside netkit.h: handles in an Arena, timing, trimming.
// C++17 and newer.
#ifndef NETKIT_NETWORK_HPP
#define NETKIT_NETWORK_HPP

#include <cstddef>
#include <cstdint>

#include "netkit/arena.hpp"
#include "netkit/layer_info.hpp"
#include "netkit/ops_resolver.hpp"
#include "netkit/tensor.hpp"

namespace netkit {

enum class ActivationType { None, ReLU, Sigmoid, Tanh, LeakyReLU, ReLU6, Softmax };
static_assert(static_cast<int>(ActivationType::Softmax) == NK_ACTIVATION_SOFTMAX);

// tag: what the layer is ("conv2d"), in a file of version 5 what the step does ("softmax"); valid
// for the call. duration_ns: of one layer in one inference.
using NetworkTimingFn = void (*)(const char* tag, std::uint64_t duration_ns, void* user_data);

// An int8 network (nk_quant_t): entries, and omit_final_softmax.
using QuantLayer = nk_quant_layer_t;
using QuantRuntime = nk_quant_t;

// Where the bytes of a model are: at a path, or at `data` where that is not nullptr; those stay the
// caller's and in place.
struct ModelSource {
  const char* path = nullptr;
  const std::uint8_t* data = nullptr;
  std::size_t size = 0;
};

// `storage` is that of an nk_mlp_t or nk_cnn_t, which the other calls of netkit.h take. Errors as
// nk_mlp_create, nk_mlp_init_activation_buffers, nk_mlp_load.
nk_status_t create_network(void* storage, Arena& arena, std::uint32_t layers, bool is_mlp);
// `sizes` axes of the input: batch rows of an MLP, or h, w, c; kernels outside `resolver` are
// refused (NK_ERR_UNKNOWN_KERNEL).
nk_status_t plan_network(void* storage, Arena& arena, const std::uint32_t* sizes,
                         const NkOpsResolver& resolver);
nk_status_t load_network(void* storage, Arena& arena, const ModelSource& source, bool mlp_only,
                         nk_arch_info_t* info);
// Calls the listener for each layer of a loaded network, in order.
void each_loaded_layer(const void* storage, LayerListener listener, void* user);
// One inference on `input`, as nk_cnn_forward; `timing` is called once per layer, or per step of
// a file of version 5, which has no layers. The result becomes a view.
nk_status_t time_network(void* storage, const Tensor& input, Tensor& output, NetworkTimingFn timing,
                         void* user_data);

}  // namespace netkit

#endif
