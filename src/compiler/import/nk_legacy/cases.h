// SPDX-License-Identifier: MIT
// The test cases inside an older .nk file: one input, real values expected of one output.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit {

struct LegacyCase {
  std::string name;
  int32_t label = -1;           // the class that must be greatest; -1: none is stated
  Bytes input;                  // of the model's input
  std::vector<float> expected;  // real values of the output
};

struct LegacyCases {
  std::vector<LegacyCase> list;
  float tolerance = 0.0f;  // absolute, of real values
};

// Errors as import_model. Sizes fit the model's input and output where import_model succeeds.
Result<LegacyCases> legacy_cases(std::span<const std::byte> bytes);

}  // namespace netkit
