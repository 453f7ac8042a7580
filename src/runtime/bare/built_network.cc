// SPDX-License-Identifier: MIT
#include "runtime/bare/built_network.h"

#include "netkit/network.hpp"
#include "runtime/input_shape.h"

namespace netkit {
namespace {

constexpr uint64_t kMark = 0x5be7c0d91f83a642u;

nk_status_t copy_input(const nets::Net& net, const nk_tensor_t* input) {
  if (net.buffer == nullptr) return NK_ERR_NOT_INITIALIZED;
  const nets::Value& value = net.values[net.input];
  const uint32_t bytes = nets::bytes_of(value), sizes[] = {value.h, value.w, value.c};
  if (input == nullptr || input->data == nullptr || input->dtype != NK_DTYPE_FLOAT32 ||
      input->bytes != bytes) {
    return NK_ERR_INVALID_ARGUMENT;
  }
  if (const nk_status_t shape = check_shape(*input, sizes, 3)) return shape;
  __builtin_memcpy(nets::data_of(net, net.input), input->data, bytes);
  return NK_OK;
}

void view_output(const nets::Net& net, nk_tensor_t& view) {
  const uint16_t index = nets::output_of(net);
  const nets::Value& v = net.values[index];
  view = nk_tensor_t{};
  view.data = nets::data_of(net, index);
  view.dtype = NK_DTYPE_FLOAT32;
  view.rank = net.output_rank;
  const uint32_t row = net.is_mlp ? v.c : nets::elements(v);
  const uint32_t sizes[] = {net.output_rank == 2 ? nets::elements(v) / row : v.h,
                            net.output_rank == 2 ? row : v.w, v.c};
  uint32_t stride = 1;
  for (uint32_t i = NK_MAX_TENSOR_RANK; i-- > 0;) {
    view.shape[i] = i < view.rank ? sizes[i] : 1;
    view.stride[i] = i < view.rank ? stride : 0;
    stride *= view.shape[i];
  }
  view.num_elements = nets::elements(v);
  view.bytes = nets::bytes_of(v);
}

}  // namespace

nets::Net* net_of(const void* storage) {
  auto* network = static_cast<BuiltNetwork*>(const_cast<void*>(storage));
  const bool filled = network != nullptr && network->mark == kMark;
  if (filled && network->net.arena->generation() == network->net.generation) return &network->net;
  refuse(NK_ERR_MODEL_NOT_LOADED, "no network, or its arena was reset");
  return nullptr;
}

nk_status_t create_net(void* storage, Arena* arena, uint32_t layers, bool is_mlp) {
  if (storage == nullptr || arena == nullptr || layers < 1 || layers > NK_MAX_LAYERS) {
    return refuse(NK_ERR_INVALID_ARGUMENT, "create: no arena, no handle, or not 1 to 100 layers");
  }
  BuiltNetwork network{};
  const size_t bytes = layers * sizeof(nets::Layer*);
  network.net.layers = static_cast<nets::Layer**>(arena->alloc(bytes, alignof(nets::Layer*)));
  if (network.net.layers == nullptr) return refuse(NK_ERR_ARENA_OVERFLOW, "create: arena is full");
  __builtin_memset(network.net.layers, 0, bytes);
  network.net.arena = arena;
  network.net.generation = arena->generation();
  network.net.layer_count = static_cast<uint16_t>(layers);
  network.net.is_mlp = is_mlp;
  network.mark = kMark;
  __builtin_memset(storage, 0, sizeof(nk_cnn_t));  // of what was loaded into it before
  __builtin_memcpy(storage, &network, sizeof network);
  return NK_OK;
}

void unset_layer(nets::Net* net, uint32_t index) {
  if (net == nullptr) return;
  net->buffer = nullptr;
  if (index < net->layer_count && net->layers[index] != nullptr) {
    net->layers[index]->kind = nets::kUnset;
  }
}

nets::Layer* new_layer(nk_cnn_t* cnn, uint32_t index, nk_cnn_block_type_t kind, uint32_t count,
                       nk_status_t* status) {
  nets::Net* net = net_of(cnn);
  *status = net == nullptr              ? NK_ERR_NOT_INITIALIZED
            : index >= net->layer_count ? NK_ERR_INVALID_ARGUMENT
                                        : NK_OK;
  nets::Layer* layer = *status == NK_OK ? nets::set_layer(*net, index, count) : nullptr;
  if (layer != nullptr) {
    layer->kind = static_cast<uint8_t>(kind);
  } else if (*status == NK_OK) {
    *status = NK_ERR_ARENA_OVERFLOW;
  }
  return layer;
}

nk_status_t forward_net(nets::Net* net, const nk_tensor_t* input, nk_tensor_t& view,
                        nets::LayerHook hook, void* user) {
  if (net == nullptr) return NK_ERR_NOT_INITIALIZED;
  nk_status_t status = copy_input(*net, input);
  if (status == NK_OK) status = nets::run(*net, hook, user);
  if (status == NK_OK) view_output(*net, view);
  return status;
}

nk_status_t create_network(void* storage, Arena& arena, uint32_t layers, bool is_mlp) {
  return create_net(storage, &arena, layers, is_mlp);
}

nk_status_t plan_network(void* storage, Arena& arena, const uint32_t* sizes,
                         const NkOpsResolver& resolver) {
  nets::Net* net = net_of(storage);
  if (net == nullptr) return NK_ERR_NOT_INITIALIZED;
  net->buffer = nullptr;
  const nets::Layer* first = net->layers[0];
  if (first == nullptr || first->kind == nets::kUnset) return NK_ERR_LAYER_CONFIG;
  const Arena::Mark mark = arena.mark();
  nk_status_t status = net->is_mlp ? nets::plan(*net, arena, 1, sizes[0], first->in)
                                   : nets::plan(*net, arena, sizes[0], sizes[1], sizes[2]);
  if (status != NK_OK) return status;
  status = nets::bind(*net, resolver);
  if (status != NK_OK) {
    net->buffer = nullptr;
    arena.release(mark);
  }
  return status;
}

}  // namespace netkit
