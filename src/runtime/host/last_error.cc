// SPDX-License-Identifier: MIT
// The last refusal of each thread.
#include "runtime/capi/last_error.h"

namespace netkit {
namespace {

thread_local char last_text[NK_MAX_MESSAGE_LEN];

// A text that is put together; what does not fit is left out.
class Refusal {
 public:
  void put(const char* text) {
    for (; *text != '\0'; ++text) put(*text);
  }
  void number(uint64_t value) {
    char digits[20];
    size_t count = 0;
    for (uint64_t rest = value; count == 0 || rest != 0; rest /= 10) {
      digits[count++] = static_cast<char>('0' + rest % 10);
    }
    while (count > 0) put(digits[--count]);
  }
  // `text` with place(0) for its first {} and place(1) for every further one.
  template <typename Place>
  void fill(const char* text, const Place& place) {
    int next = 0;
    for (; *text != '\0'; ++text) {
      if (text[0] != '{' || text[1] != '}') {
        put(*text);
        continue;
      }
      place(next);
      next = 1;
      ++text;
    }
  }
  const char* text() {
    text_[used_] = '\0';
    return text_;
  }

 private:
  void put(char c) {
    if (used_ + 1 < sizeof text_) text_[used_++] = c;
  }

  char text_[NK_MAX_MESSAGE_LEN];
  size_t used_ = 0;
};

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
  Refusal line;
  const uint64_t numbers[] = {a, b};
  line.fill(text, [&](int i) { line.number(numbers[i]); });
  return refuse(status, line.text());
}

nk_status_t refuse_shapes(nk_status_t status, const char* text, const Sizes& a, const Sizes& b) {
  Refusal line;
  const Sizes shapes[] = {a, b};
  line.fill(text, [&](int which) {
    const Sizes& shape = shapes[which];
    if (shape.rank == 0) line.put("without a shape");
    for (uint32_t i = 0; i < shape.rank; ++i) {
      if (i > 0) line.put("x");
      line.number(shape.sizes[i]);
    }
  });
  return refuse(status, line.text());
}

}  // namespace netkit

extern "C" const char* nk_last_error(void) {
  return netkit::last_text;
}
