/* SPDX-License-Identifier: MIT */
/* The one calling convention of all kernels, shared by the engine, the emitted C and the tests.
 *
 * A kernel reads params and in[], writes out[], may use scratch, and does nothing else: no state,
 * no allocation, no I/O, no failure (what can fail was refused on the host).
 *   params   the operator's parameter struct (its header), 8-byte aligned, in flash
 *   in       activations first, then constants, in the order that the operator's header states;
 *            an optional input that is absent is NULL
 *   out      outputs in order
 *   scratch  as many bytes as the chosen mode asked for, aligned to 16; not to be touched when it
 *            asked for none
 * Outputs overlap an input only as the mode that the planner chose allows. An input that an output
 * overlaps is dead after the step: the kernel may overwrite all of it.
 * C99 and C++. */
#ifndef NETKIT_OPS_COMMON_KERNEL_H
#define NETKIT_OPS_COMMON_KERNEL_H

#include <stddef.h>
#include <stdint.h>

#define NK_MAX_STEP_ARGS 24 /* inputs plus outputs of one step; the host splits wider operators */
#define NK_MAX_RANK 6

typedef void (*nk_kernel_fn)(const void* params, const void* const* in, void* const* out,
                             void* scratch);

/* Parameter fields are X-macros so that struct, file layout, dump and emitted initialiser agree:
 *   #define NK_FOO_FIELDS(S, A) S(int32_t, kh) A(int32_t, dims, 6)
 *   typedef struct nk_foo_params { NK_FOO_FIELDS(NK_FIELD, NK_FIELD_ARRAY) } nk_foo_params;
 * Fields are int32_t, uint32_t, int16_t, int8_t, uint8_t or float, largest first, without implicit
 * padding (a test checks sizeof against the sum). */
#define NK_FIELD(type, name) type name;
#define NK_FIELD_ARRAY(type, name, count) type name[count];

/* Declares or heads a kernel: void nk_foo_f32_ref(NK_KERNEL_ARGS). */
#define NK_KERNEL_ARGS const void *params, const void *const *in, void *const *out, void *scratch
#define NK_DECLARE_KERNEL(symbol) void symbol(NK_KERNEL_ARGS)

/* A function that is not inlined: what is out of the way of a loop stays out of its registers, or
 * the loop has them to itself. */
#if defined(__GNUC__)
#define NK_APART __attribute__((noinline))
#else
#define NK_APART
#endif

#ifdef __cplusplus
#define NK_EXTERN_C_BEGIN extern "C" {
#define NK_EXTERN_C_END }
#else
#define NK_EXTERN_C_BEGIN
#define NK_EXTERN_C_END
#endif

#endif
