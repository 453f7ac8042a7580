# SPDX-License-Identifier: MIT
# Cortex-M4 with FPU, arm-none-eabi-gcc. For libnetkit alone (-DNETKIT_RUNTIME_ONLY=ON).
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR arm)
set(CMAKE_C_COMPILER arm-none-eabi-gcc)
set(CMAKE_CXX_COMPILER arm-none-eabi-g++)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(netkit_device_flags "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16 \
-ffunction-sections -fdata-sections")
set(CMAKE_C_FLAGS_INIT "${netkit_device_flags}")
set(CMAKE_CXX_FLAGS_INIT "${netkit_device_flags}")
