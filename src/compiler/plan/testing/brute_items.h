// SPDX-License-Identifier: MIT
// For tests: the tensors of a small graph as what is placed, once some of its views are taken.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/plan/problem.h"

namespace netkit::plan::testing {

struct BruteItem {  // tensors that share bytes through views
  int64_t bytes = 0;
  uint32_t touches = 0;  // steps
  bool from_start = false, to_end = false, used = false;
  int tensors = 0;
};

// views: step and view; taken: a bit each. items by tensor; only roots of blocks are used. False: a
// tensor would lie in two others, or a view is not aligned.
inline bool make_items(const Problem& p, const std::vector<std::pair<int, int>>& views,
                       size_t taken, std::vector<BruteItem>& items, std::vector<int>& item_of) {
  std::vector<int> outer(p.tensors.size(), -1);
  for (size_t i = 0; i < views.size(); ++i) {
    if (((taken >> i) & 1) == 0) continue;
    const Step& step = p.steps[views[i].first];
    const View& view = step.views[views[i].second];
    int small = step.outputs[view.output], large = step.inputs[view.input];
    if (p.tensors[small].bytes > p.tensors[large].bytes) std::swap(small, large);
    if (outer[small] >= 0 || view.offset_bytes % p.alignment != 0) return false;
    outer[small] = large;
  }
  items.assign(p.tensors.size(), {});
  item_of.resize(p.tensors.size());
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    int root = static_cast<int>(t);
    while (outer[root] >= 0) root = outer[root];
    item_of[t] = root;
    ++items[root].tensors;
  }
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    if (item_of[t] == static_cast<int>(t)) items[t].bytes = p.tensors[t].bytes;
  }
  for (size_t s = 0; s < p.steps.size(); ++s) {
    for (const auto* list : {&p.steps[s].inputs, &p.steps[s].outputs}) {
      for (const int t : *list) {
        items[item_of[t]].touches |= 1u << s;
        items[item_of[t]].used = true;
      }
    }
  }
  for (const int t : p.inputs) items[item_of[t]].from_start = items[item_of[t]].used = true;
  for (const int t : p.outputs) items[item_of[t]].to_end = items[item_of[t]].used = true;
  return true;
}

}  // namespace netkit::plan::testing
