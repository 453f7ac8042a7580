// SPDX-License-Identifier: MIT
// Status of the device half in C++, and where in a file a check failed.
#pragma once

#include <cstdint>

#include "base/status.h"

namespace netkit {

using Status = nk_status_code;

// The outcome of a check: what, and in which section and record. Fits into a register.
struct Fault {
  nk_status8 status = NK_STATUS_OK;
  uint8_t section = 0;   // nk_section_kind; 0: the header or the section table
  uint16_t index = 0;    // record of that section (step, tensor, case)

  bool ok() const { return status == NK_STATUS_OK; }
  Status code() const { return static_cast<Status>(status); }
};

}  // namespace netkit
