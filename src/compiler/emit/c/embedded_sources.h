// SPDX-License-Identifier: MIT
// The C sources of src/base and src/ops, embedded when netkit was built.
#pragma once

#include <span>

#include "compiler/emit/c/c_slicer.h"

namespace netkit::emit {

std::span<const SourceFile> embedded_sources();

}  // namespace netkit::emit
