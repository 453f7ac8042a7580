// SPDX-License-Identifier: MIT
// How ONNX and TFLite speak of functions of two tensors: the rules of each canonical operator.
#pragma once

#include <span>
#include <string_view>

#include "compiler/ir/op_def.h"

namespace netkit {

// The foreign operators whose lowering is listed with canonical operator `op`.
std::span<const ForeignRule> binary_rules(std::string_view op);

}  // namespace netkit
