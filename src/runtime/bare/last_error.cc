// SPDX-License-Identifier: MIT
// No state on a bare device: the status is all there is.
#include "runtime/capi/last_error.h"

namespace netkit {

nk_status_t refuse(nk_status_t status, const char*) {
  return status;
}
nk_status_t refuse_numbers(nk_status_t status, const char*, uint64_t, uint64_t) {
  return status;
}
nk_status_t refuse_shapes(nk_status_t status, const char*, const Sizes&, const Sizes&) {
  return status;
}

}  // namespace netkit

extern "C" const char* nk_last_error(void) {
  return "";
}
