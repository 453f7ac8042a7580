// SPDX-License-Identifier: MIT
// Least memory orders of searched networks: NASNet-A, AmoebaNet-A, PNAS, DARTS and RandWire, whole
// nets at ImageNet and CIFAR sizes, int8, every branch an operator of its own.
// Cells after Zoph 2018, Real 2019, Liu 2018 (PNAS), Liu 2019 (DARTS), Xie 2019 (RandWire).
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <numeric>
#include <random>
#include <set>

#include "compiler/plan/plan.h"
#include "size_greedy.h"

namespace {

using netkit::plan::Layout;
using netkit::plan::Problem;
using netkit::plan::Step;

// Branch kinds by their number of operators: identity, pool, dilated (depthwise and pointwise),
// a pair of convolutions, separable twice.
enum Branch { kIdentity = 0, kPool = 1, kDilated = 2, kPair = 3, kSeparable = 4 };
int operators_of(Branch b) {
  return b == kPair ? 2 : static_cast<int>(b);
}

struct Edge {
  Branch branch;
  int from;  // state: 0 the last cell's output, 1 that of the one before, 2 … the sums
};
struct Cell {
  std::vector<Edge> edges;  // two per sum
  std::vector<int> concat;  // states
};
struct Family {
  Cell normal, reduce;
};

const Family kNasnet = {{{{kSeparable, 0},
                          {kSeparable, 1},
                          {kSeparable, 1},
                          {kSeparable, 1},
                          {kPool, 0},
                          {kIdentity, 1},
                          {kPool, 1},
                          {kPool, 1},
                          {kSeparable, 0},
                          {kIdentity, 0}},
                         {1, 2, 3, 4, 5, 6}},
                        {{{kSeparable, 0},
                          {kSeparable, 1},
                          {kPool, 0},
                          {kSeparable, 1},
                          {kPool, 0},
                          {kSeparable, 1},
                          {kIdentity, 3},
                          {kPool, 2},
                          {kSeparable, 2},
                          {kPool, 0}},
                         {3, 4, 5, 6}}};
const Family kAmoeba = {{{{kPool, 0},
                          {kPool, 0},
                          {kSeparable, 1},
                          {kIdentity, 1},
                          {kIdentity, 0},
                          {kPool, 1},
                          {kSeparable, 0},
                          {kSeparable, 2},
                          {kPool, 5},
                          {kSeparable, 0}},
                         {1, 3, 4, 6}},
                        {{{kSeparable, 1},
                          {kPool, 0},
                          {kPool, 0},
                          {kSeparable, 2},
                          {kPool, 1},
                          {kPool, 0},
                          {kPool, 1},
                          {kSeparable, 1},
                          {kPair, 0},
                          {kSeparable, 5}},
                         {3, 4, 6}}};
const Cell kPnasCell = {{{kSeparable, 1},
                         {kPool, 1},
                         {kSeparable, 0},
                         {kPool, 0},
                         {kSeparable, 0},
                         {kSeparable, 0},
                         {kSeparable, 4},
                         {kPool, 0},
                         {kSeparable, 1},
                         {kIdentity, 0}},
                        {2, 3, 4, 5, 6}};
const Family kPnas = {kPnasCell, kPnasCell};
const Family kDarts = {{{{kSeparable, 1},
                         {kSeparable, 0},
                         {kSeparable, 1},
                         {kSeparable, 0},
                         {kSeparable, 0},
                         {kIdentity, 1},
                         {kIdentity, 1},
                         {kDilated, 2}},
                        {2, 3, 4, 5}},
                       {{{kPool, 1},
                         {kPool, 0},
                         {kIdentity, 2},
                         {kPool, 0},
                         {kPool, 1},
                         {kIdentity, 2},
                         {kIdentity, 2},
                         {kPool, 0}},
                        {2, 3, 4, 5}}};

class Net {
 public:
  int tensor(int64_t bytes) {
    p.tensors.push_back({fmt::format("t{}", p.tensors.size()), bytes});
    return static_cast<int>(p.tensors.size()) - 1;
  }
  int op(std::vector<int> inputs, int64_t bytes) {
    Step s;
    s.name = fmt::format("op{}", p.steps.size());
    s.inputs = std::move(inputs);
    s.outputs = {tensor(bytes)};
    p.steps.push_back(s);
    return s.outputs[0];
  }
  Problem p;
};

struct Map {
  int tensor;
  int64_t side;
};

// f channels per state.
Map add_cell(Net& net, const Cell& cell, int last, int before, int64_t side, int64_t f,
             bool halves) {
  const int64_t out = halves ? side / 2 : side;
  std::vector<Map> states = {{net.op({last}, side * side * f), side},
                             {net.op({before}, side * side * f), side}};
  for (size_t k = 0; k < cell.edges.size(); k += 2) {
    std::vector<int> sum;
    for (size_t e = k; e < k + 2; ++e) {
      const Edge& edge = cell.edges[e];
      const Map from = states[edge.from];
      int count = operators_of(edge.branch);
      if (count == 0 && from.side != out) count = 1;  // an identity that halves is a convolution
      int x = from.tensor;
      for (int i = 0; i < count; ++i) x = net.op({x}, out * out * f);
      sum.push_back(x);
    }
    std::sort(sum.begin(), sum.end());
    sum.erase(std::unique(sum.begin(), sum.end()), sum.end());
    states.push_back({net.op(sum, out * out * f), out});
  }
  std::vector<int> parts;
  for (const int s : cell.concat) parts.push_back(states[s].tensor);
  return {net.op(parts, out * out * f * static_cast<int64_t>(parts.size())), out};
}

Problem cell_net(const Family& family, int64_t side, int64_t f, int cells, int stems) {
  Net net;
  const int input = net.tensor(side * side * 3);
  if (stems > 0) side /= 2;
  int x = net.op({input}, side * side * (stems > 0 ? 32 : 3 * f)), before = x;
  const auto add = [&](const Cell& cell, int64_t channels, bool halves) {
    const Map y = add_cell(net, cell, x, before, side, channels, halves);
    before = x;
    x = y.tensor;
    side = y.side;
  };
  for (int s = 0; s < stems; ++s) add(family.reduce, f / 4 * (s + 1), true);
  for (int stage = 0; stage < 3; ++stage, f *= 2) {
    for (int k = 0; k < cells; ++k) add(family.normal, f, false);
    if (stage < 2) add(family.reduce, 2 * f, true);
  }
  net.p.inputs = {input};
  net.p.outputs = {net.op({net.op({x}, f * 3)}, 1000)};
  return net.p;
}

// Watts-Strogatz stages (K = 4, P = 0.75): a sum, a depthwise and a pointwise step per node.
Problem randwire(int64_t side, int64_t c, int nodes, uint32_t seed) {
  std::mt19937 rng(seed);
  Net net;
  const int input = net.tensor(side * side * 3);
  side /= 2;
  int x = net.op({input}, side * side * c / 2);
  for (int stage = 0; stage < 3; ++stage, c *= 2) {
    std::set<std::pair<int, int>> edges;
    for (int v = 0; v < nodes; ++v) {
      for (int k = 1; k <= 2; ++k) {
        int to = (v + k) % nodes;
        for (int tries = 0; rng() % 4 != 0 && tries < 8; ++tries) {
          to = static_cast<int>(rng() % static_cast<uint32_t>(nodes));
          if (to != v && edges.count({std::min(v, to), std::max(v, to)}) == 0) break;
        }
        if (to != v) edges.insert({std::min(v, to), std::max(v, to)});
      }
    }
    side /= 2;
    const int64_t bytes = side * side * c;
    std::vector<int> made(nodes), ends;
    for (int v = 0; v < nodes; ++v) {
      std::vector<int> from;
      bool read = false;
      for (const auto& [a, b] : edges) {
        if (b == v) from.push_back(made[a]);
        read |= a == v;
      }
      if (from.empty()) from = {x};
      const int y = from.size() > 1 ? net.op(from, bytes) : from[0];
      made[v] = net.op({net.op({y}, bytes)}, bytes);
      if (!read) ends.push_back(made[v]);
    }
    x = net.op(ends, bytes);
  }
  net.p.inputs = {input};
  net.p.outputs = {net.op({x}, 1000)};
  return net.p;
}

double seconds_now() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

struct Bench {
  const char* name;
  std::function<Problem()> make;
};

const Bench kBenches[] = {
    {"nasnet_a_large_331", [] { return cell_net(kNasnet, 331, 168, 6, 2); }},
    {"nasnet_a_mobile_224", [] { return cell_net(kNasnet, 224, 44, 4, 2); }},
    {"amoebanet_a_331", [] { return cell_net(kAmoeba, 331, 190, 6, 2); }},
    {"pnas_large_331", [] { return cell_net(kPnas, 331, 216, 4, 2); }},
    {"pnas_mobile_224", [] { return cell_net(kPnas, 224, 54, 3, 2); }},
    {"darts_224", [] { return cell_net(kDarts, 224, 48, 4, 2); }},
    {"randwire_small_224", [] { return randwire(224, 78, 32, 1); }},
    {"randwire_regular_224", [] { return randwire(224, 109, 32, 2); }},
    {"nasnet_a_cifar", [] { return cell_net(kNasnet, 32, 32, 6, 0); }},
    {"amoebanet_a_cifar", [] { return cell_net(kAmoeba, 32, 36, 6, 0); }},
    {"pnas_cifar", [] { return cell_net(kPnas, 32, 48, 3, 0); }},
    {"darts_cifar", [] { return cell_net(kDarts, 32, 36, 6, 0); }},
    {"randwire_cifar", [] { return randwire(64, 78, 32, 3); }},
};

}  // namespace

