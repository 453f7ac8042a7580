// SPDX-License-Identifier: MIT
// NkLoader: models of every version into the C++ faces of networks (netkit/nk_loader.hpp).
#include <cstring>

#include "compiler/driver/capi/network.h"
#include "compiler/driver/faces/load_result.h"
#include "runtime/host/mapped_file.h"

namespace netkit::NkLoader {
namespace {

using Shape = std::array<std::uint32_t, kMaxTensorRank>;

bool has_magic(const std::uint8_t* data, std::size_t size) {
  return size >= sizeof NkFormat::kMagic && std::memcmp(data, NkFormat::kMagic, 4) == 0;
}

// Is it another kind of file altogether?
bool lacks_magic(const ModelSource& source) {
  if (source.data != nullptr) return !has_magic(source.data, source.size);
  MappedFile file;
  return source.path != nullptr && file.open(source.path) == nullptr &&
         !has_magic(file.data(), file.size());
}

LoadResult failed(nk_status_t status, const ModelSource& source) {
  return result_of(status, {}, !lacks_magic(source));
}

// An object of the arena, and the network in it; on failure the arena is as before.
template <typename Net>
LoadResult load(const ModelSource& source, Arena& arena, bool mlp_only, Net*& network,
                nk_arch_info_t& arch) {
  network = nullptr;
  const Arena::Mark mark = arena.mark();
  void* memory = arena.alloc(sizeof(Net), alignof(Net));
  if (memory == nullptr) {
    return failed(refuse(NK_ERR_ARENA_OVERFLOW, "no room for the network's object"), source);
  }
  Net* net = ::new (memory) Net;
  const nk_status_t status = load_network(net->handle()->storage, arena, source, mlp_only, &arch);
  if (status != NK_OK) {
    arena.release(mark);
    return failed(status, source);
  }
  network = net;
  return result_of(status, arch, true);
}

template <typename Net>
LoadResult load_shaped(const ModelSource& source, Arena& arena, bool mlp_only, Net*& network,
                       Shape& input_shape, std::uint32_t& input_rank) {
  nk_arch_info_t arch{};
  const LoadResult result = load(source, arena, mlp_only, network, arch);
  if (result.status != LoadStatus::Ok) return result;
  input_rank = arch.input_rank;
  for (std::uint32_t i = 0; i < kMaxTensorRank; ++i) {
    input_shape[i] = i < input_rank ? arch.input_shape[i] : 0;
  }
  return result;
}

}  // namespace

LoadResult LoadMLP(const char* nk_path, Arena& arena, MLPNetwork*& network, Shape& input_shape,
                   std::uint32_t& input_rank) {
  return load_shaped({nk_path}, arena, true, network, input_shape, input_rank);
}
LoadResult LoadMLPFromBuffer(const std::uint8_t* data, std::size_t size, Arena& arena,
                             MLPNetwork*& network, Shape& input_shape, std::uint32_t& input_rank) {
  return load_shaped({nullptr, data, size}, arena, true, network, input_shape, input_rank);
}
LoadResult LoadCNN(const char* nk_path, Arena& arena, CNNNetwork*& network, Shape& input_shape,
                   std::uint32_t& input_rank) {
  return load_shaped({nk_path}, arena, false, network, input_shape, input_rank);
}
LoadResult LoadCNNFromBuffer(const std::uint8_t* data, std::size_t size, Arena& arena,
                             CNNNetwork*& network, Shape& input_shape, std::uint32_t& input_rank) {
  return load_shaped({nullptr, data, size}, arena, false, network, input_shape, input_rank);
}

LoadResult Load(const char* nk_path, Arena& arena, NetworkKind& kind, MLPNetwork*& mlp,
                CNNNetwork*& cnn, Shape& input_shape, std::uint32_t& input_rank) {
  kind = NetworkKind::Unknown;
  mlp = nullptr;
  cnn = nullptr;
  nk_arch_info_t arch{};
  const nk_status_t status = nk_parse_architecture(nk_path, &arch);
  if (status != NK_OK) return failed(status, {nk_path});
  const LoadResult result = arch.kind == NK_NETWORK_MLP
                                ? LoadMLP(nk_path, arena, mlp, input_shape, input_rank)
                                : LoadCNN(nk_path, arena, cnn, input_shape, input_rank);
  kind = result.kind;
  return result;
}

}  // namespace netkit::NkLoader
