/* SPDX-License-Identifier: MIT */
/* The instructions of Arm's DSP extension (Cortex-M4, M7, M33) that kernels are written in, each
 * with its meaning in plain C, which all other machines run: same results everywhere.
 * Source: Arm Architecture Reference Manual, ARMv7E-M. A "pair" is two int16 in one word, the first
 * in the low half. C99 and C++. */
#ifndef NETKIT_OPS_COMMON_ARM_DSP_H
#define NETKIT_OPS_COMMON_ARM_DSP_H

#include <stdint.h>
#include <string.h>

#include "ops/common/kernel.h"

/* NETKIT_PLAIN_C, defined by the user, keeps assembly out; so does a compiler that does not
 * optimise, whose frame pointer would leave too few registers. */
#if defined(__ARM_FEATURE_DSP) && defined(__thumb2__) && defined(__OPTIMIZE__) && \
    !defined(NETKIT_PLAIN_C)
#define NK_HAS_DSP 1
#else
#define NK_HAS_DSP 0
#endif

/* Cores whose instructions reach eight registers keep little in them. */
#if defined(__ARM_ARCH_6M__)
#define NK_FEW_REGISTERS 1
#define NK_APART_IF_FEW NK_APART
#else
#define NK_FEW_REGISTERS 0
#define NK_APART_IF_FEW inline
#endif

/* What only the plain half of a function calls. */
#if defined(__GNUC__)
#define NK_MAYBE_UNUSED __attribute__((unused))
#else
#define NK_MAYBE_UNUSED
#endif

/* Sums of four outputs. */
typedef struct nk_dsp_sums {
  int32_t a0, a1, a2, a3;
} nk_dsp_sums;

static inline NK_MAYBE_UNUSED int32_t nk_low_half(int32_t pair) {
  return (int16_t)(uint16_t)(uint32_t)pair;
}
static inline NK_MAYBE_UNUSED int32_t nk_high_half(int32_t pair) {
  return (int16_t)(uint16_t)((uint32_t)pair >> 16);
}

/* Any address; little-endian. */
static inline NK_MAYBE_UNUSED int32_t nk_load_word(const void* from) {
  int32_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

/* acc + a.low * b.low + a.high * b.high, modulo 2^32. */
static inline NK_MAYBE_UNUSED int32_t nk_smlad(int32_t a, int32_t b, int32_t acc) {
#if NK_HAS_DSP
  int32_t sum;
  __asm__("smlad %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(acc));
  return sum;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(nk_low_half(a) * nk_low_half(b)) +
                   (uint32_t)(nk_high_half(a) * nk_high_half(b)));
#endif
}

/* acc + a.low * b.high + a.high * b.low, modulo 2^32. */
static inline NK_MAYBE_UNUSED int32_t nk_smladx(int32_t a, int32_t b, int32_t acc) {
#if NK_HAS_DSP
  int32_t sum;
  __asm__("smladx %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(acc));
  return sum;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(nk_low_half(a) * nk_high_half(b)) +
                   (uint32_t)(nk_high_half(a) * nk_low_half(b)));
#endif
}

/* acc + one half of a times one half of b, modulo 2^32. */
static inline NK_MAYBE_UNUSED int32_t nk_smlabb(int32_t a, int32_t b, int32_t acc) {
#if NK_HAS_DSP
  int32_t sum;
  __asm__("smlabb %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(acc));
  return sum;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(nk_low_half(a) * nk_low_half(b)));
#endif
}
static inline NK_MAYBE_UNUSED int32_t nk_smlatb(int32_t a, int32_t b, int32_t acc) {
#if NK_HAS_DSP
  int32_t sum;
  __asm__("smlatb %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(acc));
  return sum;
#else
  return (int32_t)((uint32_t)acc + (uint32_t)(nk_high_half(a) * nk_low_half(b)));
#endif
}

/* Bytes 0 and 2 (1 and 3) of a word, sign-extended, as a pair. */
static inline NK_MAYBE_UNUSED int32_t nk_even_bytes(int32_t word) {
#if NK_HAS_DSP
  int32_t pair;
  __asm__("sxtb16 %0, %1" : "=r"(pair) : "r"(word));
  return pair;
#else
  const uint32_t low = (uint32_t)(int32_t)(int8_t)(uint8_t)(uint32_t)word & 0xFFFFu;
  const uint32_t high = (uint32_t)(int32_t)(int8_t)(uint8_t)((uint32_t)word >> 16);
  return (int32_t)(low | high << 16);
#endif
}
static inline NK_MAYBE_UNUSED int32_t nk_odd_bytes(int32_t word) {
#if NK_HAS_DSP
  int32_t pair;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
  return pair;
#else
  return nk_even_bytes((int32_t)((uint32_t)word >> 8));
#endif
}

/* acc + round(a * b / 2^32), ties upward, modulo 2^32. */
static inline NK_MAYBE_UNUSED int32_t nk_smmlar(int32_t a, int32_t b, int32_t acc) {
#if NK_HAS_DSP
  int32_t sum;
  __asm__("smmlar %0, %1, %2, %3" : "=r"(sum) : "r"(a), "r"(b), "r"(acc));
  return sum;
#elif NK_FEW_REGISTERS /* and no long product: four short ones; b is 0 or more */
  const uint32_t al = (uint32_t)a & 0xFFFFu, bl = (uint32_t)b & 0xFFFFu;
  const int32_t ah = a >> 16, bh = b >> 16;
  const uint32_t middle = (uint32_t)ah * bl + (al * bl >> 16);
  const uint32_t low = (uint32_t)bh * al + (middle & 0xFFFFu) + 0x8000u;
  return (int32_t)((uint32_t)acc + (uint32_t)(ah * bh) + (uint32_t)((int32_t)middle >> 16) +
                   (low >> 16));
#else
  const int64_t product = (int64_t)a * b;
  return (int32_t)((uint32_t)acc + (uint32_t)(int32_t)(product >> 32) + ((uint32_t)product >> 31));
#endif
}

/* x clamped to int8. */
static inline NK_MAYBE_UNUSED int32_t nk_ssat8(int32_t x) {
#if NK_HAS_DSP
  int32_t clamped;
  __asm__("ssat %0, #8, %1" : "=r"(clamped) : "r"(x));
  return clamped;
#else
  return x < -128 ? -128 : (x > 127 ? 127 : x);
#endif
}

#endif