// The order alone (bytes as they stand), then orders and addresses together (alignment 16).
// With an argument: only the nets whose names contain it.
int main(int argc, char** argv) {
  fmt::print("{:21} {:>5} {:>11} {:>11} {:>11} {:>6} {:>8} {:>11} {:>11} {:>6} {:>8}\n", "net",
             "steps", "size-greedy", "given peak", "least peak", "proven", "seconds", "arena",
             "bound", "proven", "seconds");
  for (const Bench& bench : kBenches) {
    if (argc > 1 && std::string(bench.name).find(argv[1]) == std::string::npos) continue;
    const Problem p = bench.make();
    std::vector<int> given(p.steps.size());
    std::iota(given.begin(), given.end(), 0);
    const double begin = seconds_now();
    const auto least = netkit::plan::least_order(p);
    const double seconds = seconds_now() - begin;
    const auto l = netkit::plan::plan(p);
    if (!l || !least) {
      fmt::print("{}: {}\n", bench.name, l ? least.error().message : l.error().message);
      return 1;
    }
    fmt::print("{:21} {:>5} {:>11} {:>11} {:>11} {:>6} {:>8.3f} {:>11} {:>11} {:>6} {:>8.3f}\n",
               bench.name, p.steps.size(), netkit::bench::size_greedy(p, given),
               l->given_order_peak_bytes, least->peak_bytes, least->proven_minimal ? "yes" : "no",
               seconds, l->arena_bytes, l->lower_bound_bytes, l->proven_minimal ? "yes" : "no",
               l->seconds);
    std::fflush(stdout);
  }
  return 0;
}
