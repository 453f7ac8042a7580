/* SPDX-License-Identifier: MIT */
/* Status of the device half: one byte, text only when asked for (nk_status_text). C99 and C++. */
#ifndef NETKIT_BASE_STATUS_H
#define NETKIT_BASE_STATUS_H

#include <stdint.h>

/* X(enumerator, value, text) */
#define NK_STATUSES(X)                                                        \
  X(NK_STATUS_OK, 0, "ok")                                                    \
  X(NK_STATUS_BAD_MAGIC, 1, "not a .nk file")                                 \
  X(NK_STATUS_BAD_VERSION, 2, "unsupported .nk version")                      \
  X(NK_STATUS_TRUNCATED, 3, "file is cut short")                              \
  X(NK_STATUS_CORRUPT, 4, "file contradicts itself")                          \
  X(NK_STATUS_BAD_CRC, 5, "checksum differs")                                 \
  X(NK_STATUS_UNKNOWN_KERNEL, 6, "kernel is not linked into this program")    \
  X(NK_STATUS_ARENA_TOO_SMALL, 7, "arena is too small")                       \
  X(NK_STATUS_MISALIGNED, 8, "buffer is not aligned as the file requires")    \
  X(NK_STATUS_BAD_ARGUMENT, 9, "bad argument")                                \
  X(NK_STATUS_NOT_LOADED, 10, "no model is loaded")                           \
  X(NK_STATUS_UNSUPPORTED, 11, "not supported on this target")                \
  X(NK_STATUS_BAD_PARAMS, 12, "parameters of a step do not fit its arguments")

typedef enum nk_status_code {
#define NK_X(name, value, text) name = value,
  NK_STATUSES(NK_X)
#undef NK_X
} nk_status_code;

typedef uint8_t nk_status8; /* holds an nk_status_code */

#ifdef __cplusplus
extern "C" {
#endif
/* One short line without a full stop; never NULL, also for values that are no status. */
const char* nk_status_text(nk_status8 status);
#ifdef __cplusplus
}
#endif

#endif
