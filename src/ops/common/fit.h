/* SPDX-License-Identifier: MIT */
/* Whether a parameter block is sane for the arguments of its step: asked once, when a file is
 * loaded, so that kernels may believe their parameters. Each family has a <family>_fit.c; a row of
 * kernels.inc names its function. Device code: no heap, no libc. C99 and C++.
 *
 * A block fits when, for every content of the arena, the kernel stays inside its arguments, reads
 * them aligned, divides by nothing that can be 0, shifts and adds without undefined behaviour, and
 * loops no longer than the sizes of the arguments imply. Values that steer the kernel from an
 * argument of its own (shifts, tables) have to be constants and are looked at one by one; indices
 * that come with the data are clamped by the kernels. */
#ifndef NETKIT_OPS_COMMON_FIT_H
#define NETKIT_OPS_COMMON_FIT_H

#include "base/nk_format.h"
#include "ops/common/kernel.h"
#include "ops/common/parts.h"
#include "ops/common/requantize.h"
#include "ops/common/spatial.h"

/* A step whose places have been verified. Its outputs are not all empty: a step that writes
 * nothing is not run. */
typedef struct nk_fit {
  const void* params;
  const nk_file_arg* in;  /* in_count records */
  const nk_file_arg* out; /* out_count records, 1 or more */
  const uint8_t* constants;
  uint32_t arena_alignment;
  uint32_t scratch_offset, scratch_bytes;
  uint8_t in_count, out_count;
  uint8_t in_elem, out_elem; /* bytes of an element by the row's signature; 0: any */
} nk_fit;

typedef enum nk_fit_verdict {
  NK_FIT_REFUSED = 0,
  NK_FIT_SHARED = 1, /* fits, also where an output overlaps an input */
  NK_FIT_APART = 2   /* fits where no output overlaps an input */
} nk_fit_verdict;

#ifdef __cplusplus
#define NK_DECLARE_FIT(symbol) extern "C" int symbol(const nk_fit* f)
#else
#define NK_DECLARE_FIT(symbol) int symbol(const nk_fit* f)
#endif
/* Heads a function of a row; it returns an nk_fit_verdict. */
#define NK_FIT(symbol)    \
  NK_DECLARE_FIT(symbol); \
  int symbol(const nk_fit* f)

#define NK_FIT_MANY 0xFFFFFFFFu     /* a count that no argument can hold */
#define NK_FIT_OFFSET_LIMIT 65536   /* of zero points and clamps (requantize.h) */
#define NK_FIT_OFFSET_LIMIT_X8 255  /* of zero points that are added to 8-bit elements */
#define NK_FIT_FAR (1 << 28)        /* of sizes and paddings along an axis */

static inline int nk_is_within(int32_t x, int32_t lo, int32_t hi) { return x >= lo && x <= hi; }

/* Shifts that nk_multiply_by_quantized takes. */
static inline int nk_is_shift(int32_t shift) { return nk_is_within(shift, -31, 30); }

/* A zero point or clamp that nk_requantize takes. */
static inline int nk_is_offset(int32_t x) {
  return nk_is_within(x, -NK_FIT_OFFSET_LIMIT, NK_FIT_OFFSET_LIMIT);
}
static inline int nk_is_offset_x8(int32_t x) {
  return nk_is_within(x, -NK_FIT_OFFSET_LIMIT_X8, NK_FIT_OFFSET_LIMIT_X8);
}

static inline int nk_fit_apart(int fits) { return fits ? NK_FIT_APART : NK_FIT_REFUSED; }

NK_EXTERN_C_BEGIN
/* a * b, or NK_FIT_MANY where that exceeds NK_FILE_MAX_PLACE. */
uint32_t nk_fit_times(uint32_t a, uint32_t b);

/* The product of sizes; NK_FIT_MANY where one is below 1. */
uint32_t nk_fit_count(const int32_t* sizes, int32_t rank);

/* Elements that a walk over dims (each 1 or more) with strides from `start` touches, counted from
 * element 0 on; NK_FIT_MANY where it leads below 0. */
uint32_t nk_fit_span(const int32_t* dims, const int32_t* strides, int32_t rank, int32_t start);

/* Input (output) i is there, aligned for elements of `elem` bytes (a power of two), and holds
 * `count` of them. _optional: or stated as absent. */
int nk_fit_in(const nk_fit* f, uint32_t i, uint32_t elem, uint32_t count);
int nk_fit_optional(const nk_fit* f, uint32_t i, uint32_t elem, uint32_t count);
int nk_fit_out(const nk_fit* f, uint32_t i, uint32_t elem, uint32_t count);
int nk_fit_scratch(const nk_fit* f, uint32_t elem, uint32_t count);

/* Input i as `count` int32 constants; NULL where it is none or too short. */
const int32_t* nk_fit_constant(const nk_fit* f, uint32_t i, uint32_t count);
/* Input i is `count` int32 constants, each in [lo, hi]. */
int nk_fit_table(const nk_fit* f, uint32_t i, uint32_t count, int32_t lo, int32_t hi);

/* Geometry of a sliding window; in[0] and out[0] hold what it walks over. */
int nk_fit_spatial(const nk_fit* f, const nk_spatial* s);

/* in[0] to in[parts - 1] hold, in parts, what the window walks over. *rest becomes f as an operator
 * of the last part alone sees it: in[0] that part, in[1] the weights. */
int nk_fit_parts(const nk_fit* f, const nk_spatial* s, int32_t parts, const int32_t* part_c,
                 nk_fit* rest);

/* nk_fit_spatial, and in[1] holds weights ohwi of w_elem bytes each in so many groups. */
int nk_fit_grouped(const nk_fit* f, const nk_spatial* s, int32_t groups, uint32_t w_elem);

/* in[2] to in[4] of an operator with weights and its fields of requantisation. */
int nk_fit_weighted(const nk_fit* f, const nk_weighted* w, int32_t out_channels);
/* The same of int16 activations with int8 weights (wide.h): the bias is int64. */
int nk_fit_wide(const nk_fit* f, const nk_weighted* w, int32_t out_channels);
NK_EXTERN_C_END

#endif
