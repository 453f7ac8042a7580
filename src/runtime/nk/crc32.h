// SPDX-License-Identifier: MIT
// CRC-32 of .nk sections: ISO-HDLC (polynomial 0x04C11DB7 reflected, initial value and final xor
// 0xFFFFFFFF), the one of zlib and PNG; "123456789" gives 0xCBF43926.
#pragma once

#include <cstddef>
#include <cstdint>

namespace netkit {

// `bytes` bytes at `data`, which may have any alignment and be nullptr where bytes is 0.
uint32_t crc32(const void* data, size_t bytes);

}  // namespace netkit
