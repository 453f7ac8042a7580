// SPDX-License-Identifier: MIT
// forward_timed on a bare device, which has no clock of the language's: every duration is 0, and
// the function that is called right behind each layer reads a counter of the chip's.
#include "netkit/network.hpp"
#include "runtime/bare/built_network.h"
#include "runtime/loaded/loaded.h"

namespace netkit {
namespace {

struct Listener {
  NetworkTimingFn call;
  void* user;
  const Loaded* loaded;
};

void behind_layer(void* user, uint8_t kind) {
  const auto* to = static_cast<const Listener*>(user);
  to->call(block_name(static_cast<nk_cnn_block_type_t>(kind)), 0, to->user);
}

void behind_step(void* user, uint32_t index, const nk_file_step&, void* const*) {
  const auto* to = static_cast<const Listener*>(user);
  char text[32];
  to->call(step_name(executor_of(&to->loaded->program)->view(), index, text), 0, to->user);
}

}  // namespace

nk_status_t time_network(void* storage, const Tensor& input, Tensor& output, NetworkTimingFn timing,
                         void* user_data) {
  if (timing == nullptr) return refuse(NK_ERR_INVALID_ARGUMENT, "forward_timed: no function");
  const nk_tensor_t x = to_c(input);
  nk_tensor_t y{};
  Loaded* loaded = loaded_of(storage);
  Listener to = {timing, user_data, loaded};
  nk_status_t status;
  if (loaded != nullptr) {
    status = set_input(*loaded, &x);
    if (status == NK_OK) status = run_loaded(*loaded, behind_step, &to);
    if (status == NK_OK) status = view_result(*loaded, y);
  } else {
    status = forward_net(net_of(storage), &x, y, behind_layer, &to);
  }
  if (status == NK_OK) output = from_c(y);
  return status;
}

}  // namespace netkit
