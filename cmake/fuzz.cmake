# SPDX-License-Identifier: MIT
# libFuzzer programs: fuzz/NAME.cc becomes fuzz_NAME. Needs clang (-DCMAKE_CXX_COMPILER=clang++-22);
# the whole tree is then built with coverage, AddressSanitizer and UndefinedBehaviorSanitizer.
if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  message(FATAL_ERROR "NETKIT_FUZZ needs clang: set CMAKE_C_COMPILER and CMAKE_CXX_COMPILER")
endif()
file(GLOB netkit_fuzzers CONFIGURE_DEPENDS fuzz/*.cc)
foreach(source ${netkit_fuzzers})
  get_filename_component(name ${source} NAME_WE)
  add_executable(fuzz_${name} ${source})
  target_link_libraries(fuzz_${name} PRIVATE netkit_flags netkit_compiler)
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
endforeach()
target_sources(fuzz_nk_verify PRIVATE tests/forged_seeds.cc tests/forged_steps.cc)
target_include_directories(fuzz_nk_verify PRIVATE ${CMAKE_SOURCE_DIR}/tests)
