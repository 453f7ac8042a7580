// SPDX-License-Identifier: MIT
// Blocks: which tensors share bytes once a set of views is taken.
#pragma once

#include <cstdint>
#include <vector>

#include "compiler/plan/problem.h"

namespace netkit::plan {

// A view that can be taken: Step::views[view] of Problem::steps[step].
struct ViewRef {
  int step = 0, view = 0;
};

// The views that may be taken at all: of two tensors that are no states and that stand in the
// arena, at an aligned offset. In the order of steps.
std::vector<ViewRef> usable_views(const Problem& problem, const std::vector<char>& outside);

struct Blocks {
  std::vector<int> root;               // per tensor: the tensor whose buffer contains it
  std::vector<int64_t> offset_bytes;   // per tensor: of its first byte within root
  std::vector<std::vector<int>> views; // per step: indices into Step::views that are taken
  std::vector<int> members;            // per tensor: how many tensors lie in it, itself included
};

// Takes the wanted views in order. One whose inner tensor already lies in another tensor is left:
// a tensor lies in one place only.
Blocks make_blocks(const Problem& problem, const std::vector<ViewRef>& wanted);

}  // namespace netkit::plan
