// SPDX-License-Identifier: MIT
// Closes the open dimensions of the model's inputs: by the user's --shape, by dimension names that
// several inputs share, the batch by 1.
#pragma once

#include <string>
#include <vector>

#include "compiler/lower/lower.h"

namespace netkit {

// Dims of each of foreign.inputs, every one >= 0; what was assumed is appended to `warnings`.
Result<std::vector<Dims>> closed_input_shapes(const ForeignGraph& foreign,
                                              const LowerOptions& options,
                                              std::vector<std::string>& warnings);

// True where the file leaves dimension i of the tensor open.
bool is_open_dim(const ForeignTensor& tensor, size_t i);

}  // namespace netkit
