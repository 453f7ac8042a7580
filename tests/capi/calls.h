/* SPDX-License-Identifier: MIT */
/* What the parts of the program that calls every function of netkit.h share. */
#ifndef NETKIT_TESTS_CAPI_CALLS_H
#define NETKIT_TESTS_CAPI_CALLS_H

#include <stdio.h>
#include <stdlib.h>

#include "netkit.h"

#define CHECK(condition)                                                              \
  do {                                                                                \
    if (!(condition)) {                                                               \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, nk_last_error()); \
      exit(1);                                                                        \
    }                                                                                 \
  } while (0)

void check_arena(void);
void check_page(void);
void check_quant(void);

#endif
