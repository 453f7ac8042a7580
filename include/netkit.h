/* SPDX-License-Identifier: MIT */
/* The C interface of netkit. This page: load a .nk file (version 5) in place and run it in memory
 * that the caller owns; no heap, no globals; several programs may stand side by side. Its parts
 * under netkit/c add arenas, tensors, networks built by hand, and models of every version.
 * C99 to C23, and C++17 or newer. */
#ifndef NETKIT_H
#define NETKIT_H

#include <stddef.h>
#include <stdint.h>
/* alignas and alignof, as firmware writes its buffers; C23 and C++ have them as keywords. */
#if !defined(__cplusplus) && defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L && \
    __STDC_VERSION__ < 202311L
#include <stdalign.h>
#endif

#include "netkit/c/status.h"

#ifdef __cplusplus
extern "C" {
#endif

#define NK_PROGRAM_MAX_RANK 6

/* A loaded program: 128 bytes, filled by nk_program_load; copying it copies the handle. It may hold
 * anything before: a call on a program that was never loaded fails (NK_ERR_MODEL_NOT_LOADED, or a
 * count or size of 0) and reads nothing through it. */
typedef struct nk_program_t {
  uint64_t storage[16];
} nk_program_t;

/* An input or output of the program. */
typedef struct nk_program_tensor_t {
  const char* name;                    /* in the file */
  void* data;                          /* in the arena: write inputs here, read outputs here */
  size_t bytes;
  size_t elements;
  nk_dtype_t dtype;
  uint32_t rank;                       /* 0: a scalar */
  uint32_t dims[NK_PROGRAM_MAX_RANK];  /* the model's own layout; 1 beyond rank */
  float scale;                         /* real = scale * (q - zero_point); 0: not quantised */
  int32_t zero_point;
} nk_program_tensor_t;

struct nk_fit; /* ops/common/fit.h */

/* A kernel that a program may call. A table of them is sorted by id, smallest first. */
typedef struct nk_kernel_entry {
  uint32_t id;                /* 32-bit FNV-1a of the kernel's C symbol (netkit/kernels.hpp) */
  uint16_t params_bytes;      /* sizeof its parameter struct */
  uint8_t in_elem, out_elem;  /* bytes of an element, told to `fit`; 0: any */
  void (*run)(const void* params, const void* const* in, void* const* out, void* scratch);
  int (*fit)(const struct nk_fit* step); /* do the parameters of a step fit its arguments? */
} nk_kernel_entry;

/* What load checks before the file is believed. */
typedef enum nk_check_t {
  NK_CHECK_NONE = 0,      /* header and section table only: for files checked at build time */
  NK_CHECK_STRUCTURE = 1, /* every offset, size and step, the parameters of every kernel against
                             its arguments, and the CRCs of all that steers memory accesses;
                             weights are not read. Every kernel of the table needs a `fit` */
  NK_CHECK_ALL = 2        /* that and the CRC of every section */
} nk_check_t;

/* What a file needs, before there is an arena. Either pointer may be NULL. */
nk_status_t nk_program_need(const void* file, size_t file_bytes, size_t* arena_bytes,
                            size_t* arena_alignment);

/* Loads with every kernel of the library and NK_CHECK_STRUCTURE. `file` and `arena` stay the
 * caller's and stay in place while the program is used; nothing is copied, the file is never
 * written. `file` is aligned to 16 (or what the header asks), `arena` as nk_program_need says.
 * On failure the program cannot run; after NK_ERR_ARENA_OVERFLOW and NK_ERR_MISALIGNED
 * nk_program_arena_bytes and nk_program_arena_alignment still tell the need. */
nk_status_t nk_program_load(nk_program_t* program, const void* file, size_t file_bytes,
                            void* arena, size_t arena_bytes);

/* The same with a kernel table of the caller's, so that only those kernels are linked. */
nk_status_t nk_program_load_with(nk_program_t* program, const void* file, size_t file_bytes,
                                 void* arena, size_t arena_bytes, const nk_kernel_entry* kernels,
                                 size_t kernel_count, nk_check_t check);

/* One inference: reads the inputs and writes the outputs where nk_program_input and _output say.
 * The plan may reuse the memory of an input: write every input before each run. */
nk_status_t nk_program_run(nk_program_t* program);

uint32_t nk_program_input_count(const nk_program_t* program);
uint32_t nk_program_output_count(const nk_program_t* program);
nk_status_t nk_program_input(const nk_program_t* program, uint32_t index,
                             nk_program_tensor_t* tensor);
nk_status_t nk_program_output(const nk_program_t* program, uint32_t index,
                              nk_program_tensor_t* tensor);
size_t nk_program_arena_bytes(const nk_program_t* program);
size_t nk_program_arena_alignment(const nk_program_t* program);

#ifdef __cplusplus
}
#endif

#include "netkit/c/arena.h"
#include "netkit/c/tensor.h"
#include "netkit/c/network.h"
#include "netkit/c/model.h"

#endif
