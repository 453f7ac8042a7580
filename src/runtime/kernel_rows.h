// SPDX-License-Identifier: MIT
// Every kernel row (ops.inc) as a table entry, for use at compile time: a table made of some of
// them links no others.
#pragma once

#include <iterator>

#include "netkit/kernels.hpp"
#include "ops/common/fit.h"

// First pass, at file scope: headers, kernels and checks.
#define NK_KERNEL(op, symbol, arch, signature, layout, predicate, modes, fit) \
  NK_EXTERN_C_BEGIN NK_DECLARE_KERNEL(symbol); NK_EXTERN_C_END                \
  NK_DECLARE_FIT(fit);
#include "ops/ops.inc"

namespace netkit {

// Bytes of the first element type that a signature names: "s8" 1, "f32" 4; 0 where it names none.
constexpr uint8_t elem_bytes(const char* signature) {
  unsigned bits = 0;
  for (; *signature && *signature != '_'; ++signature) {
    if (*signature >= '0' && *signature <= '9') {
      bits = bits * 10 + static_cast<unsigned>(*signature - '0');
    }
  }
  return static_cast<uint8_t>(bits / 8);
}

// The type after "_", or the only one.
constexpr const char* result_type(const char* signature) {
  const char* type = signature;
  for (const char* at = signature; *at; ++at) {
    if (*at == '_') type = at + 1;
  }
  return type;
}

// In the order of ops.inc; a kernel of several operators stands there several times.
constexpr nk_kernel_entry kKernelRows[] = {
#define NK_KERNEL(op, symbol, arch, signature, layout, predicate, modes, fit) \
  {kernel_id(#symbol), sizeof(nk_##op##_params), elem_bytes(#signature),      \
   elem_bytes(result_type(#signature)), symbol, fit},
#include "ops/ops.inc"
    {}};
constexpr size_t kKernelRowCount = std::size(kKernelRows) - 1;

// The table of the kernels with these C symbols; an entry of zeros, first, for a symbol that is
// none.
template <size_t N>
constexpr std::array<nk_kernel_entry, N> kernels_named(const char* const (&symbols)[N]) {
  nk_kernel_entry found[N] = {};
  for (size_t i = 0; i < N; ++i) {
    for (size_t row = 0; row < kKernelRowCount; ++row) {
      if (kKernelRows[row].id == kernel_id(symbols[i])) found[i] = kKernelRows[row];
    }
  }
  return sorted_kernels<N>(found);
}

}  // namespace netkit
