# SPDX-License-Identifier: MIT
# One test program per part: test_ops, test_runtime, test_compiler_plan and so on, test_tests. Each
# compiles in few large units (NETKIT_UNITY), so names in unnamed namespaces differ within a part.
find_package(GTest REQUIRED)
set(netkit_test_parts)
foreach(source ${NETKIT_TEST_SOURCES})
  file(RELATIVE_PATH name ${CMAKE_SOURCE_DIR} ${source})
  string(REGEX REPLACE "^src/|/[^/]*$" "" name ${name})
  string(REGEX MATCH "^(compiler/)?[^/]+" name ${name})
  string(REPLACE "/" "_" name test_${name})
  list(APPEND netkit_test_parts ${name})
  list(APPEND ${name}_sources ${source})
endforeach()
list(REMOVE_DUPLICATES netkit_test_parts)
# One precompiled header for all test programs.
file(WRITE ${CMAKE_BINARY_DIR}/generated/test_headers.cc "")
add_library(netkit_test_headers OBJECT ${CMAKE_BINARY_DIR}/generated/test_headers.cc)
target_link_libraries(netkit_test_headers PRIVATE netkit_flags netkit_compiler GTest::gtest_main)
target_compile_options(netkit_test_headers PRIVATE -O1)
target_precompile_headers(netkit_test_headers PRIVATE ${netkit_precompiled} <gtest/gtest.h>)
list(APPEND test_tests_sources ${CMAKE_SOURCE_DIR}/tests/test_support.cc
     ${CMAKE_SOURCE_DIR}/tests/emitted_forms.cc
     ${CMAKE_SOURCE_DIR}/tests/forged_seeds.cc ${CMAKE_SOURCE_DIR}/tests/forged_steps.cc)
foreach(name ${netkit_test_parts})
  add_executable(${name} ${${name}_sources})
  target_precompile_headers(${name} REUSE_FROM netkit_test_headers)
  target_link_libraries(${name} PRIVATE netkit_flags netkit_compiler GTest::gtest_main)
  if(TARGET netkit_schemas AND name MATCHES "^test_(compiler_import|tests$)")
    target_link_libraries(${name} PRIVATE netkit_schemas)
  endif()
  # Not -O0: the linker takes inline functions of both from the tests, and they are used by all.
  target_compile_options(${name} PRIVATE -O1)
  # The runtime's public headers have a Tensor too.
  if(NOT name STREQUAL test_runtime)
    set_target_properties(${name} PROPERTIES UNITY_BUILD ${NETKIT_UNITY} UNITY_BUILD_BATCH_SIZE 8)
  endif()
  target_compile_definitions(${name} PRIVATE NETKIT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                             NETKIT_BINARY_DIR="${CMAKE_BINARY_DIR}"
                             NETKIT_C_COMPILER="${CMAKE_C_COMPILER}"
                             NETKIT_CXX_COMPILER="${CMAKE_CXX_COMPILER}")
  # The whole-toolchain program takes minutes under sanitizers: its parts run side by side.
  # The longest of the others starts first, so that none runs alone at the end.
  set(parts 1)
  set(cost 1)
  if(name STREQUAL test_tests)
    set(parts 8)
    set(cost 8)
  elseif(name STREQUAL test_compiler_plan)
    set(cost 9)
  endif()
  foreach(part RANGE 1 ${parts})
    math(EXPR index "${part} - 1")
    set(test ${name})
    if(parts GREATER 1)
      set(test ${name}_${part})
    endif()
    add_test(NAME ${test} COMMAND ${name})
    # ASAN_OPTIONS, read by AddressSanitizer only: no input may make us ask for more at once. Short
    # stacks of allocations take a quarter of the time away; set your own to see where one was made.
    set_tests_properties(${test} PROPERTIES COST ${cost} ENVIRONMENT
      "ASAN_OPTIONS=max_allocation_size_mb=64:allocator_may_return_null=0:malloc_context_size=3;\
GTEST_TOTAL_SHARDS=${parts};GTEST_SHARD_INDEX=${index}")
  endforeach()
