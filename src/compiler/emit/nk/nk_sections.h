// SPDX-License-Identifier: MIT
// What the .nk writer puts its sections together with: a growing byte string, interned strings
// and the assembly of header, table and payloads.
#pragma once

#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "base/nk_format.h"
#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit {

// Bytes of one section. Sizes are 64 bits: the assembly refuses what is too large.
class SectionBytes {
 public:
  uint64_t size() const { return bytes_.size(); }
  const Bytes& bytes() const { return bytes_; }

  // Zero bytes up to the next multiple of a power of two; returns the position.
  uint64_t align(uint64_t alignment) {
    bytes_.resize((bytes_.size() + alignment - 1) & ~(alignment - 1));
    return bytes_.size();
  }
  void add(const void* data, size_t count) {
    const auto* from = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), from, from + count);
  }
  template <typename T>
  void add_record(const T& record) {
    static_assert(std::is_trivially_copyable_v<T>);
    add(&record, sizeof record);
  }
  // Overwrites a record that stands at `offset` already.
  template <typename T>
  void set_record(uint64_t offset, const T& record) {
    std::memcpy(bytes_.data() + offset, &record, sizeof record);
  }

 private:
  Bytes bytes_;
};

// Zero-terminated strings, equal ones once; offset 0 is the empty string.
class StringTable {
 public:
  StringTable() { intern(""); }
  uint32_t intern(std::string_view text);
  const SectionBytes& section() const { return section_; }
  uint32_t count() const { return static_cast<uint32_t>(offsets_.size()); }

 private:
  SectionBytes section_;
  std::map<std::string, uint32_t, std::less<>> offsets_;
};

struct OutSection {
  nk_section_kind kind;
  const Bytes* payload;
  uint32_t count;
};

// Header fields that are not derived from the sections: target_id, arena_*, file_alignment.
// Sections stand in the given order, the constants at a multiple of file_alignment.
Result<Bytes> assemble_nk(nk_file_header header, const std::vector<OutSection>& sections);

}  // namespace netkit
