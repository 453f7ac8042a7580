// SPDX-License-Identifier: MIT
// The inputs of TFLite's LSTM operators, gates in our order, and their lowerings. Host only.
#pragma once

#include <array>

#include "compiler/ir/lower_context.h"

namespace netkit {

// Positions among the node's inputs. TFLite's gates are input, forget, cell, output; ours input,
// output, forget, cell.
using LstmInput = size_t;
inline constexpr std::array<LstmInput, 4> kLstmWeights = {1, 4, 2, 3};
inline constexpr std::array<LstmInput, 4> kLstmRecurrent = {5, 8, 6, 7};
inline constexpr std::array<LstmInput, 3> kLstmPeephole = {9, 11, 10};
inline constexpr std::array<LstmInput, 4> kLstmBias = {12, 15, 13, 14};
inline constexpr LstmInput kLstmProjection = 16, kLstmProjectionBias = 17;
inline constexpr LstmInput kLstmState = 18, kLstmCell = 19;
inline constexpr std::array<LstmInput, 4> kLstmNorm = {20, 23, 21, 22};

Result<void> lower_tflite_lstm(const ForeignNode& node, LowerContext& context);
// On int8, of sequence x; y is what it makes. `attrs`: batch_major.
Result<void> lower_integer_lstm(const ForeignNode& node, LowerContext& context, TensorId x,
                                Attrs attrs, TensorId& y);
Result<void> lower_tflite_rnn(const ForeignNode& node, LowerContext& context);

}  // namespace netkit