endforeach()
add_dependencies(test_tests netkit_cli netkit_library)  # the pages' commands are run
# Building messages from string pieces trips GCC 12 here (GCC bug 105329).
target_compile_options(test_tests PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-stringop-overflow>)
# One C program in three dialects calls every function of netkit.h.
foreach(dialect 99 11 23)
  set(name test_capi_c${dialect})
  add_executable(${name} ${CMAKE_SOURCE_DIR}/tests/capi/all_calls.c
                 ${CMAKE_SOURCE_DIR}/tests/capi/arena_calls.c
                 ${CMAKE_SOURCE_DIR}/tests/capi/quant_calls.c)
  set_target_properties(${name} PROPERTIES C_STANDARD ${dialect} LINKER_LANGUAGE CXX)
  target_link_libraries(${name} PRIVATE netkit_flags netkit_command_line m)
  add_test(NAME ${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR}
           COMMAND ${name} models/digits_cnn_int8.tflite ${CMAKE_BINARY_DIR})
endforeach()
# The samples of the older interface's pages, as a program with its flat header names.
file(GLOB netkit_older_face CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/older_face/*.cc)
add_executable(test_older_face ${netkit_older_face})
target_include_directories(test_older_face PRIVATE ${CMAKE_SOURCE_DIR}/include/compat)
target_link_libraries(test_older_face PRIVATE netkit_flags netkit_command_line GTest::gtest_main)
target_compile_options(test_older_face PRIVATE -O1)
add_test(NAME test_older_face COMMAND test_older_face WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
# The same over the builder of bare devices, which stands where the compiler's calls stand.
foreach(part built_network c_blocks c_models c_networks parse timed)
  list(APPEND netkit_bare ${CMAKE_SOURCE_DIR}/src/runtime/bare/${part}.cc)
endforeach()
add_executable(test_bare_networks ${netkit_bare} ${CMAKE_SOURCE_DIR}/tests/older_face/blocks.cc
               ${CMAKE_SOURCE_DIR}/tests/older_face/samples.cc
               ${CMAKE_SOURCE_DIR}/tests/bare/models.cc)
target_link_libraries(test_bare_networks PRIVATE GTest::gtest_main)
target_compile_definitions(test_bare_networks PRIVATE NETKIT_SOURCE_DIR="${CMAKE_SOURCE_DIR}"
                           NETKIT_BINARY_DIR="${CMAKE_BINARY_DIR}")
add_dependencies(test_bare_networks netkit_cli)
add_test(NAME test_bare_networks COMMAND test_bare_networks)
add_executable(figures_bare ${netkit_bare} ${CMAKE_SOURCE_DIR}/tests/bare/figures.cc)
target_compile_definitions(figures_bare PRIVATE NETKIT_BARE)
add_executable(figures_host ${CMAKE_SOURCE_DIR}/tests/bare/figures.cc)
target_link_libraries(figures_host PRIVATE netkit_compiler)
foreach(name test_bare_networks figures_bare)
  target_compile_definitions(${name} PRIVATE NETKIT_TARGET_MCU_ARM)
endforeach()
foreach(name test_bare_networks figures_bare figures_host)
  target_include_directories(${name} PRIVATE ${CMAKE_SOURCE_DIR}/include/compat)
  target_link_libraries(${name} PRIVATE netkit_flags netkit)
  target_compile_options(${name} PRIVATE -O1)
endforeach()
add_test(NAME bare_figures COMMAND python3 ${CMAKE_SOURCE_DIR}/tests/bare/compare_figures.py
         $<TARGET_FILE:figures_host> $<TARGET_FILE:figures_bare>)
# The installed package, used by a project of its own, which has no sanitizers to link.
if(NOT NETKIT_SANITIZE)
  add_test(NAME test_package COMMAND ${CMAKE_SOURCE_DIR}/tests/package/check.sh ${CMAKE_BINARY_DIR})
endif()
