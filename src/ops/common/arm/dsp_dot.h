/* SPDX-License-Identifier: MIT */
/* Sums of products of the DSP rows (conv2d, fully_connected).
 *
 * Layout pairs2: output channels c and c + 1 (an absent last one counts as zeros) share a word for
 * every two products. Products are counted in fours, k to k + 3, zeros behind the last; words are
 * (k, k + 2), (k + 1, k + 3), as nk_even_bytes and nk_odd_bytes give inputs. A half is
 * 256 * weight[c + 1] + weight[c]: its low byte, sign-extended, is weight[c]. A sum over whole
 * halves is 256 * s[c + 1] + s[c] modulo 2^32, so that s[c + 1] = (sum - s[c]) / 256 as long as it
 * is within 2^23: weights of a channel add up to at most NK_NARROW_SUM in magnitude, and none is
 * -128 (nk_weighted.narrow_weights says so). This saves every other unpacking. */
#ifndef NETKIT_OPS_COMMON_ARM_DSP_DOT_H
#define NETKIT_OPS_COMMON_ARM_DSP_DOT_H

#include <stddef.h>

#include "ops/common/arm/dsp.h"

/* Two products of two channels and four pixels; `load` brings the word of weights. */
#define NK_DSP_DOT_TWO(load) \
  load "\n" \
  "ldrd %[first], %[second], [%[x]]\n" \
  "smlad %[b0], %[word], %[first], %[b0]\n" \
  "smlad %[b1], %[word], %[second], %[b1]\n" \
  "ldrd %[first], %[second], [%[x], #8]\n" \
  "smlad %[b2], %[word], %[first], %[b2]\n" \
  "smlad %[b3], %[word], %[second], %[b3]\n" \
  "sxtb16 %[word], %[word]\n" \
  "smlad %[l2], %[word], %[first], %[l2]\n" \
  "smlad %[l3], %[word], %[second], %[l3]\n" \
  "ldrd %[first], %[second], [%[x]], #16\n" \
  "smlad %[l0], %[word], %[first], %[l0]\n" \
  "smlad %[l1], %[word], %[second], %[l1]\n"

#define NK_DSP_DOT_FOUR                      \
  NK_DSP_DOT_TWO("ldr %[word], [%[w]], #8") \
  NK_DSP_DOT_TWO("ldr %[word], [%[w], #-4]")

/* Adds the products of two channels and four pixels: low of channel c, both as above. x holds, for
 * each word of w, those of the four pixels, up to `end` (a multiple of 8 words, 1 or more; aligned
 * to 8 bytes). Returns the end of w. */
static inline const int32_t* nk_dsp_dot_2x4(const int32_t* w, const int32_t* x,
                                            const int32_t* end, nk_dsp_sums* low,
                                            nk_dsp_sums* both) {
#if NK_HAS_DSP
  int32_t l0 = low->a0, l1 = low->a1, l2 = low->a2, l3 = low->a3;
  int32_t b0 = both->a0, b1 = both->a1, b2 = both->a2, b3 = both->a3;
  int32_t word, first, second;
  __asm__ volatile(
      /* Two fours to a turn; an odd count begins with the second. */
      "ldr %[word], %[end]\n"
      "sub %[word], %[word], %[x]\n"
      "lsls %[word], %[word], #26\n"
      "bmi 2f\n"
      "1:\n" NK_DSP_DOT_FOUR
      "2:\n" NK_DSP_DOT_FOUR
      "ldr %[word], %[end]\n"
      "cmp %[x], %[word]\n"
      "bne 1b\n"
      : [w] "+r"(w), [x] "+r"(x), [l0] "+r"(l0), [l1] "+r"(l1), [l2] "+r"(l2), [l3] "+r"(l3),
        [b0] "+r"(b0), [b1] "+r"(b1), [b2] "+r"(b2), [b3] "+r"(b3), [word] "=&r"(word),
        [first] "=&r"(first), [second] "=&r"(second)
      : [end] "m"(end)
      : "cc", "memory");
  low->a0 = l0, low->a1 = l1, low->a2 = l2, low->a3 = l3;
  both->a0 = b0, both->a1 = b1, both->a2 = b2, both->a3 = b3;
#else
  for (; x != end; x += 4) {
    const int32_t word = *w++, even = nk_even_bytes(word);
    low->a0 = nk_smlad(even, x[0], low->a0);
    low->a1 = nk_smlad(even, x[1], low->a1);
    low->a2 = nk_smlad(even, x[2], low->a2);
    low->a3 = nk_smlad(even, x[3], low->a3);
    both->a0 = nk_smlad(word, x[0], both->a0);
    both->a1 = nk_smlad(word, x[1], both->a1);
    both->a2 = nk_smlad(word, x[2], both->a2);
    both->a3 = nk_smlad(word, x[3], both->a3);
  }
#endif
  return w;
}

