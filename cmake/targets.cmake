# SPDX-License-Identifier: MIT
add_library(netkit STATIC ${NETKIT_TARGET_SOURCES})
target_link_libraries(netkit PRIVATE $<BUILD_INTERFACE:netkit_flags>)
target_compile_definitions(netkit PUBLIC ${netkit_definitions})
# On an operating system every library may go into a shared one, such as the Python module.
function(netkit_for_shared target)
  if(NOT CMAKE_SYSTEM_NAME STREQUAL "Generic")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
endfunction()
netkit_for_shared(netkit)
set_target_properties(netkit PROPERTIES CXX_STANDARD ${NETKIT_RUNTIME_STANDARD}
                      ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_compile_options(netkit PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti
                       -fno-threadsafe-statics>)
target_include_directories(netkit PUBLIC $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/src>
                           $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include>
                           $<INSTALL_INTERFACE:include>)

if(NETKIT_RUNTIME_ONLY)
  return()
endif()
# Of this machine's libnetkit.a (below) that is the part without the compiler.
set_target_properties(netkit PROPERTIES OUTPUT_NAME netkit_runtime)

find_package(Protobuf REQUIRED)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_program(NETKIT_FLATC flatc REQUIRED)

# Generated readers of the two model formats, from schemas written here for the fields we use.
set(NETKIT_GENERATED ${CMAKE_BINARY_DIR}/generated)
file(MAKE_DIRECTORY ${NETKIT_GENERATED})
set(NETKIT_SCHEMAS ${CMAKE_SOURCE_DIR}/src/compiler/import/schema)
if(EXISTS ${NETKIT_SCHEMAS}/tflite.fbs)
  add_custom_command(
    OUTPUT ${NETKIT_GENERATED}/tflite_generated.h ${NETKIT_GENERATED}/tflite_bfbs_generated.h
    COMMAND ${NETKIT_FLATC} --cpp --scoped-enums --gen-mutable --bfbs-gen-embed
            -o ${NETKIT_GENERATED} ${NETKIT_SCHEMAS}/tflite.fbs
    DEPENDS ${NETKIT_SCHEMAS}/tflite.fbs)
  add_custom_command(
    OUTPUT ${NETKIT_GENERATED}/onnx.pb.cc ${NETKIT_GENERATED}/onnx.pb.h
    COMMAND protobuf::protoc --cpp_out=${NETKIT_GENERATED} -I${NETKIT_SCHEMAS}
            ${NETKIT_SCHEMAS}/onnx.proto
    DEPENDS ${NETKIT_SCHEMAS}/onnx.proto)
  add_library(netkit_schemas STATIC ${NETKIT_GENERATED}/onnx.pb.cc
              ${NETKIT_GENERATED}/tflite_generated.h
              ${NETKIT_GENERATED}/tflite_bfbs_generated.h)
  netkit_for_shared(netkit_schemas)
  target_include_directories(netkit_schemas SYSTEM PUBLIC $<BUILD_INTERFACE:${NETKIT_GENERATED}>)
  target_link_libraries(netkit_schemas PUBLIC protobuf::libprotobuf-lite)
endif()

# The kernel sources inside the compiler, for the emitted C.
file(GLOB_RECURSE netkit_embedded RELATIVE ${CMAKE_SOURCE_DIR}/src CONFIGURE_DEPENDS
     src/base/*.h src/ops/*.c src/ops/*.h)
list(FILTER netkit_embedded EXCLUDE REGEX "fit\\.[ch]$")  # for files, which emitted C has none of
# A header with #pragma once is C++ for the host; kernels and what they include carry guards.
foreach(file ${netkit_embedded})
  file(STRINGS ${CMAKE_SOURCE_DIR}/src/${file} netkit_host_mark REGEX "^#pragma once")
  if(netkit_host_mark)
    list(REMOVE_ITEM netkit_embedded ${file})
  endif()
endforeach()
set(netkit_embedded_paths ${netkit_embedded})
list(TRANSFORM netkit_embedded_paths PREPEND ${CMAKE_SOURCE_DIR}/src/)
add_custom_command(
  OUTPUT ${NETKIT_GENERATED}/embedded_sources.cc
  COMMAND ${CMAKE_COMMAND} "-DFILES=${netkit_embedded}" -DROOT=${CMAKE_SOURCE_DIR}/src
          -DOUT=${NETKIT_GENERATED}/embedded_sources.cc -P ${CMAKE_SOURCE_DIR}/cmake/embed.cmake
  DEPENDS ${netkit_embedded_paths} ${CMAKE_SOURCE_DIR}/cmake/embed.cmake VERBATIM)

# The planner searches: -O2. The rest of the host half parses and prints: -O1 compiles in half the
# time. Both read the same few standard headers everywhere, so those are precompiled.
set(NETKIT_PLAN_SOURCES ${NETKIT_HOST_SOURCES})
list(FILTER NETKIT_PLAN_SOURCES INCLUDE REGEX "src/compiler/plan/")
list(FILTER NETKIT_HOST_SOURCES EXCLUDE REGEX "src/compiler/plan/")
set(netkit_precompiled <algorithm> <cstdint> <expected> <functional> <map> <optional> <set> <span>
    <string> <string_view> <utility> <variant> <vector> <fmt/format.h>)
function(netkit_host_options target level)
  target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:netkit_flags> PUBLIC netkit fmt::fmt
                        $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
  netkit_for_shared(${target})
  target_precompile_headers(${target} PRIVATE ${netkit_precompiled})
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${NETKIT_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()
# A folder is one unit. Units of their own: the certificate checker, which shares nothing with the
# planner; the files whose names (kTable, infer, set) are those of every operator or of every kind
# of network; those that read public headers, which have a Tensor too; what reaches the importers,
# as a program that reads .nk files only links without protobuf.
set(netkit_united ${NETKIT_PLAN_SOURCES} ${NETKIT_HOST_SOURCES} ${NETKIT_CLI_SOURCES})
list(FILTER netkit_united EXCLUDE REGEX
     "src/(ops/|compiler/(plan/check/|driver/(capi|faces)/|driver/[^/]*$|import/import))")
foreach(source ${netkit_united})
  get_filename_component(folder ${source} DIRECTORY)
  file(RELATIVE_PATH folder ${CMAKE_SOURCE_DIR}/src ${folder})
  string(REPLACE "/" "_" folder ${folder})
  set_property(SOURCE ${source} PROPERTY UNITY_GROUP ${folder})
endforeach()
add_library(netkit_plan OBJECT ${NETKIT_PLAN_SOURCES})
netkit_host_options(netkit_plan -O2)
add_library(netkit_compiler STATIC ${NETKIT_HOST_SOURCES} $<TARGET_OBJECTS:netkit_plan>
            ${NETKIT_GENERATED}/embedded_sources.cc)
set_target_properties(netkit_compiler PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
netkit_host_options(netkit_compiler -O1)
if(TARGET netkit_schemas)
  target_link_libraries(netkit_compiler PRIVATE netkit_schemas)
  target_compile_options(netkit_schemas PRIVATE $<$<CONFIG:Release>:-O1>)
endif()

# The command line is a library, so that a program can run it too (nk_cli_run). CLI11 is all headers
# and slow to compile: few large units in place of many small ones; sanitized, where it takes
# longest, without optimisation.
list(FILTER NETKIT_CLI_SOURCES EXCLUDE REGEX "src/cli/main\\.cc$")
add_library(netkit_command_line STATIC ${NETKIT_CLI_SOURCES})
set_target_properties(netkit_command_line PROPERTIES UNITY_BUILD ${NETKIT_UNITY}
                      UNITY_BUILD_MODE GROUP ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_link_libraries(netkit_command_line PRIVATE $<BUILD_INTERFACE:netkit_flags>
                      $<BUILD_INTERFACE:CLI11::CLI11> PUBLIC netkit_compiler)
target_compile_options(netkit_command_line PRIVATE $<$<CONFIG:Release>:-O1>
                       $<$<BOOL:${NETKIT_SANITIZE}>:-O0>)
netkit_for_shared(netkit_command_line)
target_precompile_headers(netkit_command_line PRIVATE ${netkit_precompiled} <CLI/CLI.hpp>
                          <nlohmann/json.hpp>)
add_executable(netkit_cli src/cli/main.cc)
set_target_properties(netkit_cli PROPERTIES OUTPUT_NAME netkit
                      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_link_libraries(netkit_cli PRIVATE netkit_flags netkit_command_line CLI11::CLI11)

# libnetkit.a of this machine: the whole in one archive, with what it calls of {fmt} and protobuf
# (docs/dependencies.md), so that a program links nothing else. A newer protobuf is many libraries:
# it stays outside, and programs that run the command line link it.
add_library(netkit_fmt OBJECT ${CMAKE_SOURCE_DIR}/cmake/fmt_functions.cc)
target_link_libraries(netkit_fmt PRIVATE netkit_flags fmt::fmt-header-only)
target_compile_options(netkit_fmt PRIVATE -O2 -fno-inline)
netkit_for_shared(netkit_fmt)
set(netkit_parts netkit netkit_compiler netkit_command_line netkit_schemas)
set(netkit_archives $<TARGET_OBJECTS:netkit_fmt>)
foreach(part ${netkit_parts})
  list(APPEND netkit_archives $<TARGET_FILE:${part}>)
endforeach()
find_library(NETKIT_PROTOBUF_ARCHIVE libprotobuf-lite.a)
set(netkit_outside protobuf-lite)
if(NETKIT_PROTOBUF_ARCHIVE AND Protobuf_VERSION VERSION_LESS 4)
  list(APPEND netkit_archives ${NETKIT_PROTOBUF_ARCHIVE})
  set(netkit_outside "")
endif()
add_custom_command(
  OUTPUT ${CMAKE_BINARY_DIR}/libnetkit.a
  COMMAND ${CMAKE_COMMAND} -DAR=${CMAKE_AR} -DOUT=${CMAKE_BINARY_DIR}/libnetkit.a
          "-DPARTS=${netkit_archives}" -P ${CMAKE_SOURCE_DIR}/cmake/merge_archives.cmake
  DEPENDS ${netkit_parts} netkit_fmt $<TARGET_OBJECTS:netkit_fmt>
          ${CMAKE_SOURCE_DIR}/cmake/merge_archives.cmake VERBATIM)
add_custom_target(netkit_library ALL DEPENDS ${CMAKE_BINARY_DIR}/libnetkit.a)
