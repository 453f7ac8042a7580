// SPDX-License-Identifier: MIT
// Depth-first search over canonical placements of one instance under a given height.
// Internal to this folder.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "compiler/plan/offsets/instance.h"

namespace netkit::plan {

// A wall clock that is read only when a limit was asked for.
class Deadline {
 public:
  explicit Deadline(std::optional<double> seconds);
  bool passed() const;

 private:
  std::optional<std::chrono::steady_clock::time_point> end_;
};

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

// Canonical: items are placed one by one, each at its lowest legal offset over those placed
// before, and offset + key never falls; every minimal placement arises so exactly once (Moffitt,
// ASPLOS'23). A branch ends where a section cannot hold what is left, where an unplaced item would
// fit wholly below, or where the same remainder failed before; a remainder that falls apart in
// time is solved part by part.
class Search {
 public:
  enum class Outcome { kFound, kNone, kStopped };

  explicit Search(const Instance& instance);
  Search(const Search&) = delete;
  Search& operator=(const Search&) = delete;

  // Looks for a placement of at most height_bytes. rank: a permutation; a lower one is tried
  // earlier among equal offsets. kNone: there is none (under the instance's pair rules);
  // kStopped: node_limit or the deadline was reached.
  Outcome run(int64_t height_bytes, const std::vector<int>& rank, uint64_t node_limit,
              const Deadline& deadline);

  const std::vector<int64_t>& offsets() const { return offset_; }  // units; after kFound
  uint64_t nodes() const { return nodes_; }                        // of all runs
  // How often each section ended a branch, over all runs.
  const std::vector<uint64_t>& failures() const { return failures_; }

 private:
  struct Candidate {
    int64_t level;
    int rank, item;
  };
  struct Raised {
    int item;
    int64_t old_least;
  };
  struct Floor {  // the two lowest starts of what is unplaced in a section
    int64_t first = INT64_MAX, second = INT64_MAX;
    int lowest = -1;
  };
  struct Step {  // the last placement: later ones come after it in (level, rank)
    int64_t level;
    int rank;
  };

  bool reset(int64_t height_bytes, const std::vector<int>& rank);
  void find_twins();
  bool visit(int begin, int end, Step last);
  bool visit_connected(int begin, int end, Step last);
  bool try_candidates(int begin, int end, size_t first_candidate);
  bool tighten(int begin, int end, Step last);
  bool lift_skipped(int begin, int end, Step last);
  bool lift(int u, Step last);
  bool check_sections(int begin, int end, bool* again);
  bool order_section(int t, bool* again);
  void find_floors(int begin, int end, int from, int to);
  int64_t fixed_above(int t, int64_t floor) const;
  bool raise(int u, int64_t least);
  bool place(int u);
  void unplace(int u);
  void count_room(int u, int64_t sign);
  int64_t remainder_of(int t) const;
  bool excluded(int u, int t) const;
  FailedStates::Key fingerprint(int begin, int end) const;
  void collect(int begin, int end);
  void restore(size_t mark);
  bool skipped(int u, Step last) const {
    const int64_t level = least_[size(u)] + item(u).key;
    return level < last.level ||
           (level == last.level && rank_[size(u)] < last.rank && !follows_[size(u)]);
  }
  static size_t size(int i) { return static_cast<size_t>(i); }
  const Item& item(int u) const { return instance_.items[static_cast<size_t>(u)]; }

  const Instance& instance_;
  std::vector<std::vector<int>> in_section_;       // items that fill it wholly
  std::vector<std::vector<int>> pairs_at_;         // pairs that may overlap there
  std::vector<int> twin_;                          // an equal item that is placed before, or -1
  std::vector<char> follows_;   // may rest on another at the same level: ranks do not order it
  std::vector<int> rank_, list_;                   // list_: the unplaced, parts side by side
  std::vector<int64_t> least_, most_, offset_;     // per item
  std::vector<char> placed_;
  std::vector<int64_t> room_, left_;               // per section: height, sum of the unplaced
  std::vector<Floor> floor_;                       // per section
  std::vector<Raised> trail_;
  std::vector<Candidate> candidates_;              // a stack
  std::vector<std::pair<int, int>> parts_;         // a stack
  std::vector<uint64_t> failures_;
  FailedStates failed_;
  int64_t height_bytes_ = -1;
  uint64_t nodes_ = 0, node_limit_ = 0;
  const Deadline* deadline_ = nullptr;
  bool stopped_ = false;
};

}  // namespace netkit::plan
