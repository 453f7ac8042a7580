// SPDX-License-Identifier: MIT
// TensorFlow Lite Micro's "OfflineMemoryAllocation" in a .tflite file: operators in a given order
// and an offset per tensor, everything else byte for byte as it was. Format:
// tensorflow/lite/micro/docs/memory_management.md of the tflite-micro project: 32-bit integers:
// version 1, subgraph 0, number of tensors, an offset per tensor or -1.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::emit {

struct OfflineAllocation {
  std::vector<int> order;        // the operator that runs at each place, by its place in the file
  std::vector<int32_t> offsets;  // per tensor of the subgraph; -1: left to the runtime
};

// `file` has passed import_model. Earlier metadata of this name is replaced. Errors (kInput): more
// than one subgraph, weights or options outside of the flatbuffer (their places would move), a
// model table of a newer schema, an operator list that stands behind its operators.
Result<Bytes> write_offline_allocation(std::span<const std::byte> file,
                                       const OfflineAllocation& allocation);

// What the file holds: outputs of each operator in its order, and the offsets. Errors (kInput): no
// such metadata, or not of this format.
struct OfflineReadBack {
  std::vector<std::vector<int>> operator_inputs, operator_outputs;
  std::vector<int32_t> offsets;
};
Result<OfflineReadBack> read_offline_allocation(std::span<const std::byte> file);

}  // namespace netkit::emit
