# SPDX-License-Identifier: MIT
set(NETKIT_MARCH rv32imc)
include(${CMAKE_CURRENT_LIST_DIR}/riscv32.cmake)
