/* SPDX-License-Identifier: MIT */
/* The .nk file, version 5, as C structs: read in place through const pointers. Little-endian; every
 * field is naturally aligned and there is no implicit padding. docs/nk-format.md is the byte-level
 * text of the same layout. An NK id is the 32-bit FNV-1a hash of a name (offset basis 2166136261,
 * prime 16777619; Fowler, Noll, Vo). C99 and C++; no libc. */
#ifndef NETKIT_BASE_NK_FORMAT_H
#define NETKIT_BASE_NK_FORMAT_H

#include <stddef.h>
#include <stdint.h>

#define NK_FILE_VERSION 5u
#define NK_FILE_MINOR 0u
#define NK_FILE_MAX_SECTIONS 32u
#define NK_FILE_MAX_STEPS 65535u
#define NK_FILE_MAX_INOUTS 256u
#define NK_FILE_MAX_TESTS 65535u
#define NK_FILE_MAX_STATES 4096u
#define NK_FILE_MAX_RANK 6
#define NK_FILE_SECTION_ALIGN 16u
#define NK_FILE_MAX_ALIGN 65536u /* of the file and of the arena */
#define NK_FILE_PARAMS_ALIGN 8u
#define NK_FILE_CONSTANT_ALIGN 4u     /* least; a constant may ask for more */
#define NK_FILE_SCRATCH_ALIGN 16u     /* or the arena's alignment where that is less */
#define NK_FILE_MAX_PLACE 0x7FFFFFFFu /* arena and constants are each below 2 GiB */

/* Section flags. Kinds 1 to 6 are in every file. */
#define NK_SECTION_REQUIRED 1u /* a reader that does not know the kind refuses the file */
#define NK_SECTION_CONTROL 2u  /* steers memory accesses: its CRC belongs to the structural check \
                                */

/* X(enumerator, kind, name, flags, bytes of a record; 1 where records vary or there are none) */
#define NK_SECTIONS(X)                                                              \
  X(NK_SECTION_INPUTS, 1, "inputs", NK_SECTION_REQUIRED | NK_SECTION_CONTROL, 48)   \
  X(NK_SECTION_OUTPUTS, 2, "outputs", NK_SECTION_REQUIRED | NK_SECTION_CONTROL, 48) \
  X(NK_SECTION_STEPS, 3, "steps", NK_SECTION_REQUIRED | NK_SECTION_CONTROL, 1)      \
  X(NK_SECTION_PARAMS, 4, "params", NK_SECTION_REQUIRED | NK_SECTION_CONTROL, 1)    \
  X(NK_SECTION_CONSTANTS, 5, "constants", NK_SECTION_REQUIRED, 1)                   \
  X(NK_SECTION_STRINGS, 6, "strings", NK_SECTION_REQUIRED, 1)                       \
  X(NK_SECTION_STEP_INFO, 7, "step-info", 0, 16)                                    \
  X(NK_SECTION_METADATA, 8, "metadata", 0, 1)                                       \
  X(NK_SECTION_PLAN, 9, "plan", 0, 1)                                               \
  X(NK_SECTION_CERTIFICATE, 10, "certificate", 0, 1)                                \
  X(NK_SECTION_TESTS, 11, "tests", 0, 1)                                            \
  X(NK_SECTION_STATES, 12, "states", NK_SECTION_REQUIRED | NK_SECTION_CONTROL, 16)

typedef enum nk_section_kind {
#define NK_X(name, kind, text, flags, record_bytes) name = kind,
  NK_SECTIONS(NK_X)
#undef NK_X
      NK_SECTION_KIND_END /* kinds that this reader knows are 1 … NK_SECTION_KIND_END - 1 */
} nk_section_kind;

/* Offset 0 of the file. The file stands at an address that is a multiple of file_alignment. */
typedef struct nk_file_header {
  uint8_t magic[4];         /* "NKIT" */
  uint32_t version;         /* 5 */
  uint16_t minor;           /* 0; a reader of 5.0 reads every 5.x */
  uint16_t header_bytes;    /* where the section table begins: 48, a multiple of 4 */
  uint32_t header_crc32;    /* of the bytes from offset 16 to the end of the section table */
  uint32_t file_bytes;      /* whole file */
  uint32_t section_count;   /* 1 … NK_FILE_MAX_SECTIONS */
  uint32_t target_id;       /* NK id of the target profile's name ("generic") */
  uint32_t arena_bytes;     /* the arena that run needs, scratch, inputs and outputs included */
  uint32_t arena_alignment; /* power of two, <= NK_FILE_MAX_ALIGN */
  uint32_t file_alignment;  /* power of two, 16 … NK_FILE_MAX_ALIGN */
  uint32_t reserved[2];     /* 0 */
} nk_file_header;

