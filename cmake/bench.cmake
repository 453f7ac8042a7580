# SPDX-License-Identifier: MIT
# Benches: bench/NAME.cc is program bench_NAME, built only by name.
file(GLOB netkit_benches CONFIGURE_DEPENDS bench/*.cc)
foreach(source ${netkit_benches})
  get_filename_component(name ${source} NAME_WE)
  add_executable(bench_${name} EXCLUDE_FROM_ALL ${source})
  target_link_libraries(bench_${name} PRIVATE netkit_flags netkit_compiler)
endforeach()
