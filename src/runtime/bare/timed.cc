// SPDX-License-Identifier: MIT
// forward_timed on a bare device, which has no clock of the language's: every duration is 0, and
// the function that is called right behind each layer reads a counter of the chip's.
#include "netkit/network.hpp"
#include "runtime/bare/built_network.h"
#include "runtime/loaded/loaded.h"

namespace netkit {
namespace {

// In the order of nk_cnn_block_type_t, the words of a cpu.
constexpr const char* kTags[] = {"conv2d",
                                 "depthwise conv2d",
                                 "max pool",
                                 "average pool",
                                 "batch norm",
                                 "layer norm",
                                 "flatten",
                                 "dense",
                                 "ConvNeXt V2 block",
                                 "UIB",
                                 "ResNet basic block",
                                 "YOLOX head",
                                 "feature tap",
                                 "YOLOX PAFPN"};
static_assert(sizeof kTags / sizeof kTags[0] == NK_CNN_BLOCK_YOLOX_PAFPN_MULTISCALE + 1);

struct Listener {
  NetworkTimingFn call;
  void* user;
  const Loaded* loaded;
};

void behind_layer(void* user, uint8_t kind) {
  const auto* to = static_cast<const Listener*>(user);
  to->call(kTags[kind], 0, to->user);
}

// The step's node in the file.
void behind_step(void* user, uint32_t index, const nk_file_step&, void* const*) {
  const auto* to = static_cast<const Listener*>(user);
  const NkView& view = executor_of(&to->loaded->program)->view();
  const nk_file_section* names = view.find_section(NK_SECTION_STEP_INFO);
  const char* name = "step";
  if (names != nullptr && index < names->count) {
    nk_file_step_info info;
    __builtin_memcpy(&info, view.payload(*names) + index * sizeof info, sizeof info);
    name = view.string(info.node_name);
  }
  to->call(name, 0, to->user);
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
