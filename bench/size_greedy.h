// SPDX-License-Identifier: MIT
// What runtimes do with a given order: largest buffer first at the lowest free address.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "compiler/plan/problem.h"

namespace netkit::bench {

// Height in bytes at alignment 16; `order` holds every step of p once, scratch is left out.
inline int64_t size_greedy(const plan::Problem& p, const std::vector<int>& order) {
  struct Box {
    int64_t bytes, offset;
    int first, last;
  };
  std::vector<Box> boxes;
  const int end = static_cast<int>(order.size()) - 1;
  for (const auto& t : p.tensors) boxes.push_back({(t.bytes + 15) / 16 * 16, 0, end + 1, -1});
  const auto touch = [&](int t, int at) {
    boxes[t].first = std::min(boxes[t].first, at);
    boxes[t].last = std::max(boxes[t].last, at);
  };
  for (int at = 0; at <= end; ++at) {
    const plan::Step& step = p.steps[order[at]];
    for (const int t : step.inputs) touch(t, at);
    for (const int t : step.outputs) touch(t, at);
  }
  for (const int t : p.inputs) touch(t, 0);
  for (const int t : p.outputs) touch(t, end);
  std::stable_sort(boxes.begin(), boxes.end(),
                   [](const Box& a, const Box& b) { return a.bytes > b.bytes; });
  int64_t height = 0;
  std::vector<Box> placed;
  for (Box box : boxes) {
    std::vector<Box> met;
    for (const Box& other : placed) {
      if (other.first <= box.last && box.first <= other.last) met.push_back(other);
    }
    std::sort(met.begin(), met.end(),
              [](const Box& a, const Box& b) { return a.offset < b.offset; });
    for (const Box& other : met) {
      if (box.offset + box.bytes <= other.offset) break;
      box.offset = std::max(box.offset, other.offset + other.bytes);
    }
    placed.push_back(box);
    height = std::max(height, box.offset + box.bytes);
  }
  return height;
}

}  // namespace netkit::bench
