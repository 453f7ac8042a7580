// SPDX-License-Identifier: MIT
// How ONNX and TFLite speak of quantisation and of casts.
#pragma once

#include <span>

#include "compiler/ir/op_def.h"

namespace netkit {

std::span<const ForeignRule> quantize_rules();
std::span<const ForeignRule> dequantize_rules();
std::span<const ForeignRule> requantize_rules();
std::span<const ForeignRule> cast_rules();

}  // namespace netkit
