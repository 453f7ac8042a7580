// SPDX-License-Identifier: MIT
// One order: a most permissive placement problem first (every overlap that any mode allows, the
// least scratch), then branching on the modes where its answer is not one that a mode gives.
#include "compiler/plan/joint/order_place.h"

#include <algorithm>

namespace netkit::plan {
namespace {

constexpr int kPlainMode = -1;
constexpr int kGuesses = 4;

// What is still open for each position of the order: modes (-1: plain).
using Domains = std::vector<std::vector<int>>;

struct Life {
  int first = -1, last = -1;
  bool over = false;  // no later step needs it
};

struct Setting {
  const OrderModel& model;
  const std::vector<int>& order;
  std::vector<Life> lives;  // per buffer; first < 0: not begun
};

Setting make_setting(const OrderModel& model, const std::vector<int>& order) {
  Setting s{model, order, std::vector<Life>(model.buffers.size())};
  const int end = static_cast<int>(order.size()) - 1;
  std::vector<size_t> touched(model.buffers.size(), 0);
  for (size_t b = 0; b < model.buffers.size(); ++b) {
    if (model.buffers[b].from_start) s.lives[b] = {0, 0, false};
  }
  for (int at = 0; at <= end; ++at) {
    for (const int b : model.step_buffers[order[at]]) {
      if (s.lives[b].first < 0) s.lives[b].first = at;
      s.lives[b].last = at;
      ++touched[b];
    }
  }
  for (size_t b = 0; b < model.buffers.size(); ++b) {
    const OrderBuffer& buffer = model.buffers[b];
    s.lives[b].over = touched[b] == buffer.touches.size() && !buffer.to_end;
    if (s.lives[b].first >= 0 && !s.lives[b].over) s.lives[b].last = end;
  }
  return s;
}

int64_t scratch_of(const OrderModel& model, int step, int mode) {
  const Step& s = model.problem->steps[step];
  return mode == kPlainMode ? s.scratch_bytes
                            : s.overlaps[model.modes[step][mode].overlap].scratch_bytes;
}

const Overlap& overlap_of(const OrderModel& model, int step, int mode) {
  return model.problem->steps[step].overlaps[model.modes[step][mode].overlap];
}

bool at_most(const std::optional<int64_t>& a, const std::optional<int64_t>& b) {
  return !b || (a && *a <= *b);
}

// Everything that `b` allows `a` allows too, for no more scratch.
bool dominates(const OrderModel& model, int step, int a, int b) {
  if (scratch_of(model, step, a) > scratch_of(model, step, b)) return false;
  if (b == kPlainMode) return true;
  if (a == kPlainMode) return false;
  const OrderMode &x = model.modes[step][a], &y = model.modes[step][b];
  const Overlap &ox = overlap_of(model, step, a), &oy = overlap_of(model, step, b);
  return x.in == y.in && x.out == y.out && at_most(ox.forward_bytes, oy.forward_bytes) &&
         at_most(ox.backward_bytes, oy.backward_bytes);
}

Domains make_domains(const Setting& s) {
  Domains domains;
  for (int at = 0; at < static_cast<int>(s.order.size()); ++at) {
    const int step = s.order[at];
    std::vector<int> open = {kPlainMode};
    for (int k = 0; k < static_cast<int>(s.model.modes[step].size()); ++k) {
      const OrderMode& mode = s.model.modes[step][k];
      const Life& in = s.lives[mode.in];
      if (in.over && in.last == at && s.lives[mode.out].first == at) open.push_back(k);
    }
    std::vector<int> kept;
    for (size_t i = 0; i < open.size(); ++i) {
      bool needed = true;
      for (size_t j = 0; j < open.size() && needed; ++j) {
        if (i == j || !dominates(s.model, step, open[j], open[i])) continue;
        needed = j > i && dominates(s.model, step, open[i], open[j]);  // of equals the first
      }
      if (needed) kept.push_back(open[i]);
    }
    domains.push_back(kept);
  }
  return domains;
}

// The permissive problem of the domains. Buffers first, then scratch by position.
struct Posed {
  PlacementProblem problem;
  std::vector<int> buffer_at;   // per buffer of the model: index, -1: none
  std::vector<int> scratch_at;  // per position
};

void add_relaxation(std::vector<PairRelaxation>& list, int in, int out, const Overlap& o) {
  const auto least = [](std::optional<int64_t>& x, const std::optional<int64_t>& y) {
    if (y && (!x || *y < *x)) x = y;
  };
  for (PairRelaxation& r : list) {
    if (r.in != in || r.out != out) continue;
    least(r.forward_bytes, o.forward_bytes);
    least(r.backward_bytes, o.backward_bytes);
    return;
  }
  list.push_back({in, out, o.forward_bytes, o.backward_bytes});
}

Posed pose(const Setting& s, const Domains& domains) {
  Posed posed;
  posed.problem.alignment = s.model.alignment;
  const auto add = [&](Life life, int64_t bytes) {
    PlacementBuffer b;
    b.lower = life.first;
    b.upper = life.last + 1;
    b.bytes = bytes;
    posed.problem.buffers.push_back(b);
    return static_cast<int>(posed.problem.buffers.size()) - 1;
  };
  for (size_t b = 0; b < s.model.buffers.size(); ++b) {
    const OrderBuffer& buffer = s.model.buffers[b];
    posed.buffer_at.push_back(s.lives[b].first < 0 ? -1
                                                   : add(s.lives[b], buffer.bytes - buffer.slack));
  }
  for (int at = 0; at < static_cast<int>(s.order.size()); ++at) {
    const int step = s.order[at];
    int64_t least = scratch_of(s.model, step, domains[at][0]);
    std::vector<PairRelaxation> relaxations;
    for (const int mode : domains[at]) {
      least = std::min(least, scratch_of(s.model, step, mode));
      if (mode == kPlainMode) continue;
      const OrderMode& m = s.model.modes[step][mode];
      add_relaxation(relaxations, posed.buffer_at[m.in], posed.buffer_at[m.out],
                     overlap_of(s.model, step, mode));
    }
    posed.scratch_at.push_back(least > 0 ? add({at, at, true}, least) : -1);
    posed.problem.relaxations.insert(posed.problem.relaxations.end(), relaxations.begin(),
                                     relaxations.end());
  }
  return posed;
}

bool disjoint(int64_t a, int64_t a_bytes, int64_t b, int64_t b_bytes) {
  return a_bytes == 0 || b_bytes == 0 || a + a_bytes <= b || b + b_bytes <= a;
}

// The first mode of the domain that the addresses obey with at most so much scratch.
std::optional<int> obeyed_mode(const Setting& s, const Posed& posed, const Placement& found,
                               const std::vector<int>& domain, int at, int64_t scratch_bytes) {
  const int step = s.order[at];
  const auto place_of = [&](int b) { return found.offsets[posed.buffer_at[b]]; };
  const auto real = [&](int b) { return s.model.buffers[b].bytes - s.model.buffers[b].slack; };
  for (const int mode : domain) {
    if (scratch_of(s.model, step, mode) > scratch_bytes) continue;
    bool good = true;
    for (const int other : domain) {
      if (other == kPlainMode) continue;
      const OrderMode& m = s.model.modes[step][other];
      const int64_t in = place_of(m.in), out = place_of(m.out);
      if (disjoint(in, real(m.in), out, real(m.out))) continue;
      if (mode == kPlainMode || s.model.modes[step][mode].in != m.in ||
          s.model.modes[step][mode].out != m.out) {
        good = false;
        continue;
      }
      const Overlap& o = overlap_of(s.model, step, mode);
      const bool forward = o.forward_bytes && out <= in - *o.forward_bytes;
      const bool backward =
          o.backward_bytes && out + real(m.out) >= in + real(m.in) + *o.backward_bytes;
      good &= forward || backward;
    }
    if (good) return mode;
  }
  return std::nullopt;
}

// The same with the scratch that was placed.
std::optional<int> obeyed_mode(const Setting& s, const Posed& posed, const Placement& found,
                               const std::vector<int>& domain, int at) {
  const int scratch = posed.scratch_at[at];
  return obeyed_mode(s, posed, found, domain, at,
                     scratch < 0 ? 0 : posed.problem.buffers[scratch].bytes);
}

class ModeSearch {
 public:
  ModeSearch(const Setting& setting, std::optional<int64_t> capacity, int64_t enough,
             Effort& effort)
      : s_(setting), capacity_(capacity), enough_(enough), effort_(effort) {}

