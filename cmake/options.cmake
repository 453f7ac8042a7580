# SPDX-License-Identifier: MIT
option(NETKIT_TESTS "build the tests" ON)
option(NETKIT_BENCH "benches, as targets built by name" OFF)
option(NETKIT_SANITIZE "AddressSanitizer and UndefinedBehaviorSanitizer" OFF)
option(NETKIT_FUZZ "libFuzzer programs of fuzz/ (clang only)" OFF)
option(NETKIT_RUNTIME_ONLY "only libnetkit, the device half" OFF)
option(NETKIT_UNITY "compile the host half in few large units; OFF recompiles one file faster" ON)
option(NETKIT_PYTHON "the Python package of python/" OFF)
option(NETKIT_NEWEST_DIALECT "C++26 and C23 (clang-22) in place of C++23 and C99" OFF)

if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release)
endif()
# Host code is searched and parsed, not hot loops: -O2 compiles faster. Kernels (C) keep -O3.
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NETKIT_NEWEST_DIALECT)
  # CMake 3.25 does not know these spellings for clang-22.
  set(CMAKE_CXX26_STANDARD_COMPILE_OPTION -std=c++26)
  set(CMAKE_CXX26_EXTENSION_COMPILE_OPTION -std=gnu++26)
  set(CMAKE_C23_STANDARD_COMPILE_OPTION -std=c23)
  set(CMAKE_CXX_STANDARD 26)
  set(NETKIT_RUNTIME_STANDARD 26)
  set(CMAKE_C_STANDARD 23)
else()
  set(CMAKE_CXX_STANDARD 23)
  set(NETKIT_RUNTIME_STANDARD 20)
  set(CMAKE_C_STANDARD 99)
endif()

# -ffp-contract=off: the same float bits on every machine (docs/numerics.md).
add_library(netkit_flags INTERFACE)
target_compile_options(netkit_flags INTERFACE -Wall -Wextra -Wshadow -Werror -ffp-contract=off)
# GCC 12 reports "text" + std::string as -Wrestrict or -Warray-bounds (GCC bug 105651).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(netkit_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict;-Wno-array-bounds>")
endif()
# libstdc++ 12's stable_sort calls std::get_temporary_buffer, deprecated from C++17 on: clang warns.
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
  target_compile_options(netkit_flags INTERFACE
    "$<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>")
endif()
target_include_directories(netkit_flags INTERFACE ${CMAKE_SOURCE_DIR}/src
                           ${CMAKE_SOURCE_DIR}/include)
if(NETKIT_FUZZ)
  set(NETKIT_SANITIZE ON)
  add_compile_options(-fsanitize=fuzzer-no-link)
endif()
if(NETKIT_SANITIZE)
  add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=all
                      -fno-omit-frame-pointer -O1)
  # AddressSanitizer stops at what these two look for; they are a fifth of compiling C++.
  add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:-fno-sanitize=null,object-size>")
  add_link_options(-fsanitize=address,undefined)
endif()
