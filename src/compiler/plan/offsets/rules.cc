// SPDX-License-Identifier: MIT
// The contract of a placement problem: what is refused, and what two buffers ask of each other.
#include <algorithm>
#include <set>
#include <string>
#include <utility>

#include "compiler/plan/offsets/instance.h"

namespace netkit::plan {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 61;

bool sane(int64_t value) {
  return value >= 0 && value <= kMostBytes;
}

Result<bool> check_gaps(const PlacementBuffer& b, const std::string& where) {
  std::vector<LifeGap> gaps = b.gaps;
  std::sort(gaps.begin(), gaps.end(),
            [](const LifeGap& x, const LifeGap& y) { return x.steps.begin < y.steps.begin; });
  int64_t free_from = b.lower;
  for (const LifeGap& g : gaps) {
    if (g.steps.begin < free_from || g.steps.end <= g.steps.begin || g.steps.end > b.upper) {
      return bad_input("a gap leaves the life or meets another gap", where);
    }
    if (g.window.begin < 0 || g.window.end < g.window.begin || g.window.end > b.bytes) {
      return bad_input("a gap's window leaves the buffer", where);
    }
    free_from = g.steps.end;
  }
  return true;
}

Result<bool> check_addresses(const PlacementBuffer& b, int64_t alignment,
                             const std::string& where) {
  if (!sane(b.min_offset)) return bad_input("min_offset is out of range", where);
  const int64_t least = (b.min_offset + alignment - 1) / alignment * alignment;
  if (b.max_end && (!sane(*b.max_end) || least > *b.max_end - b.bytes)) {
    return bad_input("the buffer is larger than its address range", where);
  }
  for (const Interval& f : b.forbidden) {
    if (f.begin > f.end || !sane(f.begin) || !sane(f.end)) {
      return bad_input("a forbidden range is out of range", where);
    }
  }
  if (!b.fixed_offset) return true;
  const int64_t at = *b.fixed_offset;
  if (!sane(at) || at % alignment != 0) {
    return bad_input("the fixed offset is not a multiple of the alignment", where);
  }
  if (at < b.min_offset || (b.max_end && at + b.bytes > *b.max_end)) {
    return bad_input("the fixed offset leaves the buffer's address range", where);
  }
  for (const Interval& f : b.forbidden) {
    if (f.begin < f.end && b.bytes > 0 && at < f.end && f.begin < at + b.bytes) {
      return bad_input("the fixed offset meets a forbidden range", where);
    }
  }
  return true;
}

Result<bool> check_relaxations(const PlacementProblem& problem) {
  std::set<std::pair<int, int>> seen;
  const int n = static_cast<int>(problem.buffers.size());
  for (size_t i = 0; i < problem.relaxations.size(); ++i) {
    const PairRelaxation& r = problem.relaxations[i];
    const std::string where = "relaxation " + std::to_string(i);
    if (r.in < 0 || r.out < 0 || r.in >= n || r.out >= n || r.in == r.out) {
      return bad_input("a relaxation names no pair of buffers", where);
    }
    if (!r.forward_bytes && !r.backward_bytes) {
      return bad_input("a relaxation allows nothing", where);
    }
    if (!sane(r.forward_bytes.value_or(0)) || !sane(r.backward_bytes.value_or(0))) {
      return bad_input("a relaxation's distance is out of range", where);
    }
    const PlacementBuffer& a = problem.buffers[static_cast<size_t>(r.in)];
    const PlacementBuffer& b = problem.buffers[static_cast<size_t>(r.out)];
    if (std::min(a.upper, b.upper) - std::max(a.lower, b.lower) != 1) {
      return bad_input("the two buffers do not share exactly one step", where);
    }
    if (!a.gaps.empty() || !b.gaps.empty()) {
      return bad_input("a buffer with gaps cannot be relaxed", where);
    }
    if (!seen.insert(std::minmax(r.in, r.out)).second) {
      return bad_input("the pair is relaxed twice", where);
    }
  }
  return true;
}

// Occupied bytes of a buffer at a step of its life.
Interval window_at(const PlacementBuffer& b, int64_t step) {
  for (const LifeGap& g : b.gaps) {
    if (g.steps.begin <= step && step < g.steps.end) return g.window;
  }
  return {0, b.bytes};
}

PairRule windowed_rule(const PlacementBuffer& a, const PlacementBuffer& b, int64_t from,
                       int64_t to) {
  std::vector<int64_t> steps = {from};
  for (const PlacementBuffer* x : {&a, &b}) {
    for (const LifeGap& g : x->gaps) {
      for (const int64_t s : {g.steps.begin, g.steps.end}) {
        if (from < s && s < to) steps.push_back(s);
      }
    }
  }
  std::vector<Interval> met;  // open: begin < b.offset - a.offset < end is a collision
  for (const int64_t s : steps) {
    const Interval wa = window_at(a, s), wb = window_at(b, s);
    if (wa.begin == wa.end || wb.begin == wb.end) continue;
    met.push_back({wa.begin - wb.end, wa.end - wb.begin});
  }
  PairRule rule;
  if (met.empty()) return rule;
  std::sort(met.begin(), met.end(),
            [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
  rule.free = false;
  rule.below = -met.front().begin;
  rule.above = met.front().end;
  for (const Interval& m : met) {
    if (m.begin >= rule.above) rule.exact = false;
    rule.above = std::max(rule.above, m.end);
  }
  return rule;
}

Result<bool> check_collisions(const PlacementProblem& problem) {
  std::vector<int> fixed;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    if (problem.buffers[i].fixed_offset && problem.buffers[i].bytes > 0) {
      fixed.push_back(static_cast<int>(i));
    }
  }
  const auto& all = problem.buffers;
  auto at = [&](int i) -> const PlacementBuffer& { return all[static_cast<size_t>(i)]; };
  std::sort(fixed.begin(), fixed.end(), [&](int x, int y) { return at(x).lower < at(y).lower; });
  for (size_t i = 0; i < fixed.size(); ++i) {
    for (size_t j = i + 1; j < fixed.size() && at(fixed[j]).lower < at(fixed[i]).upper; ++j) {
      const PairRelaxation* relaxation = nullptr;
      for (const PairRelaxation& r : problem.relaxations) {
        if (std::minmax(r.in, r.out) == std::minmax(fixed[i], fixed[j])) relaxation = &r;
      }
      const PairRule rule = pair_rule(problem, fixed[i], fixed[j], relaxation);
      const int64_t d = *at(fixed[j]).fixed_offset - *at(fixed[i]).fixed_offset;
      if (!rule.free && d < rule.above && -d < rule.below) {
        return bad_input("two fixed buffers collide",
                         buffer_name(problem, static_cast<size_t>(fixed[i])) + " and " +
                             buffer_name(problem, static_cast<size_t>(fixed[j])));
      }
    }
  }
  return true;
}

}  // namespace

std::string buffer_name(const PlacementProblem& problem, size_t index) {
  return index < problem.names.size() ? problem.names[index] : "buffer " + std::to_string(index);
}

Result<bool> check_problem(const PlacementProblem& problem) {
  if (problem.buffers.size() > (size_t{1} << 30)) return bad_input("too many buffers");
  if (problem.alignment < 1 || problem.alignment > (int64_t{1} << 40)) {
    return bad_input("the alignment is not between 1 and 2^40");
  }
  int64_t sum = 0;
  for (size_t i = 0; i < problem.buffers.size(); ++i) {
    const PlacementBuffer& b = problem.buffers[i];
    const int64_t alignment = b.alignment == 0 ? problem.alignment : b.alignment;
    if (b.lower >= b.upper) return bad_input("the life is empty", buffer_name(problem, i));
    if (alignment < 1 || alignment > (int64_t{1} << 40)) {
      return bad_input("the alignment is not between 1 and 2^40", buffer_name(problem, i));
    }
    if (!sane(b.bytes)) return bad_input("the size is out of range", buffer_name(problem, i));
    sum += b.bytes + alignment;
    if (sum > kMostBytes)
      return bad_input("the sizes add up to more than 2^61 bytes", buffer_name(problem, i));
    NK_TRY(check_addresses(b, alignment, buffer_name(problem, i)));
    NK_TRY(check_gaps(b, buffer_name(problem, i)));
  }
  NK_TRY(check_relaxations(problem));
  return check_collisions(problem);
}

PairRule pair_rule(const PlacementProblem& problem, int a, int b,
                   const PairRelaxation* relaxation) {
  const PlacementBuffer& x = problem.buffers[static_cast<size_t>(a)];
  const PlacementBuffer& y = problem.buffers[static_cast<size_t>(b)];
  PairRule rule;
  const int64_t from = std::max(x.lower, y.lower), to = std::min(x.upper, y.upper);
  if (from >= to || x.bytes == 0 || y.bytes == 0) return rule;
  if (!x.gaps.empty() || !y.gaps.empty()) return windowed_rule(x, y, from, to);
  rule.free = false;
  rule.above = x.bytes;
  rule.below = y.bytes;
  if (relaxation == nullptr) return rule;
  const bool straight = relaxation->in == a;
  const int64_t in = straight ? x.bytes : y.bytes, out = straight ? y.bytes : x.bytes;
  // out.offset >= in.offset + over, or in.offset >= out.offset + under.
  int64_t over = in, under = out;
  if (relaxation->backward_bytes) over = std::min(in, in + *relaxation->backward_bytes - out);
  if (relaxation->forward_bytes) under = std::min(out, *relaxation->forward_bytes);
  rule.above = straight ? over : under;
  rule.below = straight ? under : over;
  rule.free = over + under <= 1;
  return rule;
}

}  // namespace netkit::plan
