// SPDX-License-Identifier: MIT
#include "compiler/plan/regions/replace.h"

#include <algorithm>

namespace netkit::plan {
namespace {

int root_of(const Layout& layout, int b) {
  for (size_t guard = 0; layout.buffers[b].alias_of >= 0 && guard < layout.buffers.size();
       ++guard) {
    b = layout.buffers[b].alias_of;
  }
  return b;
}

}  // namespace

Replacement replacement_of(const Layout& layout, int first) {
  Replacement r;
  r.problem.alignment = layout.alignment;
  const size_t count = layout.buffers.size();
  r.block.assign(count, -1);
  r.inside.assign(count, 0);
  std::vector<char> whole(count, 1);  // no view lies in it
  for (size_t b = 0; b < count; ++b) {
    const LayoutBuffer& buffer = layout.buffers[b];
    const int root = root_of(layout, static_cast<int>(b));
    if (layout.buffers[root].bytes == 0) continue;
    if (root != static_cast<int>(b)) whole[root] = whole[b] = 0;
    if (r.block[root] < 0) {
      r.block[root] = static_cast<int>(r.problem.buffers.size());
      PlacementBuffer block;
      block.lower = layout.buffers[root].first_step + first;
      block.upper = layout.buffers[root].last_step + 1 + first;
      block.bytes = layout.buffers[root].bytes;
      r.problem.buffers.push_back(block);
    }
    PlacementBuffer& block = r.problem.buffers[r.block[root]];
    block.lower = std::min<int64_t>(block.lower, buffer.first_step + first);
    block.upper = std::max<int64_t>(block.upper, buffer.last_step + 1 + first);
    r.block[b] = r.block[root];
    r.inside[b] = buffer.offset - layout.buffers[root].offset;
  }
  for (size_t b = 0; b < count; ++b) {
    for (const LayoutOverlap& o : layout.buffers[b].overlaps) {
      const bool usable = whole[b] && whole[o.with] && r.block[b] >= 0 && r.block[o.with] >= 0;
      if (!usable) continue;
      r.problem.relaxations.push_back(
          {r.block[o.with], r.block[b], o.forward_bytes, o.backward_bytes});
    }
  }
  return r;
}

}  // namespace netkit::plan
