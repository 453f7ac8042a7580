// SPDX-License-Identifier: MIT
// How ONNX and TFLite name the recurrences. Host only.
#pragma once

#include <span>

#include "compiler/ir/op_def.h"

namespace netkit {

std::span<const ForeignRule> lstm_rules();
std::span<const ForeignRule> gru_rules();
std::span<const ForeignRule> rnn_rules();

}  // namespace netkit
