# SPDX-License-Identifier: MIT
add_library(netkit STATIC ${NETKIT_TARGET_SOURCES})
target_link_libraries(netkit PRIVATE netkit_flags)
set_target_properties(netkit PROPERTIES CXX_STANDARD ${NETKIT_RUNTIME_STANDARD}
                      ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_compile_options(netkit PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions -fno-rtti
                       -fno-threadsafe-statics>)
target_include_directories(netkit PUBLIC ${CMAKE_SOURCE_DIR}/src ${CMAKE_SOURCE_DIR}/include)

if(NETKIT_RUNTIME_ONLY)
  return()
endif()

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
  target_include_directories(netkit_schemas SYSTEM PUBLIC ${NETKIT_GENERATED})
  target_link_libraries(netkit_schemas PUBLIC protobuf::libprotobuf-lite)
endif()

# The kernel sources inside the compiler, for the emitted C.
file(GLOB_RECURSE netkit_embedded RELATIVE ${CMAKE_SOURCE_DIR}/src CONFIGURE_DEPENDS
     src/base/fixed_point.h src/base/dtype.h src/ops/*.c src/ops/*.h)
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

add_library(netkit_compiler STATIC ${NETKIT_HOST_SOURCES}
            ${NETKIT_GENERATED}/embedded_sources.cc)
set_target_properties(netkit_compiler PROPERTIES ARCHIVE_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
target_link_libraries(netkit_compiler PRIVATE netkit_flags PUBLIC netkit
                      fmt::fmt-header-only nlohmann_json::nlohmann_json)
if(TARGET netkit_schemas)
  target_link_libraries(netkit_compiler PRIVATE netkit_schemas)
endif()

if(NETKIT_CLI_SOURCES)
  add_executable(netkit_cli ${NETKIT_CLI_SOURCES})
  set_target_properties(netkit_cli PROPERTIES OUTPUT_NAME netkit
                        RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_link_libraries(netkit_cli PRIVATE netkit_flags netkit_compiler CLI11::CLI11)
endif()
