// SPDX-License-Identifier: MIT
// nk_tensor_t: views, elements in an arena, typed access.
#include "netkit.h"
#include "netkit/tensor_factory.hpp"
#include "runtime/capi/c_arena.h"
#include "runtime/capi/last_error.h"

namespace {

// false: rank or sizes are out of range.
bool describe(nk_tensor_t* out, void* data, nk_dtype_t dtype, uint32_t rank,
              const uint32_t* shape) {
  const bool sized = rank >= 1 && rank <= NK_MAX_TENSOR_RANK;
  const auto type = static_cast<netkit::DataType>(dtype);
  *out = netkit::to_c(
      netkit::TensorFactory::View(data, type, sized ? rank : 0, {shape, sized ? rank : 0}));
  return out->rank != 0;
}

void* data_if(const nk_tensor_t* tensor, nk_dtype_t dtype) {
  return tensor && tensor->dtype == dtype ? tensor->data : nullptr;
}

}  // namespace

extern "C" {

nk_status_t nk_tensor_create_nd(nk_arena_t* arena, uint32_t rank, const uint32_t* shape,
                                nk_tensor_t* out) {
  const bool no_arena = netkit::state_of(arena) == nullptr;
  if (no_arena || !shape || !out) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT,
                          !out     ? "nk_tensor_create: no tensor to fill, out is NULL"
                          : !shape ? "nk_tensor_create: no shape"
                          : arena  ? "nk_tensor_create: the arena was never initialised"
                                   : "nk_tensor_create: no arena");
  }
  if (!describe(out, nullptr, NK_DTYPE_FLOAT32, rank, shape)) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_tensor_create: rank or shape out of range");
  }
  out->data = nk_arena_alloc(arena, out->bytes, alignof(float));
  if (out->data) return NK_OK;
  return netkit::refuse(NK_ERR_ARENA_OVERFLOW, "nk_tensor_create: the arena is full");
}

nk_status_t nk_tensor_create_2d(nk_arena_t* arena, uint32_t rows, uint32_t cols, nk_tensor_t* out) {
  const uint32_t shape[] = {rows, cols};
  return nk_tensor_create_nd(arena, 2, shape, out);
}

void nk_tensor_view_2d(float* data, uint32_t rows, uint32_t cols, nk_tensor_t* out) {
  const uint32_t shape[] = {rows, cols};
  if (out) describe(out, data, NK_DTYPE_FLOAT32, 2, shape);
}

void nk_tensor_view_2d_int8(int8_t* data, uint32_t rows, uint32_t cols, nk_tensor_t* out) {
  const uint32_t shape[] = {rows, cols};
  if (out) describe(out, data, NK_DTYPE_INT8, 2, shape);
}

void nk_tensor_view_3d_int8(int8_t* data, uint32_t h, uint32_t w, uint32_t c, nk_tensor_t* out) {
  const uint32_t shape[] = {h, w, c};
  if (out) describe(out, data, NK_DTYPE_INT8, 3, shape);
}

void nk_tensor_view_1d_int32(int32_t* data, uint32_t length, nk_tensor_t* out) {
  if (out) describe(out, data, NK_DTYPE_INT32, 1, &length);
}

nk_status_t nk_tensor_fill(nk_tensor_t* tensor, const float* values, uint32_t count) {
  float* to = nk_tensor_data_f32(tensor);
  if (!to || (!values && count != 0)) {
    return netkit::refuse(NK_ERR_INVALID_ARGUMENT, "nk_tensor_fill: not a float32 tensor");
  }
  if (count > tensor->num_elements) {
    return netkit::refuse(NK_ERR_BUFFER_TOO_SMALL, "nk_tensor_fill: more values than elements");
  }
  for (uint32_t i = 0; i < count; ++i) to[i] = values[i];
  return NK_OK;
}

float* nk_tensor_data_f32(nk_tensor_t* tensor) {
  return static_cast<float*>(data_if(tensor, NK_DTYPE_FLOAT32));
}
const float* nk_tensor_data_f32_const(const nk_tensor_t* tensor) {
  return static_cast<const float*>(data_if(tensor, NK_DTYPE_FLOAT32));
}
int8_t* nk_tensor_data_i8(nk_tensor_t* tensor) {
  return static_cast<int8_t*>(data_if(tensor, NK_DTYPE_INT8));
}
const int8_t* nk_tensor_data_i8_const(const nk_tensor_t* tensor) {
  return static_cast<const int8_t*>(data_if(tensor, NK_DTYPE_INT8));
}
int32_t* nk_tensor_data_i32(nk_tensor_t* tensor) {
  return static_cast<int32_t*>(data_if(tensor, NK_DTYPE_INT32));
}
const int32_t* nk_tensor_data_i32_const(const nk_tensor_t* tensor) {
  return static_cast<const int32_t*>(data_if(tensor, NK_DTYPE_INT32));
}

uint32_t nk_tensor_index_nhwc(const nk_tensor_t* tensor, uint32_t h, uint32_t w, uint32_t c) {
  if (!tensor || tensor->rank != 3) return 0;
  return h * tensor->stride[0] + w * tensor->stride[1] + c * tensor->stride[2];
}

// NaN is the one value that differs from itself.
uint32_t nk_argmax_f32(const float* values, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 0; values && i < count; ++i) {
    if (values[i] != values[i]) return i;
    best = values[i] > values[best] ? i : best;
  }
  return best;
}

uint32_t nk_argmax_i8(const int8_t* values, uint32_t count) {
  uint32_t best = 0;
  for (uint32_t i = 1; values && i < count; ++i) best = values[i] > values[best] ? i : best;
  return best;
}

}  // extern "C"
