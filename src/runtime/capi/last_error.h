// SPDX-License-Identifier: MIT
// What nk_last_error will say. runtime/host keeps a line per thread, runtime/bare nothing.
#pragma once

#include "netkit.h"

namespace netkit {

// Keeps `text` (cut to NK_MAX_MESSAGE_LEN - 1 characters) and gives `status` back.
nk_status_t refuse(nk_status_t status, const char* text);
// The same with a and b in the place of the first and the second {}.
nk_status_t refuse_numbers(nk_status_t status, const char* text, uint64_t a, uint64_t b = 0);

struct Sizes {
  const uint32_t* sizes;
  uint32_t rank;
};
// The same with two shapes, as 4x4x1.
nk_status_t refuse_shapes(nk_status_t status, const char* text, const Sizes& a, const Sizes& b);

}  // namespace netkit