  // Returns a lower bound for all that the domains allow; best() improves on the way.
  int64_t solve(const Domains& domains) {
    Posed posed = pose(s_, domains);
    if (effort_.spent()) return load_bound(posed.problem).value_or(0);
    posed.problem.enough_bytes = enough_;
    posed.problem.capacity = capacity_;
    const auto found = effort_.run(posed.problem);
    if (!found) return 0;  // cannot be: the problem was checked
    if (found->offsets.empty() && !posed.problem.buffers.empty()) return found->lower_bound_bytes;
    const std::vector<int> open = undecided(posed, *found, domains);
    if (open.empty()) {
      keep(posed, *found, domains);
      return found->lower_bound_bytes;
    }
    const int64_t bound = found->lower_bound_bytes;
    if (open.size() > 1 && guess(domains, std::move(posed), *found, bound)) return bound;
    return std::max(bound, branch(domains, open[0]));
  }

  // One greedy placement of domains that leave nothing open.
  void place_greedily(const Domains& domains) {
    Posed posed = pose(s_, domains);
    posed.problem.greedy = true;
    const auto found = place(posed.problem);
    if (found && !found->offsets.empty()) keep(posed, *found, domains);
  }

  const PlacedOrder& best() const { return best_; }

 private:
  // Positions where the addresses are not those of a mode.
  std::vector<int> undecided(const Posed& posed, const Placement& found,
                             const Domains& domains) const {
    std::vector<int> open;
    for (int at = 0; at < static_cast<int>(domains.size()); ++at) {
      if (!obeyed_mode(s_, posed, found, domains[at], at)) open.push_back(at);
    }
    return open;
  }

