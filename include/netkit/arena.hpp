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
  const ArenaOwned* place = nullptr;  // set by own; else the node was overwritten and ends the list
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
  // What the arena owns goes with it, the heap behind it too.
  ~Arena() { release_all(); }
#endif
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // Binds a buffer of the caller's, of any alignment; nullptr has no capacity. All that the arena
  // owned before is released: mapped files, constants of models, what init_heap took.
  void init(void* memory, std::size_t size) {
    release_all();
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
    while (owned_ != nullptr && owned_->place == owned_) {
      ArenaOwned* first = owned_;
      owned_ = first->next;
      first->release(first);
    }
    owned_ = nullptr;
    seal_ = seal();
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
    what->place = owned_ = what;
    seal_ = seal();
  }
  // For a bytewise copy of an arena: forgets what the original owns without releasing it.
  void disown() {
    owned_ = nullptr;
    mapped_ = nullptr;
    free_ = nullptr;
    seal_ = seal();
  }
  // Counts resets, so that a handle can tell that its memory is gone.
  std::uint32_t generation() const { return generation_; }
  // Are these the words that the calls above left, and not what memory held that nobody set? For
  // storage that is filled again.
  bool is_intact() const { return seal_ == seal(); }

#ifdef NETKIT_ARENA_HEAP
  // One allocation behind the arena, once per session; false where there is none of that size. As
  // init, it first releases what the arena owned.
  bool init_heap(std::size_t size);
  // Resets; on a cpu it frees what init_heap took, an mpu keeps it until the next init or
  // init_heap. Does nothing to a caller's buffer.
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
    seal_ = seal();
  }

 private:
  void bind(void* memory, std::size_t size) {
    base = static_cast<std::byte*>(memory);
    capacity = memory != nullptr ? size : 0;
    offset = high_water_ = 0;
  }
  void release_all() {
    reset();
    if (free_ != nullptr) free_(base);
    free_ = nullptr;
    base = nullptr;
    capacity = 0;
    seal_ = seal();
  }
  // Mixes what is released later; 0 where nothing is.
  std::uintptr_t seal() const {
    constexpr std::uintptr_t kOdd = 0x9E3779B1u;
    const auto owned = reinterpret_cast<std::uintptr_t>(owned_);
    const auto mapped = reinterpret_cast<std::uintptr_t>(mapped_) * kOdd + mapped_bytes_;
    const auto heap = free_ != nullptr ? reinterpret_cast<std::uintptr_t>(base) : 0;
    const auto calls = reinterpret_cast<std::uintptr_t>(free_);
    return (((owned * kOdd + (mapped_ ? mapped : 0)) * kOdd) + heap) * kOdd + calls;
  }

  std::size_t high_water_ = 0;
  ArenaOwned* owned_ = nullptr;
  const void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  void (*unmap_)(const void* data, std::size_t size) = nullptr;
  void (*free_)(void* memory) = nullptr;  // of what init_heap took
  std::uintptr_t seal_ = 0;
  std::uint32_t generation_ = 0;
};

}  // namespace netkit

#endif
