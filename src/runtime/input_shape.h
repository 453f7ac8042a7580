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

// Checks `input` against `rank` sizes. Axes of one element count for nothing, and neighbouring axes
// may be one: [1, h, w, c], [h, w, c] and [h * w, c] lie alike, [c, h, w] does not. Errors:
// NK_ERR_INVALID_ARGUMENT, with both shapes in the text.
inline nk_status_t check_shape(const nk_tensor_t& input, const uint32_t* sizes, uint32_t rank) {
  const uint32_t given_rank = input.rank <= NK_MAX_TENSOR_RANK ? input.rank : 0;
  uint32_t k = 0;
  bool same = given_rank > 0;
  for (uint32_t i = 0; same && i < given_rank; ++i) {
    uint64_t joined = 1;
    while (k < rank && joined < input.shape[i]) joined *= sizes[k++];
    same = joined == input.shape[i];
  }
  for (; same && k < rank; ++k) same = sizes[k] == 1;
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
