// SPDX-License-Identifier: MIT
// NkLoader: models of every version into the C++ faces of networks (netkit/nk_loader.hpp).
#include "runtime/capi/last_error.h"
#include "runtime/loaded/load_result.h"

namespace netkit {

namespace {

// A record for each layer of a loaded network, filled by `put`; nullptr where there is no room.
template <typename Record>
Record* records(const void* storage, Arena& arena, LayerListener put, std::uint32_t& count) {
  const LayerListener add = [](void* n, std::uint32_t, const LayerInfo&) {
    ++*static_cast<std::uint32_t*>(n);
  };
  count = 0;
  each_loaded_layer(storage, add, &count);
  auto* to = static_cast<Record*>(arena.alloc(count * sizeof(Record), alignof(Record)));
  if (to != nullptr) each_loaded_layer(storage, put, to);
  return to;
}

}  // namespace

void MLPNetwork::AdoptLayers(Arena& arena) {
  const LayerListener put = [](void* to, std::uint32_t i, const LayerInfo& info) {
    ::new (static_cast<MLPLayer*>(to) + i) MLPLayer{info.weights,
                                                    info.bias,
                                                    static_cast<std::uint32_t>(info.in),
                                                    static_cast<std::uint32_t>(info.out),
                                                    static_cast<ActivationType>(info.activation),
                                                    info.leaky_alpha};
  };
  layers_ = records<MLPLayer>(handle_.storage, arena, put, count_);
}

void CNNNetwork::AdoptLayers(Arena& arena) {
  const LayerListener put = [](void* to, std::uint32_t i, const LayerInfo& info) {
    ::new (static_cast<CnnBlock*>(to) + i)
        CnnBlock{static_cast<CnnBlockType>(info.type),
                 static_cast<ConvActivationType>(info.activation),
                 info.kernel_h,
                 info.kernel_w,
                 info.stride,
                 info.in,
                 info.out};
  };
  blocks_ = records<CnnBlock>(handle_.storage, arena, put, count_);
}

namespace NkLoader {
namespace {

using Shape = std::array<std::uint32_t, kMaxTensorRank>;

LoadResult failed(nk_status_t status, const ModelSource& source) {
  return result_of(status, {}, has_magic(source));
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
  net->AdoptLayers(arena);
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
  const LoadResult result = LoadCNN(nk_path, arena, cnn, input_shape, input_rank);
  if (result.status != LoadStatus::Ok) return result;
  kind = result.kind;
  if (kind == NetworkKind::Cnn) return result;
  // The same program in the other face.
  void* memory = arena.alloc(sizeof(MLPNetwork), alignof(MLPNetwork));
  if (memory == nullptr) {
    cnn = nullptr;
    return failed(refuse(NK_ERR_ARENA_OVERFLOW, "no room for the network's object"), {nk_path});
  }
  mlp = ::new (memory) MLPNetwork;
  __builtin_memcpy(mlp->handle()->storage, cnn->handle()->storage, sizeof cnn->handle()->storage);
  mlp->AdoptLayers(arena);
  cnn = nullptr;
  return result;
}

void FillArchInfo(const ParsedModel& model, ArchInfo& info) {
  const nk_arch_info_t& from = model.arch;
  info.version = from.version;
  info.kind = static_cast<NetworkKind>(from.kind);
  for (std::uint32_t i = 0; i < kMaxTensorRank; ++i) info.input_shape[i] = from.input_shape[i];
  info.input_rank = from.input_rank;
  info.num_layers = from.num_layers;
  info.input_elements = from.input_elements;
  info.output_elements = from.output_elements;
  info.weight_floats = from.expected_weight_floats;
}

}  // namespace NkLoader
}  // namespace netkit
