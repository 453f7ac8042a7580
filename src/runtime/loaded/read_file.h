// SPDX-License-Identifier: MIT
// A model file read into an arena, where files are not mapped: the one copy of its weights.
#pragma once

#include "netkit.h"
#include "runtime/arena.h"

namespace netkit {

struct FileBytes {
  const uint8_t* data = nullptr;
  size_t size = 0;
};

inline constexpr size_t kFileAlignment = 64;

// Through open, lseek, read and close; where the machine has none of them a file cannot be opened.
// Errors: NK_ERR_MODEL_OPEN, NK_ERR_MODEL_READ, NK_ERR_ARENA_OVERFLOW; the arena is then as before.
nk_status_t read_file(const char* path, Arena& arena, FileBytes& out);

}  // namespace netkit
