// SPDX-License-Identifier: MIT
// CRC-32 by a table of 256 words in flash, four bytes a turn where the address allows.
#include "runtime/nk/crc32.h"

#include <array>
#include <bit>

namespace netkit {
namespace {

static_assert(std::endian::native == std::endian::little, ".nk files are read in place");

constexpr std::array<uint32_t, 256> make_table() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t value = i;
    for (int bit = 0; bit < 8; ++bit) {
      value = (value >> 1) ^ ((value & 1u) ? 0xEDB88320u : 0u);
    }
    table[i] = value;
  }
  return table;
}
constexpr std::array<uint32_t, 256> kTable = make_table();

// Inline also where the compiler optimises for size: a call would cost more than the work.
[[gnu::always_inline]] inline uint32_t step(uint32_t crc) {
  return (crc >> 8) ^ kTable[crc & 0xFFu];
}

}  // namespace

uint32_t crc32(const void* data, size_t bytes) {
  const auto* p = static_cast<const uint8_t*>(data);
  uint32_t crc = 0xFFFFFFFFu;
  for (; bytes && (reinterpret_cast<uintptr_t>(p) & 3u); --bytes) crc = step(crc ^ *p++);
  for (; bytes >= 4; bytes -= 4, p += 4) {
    uint32_t word;
    __builtin_memcpy(&word, __builtin_assume_aligned(p, 4), 4);
    crc = step(step(step(step(crc ^ word))));
  }
  for (; bytes; --bytes) crc = step(crc ^ *p++);
  return ~crc;
}

}  // namespace netkit
