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

nk_status_t refuse_numbers(nk_status_t status, const char* text, uint64_t a, uint64_t b) {
  char filled[NK_MAX_MESSAGE_LEN];
  size_t used = 0;
  const auto put = [&](char c) {
    if (used + 1 < sizeof filled) filled[used++] = c;
  };
  for (; *text != '\0'; ++text) {
    if (text[0] != '{' || text[1] != '}') {
      put(*text);
      continue;
    }
    char digits[20];
    size_t count = 0;
    for (uint64_t rest = a; count == 0 || rest != 0; rest /= 10) {
      digits[count++] = static_cast<char>('0' + rest % 10);
    }
    while (count > 0) put(digits[--count]);
    a = b;
    ++text;
  }
  filled[used] = '\0';
  return refuse(status, filled);
}

}  // namespace netkit

extern "C" const char* nk_last_error(void) {
  return netkit::last_text;
}
