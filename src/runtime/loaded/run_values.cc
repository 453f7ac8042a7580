// SPDX-License-Identifier: MIT
// nk_model_run and nk_model_run_int8: values of the caller's in and out, real numbers quantised and
// dequantised on the way.
#include "netkit/model.hpp"
#include "runtime/loaded/loaded.h"

namespace netkit {
namespace {

template <typename T>
int64_t integer_at(const void* data, size_t i) {
  return static_cast<const T*>(data)[i];
}

// One element as a real number; false: no such type here.
bool real_at(const nk_program_tensor_t& t, size_t i, float& value) {
  int64_t q = 0;
  switch (t.dtype) {
    case NK_DTYPE_FLOAT32:
      value = static_cast<const float*>(t.data)[i];
      return true;
    case NK_DTYPE_INT8:
      q = integer_at<int8_t>(t.data, i);
      break;
    case NK_DTYPE_BOOL:
    case NK_DTYPE_UINT8:
      q = integer_at<uint8_t>(t.data, i);
      break;
    case NK_DTYPE_INT16:
      q = integer_at<int16_t>(t.data, i);
      break;
    case NK_DTYPE_INT32:
      q = integer_at<int32_t>(t.data, i);
      break;
    case NK_DTYPE_INT64:
      q = integer_at<int64_t>(t.data, i);
      break;
    default:
      return false;
  }
  value = t.scale != 0.0f ? t.scale * static_cast<float>(q - t.zero_point) : static_cast<float>(q);
  return true;
}

bool set_real(const nk_program_tensor_t& t, size_t i, float value) {
  if (t.dtype == NK_DTYPE_FLOAT32) {
    static_cast<float*>(t.data)[i] = value;
    return true;
  }
  ModelTensor tensor{};
  static_cast<nk_program_tensor_t&>(tensor) = t;
  if (t.scale == 0.0f) tensor.scale = 1.0f;
  switch (t.dtype) {
    case NK_DTYPE_INT8:
      tensor.as<int8_t>()[i] = static_cast<int8_t>(tensor.quantize(value, -128, 127));
      return true;
    case NK_DTYPE_UINT8:
      tensor.as<uint8_t>()[i] = static_cast<uint8_t>(tensor.quantize(value, 0, 255));
      return true;
    case NK_DTYPE_INT16:
      tensor.as<int16_t>()[i] = static_cast<int16_t>(tensor.quantize(value, -32768, 32767));
      return true;
    default:
      return false;
  }
}

bool take(const nk_program_tensor_t& t, size_t i, const float* from) {
  return set_real(t, i, *from);
}
bool take(const nk_program_tensor_t& t, size_t i, const int8_t* from) {
  if (t.dtype == NK_DTYPE_INT8) static_cast<int8_t*>(t.data)[i] = *from;
  return t.dtype == NK_DTYPE_INT8;
}
bool give(const nk_program_tensor_t& t, size_t i, float* to) {
  return real_at(t, i, *to);
}
bool give(const nk_program_tensor_t& t, size_t i, int8_t* to) {
  if (t.dtype == NK_DTYPE_INT8) *to = static_cast<const int8_t*>(t.data)[i];
  return t.dtype == NK_DTYPE_INT8;
}

nk_status_t wrong_input() {
  return refuse(NK_ERR_INVALID_ARGUMENT,
                "an input of the model has a type that this call does not convert; "
                "use nk_program_t");
}
nk_status_t wrong_output() {
  return refuse(NK_ERR_INVALID_ARGUMENT,
                "an output of the model has a type that this call does not convert; "
                "use nk_program_t");
}

template <typename T>
nk_status_t run_values(Loaded& n, const T* input, uint32_t input_count, T* output,
                       uint32_t capacity, uint32_t* output_count) {
  if (output_count != nullptr) *output_count = n.arch.output_elements;
  if (input == nullptr || output == nullptr) {
    return refuse(NK_ERR_INVALID_ARGUMENT, "nk_model_run: the input or the output is NULL");
  }
  if (input_count != n.arch.input_elements) {
    return refuse_numbers(NK_ERR_INVALID_ARGUMENT, "{} input values given, the model has {}",
                          input_count, n.arch.input_elements);
  }
  if (capacity < n.arch.output_elements) {
    return refuse_numbers(NK_ERR_BUFFER_TOO_SMALL, "room for {} outputs, the model has {}",
                          capacity, n.arch.output_elements);
  }
  nk_program_tensor_t tensor;
  for (uint32_t i = 0; nk_program_input(&n.program, i, &tensor) == NK_OK; ++i) {
    for (size_t k = 0; k < tensor.elements; ++k) {
      if (!take(tensor, k, input++)) return wrong_input();
    }
  }
  if (const nk_status_t status = run_loaded(n); status != NK_OK) return status;
  for (uint32_t i = 0; i < n.results; ++i) {
    result_of(n, i, tensor);
    const bool has_scale = tensor.dtype == NK_DTYPE_FLOAT32 || tensor.scale != 0.0f;
    if (n.omits_softmax && !has_scale && sizeof(T) != 1) {
      return refuse(NK_ERR_INVALID_ARGUMENT,
                    "without its softmax an int8 model gives int8: nk_model_run_int8");
    }
    for (size_t k = 0; k < tensor.elements; ++k) {
      if (!give(tensor, k, output++)) return wrong_output();
    }
  }
  return NK_OK;
}

}  // namespace

nk_status_t run_model(Loaded& loaded, const float* input, uint32_t input_count, float* output,
                      uint32_t capacity, uint32_t* output_count) {
  return run_values(loaded, input, input_count, output, capacity, output_count);
}
nk_status_t run_model(Loaded& loaded, const int8_t* input, uint32_t input_count, int8_t* output,
                      uint32_t capacity, uint32_t* output_count) {
  return run_values(loaded, input, input_count, output, capacity, output_count);
}

}  // namespace netkit
