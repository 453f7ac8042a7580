// SPDX-License-Identifier: MIT
// How ONNX (Resize, Upsample) and TFLite (RESIZE_*) speak of interpolation.
#pragma once

#include <span>

#include "compiler/ir/op_def.h"

namespace netkit {

std::span<const ForeignRule> resize_rules();

}  // namespace netkit
