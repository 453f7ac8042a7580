// SPDX-License-Identifier: MIT
// netkit-graph/1 in, netkit-plan/1 out (docs/plan-format.md).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/plan/layout.h"
#include "compiler/plan/offsets/place.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/problem.h"

namespace netkit::plan {

// The result has passed check_problem. Errors (kInput) name the place: "ops[3].inputs[0]".
Result<Problem> parse_graph(std::string_view text);

// What parse_graph reads, one line.
std::string graph_json(const Problem& problem);

// What each buffer of a buffer list does not take, in the order of time; may be empty.
using BufferGaps = std::vector<std::vector<LifeGap>>;

// The layout of this problem, one line; `seconds` is the only field that may differ between runs.
std::string plan_json(const Problem& problem, const Layout& layout, const BufferGaps& gaps = {});

// A plan as it was written: `problem` holds names and sizes only, not what a search would need.
struct SavedPlan {
  Problem problem;
  Layout layout;
  BufferGaps gaps;  // of a plan without steps
};
bool is_plan_json(std::string_view text);  // by its field format
// Errors (kInput) name the buffer or step that is wrong.
Result<SavedPlan> parse_plan(std::string_view text);

// Custom node data of Model Explorer: {"results":{TENSOR:{"value":live bytes}},"gradient":[…]},
// keyed by the name of what each step makes.
std::string model_explorer_json(const Problem& problem, const Layout& layout);

// {"format":"netkit-orders/1","orders":[{"order":[…],"live_bytes":[…],"peak_bytes":n},…]}
std::string orders_json(const Problem& problem, const std::vector<OrderListing>& orders);

}  // namespace netkit::plan
