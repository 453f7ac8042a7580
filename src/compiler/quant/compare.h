// SPDX-License-Identifier: MIT
// The quantised network beside the float one, tensor by tensor, on the samples.
#pragma once

#include "compiler/quant/rewrite.h"

namespace netkit::quant {

// Layers, first_fall, output_sqnr_db, agreement and has_classes of the report.
Result<Report> compare(const Graph& graph, const Rewritten& rewritten,
                       const std::vector<Observed>& seen, std::span<const Sample> samples,
                       const Progress& progress);

}  // namespace netkit::quant
