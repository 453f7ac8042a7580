// SPDX-License-Identifier: MIT
// place() against exhaustive placement of small random problems, and its contract.
#include "compiler/plan/offsets/place.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <string>

namespace netkit::plan {
namespace {

// Exhaustive: every legal offset of every buffer, heights from below. Bytes, steps and sizes are
// single digits, so what a buffer fills at a step is a mask of 64 bits; shares no code with the
// planner.
class Exhaustive {
 public:
  explicit Exhaustive(const PlacementProblem& problem) : p_(problem) {
    for (const PlacementBuffer& b : p_.buffers) {
      std::array<uint64_t, kSteps> filled = {};
      for (int64_t step = b.lower; step < b.upper; ++step) {
        filled[static_cast<size_t>(step)] = filled_at(b, step);
      }
      filled_.push_back(filled);
      at_.push_back(0);
    }
  }

  // -1: none up to kMost; -2: too much work to tell.
  int64_t least_height() {
    if (!assign(0, kMost)) return work_ > kMostWork ? -2 : -1;
    for (int64_t h = 0;; ++h) {
      if (assign(0, h)) return h;
      if (work_ > kMostWork) return -2;
    }
  }

 private:
  static constexpr size_t kSteps = 16;
  static constexpr int64_t kMost = 60, kMostWork = 30'000'000;

  static uint64_t ones(int64_t begin, int64_t end) {
    return begin >= end ? 0 : (~uint64_t{0} >> (64 - (end - begin))) << begin;
  }

  static uint64_t filled_at(const PlacementBuffer& b, int64_t step) {
    for (const LifeGap& g : b.gaps) {
      if (g.steps.begin <= step && step < g.steps.end) return ones(g.window.begin, g.window.end);
    }
    return ones(0, b.bytes);
  }

  bool assign(size_t i, int64_t h) {
    if (i == p_.buffers.size()) return true;
    const PlacementBuffer& b = p_.buffers[i];
    const int64_t step = b.alignment ? b.alignment : p_.alignment;
    for (int64_t at = 0; at + b.bytes <= h; at += step) {
      if (++work_ > kMostWork) return false;
      if (!alone_ok(b, at)) continue;
      at_[i] = at;
      bool ok = true;
      for (size_t j = 0; ok && j < i; ++j) ok = pair_ok(i, j);
      if (ok && assign(i + 1, h)) return true;
    }
    return false;
  }

  static bool alone_ok(const PlacementBuffer& b, int64_t at) {
    if (b.fixed_offset && *b.fixed_offset != at) return false;
    if (at < b.min_offset || (b.max_end && at + b.bytes > *b.max_end)) return false;
    for (const Interval& f : b.forbidden) {
      if (ones(at, at + b.bytes) & ones(f.begin, f.end)) return false;
    }
    return true;
  }

  bool pair_ok(size_t i, size_t j) const {
    uint64_t meet = 0;
    for (size_t step = 0; step < kSteps; ++step) {
      meet |= (filled_[i][step] << at_[i]) & (filled_[j][step] << at_[j]);
    }
    if (!meet) return true;
    for (const PairRelaxation& r : p_.relaxations) {
      const auto in = static_cast<size_t>(r.in), out = static_cast<size_t>(r.out);
      if (std::minmax(in, out) != std::minmax(i, j)) continue;
      if (r.forward_bytes && at_[out] + *r.forward_bytes <= at_[in]) return true;
      if (r.backward_bytes &&
          at_[out] + p_.buffers[out].bytes >= at_[in] + p_.buffers[in].bytes + *r.backward_bytes) {
        return true;
      }
    }
    return false;
  }

  const PlacementProblem& p_;
  std::vector<std::array<uint64_t, kSteps>> filled_;
  std::vector<int64_t> at_;
  int64_t work_ = 0;
};

struct Flavour {
  const char* name;
  bool alignment, relaxations, fixed, ranges, gaps;
};

void PrintTo(const Flavour& f, std::ostream* os) {
  *os << f.name;
}

class RandomProblem {
 public:
  RandomProblem(uint64_t seed, const Flavour& flavour) : random_(seed), flavour_(flavour) {}

  PlacementProblem make() {
    PlacementProblem p;
    const int n = draw(2, flavour_.gaps ? 5 : 6);
    const int steps = draw(2, 8);
    if (flavour_.alignment) p.alignment = int64_t{1} << draw(0, 2);
    for (int i = 0; i < n; ++i) {
      PlacementBuffer b;
      b.lower = draw(0, steps - 1);
      b.upper = draw(static_cast<int>(b.lower) + 1, steps);
      b.bytes = draw(draw(0, 9) == 0 ? 0 : 1, 6);
      if (flavour_.alignment && draw(0, 5) == 0) b.alignment = draw(1, 3);
      p.buffers.push_back(b);
    }
    if (flavour_.relaxations) relax(&p);
    if (flavour_.ranges) bound(&p);
    if (flavour_.gaps) cut(&p);
    if (flavour_.fixed) fix(&p);
    return p;
  }

