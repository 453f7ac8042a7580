// SPDX-License-Identifier: MIT
#include "compiler/driver/capi/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>
#include <vector>

#include "compiler/driver/compile.h"
#include "compiler/emit/nk/nk_writer.h"
#include "runtime/host/mapped_file.h"
#include "runtime/loaded/read_file.h"

namespace netkit::driver {
namespace {

// A converted model's file, freed with the arena.
struct OwnedImage : ArenaOwned {
  OwnedImage() {
    release = [](ArenaOwned* self) { delete static_cast<OwnedImage*>(self); };
  }
  AlignedBlock image;
  std::vector<nk_kernel_entry> kernels;  // of a resolver; none: all of the library
  std::vector<LayerInfo> layers;
};

// The kernels of a resolver's operators, by id, each once.
std::vector<nk_kernel_entry> kernels_of(const NkOpsResolver& resolver) {
  std::vector<nk_kernel_entry> all;
  for (size_t i = 0; i < resolver.count; ++i) {
    const NkOpKernels& op = *resolver.ops[i];
    all.insert(all.end(), op.entries, op.entries + op.count);
  }
  std::ranges::sort(all, {}, &nk_kernel_entry::id);
  const auto twice = std::ranges::unique(all, {}, &nk_kernel_entry::id);
  all.erase(twice.begin(), twice.end());
  return all;
}

#ifdef NETKIT_USE_MMAP
struct OwnedMapping : ArenaOwned {
  explicit OwnedMapping(MappedFile mapped) : file(std::move(mapped)) {
    release = [](ArenaOwned* self) { delete static_cast<OwnedMapping*>(self); };
  }
  MappedFile file;
};
#endif

// The symbol of the first step's kernel that is not among `kernels`.
std::string missing_kernel(const NkView& view, std::span<const nk_kernel_entry> kernels) {
  const nk_file_section* section = view.find_section(NK_SECTION_STEP_INFO);
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; section != nullptr && i < section->count; ++i) {
    nk_file_step_info info;
    std::memcpy(&info, view.payload(*section) + i * sizeof info, sizeof info);
    if (std::ranges::find(kernels, step->kernel_id, &nk_kernel_entry::id) == kernels.end()) {
      return fmt::format("the network needs {}, which no operator of the resolver holds",
                         view.string(info.kernel_name));
    }
    step = NkView::next_step(step);
  }
  return nk_status_string(NK_ERR_UNKNOWN_KERNEL);
}

// Loads; says which kernel a resolver lacks.
nk_status_t load_with(Network& n, const void* file, size_t size, Arena& arena,
                      std::span<const nk_kernel_entry> kernels) {
  const KernelTable table = {kernels.data(), static_cast<uint32_t>(kernels.size())};
  const nk_status_t status = load_program(n, file, size, arena, table);
  NkView view;
  if (status != NK_ERR_UNKNOWN_KERNEL || kernels.empty() || !view.open(file, size).ok()) {
    return status;
  }
  return netkit::refuse(status, missing_kernel(view, kernels).c_str());
}

uint32_t count_results(const nk_program_t& program) {
  uint32_t results = 0;
  for (uint32_t i = 0; i < nk_program_output_count(&program); ++i) {
    nk_program_tensor_t tensor;
    nk_program_output(&program, i, &tensor);
    const bool tap = i > 0 && std::string_view(tensor.name).starts_with("tap");
    results += tap ? 0 : 1;
  }
  return results;
}

}  // namespace

Network* network_of(const void* storage, const char* call) {
  if (Loaded* loaded = loaded_of(storage)) return static_cast<Network*>(loaded);
  netkit::refuse(NK_ERR_MODEL_NOT_LOADED,
                 fmt::format("{}: no network, or its arena was reset", call).c_str());
  return nullptr;
}

Network* make_network(void* storage, Arena& arena) {
  return static_cast<Network*>(&make_loaded(storage, arena));
}

nk_status_t refuse(const Error& error, nk_status_t status) {
  const std::string& detail = error.items.empty() ? error.message : error.items[0];
  const std::string text = error.where.empty() || !error.items.empty()
                               ? detail
                               : fmt::format("{}: {}", error.where, detail);
  return netkit::refuse(status, text.c_str());
}

nk_status_t convert(const nk_legacy::LegacyFile& file, AlignedBlock& image,
                    nk_status_t when_wrong) {
  auto foreign = nk_legacy::to_foreign(file);
  if (!foreign) return refuse(foreign.error(), when_wrong);
  const auto made = compile_foreign(std::move(*foreign), {});
  if (!made) return refuse(made.error(), when_wrong);
  const auto bytes = write_nk(made->program);
  if (!bytes) return refuse(bytes.error(), when_wrong);
  image = AlignedBlock::copy_of(*bytes);
  return NK_OK;
}

nk_status_t load_layers(Network& network, const nk_legacy::LegacyFile& file, Arena& arena,
                        nk_status_t when_wrong, const NkOpsResolver& resolver) {
  auto owned = std::make_unique<OwnedImage>();
  const AlignedBlock& image = owned->image;
  owned->kernels = kernels_of(resolver);
  nk_status_t status = convert(file, owned->image, when_wrong);
  if (status == NK_OK) {
    status = load_with(network, image.data(), image.size(), arena, owned->kernels);
  }
  if (status != NK_OK) return status;
  owned->layers = layers_of(file);
  network.layers = &owned->layers;
  arena.own(owned.release());
  network.arch = arch_of(file);
  network.results = count_results(network.program);
  nk_program_tensor_t out;
  nk_program_output(&network.program, 0, &out);
  network.arch.output_elements = static_cast<uint32_t>(out.elements);
  return NK_OK;
}

nk_status_t load_bytes(Network& network, const uint8_t* data, size_t size, Arena& arena) {
  if (data == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no data");
  const uint32_t version = version_of(data, size);
  if (version == 3 || version == 4) {
    auto file = nk_legacy::read_legacy({reinterpret_cast<const std::byte*>(data), size});
    if (!file) return refuse(file.error(), NK_ERR_MODEL_PARSE);
    file->taps_are_outputs = true;
    return load_layers(network, *file, arena, NK_ERR_LAYER_CONFIG);
  }
  return load_version_5(network, data, size, arena);
}

#ifndef NETKIT_USE_MMAP
// Version 5: the file in the arena. Older ones have their own copy of the weights when converted.
nk_status_t load_read(Network& network, const MappedFile& file, const char* path, Arena& arena) {
  if (version_of(file.data(), file.size()) < NK_FILE_VERSION) {
    const nk_status_t status = load_bytes(network, file.data(), file.size(), arena);
    if (status == NK_OK) {
      for (LayerInfo& info : *network.layers) info.weights = info.bias = nullptr;
    }
    return status;
  }
  FileBytes bytes;
  const nk_status_t status = read_file(path, arena, bytes);
  return status == NK_OK ? load_bytes(network, bytes.data, bytes.size, arena) : status;
}
#endif

nk_status_t load_path(Network& network, const char* path, Arena& arena) {
  if (*path == '\0') return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no path");
  MappedFile mapped;
  if (const char* why = mapped.open(path)) {
    return netkit::refuse(NK_ERR_MODEL_OPEN, fmt::format("{}: {}", path, why).c_str());
  }
#ifndef NETKIT_USE_MMAP
  return load_read(network, mapped, path, arena);
#else
  auto owned = std::make_unique<OwnedMapping>(std::move(mapped));
  const nk_status_t status = load_bytes(network, owned->file.data(), owned->file.size(), arena);
  if (status == NK_OK) arena.own(owned.release());
  return status;
#endif
}

}  // namespace netkit::driver
