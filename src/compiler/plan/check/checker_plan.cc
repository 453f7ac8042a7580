// SPDX-License-Identifier: MIT
// One plan of the certificate against the network: order, lives, addresses.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/plan/check/checker.h"

namespace netkit::plan::checker {
namespace {

using std::ranges::all_of;

void take_views(const Net& net, const Op& op, const Json& step, Order& order) {
  for (const Json& v : list(step, "views")) {
    demand(number(v) < std::ssize(op.views), "unknown view");
    const Inside& view = op.views[number(v)];
    const Tensor &inner = net.tensors[view.inner], &outer = net.tensors[view.outer];
    demand(inner.placed && outer.placed && !inner.state && !outer.state &&
               order.inside.emplace(view.inner, view).second,
           "a view that cannot be");
  }
}

// Pairs of boxes that are alive together.
class Pairs {
 public:
  Pairs(const Net& net, const Order& order) : net_(net), order_(order) {}

  void check(const Box& a, const Box& b) const {
    const bool one = a.tensor >= 0 && b.tensor >= 0 && block(a) == block(b);
    const auto view = [&](const Box& x, const Box& y) {
      const auto v = order_.inside.find(x.tensor);
      return v != order_.inside.end() && v->second.outer == y.tensor;
    };
    demand(one || (!view(a, b) && !view(b, a)), "a view lies elsewhere than its step expects");
    if (a.bytes == 0 || b.bytes == 0 || a.last < b.first || b.last < a.first) return;
    if (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) return;
    demand(one || may_overlap(a, b) || may_overlap(b, a),
           a.name + " and " + b.name + " share bytes while both are alive");
  }

 private:
  // Where the block of views begins that the box lies in, and the tensor that spans it.
  std::pair<int, int64_t> block(const Box& box) const {
    const auto& inside = order_.inside;
    std::pair<int, int64_t> all{box.tensor, box.offset};
    for (auto v = inside.find(all.first); v != inside.end(); v = inside.find(all.first)) {
      all = {v->second.outer, all.second - v->second.at};
    }
    return all;
  }

  bool may_overlap(const Box& in, const Box& out) const {
    if (in.tensor < 0 || in.last != out.first || order_.modes[out.first] < 0) return false;
    const Mode& m = net_.ops[order_.ops[out.first]].modes[order_.modes[out.first]];
    if (m.in != in.tensor || m.out != out.tensor) return false;
    return out.offset <= in.offset - m.forward ||
           out.offset + out.bytes >= in.offset + in.bytes + m.backward;
  }

  const Net& net_;
  const Order& order_;
};

Box read_box(const Net& net, const Json& j) {
  Box b{text(get(j, "name")),         -1,
        number(get(j, "bytes")),      number(get(j, "offset")),
        number(get(j, "first_step")), number(get(j, "last_step"))};
  if (text(get(j, "kind")) != "scratch") b.tensor = ids(Json::array({b.name}), net.tensor_ids)[0];
  demand(b.offset % net.align == 0, b.name + " is not aligned");
  return b;
}

}  // namespace

Order read_order(const Net& net, const Json& plan) {
  Order order;
  order.ops = ids(list(plan, "order"), net.op_ids);
  const Json& steps = get(plan, "steps");
  demand(order.ops.size() == net.ops.size() && steps.size() == order.ops.size(), "wrong order");
  order.at.assign(order.ops.size(), -1);
  for (size_t i = 0; i < order.ops.size(); ++i) {
    const Op& op = net.ops[order.ops[i]];
    int& at = order.at[order.ops[i]];
    const bool ready = all_of(net.before[order.ops[i]], [&](int b) { return order.at[b] >= 0; });
    demand(ready && at < 0 && get(steps[i], "op") == op.name, "wrong order");
    at = static_cast<int>(i);
    const int64_t mode = number_or(steps[i], "overlap", -1);
    const bool known = mode < std::ssize(op.modes) && get(plan, "class") == "overlap";
    demand(mode < 0 || known, "an overlap that cannot be");
    order.modes.push_back(static_cast<int>(mode));
    order.scratch.push_back(mode < 0 ? op.scratch : op.modes[mode].scratch);
    take_views(net, op, steps[i], order);
  }
  return order;
}

std::vector<std::pair<int64_t, int64_t>> lives(const Net& net, const Order& order) {
  const int64_t n = std::ssize(order.ops);
  std::vector<std::pair<int64_t, int64_t>> found(net.tensors.size(), {n, -1});
  for (size_t t = 0; t < net.tensors.size(); ++t) {
    const Tensor& x = net.tensors[t];
    std::pair<int64_t, int64_t> own{n, -1};
    const auto reach = [&](int64_t at) {
      own = {std::min(own.first, at), std::max(own.second, at)};
    };
    for (const int use : x.uses) reach(order.at[use]);
    if (x.first || x.state) reach(0);
    if (x.kept) reach(n - 1);
    for (int at = static_cast<int>(t);;) {  // what lies in a tensor needs it
      auto& [first, last] = found[at];
      first = std::min(first, own.first);
      last = std::max(last, own.second);
      const auto view = order.inside.find(at);
      if (view == order.inside.end()) break;
      at = view->second.outer;
    }
  }
  return found;
}

std::vector<Box> check_buffers(const Net& net, const Order& order, const Json& plan) {
  std::vector<int> seen(net.tensors.size(), 0), found(order.ops.size(), 0);
  const auto alive = lives(net, order);
  std::vector<Box> boxes;
  for (const Json& j : get(plan, "buffers")) {
    const Box b = read_box(net, j);
    if (b.tensor < 0) {
      demand(
          b.first == b.last && b.last < std::ssize(order.ops) && b.bytes == order.scratch[b.first],
          b.name + ": wrong scratch");
      ++found[b.first];
    } else {
      ++seen[b.tensor];
      demand(b.bytes == net.tensors[b.tensor].bytes, b.name + " has another size");
      demand(std::pair(b.first, b.last) == alive[b.tensor], b.name + " has a wrong life");
    }
    boxes.push_back(b);
  }
  for (size_t t = 0; t < seen.size(); ++t) {
    const Tensor& x = net.tensors[t];
    demand(seen[t] == (x.placed && x.used()), x.name + " is not there once");
  }
  const auto once = [](int count, int64_t bytes) { return count == (bytes > 0); };
  demand(std::ranges::equal(found, order.scratch, once), "scratch is not there once");
  const Pairs pairs(net, order);
  int64_t top = 0;
  for (size_t a = 0; a < boxes.size(); ++a) {
    top = std::max(top, boxes[a].offset + boxes[a].bytes);
    for (size_t b = 0; b < a; ++b) pairs.check(boxes[a], boxes[b]);
  }
  demand(top == number(get(plan, "arena_bytes")), "arena_bytes is not the highest end");
  return boxes;
}

}  // namespace netkit::plan::checker
