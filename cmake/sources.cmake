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
# runtime/host needs an operating system: it is part of libnetkit on class cpu only.
if(CMAKE_SYSTEM_NAME STREQUAL "Generic")
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/runtime/host/")
else()
  # What a bare device has in place of runtime/host.
  list(FILTER NETKIT_TARGET_SOURCES EXCLUDE REGEX "src/runtime/bare/")
endif()
