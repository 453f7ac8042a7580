// SPDX-License-Identifier: MIT
// Targets as data: which kernel rows a chip can run and what its memory looks like.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace netkit {

struct Target {
  std::string_view name;      // "generic", "cortex-m4"
  std::string_view archs;     // kernel arches that run here, space-separated
  int pointer_bytes;
  int64_t arena_alignment;    // bytes; of the arena and of every buffer in it
  std::string_view compiler_flags;  // for the emitted C's comment; empty where none are needed
};

std::span<const Target> all_targets();
const Target* find_target(std::string_view name);
bool runs_on(const Target& target, std::string_view arch);

}  // namespace netkit
