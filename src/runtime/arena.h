// SPDX-License-Identifier: MIT
// The arena of the public header, and a scope on it.
#pragma once

#include "netkit/arena.hpp"

namespace netkit {

// Takes a mark and releases it at the end of the block.
class ArenaScope {
 public:
  explicit ArenaScope(Arena& arena) : arena_(arena), mark_(arena.mark()) {}
  ~ArenaScope() { arena_.release(mark_); }
  ArenaScope(const ArenaScope&) = delete;
  ArenaScope& operator=(const ArenaScope&) = delete;

 private:
  Arena& arena_;
  Arena::Mark mark_;
};

}  // namespace netkit
