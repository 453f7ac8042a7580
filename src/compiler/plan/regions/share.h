// SPDX-License-Identifier: MIT
// Several plans in one arena: models that run one at a time, or at once.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

enum class Sharing {
  kExclusive,   // one model runs at a time; only states live on while another one runs
  kConcurrent,  // any step of one may run during any step of another
};

struct SharedPart {
  std::string name;  // of the model; put before its buffers and steps
  const Problem* problem = nullptr;
  const Layout* layout = nullptr;
};

struct SharedPlan {
  Problem problem;  // names and sizes of all parts
  Layout layout;    // the parts' steps one after the other
};

// The order and the kernels' modes of each part are kept. Exclusive parts without states keep their
// addresses too: the arena is that of the largest. With states all addresses are searched anew.
// Concurrent parts stand one above the other, that on top which loses most when it is rounded up to
// the alignment: no other sequence takes less. The bound holds for the parts' classes and, as every
// part must fit beside the others' states (concurrent: beside the others), for all orders.
Result<SharedPlan> share_arena(const std::vector<SharedPart>& parts, Sharing sharing);

}  // namespace netkit::plan
