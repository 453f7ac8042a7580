// SPDX-License-Identifier: MIT
// Memory of a built network: layers while they are set, then tables and one buffer.
#include "runtime/nets/net.h"

namespace netkit::nets {
namespace {

template <typename T>
T* take(Arena& arena, uint32_t count) {
  auto* out = static_cast<T*>(arena.alloc(count * sizeof(T), alignof(T)));
  if (out != nullptr) __builtin_memset(out, 0, count * sizeof(T));
  return out;
}

// Between the two passes of unfold.
nk_status_t make_tables(Net& net, Arena& arena, uint32_t h, uint32_t w, uint32_t c) {
  net.steps = nullptr;
  net.values = nullptr;
  if (const nk_status_t status = unfold(net, h, w, c)) return status;
  net.steps = take<Step>(arena, net.step_count);
  net.values = take<Value>(arena, net.value_count);
  if (net.steps == nullptr || net.values == nullptr) return NK_ERR_ARENA_OVERFLOW;
  if (const nk_status_t status = unfold(net, h, w, c)) return status;
  return place(net, arena);
}

}  // namespace

Layer* set_layer(Net& net, uint32_t index, uint32_t count) {
  if (index >= net.layer_count) return nullptr;
  const size_t bytes = sizeof(Layer) + count * sizeof(const float*);
  Layer*& layer = net.layers[index];
  // A layer that is set again keeps its place where it is as large.
  if (layer == nullptr || layer->count < count) {
    layer = static_cast<Layer*>(net.arena->alloc(bytes, alignof(Layer)));
  }
  if (layer == nullptr) return nullptr;
  __builtin_memset(static_cast<void*>(layer), 0, bytes);
  layer->count = static_cast<uint8_t>(count);
  return layer;
}

nk_status_t plan(Net& net, Arena& arena, uint32_t h, uint32_t w, uint32_t c) {
  const Arena::Mark mark = arena.mark();
  net.buffer = nullptr;
  nk_status_t status = make_tables(net, arena, h, w, c);
  if (status == NK_OK) {
    net.buffer = static_cast<uint8_t*>(arena.alloc(net.buffer_bytes, kAlignBytes));
    if (net.buffer == nullptr) status = NK_ERR_ARENA_OVERFLOW;
  }
  if (status != NK_OK) {
    net.step_count = net.value_count = 0;
    arena.release(mark);
  }
  return status;
}

}  // namespace netkit::nets
