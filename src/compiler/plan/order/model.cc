// SPDX-License-Identifier: MIT
// Building the order question.
#include "compiler/plan/order/model.h"

#include <algorithm>

#include "compiler/plan/rounding.h"

namespace netkit::plan {
namespace {

constexpr size_t kFewTouches = 8;  // so many are looked at one by one

void unique_sorted(std::vector<int>& v) {
  std::sort(v.begin(), v.end());
  v.erase(std::unique(v.begin(), v.end()), v.end());
}

void add_buffers(OrderModel& m, const ModelOptions& options) {
  const Problem& p = *m.problem;
  m.tensor_buffer.assign(p.tensors.size(), -1);
  std::vector<char> used(p.tensors.size(), 0);
  for (const Step& s : p.steps) {
    for (const int t : s.inputs) used[t] = 1;
    for (const int t : s.outputs) used[t] = 1;
  }
  for (const auto* list : {&p.inputs, &p.outputs, &p.states}) {
    for (const int t : *list) used[t] = 1;
  }
  std::vector<int> root_buffer(p.tensors.size(), -1);
  for (size_t t = 0; t < p.tensors.size(); ++t) {
    const int root = m.blocks.root[t];
    if (!used[t] || (!options.outside.empty() && options.outside[t])) continue;
    if (root_buffer[root] < 0) {
      root_buffer[root] = static_cast<int>(m.buffers.size());
      OrderBuffer b;
      b.tensor = root;
      b.bytes = round_up(p.tensors[root].bytes, m.alignment);
      b.slack = b.bytes - p.tensors[root].bytes;
      m.buffers.push_back(b);
    }
    m.tensor_buffer[t] = root_buffer[root];
  }
  const auto mark = [&](const std::vector<int>& list, bool start, bool end) {
    for (const int t : list) {
      if (m.tensor_buffer[t] < 0) continue;
      OrderBuffer& b = m.buffers[m.tensor_buffer[t]];
      b.from_start |= start;
      b.to_end |= end;
    }
  };
  mark(p.inputs, true, options.keep_inputs);
  mark(p.outputs, false, true);
  mark(p.states, true, true);
}

void add_edges(OrderModel& m, bool fixed_order) {
  const Problem& p = *m.problem;
  const int n = static_cast<int>(p.steps.size());
  std::vector<int> writer(p.tensors.size(), -1), last_access(p.tensors.size(), -1);
  std::vector<char> state(p.tensors.size(), 0);
  for (const int t : p.states) state[t] = 1;
  m.preds.resize(n);
  m.succs.resize(n);
  for (int s = 0; s < n; ++s) {
    for (const int t : p.steps[s].outputs) writer[t] = s;
  }
  for (int s = 0; s < n; ++s) {
    for (const int t : p.steps[s].inputs) {
      if (!state[t] && writer[t] >= 0) m.preds[s].push_back(writer[t]);
    }
    for (const auto* list : {&p.steps[s].inputs, &p.steps[s].outputs}) {
      for (const int t : *list) {
        if (!state[t]) continue;
        if (last_access[t] >= 0 && last_access[t] != s) m.preds[s].push_back(last_access[t]);
        last_access[t] = s;
      }
    }
    if (fixed_order && s > 0) m.preds[s].push_back(s - 1);
    unique_sorted(m.preds[s]);
    for (const int from : m.preds[s]) m.succs[from].push_back(s);
  }
}

// The one step, if there is any, that all others of the buffer's come after.
void find_writer(const OrderModel& m, OrderBuffer& b) {
  b.writer = -1;
  if (b.from_start) return;
  for (const int s : b.touches) {
    const auto first = [&](int other) {
      return other == s || has_bit(m.descendants[s].data(), other);
    };
    if (std::all_of(b.touches.begin(), b.touches.end(), first)) b.writer = s;
  }
}

void add_touches(OrderModel& m) {
  const Problem& p = *m.problem;
  const int n = m.step_count();
  m.step_buffers.resize(n);
  for (int s = 0; s < n; ++s) {
    for (const auto* list : {&p.steps[s].inputs, &p.steps[s].outputs}) {
      for (const int t : *list) {
        if (m.tensor_buffer[t] >= 0) m.step_buffers[s].push_back(m.tensor_buffer[t]);
      }
    }
    unique_sorted(m.step_buffers[s]);
    for (const int b : m.step_buffers[s]) m.buffers[b].touches.push_back(s);
  }
  for (OrderBuffer& b : m.buffers) {
    m.has_slack |= b.slack > 0;
    if (b.touches.size() > kFewTouches) {
      b.touch_set.assign(m.words(), 0);
      for (const int s : b.touches) set_bit(b.touch_set.data(), s);
    }
    if (b.from_start && !b.to_end && b.touches.empty()) m.unread_bytes += b.bytes;
    find_writer(m, b);
  }
}

// The most that `in` and `out` can share, in rounded bytes: the two reach over `span` at least.
int64_t overlap_saving(const Overlap& o, const OrderBuffer& in, const OrderBuffer& out,
                       int64_t alignment) {
  int64_t span = in.bytes + out.bytes;
  if (o.forward_bytes) {  // in stands so far above out, or farther
    const int64_t above = round_up(*o.forward_bytes, alignment);
    span = std::min(span, std::max(out.bytes, in.bytes + above));
  }
  if (o.backward_bytes) {  // out stands so far above in, or farther
    const int64_t ends = (in.bytes - in.slack) + *o.backward_bytes - (out.bytes - out.slack);
    const int64_t above = ends <= 0 ? 0 : round_up(ends, alignment);
    span = std::min(span, std::max(in.bytes, out.bytes + above));
  }
  return in.bytes + out.bytes - span;
}

void add_modes(OrderModel& m) {
  const Problem& p = *m.problem;
  const auto alone = [&](int t) {
    return m.tensor_buffer[t] >= 0 && m.blocks.members[m.blocks.root[t]] == 1;
  };
  for (int s = 0; s < m.step_count(); ++s) {
    const Step& step = p.steps[s];
    for (size_t k = 0; k < step.overlaps.size(); ++k) {
      const Overlap& o = step.overlaps[k];
      const int in = step.inputs[o.input], out = step.outputs[o.output];
      if (in == out || !alone(in) || !alone(out)) continue;
      OrderMode mode;
      mode.overlap = static_cast<int>(k);
      mode.in = m.tensor_buffer[in];
      mode.out = m.tensor_buffer[out];
      const OrderBuffer &ib = m.buffers[mode.in], &ob = m.buffers[mode.out];
      if (ib.to_end || ob.from_start) continue;
      const auto last = [&](int other) {
        return other == s || !has_bit(m.descendants[s].data(), other);
      };
      if (!std::all_of(ib.touches.begin(), ib.touches.end(), last)) continue;
      mode.saving = overlap_saving(o, ib, ob, m.alignment);
      mode.scratch = round_up(o.scratch_bytes, m.alignment);
      mode.scratch_slack = mode.scratch - o.scratch_bytes;
      const bool less = o.scratch_bytes < step.scratch_bytes;  // it may be taken for that alone
      if (mode.saving <= 0 && !less) continue;
      m.has_slack |= mode.scratch_slack > 0;
      m.modes[s].push_back(mode);
    }
  }
}

}  // namespace

void update_closures(OrderModel& m) {
  const int n = m.step_count(), words = m.words();
  m.ancestors.assign(n, Words(words, 0));
  m.descendants.assign(n, Words(words, 0));
  std::vector<int> waiting(n), order;
  for (int s = 0; s < n; ++s) {
    waiting[s] = static_cast<int>(m.preds[s].size());
    if (waiting[s] == 0) order.push_back(s);
  }
  for (size_t i = 0; i < order.size(); ++i) {
    for (const int to : m.succs[order[i]]) {
      if (--waiting[to] == 0) order.push_back(to);
    }
  }
  for (const int s : order) {
    for (const int from : m.preds[s]) {
      for (int w = 0; w < words; ++w) m.ancestors[s][w] |= m.ancestors[from][w];
      set_bit(m.ancestors[s].data(), from);
    }
  }
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    for (const int to : m.succs[*it]) {
      for (int w = 0; w < words; ++w) m.descendants[*it][w] |= m.descendants[to][w];
      set_bit(m.descendants[*it].data(), to);
    }
  }
}

