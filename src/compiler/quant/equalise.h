// SPDX-License-Identifier: MIT
// Cross-layer equalisation (Nagel et al., "Data-free quantization through weight equalization and
// bias correction", 2019): between two layers with weights, each channel of the activation and the
// weights that read it get ranges of one size.
#pragma once

#include "compiler/quant/range/observe.h"

namespace netkit::quant {

// The same function in float32, bit for bit where nothing under- or overflows: factors are powers
// of two. `seen` is of `graph`; constants are replaced, never written. Count: channels rescaled.
struct Equalised {
  Graph graph;
  size_t channels = 0;
};
Result<Equalised> equalise(const Graph& graph, const std::vector<Observed>& seen);

}  // namespace netkit::quant
