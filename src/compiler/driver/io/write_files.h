// SPDX-License-Identifier: MIT
// The files of a verb, for the command line: all are written, or none (emit/output_files.h).
#pragma once

#include "compiler/emit/output_files.h"
#include "compiler/ir/files/files_read.h"

namespace netkit::driver {

using emit::HeldOutputs;
using emit::OutputFile;
using emit::write_all;

}  // namespace netkit::driver
