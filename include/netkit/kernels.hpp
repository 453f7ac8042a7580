// SPDX-License-Identifier: MIT
// Kernel tables made at compile time, so that a program links only the kernels that it names.
// C++17 and newer.
#ifndef NETKIT_KERNELS_HPP
#define NETKIT_KERNELS_HPP

#include <array>
#include <cstddef>
#include <cstdint>

#include "netkit.h"

namespace netkit {

// The id of a kernel's C symbol or of a target profile: 32-bit FNV-1a.
constexpr uint32_t kernel_id(const char* symbol) {
  uint32_t hash = 2166136261u;
  for (; *symbol; ++symbol) hash = (hash ^ static_cast<uint8_t>(*symbol)) * 16777619u;
  return hash;
}

// The first N of the entries, by id (Shell's sort: a few hundred entries stay within what
// compilers evaluate).
template <size_t N, size_t M>
constexpr std::array<nk_kernel_entry, N> sorted_kernels(const nk_kernel_entry (&entries)[M]) {
  static_assert(N <= M, "more entries asked for than given");
  std::array<nk_kernel_entry, N> out{};
  for (size_t i = 0; i < N; ++i) out[i] = entries[i];
  for (size_t gap = N / 2; gap > 0; gap /= 2) {
    for (size_t i = gap; i < N; ++i) {
      const nk_kernel_entry entry = out[i];
      size_t at = i;
      for (; at >= gap && out[at - gap].id > entry.id; at -= gap) out[at] = out[at - gap];
      out[at] = entry;
    }
  }
  return out;
}

// A table for Model::load or nk_program_load_with, each kernel once:
//   constexpr auto kKernels = netkit::kernel_table(
//       {{netkit::kernel_id("nk_add_s8_ref"), sizeof(nk_add_params), 1, 1, nk_add_s8_ref,
//         nk_binary_fit}, ...});
template <size_t N>
constexpr std::array<nk_kernel_entry, N> kernel_table(const nk_kernel_entry (&entries)[N]) {
  return sorted_kernels<N>(entries);
}

}  // namespace netkit

#endif
