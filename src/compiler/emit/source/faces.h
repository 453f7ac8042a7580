// SPDX-License-Identifier: MIT
// The languages of emitted code, over the same parts, and the .nk file inside it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emit/output_files.h"
#include "compiler/emit/source/source_parts.h"

namespace netkit::emit {

// NAME.h and NAME.c.
Result<std::vector<OutputFile>> c_face(const Program& program, const CEmitOptions& options);
// NAME.hpp and NAME.cpp. Errors (kUsage): the name is a word of C++.
Result<std::vector<OutputFile>> cpp_face(const Program& program, const CEmitOptions& options);

// The program as a .nk file inside the source, for libnetkit's interpreter.
struct EmbeddedNk {
  std::string definitions;  // the bytes as NAME_nk, declarations of its kernels, a table of them
  size_t bytes = 0;
  size_t kernels = 0;  // entries of NAME_kernels
};
Result<EmbeddedNk> embedded_nk(const SourceParts& parts);

}  // namespace netkit::emit
