// SPDX-License-Identifier: MIT
// Tensors on stdout, a row of the last axis per line.
#include <cstdio>

#include "netkit.h"
#include "netkit/tensor_factory.hpp"

namespace {

void print_element(const nk_tensor_t& t, uint32_t i) {
  switch (t.dtype) {
    case NK_DTYPE_FLOAT32:
      std::printf("%g", static_cast<double>(static_cast<const float*>(t.data)[i]));
      break;
    case NK_DTYPE_INT8:
      std::printf("%d", static_cast<const int8_t*>(t.data)[i]);
      break;
    case NK_DTYPE_UINT8:
      std::printf("%d", static_cast<const uint8_t*>(t.data)[i]);
      break;
    case NK_DTYPE_INT16:
      std::printf("%d", static_cast<const int16_t*>(t.data)[i]);
      break;
    case NK_DTYPE_INT32:
      std::printf("%d", static_cast<const int32_t*>(t.data)[i]);
      break;
    default:
      std::printf("?");
      break;
  }
}

}  // namespace

extern "C" {

void nk_tensor_print(const nk_tensor_t* tensor) {
  if (!tensor || !tensor->data || tensor->rank < 1 || tensor->rank > NK_MAX_TENSOR_RANK) {
    std::printf("(no tensor)\n");
    return;
  }
  const uint32_t row = tensor->shape[tensor->rank - 1];
  for (uint32_t i = 0; i < tensor->num_elements; ++i) {
    print_element(*tensor, i);
    std::printf("%s", row != 0 && (i + 1) % row == 0 ? "\n" : " ");
  }
}

void nk_tensor_print_labeled(const char* label, const nk_tensor_t* tensor) {
  std::printf("%s", label ? label : "");
  for (uint32_t i = 0; tensor && i < tensor->rank && i < NK_MAX_TENSOR_RANK; ++i) {
    std::printf("%s%u", i == 0 ? " [" : "x", tensor->shape[i]);
  }
  std::printf("%s\n", tensor && tensor->rank != 0 ? "]" : "");
  nk_tensor_print(tensor);
}

}  // extern "C"

namespace netkit::TensorFactory {

void Print(const Tensor& t) {
  const nk_tensor_t tensor = to_c(t);
  nk_tensor_print(&tensor);
}

void PrintLabeled(const char* label, const Tensor& t, std::uint32_t max_values) {
  nk_tensor_t tensor = to_c(t);
  if (max_values == 0 || max_values >= t.num_elements) {
    nk_tensor_print_labeled(label, &tensor);
    return;
  }
  tensor.rank = 1;
  tensor.shape[0] = tensor.num_elements = max_values;
  std::printf("%s: the first %u of %u\n", label ? label : "", max_values, t.num_elements);
  nk_tensor_print(&tensor);
}

}  // namespace netkit::TensorFactory
