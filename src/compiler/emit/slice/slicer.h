// SPDX-License-Identifier: MIT
// Cuts the kernel sources into top-level declarations and takes those that a program needs, so that
// emitted C holds just the functions it calls. Works on our own sources (their style is checked).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/emit/slice/source_index.h"

namespace netkit::emit {

struct Slice {
  std::string code;                    // declarations, each before its first use
  std::vector<std::string> includes;   // "<string.h>", sorted
  std::vector<std::string> functions;  // names of the functions taken, in order of definition
};

// The definitions of `roots` (functions or types) with all that they use. Functions become static
// when `make_static`; with `fold` (and make_static) those that take a kernel's parameters are
// always inlined, so that a compiler folds parameters that are constants. Fails where a root is
// defined nowhere.
Result<Slice> slice_sources(const SourceIndex& index, const std::vector<std::string>& roots,
                            bool make_static, bool fold = false);

}  // namespace netkit::emit
