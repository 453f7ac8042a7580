// SPDX-License-Identifier: MIT
// Every operator that networks are built of: a unit of its own, which a program that names its
// operators does not link.
#include "netkit/ops_resolver.hpp"

namespace netkit {

NkOpsResolver all_network_ops() {
  static constexpr const NkOpKernels* kAll[] = {
#define NETKIT_ADDRESS(name) &NkOps::name::kTable,
      NETKIT_NETWORK_OPS(NETKIT_ADDRESS)
#undef NETKIT_ADDRESS
  };
  return {kAll, sizeof kAll / sizeof kAll[0]};
}

}  // namespace netkit
