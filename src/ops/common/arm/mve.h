/* SPDX-License-Identifier: MIT */
/* Whether kernels may use Helium (Arm's MVE for integers: Cortex-M55, M85), and what its rows
 * share. Every function has its meaning in plain C beside it, which all other machines run: same
 * results everywhere. Source: Armv8.1-M Architecture Reference Manual. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_ARM_MVE_H
#define NETKIT_OPS_COMMON_ARM_MVE_H

#include <stdint.h>
#include <string.h>

#include "ops/common/arm/dsp_requantize.h"

/* NETKIT_PLAIN_C, defined by the user, keeps intrinsics and assembly out; so does a compiler that
 * does not optimise, which would leave too few registers. */
#if defined(__ARM_FEATURE_MVE) && defined(__OPTIMIZE__) && !defined(NETKIT_PLAIN_C)
#include <arm_mve.h>
#define NK_HAS_MVE 1
#else
#define NK_HAS_MVE 0
#endif

#define NK_MVE_BYTES 16 /* of a vector */

/* Scales and limits of an output, beside the table of channels. */
typedef struct nk_mve_output {
  int32_t offset, lo, hi; /* lo and hi within int8 */
} nk_mve_output;

static inline NK_MAYBE_UNUSED nk_mve_output nk_mve_output_of(int32_t offset, int32_t act_min,
                                                             int32_t act_max) {
  nk_mve_output out;
  out.offset = offset;
  out.lo = act_min < INT8_MIN ? INT8_MIN : act_min;
  out.hi = act_max > INT8_MAX ? INT8_MAX : act_max;
  return out;
}

/* `count` (0 or more) rounded up to whole vectors of bytes. */
static inline int32_t nk_mve_whole(int32_t count) {
  return (count + NK_MVE_BYTES - 1) & ~(NK_MVE_BYTES - 1);
}

/* count: 0 or more; the places do not overlap. */
static inline void nk_mve_copy(int8_t* to, const int8_t* from, int32_t count) {
#if NK_HAS_MVE
  __asm__ volatile(
      "wlstp.8 lr, %[count], 2f\n"
      "1: vldrb.8 q0, [%[from]], #16\n"
      "vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 1b\n"
      "2:\n"
      : [to] "+r"(to), [from] "+r"(from)
      : [count] "r"(count)
      : "lr", "q0", "cc", "memory");
#else
  memcpy(to, from, (size_t)count);
#endif
}

static inline void nk_mve_fill(int8_t* to, int32_t value, int32_t count) {
#if NK_HAS_MVE
  __asm__ volatile(
      "vdup.8 q0, %[value]\n"
      "wlstp.8 lr, %[count], 2f\n"
      "1: vstrb.8 q0, [%[to]], #16\n"
      "letp lr, 1b\n"
      "2:\n"
      : [to] "+r"(to)
      : [value] "r"(value), [count] "r"(count)
      : "lr", "q0", "cc", "memory");
#else
  memset(to, value, (size_t)count);
#endif
}

#endif
