// SPDX-License-Identifier: MIT
// Small random problems for tests.
#pragma once

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "compiler/plan/problem.h"

namespace netkit::plan::testing {

struct Shape {
  int max_steps;
  bool scratch, overlaps;
  int views;  // a step may add some while there are fewer
  int64_t alignment;
  bool unread = false;         // inputs that no step reads, and steps that read nothing
  bool scratch_modes = false;  // some modes are there for a little less scratch alone
};

class DrawnProblem {
 public:
  DrawnProblem(std::mt19937& rng, const Shape& shape) : rng_(rng), shape_(shape) {}

  Problem make() {
    p_.alignment = shape_.alignment;
    const int inputs = pick(1, 2);
    for (int i = 0; i < inputs; ++i) p_.inputs.push_back(tensor(bytes(6)));
    const int steps = pick(2, shape_.max_steps);
    for (int s = 0; s < steps; ++s) add_step();
    std::vector<char> read(p_.tensors.size(), 0);
    for (const Step& s : p_.steps) {
      for (const int t : s.inputs) read[t] = 1;
    }
    for (size_t t = 0; t < p_.tensors.size(); ++t) {
      if (!read[t]) p_.outputs.push_back(static_cast<int>(t));
    }
    for (int k = shape_.unread ? pick(1, 2) : 0; k > 0; --k) p_.inputs.push_back(tensor(bytes(9)));
    return p_;
  }

 private:
  int pick(int lo, int hi) {
    return lo + static_cast<int>(rng_() % static_cast<uint32_t>(hi - lo + 1));
  }
  // With an alignment, sizes that are no multiples of it.
  int64_t bytes(int most) { return pick(1, most) * (shape_.alignment > 1 ? 11 : 1); }
  int tensor(int64_t size) {
    p_.tensors.push_back({"t" + std::to_string(p_.tensors.size()), size});
    return static_cast<int>(p_.tensors.size()) - 1;
  }
  int some_tensor() {
    const int count = static_cast<int>(p_.tensors.size());
    return pick(std::max(0, count - 4), count - 1);
  }

  void add_step() {
    Step step;
    step.name = "op" + std::to_string(p_.steps.size());
    if (shape_.unread && pick(0, 2) == 0) {
      step.outputs = {tensor(bytes(7))};
      p_.steps.push_back(step);
      return;
    }
    step.inputs = {some_tensor()};
    if (const int t = some_tensor(); pick(0, 1) == 0 && t != step.inputs[0]) {
      step.inputs.push_back(t);
    }
    if (views_ < shape_.views && pick(0, 2) == 0) {
      step.inputs.size() == 2 ? add_concat(step) : add_split(step);
    } else {
      step.outputs = {tensor(bytes(7))};
      add_modes(step);
    }
    if (shape_.scratch && pick(0, 2) == 0) step.scratch_bytes = bytes(4);
    if (shape_.scratch_modes) make_less_of_scratch(step);
    p_.steps.push_back(step);
  }

  void add_modes(Step& step) {
    for (int k = pick(0, 2); shape_.overlaps && k > 0; --k) {
      Overlap o;
      o.input = pick(0, static_cast<int>(step.inputs.size()) - 1);
      const int way = pick(0, 3);
      if (way != 1) o.forward_bytes = bytes(3) - bytes(1);
      if (way != 0) o.backward_bytes = bytes(3) - bytes(1);
      o.scratch_bytes = pick(0, 1) * bytes(2);
      step.overlaps.push_back(o);
    }
  }

  void make_less_of_scratch(Step& step) {
    if (step.scratch_bytes == 0) step.scratch_bytes = bytes(4);
    for (Overlap& o : step.overlaps) {
      o.scratch_bytes = std::max<int64_t>(0, step.scratch_bytes - pick(0, 5));
      if (pick(0, 1) == 0) continue;
      o.forward_bytes = 1000;  // beyond every output: nothing is shared
      o.backward_bytes.reset();
    }
  }

  void add_concat(Step& step) {
    const int64_t first = p_.tensors[step.inputs[0]].bytes;
    const int64_t at = (first + shape_.alignment - 1) / shape_.alignment * shape_.alignment;
    step.outputs = {tensor(at + p_.tensors[step.inputs[1]].bytes)};
    step.views = {{0, 0, 0}, {1, 0, at}};
    views_ += 2;
  }

  void add_split(Step& step) {
    const int64_t size = p_.tensors[step.inputs[0]].bytes;
    const int64_t half = size / 2 / shape_.alignment * shape_.alignment;
    step.outputs = {tensor(half == 0 ? size : half)};
    step.views = {{0, 0, 0}};
    if (half > 0) {
      step.outputs.push_back(tensor(size - half));
      step.views.push_back({0, 1, half});
    }
    views_ += static_cast<int>(step.views.size());
  }

  std::mt19937& rng_;
  Shape shape_;
  Problem p_;
  int views_ = 0;
};

}  // namespace netkit::plan::testing
