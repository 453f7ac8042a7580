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

// Objects of either kind fit; a handle is all that loading fills.
constexpr std::size_t kEitherBytes = sizeof(MLPNetwork) > sizeof(CNNNetwork) ? sizeof(MLPNetwork)
                                                                             : sizeof(CNNNetwork);
constexpr std::size_t kEitherAlign = alignof(MLPNetwork) > alignof(CNNNetwork)
                                         ? alignof(MLPNetwork)
                                         : alignof(CNNNetwork);

struct Loading {
  LoadResult result;
  void* memory = nullptr;  // in the arena, for the object
  nk_mlp_t handle{};       // what was loaded, of either kind
};

// On failure the arena is as before.
Loading load(const ModelSource& source, Arena& arena, bool mlp_only, std::size_t object_bytes,
             Shape& input_shape, std::uint32_t& input_rank) {
  Loading out;
  const Arena::Mark mark = arena.mark();
  nk_arch_info_t arch{};
  out.memory = arena.alloc(object_bytes, kEitherAlign);
  nk_status_t status = NK_OK;
  if (out.memory == nullptr) {
    status = refuse(NK_ERR_ARENA_OVERFLOW, "no room for the network's object");
  } else {
    status = load_network(out.handle.storage, arena, source, mlp_only, &arch);
  }
  if (status != NK_OK) {
    arena.release(mark);
    out.result = failed(status, source);
    return out;
  }
  input_rank = arch.input_rank;
  for (std::uint32_t i = 0; i < kMaxTensorRank; ++i) {
    input_shape[i] = i < input_rank ? arch.input_shape[i] : 0;
  }
  out.result = result_of(status, arch, true);
  return out;
}

// The object around what was loaded.
template <typename Net>
Net* adopt(const Loading& loading, Arena& arena) {
  Net* net = ::new (loading.memory) Net;
  __builtin_memcpy(net->handle()->storage, loading.handle.storage, sizeof loading.handle.storage);
  net->AdoptLayers(arena);
  return net;
}

template <typename Net>
LoadResult load_as(const ModelSource& source, Arena& arena, bool mlp_only, Net*& network,
                   Shape& input_shape, std::uint32_t& input_rank) {
  const Loading loading = load(source, arena, mlp_only, sizeof(Net), input_shape, input_rank);
  const bool done = loading.result.status == LoadStatus::Ok;
  network = done ? adopt<Net>(loading, arena) : nullptr;
  return loading.result;
}

}  // namespace

LoadResult LoadMLP(const char* nk_path, Arena& arena, MLPNetwork*& network, Shape& input_shape,
                   std::uint32_t& input_rank) {
  return load_as({nk_path}, arena, true, network, input_shape, input_rank);
}
LoadResult LoadMLPFromBuffer(const std::uint8_t* data, std::size_t size, Arena& arena,
                             MLPNetwork*& network, Shape& input_shape, std::uint32_t& input_rank) {
  return load_as({nullptr, data, size}, arena, true, network, input_shape, input_rank);
}
LoadResult LoadCNN(const char* nk_path, Arena& arena, CNNNetwork*& network, Shape& input_shape,
                   std::uint32_t& input_rank) {
  return load_as({nk_path}, arena, false, network, input_shape, input_rank);
}
LoadResult LoadCNNFromBuffer(const std::uint8_t* data, std::size_t size, Arena& arena,
                             CNNNetwork*& network, Shape& input_shape, std::uint32_t& input_rank) {
  return load_as({nullptr, data, size}, arena, false, network, input_shape, input_rank);
}

LoadResult Load(const char* nk_path, Arena& arena, NetworkKind& kind, MLPNetwork*& mlp,
                CNNNetwork*& cnn, Shape& input_shape, std::uint32_t& input_rank) {
  kind = NetworkKind::Unknown;
  mlp = nullptr;
  cnn = nullptr;
  // The kind shows when the file is loaded, so the object's room is that of either.
  const Loading loading = load({nk_path}, arena, false, kEitherBytes, input_shape, input_rank);
  if (loading.result.status != LoadStatus::Ok) return loading.result;
  kind = loading.result.kind;
  if (kind == NetworkKind::Mlp) {
    mlp = adopt<MLPNetwork>(loading, arena);
  } else {
    cnn = adopt<CNNNetwork>(loading, arena);
  }
  return loading.result;
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
