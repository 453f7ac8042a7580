// SPDX-License-Identifier: MIT
// The checks that stand between foreign input and the planner.
#include "compiler/plan/problem.h"

#include <algorithm>
#include <queue>
#include <unordered_map>

#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

constexpr int64_t kMaxBytes = int64_t{1} << 53;
constexpr size_t kMaxItems = 100'000;
constexpr size_t kMaxArgs = 4'000'000;  // inputs, outputs, overlaps and views of all steps

Result<void> check_size(int64_t bytes, const char* what, const std::string& name) {
  if (bytes < 0 || bytes > kMaxBytes) {
    return bad_input(std::string(what) + " is not between 0 and 2^53 bytes", name);
  }
  return {};
}

template <typename Items>
Result<void> check_names(const Items& items, const std::string& what) {
  std::unordered_map<std::string, size_t> seen;
  for (size_t i = 0; i < items.size(); ++i) {
    const std::string number = std::to_string(i), name = items[i].name;
    const std::string hint = "give each " + what + " a name of its own";
    if (name.empty()) return bad_input(what + " " + number + " has no name", {}, hint);
    const auto [first, is_new] = seen.emplace(name, i);
    if (is_new) continue;
    return bad_input("two " + what + "s have this name, number " + std::to_string(first->second) +
                         " and number " + number + " from 0",
                     name, hint);
  }
  return {};
}

bool in_range(int index, size_t count) {
  return index >= 0 && static_cast<size_t>(index) < count;
}

// What several inputs put into one output does not share bytes.
Result<void> check_parts(const Problem& problem, const Step& step) {
  struct Part {
    int output, tensor;
    int64_t begin, end;
  };
  std::vector<Part> parts;
  for (const View& v : step.views) {
    const int t = step.inputs[v.input];
    const int64_t bytes = problem.tensors[t].bytes;
    const int64_t whole = problem.tensors[step.outputs[v.output]].bytes;
    if (bytes >= whole) {  // the output lies in the input: it is all of its bytes
      parts.push_back({v.output, t, 0, whole});
    } else {
      parts.push_back({v.output, t, v.offset_bytes, v.offset_bytes + bytes});
    }
  }
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return a.output != b.output ? a.output < b.output : a.begin < b.begin;
  });
  size_t furthest = 0;  // of the parts before, in the same output
  for (size_t i = 1; i < parts.size(); ++i) {
    const Part &a = parts[furthest], &b = parts[i];
    if (a.output == b.output && a.tensor != b.tensor && b.begin < a.end && a.begin < a.end &&
        b.begin < b.end) {
      return bad_input("two inputs are views of the same bytes of an output", step.name);
    }
    if (a.output != b.output || b.end >= a.end) furthest = i;
  }
  return {};
}

Result<void> check_step(const Problem& problem, const Step& step) {
  NK_TRY(check_size(step.scratch_bytes, "scratch_bytes", step.name));
  for (const auto* list : {&step.inputs, &step.outputs}) {
    for (const int t : *list) {
      if (!in_range(t, problem.tensors.size())) {
        return bad_input("step names a tensor that is not there", step.name);
      }
    }
  }
  for (const Overlap& o : step.overlaps) {
    if (!in_range(o.input, step.inputs.size()) || !in_range(o.output, step.outputs.size())) {
      return bad_input("overlap names an input or output that the step does not have", step.name);
    }
    if (!o.forward_bytes && !o.backward_bytes) {
      return bad_input("overlap gives neither forward_bytes nor backward_bytes", step.name);
    }
    NK_TRY(check_size(o.forward_bytes.value_or(0), "forward_bytes", step.name));
    NK_TRY(check_size(o.backward_bytes.value_or(0), "backward_bytes", step.name));
    NK_TRY(check_size(o.scratch_bytes, "scratch_bytes of an overlap", step.name));
  }
  for (const View& v : step.views) {
    if (!in_range(v.input, step.inputs.size()) || !in_range(v.output, step.outputs.size())) {
      return bad_input("view names an input or output that the step does not have", step.name);
    }
    const int64_t a = problem.tensors[static_cast<size_t>(step.inputs[v.input])].bytes;
    const int64_t b = problem.tensors[static_cast<size_t>(step.outputs[v.output])].bytes;
    if (v.offset_bytes < 0 || v.offset_bytes > std::max(a, b) - std::min(a, b)) {
      return bad_input("view reaches outside the larger tensor", step.name);
    }
  }
  return check_parts(problem, step);
}

