// SPDX-License-Identifier: MIT
// The bytes of a constant: as they stand, or one element repeated, written out when asked for.
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace netkit {

// Little-endian, row-major.
using Bytes = std::vector<std::byte>;

struct Dequantised;  // tensor_type.h

// Immutable; copies share the bytes. A file of a few bytes can state a repeated element of any
// size: size() and element() cost nothing, * and -> write all of it, once for all copies. Not for
// several threads.
class ConstData {
 public:
  ConstData() = default;
  ConstData(std::nullptr_t) {}
  template <typename B>
    requires std::convertible_to<std::shared_ptr<B>, std::shared_ptr<const Bytes>>
  ConstData(std::shared_ptr<B> bytes) {
    if (bytes) all_ = std::make_shared<const All>(std::shared_ptr<const Bytes>(std::move(bytes)));
  }
  // `element`, not empty, over and over; `bytes` is a multiple of its size.
  static ConstData repeated(Bytes element, size_t bytes);

  explicit operator bool() const { return all_ != nullptr; }
  bool operator==(std::nullptr_t) const { return all_ == nullptr; }
  bool operator==(const ConstData& other) const { return all_ == other.all_; }  // the same bytes

  // The rest is for data that is not null.
  const Bytes& operator*() const { return all_->bytes ? *all_->bytes : written(); }
  const Bytes* operator->() const { return &**this; }
  size_t size() const { return all_->bytes ? all_->bytes->size() : all_->size; }
  // Are all bytes there? False for a repeated element until * or -> is used.
  bool is_written() const { return all_->bytes != nullptr; }
  // What is repeated; nullptr where the bytes were given in full.
  const Bytes* element() const { return all_->element.empty() ? nullptr : &all_->element; }

  // The integers that float32 values were computed from, of the same shape; nullptr where there
  // are none. No part of what == compares.
  const Dequantised* integers() const { return integers_.get(); }
  void set_integers(std::shared_ptr<const Dequantised> integers) {
    integers_ = std::move(integers);
  }

 private:
  struct All {
    mutable std::shared_ptr<const Bytes> bytes;
    Bytes element = {};
    size_t size = 0;
  };
  const Bytes& written() const;
  std::shared_ptr<const All> all_;
  std::shared_ptr<const Dequantised> integers_;
};

}  // namespace netkit
