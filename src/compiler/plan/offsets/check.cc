// SPDX-License-Identifier: MIT
// check_placement: every rule of place.h applied to every pair, written to be simple, not fast.
#include <algorithm>
#include <string>

#include "compiler/plan/offsets/place.h"

namespace netkit::plan {
namespace {

using Wide = __int128;

bool touches(const PlacementBuffer& b, int64_t offset, int64_t step, Interval* bytes) {
  if (step < b.lower || step >= b.upper) return false;
  *bytes = {0, b.bytes};
  for (const LifeGap& g : b.gaps) {
    if (g.steps.begin <= step && step < g.steps.end) *bytes = g.window;
  }
  bytes->begin += offset;
  bytes->end += offset;
  return bytes->begin < bytes->end;
}

bool collide(const PlacementBuffer& a, int64_t a_at, const PlacementBuffer& b, int64_t b_at) {
  if (a_at >= b_at + b.bytes || b_at >= a_at + a.bytes) return false;
  std::vector<int64_t> steps = {a.lower, b.lower};  // where what is occupied can change
  for (const PlacementBuffer* x : {&a, &b}) {
    for (const LifeGap& g : x->gaps) steps.insert(steps.end(), {g.steps.begin, g.steps.end});
  }
  for (const int64_t s : steps) {
    Interval x, y;
    if (touches(a, a_at, s, &x) && touches(b, b_at, s, &y) && x.begin < y.end && y.begin < x.end) {
      return true;
    }
  }
  return false;
}

bool allowed(const PlacementProblem& problem, size_t a, size_t b,
             const std::vector<int64_t>& offsets) {
  for (const PairRelaxation& r : problem.relaxations) {
    const auto in = static_cast<size_t>(r.in), out = static_cast<size_t>(r.out);
    if (!((in == a && out == b) || (in == b && out == a))) continue;
    const Wide in_at = offsets[in], out_at = offsets[out];
    const Wide in_end = in_at + problem.buffers[in].bytes;
    const Wide out_end = out_at + problem.buffers[out].bytes;
    if (r.forward_bytes && out_at <= in_at - *r.forward_bytes) return true;
    if (r.backward_bytes && out_end >= in_end + *r.backward_bytes) return true;
  }
  return false;
}

std::string broken_rule(const PlacementBuffer& b, int64_t at, int64_t alignment) {
  if (at < 0 || at > (int64_t{1} << 62)) return "the offset is out of range";
  if (at % alignment != 0) return "the offset is not aligned";
  if (b.fixed_offset && at != *b.fixed_offset) return "the offset is not the fixed one";
  if (at < b.min_offset) return "the offset is below the least allowed";
  if (b.max_end && at + b.bytes > *b.max_end) return "the end is above the most allowed";
  for (const Interval& f : b.forbidden) {
    if (b.bytes > 0 && at < f.end && f.begin < at + b.bytes && f.begin < f.end) {
      return "a forbidden range is touched";
    }
  }
  return {};
}

}  // namespace

Result<int64_t> check_placement(const PlacementProblem& problem,
                                const std::vector<int64_t>& offsets) {
  const auto& all = problem.buffers;
  if (offsets.size() != all.size()) return bad_input("not one offset per buffer");
  int64_t height = 0;
  for (size_t i = 0; i < all.size(); ++i) {
    const int64_t alignment = all[i].alignment == 0 ? problem.alignment : all[i].alignment;
    const std::string broken = broken_rule(all[i], offsets[i], alignment);
    if (!broken.empty()) return bad_input(broken, buffer_name(problem, i));
    height = std::max(height, offsets[i] + all[i].bytes);
  }
  if (problem.capacity && height > *problem.capacity) {
    return bad_input("the height is above the capacity");
  }
  std::vector<size_t> by_lower(all.size());
  for (size_t i = 0; i < all.size(); ++i) by_lower[i] = i;
  std::sort(by_lower.begin(), by_lower.end(),
            [&](size_t x, size_t y) { return all[x].lower < all[y].lower; });
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = i + 1; j < all.size(); ++j) {
      const size_t a = by_lower[i], b = by_lower[j];
      if (all[b].lower >= all[a].upper) break;
      if (collide(all[a], offsets[a], all[b], offsets[b]) && !allowed(problem, a, b, offsets)) {
        return bad_input("two buffers share bytes at a step",
                         buffer_name(problem, a) + " and " + buffer_name(problem, b));
      }
    }
  }
  return height;
}

}  // namespace netkit::plan
