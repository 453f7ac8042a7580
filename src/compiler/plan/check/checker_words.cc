// SPDX-License-Identifier: MIT
// What a plan says of its buffers beside their places, each word computed anew.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/plan/check/checker.h"

namespace netkit::plan::checker {
namespace {

bool meet(const Box& a, const Box& b) {
  return a.bytes > 0 && b.bytes > 0 && a.offset < b.offset + b.bytes &&
         b.offset < a.offset + a.bytes;
}

// The first operator of the graph's list that can come next, again and again.
std::vector<int> graph_order(const Net& net) {
  std::vector<int> order;
  std::set<int> ready;
  std::vector<std::set<int>> after(net.ops.size());
  std::vector<size_t> waits;
  for (size_t o = 0; o < net.ops.size(); ++o) {
    for (const int b : net.before[o]) after[b].insert(static_cast<int>(o));
    waits.push_back(net.before[o].size());
    if (waits[o] == 0) ready.insert(static_cast<int>(o));
  }
  while (!ready.empty()) {
    order.push_back(*ready.begin());
    ready.erase(ready.begin());
    for (const int o : after[order.back()]) {
      if (--waits[o] == 0) ready.insert(o);
    }
  }
  return order;
}

// Largest sum of what is alive, sizes as they stand, without views and overlaps.
int64_t graph_peak(const Net& net) {
  Order order;
  order.ops = graph_order(net);
  order.at.assign(net.ops.size(), 0);
  for (size_t i = 0; i < order.ops.size(); ++i) order.at[order.ops[i]] = static_cast<int>(i);
  const auto alive = lives(net, order);
  std::vector<int64_t> sums;
  for (const int o : order.ops) sums.push_back(net.ops[o].scratch);
  for (size_t t = 0; t < net.tensors.size(); ++t) {
    const Tensor& x = net.tensors[t];
    if (!x.placed || (x.uses.empty() && !x.kept)) continue;
    for (int64_t s = alive[t].first; s <= alive[t].second; ++s) sums[s] += x.bytes;
  }
  return sums.empty() ? 0 : *std::ranges::max_element(sums);
}

const char* kind_of(const Tensor& x) {
  return x.state ? "state" : x.last ? "output" : x.first ? "input" : "activation";
}

class Words {
 public:
  Words(const Net& net, const Order& order, const std::vector<Box>& boxes, const Json& plan)
      : net_(net), order_(order), boxes_(boxes), plan_(plan), of_(net.tensors.size(), -1) {
    for (size_t b = 0; b < boxes.size(); ++b) {
      if (boxes[b].tensor >= 0) of_[boxes[b].tensor] = static_cast<int>(b);
    }
  }

  void check() const {
    check_scratch_names();
    const std::vector<Json> shared = overlaps();
    for (size_t b = 0; b < boxes_.size(); ++b) check_buffer(b, get(plan_, "buffers")[b], shared[b]);
    for (size_t s = 0; s < order_.ops.size(); ++s) check_step(s, get(plan_, "steps")[s]);
    int64_t sum = 0, largest = 0;
    for (const Box& b : boxes_) {
      if (b.tensor < 0) continue;
      sum += b.bytes;
      largest = std::max(largest, b.bytes);
    }
    demand(get(plan_, "format") == "netkit-plan/1", "format is another one");
    demand(number(get(plan_, "alignment")) == net_.align, "alignment is not the graph's");
    demand(number(get(plan_, "tensor_sum_bytes")) == sum, "wrong tensor_sum_bytes");
    demand(number(get(plan_, "largest_tensor_bytes")) == largest, "wrong largest_tensor_bytes");
    demand(number(get(plan_, "given_order_peak_bytes")) == graph_peak(net_),
           "wrong given_order_peak_bytes");
  }

