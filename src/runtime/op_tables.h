// SPDX-License-Identifier: MIT
// Tables of netkit/ops_resolver.hpp from a list X(operator, its kernels): the entries in an unnamed
// namespace, then the tables in namespace NkOps. A kernel that does not exist is a compile error.
#ifndef NK_RUNTIME_OP_TABLES_H
#define NK_RUNTIME_OP_TABLES_H

#include "netkit/ops_resolver.hpp"
#include "runtime/kernel_rows.h"

#define NETKIT_OP_ENTRIES(op, ...)                             \
  constexpr const char* const k##op##Names[] = {__VA_ARGS__};  \
  constexpr auto k##op##Entries = kernels_named(k##op##Names); \
  static_assert(k##op##Entries[0].run != nullptr, "no such kernel");

#define NETKIT_OP_TABLE(op, ...) \
  const NkOpKernels op::kTable = {k##op##Entries.data(), k##op##Entries.size()};

#endif