/* Sections stand in the order of their offsets and do not overlap; a kind stands at most once. */
typedef struct nk_file_section {
  uint32_t kind;   /* nk_section_kind */
  uint32_t flags;  /* NK_SECTION_… */
  uint32_t offset; /* from the start of the file, a multiple of 16 */
  uint32_t bytes;  /* without the zero bytes up to the next section */
  uint32_t count;  /* records: tensors, steps, constants, strings, cases; 0 for text */
  uint32_t crc32;  /* of these bytes */
} nk_file_section;

/* An input or output of the model, in the model's own layout, row-major and dense. */
typedef struct nk_file_tensor {
  uint32_t name;                   /* offset into strings */
  uint8_t dtype;                   /* nk_dtype */
  uint8_t rank;                    /* 0 … 6 */
  uint16_t reserved;               /* 0 */
  uint32_t arena_offset;           /* a multiple of arena_alignment */
  uint32_t bytes;                  /* the product of dims times the element's size */
  uint32_t dims[NK_FILE_MAX_RANK]; /* the first `rank` count; the others are 1 */
  float scale;                     /* real = scale * (q - zero_point); 0: not quantised */
  int32_t zero_point;
} nk_file_tensor;

/* Bytes of the arena that keep their content from one run to the next. */
typedef struct nk_file_state {
  uint32_t name;         /* offset into strings */
  uint32_t arena_offset; /* a multiple of arena_alignment */
  uint32_t bytes;
  uint32_t initial; /* content after a reset: offset into constants; NK_ARG_ABSENT: all 0 */
} nk_file_state;

/* One kernel call; in_count + out_count records nk_file_arg follow it. Steps run in file order. */
typedef struct nk_file_step {
  uint32_t kernel_id;     /* NK id of the kernel's C symbol */
  uint32_t params_offset; /* into params, a multiple of 8 */
  uint16_t params_bytes;  /* sizeof the operator's parameter struct */
  uint8_t in_count;
  uint8_t out_count;       /* at least 1; in_count + out_count <= 24 */
  uint32_t scratch_offset; /* of the arena; 0 where scratch_bytes is 0 */
  uint32_t scratch_bytes;
} nk_file_step;

/* An argument: bytes [place, place + bytes) of the arena, or of the constants section. */
typedef struct nk_file_arg {
  uint32_t place; /* offset, plus NK_ARG_CONSTANT for a constant; NK_ARG_ABSENT: none (bytes 0) */
  uint32_t bytes;
} nk_file_arg;
#define NK_ARG_CONSTANT 0x80000000u
#define NK_ARG_ABSENT 0xFFFFFFFFu

/* For people: one per step, in the order of the steps. */
typedef struct nk_file_step_info {
  uint32_t kernel_name;         /* offset into strings: the kernel's C symbol */
  uint32_t node_name;           /* offset into strings */
  uint32_t macs_low, macs_high; /* multiply-accumulates, 64 bits */
} nk_file_step_info;

/* One per case at the start of the tests section. Its data: every input, then every output, each
 * at the next multiple of 16, with the bytes that the tensor's record states. */
typedef struct nk_file_case {
  uint32_t name;        /* offset into strings */
  float tolerance;      /* absolute, of real values; 0: the very bytes */
  uint32_t data_offset; /* from the start of the tests section, a multiple of 16 */
  uint32_t data_bytes;
} nk_file_case;

/* The sizes are part of the format. */
#define NK_FORMAT_SIZE(type, size) typedef char type##_has_##size[sizeof(type) == (size) ? 1 : -1]
NK_FORMAT_SIZE(nk_file_header, 48);
NK_FORMAT_SIZE(nk_file_section, 24);
NK_FORMAT_SIZE(nk_file_tensor, 48);
NK_FORMAT_SIZE(nk_file_state, 16);
NK_FORMAT_SIZE(nk_file_step, 20);
NK_FORMAT_SIZE(nk_file_arg, 8);
NK_FORMAT_SIZE(nk_file_step_info, 16);
NK_FORMAT_SIZE(nk_file_case, 16);

#ifdef __cplusplus
#define NK_FORMAT_INLINE constexpr
#else
#define NK_FORMAT_INLINE static inline
#endif

/* The next multiple of a power of two; the caller sees to it that it fits. */
NK_FORMAT_INLINE uint32_t nk_align_up(uint32_t value, uint32_t alignment) {
  return (value + (alignment - 1u)) & ~(alignment - 1u);
}

#endif