 private:
  // The operator's name and ".scratch", with '_' behind it while that is another's name.
  void check_scratch_names() const {
    std::set<std::string> names;
    std::vector<const Box*> scratch(order_.ops.size(), nullptr);
    for (const Box& b : boxes_) {
      if (b.tensor >= 0)
        names.insert(b.name);
      else
        scratch[b.first] = &b;
    }
    for (size_t s = 0; s < scratch.size(); ++s) {
      if (scratch[s] == nullptr) continue;
      std::string name = net_.ops[order_.ops[s]].name + ".scratch";
      while (!names.insert(name).second) name += "_";
      demand(scratch[s]->name == name, name + " has another name");
    }
  }

  // Per box: what it shares with an input that dies at the step of an overlap.
  std::vector<Json> overlaps() const {
    std::vector<Json> found(boxes_.size());
    for (size_t s = 0; s < order_.ops.size(); ++s) {
      if (order_.modes[s] < 0) continue;
      const Op& op = net_.ops[order_.ops[s]];
      const Mode& m = op.modes[order_.modes[s]];
      const bool placed = of_[m.in] >= 0 && of_[m.out] >= 0;
      const bool shares = placed && meet(boxes_[of_[m.in]], boxes_[of_[m.out]]);
      demand(shares || m.scratch < op.scratch, op.name + ": an overlap that is not used");
      if (!shares) continue;
      Json overlap = {{"with", net_.tensors[m.in].name}, {"step", s}};
      if (m.forward != kNever) overlap["forward_bytes"] = m.forward;
      if (m.backward != kNever) overlap["backward_bytes"] = m.backward;
      found[of_[m.out]].push_back(overlap);
    }
    return found;
  }

  void check_buffer(size_t b, const Json& j, const Json& shared) const {
    const Box& box = boxes_[b];
    const auto field = [&](const char* key) { return j.contains(key) ? j[key] : Json(); };
    Json outer;
    if (const auto view = order_.inside.find(box.tensor); view != order_.inside.end()) {
      outer = net_.tensors[view->second.outer].name;
    }
    demand(field("alias_of") == outer, box.name + ": wrong alias_of");
    demand(field("overlaps") == shared, box.name + ": wrong overlaps");
    const std::string kind = box.tensor < 0 ? "scratch" : kind_of(net_.tensors[box.tensor]);
    demand(get(j, "kind") == kind, box.name + " is of another kind");
  }

  // The buffers that are there, views left out, and the bytes that they take together.
  void check_step(size_t s, const Json& step) const {
    Json live = Json::array();
    std::vector<std::pair<int64_t, int64_t>> ranges;
    for (const Box& b : boxes_) {
      const bool there = b.first <= static_cast<int64_t>(s) && static_cast<int64_t>(s) <= b.last;
      if (!there || order_.inside.contains(b.tensor)) continue;
      live.push_back(b.name);
      ranges.emplace_back(b.offset, b.offset + b.bytes);
    }
    std::ranges::sort(ranges);
    int64_t bytes = 0, end = 0;
    for (const auto& [from, to] : ranges) {
      bytes += std::max<int64_t>(0, to - std::max(from, end));
      end = std::max(end, to);
    }
    const std::string& op = net_.ops[order_.ops[s]].name;
    demand(get(step, "live") == live, op + ": wrong live");
    demand(number(get(step, "live_bytes")) == bytes, op + ": wrong live_bytes");
  }

  const Net& net_;
  const Order& order_;
  const std::vector<Box>& boxes_;
  const Json& plan_;
  std::vector<int> of_;  // box by tensor, -1: none
};

}  // namespace

void check_words(const Net& net, const Order& order, const std::vector<Box>& boxes,
                 const Json& plan) {
  Words(net, order, boxes, plan).check();
}

void check_classes(const Json& plans, const Json& plan) {
  Json stated = Json::object();
  for (const Json& each : plans) {
    const std::string name = text(get(each, "class"));
    demand(!stated.contains(name), "two plans of class " + name);
    for (const char* key : {"arena_bytes", "lower_bound_bytes", "proven_minimal"}) {
      stated[name][key] = get(each, key);
    }
  }
  demand(get(plan, "classes") == stated, "classes are not those of the plans");
}

}  // namespace netkit::plan::checker
