// SPDX-License-Identifier: MIT
// Operators of ONNX and TFLite that netkit takes as several of its own: none has a kernel. What an
// operator decides by its data must be constant here where shapes depend on it. Host only.
#pragma once

#include <span>

#include "compiler/ir/op_def.h"

namespace netkit {

// The rules of this folder; find_rule looks at them behind those of the operators.
std::span<const ForeignRule> composed_rules();

// einsum_lower.cc. Any equation whose steps keep within six axes; two operands of float32 are
// multiplied as matrices.
Result<void> lower_einsum(const ForeignNode& node, LowerContext& context);

// signal_lower.cc. Transforms are products with a constant matrix; windows are constants.
Result<void> lower_window(const ForeignNode& node, LowerContext& context);
Result<void> lower_mel_weights(const ForeignNode& node, LowerContext& context);
Result<void> lower_dft(const ForeignNode& node, LowerContext& context);
Result<void> lower_stft(const ForeignNode& node, LowerContext& context);
Result<void> lower_rfft2d(const ForeignNode& node, LowerContext& context);
Result<void> lower_complex_part(const ForeignNode& node, LowerContext& context);

// training_lower.cc. One step of an optimiser; batch normalisation by the batch's own statistics.
Result<void> lower_optimiser(const ForeignNode& node, LowerContext& context);
Result<void> lower_batch_norm_training(const ForeignNode& node, LowerContext& context);

// choose_lower.cc. Elements that a constant condition, lengths or positions choose.
Result<void> lower_compress(const ForeignNode& node, LowerContext& context);
Result<void> lower_non_zero(const ForeignNode& node, LowerContext& context);
Result<void> lower_reverse_sequence(const ForeignNode& node, LowerContext& context);
Result<void> lower_max_unpool(const ForeignNode& node, LowerContext& context);

// text_lower.cc
Result<void> lower_tf_idf(const ForeignNode& node, LowerContext& context);

// det_lower.cc. Matrices of up to three rows.
Result<void> lower_det(const ForeignNode& node, LowerContext& context);

}  // namespace netkit
