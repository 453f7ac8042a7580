// SPDX-License-Identifier: MIT
// Elements of a tensor as numbers, for comparing and printing on the host.
#pragma once

#include <cstdint>
#include <cstdio>

#include "base/nk_format.h"

namespace netkit {

uint32_t element_count(const nk_file_tensor& tensor);

// The stored number (not dequantised); int64 and uint64 beyond 2^53 lose low bits. `data` may have
// any alignment; index < element_count.
double element(const nk_file_tensor& tensor, const void* data, uint32_t index);

// The real value: dequantised where the tensor has a scale.
double real_element(const nk_file_tensor& tensor, const void* data, uint32_t index);

// One line: "name float32[1x10]: 0.1 0.2 …", at most `limit` values, then their number.
void print_tensor(std::FILE* to, const char* name, const nk_file_tensor& tensor,
                  const void* data, uint32_t limit);

}  // namespace netkit