 private:
  int draw(int low, int high) {
    return low + static_cast<int>(random_() % static_cast<uint64_t>(high - low + 1));
  }

  // A chain as kernels make it: each output is born where its input dies.
  void relax(PlacementProblem* p) {
    for (size_t i = 1; i < p->buffers.size(); ++i) {
      PlacementBuffer& a = p->buffers[i - 1];
      PlacementBuffer& b = p->buffers[i];
      if (draw(0, 3) != 0) {
        b.lower = a.upper - 1;
        b.upper = std::max(b.upper, b.lower + draw(1, 3));
      }
      if (std::min(a.upper, b.upper) - std::max(a.lower, b.lower) != 1) continue;
      PairRelaxation r;
      r.in = static_cast<int>(i) - 1;
      r.out = static_cast<int>(i);
      const int which = draw(1, 3);
      if (which & 1) r.forward_bytes = draw(0, 3);
      if (which & 2) r.backward_bytes = draw(0, 3);
      p->relaxations.push_back(r);
    }
  }

  void bound(PlacementProblem* p) {
    for (PlacementBuffer& b : p->buffers) {
      if (draw(0, 3) == 0) b.min_offset = draw(0, 5);
      if (draw(0, 3) == 0) b.max_end = b.min_offset + b.bytes + draw(4, 12);
      while (draw(0, 2) == 0) {
        const int64_t from = draw(0, 8);
        b.forbidden.push_back({from, from + draw(0, 3)});
      }
    }
  }

  void cut(PlacementProblem* p) {
    for (PlacementBuffer& b : p->buffers) {
      if (b.upper - b.lower < 3 || draw(0, 1) == 0) continue;
      const int64_t from = draw(static_cast<int>(b.lower), static_cast<int>(b.upper) - 1);
      const int64_t to = draw(static_cast<int>(from) + 1, static_cast<int>(b.upper));
      const int64_t low = draw(0, static_cast<int>(b.bytes));
      const int64_t high = draw(static_cast<int>(low), static_cast<int>(b.bytes));
      b.gaps.push_back({{from, to}, {low, high}});
    }
  }

  void fix(PlacementProblem* p) {
    PlacementBuffer& b = p->buffers[0];
    const int64_t step = b.alignment ? b.alignment : p->alignment;
    b.fixed_offset = draw(0, 5) * step;
    b.min_offset = 0;
    b.max_end.reset();
    b.forbidden.clear();
  }

