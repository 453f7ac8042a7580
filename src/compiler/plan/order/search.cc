// SPDX-License-Identifier: MIT
// The exact order search: sets in a hash table, moves on a stack, forbidden moves waiting.
#include "compiler/plan/order/search.h"

#include <algorithm>
#include <cstring>

namespace netkit::plan {
namespace {

uint64_t hash_words(const uint64_t* words, int count) {
  uint64_t h = 0x9e3779b97f4a7c15u;
  for (int i = 0; i < count; ++i) {
    h = (h ^ words[i]) * 0xff51afd7ed558ccdu;
    h ^= h >> 32;
  }
  return h;
}

constexpr size_t kMaxMemoryBytes = size_t{1} << 30;
constexpr int kMaxCommitSteps = 400;      // farther apart, a valley is too dear to check
constexpr size_t kMaxFailedCommits = 64;  // per start set, of checks against it

}  // namespace

OrderSearch::OrderSearch(const OrderModel& model, int64_t start_budget, const Deadline& deadline)
    : model_(model),
      deadline_(deadline),
      cut_(model, deadline),
      words_(model.words()),
      budget_(start_budget) {
  executed_.assign(words_, 0);
  alive_ = start_bytes(model);
  for (int s = 0; s < model.step_count(); ++s) {
    if (model.preds[s].empty()) open_.push_back(s);
  }
  table_.assign(1024, -1);
  const int start = settle(-1);
  if (start >= 0) restart_from(start);
}

void OrderSearch::load(int state) {
  const State& s = states_[state];
  std::copy_n(keys_.begin() + static_cast<int64_t>(state) * words_, words_, executed_.begin());
  alive_ = s.alive;
  done_ = s.done;
  open_.assign(ready_.begin() + s.ready_begin, ready_.begin() + s.ready_end);
  run_.clear();
}

int64_t OrderSearch::exact_need(const StepEffect& effect, int step) {
  if (!model_.has_slack || effect.need <= budget_) return effect.need;
  return effect.need - live_slack(model_, executed_.data(), step);
}

void OrderSearch::execute(int step, const StepEffect& effect) {
  set_bit(executed_.data(), step);
  alive_ = effect.after;
  ++done_;
  run_.push_back(step);
  open_.erase(std::find(open_.begin(), open_.end(), step));
  for (const int to : model_.succs[step]) {
    const Words& before = model_.ancestors[to];
    bool open = true;
    for (int w = 0; w < words_ && open; ++w) open = (before[w] & ~executed_[w]) == 0;
    if (open) open_.push_back(to);
  }
}

// A step that fits and leaves no more alive (nor takes away the slack that made a set fit).
void OrderSearch::run_safe_steps() {
  for (size_t i = 0; i < open_.size();) {
    ++weighed_;
    const StepEffect e = step_effect(model_, executed_.data(), alive_, open_[i]);
    const bool frees = e.after < alive_ || (e.after == alive_ && e.freed_slack <= e.taken_slack);
    if (frees && exact_need(e, open_[i]) <= budget_) {
      execute(open_[i], e);
      i = 0;
    } else {
      ++i;
    }
  }
}

size_t OrderSearch::find_slot(const uint64_t* key) const {
  size_t slot = hash_words(key, words_) & (table_.size() - 1);
  while (table_[slot] >= 0 && std::memcmp(&keys_[static_cast<size_t>(table_[slot]) * words_], key,
                                          words_ * sizeof(uint64_t)) != 0) {
    slot = (slot + 1) & (table_.size() - 1);
  }
  return slot;
}

void OrderSearch::grow_table() {
  table_.assign(table_.size() * 2, -1);
  for (size_t s = 0; s < states_.size(); ++s) table_[find_slot(&keys_[s * words_])] = s;
}

// Runs what is safe and enters the set at hand; -1: it was seen before.
int OrderSearch::settle(int parent) {
  run_safe_steps();
  if ((states_.size() + 1) * 2 > table_.size()) grow_table();
  const size_t slot = find_slot(executed_.data());
  if (table_[slot] >= 0 && !states_[table_[slot]].forgotten) return -1;
  if (table_[slot] < 0) {
    table_[slot] = static_cast<int>(states_.size());
    keys_.insert(keys_.end(), executed_.begin(), executed_.end());
    states_.emplace_back();
  }
  const int id = table_[slot];
  entered_.push_back(id);
  State s;
  s.alive = alive_;
  s.parent = parent;
  s.done = done_;
  s.path_begin = static_cast<int>(path_.size());
  path_.insert(path_.end(), run_.begin(), run_.end());
  s.path_end = static_cast<int>(path_.size());
  s.ready_begin = static_cast<int>(ready_.size());
  ready_.insert(ready_.end(), open_.begin(), open_.end());
  s.ready_end = static_cast<int>(ready_.size());
  states_[id] = s;
  ++sets_;
  return id;
}

// Everything known is given up but the way to this set: orders over it lose nothing.
void OrderSearch::restart_from(int state) {
  std::vector<int> way;
  for (int s = state; s >= 0; s = states_[s].parent) {
    for (int i = states_[s].path_end; i-- > states_[s].path_begin;) way.push_back(path_[i]);
  }
  prefix_.insert(prefix_.end(), way.rbegin(), way.rend());
  load(state);
  states_.clear();
  keys_.clear();
  path_.clear();
  ready_.clear();
  moves_.clear();
  waiting_.clear();
  chain_.clear();
  entered_.clear();
  table_.assign(1024, -1);
  failed_commits_ = 0;
  expand(settle(-1));
}

// Puts the moves of the newest set on the stack, the most promising last.
void OrderSearch::expand(int state) {
  load(state);
  if (done_ == model_.step_count()) return finish(state);
  chain_.push_back({state, moves_.size(), waiting_.size(), entered_.size()});
  const size_t first = moves_.size();
  std::vector<std::pair<int64_t, Move>> allowed;
  weighed_ += open_.size();
  for (const int step : open_) {
    const StepEffect e = step_effect(model_, executed_.data(), alive_, step);
    const Move move{state, step, exact_need(e, step)};
    if (move.need > budget_) {
      waiting_.push_back(move);
    } else {
      allowed.push_back({e.after, move});
    }
  }
  std::sort(allowed.begin(), allowed.end(), [](const auto& a, const auto& b) {
    if (a.first != b.first) return a.first > b.first;
    if (a.second.need != b.second.need) return a.second.need > b.second.need;
    return a.second.step > b.second.step;
  });
  moves_.resize(first + allowed.size());
  for (size_t i = 0; i < allowed.size(); ++i) moves_[first + i] = allowed[i].second;
}

// Is the newest set a valley as seen from the start set (then all starts anew there), or from a
// set on the way to it? Then what else lay open from there is dropped.
bool OrderSearch::try_commit(int state) {
  const int64_t alive = states_[state].alive;
  const uint64_t* high = &keys_[static_cast<size_t>(state) * words_];
  const auto reaches = [&](int from) { return states_[from].alive >= alive; };
  const auto valley_from = [&](int from) {
    if (states_[state].done - states_[from].done > kMaxCommitSteps) return false;
    const uint64_t* low = &keys_[static_cast<size_t>(from) * words_];
    return cut_.is_valley(low, high, alive, model_.has_slack && loses_slack(low, high));
  };
  if (reaches(0) && failed_commits_ < kMaxFailedCommits) {
    if (valley_from(0)) {
      restart_from(state);
      return true;
    }
    ++failed_commits_;
  }
  size_t from = chain_.size();
  while (from > 0 && reaches(chain_[from - 1].state)) --from;
  if (from == chain_.size() || !valley_from(chain_[from].state)) return false;
  drop_since(chain_[from], state);
  chain_.resize(from);
  return false;
}

// Does a buffer with slack die on the way? Then a set that is only as cheap may fit worse.
bool OrderSearch::loses_slack(const uint64_t* low, const uint64_t* high) const {
  for (int w = 0; w < words_; ++w) {
    for (uint64_t bits = high[w] & ~low[w]; bits != 0; bits &= bits - 1) {
      for (const int id : model_.step_buffers[w * 64 + __builtin_ctzll(bits)]) {
        const OrderBuffer& b = model_.buffers[id];
        const auto inside = [&](int s) { return has_bit(high, s); };
        if (b.slack > 0 && !b.to_end && std::all_of(b.touches.begin(), b.touches.end(), inside)) {
          return true;
        }
      }
    }
  }
  return false;
}

// Gives up all that was found since the link but `kept`: its moves, and the memory of its sets,
// which may be met again on the way from `kept`. What was found before does not lean on it.
void OrderSearch::drop_since(const Link& link, int kept) {
  // A link made anew after the budget rose may stand above moves that were taken since.
  moves_.resize(std::min(link.moves, moves_.size()));
  waiting_.resize(std::min(link.waiting, waiting_.size()));
  for (size_t i = link.entered; i < entered_.size(); ++i) states_[entered_[i]].forgotten = true;
  entered_.resize(link.entered);
  entered_.push_back(kept);
  states_[kept].forgotten = false;
}

void OrderSearch::finish(int state) {
  std::vector<int> way;
  for (int s = state; s >= 0; s = states_[s].parent) {
    for (int i = states_[s].path_end; i-- > states_[s].path_begin;) way.push_back(path_[i]);
  }
  order_ = prefix_;
  order_.insert(order_.end(), way.rbegin(), way.rend());
}

bool OrderSearch::raise_budget() {
  if (waiting_.empty()) return false;
  weighed_ += waiting_.size();
  int64_t least = waiting_[0].need;
  for (const Move& m : waiting_) least = std::min(least, m.need);
  budget_ = least;
  size_t kept = 0;
  for (const Move& m : waiting_) {
    if (m.need <= budget_) {
      moves_.push_back(m);
    } else {
      waiting_[kept++] = m;
    }
  }
  waiting_.resize(kept);
  chain_.clear();
  return true;
}

bool OrderSearch::full() const {
  const auto bytes = [](const auto& list) { return list.size() * sizeof(list[0]); };
  return bytes(states_) + bytes(keys_) + bytes(path_) + bytes(ready_) + bytes(table_) +
             bytes(entered_) + bytes(moves_) + bytes(waiting_) >
         kMaxMemoryBytes;
}

bool OrderSearch::run(uint64_t limit) {
  const uint64_t stop = nodes() + limit;
  while (order_.empty() && nodes() < stop && !deadline_.passed() && !full()) {
    if (moves_.empty() && !raise_budget()) return false;
    const Move move = moves_.back();
    moves_.pop_back();
    while (!chain_.empty() && chain_.back().state != move.state) chain_.pop_back();
    if (chain_.empty()) {
      chain_.push_back({move.state, moves_.size(), waiting_.size(), entered_.size()});
    }
    load(move.state);
    execute(move.step, step_effect(model_, executed_.data(), alive_, move.step));
    const int child = settle(move.state);
    if (child < 0) continue;
    if (done_ == model_.step_count()) {
      finish(child);
    } else if (!try_commit(child)) {
      expand(child);
    }
  }
  return !order_.empty();
}

}  // namespace netkit::plan
