# SPDX-License-Identifier: MIT
# Component compiler: libnetkit.a holds it on a desktop class machine, so these are other names.
foreach(netkit_name compiler command_line)
  if(NOT TARGET netkit::${netkit_name})
    add_library(netkit::${netkit_name} INTERFACE IMPORTED)
    target_link_libraries(netkit::${netkit_name} INTERFACE netkit::netkit ${netkit_outside})
  endif()
endforeach()
