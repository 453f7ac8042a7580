# SPDX-License-Identifier: MIT
# What a build is for, before project(): NETKIT_TARGET, NETKIT_ARCH and the switches of
# docs/build-targets.md become a toolchain file and the macros of include/netkit/config.h. What may
# not stand together is refused here, with the reason; cmake -P only asks that.
if(CMAKE_SCRIPT_MODE_FILE)
  cmake_minimum_required(VERSION 3.22)
endif()
set(NETKIT_TARGET "cpu" CACHE STRING "cpu, mcu_arm, mpu_arm, mcu_risc, mpu_risc or mcu_esp")
set(NETKIT_ARCH "" CACHE STRING "the chip of a target that is not cpu; empty: the target's first")
set(netkit_switches GLOBAL_ARENA HEAP_ARENA MMAP ARENA_CAPACITY ARENA_KB CMSIS_NN NMSIS_NN ESP_NN
    XNNPACK)
foreach(name ${netkit_switches})
  set(NETKIT_${name} "" CACHE STRING "see docs/build-targets.md")
endforeach()

# "target|arch|toolchain file|compiler", the default of a target first.
set(netkit_arch_rows "")
foreach(core 4 0 0plus 3 7 33 55)
  list(APPEND netkit_arch_rows "mcu_arm|cortex-m${core}|cortex-m|arm-none-eabi-gcc")
endforeach()
list(APPEND netkit_arch_rows
     "mcu_risc|rv32imac|rv32imac|riscv64-unknown-elf-gcc"
     "mcu_risc|rv32imc|rv32imc|riscv64-unknown-elf-gcc"
     "mcu_esp|ESP32C3|rv32imc|riscv64-unknown-elf-gcc"
     "mcu_esp|ESP32C6|rv32imac|riscv64-unknown-elf-gcc"
     "mcu_esp|ESP32H2|rv32imac|riscv64-unknown-elf-gcc"
     "mcu_esp|ESP32|xtensa|xtensa-esp32-elf-gcc" "mcu_esp|ESP32S2|xtensa|xtensa-esp32s2-elf-gcc"
     "mcu_esp|ESP32S3|xtensa|xtensa-esp32s3-elf-gcc"
     "mpu_arm|aarch64|linux-gnu|aarch64-linux-gnu-g++"
     "mpu_arm|armv7|linux-gnu|arm-linux-gnueabihf-g++"
     "mpu_risc|rv64gc|linux-gnu|riscv64-linux-gnu-g++")
# "switch|targets that may have it|why no other|folder of the backend"
set(netkit_backend_rows
    "CMSIS_NN|mcu_arm|CMSIS-NN is for Cortex-M (mcu_arm)|cmsis_nn"
    "NMSIS_NN|mcu_risc|NMSIS-NN is for Nuclei and RV32 (mcu_risc)|nmsis_nn"
    "ESP_NN|mcu_esp|ESP-NN is for ESP32 (mcu_esp)|esp_nn"
    "XNNPACK|cpu mpu_arm mpu_risc|XNNPACK needs an operating system (cpu, mpu)|xnnpack")

function(netkit_refuse text)
  message(FATAL_ERROR "netkit: ${text}")
endfunction()

function(netkit_find_arch)
  set(archs "")
  set(targets cpu)
  foreach(row ${netkit_arch_rows})
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 target)
    list(GET row 1 arch)
    list(APPEND targets ${target})
    if(target STREQUAL NETKIT_TARGET)
      list(APPEND archs ${arch})
      if(NOT netkit_toolchain AND (arch STREQUAL NETKIT_ARCH OR NETKIT_ARCH STREQUAL ""))
        list(GET row 2 netkit_toolchain)
        list(GET row 3 compiler)
        set(netkit_compiler_name ${compiler} PARENT_SCOPE)
        set(netkit_toolchain ${netkit_toolchain} PARENT_SCOPE)
        set(netkit_arch ${arch} PARENT_SCOPE)
      endif()
    endif()
  endforeach()
  list(REMOVE_DUPLICATES targets)
  string(REPLACE ";" " " targets "${targets}")
  string(REPLACE ";" " " archs "${archs}")
  if(NETKIT_TARGET STREQUAL "cpu")
    if(NOT NETKIT_ARCH STREQUAL "")
      netkit_refuse("NETKIT_ARCH=${NETKIT_ARCH}: a cpu build is for the machine at hand; leave it \
out, or give a NETKIT_TARGET")
    endif()
  elseif(archs STREQUAL "")
    netkit_refuse("NETKIT_TARGET=${NETKIT_TARGET} is not known: ${targets}")
  elseif(NOT netkit_toolchain)
    netkit_refuse("NETKIT_ARCH=${NETKIT_ARCH} is no ${NETKIT_TARGET}: ${archs}")
  endif()