Result<void> check_flow(const Problem& problem) {
  std::vector<char> written(problem.tensors.size(), 0);
  for (const auto* list : {&problem.inputs, &problem.outputs, &problem.states}) {
    for (const int t : *list) {
      if (!in_range(t, problem.tensors.size())) return bad_input("unknown input or output tensor");
    }
  }
  for (const auto* list : {&problem.inputs, &problem.states}) {
    for (const int t : *list) {
      if (written[t])
        return bad_input("tensor is listed twice as input or state", problem.tensors[t].name);
      written[t] = 1;
    }
  }
  const std::vector<char> given = written;
  std::vector<const Step*> writer(problem.tensors.size(), nullptr);
  std::vector<char> state(problem.tensors.size(), 0);
  for (const int t : problem.states) state[t] = 1;
  for (const Step& step : problem.steps) {
    for (const int t : step.outputs) {
      if (state[t]) continue;  // a state may be written by several steps, in the given order
      const std::string& name = problem.tensors[t].name;
      if (given[t]) {
        return bad_input("step writes the graph input '" + name + "'", step.name,
                         "let it write another tensor, or list that one under states");
      }
      if (written[t]) {
        return bad_input(
            "tensor has two writers, '" + writer[t]->name + "' and '" + step.name + "'", name,
            "let each operator write a tensor of its own");
      }
      written[t] = 1;
      writer[t] = &step;
    }
  }
  for (const Step& step : problem.steps) {
    for (const int t : step.inputs) {
      if (!written[t]) {
        return bad_input("tensor '" + problem.tensors[t].name +
                             "' is read but is neither written nor a graph input",
                         step.name, "list it under inputs, or add the operator that writes it");
      }
    }
  }
  for (const int t : problem.outputs) {
    if (!written[t]) {
      return bad_input("graph output is never written", problem.tensors[t].name,
                       "add the operator that writes it, or take it from the outputs");
    }
  }
  return {};
}

// What has to come before what.
struct Arcs {
  std::vector<std::vector<int>> next;  // per step
  std::vector<int> waiting;            // how many arcs lead to it
};

Arcs arcs_of(const Problem& problem) {
  const int n = static_cast<int>(problem.steps.size());
  std::vector<int> writer(problem.tensors.size(), -1);
  std::vector<char> state(problem.tensors.size(), 0);
  for (const int t : problem.states) state[t] = 1;
  for (int s = 0; s < n; ++s) {
    for (const int t : problem.steps[s].outputs) writer[t] = s;
  }
  Arcs arcs{std::vector<std::vector<int>>(n), std::vector<int>(n, 0)};
  const auto edge = [&](int from, int to) {
    arcs.next[from].push_back(to);
    ++arcs.waiting[to];
  };
  // Accesses to a state keep their given order.
  std::vector<int> last_access(problem.tensors.size(), -1);
  for (int s = 0; s < n; ++s) {
    for (const int t : problem.steps[s].inputs) {
      if (!state[t] && writer[t] >= 0) edge(writer[t], s);
    }
    for (const auto* list : {&problem.steps[s].inputs, &problem.steps[s].outputs}) {
      for (const int t : *list) {
        if (!state[t]) continue;
        if (last_access[t] >= 0 && last_access[t] != s) edge(last_access[t], s);
        last_access[t] = s;
      }
    }
  }
  return arcs;
}

