# SPDX-License-Identifier: MIT
add_executable(netkit_demo EXCLUDE_FROM_ALL examples/demo/demo.cc)
target_link_libraries(netkit_demo PRIVATE netkit_flags netkit_compiler)
target_compile_definitions(netkit_demo PRIVATE NETKIT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

# A program per language over the libraries.
add_executable(infer_cpp EXCLUDE_FROM_ALL examples/infer_cpp.cpp)
target_link_libraries(infer_cpp PRIVATE netkit_flags netkit)
add_executable(infer_c EXCLUDE_FROM_ALL examples/infer_c.c)
set_target_properties(infer_c PROPERTIES LINKER_LANGUAGE CXX)
target_link_libraries(infer_c PRIVATE netkit_flags netkit_compiler)
# Programs of examples/, each a folder or file of its own.
add_custom_target(netkit_examples DEPENDS netkit_demo infer_cpp infer_c)
