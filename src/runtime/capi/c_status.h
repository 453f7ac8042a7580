// SPDX-License-Identifier: MIT
// From the engine's status to the one of the C interface.
#pragma once

#include "netkit.h"
#include "runtime/status.h"

namespace netkit {

nk_status_t public_status(Status status);

}  // namespace netkit
