# SPDX-License-Identifier: MIT
add_executable(netkit_demo EXCLUDE_FROM_ALL examples/demo/demo.cc)
target_link_libraries(netkit_demo PRIVATE netkit_flags netkit_compiler)
target_compile_definitions(netkit_demo PRIVATE NETKIT_SOURCE_DIR="${CMAKE_SOURCE_DIR}")

# Programs of examples/, each a folder or file of its own.
add_custom_target(netkit_examples DEPENDS netkit_demo)
