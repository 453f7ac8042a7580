// SPDX-License-Identifier: MIT
// nk_arch_info_t of a file of version 5.
#include "runtime/loaded/loaded.h"

namespace netkit {
namespace {

// Kernels of networks of dense layers only; the first is the dense layer's.
constexpr const char* kDenseKernels[] = {
    "nk_fully_connected_", "nk_softmax_", "nk_relu",      "nk_sigmoid_", "nk_tanh_",
    "nk_leaky_relu",       "nk_lut_",     "nk_piecewise_"};

bool starts_with(const char* name, const char* start) {
  while (*start != '\0' && *name == *start) ++name, ++start;
  return *start == '\0';
}

// Dense layers only; unknown where the file has no names of kernels.
nk_network_kind_t kind_of(const NkView& view) {
  const nk_file_section* section = view.find_section(NK_SECTION_STEP_INFO);
  if (section == nullptr || section->count == 0) return NK_NETWORK_CNN;
  bool dense = false;
  for (uint32_t i = 0; i < section->count; ++i) {
    nk_file_step_info info;
    __builtin_memcpy(&info, view.payload(*section) + i * sizeof info, sizeof info);
    const char* name = view.string(info.kernel_name);
    bool known = false;
    for (const char* start : kDenseKernels) known = known || starts_with(name, start);
    if (!known) return NK_NETWORK_CNN;
    dense = dense || starts_with(name, kDenseKernels[0]);
  }
  return dense ? NK_NETWORK_MLP : NK_NETWORK_CNN;
}

uint32_t elements(const nk_file_tensor& tensor) {
  uint32_t product = 1;
  for (const uint32_t dim : tensor.dims) product *= dim;
  return product;
}

}  // namespace

nk_status_t arch_of(const NkView& view, nk_arch_info_t& arch) {
  arch = {};
  arch.version = view.header().version;
  arch.kind = kind_of(view);
  arch.num_layers = view.step_count();
  if (const nk_file_section* constants = view.find_section(NK_SECTION_CONSTANTS)) {
    arch.weights_bytes = constants->bytes;
    arch.expected_weight_floats = weight_elements(view);
  }
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

}  // namespace netkit
