# SPDX-License-Identifier: MIT
# The Python package: build/python/netkit holds the module beside links to python/netkit, so that
# PYTHONPATH=build/python is enough; component python is what a wheel holds.
find_package(Python REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 CONFIG REQUIRED)
file(GLOB netkit_python_sources CONFIGURE_DEPENDS python/src/*.cc)
Python_add_library(netkit_python MODULE WITH_SOABI ${netkit_python_sources})
target_link_libraries(netkit_python PRIVATE pybind11::headers netkit_flags netkit_command_line)
# The module's init function is all that other modules of the process see of it.
set_target_properties(netkit_python PROPERTIES OUTPUT_NAME _netkit CXX_VISIBILITY_PRESET hidden
                      LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/python/netkit)
target_compile_options(netkit_python PRIVATE $<$<CONFIG:Release>:-O1>)
target_link_options(netkit_python PRIVATE -Wl,--exclude-libs,ALL)
file(GLOB netkit_python_files CONFIGURE_DEPENDS python/netkit/*.py python/netkit/*.pyi
     python/netkit/py.typed)
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/python/netkit)
foreach(file ${netkit_python_files})
  get_filename_component(name ${file} NAME)
  file(CREATE_LINK ${file} ${CMAKE_BINARY_DIR}/python/netkit/${name} SYMBOLIC)
endforeach()
install(TARGETS netkit_python LIBRARY DESTINATION netkit COMPONENT python)
