// SPDX-License-Identifier: MIT
// Orders of the portfolio and the greedy placement.
#include "compiler/plan/offsets/orders.h"

#include <algorithm>
#include <bit>
#include <numeric>

namespace netkit::plan {
namespace {

struct Random {  // SplitMix64
  uint64_t state;
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ULL);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }
};

struct Style {
  int load_power;     // how much a crowded section counts more than an empty one
  int eighth_size;    // size counts with this power, in eighths; life with power 1
  int noise_percent;  // of a factor of two
};

constexpr Style kFirstStyles[] = {{0, 8, 0}, {0, 0, 0}, {4, 2, 0}, {0, 16, 0}, {16, 8, 0}};
// Long lives first: what is left then falls apart in time.
constexpr Style kStyles[] = {{0, 1, 20}, {0, 0, 50}, {0, 2, 50}};
// Where those have failed this often, every other draw takes a style of its own.
constexpr uint64_t kEasyDraws = 256;

Style draw_style(uint64_t draw, Random& random) {
  if (draw < std::size(kFirstStyles)) return kFirstStyles[draw];
  if (draw < kEasyDraws || draw % 2 == 0) return kStyles[draw % std::size(kStyles)];
  const auto below = [&random](uint64_t n) { return static_cast<int>(random.next() % n); };
  return {0, below(17), 5 + below(30)};
}

constexpr int kRatioBits = 20;

// (load / most load) ^ power per section, as a fixed-point ratio; summed from the left.
std::vector<uint64_t> summed_weights(const Instance& instance, int power) {
  std::vector<uint64_t> sums(static_cast<size_t>(instance.sections) + 1, 0);
  const auto most = static_cast<uint64_t>(std::max<int64_t>(1, instance.bound_bytes));
  const int shift = std::max(0, static_cast<int>(std::bit_width(most)) - 40);
  for (size_t t = 0; t + 1 < sums.size(); ++t) {
    const auto load = static_cast<uint64_t>(instance.load_bytes[t]) >> shift;
    const uint64_t ratio = (load << kRatioBits) / std::max<uint64_t>(1, most >> shift);
    uint64_t weight = uint64_t{1} << kRatioBits;
    for (int i = 0; i < power; ++i) weight = (weight * ratio) >> kRatioBits;
    sums[t + 1] = sums[t] + weight;
  }
  return sums;
}

}  // namespace

int64_t log2_fixed(uint64_t x) {
  const int whole = std::bit_width(x) - 1;
  uint64_t mantissa = whole >= 31 ? x >> (whole - 31) : x << (31 - whole);  // in [2^31, 2^32)
  int64_t log = int64_t{whole} << kLogBits;
  for (int bit = kLogBits - 1; bit >= 0; --bit) {
    mantissa = (mantissa * mantissa) >> 31;
    if (mantissa >> 32) {
      mantissa >>= 1;
      log += int64_t{1} << bit;
    }
  }
  return log;
}

std::vector<int> draw_rank(const Instance& instance, uint64_t draw) {
  Random random{draw * 0x632be59bd9b4e019ULL + 1};
  const Style style = draw_style(draw, random);
  const std::vector<uint64_t> sums = summed_weights(instance, style.load_power);
  const size_t n = instance.items.size();
  std::vector<int64_t> score(n);
  for (size_t i = 0; i < n; ++i) {
    const Item& x = instance.items[i];
    const uint64_t width =
        sums[static_cast<size_t>(x.end_section)] - sums[static_cast<size_t>(x.first_section)];
    score[i] =
        log2_fixed(width + 1) + log2_fixed(static_cast<uint64_t>(x.size)) * style.eighth_size / 8;
    const auto shake = static_cast<int64_t>(random.next() >> (64 - kLogBits));
    score[i] += shake * style.noise_percent / 100;
  }
  std::vector<int> order(n), rank(n);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) {
    return score[static_cast<size_t>(a)] > score[static_cast<size_t>(b)];
  });
  for (size_t i = 0; i < n; ++i) rank[static_cast<size_t>(order[i])] = static_cast<int>(i);
  return rank;
}

uint64_t luby(uint64_t index) {
  for (uint64_t i = index + 1;;) {
    const int bits = std::bit_width(i);
    if (i == (uint64_t{1} << bits) - 1) return uint64_t{1} << (bits - 1);
    i -= (uint64_t{1} << (bits - 1)) - 1;
  }
}

std::vector<int64_t> first_fit(const Instance& instance, const std::vector<int>& rank) {
  const size_t n = instance.items.size();
  std::vector<int> order(n);
  for (size_t i = 0; i < n; ++i) order[static_cast<size_t>(rank[i])] = static_cast<int>(i);
  std::vector<int64_t> offset(n, -1);
  std::vector<Interval> taken;  // open: offsets strictly between are illegal
  for (const int u : order) {
    const auto ui = static_cast<size_t>(u);
    taken.clear();
    for (const Arc& arc : instance.arcs[ui]) {
      const int64_t at = offset[static_cast<size_t>(arc.other)];
      if (at >= 0) taken.push_back({at - arc.distance, at + arc.back});
    }
    std::sort(taken.begin(), taken.end(),
              [](const Interval& x, const Interval& y) { return x.begin < y.begin; });
    const Item& item = instance.items[ui];
    int64_t place = item.least;
    for (const Interval& t : taken) {
      if (t.begin >= place) break;
      if (t.end > place) place = settle(item, t.end);
    }
    offset[ui] = place;
  }
  return offset;
}

int64_t height_of(const Instance& instance, const std::vector<int64_t>& offsets) {
  int64_t height = 0;
  for (size_t i = 0; i < offsets.size(); ++i) {
    height = std::max(height, offsets[i] * instance.unit + instance.items[i].bytes);
  }
  return height;
}

}  // namespace netkit::plan
