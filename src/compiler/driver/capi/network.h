// SPDX-License-Identifier: MIT
// What stands in an nk_model_t, nk_mlp_t and nk_cnn_t: one thing, a program loaded into an arena,
// from a file or from layers that a program set by hand.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "compiler/driver/aligned_block.h"
#include "compiler/import/nk_legacy/legacy.h"
#include "netkit.h"
#include "netkit/ops_resolver.hpp"
#include "runtime/loaded/loaded.h"

namespace netkit::driver {

class Builder;

struct Network : Loaded {
  Builder* builder;  // nullptr: loaded from a file
  // Of a file of version 3 or 4; the arena owns it.
  std::vector<LayerInfo>* layers;
};
static_assert(sizeof(Network) <= sizeof(nk_model_t));

// nullptr, with nk_last_error set: never filled, or its arena was reset.
Network* network_of(const void* storage, const char* call);
template <typename Handle>
Network* network_of(const Handle* handle, const char* call) {
  return network_of(static_cast<const void*>(handle ? handle->storage : nullptr), call);
}

// An empty network in the handle's storage.
Network* make_network(void* storage, Arena& arena);

// Keeps the error's text; `status` for what is wrong with the input.
nk_status_t refuse(const Error& error, nk_status_t status);

// Loads a file of version 3 to 5 whose bytes stay in place.
nk_status_t load_bytes(Network& network, const uint8_t* data, size_t size, Arena& arena);
// Plans layers and loads what comes out, with the kernels of `resolver`; its constants and the
// table become the arena's.
nk_status_t load_layers(Network& network, const nk_legacy::LegacyFile& file, Arena& arena,
                        nk_status_t when_wrong, const NkOpsResolver& resolver = {});
// Maps the file, and owns the mapping.
nk_status_t load_path(Network& network, const char* path, Arena& arena);
// Where a model's file is: at a path, or at `data` where path is nullptr.
struct ModelBytes {
  const char* path = nullptr;
  const uint8_t* data = nullptr;
  size_t size = 0;
};
// Fills `storage` and, where there is one, `info`; a failure leaves nothing loaded.
nk_status_t load(void* storage, Arena* arena, nk_arch_info_t* info, const ModelBytes& from,
                 bool mlp_only);

// The version 5 file of layers.
nk_status_t convert(const nk_legacy::LegacyFile& file, AlignedBlock& image, nk_status_t when_wrong);

nk_arch_info_t arch_of(const nk_legacy::LegacyFile& file);

// The layers of a file; weights of dense layers of an MLP point into its bytes.
std::vector<LayerInfo> layers_of(const nk_legacy::LegacyFile& file);

// One line on stdout.
void print_arch(const char* path, const nk_arch_info_t& arch);

// No exception leaves the C interface.
template <typename Work>
nk_status_t guarded(const Work& work) {
  try {
    return work();
  } catch (...) {
    return netkit::refuse(NK_ERR_ARENA_OVERFLOW, "out of memory");
  }
}

}  // namespace netkit::driver
