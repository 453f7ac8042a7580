# SPDX-License-Identifier: MIT
# 32-bit RISC-V, riscv64-unknown-elf-gcc with picolibc. The including file sets NETKIT_MARCH.
# The compiler ships no C++ headers: those of the arm compiler are used, of which the device half
# needs only what does not depend on the architecture.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR riscv32)
set(CMAKE_C_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_CXX_COMPILER riscv64-unknown-elf-gcc)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(netkit_device_flags "-march=${NETKIT_MARCH} -mabi=ilp32 -mcmodel=medany \
--specs=picolibc.specs -ffunction-sections -fdata-sections")
file(GLOB netkit_cxx_headers /usr/lib/arm-none-eabi/include/c++/*)
list(GET netkit_cxx_headers -1 netkit_cxx_headers)
set(CMAKE_C_FLAGS_INIT "${netkit_device_flags}")
set(CMAKE_CXX_FLAGS_INIT "${netkit_device_flags} -isystem ${netkit_cxx_headers} \
-isystem ${netkit_cxx_headers}/arm-none-eabi/thumb/v6-m/nofp")
