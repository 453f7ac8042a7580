/* SPDX-License-Identifier: MIT */
/* Element types. The numeric values stand in .nk files and never change. C99 and C++. */
#ifndef NETKIT_BASE_DTYPE_H
#define NETKIT_BASE_DTYPE_H

#include <stdint.h>

/* X(enumerator, value, spelling in JSON and text, bits per element) */
#define NK_DTYPES(X)                    \
  X(NK_FLOAT32, 1, "float32", 32)       \
  X(NK_INT8, 2, "int8", 8)              \
  X(NK_INT32, 3, "int32", 32)           \
  X(NK_UINT8, 4, "uint8", 8)            \
  X(NK_INT16, 5, "int16", 16)           \
  X(NK_INT64, 6, "int64", 64)           \
  X(NK_FLOAT16, 7, "float16", 16)       \
  X(NK_BOOL, 8, "bool", 8)              \
  X(NK_INT4, 9, "int4", 4)              \
  X(NK_FLOAT64, 10, "float64", 64)      \
  X(NK_UINT16, 11, "uint16", 16)        \
  X(NK_UINT32, 12, "uint32", 32)        \
  X(NK_UINT64, 13, "uint64", 64)        \
  X(NK_STRING, 14, "string", 0)

typedef enum nk_dtype {
  NK_DTYPE_NONE = 0,
#define NK_X(name, value, text, bits) name = value,
  NK_DTYPES(NK_X)
#undef NK_X
} nk_dtype;

#endif
