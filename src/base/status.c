/* SPDX-License-Identifier: MIT */
/* Text of the device's status bytes; linked only where a program asks for it. */
#include "base/status.h"

const char* nk_status_text(nk_status8 status) {
  switch (status) {
#define NK_X(name, value, text) \
  case name:                    \
    return text;
    NK_STATUSES(NK_X)
#undef NK_X
    default:
      return "unknown status";
  }
}