endfunction()

# A switch is empty (the target's default), 0 or 1; the two sizes are whole numbers.
function(netkit_check_values)
  foreach(name ${netkit_switches})
    set(value "${NETKIT_${name}}")
    if(name MATCHES "^ARENA_")
      if(NOT value MATCHES "^([1-9][0-9]*)?$" OR value MATCHES "^............")
        netkit_refuse("NETKIT_${name}=${value} is no size: a whole number from 1 to 99999999999")
      endif()
    elseif(NOT value MATCHES "^[01]?$")
      netkit_refuse("NETKIT_${name}=${value}: 0 or 1")
    endif()
  endforeach()
  if(NETKIT_ARENA_CAPACITY AND NETKIT_ARENA_KB)
    netkit_refuse("NETKIT_ARENA_CAPACITY and NETKIT_ARENA_KB say the same twice: give one")
  endif()
endfunction()

function(netkit_check_memory)
  string(REGEX MATCH "^m.u" class ${NETKIT_TARGET})
  if(NETKIT_HEAP_ARENA AND class STREQUAL "mcu")
    netkit_refuse("NETKIT_HEAP_ARENA=1 on ${NETKIT_TARGET}: an mcu has no heap, its arena is the \
program's buffer")
  elseif(NETKIT_HEAP_ARENA AND NETKIT_TARGET STREQUAL "cpu")
    netkit_refuse("NETKIT_HEAP_ARENA=1 on cpu: a cpu has the heap arena unless \
NETKIT_GLOBAL_ARENA; leave it out")
  elseif(NETKIT_HEAP_ARENA AND NETKIT_GLOBAL_ARENA)
    netkit_refuse("NETKIT_HEAP_ARENA=1 and NETKIT_GLOBAL_ARENA=1 exclude each other")
  elseif(NETKIT_MMAP AND class STREQUAL "mcu")
    netkit_refuse("NETKIT_MMAP=1 on ${NETKIT_TARGET}: an mcu maps no files; pass the .nk file's \
bytes in flash")
  endif()
endfunction()

function(netkit_check_backends)
  foreach(row ${netkit_backend_rows})
    string(REPLACE "|" ";" row "${row}")
    list(GET row 0 name)
    list(GET row 1 targets)
    list(GET row 2 why)
    list(GET row 3 folder)
    if(NOT NETKIT_${name})
      continue()
    endif()
    string(REPLACE " " ";" targets "${targets}")
    if(NOT NETKIT_TARGET IN_LIST targets)
      netkit_refuse("NETKIT_${name}=1 on ${NETKIT_TARGET}: ${why}")
    elseif(NOT IS_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/src/backends/${folder})
      netkit_refuse("NETKIT_${name}=1: not built: there is no src/backends/${folder}; leave it \
out, netkit's own kernels are used")
    endif()
  endforeach()
endfunction()

netkit_find_arch()
netkit_check_values()
netkit_check_memory()
netkit_check_backends()
if(CMAKE_SCRIPT_MODE_FILE)
  return()
endif()

# The macros; none of them for a cpu build without switches.
set(netkit_definitions "")
if(NOT NETKIT_TARGET STREQUAL "cpu")
  string(TOUPPER "NETKIT_TARGET_${NETKIT_TARGET}=1" netkit_definitions)
  set(NETKIT_RUNTIME_ONLY ON)
  if(NOT CMAKE_TOOLCHAIN_FILE)
    find_program(netkit_compiler_path ${netkit_compiler_name} NO_CACHE)
    if(NOT netkit_compiler_path)
      netkit_refuse("${NETKIT_TARGET} ${netkit_arch}: ${netkit_compiler_name} is not in the PATH; \
scripts/install_packages.sh ${NETKIT_TARGET} installs Debian's, ESP-IDF's export.sh has xtensa's")
    endif()
    set(CMAKE_TOOLCHAIN_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/toolchains/${netkit_toolchain}.cmake)
  endif()
endif()
foreach(name GLOBAL_ARENA HEAP_ARENA)
  if(NETKIT_${name})
    list(APPEND netkit_definitions NETKIT_${name}=1)
  endif()
endforeach()
foreach(name MMAP ARENA_CAPACITY ARENA_KB)
  if(NOT NETKIT_${name} STREQUAL "")
    list(APPEND netkit_definitions NETKIT_${name}=${NETKIT_${name}})
  endif()
endforeach()
