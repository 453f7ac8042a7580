// SPDX-License-Identifier: MIT
// Memory of a session: the model file and the arena.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <span>
#include <utility>

namespace netkit::driver {

// Heap memory of an exact size and alignment, so that a sanitizer sees one byte too far.
class AlignedBlock {
 public:
  AlignedBlock() = default;
  AlignedBlock(size_t bytes, size_t alignment)
      : bytes_(bytes),
        data_(static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}))),
        alignment_(alignment) {}
  AlignedBlock(AlignedBlock&& other) noexcept { swap(other); }
  AlignedBlock& operator=(AlignedBlock&& other) noexcept {
    swap(other);
    return *this;
  }
  ~AlignedBlock() {
    if (data_ != nullptr) ::operator delete(data_, std::align_val_t{alignment_});
  }
  // A .nk file's bytes as flash would hold them, at a multiple of 4096.
  static AlignedBlock copy_of(std::span<const std::byte> file) {
    AlignedBlock block(file.size(), 4096);
    if (!file.empty()) std::memcpy(block.data(), file.data(), file.size());
    return block;
  }
  std::byte* data() const { return data_; }
  size_t size() const { return bytes_; }

 private:
  void swap(AlignedBlock& other) {
    std::swap(bytes_, other.bytes_);
    std::swap(data_, other.data_);
    std::swap(alignment_, other.alignment_);
  }
  size_t bytes_ = 0;
  std::byte* data_ = nullptr;
  size_t alignment_ = 1;
};

}  // namespace netkit::driver
