/* SPDX-License-Identifier: MIT */
/* The one loop of all elementwise kernels of one tensor. */
#ifndef NETKIT_OPS_UNARY_UNARY_LOOP_H
#define NETKIT_OPS_UNARY_UNARY_LOOP_H

#include "ops/unary/unary.h"

/* Body of a kernel: out[i] = expression of x (of type `from`) and p (the parameters). Runs from low
 * to high, so that the output may take the input's place. */
#define NK_UNARY_LOOP(from, to, expression)                     \
  const nk_unary_params* p = (const nk_unary_params*)params;    \
  const from* source = (const from*)in[0];                      \
  to* target = (to*)out[0];                                     \
  int32_t i;                                                    \
  (void)scratch;                                                \
  for (i = 0; i < p->count; ++i) {                              \
    const from x = source[i];                                   \
    target[i] = (to)(expression);                               \
  }

#endif
