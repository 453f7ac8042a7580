// SPDX-License-Identifier: MIT
// Arena: a bump pointer over one buffer of the caller's. Every operation is O(1); nothing is
// freed but by going back to a mark. Contents are neither read nor written here.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netkit {

class Arena {
 public:
  Arena() = default;
  // `memory` stays the caller's; it may have any alignment. nullptr means no capacity.
  Arena(void* memory, size_t bytes)
      : memory_(static_cast<uint8_t*>(memory)), capacity_(memory ? bytes : 0) {}

  // A block of `bytes` whose absolute address is a multiple of `alignment`, or nullptr with
  // nothing changed: when it does not fit, or alignment is not a power of two. A block of 0 bytes
  // is a valid address.
  void* alloc(size_t bytes, size_t alignment = alignof(max_align_t));

  struct Mark {
    size_t used;
  };
  Mark mark() const { return {used_}; }
  // Gives back all that was taken since the mark; false, with nothing changed, when the mark lies
  // ahead (it was taken before an older release or reset).
  bool release(Mark mark);
  void reset() { used_ = 0; }
  void reset_high_water() { high_water_ = used_; }

  void* data() const { return memory_; }
  size_t capacity() const { return capacity_; }
  size_t used() const { return used_; }
  size_t remaining() const { return capacity_ - used_; }
  size_t high_water() const { return high_water_; }  // most bytes ever in use, padding included

 private:
  uint8_t* memory_ = nullptr;
  size_t capacity_ = 0;
  size_t used_ = 0;
  size_t high_water_ = 0;
};

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
