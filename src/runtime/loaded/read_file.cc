// SPDX-License-Identifier: MIT
#include "runtime/loaded/read_file.h"

#include "runtime/capi/last_error.h"

#if __has_include(<unistd.h>) && __has_include(<fcntl.h>)
#include <fcntl.h>
#include <unistd.h>
#define NETKIT_HAS_FILES 1
#endif

namespace netkit {
#ifdef NETKIT_HAS_FILES
namespace {

nk_status_t read_all(int file, Arena& arena, FileBytes& out) {
  const auto end = lseek(file, 0, SEEK_END);
  if (end < 0 || lseek(file, 0, SEEK_SET) != 0) {
    return refuse(NK_ERR_MODEL_READ, "not a regular file");
  }
  const auto size = static_cast<size_t>(end);
  auto* to = static_cast<uint8_t*>(arena.alloc(size, kFileAlignment));
  if (to == nullptr) {
    return refuse_numbers(NK_ERR_ARENA_OVERFLOW, "the file has {} B, {} B of arena remain", size,
                          arena.remaining());
  }
  size_t done = 0;
  while (done < size) {
    const auto count = read(file, to + done, size - done);
    if (count <= 0) return refuse(NK_ERR_MODEL_READ, "the file cannot be read to its end");
    done += static_cast<size_t>(count);
  }
  out = {to, size};
  return NK_OK;
}

}  // namespace

nk_status_t read_file(const char* path, Arena& arena, FileBytes& out) {
  if (path == nullptr) return refuse(NK_ERR_INVALID_ARGUMENT, "no path");
  const int file = open(path, O_RDONLY);
  if (file < 0) return refuse(NK_ERR_MODEL_OPEN, "the file cannot be opened");
  const Arena::Mark mark = arena.mark();
  const nk_status_t status = read_all(file, arena, out);
  close(file);
  if (status != NK_OK) arena.release(mark);
  return status;
}
#else
nk_status_t read_file(const char*, Arena&, FileBytes&) {
  return refuse(NK_ERR_MODEL_OPEN, "no files on this machine: pass the bytes");
}
#endif

}  // namespace netkit
