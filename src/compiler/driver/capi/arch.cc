// SPDX-License-Identifier: MIT
// nk_arch_info_t of layers and of a loaded program.
#include <algorithm>
#include <cstdio>
#include <cstring>
#include <string_view>

#include "compiler/driver/capi/network.h"

namespace netkit::driver {
namespace {

constexpr std::string_view kDenseKernels[] = {
    "nk_fully_connected_", "nk_softmax_", "nk_relu",      "nk_sigmoid_", "nk_tanh_",
    "nk_leaky_relu",       "nk_lut_",     "nk_piecewise_"};

size_t total_bytes(const std::vector<nk_legacy::Stored>& list) {
  size_t bytes = 0;
  for (const nk_legacy::Stored& s : list) bytes += s.bytes.size();
  return bytes;
}

size_t total_elements(const std::vector<nk_legacy::Stored>& list) {
  size_t elements = 0;
  for (const nk_legacy::Stored& s : list) elements += s.bytes.size() / (s.dtype == NK_INT8 ? 1 : 4);
  return elements;
}

// Dense layers only; unknown where the file has no names of kernels.
nk_network_kind_t kind_of(const NkView& view) {
  const nk_file_section* section = view.find_section(NK_SECTION_STEP_INFO);
  if (section == nullptr || section->count == 0) return NK_NETWORK_CNN;
  bool dense = false;
  for (uint32_t i = 0; i < section->count; ++i) {
    nk_file_step_info info;
    std::memcpy(&info, view.payload(*section) + i * sizeof info, sizeof info);
    const std::string_view name = view.string(info.kernel_name);
    const auto starts = [name](std::string_view start) { return name.starts_with(start); };
    if (std::ranges::none_of(kDenseKernels, starts)) return NK_NETWORK_CNN;
    dense = dense || name.starts_with(kDenseKernels[0]);
  }
  return dense ? NK_NETWORK_MLP : NK_NETWORK_CNN;
}

}  // namespace

nk_arch_info_t arch_of(const nk_legacy::LegacyFile& file) {
  nk_arch_info_t arch{};
  arch.version = file.version;
  arch.kind = file.is_mlp ? NK_NETWORK_MLP : NK_NETWORK_CNN;
  arch.input_rank = static_cast<uint32_t>(file.input.size());
  arch.input_elements = 1;
  for (uint32_t i = 0; i < NK_MAX_TENSOR_RANK; ++i) {
    arch.input_shape[i] = i < arch.input_rank ? static_cast<uint32_t>(file.input[i]) : 0;
    if (i < arch.input_rank) arch.input_elements *= arch.input_shape[i];
  }
  arch.num_layers = static_cast<uint32_t>(file.layers.size());
  arch.weights_bytes = total_bytes(file.weights);
  arch.biases_bytes = total_bytes(file.biases);
  arch.expected_weight_floats = total_elements(file.weights) + total_elements(file.biases);
  return arch;
}

void print_arch(const char* path, const nk_arch_info_t& arch) {
  const char* kind = arch.kind == NK_NETWORK_MLP ? "mlp" : "cnn";
  std::printf("%s: version %u, %s, %u layers, input", path, arch.version, kind, arch.num_layers);
  for (uint32_t i = 0; i < arch.input_rank; ++i) {
    std::printf(i == 0 ? " %u" : "x%u", arch.input_shape[i]);
  }
  std::printf(", %u outputs, weights %zu B, biases %zu B\n", arch.output_elements,
              arch.weights_bytes, arch.biases_bytes);
}

nk_status_t arch_of(const NkView& view, nk_arch_info_t& arch) {
  arch = {};
  arch.version = view.header().version;
  arch.kind = kind_of(view);
  arch.num_layers = view.step_count();
  if (const nk_file_section* constants = view.find_section(NK_SECTION_CONSTANTS)) {
    arch.weights_bytes = constants->bytes;
    arch.expected_weight_floats = constants->bytes / sizeof(float);
  }
  const auto elements = [](const nk_file_tensor& tensor) {
    uint32_t product = 1;
    for (const uint32_t dim : tensor.dims) product *= dim;
    return product;
  };
  for (uint32_t i = 0; i < view.input_count(); ++i) arch.input_elements += elements(view.input(i));
  for (uint32_t i = 0; i < view.output_count(); ++i) {
    arch.output_elements += elements(view.output(i));
  }
  if (view.input_count() == 0) return NK_OK;
  const nk_file_tensor& in = view.input(0);
  const uint32_t skip = in.rank == 4 && in.dims[0] == 1 ? 1 : 0;
  arch.input_rank = in.rank - skip;
  if (arch.input_rank > NK_MAX_TENSOR_RANK) {
    return refuse_numbers(NK_ERR_UNSUPPORTED_NETWORK,
                          "an input of {} axes: this interface has at most {}; use nk_program_t",
                          in.rank, NK_MAX_TENSOR_RANK);
  }
  for (uint32_t i = 0; i < arch.input_rank; ++i) arch.input_shape[i] = in.dims[i + skip];
  return NK_OK;
}

}  // namespace netkit::driver
