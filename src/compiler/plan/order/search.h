// SPDX-License-Identifier: MIT
// Exact search for the order that needs least: sets of executed steps under a rising budget.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

#include "compiler/plan/order/flow.h"
#include "compiler/plan/order/model.h"

namespace netkit::plan {

// Depth-first over executed sets that can be reached within the budget; what the budget forbids
// waits, and when nothing else is left the budget rises to the least of it: every budget passed
// over is proven to be too small. Three rules cut the search without loss: a step that leaves no
// more alive than before runs at once; so does a run of steps that reaches a valley (a set at
// most as expensive as every set between it and where the run began: submodularity of the cut
// then carries every other order over it); and a set seen once is not looked at again.
// Can be resumed: run() may be called again with more nodes. A node is a set, or kStepsPerNode
// steps that were weighed, so that sets from which many steps lead on count for more.
class OrderSearch {
 public:
  static constexpr uint64_t kStepsPerNode = 64;

  // Budgets below start_budget are known to be too small, or of no interest.
  OrderSearch(const OrderModel& model, int64_t start_budget, const Deadline& deadline = {});

  // Looks at up to so many more nodes, until the deadline, or until there is no more memory for
  // sets. True: finished, order() holds an order whose need is bound().
  bool run(uint64_t nodes);

  int64_t bound() const { return budget_; }
  const std::vector<int>& order() const { return order_; }
  uint64_t nodes() const { return sets_ + weighed_ / kStepsPerNode; }
  bool full() const;  // no more memory: to go on is of no use

 private:
  struct State {
    int64_t alive = 0;
    int parent = -1;
    int path_begin = 0, path_end = 0;    // steps from the parent, in path_
    int ready_begin = 0, ready_end = 0;  // in ready_
    int done = 0;                        // steps executed
    bool forgotten = false;              // may be entered again
  };
  struct Move {
    int state, step;
    int64_t need;  // slack taken off
  };
  struct Link {  // a state on the way to the newest, and what came after it
    int state;
    size_t moves, waiting, entered;
  };
  void load(int state);
  int64_t exact_need(const StepEffect& effect, int step);
  void execute(int step, const StepEffect& effect);
  void run_safe_steps();
  int settle(int parent);
  void expand(int state);
  bool try_commit(int state);
  bool loses_slack(const uint64_t* low, const uint64_t* high) const;
  void drop_since(const Link& link, int kept);
  void restart_from(int state);
  void finish(int state);
  bool raise_budget();
  size_t find_slot(const uint64_t* key) const;
  void grow_table();

  const OrderModel& model_;
  Deadline deadline_;
  SetCut cut_;
  int words_;
  int64_t budget_;
  uint64_t sets_ = 0, weighed_ = 0;
  std::vector<State> states_;
  std::vector<uint64_t> keys_;  // words_ per state
  std::vector<int> path_, ready_, table_, entered_;
  std::vector<Move> moves_, waiting_;
  std::vector<Link> chain_;
  std::vector<int> prefix_, order_;
  size_t failed_commits_ = 0;
  // The set at hand.
  Words executed_;
  int64_t alive_ = 0;
  int done_ = 0;
  std::vector<int> run_, open_;  // steps since the parent; ready steps
};

// Makes steps that are interchangeable (the same reads, sizes and readers, also as chains) run in
// one fixed order: no placement is lost. Adds edges to the model.
void order_twins(OrderModel& model);

// The best order that a beam of up to `width` sets finds (fewer where many steps lead on); never a
// proof. Empty when the deadline passed before.
std::vector<int> beam_order(const OrderModel& model, int width, const Deadline& deadline = {});

// The best of a few orders that are made at once, by the bytes that steps add and by depth-first
// ways from either end: never a proof, and whatever the order of the listing. Takes about as long
// as to look at every touch of a buffer a few times, and n log n.
std::vector<int> quick_order(const OrderModel& model);

}  // namespace netkit::plan
