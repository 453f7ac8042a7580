# SPDX-License-Identifier: MIT
set(netkit_arch cortex-m4)
include(${CMAKE_CURRENT_LIST_DIR}/cortex-m.cmake)
