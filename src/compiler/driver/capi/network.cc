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
#include "netkit/kernels.hpp"
#include "runtime/host/mapped_file.h"

namespace netkit::driver {
namespace {

constexpr uint64_t kMark = 0xa1f07c55d2394be6u;
constexpr uint32_t kSoftmax[] = {kernel_id("nk_softmax_f32_ref"), kernel_id("nk_softmax_s8_ref")};

// A converted model's file, freed with the arena.
struct OwnedImage : ArenaOwned {
  OwnedImage() {
    release = [](ArenaOwned* self) { delete static_cast<OwnedImage*>(self); };
  }
  AlignedBlock image;
  std::vector<nk_kernel_entry> kernels;  // of a resolver; none: all of the library
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

struct OwnedMapping : ArenaOwned {
  explicit OwnedMapping(MappedFile mapped) : file(std::move(mapped)) {
    release = [](ArenaOwned* self) { delete static_cast<OwnedMapping*>(self); };
  }
  MappedFile file;
};

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

// Takes the planned bytes from the arena and loads.
nk_status_t load_program(Network& n, const void* file, size_t size, Arena& arena,
                         std::span<const nk_kernel_entry> kernels = {}) {
  size_t need = 0, alignment = 1;
  nk_status_t status = nk_program_need(file, size, &need, &alignment);
  if (status != NK_OK) return netkit::refuse(status, nk_status_string(status));
  const Arena::Mark mark = arena.mark();
  void* memory = arena.alloc(need, alignment);
  if (memory == nullptr) {
    return refuse_numbers(NK_ERR_ARENA_OVERFLOW, "the model needs {} B of arena, {} B remain", need,
                          arena.remaining());
  }
  status = kernels.empty()
               ? nk_program_load(&n.program, file, size, memory, need)
               : nk_program_load_with(&n.program, file, size, memory, need, kernels.data(),
                                      kernels.size(), NK_CHECK_STRUCTURE);
  if (status != NK_OK) {
    arena.release(mark);
    NkView view;
    if (status == NK_ERR_UNKNOWN_KERNEL && !kernels.empty() && view.open(file, size).ok()) {
      return netkit::refuse(status, missing_kernel(view, kernels).c_str());
    }
    return netkit::refuse(status, nk_status_string(status));
  }
  n.ready = true;
  return NK_OK;
}

const nk_file_step* last_step(const NkView& view) {
  const nk_file_step* step = view.first_step();
  for (uint32_t i = 0; i + 1 < view.step_count(); ++i) step = NkView::next_step(step);
  return view.step_count() == 0 ? nullptr : step;
}

// The last step where it is a softmax that makes the only result.
const nk_file_step* final_softmax(const Network& n) {
  const Executor* executor = executor_of(&n.program);
  const nk_file_step* step = executor == nullptr ? nullptr : last_step(executor->view());
  if (step == nullptr || n.results != 1) return nullptr;
  const bool softmax = step->kernel_id == kSoftmax[0] || step->kernel_id == kSoftmax[1];
  return softmax && (NkView::args(step)->place & NK_ARG_CONSTANT) == 0 ? step : nullptr;
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
  const auto* n = static_cast<const Network*>(storage);
  const bool filled = n && n->mark == kMark;
  if (filled && n->arena->generation() == n->generation) return const_cast<Network*>(n);
  netkit::refuse(NK_ERR_MODEL_NOT_LOADED,
                 fmt::format("{}: no network, or its arena was reset", call).c_str());
  return nullptr;
}

Network* make_network(void* storage, Arena& arena) {
  Network n{};
  n.arena = &arena;
  n.generation = arena.generation();
  n.mark = kMark;
  std::memcpy(storage, &n, sizeof n);
  return static_cast<Network*>(storage);
}

nk_status_t refuse(const Error& error, nk_status_t status) {
  const std::string& detail = error.items.empty() ? error.message : error.items[0];
  const std::string text = error.where.empty() || !error.items.empty()
                               ? detail
                               : fmt::format("{}: {}", error.where, detail);
  return netkit::refuse(status, text.c_str());
}

nk_status_t refuse_numbers(nk_status_t status, const char* format, uint64_t a, uint64_t b) {
  return netkit::refuse(status, fmt::format(fmt::runtime(format), a, b).c_str());
}

uint32_t version_of(const uint8_t* data, size_t size) {
  uint32_t version = 0;
  if (size >= 8 && std::memcmp(data, "NKIT", 4) == 0) std::memcpy(&version, data + 4, 4);
  return version;
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
    status = load_program(network, image.data(), image.size(), arena, owned->kernels);
  }
  if (status != NK_OK) return status;
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
  const nk_status_t status = load_program(network, data, size, arena);
  if (status != NK_OK) return status;
  network.results = nk_program_output_count(&network.program);
  return arch_of(executor_of(&network.program)->view(), network.arch);
}

nk_status_t load_path(Network& network, const char* path, Arena& arena) {
  if (path == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no path");
  MappedFile mapped;
  if (const char* why = mapped.open(path)) {
    return netkit::refuse(NK_ERR_MODEL_OPEN, fmt::format("{}: {}", path, why).c_str());
  }
  auto owned = std::make_unique<OwnedMapping>(std::move(mapped));
  const nk_status_t status = load_bytes(network, owned->file.data(), owned->file.size(), arena);
  // A converted model has its own copy.
  if (status == NK_OK && network.arch.version >= NK_FILE_VERSION) arena.own(owned.release());
  return status;
}

nk_status_t run(Network& network, Executor::Hook hook, void* user) {
  Executor* executor = executor_of(&network.program);
  if (executor == nullptr || !network.ready) {
    return netkit::refuse(NK_ERR_NOT_INITIALIZED, "the network has no activation buffers yet");
  }
  const nk_file_step* softmax = network.omits_softmax ? final_softmax(network) : nullptr;
  const uint32_t steps = executor->view().step_count() - (softmax == nullptr ? 0 : 1);
  const Status status = executor->run_first(steps, hook, user);
  if (status == NK_STATUS_OK) return NK_OK;
  return netkit::refuse(NK_ERR_MODEL_PARSE, nk_status_text(status));
}

nk_status_t result_of(Network& network, uint32_t index, nk_program_tensor_t& tensor) {
  const nk_status_t status = nk_program_output(&network.program, index, &tensor);
  const nk_file_step* softmax = network.omits_softmax ? final_softmax(network) : nullptr;
  if (status != NK_OK || softmax == nullptr) return status;
  tensor.data = executor_of(&network.program)->argument_data(*NkView::args(softmax));
  tensor.scale = 0.0f;  // the file does not state that of the softmax's input
  tensor.zero_point = 0;
  return NK_OK;
}

}  // namespace netkit::driver
