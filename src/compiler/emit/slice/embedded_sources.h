// SPDX-License-Identifier: MIT
// The C sources of src/base and src/ops, embedded when netkit was built.
#pragma once

#include "compiler/emit/slice/source_index.h"

namespace netkit::emit {

// Cut into declarations at the first call.
const SourceIndex& embedded_sources();

}  // namespace netkit::emit
