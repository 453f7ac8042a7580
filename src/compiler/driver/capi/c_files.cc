// SPDX-License-Identifier: MIT
// What a model file is and needs, without keeping it loaded.
#include <fmt/format.h>

#include <vector>

#include "compiler/driver/capi/network.h"
#include "runtime/capi/c_status.h"
#include "runtime/host/mapped_file.h"
#include "runtime/loaded/read_file.h"

using namespace netkit;
using namespace netkit::driver;

namespace {

nk_status_t legacy_arch(std::span<const std::byte> bytes, nk_arch_info_t& info) {
  const auto file = nk_legacy::read_legacy(bytes);
  if (!file) return refuse(file.error(), NK_ERR_MODEL_PARSE);
  const auto graph = nk_legacy::to_foreign(*file);
  if (!graph) return refuse(graph.error(), NK_ERR_LAYER_CONFIG);
  info = arch_of(*file);
  const Dims& out = graph->tensors[static_cast<size_t>(graph->outputs[0])].type.dims;
  info.output_elements = static_cast<uint32_t>(element_count(out).value_or(0));
  return NK_OK;
}

nk_status_t parse(const uint8_t* data, size_t size, nk_arch_info_t& info) {
  const uint32_t version = version_of(data, size);
  if (version == 3 || version == 4) {
    return legacy_arch({reinterpret_cast<const std::byte*>(data), size}, info);
  }
  NkView view;
  Fault fault = view.open(data, size);
  if (fault.ok()) fault = view.verify_structure(all_kernels());
  if (fault.ok()) return arch_of(view, info);
  return netkit::refuse(public_status(fault.code()), nk_status_text(fault.status));
}

// The arena of a file, its alignment included.
nk_status_t need_of(const uint8_t* data, size_t size, size_t& bytes) {
  const uint32_t version = version_of(data, size);
  AlignedBlock image;
  size_t alignment = 1;
  const void* file = data;
  if (version == 3 || version == 4) {
    auto legacy = nk_legacy::read_legacy({reinterpret_cast<const std::byte*>(data), size});
    if (!legacy) return refuse(legacy.error(), NK_ERR_MODEL_PARSE);
    legacy->taps_are_outputs = true;
    const nk_status_t status = convert(*legacy, image, NK_ERR_LAYER_CONFIG);
    if (status != NK_OK) return status;
    file = image.data();
    size = image.size();
  }
  const nk_status_t status = nk_program_need(file, size, &bytes, &alignment);
  if (status != NK_OK) return netkit::refuse(status, nk_status_string(status));
  bytes += alignment - 1;
#ifndef NETKIT_USE_MMAP
  if (version >= NK_FILE_VERSION) bytes += size + kFileAlignment - 1;  // the file stands in it too
#endif
  return NK_OK;
}

template <typename Work>
nk_status_t with_file(const char* path, const Work& work) {
  return guarded([&] {
    MappedFile file;
    if (path == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "no path");
    if (const char* why = file.open(path)) {
      return netkit::refuse(NK_ERR_MODEL_OPEN, fmt::format("{}: {}", path, why).c_str());
    }
    return work(file.data(), file.size());
  });
}

// After the load: a run on zeros, and what the arena holds.
nk_status_t measure(nk_arena_t* arena, const nk_model_t& model, nk_inspect_info_t& info) {
  nk_model_get_arch(&model, &info.arch);
  info.weight_floats = info.arch.expected_weight_floats;
  info.flash_payload_bytes = constants_bytes(*loaded_of(&model));
  info.arena_bytes_after_load = nk_arena_used(arena);
  const std::vector<float> zeros(info.arch.input_elements, 0.0f);
  std::vector<float> outputs(info.arch.output_elements);
  const nk_status_t status = nk_model_run(&model, arena, zeros.data(), info.arch.input_elements,
                                          outputs.data(), info.arch.output_elements, nullptr);
  info.arena_bytes_after_forward = nk_arena_used(arena);
  info.arena_remaining = nk_arena_remaining(arena);
  return status;
}

}  // namespace

extern "C" {

nk_status_t nk_parse_architecture_memory(const uint8_t* data, size_t size, nk_arch_info_t* info) {
  if (data == nullptr || info == nullptr) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_parse_architecture: no data or no info");
  }
  return guarded([&] { return parse(data, size, *info); });
}

nk_status_t nk_parse_architecture(const char* nk_path, nk_arch_info_t* info) {
  return with_file(nk_path, [&](const uint8_t* data, size_t size) {
    return nk_parse_architecture_memory(data, size, info);
  });
}

nk_status_t nk_arch_print(const char* nk_path) {
  nk_arch_info_t a;
  const nk_status_t status = nk_parse_architecture(nk_path, &a);
  if (status != NK_OK) return status;
  print_arch(nk_path, a);
  return NK_OK;
}

size_t nk_recommended_arena_bytes(const char* nk_path) {
  size_t bytes = 0;
  const nk_status_t status = with_file(
      nk_path, [&](const uint8_t* data, size_t size) { return need_of(data, size, bytes); });
  return status == NK_OK ? bytes : 0;
}

nk_status_t nk_inspect_model(const char* nk_path, nk_arena_t* arena, nk_inspect_info_t* info) {
  if (info == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_inspect_model: no info");
  nk_model_t model;
  nk_arena_reset(arena);
  const nk_status_t status = nk_model_load(nk_path, arena, &model);
  return status == NK_OK ? guarded([&] { return measure(arena, model, *info); }) : status;
}

nk_status_t nk_inspect_model_memory(const uint8_t* data, size_t size, nk_arena_t* arena,
                                    nk_inspect_info_t* info) {
  if (info == nullptr) return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_inspect_model: no info");
  nk_model_t model;
  nk_arena_reset(arena);
  const nk_status_t status = nk_model_load_memory(data, size, arena, &model);
  return status == NK_OK ? guarded([&] { return measure(arena, model, *info); }) : status;
}

}  // extern "C"