void sort_by_slack(OrderModel& m) {
  m.by_slack.clear();
  for (size_t b = 0; b < m.buffers.size(); ++b) {
    if (m.buffers[b].slack > 0) m.by_slack.push_back(static_cast<int>(b));
  }
  std::stable_sort(m.by_slack.begin(), m.by_slack.end(),
                   [&](int a, int b) { return m.buffers[a].slack > m.buffers[b].slack; });
}

OrderModel make_order_model(const Problem& problem, const ModelOptions& options) {
  OrderModel m;
  m.problem = &problem;
  m.alignment = problem.alignment;
  m.blocks = make_blocks(problem, options.views);
  add_buffers(m, options);
  add_edges(m, options.fixed_order);
  update_closures(m);
  add_touches(m);
  for (const Step& s : problem.steps) {
    m.scratch.push_back(round_up(s.scratch_bytes, m.alignment));
    m.scratch_slack.push_back(m.scratch.back() - s.scratch_bytes);
    m.has_slack |= m.scratch_slack.back() > 0;
  }
  m.modes.resize(problem.steps.size());
  if (options.plan_class == PlanClass::kOverlap) add_modes(m);
  sort_by_slack(m);
  return m;
}

OrderModel reversed(const OrderModel& model) {
  OrderModel r = model;
  std::swap(r.preds, r.succs);
  std::swap(r.ancestors, r.descendants);
  for (OrderBuffer& b : r.buffers) {
    std::swap(b.from_start, b.to_end);
    find_writer(r, b);
  }
  r.unread_bytes = 0;
  for (auto& modes : r.modes) {
    for (OrderMode& mode : modes) std::swap(mode.in, mode.out);
  }
  return r;
}

}  // namespace netkit::plan
