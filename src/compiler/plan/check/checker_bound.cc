// SPDX-License-Identifier: MIT
// The checker's bounds: a live set, a cut, or a search of its own over sets of executed operators.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>

#include "compiler/plan/check/checker.h"

namespace netkit::plan::checker {
namespace {

using Set = std::vector<bool>;
using std::ranges::all_of, std::ranges::any_of;

constexpr size_t kMaxWork = 4'000'000;  // sets searched, times operators

// No plan needs less: what a step needs whatever comes before it, or a search over all orders.
struct BoundCheck {
  struct Need {
    int64_t bytes, slack;
    std::vector<int64_t> counted;
  };  // rounded; per tensor
  const Net& net;
  bool overlaps;
  std::vector<Set> earlier;    // per op: all of its ancestors
  std::vector<int64_t> bytes;  // per tensor, what it surely takes

  BoundCheck(const Net& n, const std::vector<int>& order, bool with_overlaps)
      : net(n), overlaps(with_overlaps), earlier(order.size(), Set(order.size())) {
    for (const int o : order) {
      for (const int b : net.before[o]) {
        for (size_t i = 0; i < order.size(); ++i) earlier[o][i] = earlier[o][i] || earlier[b][i];
        earlier[o][b] = true;
      }
    }
    for (const Tensor& t : net.tensors) bytes.push_back(t.placed ? t.bytes : 0);
    for (const Op& op : net.ops) {
      for (const Inside& v : op.views) bytes[v.inner] = 0;  // may cost nothing
    }
  }

  void verify(const Json& witness, PlanVerdict& v) const {
    const bool search = get(witness, "kind") == "search", cut = !list(witness, "chains").empty();
    const bool shown = get(witness, "kind") == "step" && by_step(witness) >= v.lower_bound_bytes;
    const std::string why = search ? by_search(v.lower_bound_bytes) : "the witness shows less";
    v.bound_verified = shown || why.empty();
    v.how = shown ? (cut ? "cut" : "live set") : why.empty() ? "search over executed sets" : why;
  }

  // What the step needs in any order: only its ancestors are surely done, only its descendants
  // surely wait. Of a chain one tensor at least is alive then: the first is begun; when one is over
  // the next is begun; the last is not over. A tensor carries no more than its bytes.
  int64_t by_step(const Json& witness) const {
    const int op = ids(Json::array({get(witness, "op")}), net.op_ids)[0];
    const auto wait = [&](int o) { return earlier[o][op]; };
    Need sum = need(op, [&](int o) { return earlier[op][o]; }, wait);
    for (const Json& chain : list(witness, "chains")) {
      const int64_t share = number(get(chain, "bytes"));
      const Tensor* over = nullptr;
      for (const int t : ids(list(chain, "tensors"), net.tensor_ids)) {
        const Tensor& x = net.tensors[t];
        const auto after = [&](int o) { return o == x.writer || earlier[o][x.writer]; };
        const bool begun = over ? x.writer >= 0 && any_of(over->uses, after)
                                : x.first || x.state || (x.writer >= 0 && after(op));
        demand(begun && (sum.counted[t] += share) <= net.up(bytes[t]), "a chain breaks");
        sum.slack = std::max(sum.slack, net.up(bytes[t]) - bytes[t]);
        over = &x;
      }
      demand(over && (over->kept || any_of(over->uses, wait)), "a chain ends too early");
      sum.bytes += share;
    }
    return sum.bytes - sum.slack;
  }

  // Every executed set that can be reached with less than the bound; empty: the last one cannot.
  const char* by_search(int64_t bound) const {
    const size_t n = net.ops.size();
    std::set<Set> seen = {Set(n)};
    std::vector<Set> open = {Set(n)};
    while (!open.empty()) {
      const Set done = open.back();
      open.pop_back();
      const auto is_done = [&](int o) { return done[o]; };
      if (all_of(done, std::identity{})) return "an order needs less at every step";
      for (size_t op = 0; op < n; ++op) {
        if (done[op] || !all_of(net.before[op], is_done)) continue;
        const Need least = need(op, is_done, [&](int o) { return !done[o]; });
        if (least.bytes - least.slack >= bound) continue;
        open.push_back(done);
        open.back()[op] = true;
        if (!seen.insert(open.back()).second) open.pop_back();
        if (seen.size() * n > kMaxWork) return "the search is too large to repeat";
      }
    }
    return "";
  }

  // What the step needs at least when those that are done come before it, those that wait after.
  template <typename Done, typename Wait>
  Need need(int op, Done done, Wait wait) const {
    Need sum{0, 0, std::vector<int64_t>(bytes.size())};
    const auto count = [&](int64_t size) {
      sum.slack = std::max(sum.slack, net.up(size) - size);
      return net.up(size);
    };
    int64_t extra = count(net.ops[op].scratch);
    for (size_t t = 0; t < net.tensors.size(); ++t) {
      const Tensor& x = net.tensors[t];
      const bool begun = x.first || x.state || (x.writer >= 0 && done(x.writer));
      const bool own = any_of(x.uses, [&](int use) { return use == op; });
      if (!own && !(begun && (x.kept || any_of(x.uses, wait)))) continue;
      sum.bytes += sum.counted[t] = count(bytes[t]);
    }
    for (const Mode& m : net.ops[op].modes) {
      const auto still = [&](int use) { return use != op && wait(use); };
      if (!overlaps || net.tensors[m.in].kept || any_of(net.tensors[m.in].uses, still)) continue;
      const int64_t in = bytes[m.in], out = bytes[m.out], apart = net.up(in) + net.up(out);
      const int64_t above = net.up(std::max<int64_t>(0, in + m.backward - out));
      const int64_t span = std::min({apart, std::max(net.up(out), net.up(in) + net.up(m.forward)),
                                     std::max(net.up(in), net.up(out) + above)});
      extra = std::min(extra, count(m.scratch) - (apart - span));
    }
    sum.bytes += extra;
    return sum;
  }
};

}  // namespace

void verify_bound(const Net& net, const std::vector<int>& order, const Json& witness,
                  PlanVerdict& verdict) {
  BoundCheck(net, order, verdict.plan_class == "overlap").verify(witness, verdict);
}

}  // namespace netkit::plan::checker
