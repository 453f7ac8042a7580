// SPDX-License-Identifier: MIT
// Twin symmetry: branches that could be swapped without anybody noticing run in one fixed order.
#include <algorithm>
#include <map>

#include "compiler/plan/order/search.h"

namespace netkit::plan {
namespace {

using Signature = std::vector<int64_t>;

void add_list(Signature& sig, const std::vector<int>& list) {
  sig.push_back(static_cast<int64_t>(list.size()));
  sig.insert(sig.end(), list.begin(), list.end());
}

// The buffers that the step finds begun, and those that it begins; a shared block is the former.
struct Ends {
  std::vector<int> reads, writes;
};
Ends ends_of(const OrderModel& m, int step) {
  Ends ends;
  for (const int b : m.step_buffers[step]) {
    const bool own = m.buffers[b].writer == step && m.blocks.members[m.buffers[b].tensor] == 1;
    (own ? ends.writes : ends.reads).push_back(b);
  }
  return ends;
}

// The next step of a chain: the only reader of the only thing that this step makes, which in turn
// reads nothing else; -1: none.
int next_in_chain(const OrderModel& m, int step) {
  const Ends ends = ends_of(m, step);
  if (ends.writes.size() != 1 || m.succs[step].size() != 1) return -1;
  const OrderBuffer& out = m.buffers[ends.writes[0]];
  const int next = m.succs[step][0];
  if (out.to_end || out.touches.size() != 2 || m.preds[next].size() != 1) return -1;
  return ends_of(m, next).reads == ends.writes ? next : -1;
}

// All that a step shows to the rest: price, sizes, and the overlaps it and its readers allow.
void add_step(const OrderModel& m, int step, Signature& sig) {
  sig.push_back(m.problem->steps[step].scratch_bytes);
  const auto add_mode = [&](const OrderMode& mode, int owner) {
    const Overlap& o = m.problem->steps[owner].overlaps[mode.overlap];
    sig.insert(sig.end(), {o.forward_bytes.value_or(-1), o.backward_bytes.value_or(-1),
                           o.scratch_bytes});
  };
  for (const OrderMode& mode : m.modes[step]) add_mode(mode, step);
  for (const int b : ends_of(m, step).writes) {
    sig.insert(sig.end(), {-2, m.problem->tensors[m.buffers[b].tensor].bytes,
                           m.buffers[b].to_end ? 1 : 0});
    for (const int reader : m.buffers[b].touches) {
      for (const OrderMode& mode : m.modes[reader]) {
        if (mode.in != b) continue;
        sig.push_back(-3);
        add_mode(mode, reader);
      }
    }
  }
}

Signature chain_signature(const OrderModel& m, const std::vector<int>& chain) {
  Signature sig;
  add_list(sig, m.preds[chain.front()]);
  add_list(sig, ends_of(m, chain.front()).reads);
  for (const OrderMode& mode : m.modes[chain.front()]) sig.push_back(mode.in);
  for (const int s : chain) {
    sig.push_back(-1);
    add_step(m, s, sig);
  }
  add_list(sig, m.succs[chain.back()]);
  return sig;
}

}  // namespace

void order_twins(OrderModel& model) {
  const int n = model.step_count();
  std::vector<int> next(n);
  std::vector<char> inner(n, 0);
  for (int s = 0; s < n; ++s) {
    next[s] = next_in_chain(model, s);
    if (next[s] >= 0) inner[next[s]] = 1;
  }
  std::map<Signature, std::vector<std::vector<int>>> classes;
  for (int s = 0; s < n; ++s) {
    if (inner[s]) continue;
    std::vector<int> chain;
    for (int at = s; at >= 0; at = next[at]) chain.push_back(at);
    const bool one_product = std::all_of(chain.begin(), chain.end(), [&](int step) {
      return ends_of(model, step).writes.size() <= 1;
    });
    if (one_product) classes[chain_signature(model, chain)].push_back(chain);
  }
  bool changed = false;
  for (const auto& [signature, chains] : classes) {
    for (size_t k = 1; k < chains.size(); ++k) {
      for (size_t i = 0; i < chains[k].size(); ++i) {
        model.preds[chains[k][i]].push_back(chains[k - 1][i]);
        model.succs[chains[k - 1][i]].push_back(chains[k][i]);
        changed = true;
      }
    }
  }
  if (changed) update_closures(model);
}

}  // namespace netkit::plan
