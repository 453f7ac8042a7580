// SPDX-License-Identifier: MIT
// What the planner is given: buffers and steps, nothing of networks (netkit-graph/1 in memory).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"

namespace netkit::plan {

// An overlap that a step's kernel allows, and the scratch that the mode needs in place of the
// step's own scratch_bytes. forward f: safe when output address <= input address - f. backward b:
// safe when output end >= input end + b. At least one of the two is set; 0 is in place.
struct Overlap {
  int input = 0;   // index into Step::inputs
  int output = 0;  // index into Step::outputs
  std::optional<int64_t> forward_bytes, backward_bytes;
  int64_t scratch_bytes = 0;
  int mode = 0;    // the caller's name for the choice; comes back in the Layout
};

// A copy that need not be made: the smaller of the two tensors lies inside the larger one, its
// first byte at offset_bytes (reshape, contiguous split and slice; an input of a contiguous
// concat). Taking it is the planner's decision; the step then writes nothing for this pair.
struct View {
  int input = 0;   // index into Step::inputs
  int output = 0;  // index into Step::outputs
  int64_t offset_bytes = 0;
};

struct Tensor {
  std::string name;
  int64_t bytes = 0;
};

struct Step {
  std::string name;
  std::vector<int> inputs, outputs;  // indices into Problem::tensors; an input may stand twice
  int64_t scratch_bytes = 0;         // of the plain mode
  std::vector<Overlap> overlaps;     // at most one is chosen
  std::vector<View> views;           // any number is chosen
};

struct Problem {
  int64_t alignment = 16;            // power of two; of every offset
  std::vector<Tensor> tensors;       // activations only: constants are not planned
  std::vector<Step> steps;           // in the given (file) order
  std::vector<int> inputs, outputs;  // tensors; inputs live from the start, outputs to the end
  std::vector<int> states;           // tensors that keep place and content between runs
};

// The limits that every function of this folder relies on: sizes in [0, 2^53], their sum too (each
// rounded up, per step the largest scratch), at most 100,000 steps and tensors each, indices in
// range, names unique and not empty, each tensor written by at most one step and read only where it
// is an input, a state or written; no cycle; distances >= 0. Errors (kInput) name step or tensor.
Result<void> check_problem(const Problem& problem);

// One topological order of the steps, the given one where that is topological; empty on a cycle.
std::vector<int> topological_order(const Problem& problem);

}  // namespace netkit::plan
