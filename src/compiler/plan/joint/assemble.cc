// SPDX-License-Identifier: MIT
// Names, kinds, lives and live lists of a placed order.
#include "compiler/plan/joint/assemble.h"

#include <algorithm>
#include <set>

namespace netkit::plan {
namespace {

bool shares_bytes(const LayoutBuffer& a, const LayoutBuffer& b) {
  return a.bytes > 0 && b.bytes > 0 && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

BufferKind kind_of(const Problem& problem, int tensor) {
  const auto in = [&](const std::vector<int>& list) {
    return std::count(list.begin(), list.end(), tensor) > 0;
  };
  if (in(problem.states)) return BufferKind::kState;
  if (in(problem.outputs)) return BufferKind::kOutput;
  return in(problem.inputs) ? BufferKind::kInput : BufferKind::kActivation;
}

void add_tensors(const OrderModel& model, const PlacedOrder& placed, Layout& layout) {
  const Problem& p = *model.problem;
  layout.tensor_buffer.assign(p.tensors.size(), -1);
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    const int b = model.tensor_buffer[t];
    if (b < 0) continue;
    LayoutBuffer buffer;
    buffer.name = p.tensors[t].name;
    buffer.bytes = p.tensors[t].bytes;
    buffer.offset = placed.offsets[b] + model.blocks.offset_bytes[t];
    buffer.tensor = static_cast<int>(t);
    buffer.kind = kind_of(p, buffer.tensor);
    buffer.first_step = -1;
    layout.tensor_buffer[t] = static_cast<int>(layout.buffers.size());
    layout.buffers.push_back(std::move(buffer));
  }
  for (size_t s = 0; s < p.steps.size(); ++s) {
    for (const int v : model.blocks.views[s]) {
      const View& view = p.steps[s].views[v];
      const int in = p.steps[s].inputs[view.input], out = p.steps[s].outputs[view.output];
      const bool out_inside = p.tensors[out].bytes <= p.tensors[in].bytes;
      const int inner = out_inside ? out : in, outer = out_inside ? in : out;
      layout.buffers[layout.tensor_buffer[inner]].alias_of = layout.tensor_buffer[outer];
    }
  }
}

void set_lives(const OrderModel& model, const PlacedOrder& placed, Layout& layout) {
  const Problem& p = *model.problem;
  const int end = static_cast<int>(placed.order.size()) - 1;
  const auto stretch = [&](int t, int at) {
    for (int b = layout.tensor_buffer[t]; b >= 0; b = layout.buffers[b].alias_of) {
      LayoutBuffer& buffer = layout.buffers[b];
      buffer.first_step = buffer.first_step < 0 ? at : std::min(buffer.first_step, at);
      buffer.last_step = std::max(buffer.last_step, at);
    }
  };
  for (int at = 0; at <= end; ++at) {
    const Step& step = p.steps[placed.order[at]];
    for (const int t : step.inputs) stretch(t, at);
    for (const int t : step.outputs) stretch(t, at);
  }
  for (const int t : p.inputs) stretch(t, 0);
  for (const int t : p.outputs) stretch(t, end);
  for (const int t : p.states) {
    stretch(t, 0);
    stretch(t, end);
  }
  for (const OrderBuffer& b : model.buffers) {
    if (b.to_end) stretch(b.tensor, end);  // inputs that are kept
  }
}

void add_steps(const OrderModel& model, const PlacedOrder& placed, Layout& layout) {
  const Problem& p = *model.problem;
  for (int at = 0; at < static_cast<int>(placed.order.size()); ++at) {
    const int s = placed.order[at];
    const Step& step = p.steps[s];
    LayoutStep out;
    out.step = s;
    out.views = model.blocks.views[s];
    out.scratch_bytes = step.scratch_bytes;
    if (placed.modes[s] >= 0) {
      const int k = model.modes[s][placed.modes[s]].overlap;
      const Overlap& o = step.overlaps[k];
      const int in = layout.tensor_buffer[step.inputs[o.input]];
      LayoutBuffer& to = layout.buffers[layout.tensor_buffer[step.outputs[o.output]]];
      const bool shares = shares_bytes(layout.buffers[in], to);
      if (shares || o.scratch_bytes < step.scratch_bytes) {
        out.overlap = k;
        out.scratch_bytes = o.scratch_bytes;
        to.overlaps.push_back({in, at, o.forward_bytes, o.backward_bytes});
      }
    }
    if (out.scratch_bytes > 0) out.scratch_offset = placed.scratch_offsets[s];
    layout.steps.push_back(std::move(out));
  }
}

void add_scratch(const Problem& p, Layout& layout) {
  std::set<std::string> names;
  for (const LayoutBuffer& b : layout.buffers) names.insert(b.name);
  for (int at = 0; at < static_cast<int>(layout.steps.size()); ++at) {
    const LayoutStep& step = layout.steps[at];
    if (step.scratch_bytes == 0) continue;
    LayoutBuffer b;
    b.name = p.steps[step.step].name + ".scratch";
    while (!names.insert(b.name).second) b.name += "_";
    b.bytes = step.scratch_bytes;
    b.offset = step.scratch_offset;
    b.first_step = b.last_step = at;
    b.kind = BufferKind::kScratch;
    layout.buffers.push_back(std::move(b));
  }
}

}  // namespace

Layout assemble(const OrderModel& model, const PlacedOrder& placed) {
  Layout layout;
  layout.alignment = model.alignment;
  add_tensors(model, placed, layout);
  set_lives(model, placed, layout);
  add_steps(model, placed, layout);
  add_scratch(*model.problem, layout);
  for (const LayoutBuffer& b : layout.buffers) {
    layout.arena_bytes = std::max(layout.arena_bytes, b.offset + b.bytes);
  }
  set_live_lists(layout);
  return layout;
}

}  // namespace netkit::plan