  // All of these positions at once: the modes that the addresses suggest, with their scratch,
  // placed anew, a few times. True: that gave a plan at the bound, or one that is enough.
  bool guess(Domains domains, Posed posed, Placement found, int64_t bound) {
    const int64_t wanted = std::max(bound, enough_);
    for (int round = 0; round < kGuesses && !effort_.spent(); ++round) {
      for (const int at : undecided(posed, found, domains)) {
        const auto mode = obeyed_mode(s_, posed, found, domains[at], at, INT64_MAX);
        domains[at] = {mode.value_or(domains[at][0])};
      }
      posed = pose(s_, domains);
      posed.problem.enough_bytes = wanted;
      posed.problem.capacity = capacity_;
      auto next = effort_.run(posed.problem);
      if (!next || next->offsets.empty()) return false;
      found = std::move(*next);
      if (!undecided(posed, found, domains).empty()) continue;
      keep(posed, found, domains);
      return found.height_bytes <= wanted;
    }
    return false;
  }

  int64_t branch(const Domains& domains, int at) {
    int64_t least = INT64_MAX;
    for (const int mode : domains[at]) {
      if (best_.found && best_.height_bytes <= enough_) return 0;  // the rest stays unknown
      Domains narrower = domains;
      narrower[at] = {mode};
      least = std::min(least, solve(narrower));
    }
    return best_.found ? std::min(least, best_.height_bytes) : least;
  }

  void keep(const Posed& posed, const Placement& found, const Domains& domains) {
    best_.found = true;
    best_.order = s_.order;
    best_.height_bytes = found.height_bytes;
    best_.modes.assign(s_.model.step_count(), kPlainMode);
    best_.scratch_offsets.assign(s_.model.step_count(), 0);
    best_.offsets.assign(s_.model.buffers.size(), 0);
    for (int at = 0; at < static_cast<int>(domains.size()); ++at) {
      const int step = s_.order[at];
      best_.modes[step] = *obeyed_mode(s_, posed, found, domains[at], at);
      const int scratch = posed.scratch_at[at];
      if (scratch >= 0) best_.scratch_offsets[step] = found.offsets[scratch];
    }
    for (size_t b = 0; b < best_.offsets.size(); ++b) {
      if (posed.buffer_at[b] >= 0) best_.offsets[b] = found.offsets[posed.buffer_at[b]];
    }
    capacity_ = found.height_bytes - 1;
  }

  const Setting& s_;
  std::optional<int64_t> capacity_;
  int64_t enough_;
  Effort& effort_;
  PlacedOrder best_;
};

}  // namespace

Result<Placement> Effort::run(PlacementProblem problem) {
  problem.node_budget = std::min(place_nodes, search_nodes);
  problem.deadline = deadline;
  auto found = place(problem);
  joint_nodes -= std::min<uint64_t>(joint_nodes, 1);
  if (found) {
    search_nodes -= std::min(search_nodes, found->nodes);
    time_limited |= found->time_limited;
  }
  return found;
}

OrderVerdict place_order(const OrderModel& model, const std::vector<int>& order,
                         std::optional<int64_t> capacity, int64_t enough_bytes, Effort& effort) {
  const Setting setting = make_setting(model, order);
  ModeSearch search(setting, capacity, enough_bytes, effort);
  OrderVerdict verdict;
  verdict.lower_bound_bytes = search.solve(make_domains(setting));
  verdict.placed = search.best();
  return verdict;
}

PlacedOrder place_greedily(const OrderModel& model, const std::vector<int>& order) {
  const Setting setting = make_setting(model, order);
  const Domains plain(order.size(), {kPlainMode});
  Effort effort;
  ModeSearch search(setting, std::nullopt, 0, effort);
  search.place_greedily(plain);
  return search.best();
}

int64_t prefix_bound(const OrderModel& model, const std::vector<int>& prefix, int64_t capacity,
                     Effort& effort) {
  const Setting setting = make_setting(model, prefix);
  Posed posed = pose(setting, make_domains(setting));
  if (effort.spent()) return 0;
  posed.problem.capacity = capacity;
  posed.problem.enough_bytes = capacity;
  const auto found = effort.run(posed.problem);
  return found ? found->lower_bound_bytes : 0;
}

}  // namespace netkit::plan
