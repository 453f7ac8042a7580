# SPDX-License-Identifier: MIT
# cmake --install and what find_package(netkit) and pkg-config then find: component runtime
# (netkit::netkit, the library and its headers) and component compiler (the tool, netkit::compiler,
# netkit::command_line). Part python is the wheel's.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(netkit_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/netkit)

install(FILES ${CMAKE_BINARY_DIR}/libnetkit.a DESTINATION ${CMAKE_INSTALL_LIBDIR}
        COMPONENT runtime)
install(DIRECTORY include/netkit include/compat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT runtime FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "compat" EXCLUDE)
# Not the links that make include/compat enough by itself in a checkout.
install(DIRECTORY include/compat/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/netkit/compat
        COMPONENT runtime PATTERN "netkit" EXCLUDE PATTERN "netkit.h" EXCLUDE)
install(FILES include/netkit.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT runtime)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT runtime)

configure_file(cmake/netkit-config.cmake.in ${CMAKE_BINARY_DIR}/package/netkit-config.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/package/netkit-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/package/netkit-config.cmake
        ${CMAKE_BINARY_DIR}/package/netkit-config-version.cmake
        DESTINATION ${netkit_package_dir} COMPONENT runtime)

# install_netkit_pc(NAME COMPONENT DESCRIPTION REQUIRES LIBS)
function(install_netkit_pc name component description requires libs)
  set(macros ${netkit_definitions})
  list(TRANSFORM macros PREPEND "-D")
  list(JOIN macros " " macros)
  configure_file(cmake/netkit.pc.in ${CMAKE_BINARY_DIR}/package/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/package/${name}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT ${component})
endfunction()

list(TRANSFORM netkit_outside PREPEND "-l" OUTPUT_VARIABLE netkit_outside_flags)
install_netkit_pc(netkit runtime "runs .nk files, heap-free" "" "-lnetkit -lstdc++ -lm")
if(NETKIT_RUNTIME_ONLY)
  return()
endif()
install(FILES cmake/netkit-compiler.cmake DESTINATION ${netkit_package_dir} COMPONENT compiler)
install(TARGETS netkit_cli COMPONENT compiler RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install_netkit_pc(netkit-compiler compiler "trained networks into .nk files and C" "netkit"
                  "${netkit_outside_flags}")
