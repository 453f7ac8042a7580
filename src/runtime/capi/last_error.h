// SPDX-License-Identifier: MIT
// What nk_last_error will say. runtime/host keeps a line per thread, runtime/bare nothing.
#pragma once

#include "netkit.h"

namespace netkit {

// Keeps `text` (cut to NK_MAX_MESSAGE_LEN - 1 characters) and gives `status` back.
nk_status_t refuse(nk_status_t status, const char* text);

}  // namespace netkit
