/* SPDX-License-Identifier: MIT */
/* The one broadcast loop of all elementwise kernels of two tensors. */
#ifndef NETKIT_OPS_BINARY_BINARY_LOOP_H
#define NETKIT_OPS_BINARY_BINARY_LOOP_H

#include "ops/binary/binary.h"
#include "ops/common/nd_walk.h"

/* Body of a kernel: out = expression of a and b (of type `from`) and p (the parameters). The output
 * is written from low to high, an input of the full shape is read in the same order. */
#define NK_BINARY_LOOP(from, to, expression)                                           \
  const nk_binary_params* p = (const nk_binary_params*)params;                         \
  const from* a_data = (const from*)in[0];                                             \
  const from* b_data = (const from*)in[1];                                             \
  to* target = (to*)out[0];                                                            \
  const int32_t* strides[2];                                                           \
  int32_t index[NK_ND_DIMS] = {0};                                                     \
  int32_t offsets[2] = {0, 0};                                                         \
  const int32_t last = p->rank - 1;                                                    \
  const int32_t n = p->dims[last], sa = p->a_strides[last], sb = p->b_strides[last];   \
  (void)scratch;                                                                       \
  strides[0] = p->a_strides;                                                           \
  strides[1] = p->b_strides;                                                           \
  if (nk_nd_empty(p->dims, p->rank)) return;                                           \
  do {                                                                                 \
    const from* pa = a_data + offsets[0];                                              \
    const from* pb = b_data + offsets[1];                                              \
    int32_t i;                                                                         \
    for (i = 0; i < n; ++i) {                                                          \
      const from a = pa[i * sa];                                                       \
      const from b = pb[i * sb];                                                       \
      *target++ = (to)(expression);                                                    \
    }                                                                                  \
  } while (nk_nd_next(index, p->dims, last, strides, offsets, 2));

#endif
