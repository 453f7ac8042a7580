# SPDX-License-Identifier: MIT
# cmake -DROOT=… -DOUT=… -DFILES=a;b -P embed.cmake: the kernel sources as C++ string literals, so
# that the emitter can write them into a user's firmware.
set(text "// Made by cmake/embed.cmake.\n#include \"compiler/emit/slice/embedded_sources.h\"\n\n")
string(APPEND text "namespace netkit::emit {\nnamespace {\nconst SourceFile kFiles[] = {\n")
foreach(file ${FILES})
  file(READ ${ROOT}/${file} content)
  string(APPEND text "    {\"${file}\", R\"nk_source(${content})nk_source\"},\n")
endforeach()
string(APPEND text "};\n}  // namespace\n\n")
string(APPEND text "const SourceIndex& embedded_sources() {\n")
string(APPEND text "  static const SourceIndex index(kFiles);\n  return index;\n}\n")
string(APPEND text "}  // namespace netkit::emit\n")
file(WRITE ${OUT} "${text}")
