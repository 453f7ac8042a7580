// SPDX-License-Identifier: MIT
// The last refusal of each thread.
#include "runtime/capi/last_error.h"

namespace netkit {
namespace {

thread_local char last_text[NK_MAX_MESSAGE_LEN];

}  // namespace

nk_status_t refuse(nk_status_t status, const char* text) {
  size_t i = 0;
  for (; text[i] != '\0' && i + 1 < sizeof last_text; ++i) {
    const bool control = static_cast<unsigned char>(text[i]) < 0x20;
    last_text[i] = control ? ' ' : text[i];
  }
  last_text[i] = '\0';
  return status;
}

}  // namespace netkit

extern "C" const char* nk_last_error(void) {
  return netkit::last_text;
}
