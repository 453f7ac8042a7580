// SPDX-License-Identifier: MIT
// Depth-first search over canonical placements of one instance under a given height.
// Internal to the offset solver.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/plan/deadline.h"
#include "compiler/plan/offsets/instance.h"

namespace netkit::plan {

// Fingerprints of sub-problems known to fail: 128 bits per entry, a fixed most size, newest wins.
class FailedStates {
 public:
  struct Key {
    uint64_t a = 0, b = 0;
  };
  void clear();
  bool contains(const Key& key) const;
  void insert(const Key& key);

 private:
  void grow();
  std::vector<Key> slots_;
  size_t used_ = 0;
};

// In what order a search tries the items.
struct TryOrder {
  std::vector<int> rank;      // a permutation; a lower one is tried earlier
  bool lowest_first = false;  // not only what fits beneath an item goes before it, but whatever
                              // could start lower
};

// Canonical: every item stands as low as those beneath it allow. A node takes an item that nothing
// unplaced can be beneath, and either places it at its lowest offset or lifts it onto the lowest
// end of an unplaced neighbour: these two cover every canonical placement, and neighbours alone
// decide, so that the search may work wherever it is most likely to fail: at the section with the
// fewest items that can come next, weighed by how often it failed. Bounds: each section must hold
// what is left above its floor; an item that cannot come first there stands above one that can.
// A remainder that failed is not searched again; one that falls apart in time is solved part by
// part. Section bounds after M. D. Moffitt, "MiniMalloc", ASPLOS'23; failure weights after
// Boussemart et al., "Boosting systematic search by weighting constraints", ECAI 2004.
class Search {
 public:
  enum class Outcome { kFound, kNone, kStopped };

  explicit Search(const Instance& instance);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // Looks for a placement of at most height_bytes. kNone: there is none (under the instance's pair
  // rules); kStopped: node_limit or the deadline was reached. Weights and failed remainders carry
  // over from run to run.
  Outcome run(int64_t height_bytes, const TryOrder& order, uint64_t node_limit,
              const Deadline& deadline);

  const std::vector<int64_t>& offsets() const { return offset_; }  // units; after kFound
  uint64_t nodes() const { return nodes_; }                        // of all runs

 private:
  struct Slot {  // an item in a section's list, and the place in position_ that knows where
    int item, incidence;
  };
  struct Section {
    std::vector<Slot> slots;  // the first `open` are unplaced
    std::vector<int> pairs;   // into Instance::pairs
    int open = 0;
    bool plain = true;     // no pairs and nothing fixed
    bool waiting = false;  // in queue_
    int64_t room = 0;      // units below the height
    int64_t left = 0;      // units that the unplaced need
    uint64_t weight = 0;
    int firsts = 0;  // unplaced items that can come first
  };
  enum class What : uint8_t { kLeast, kBase, kFirsts, kPlaced };
  struct Change {
    What what;
    int index;
    int64_t old;
  };

  bool reset(int64_t height_bytes, const TryOrder& order);
  bool raise_tops();
  bool is_beneath(const Arc& arc, int u) const;
  void find_twins();
  bool visit(int begin, int end);
  bool visit_connected(int begin, int end);
  bool branch(int begin, int end);
  bool try_lowest(int begin, int end, int u);
  bool stop_here();
  int choose(int begin, int end);
  int most_urgent(int begin, int end) const;
  bool lift(int u);
  bool tighten();
  bool check_section(int t);
  bool check_plain(int t);
  bool order_section(int t, int64_t latest, int64_t end, int only, bool* changed);
  int64_t fixed_above(int t, int64_t floor) const;
  bool fail_queue();
  bool raise(int u, int64_t least);
  void touch(int t);
  void set_firsts(int t, int count);
  bool place(int u);
  void take_out(int u);
  void put_back(int u);
  void count_pairs(int u);
  int64_t remainder_of(int t) const;
  bool excluded(int u, int t) const;
  bool supported(int u) const { return least_[size(u)] == base_[size(u)]; }
  FailedStates::Key fingerprint(int begin, int end) const;
  void restore(size_t mark);
  static size_t size(int i) { return static_cast<size_t>(i); }
  const Item& item(int u) const { return instance_.items[static_cast<size_t>(u)]; }

  const Instance& instance_;
  std::vector<Section> sections_;
  std::vector<std::pair<int, int>> incidences_;  // per item a run: (section, index in slots)
  std::vector<int> first_incidence_;             // per item, and one past the last
  std::vector<int> twin_after_;                  // an equal item that is placed later, or -1
  std::vector<int> rank_, list_;                 // list_: the unplaced, parts side by side
  bool lowest_first_ = false;
  std::vector<int64_t> least_, most_, offset_;  // per item
  std::vector<int64_t> base_;                   // lowest legal offset above those placed
  std::vector<char> placed_;
  std::vector<int> queue_;  // sections to check
  std::vector<Change> trail_;
  std::vector<std::pair<int, int>> parts_;    // a stack
  std::vector<FailedStates::Key> open_keys_;  // a stack: remainders being searched
  FailedStates failed_;
  int64_t height_bytes_ = -1;
  uint64_t nodes_ = 0, node_limit_ = 0;
  const Deadline* deadline_ = nullptr;
  bool stopped_ = false;
  bool circular_ = false;  // some item had another beneath all the way round: not exhaustive
};

}  // namespace netkit::plan
