/* SPDX-License-Identifier: MIT */
#include "host.h"

#include "cpu.h"

enum {
  kOpen = 0x01,
  kClose = 0x02,
  kWriteText = 0x04,
  kWrite = 0x05,
  kRead = 0x06,
  kSeek = 0x0a,
  kCommandLine = 0x15,
  kExit = 0x20,
  kStoppedByApplication = 0x20026
};

static size_t text_length(const char* text) {
  size_t length = 0;
  while (text[length] != 0) ++length;
  return length;
}

static intptr_t open_file(const char* path, uintptr_t mode) {
  const uintptr_t arguments[3] = {(uintptr_t)path, mode, text_length(path)};
  return cpu_semihost(kOpen, arguments);
}

intptr_t host_open_to_read(const char* path) { return open_file(path, 1); }  /* "rb" */
intptr_t host_open_to_write(const char* path) { return open_file(path, 5); } /* "wb" */

void host_close(intptr_t file) {
  const uintptr_t arguments[1] = {(uintptr_t)file};
  cpu_semihost(kClose, arguments);
}

/* Both answer with the number of bytes that were not moved. */
static int move_bytes(uintptr_t operation, intptr_t file, const void* data, size_t bytes) {
  const uintptr_t arguments[3] = {(uintptr_t)file, (uintptr_t)data, bytes};
  return bytes == 0 || cpu_semihost(operation, arguments) == 0 ? 0 : 1;
}

int host_read(intptr_t file, void* data, size_t bytes) {
  return move_bytes(kRead, file, data, bytes);
}

int host_write(intptr_t file, const void* data, size_t bytes) {
  return move_bytes(kWrite, file, data, bytes);
}

int host_seek(intptr_t file, size_t offset) {
  const uintptr_t arguments[2] = {(uintptr_t)file, offset};
  return cpu_semihost(kSeek, arguments) == 0 ? 0 : 1;
}

int host_command_line(char* text, size_t bytes) {
  uintptr_t arguments[2] = {(uintptr_t)text, bytes};
  return cpu_semihost(kCommandLine, arguments) == 0 ? 0 : 1;
}

void host_print(const char* text) { cpu_semihost(kWriteText, text); }

void host_print_number(uintptr_t value) {
  char text[24];
  size_t at = sizeof text - 1;
  text[at] = 0;
  do {
    text[--at] = (char)('0' + value % 10);
    value /= 10;
  } while (value != 0);
  host_print(text + at);
}

void host_print_address(uintptr_t value) {
  char text[2 * sizeof value + 1];
  size_t at = sizeof text - 1;
  text[at] = 0;
  while (at > 0) {
    text[--at] = "0123456789abcdef"[value & 15];
    value >>= 4;
  }
  host_print("0x");
  host_print(text);
}

void host_exit(int code) {
  const uintptr_t arguments[2] = {kStoppedByApplication, (uintptr_t)code};
  for (;;) cpu_semihost(kExit, arguments);
}
