// SPDX-License-Identifier: MIT
// place(): checks the problem, cuts it where no life crosses, places the parts, states the bound.
#include "compiler/plan/offsets/place.h"

#include <algorithm>
#include <numeric>

#include "compiler/plan/offsets/component.h"
#include "compiler/plan/offsets/instance.h"

namespace netkit::plan {
namespace {

// Groups of buffers (above 0 bytes) whose lives hang together.
std::vector<std::vector<int>> cut(const PlacementProblem& problem) {
  std::vector<int> order;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].bytes > 0) order.push_back(static_cast<int>(i));
  }
  auto buffer = [&](int i) -> const PlacementBuffer& {
    return problem.buffers[static_cast<size_t>(i)];
  };
  std::stable_sort(order.begin(), order.end(),
                   [&](int a, int b) { return buffer(a).lower < buffer(b).lower; });
  std::vector<std::vector<int>> groups;
  int64_t until = 0;
  for (const int i : order) {
    if (groups.empty() || buffer(i).lower >= until) {
      groups.emplace_back();
      until = buffer(i).upper;
    }
    groups.back().push_back(i);
    until = std::max(until, buffer(i).upper);
  }
  for (std::vector<int>& group : groups) std::sort(group.begin(), group.end());
  return groups;
}

int64_t place_empty(const PlacementProblem& problem, const PlacementBuffer& b) {
  if (b.fixed_offset) return *b.fixed_offset;
  const int64_t alignment = b.alignment == 0 ? problem.alignment : b.alignment;
  return (b.min_offset + alignment - 1) / alignment * alignment;
}

}  // namespace

Result<Placement> place(const PlacementProblem& problem) {
  NK_TRY(check_problem(problem));
  const Deadline& deadline = problem.deadline;
  Placement made;
  std::vector<int64_t> offsets(problem.buffers.size(), 0);
  bool placed = true;
  for (size_t i = 0; i < offsets.size(); ++i) {
    if (problem.buffers[i].bytes > 0) continue;
    offsets[i] = place_empty(problem, problem.buffers[i]);
    made.height_bytes = std::max(made.height_bytes, offsets[i]);
  }
  made.lower_bound_bytes = made.height_bytes;
  if (problem.capacity && made.height_bytes > *problem.capacity) placed = false;
  for (const std::vector<int>& group : cut(problem)) {
    // No part needs to be lower than another one is already known to be.
    ComponentGoal goal;
    goal.enough_bytes = std::max(problem.enough_bytes.value_or(0), made.lower_bound_bytes);
    goal.capacity = problem.capacity;
    goal.node_budget = problem.node_budget - std::min(made.nodes, problem.node_budget);
    goal.greedy = problem.greedy;
    const ComponentPlan part = place_component(problem, group, goal, deadline);
    made.nodes += part.nodes;
    made.lower_bound_bytes = std::max(made.lower_bound_bytes, part.lower_bound_bytes);
    made.height_bytes = std::max(made.height_bytes, part.height_bytes);
    if (part.impossible) {
      return bad_input("no placement meets the address ranges of the buffers", {},
                       "widen max_end, or free forbidden ranges");
    }
    if (!part.placed) {
      placed = false;
      continue;
    }
    for (size_t m = 0; m < group.size(); ++m) {
      offsets[static_cast<size_t>(group[m])] = part.offsets[m];
    }
  }
  made.time_limited = deadline.passed();
  if (!placed) {
    made.height_bytes = 0;
    made.proven = problem.capacity && made.lower_bound_bytes > *problem.capacity;
    return made;
  }
  made.offsets = std::move(offsets);
  made.proven = made.height_bytes == made.lower_bound_bytes;
  return made;
}

int64_t most_alive(const std::vector<PlacementBuffer>& buffers) {
  std::vector<std::pair<int64_t, int64_t>> changes;  // time, bytes
  const auto add = [&](const Interval& steps, int64_t bytes) {
    changes.push_back({steps.begin, bytes});
    changes.push_back({steps.end, -bytes});
  };
  for (const PlacementBuffer& b : buffers) {
    add({b.lower, b.upper}, b.bytes);
    for (const LifeGap& g : b.gaps) add(g.steps, g.window.end - g.window.begin - b.bytes);
  }
  std::ranges::sort(changes, {}, &std::pair<int64_t, int64_t>::first);
  int64_t most = 0, now = 0;
  for (size_t i = 0; i < changes.size(); ++i) {
    now += changes[i].second;
    const bool whole = i + 1 == changes.size() || changes[i + 1].first > changes[i].first;
    if (whole) most = std::max(most, now);
  }
  return most;
}

Result<int64_t> load_bound(const PlacementProblem& problem) {
  NK_TRY(check_problem(problem));
  int64_t bound = 0;
  for (const std::vector<int>& group : cut(problem)) {
    bound = std::max(bound, make_instance(problem, group, Detail::kLoads).bound_bytes);
  }
  return bound;
}

}  // namespace netkit::plan
