// SPDX-License-Identifier: MIT
// ArenaUtil: an arena as the class of machine allows, and named capacities. C++17 and newer.
#ifndef NETKIT_ARENA_UTIL_HPP
#define NETKIT_ARENA_UTIL_HPP

#include "netkit/arena.hpp"

namespace netkit::ArenaUtil {

inline constexpr std::size_t kHandCapacity = Arena::kDefaultCapacity;
inline constexpr std::size_t kMnistMlpCapacity = Arena::kDefaultCapacity;
inline constexpr std::size_t kMnistCnnCapacity = Arena::kDefaultCapacity;
inline constexpr std::size_t kLargeCnnCapacity = Arena::kDefaultCapacity;
inline constexpr std::size_t kXLargeCnnCapacity = Arena::kDefaultCapacity;

// The default capacity; nk_recommended_arena_bytes and netkit inspect say what a model needs.
constexpr std::size_t CapacityForInputElements(std::uint32_t, bool) {
  return Arena::kDefaultCapacity;
}
constexpr std::size_t CapacityForModel(std::uint32_t, bool, std::uint32_t, std::uint32_t) {
  return Arena::kDefaultCapacity;
}

// Over `global_buffer`, or where that is nullptr over the heap. false: no buffer and no heap on
// this class of machine, or no memory.
inline bool Init(Arena& arena, std::size_t capacity, void* global_buffer = nullptr) {
  if (global_buffer != nullptr) {
    arena.init(global_buffer, capacity);
    return true;
  }
#ifdef NETKIT_ARENA_HEAP
  return arena.init_heap(capacity);
#else
  return false;
#endif
}

// What Init took from the heap, where the class ever frees it; a caller's buffer is only reset.
inline void Release(Arena& arena) {
#ifdef NETKIT_ARENA_HEAP
  arena.destroy_heap();
#else
  arena.reset();
#endif
}

// Init and Release around a block.
class Scoped {
 public:
  Scoped(Arena& arena, std::size_t capacity, void* global_buffer = nullptr)
      : arena_(arena), ok_(Init(arena, capacity, global_buffer)) {}
  ~Scoped() { Release(arena_); }
  Scoped(const Scoped&) = delete;
  Scoped& operator=(const Scoped&) = delete;

  bool ok() const { return ok_; }
  explicit operator bool() const { return ok_; }

 private:
  Arena& arena_;
  bool ok_;
};

}  // namespace netkit::ArenaUtil

#endif
