# SPDX-License-Identifier: MIT
# ESP32, ESP32-S2 and ESP32-S3 with the compilers of ESP-IDF, which stand in the PATH after its
# export.sh; netkit_arch names the chip.
string(TOLOWER "${netkit_arch}" netkit_chip)
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES netkit_arch)
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR xtensa)
set(CMAKE_C_COMPILER xtensa-${netkit_chip}-elf-gcc)
set(CMAKE_CXX_COMPILER xtensa-${netkit_chip}-elf-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_C_FLAGS_INIT "-mlongcalls -ffunction-sections -fdata-sections")
set(CMAKE_CXX_FLAGS_INIT "-mlongcalls -ffunction-sections -fdata-sections")
