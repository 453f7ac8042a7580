// SPDX-License-Identifier: MIT
// Arena: a bump pointer over one buffer (docs/arena.md). O(1) and without a heap, but for the
// variants that only some classes of machines have. Single-threaded. C++17 and newer.
#ifndef NETKIT_ARENA_HPP
#define NETKIT_ARENA_HPP

#include <cstddef>
#include <cstdint>

#include "netkit/config.h"

namespace netkit {

// Something that goes when the arena is reset; `release` frees the node too.
struct ArenaOwned {
  ArenaOwned* next = nullptr;
  void (*release)(ArenaOwned* self) = nullptr;
};

struct Arena {
  static constexpr std::size_t kDefaultCapacity = NK_ARENA_DEFAULT_CAPACITY;

  std::byte* base = nullptr;
  std::size_t capacity = 0;
  std::size_t offset = 0;  // bytes in use, padding included

  Arena() = default;
  // As init.
  Arena(void* memory, std::size_t size) { bind(memory, size); }
#if defined(NETKIT_TARGET_CPU)
  // What the arena owns goes with it; the heap behind it only by destroy_heap.
  ~Arena() { reset(); }
#endif
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Binds a buffer of the caller's, of any alignment; nullptr has no capacity. What the arena owned
  // before is released, as by reset.
  void init(void* memory, std::size_t size) {
    reset();
    bind(memory, size);
  }

  // A block whose absolute address is a multiple of `alignment`, or nullptr with nothing changed:
  // it does not fit, or alignment is no power of two. A block of 0 bytes is a valid address.
  void* alloc(std::size_t size, std::size_t alignment = alignof(std::max_align_t)) {
    if (base == nullptr || alignment == 0 || (alignment & (alignment - 1)) != 0) return nullptr;
    // The padding depends on the absolute address; it is below alignment, so nothing overflows.
    const std::uintptr_t at = reinterpret_cast<std::uintptr_t>(base) + offset;
    const std::size_t padding =
        (alignment - static_cast<std::size_t>(at & (alignment - 1))) & (alignment - 1);
    const std::size_t left = capacity - offset;
    if (padding > left || size > left - padding) return nullptr;
    void* block = base + offset + padding;
    offset += padding + size;
    if (offset > high_water_) high_water_ = offset;
    return block;
  }

  // Back to empty: every pointer into the arena is dead, mapped files and the constants of
  // converted models are released.
  void reset() {
    release_mapped_file();
    while (owned_ != nullptr) {
      ArenaOwned* first = owned_;
      owned_ = first->next;
      first->release(first);
    }
    offset = 0;
    ++generation_;
  }
  std::size_t remaining() const { return capacity - offset; }

  struct Mark {
    std::size_t used;
  };
  Mark mark() const { return {offset}; }
  // Gives back all that was taken since the mark; false, with nothing changed, when the mark lies
  // ahead (it was taken before an older release or reset).
  bool release(Mark mark) {
    if (mark.used > offset) return false;
    offset = mark.used;
    return true;
  }
  // Most bytes ever in use.
  std::size_t high_water() const { return high_water_; }
  void reset_high_water() { high_water_ = offset; }

  // Until the next reset.
  void own(ArenaOwned* what) {
    what->next = owned_;
    owned_ = what;
  }
  // Counts resets, so that a handle can tell that its memory is gone.
  std::uint32_t generation() const { return generation_; }

#ifdef NETKIT_ARENA_HEAP
  // One allocation behind the arena, once per session; false where there is none of that size.
  bool init_heap(std::size_t size);
  // Resets; on a cpu it frees what init_heap took. Does nothing to a caller's buffer.
  void destroy_heap();
#endif
#ifdef NETKIT_USE_MMAP
  // Takes over a mapping that mmap or MapViewOfFile gave; one at a time, an older one is released.
  // It takes no capacity.
  void attach_mapped_file(const void* data, std::size_t size);
#endif
  void release_mapped_file() {
    if (mapped_ != nullptr) unmap_(mapped_, mapped_bytes_);
    mapped_ = nullptr;
  }

 private:
  void bind(void* memory, std::size_t size) {
    base = static_cast<std::byte*>(memory);
    capacity = memory != nullptr ? size : 0;
    offset = high_water_ = 0;
    on_heap_ = false;
  }

  std::size_t high_water_ = 0;
  ArenaOwned* owned_ = nullptr;
  const void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  void (*unmap_)(const void* data, std::size_t size) = nullptr;
  std::uint32_t generation_ = 0;
  bool on_heap_ = false;
};

}  // namespace netkit

#endif
