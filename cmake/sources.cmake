# SPDX-License-Identifier: MIT
# The side of a source follows from its folder and suffix.
file(GLOB_RECURSE NETKIT_TARGET_SOURCES CONFIGURE_DEPENDS
     src/base/*.c src/ops/*.c src/runtime/*.c src/runtime/*.cc)
file(GLOB_RECURSE NETKIT_HOST_SOURCES CONFIGURE_DEPENDS
     src/base/*.cc src/ops/*.cc src/compiler/*.cc)
file(GLOB_RECURSE NETKIT_CLI_SOURCES CONFIGURE_DEPENDS src/cli/*.cc)
file(GLOB_RECURSE NETKIT_TEST_SOURCES CONFIGURE_DEPENDS src/*_test.cc tests/*_test.cc)

foreach(list NETKIT_TARGET_SOURCES NETKIT_HOST_SOURCES NETKIT_CLI_SOURCES)
  list(FILTER ${list} EXCLUDE REGEX "_test\\.cc$")
endforeach()
# Faster kernels for one instruction set stand in folders named after it. Those in arm are plain C
# too, which every machine runs.
foreach(isa x86 riscv)
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/ops/[^/]+/${isa}/")
endforeach()
# runtime/host needs an operating system and is part of libnetkit on class cpu; runtime/bare stands
# in its place elsewhere. An mpu has the bare networks, and of the host the arena, mapped files and
# last error.
set(netkit_mpu_host "(arena_host|mapped_file|last_error|c_arena_heap)")
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/runtime/host/")
elseif(NETKIT_TARGET STREQUAL "cpu")
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/runtime/bare/")
else()
  set(netkit_host_part ${NETKIT_TARGET_SOURCES})
  list(FILTER netkit_host_part INCLUDE REGEX "src/runtime/host/${netkit_mpu_host}\\.cc$")
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/runtime/(host/|bare/last_error)")
  list(APPEND NETKIT_TARGET_SOURCES ${netkit_host_part})
endif()
# The heap behind an arena: on a cpu unless the program's own buffer is asked for, on an mpu where
# the heap is.
if(NETKIT_GLOBAL_ARENA OR (NOT NETKIT_TARGET STREQUAL "cpu" AND NOT NETKIT_HEAP_ARENA))
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/runtime/host/c_arena_heap\\.cc$")
endif()
