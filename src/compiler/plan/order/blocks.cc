// SPDX-License-Identifier: MIT
// Blocks: the forest of tensors within tensors.
#include "compiler/plan/order/blocks.h"

namespace netkit::plan {

std::vector<ViewRef> usable_views(const Problem& problem, const std::vector<char>& outside) {
  std::vector<char> barred = outside;
  for (const int t : problem.states) barred[t] = 1;
  std::vector<ViewRef> views;
  for (int s = 0; s < static_cast<int>(problem.steps.size()); ++s) {
    const Step& step = problem.steps[s];
    for (int v = 0; v < static_cast<int>(step.views.size()); ++v) {
      const int in = step.inputs[step.views[v].input];
      const int out = step.outputs[step.views[v].output];
      const bool aligned = step.views[v].offset_bytes % problem.alignment == 0;
      if (!barred[in] && !barred[out] && in != out && aligned) views.push_back({s, v});
    }
  }
  return views;
}

Blocks make_blocks(const Problem& problem, const std::vector<ViewRef>& wanted) {
  const size_t tensors = problem.tensors.size();
  Blocks blocks;
  blocks.views.resize(problem.steps.size());
  std::vector<int> parent(tensors, -1);
  std::vector<int64_t> at(tensors, 0);
  const auto root_of = [&](int t) {
    while (parent[t] >= 0) t = parent[t];
    return t;
  };
  for (const ViewRef& ref : wanted) {
    const Step& step = problem.steps[ref.step];
    const View& view = step.views[ref.view];
    const int in = step.inputs[view.input], out = step.outputs[view.output];
    const bool out_inside = problem.tensors[out].bytes <= problem.tensors[in].bytes;
    const int inner = out_inside ? out : in, outer = out_inside ? in : out;
    if (parent[inner] >= 0 || root_of(outer) == inner) continue;
    parent[inner] = outer;
    at[inner] = view.offset_bytes;
    blocks.views[ref.step].push_back(ref.view);
  }
  blocks.root.resize(tensors);
  blocks.offset_bytes.resize(tensors);
  blocks.members.assign(tensors, 0);
  for (size_t t = 0; t < tensors; ++t) {
    int up = static_cast<int>(t);
    int64_t offset = 0;
    for (; parent[up] >= 0; up = parent[up]) offset += at[up];
    blocks.root[t] = up;
    blocks.offset_bytes[t] = offset;
    ++blocks.members[up];
  }
  return blocks;
}

}  // namespace netkit::plan