/* Adds the products of four channels, two streams of words at w and w + pair (in words), and one
 * pixel, int8 from x up to `end` (a multiple of 4 bytes). sums: low and both of either stream. */
static inline void nk_dsp_dot_4x1(const int32_t* w, ptrdiff_t pair, const int8_t* x,
                                  const int8_t* end, nk_dsp_sums* sums) {
  int32_t l0 = sums->a0, b0 = sums->a1, l1 = sums->a2, b1 = sums->a3;
  const int32_t* v = w + pair;
#if NK_HAS_DSP
  int32_t even, odd, first, second;
  if (x == end) return;
  __asm__ volatile(
      "1: ldr %[odd], [%[x]], #4\n"
      "ldrd %[first], %[second], [%[w]], #8\n"
      "sxtb16 %[even], %[odd]\n"
      "sxtb16 %[odd], %[odd], ror #8\n"
      "smlad %[b0], %[first], %[even], %[b0]\n"
      "smlad %[b0], %[second], %[odd], %[b0]\n"
      "sxtb16 %[first], %[first]\n"
      "sxtb16 %[second], %[second]\n"
      "smlad %[l0], %[first], %[even], %[l0]\n"
      "smlad %[l0], %[second], %[odd], %[l0]\n"
      "ldrd %[first], %[second], [%[v]], #8\n"
      "smlad %[b1], %[first], %[even], %[b1]\n"
      "smlad %[b1], %[second], %[odd], %[b1]\n"
      "sxtb16 %[first], %[first]\n"
      "sxtb16 %[second], %[second]\n"
      "smlad %[l1], %[first], %[even], %[l1]\n"
      "smlad %[l1], %[second], %[odd], %[l1]\n"
      "cmp %[x], %[end]\n"
      "bne 1b\n"
      : [w] "+r"(w), [v] "+r"(v), [x] "+r"(x), [l0] "+r"(l0), [b0] "+r"(b0), [l1] "+r"(l1),
        [b1] "+r"(b1), [even] "=&r"(even), [odd] "=&r"(odd), [first] "=&r"(first),
        [second] "=&r"(second)
      : [end] "r"(end)
      : "cc", "memory");
#else
  for (; x != end; x += 4) {
    const int32_t word = nk_load_word(x), even = nk_even_bytes(word), odd = nk_odd_bytes(word);
    l0 = nk_smlad(nk_even_bytes(w[1]), odd, nk_smlad(nk_even_bytes(w[0]), even, l0));
    l1 = nk_smlad(nk_even_bytes(v[1]), odd, nk_smlad(nk_even_bytes(v[0]), even, l1));
    b0 = nk_smlad(w[1], odd, nk_smlad(w[0], even, b0));
    b1 = nk_smlad(v[1], odd, nk_smlad(v[0], even, b1));
    w += 2;
    v += 2;
  }
#endif
  sums->a0 = l0, sums->a1 = b0, sums->a2 = l1, sums->a3 = b1;
}

#endif
