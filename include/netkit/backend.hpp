// SPDX-License-Identifier: MIT
// What the headers of backends say where their adapter is not built: nothing is taken over,
// netkit's own kernels run. C++17 and newer.
#ifndef NETKIT_BACKEND_HPP
#define NETKIT_BACKEND_HPP

#include "netkit/config.h"

namespace netkit {

// A call that a backend could take over, and does not; it reads and writes nothing.
struct NotBuilt {
  template <typename... Arguments>
  constexpr bool operator()(Arguments&&...) const {
    return false;
  }
};

}  // namespace netkit

#endif
