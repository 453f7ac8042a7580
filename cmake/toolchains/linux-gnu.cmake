# SPDX-License-Identifier: MIT
# Linux on Arm or RISC-V, Debian's cross compilers; netkit_arch names the instruction set.
set(netkit_triple_aarch64 aarch64-linux-gnu)
set(netkit_triple_armv7 arm-linux-gnueabihf)
set(netkit_triple_rv64gc riscv64-linux-gnu)
set(netkit_triple ${netkit_triple_${netkit_arch}})
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES netkit_arch)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${netkit_arch})
set(CMAKE_C_COMPILER ${netkit_triple}-gcc)
set(CMAKE_CXX_COMPILER ${netkit_triple}-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_INIT "-ffunction-sections -fdata-sections")
