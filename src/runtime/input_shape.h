// SPDX-License-Identifier: MIT
// Does a tensor of the caller's have the shape that a network takes?
#pragma once

#include "netkit.h"
#include "runtime/capi/last_error.h"

namespace netkit {

// Row-major without gaps; the stride of an axis of one element counts for nothing.
inline bool is_dense(const nk_tensor_t& t) {
  uint64_t stride = 1;
  for (uint32_t i = t.rank <= NK_MAX_TENSOR_RANK ? t.rank : 0; i-- > 0;) {
    if (t.shape[i] > 1 && t.stride[i] != stride) return false;
    stride *= t.shape[i];
  }
  return true;
}

// Checks `input` against `rank` sizes; axes of one element in front count for nothing on either
// side, so that [1, h, w, c] is [h, w, c] and [1, n] is [n]. Errors: NK_ERR_INVALID_ARGUMENT, with
// both shapes in the text.
inline nk_status_t check_shape(const nk_tensor_t& input, const uint32_t* sizes, uint32_t rank) {
  const uint32_t given_rank = input.rank <= NK_MAX_TENSOR_RANK ? input.rank : 0;
  uint32_t i = 0, k = 0;
  while (i < given_rank && input.shape[i] == 1) ++i;
  while (k < rank && sizes[k] == 1) ++k;
  bool same = given_rank > 0 && given_rank - i == rank - k;
  for (; same && k < rank; ++i, ++k) same = input.shape[i] == sizes[k];
  if (!same) {
    return refuse_shapes(NK_ERR_INVALID_ARGUMENT, "the input tensor is {}, the network takes {}",
                         {input.shape, given_rank}, {sizes, rank});
  }
  if (is_dense(input)) return NK_OK;
  return refuse_shapes(NK_ERR_INVALID_ARGUMENT,
                       "the input tensor {} has strides {}: copy it into a row-major one",
                       {input.shape, given_rank}, {input.stride, given_rank});
}

}  // namespace netkit
