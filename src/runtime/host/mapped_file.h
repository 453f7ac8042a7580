// SPDX-License-Identifier: MIT
// A file mapped read-only into memory, so that a .nk file is used in place as from flash.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netkit {

// Owns the mapping; movable. The address is a multiple of the page size.
class MappedFile {
 public:
  MappedFile() = default;
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() { close(); }

  // nullptr, or what went wrong ("No such file or directory"). Regular files only: a pipe or a
  // device cannot be mapped. An empty file opens with size 0.
  const char* open(const char* path);
  void close();

  const uint8_t* data() const { return data_; }
  size_t size() const { return size_; }

 private:
  const uint8_t* data_ = nullptr;
  size_t size_ = 0;
};

}  // namespace netkit