  std::mt19937_64 random_;
  Flavour flavour_;
};

class PlaceRandom : public ::testing::TestWithParam<Flavour> {};

TEST_P(PlaceRandom, EqualsExhaustivePlacement) {
  int open = 0, skipped = 0;
  for (uint64_t seed = 0; seed < 600; ++seed) {
    const PlacementProblem p = RandomProblem(seed, GetParam()).make();
    const Result<Placement> got = place(p);
    const int64_t truth = Exhaustive(p).least_height();
    if (truth == -2) {
      ++skipped;
      continue;
    }
    if (truth < 0) {
      EXPECT_FALSE(got.has_value()) << "seed " << seed;
      continue;
    }
    ASSERT_TRUE(got.has_value()) << "seed " << seed << ": " << got.error().message;
    const Result<int64_t> height = check_placement(p, got->offsets);
    ASSERT_TRUE(height.has_value())
        << "seed " << seed << ": " << height.error().message << height.error().where;
    EXPECT_EQ(*height, got->height_bytes) << "seed " << seed;
    EXPECT_LE(got->lower_bound_bytes, truth) << "seed " << seed;
    EXPECT_LE(load_bound(p).value(), truth) << "seed " << seed;
    EXPECT_GE(got->height_bytes, truth) << "seed " << seed;
    if (!got->proven) ++open;
    if (!GetParam().gaps) {
      EXPECT_EQ(got->height_bytes, truth) << "seed " << seed;
    }
  }
  EXPECT_LE(open, GetParam().gaps ? 60 : 0);
  EXPECT_EQ(skipped, 0);  // the oracle tells all of them
}

TEST_P(PlaceRandom, SaysWhatDoesNotFit) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    PlacementProblem p = RandomProblem(seed + 10'000, GetParam()).make();
    const int64_t truth = Exhaustive(p).least_height();
    if (truth < 1) continue;
    p.capacity = truth;
    const Result<Placement> fits = place(p);
    ASSERT_TRUE(fits.has_value()) << "seed " << seed;
    if (!GetParam().gaps) {
      EXPECT_EQ(fits->height_bytes, truth) << "seed " << seed;
    }
    p.capacity = truth - 1;
    const Result<Placement> none = place(p);
    if (!none.has_value()) continue;  // a fixed buffer stands higher
    EXPECT_TRUE(none->offsets.empty()) << "seed " << seed;
    if (!GetParam().gaps) {
      EXPECT_TRUE(none->proven) << "seed " << seed;
    }
    p.capacity.reset();
    p.enough_bytes = truth + 3;
    const Result<Placement> enough = place(p);
    ASSERT_TRUE(enough.has_value()) << "seed " << seed;
    if (!GetParam().gaps) {
      EXPECT_LE(enough->height_bytes, truth + 3) << "seed " << seed;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Flavours, PlaceRandom,
                         ::testing::Values(Flavour{"plain", false, false, false, false, false},
                                           Flavour{"aligned", true, false, false, false, false},
                                           Flavour{"relaxed", false, true, false, false, false},
                                           Flavour{"aligned_relaxed", true, true, false, false,
                                                   false},
                                           Flavour{"ranges", true, false, false, true, false},
                                           Flavour{"fixed", true, true, true, true, false},
                                           Flavour{"gaps", true, false, false, false, true},
                                           Flavour{"all", true, true, true, true, false}),
                         [](const auto& flavour) { return std::string(flavour.param.name); });

PlacementBuffer buffer(int64_t lower, int64_t upper, int64_t bytes) {
  PlacementBuffer b;
  b.lower = lower;
  b.upper = upper;
  b.bytes = bytes;
  return b;
}

TEST(Place, NothingIsNothing) {
  const Placement none = place({}).value();
  EXPECT_TRUE(none.offsets.empty());
  EXPECT_EQ(none.height_bytes, 0);
  EXPECT_TRUE(none.proven);
}

TEST(Place, InPlaceAndTrailingOverlap) {
  PlacementProblem p;
  p.buffers = {buffer(0, 2, 100), buffer(1, 3, 100)};
  EXPECT_EQ(place(p)->height_bytes, 200);
  p.relaxations = {{0, 1, 0, {}}};
  EXPECT_EQ(place(p)->height_bytes, 100);
  p.relaxations = {{0, 1, 24, {}}};
  EXPECT_EQ(place(p)->height_bytes, 124);
  p.buffers[1].bytes = 300;  // grows: backward, ends aligned
  p.relaxations = {{0, 1, {}, 0}};
  EXPECT_EQ(place(p)->height_bytes, 300);
  p.relaxations = {{0, 1, {}, 16}};
  EXPECT_EQ(place(p)->height_bytes, 300 + 16 - 16 * (300 >= 116));
  EXPECT_TRUE(place(p)->proven);
}

TEST(Place, RefusesContradictions) {
  auto refused = [](const PlacementProblem& p) { return !place(p).has_value(); };
  PlacementProblem p;
  p.buffers = {buffer(0, 2, 4), buffer(1, 3, 4)};
  EXPECT_FALSE(refused(p));
  PlacementProblem q = p;
  q.buffers[0].upper = 0;
  EXPECT_TRUE(refused(q));
  q = p;
  q.buffers[0].bytes = -1;
  EXPECT_TRUE(refused(q));
  q.buffers[0].bytes = INT64_MAX;
  EXPECT_TRUE(refused(q));
  q = p;
  q.alignment = 0;
  EXPECT_TRUE(refused(q));
  q = p;
  q.relaxations = {{0, 2, 0, {}}};
  EXPECT_TRUE(refused(q));
  q.relaxations = {{0, 1, {}, {}}};
  EXPECT_TRUE(refused(q));
  q.relaxations = {{0, 1, 0, {}}, {1, 0, 0, {}}};
  EXPECT_TRUE(refused(q));
  q = p;
  q.buffers[1].lower = 0;
  q.relaxations = {{0, 1, 0, {}}};
  EXPECT_TRUE(refused(q));
  q = p;
  q.buffers[0].fixed_offset = 0;
  q.buffers[1].fixed_offset = 3;
  EXPECT_TRUE(refused(q));
  q.buffers[1].fixed_offset = 4;
  EXPECT_FALSE(refused(q));
  q = p;
  q.buffers[0].max_end = 3;
  EXPECT_TRUE(refused(q));
}

TEST(Place, CheckCatchesEveryBrokenRule) {
  PlacementProblem p;
  p.alignment = 4;
  p.buffers = {buffer(0, 2, 8), buffer(1, 3, 8)};
  EXPECT_TRUE(check_placement(p, {0, 8}).has_value());
  EXPECT_FALSE(check_placement(p, {0, 4}).has_value());
  EXPECT_FALSE(check_placement(p, {0, 9}).has_value());
  EXPECT_FALSE(check_placement(p, {0}).has_value());
  EXPECT_FALSE(check_placement(p, {-8, 0}).has_value());
  p.capacity = 15;
  EXPECT_FALSE(check_placement(p, {0, 8}).has_value());
  p.capacity.reset();
  p.relaxations = {{0, 1, 4, {}}};
  EXPECT_TRUE(check_placement(p, {4, 0}).has_value());
  EXPECT_FALSE(check_placement(p, {0, 0}).has_value());
  p.buffers[0].forbidden = {{4, 5}};
  EXPECT_FALSE(check_placement(p, {4, 0}).has_value());
}

TEST(Place, SameAnswerEveryTime) {
  PlacementProblem p = RandomProblem(7, {"", true, true, false, false, false}).make();
  EXPECT_EQ(place(p)->offsets, place(p)->offsets);
  EXPECT_EQ(place(p)->nodes, place(p)->nodes);
}

}  // namespace
}  // namespace netkit::plan
