// SPDX-License-Identifier: MIT
// Minimum cuts over executed sets. Closure networks after J.-C. Picard, 1976.
#include "compiler/plan/order/flow.h"

#include <algorithm>

namespace netkit::plan {
namespace {

constexpr int kPathsPerClockRead = 64;

}  // namespace

void Flow::reset() {
  edges_.clear();
  head_.assign(2, -1);
  nodes_ = 2;
}

int Flow::add_node() {
  head_.push_back(-1);
  return nodes_++;
}

int Flow::add_edge(int from, int to, int64_t capacity) {
  edges_.push_back({to, head_[from], capacity});
  head_[from] = static_cast<int>(edges_.size()) - 1;
  edges_.push_back({from, head_[to], 0});
  head_[to] = static_cast<int>(edges_.size()) - 1;
  return head_[to] - 1;
}

// What flows on an edge is the capacity of its reverse. Cycles are taken out on the way.
int64_t Flow::take_path(std::vector<int>& path) {
  path.clear();
  std::vector<char> on_path(nodes_, 0);
  const auto drain = [&](size_t from) {
    int64_t least = kUnbounded;
    for (size_t i = from; i < path.size(); ++i) {
      least = std::min(least, edges_[path[i] ^ 1].capacity);
    }
    for (size_t i = from; i < path.size(); ++i) edges_[path[i] ^ 1].capacity -= least;
    return least;
  };
  for (int node = 0; node != 1;) {
    if (on_path[node]) {
      size_t from = path.size();
      do {
        on_path[edges_[path[--from]].to] = 0;
      } while (edges_[path[from] ^ 1].to != node);
      drain(from);
      path.resize(from);
    }
    on_path[node] = 1;
    int e = head_[node];
    while (e >= 0 && ((e & 1) != 0 || edges_[e ^ 1].capacity == 0)) e = edges_[e].next;
    if (e < 0) return 0;
    path.push_back(e);
    node = edges_[e].to;
  }
  return drain(0);
}

bool Flow::level_nodes() {
  level_.assign(nodes_, -1);
  queue_.assign(1, 0);
  level_[0] = 0;
  for (size_t i = 0; i < queue_.size(); ++i) {
    for (int e = head_[queue_[i]]; e >= 0; e = edges_[e].next) {
      if (edges_[e].capacity > 0 && level_[edges_[e].to] < 0) {
        level_[edges_[e].to] = level_[queue_[i]] + 1;
        queue_.push_back(edges_[e].to);
      }
    }
  }
  return level_[1] >= 0;
}

// An explicit path instead of recursion: networks may be a hundred thousand nodes deep.
int64_t Flow::push(int node, int64_t amount) {
  std::vector<int> path;
  while (true) {
    if (node == 1) {
      int64_t least = amount;
      for (const int e : path) least = std::min(least, edges_[e].capacity);
      for (const int e : path) {
        edges_[e].capacity -= least;
        edges_[e ^ 1].capacity += least;
      }
      return least;
    }
    int& e = at_[node];
    while (e >= 0 && (edges_[e].capacity == 0 || level_[edges_[e].to] != level_[node] + 1)) {
      e = edges_[e].next;
    }
    if (e >= 0) {
      path.push_back(e);
      node = edges_[e].to;
      continue;
    }
    if (path.empty()) return 0;
    level_[node] = -1;
    node = edges_[path.back() ^ 1].to;
    path.pop_back();
  }
}

int64_t Flow::run(int64_t limit, const Deadline& deadline) {
  int64_t total = 0;
  while (total < limit && !deadline.passed() && level_nodes()) {
    at_ = head_;
    for (int paths = 1; total < limit; ++paths) {
      if (paths % kPathsPerClockRead == 0 && deadline.passed()) break;
      const int64_t pushed = push(0, limit - total);
      if (pushed == 0) break;
      total += pushed;
    }
  }
  return total;
}

SetCut::SetCut(const OrderModel& model, const Deadline& deadline)
    : model_(model), deadline_(deadline) {
  for (const OrderBuffer& b : model.buffers) total_ += b.bytes;
}

// Fills the network for the steps of high \ low; returns what is alive whatever the set.
int64_t SetCut::build(const uint64_t* low, const uint64_t* high, int skip, int64_t scale,
                      bool count) {
  const int n = model_.step_count();
  node_.resize(n, -1);
  free_.clear();
  edge_buffer_.clear();
  seen_.resize(model_.buffers.size(), 0);
  flow_.reset();
  for (int w = 0; w < model_.words(); ++w) {
    for (uint64_t bits = high[w] & ~low[w]; bits != 0; bits &= bits - 1) {
      free_.push_back(w * 64 + __builtin_ctzll(bits));
    }
  }
  for (const int s : free_) node_[s] = flow_.add_node();
  if (skip >= 0) {
    for (const int b : model_.step_buffers[skip]) seen_[b] = 1;
  }
  int64_t constant = 0;
  for (size_t id = 0; id < model_.buffers.size(); ++id) {
    const OrderBuffer& b = model_.buffers[id];
    if (seen_[id]) continue;
    bool begun = b.from_start, waits = b.to_end, loose = false;
    for (const int s : b.touches) {
      begun |= has_bit(low, s);
      waits |= !has_bit(high, s);
      loose |= node_[s] >= 0;
    }
    if (b.touches.empty() && !b.to_end) continue;
    if (begun && waits) {
      constant += b.bytes;
      continue;
    }
    if (!loose || b.bytes == 0) continue;
    int first = begun ? 0 : (b.writer >= 0 && node_[b.writer] >= 0 ? node_[b.writer] : -1);
    if (first < 0) {  // begun by any of its steps
      first = flow_.add_node();
      for (const int s : b.touches) {
        if (node_[s] >= 0) flow_.add_edge(node_[s], first, Flow::kUnbounded);
      }
    }
    int last = 1;
    if (!waits) {  // over when all of its steps are inside
      last = flow_.add_node();
      for (const int s : b.touches) {
        if (node_[s] >= 0) flow_.add_edge(last, node_[s], Flow::kUnbounded);
      }
    }
    const int edge = flow_.add_edge(first, last, b.bytes * scale);
    edge_buffer_.resize(static_cast<size_t>(edge) + 1, -1);
    edge_buffer_.back() = static_cast<int>(id);
  }
  for (const int s : free_) {
    for (const int p : model_.preds[s]) {
      if (node_[p] >= 0) flow_.add_edge(node_[s], node_[p], Flow::kUnbounded);
    }
    if (count) flow_.add_edge(node_[s], 1, 1);
  }
  for (const int s : free_) node_[s] = -1;
  if (skip >= 0) {
    for (const int b : model_.step_buffers[skip]) seen_[b] = 0;
  }
  return constant;
}

int64_t SetCut::least_alive(const uint64_t* low, const uint64_t* high, int skip) {
  const int64_t constant = build(low, high, skip, 1, false);
  return constant + flow_.run(Flow::kUnbounded, deadline_);
}

bool SetCut::is_valley(const uint64_t* low, const uint64_t* high, int64_t alive_high, bool strict) {
  if (!strict) {
    const int64_t constant = build(low, high, -1, 1, false);
    const int64_t rest = alive_high - constant;
    return rest <= 0 || flow_.run(rest, deadline_) >= rest;
  }
  // Each executed step costs one more unit, a byte more than all steps together: another set with
  // the same bytes alive would then be cheaper than high.
  int64_t steps = 0;
  for (int w = 0; w < model_.words(); ++w) steps += __builtin_popcountll(high[w] & ~low[w]);
  const int64_t scale = steps + 1;
  if (total_ > Flow::kUnbounded / 4 / scale) return false;
  const int64_t constant = build(low, high, -1, scale, true);
  const int64_t rest = (alive_high - constant) * scale + steps;
  return rest <= 0 || flow_.run(rest, deadline_) >= rest;
}

int64_t SetCut::others(int step) {
  Words high(model_.words(), 0);
  for (int s = 0; s < model_.step_count(); ++s) {
    if (s != step && !has_bit(model_.descendants[step].data(), s)) set_bit(high.data(), s);
  }
  return least_alive(model_.ancestors[step].data(), high.data(), step);
}

int64_t SetCut::step_bound(int step) {
  int64_t own = 0;
  for (const int b : model_.step_buffers[step]) own += model_.buffers[b].bytes;
  int64_t cheapest = own + model_.scratch[step];
  for (const OrderMode& mode : model_.modes[step]) {
    cheapest = std::min(cheapest, own - mode.saving + mode.scratch);
  }
  return others(step) + cheapest;
}

std::vector<SetCut::Chain> SetCut::chains(int step) {
  others(step);
  std::vector<Chain> chains;
  std::vector<int> path;
  while (const int64_t bytes = flow_.take_path(path)) {
    Chain chain{bytes, {}};
    for (const int e : path) {
      const bool known = static_cast<size_t>(e) < edge_buffer_.size();
      if (known && edge_buffer_[e] >= 0) chain.buffers.push_back(edge_buffer_[e]);
    }
    chains.push_back(std::move(chain));
  }
  return chains;
}

}  // namespace netkit::plan
