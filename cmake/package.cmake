# SPDX-License-Identifier: MIT
# cmake --install and what find_package(netkit) and pkg-config then find: component runtime
# (netkit::netkit, all that a program with .nk files needs) and component compiler
# (netkit::compiler, netkit::command_line, the tool). Part python is the wheel's.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(netkit_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/netkit)

# install_netkit_component(COMPONENT TARGET…): archives and their exported targets.
function(install_netkit_component component)
  install(TARGETS ${ARGN} EXPORT netkit-${component} COMPONENT ${component}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  install(EXPORT netkit-${component} NAMESPACE netkit:: FILE netkit-${component}.cmake
          DESTINATION ${netkit_package_dir} COMPONENT ${component})
endfunction()

install_netkit_component(runtime netkit)
install(DIRECTORY include/netkit include/compat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT runtime FILES_MATCHING PATTERN "*.h" PATTERN "*.hpp" PATTERN "compat" EXCLUDE)
install(DIRECTORY include/compat/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/netkit/compat
        COMPONENT runtime)
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

install_netkit_pc(netkit runtime "runs .nk files, heap-free" "" "-lnetkit -lstdc++ -lm")
if(NETKIT_RUNTIME_ONLY)
  return()
endif()
foreach(name compiler command_line schemas)
  set_target_properties(netkit_${name} PROPERTIES EXPORT_NAME ${name})
endforeach()
install_netkit_component(compiler netkit_compiler netkit_command_line netkit_schemas)
install(TARGETS netkit_cli COMPONENT compiler RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install_netkit_pc(netkit-compiler compiler "trained networks into .nk files and C"
                  "netkit fmt protobuf-lite"
                  "-lnetkit_command_line -lnetkit_compiler -lnetkit_schemas")