// The steps that can run, each time the first of the list; what is on or after a cycle cannot.
std::vector<int> runnable(Arcs arcs) {
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  for (size_t s = 0; s < arcs.waiting.size(); ++s) {
    if (arcs.waiting[s] == 0) ready.push(static_cast<int>(s));
  }
  std::vector<int> order;
  while (!ready.empty()) {
    const int s = ready.top();
    ready.pop();
    order.push_back(s);
    for (const int to : arcs.next[s]) {
      if (--arcs.waiting[to] == 0) ready.push(to);
    }
  }
  return order;
}

// The first cycle found from the first step that cannot run: each waits for one that waits too.
std::unexpected<Error> cycle_error(const Problem& problem) {
  const Arcs arcs = arcs_of(problem);
  std::vector<char> runs(problem.steps.size(), 0);
  for (const int s : runnable(arcs)) runs[s] = 1;
  std::vector<int> before(problem.steps.size(), -1);
  for (size_t s = 0; s < runs.size(); ++s) {
    for (const int to : arcs.next[s]) {
      if (!runs[s] && before[to] < 0) before[to] = static_cast<int>(s);
    }
  }
  int at = static_cast<int>(std::find(runs.begin(), runs.end(), 0) - runs.begin());
  for (size_t hops = 0; hops < runs.size(); ++hops) at = before[at];
  Error error{ErrorCode::kInput,
              "the operators form a cycle",
              problem.steps[at].name,
              "leave one of these operators out, or let it read another tensor",
              {}};
  int step = at;
  do {
    const int from = before[step];
    error.items.push_back("'" + problem.steps[step].name + "' waits for '" +
                          problem.steps[from].name + "'");
    step = from;
  } while (step != at);
  return std::unexpected(std::move(error));
}

}  // namespace

std::vector<int> topological_order(const Problem& problem) {
  std::vector<int> order = runnable(arcs_of(problem));
  if (order.size() != problem.steps.size()) order.clear();
  return order;
}

Result<void> check_problem(const Problem& problem) {
  if (problem.alignment < 1 || problem.alignment > (int64_t{1} << 30) ||
      (problem.alignment & (problem.alignment - 1)) != 0) {
    return bad_input("alignment is not a power of two between 1 and 2^30");
  }
  if (problem.steps.empty()) {
    return bad_input("the graph has no operators", {}, "give a model that computes something");
  }
  if (problem.tensors.size() > kMaxItems || problem.steps.size() > kMaxItems) {
    return bad_input("more than 100000 tensors or operators");
  }
  NK_TRY(check_names(problem.tensors, "tensor"));
  NK_TRY(check_names(problem.steps, "operator"));
  int64_t sum = 0;
  size_t args = 0;
  const auto add = [&](int64_t bytes, const std::string& name) -> Result<void> {
    sum += round_up(bytes, problem.alignment);
    if (sum <= kMaxBytes) return {};
    return bad_input(
        "tensors and scratch, each rounded up to the alignment, have more than 2^53 bytes in all",
        name, "plan a smaller graph: every figure of a plan is at most 2^53");
  };
  for (const Tensor& t : problem.tensors) {
    NK_TRY(check_size(t.bytes, "tensor size", t.name));
    NK_TRY(add(t.bytes, t.name));
  }
  for (const Step& step : problem.steps) {
    args += step.inputs.size() + step.outputs.size() + step.overlaps.size() + step.views.size();
    if (args > kMaxArgs) return bad_input("more than 4000000 operator arguments");
    NK_TRY(check_step(problem, step));
    int64_t scratch = step.scratch_bytes;
    for (const Overlap& o : step.overlaps) scratch = std::max(scratch, o.scratch_bytes);
    NK_TRY(add(scratch, step.name));
  }
  NK_TRY(check_flow(problem));
  if (topological_order(problem).empty()) {
    return cycle_error(problem);
  }
  return {};
}

}  // namespace netkit::plan
