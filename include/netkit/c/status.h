/* SPDX-License-Identifier: MIT */
/* Status, element types, alignment of opaque storage: what every part of the C interface uses.
 * C99 to C23 and C++17. */
#ifndef NETKIT_C_STATUS_H
#define NETKIT_C_STATUS_H

#include <stddef.h>
#include <stdint.h>

#include "netkit/version.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum nk_status_t {
  NK_OK = 0,
  NK_ERR_MODEL_OPEN,
  NK_ERR_MODEL_READ,
  NK_ERR_MODEL_PARSE,          /* not a .nk file, cut short, or it contradicts itself */
  NK_ERR_UNSUPPORTED_NETWORK,
  NK_ERR_VERSION_MISMATCH,     /* a newer or older version of the format */
  NK_ERR_LAYER_CONFIG,
  NK_ERR_WEIGHT_MISMATCH,
  NK_ERR_ARENA_OVERFLOW,       /* the arena is too small: nk_program_arena_bytes says the need */
  NK_ERR_INVALID_ARGUMENT,
  NK_ERR_BUFFER_TOO_SMALL,
  NK_ERR_MODEL_NOT_LOADED,
  NK_ERR_NOT_INITIALIZED,
  NK_ERR_CHECKSUM,             /* a CRC differs: the file was damaged */
  NK_ERR_MISALIGNED,           /* the file or the arena is not aligned as the file asks */
  NK_ERR_UNKNOWN_KERNEL        /* a step needs a kernel that the kernel table does not hold */
} nk_status_t;

/* One line of English, never NULL. */
const char* nk_status_string(nk_status_t status);

typedef enum nk_dtype_t {
  NK_DTYPE_FLOAT32 = 0,
  NK_DTYPE_INT8,
  NK_DTYPE_UINT8,
  NK_DTYPE_INT16,
  NK_DTYPE_INT32,
  NK_DTYPE_INT64,
  NK_DTYPE_FLOAT16,
  NK_DTYPE_BOOL,
  NK_DTYPE_INT4,
  NK_DTYPE_FLOAT64,
  NK_DTYPE_UINT16,
  NK_DTYPE_UINT32,
  NK_DTYPE_UINT64
} nk_dtype_t;

/* Before a member: the strictest alignment of an ordinary type. */
#if defined(__cplusplus) && !defined(_MSC_VER)
#define NK_MAX_ALIGNED alignas(16)
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NK_MAX_ALIGNED _Alignas(16)
#elif defined(_MSC_VER)
#define NK_MAX_ALIGNED __declspec(align(16))
#else
#define NK_MAX_ALIGNED __attribute__((aligned(16)))
#endif

/* Fails to compile where a struct has another size than stated; `name` appears in the message. */
#define NK_STATIC_CHECK(name, condition) typedef char nk_check_##name[(condition) ? 1 : -1]

/* "0.1.0" */
const char* nk_version_string(void);
/* What the last call of this thread that failed had to say: one line, at most
 * NK_MAX_MESSAGE_LEN - 1 characters, "" where none failed. Valid until the next call. A library for
 * bare devices keeps no state and always says "". */
const char* nk_last_error(void);

#ifdef __cplusplus
}
#endif

#endif
