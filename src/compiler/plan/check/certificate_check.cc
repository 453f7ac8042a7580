// SPDX-License-Identifier: MIT
// Certificate checking by the definitions: first the plan, then the witness of its bound.
#include "compiler/plan/check/certificate_check.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace netkit::plan {
namespace {
using Json = nlohmann::json;
using Set = std::vector<bool>;
constexpr int64_t kMost = int64_t{1} << 53, kNever = int64_t{1} << 62;
constexpr size_t kMaxOps = 5000, kMaxWork = 4'000'000;  // work: sets searched, times operators
using std::ranges::all_of, std::ranges::any_of;
struct Wrong { std::string why; };  // unwinds this file only; never leaves check_certificate
void demand(bool good, const std::string& why) { if (!good) throw Wrong{why}; }

const Json& get(const Json& object, const char* key) {
  demand(object.is_object() && object.contains(key), std::string(key) + " is missing");
  return object[key];
}
int64_t number(const Json& value) {
  demand(value.is_number_unsigned() && value <= kMost, "a number is not in 0 to 2^53");
  return value.get<int64_t>();
}
int64_t number_or(const Json& object, const char* key, int64_t other) {
  return object.contains(key) && !object[key].is_null() ? number(object[key]) : other;
}
std::string text(const Json& value) {
  demand(value.is_string(), "a name is not text");
  return value.get<std::string>();
}
const Json& list(const Json& object, const char* key) {
  static const Json kNone = Json::array();
  const Json& found = object.contains(key) ? object[key] : kNone;
  demand(found.is_array(), std::string(key) + " is no list");
  return found;
}

struct Mode { int in, out; int64_t forward, backward, scratch; };  // kNever: not allowed
struct Inside { int inner, outer; int64_t at; };  // a view
struct Op {
  std::string name;
  std::vector<int> in, out; int64_t scratch; std::vector<Mode> modes; std::vector<Inside> views;
};
struct Tensor {
  std::string name;
  int64_t bytes = 0;
  bool first = false, last = false, state = false, placed = true, kept = false;  // to the end
  std::vector<int> uses = {}; int writer = -1;  // ops that touch it
};
struct Net {
  std::vector<Tensor> tensors; std::vector<Op> ops;
  std::map<std::string, int> tensor_ids, op_ids;
  std::vector<std::set<int>> before;  // per op: the ops that come directly before it
  int64_t align = 1;
  int64_t up(int64_t x) const { return (x + align - 1) / align * align; }
};

std::vector<int> ids(const Json& names, const std::map<std::string, int>& index) {
  std::vector<int> found;
  for (const Json& name : names) {
    const auto at = index.find(text(name));
    demand(at != index.end(), "unknown name " + text(name));
    found.push_back(at->second);
  }
  return found;
}

Op read_op(const Json& j, const Net& net) {
  Op op{text(get(j, "name")), ids(list(j, "inputs"), net.tensor_ids),
        ids(list(j, "outputs"), net.tensor_ids), number_or(j, "scratch_bytes", 0), {}, {}};
  const auto pick = [](const std::vector<int>& from, const Json& object, const char* key) {
    demand(number_or(object, key, 0) < std::ssize(from), "an argument number is too large");
    return from[number_or(object, key, 0)];
  };
  for (const Json& o : list(j, "overlap")) {
    op.modes.push_back({pick(op.in, o, "input"), pick(op.out, o, "output"),
                        number_or(o, "forward_bytes", kNever),
                        number_or(o, "backward_bytes", kNever),
                        number_or(o, "scratch_bytes", op.scratch)});
  }
  for (const Json& v : list(j, "views")) {
    int in = pick(op.in, v, "input"), out = pick(op.out, v, "output");
    if (net.tensors[out].bytes > net.tensors[in].bytes) std::swap(in, out);
    op.views.push_back({out, in, number_or(v, "offset_bytes", 0)});
    const int64_t end = op.views.back().at + net.tensors[out].bytes;
    demand(in != out && end <= net.tensors[in].bytes, "a view reaches outside");
    for (const Inside& w : op.views) {  // several inputs do not go to one place
      const bool apart = w.at + net.tensors[w.inner].bytes <= op.views.back().at || end <= w.at;
      demand(apart || w.outer != in || w.inner == out || std::ranges::count(op.in, in),
             "views contradict");
    }
  }
  return op;
}

Net read_net(const Json& root) {
  const Json& g = get(root, "graph");
  Net net;
  net.align = number(get(g, "alignment"));
  demand(net.align > 0 && net.align <= (1 << 30), "bad alignment");
  int64_t sum = 0;
  for (const Json& j : list(g, "tensors")) {
    net.tensors.push_back({text(get(j, "name")), number(get(j, "bytes"))});
    const Tensor& t = net.tensors.back();
    sum = std::min(kNever, sum + t.bytes);
    demand(net.tensor_ids.emplace(t.name, net.tensors.size() - 1).second, "two of " + t.name);
  }
  demand(list(g, "ops").size() <= kMaxOps, "more than 5000 operators: too large to check");
  for (const Json& j : list(g, "ops")) {
    net.ops.push_back(read_op(j, net));
    sum = std::min(kNever, sum + net.ops.back().scratch);
    demand(net.op_ids.emplace(net.ops.back().name, net.ops.size() - 1).second, "bad operator");
  }
  demand(sum <= kMost, "the sizes are too large in all");
  const std::string places = text(get(root, "in_out")), order = text(get(root, "order"));
  demand(places == "inside" || places == "caller" || places == "keep_inputs", "bad in_out");
  demand(order == "best" || order == "given", "bad order");
  for (const int t : ids(list(g, "inputs"), net.tensor_ids)) net.tensors[t].first = true;
  for (const int t : ids(list(g, "outputs"), net.tensor_ids)) net.tensors[t].last = true;
  for (const int t : ids(list(g, "states"), net.tensor_ids)) net.tensors[t].state = true;
  net.before.resize(net.ops.size());
  const int n = static_cast<int>(net.ops.size());
  for (int o = 0; o < n; ++o) {
    for (const int t : net.ops[o].out) {
      const bool open = net.tensors[t].writer < 0 && !net.tensors[t].first;
      demand(open || net.tensors[t].state, "two writers of " + net.tensors[t].name);
      net.tensors[t].writer = o;
    }
  }
  for (int o = 0; o < n; ++o) {
    if (order == "given" && o > 0) net.before[o].insert(o - 1);
    for (const auto* side : {&net.ops[o].in, &net.ops[o].out}) {
      for (const int t : *side) {  // accesses to a state keep their order
        Tensor& x = net.tensors[t];
        const int access = x.uses.empty() || x.uses.back() == o ? -1 : x.uses.back();
        const int from = x.state ? access : side == &net.ops[o].in ? x.writer : -1;
        if (from >= 0) net.before[o].insert(from);
        x.uses.push_back(o);
      }
    }
  }
  for (Tensor& t : net.tensors) {
    t.placed = !(places == "caller" && (t.first || t.last));
    t.kept = t.last || t.state || (places == "keep_inputs" && t.first);
    demand(t.uses.empty() || t.first || t.state || t.writer >= 0, "no writer of " + t.name);
  }
  return net;
}

// One plan against the network: order, lives, addresses.
struct PlanCheck {
  struct Box { std::string name; int tensor; int64_t bytes, offset, first, last; };  // -1: scratch
  const Net& net;
  const Json& plan;
  std::vector<int> ops, at, modes;  // modes and scratch by position
  std::vector<int64_t> scratch;
  std::map<int, Inside> inside;     // the views taken, by their inner tensor
  std::vector<Box> boxes;

  const std::vector<int>& order() {
    ops = ids(list(plan, "order"), net.op_ids);
    const Json& steps = get(plan, "steps");
    demand(ops.size() == net.ops.size() && steps.size() == ops.size(), "wrong order");
    at.assign(ops.size(), -1);
    for (size_t i = 0; i < ops.size(); ++i) {
      const Op& op = net.ops[ops[i]];
      const bool ready = all_of(net.before[ops[i]], [&](int b) { return at[b] >= 0; });
      demand(ready && at[ops[i]] < 0 && get(steps[i], "op") == op.name, "wrong order");
      at[ops[i]] = static_cast<int>(i);
      const int64_t mode = number_or(steps[i], "overlap", -1);
      const bool known = mode < std::ssize(op.modes) && get(plan, "class") == "overlap";
      demand(mode < 0 || known, "an overlap that cannot be");
      modes.push_back(static_cast<int>(mode));
      scratch.push_back(mode < 0 ? op.scratch : op.modes[mode].scratch);
      for (const Json& v : list(steps[i], "views")) {
        demand(number(v) < std::ssize(op.views), "unknown view");
        const Inside& view = op.views[number(v)];
        const Tensor &inner = net.tensors[view.inner], &outer = net.tensors[view.outer];
        demand(inner.placed && outer.placed && !inner.state && !outer.state &&
                   inside.emplace(view.inner, view).second, "a view that cannot be");
      }
    }
    return ops;
  }

  void run() {
    read_buffers();
    int64_t top = 0;
    for (size_t a = 0; a < boxes.size(); ++a) {
      top = std::max(top, boxes[a].offset + boxes[a].bytes);
      for (size_t b = 0; b < a; ++b) check_pair(boxes[a], boxes[b]);
    }
    demand(top == number(get(plan, "arena_bytes")), "arena_bytes is not the highest end");
  }

  void read_buffers() {
    std::vector<int> seen(net.tensors.size(), 0), found(ops.size(), 0);
    for (const Json& j : get(plan, "buffers")) {
      Box b{text(get(j, "name")), -1, number(get(j, "bytes")), number(get(j, "offset")),
            number(get(j, "first_step")), number(get(j, "last_step"))};
      demand(b.offset % net.align == 0, b.name + " is not aligned");
      demand(b.first <= b.last && b.last < std::ssize(ops), b.name + " has a wrong life");
      if (text(get(j, "kind")) == "scratch") {
        demand(b.first == b.last && b.bytes == scratch[b.first], b.name + ": wrong scratch");
        ++found[b.first];
      } else {
        ++seen[b.tensor = ids(Json::array({b.name}), net.tensor_ids)[0]];
        const Tensor& t = net.tensors[b.tensor];
        const auto alive = [&](int o) { return b.first <= at[o] && at[o] <= b.last; };
        demand(b.bytes == t.bytes, b.name + " has another size");
        demand((b.first == 0 || !(t.first || t.state)) && all_of(t.uses, alive) &&
                   (b.last == std::ssize(ops) - 1 || !t.kept), b.name + " dies too early");
      }
      boxes.push_back(b);
    }
    for (const Tensor& x : net.tensors) {
      const bool used = x.placed && (!x.uses.empty() || x.first || x.last || x.state);
      demand(seen[&x - net.tensors.data()] == used, x.name + " is not there once");
    }
    const auto once = [](int count, int64_t bytes) { return count == (bytes > 0); };
    demand(std::ranges::equal(found, scratch, once), "scratch is not there once");
  }

  // Where the block of views begins that the box lies in, and the tensor that spans it.
  std::pair<int, int64_t> block(const Box& box) const {
    std::pair<int, int64_t> all{box.tensor, box.offset};
    for (auto v = inside.find(all.first); v != inside.end(); v = inside.find(all.first)) {
      all = {v->second.outer, all.second - v->second.at};
    }
    return all;
  }

  bool may_overlap(const Box& in, const Box& out) const {
    if (in.tensor < 0 || in.last != out.first || modes[out.first] < 0) return false;
    const Mode& m = net.ops[ops[out.first]].modes[modes[out.first]];
    if (m.in != in.tensor || m.out != out.tensor) return false;
    return out.offset <= in.offset - m.forward ||
           out.offset + out.bytes >= in.offset + in.bytes + m.backward;
  }

  void check_pair(const Box& a, const Box& b) const {
    const bool one = a.tensor >= 0 && b.tensor >= 0 && block(a) == block(b);
    const auto view = [&](const Box& x, const Box& y) {
      const auto v = inside.find(x.tensor);
      return v != inside.end() && v->second.outer == y.tensor;
    };
    demand(one || (!view(a, b) && !view(b, a)), "a view lies elsewhere than its step expects");
    if (a.bytes == 0 || b.bytes == 0 || a.last < b.first || b.last < a.first) return;
    if (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) return;
    demand(one || may_overlap(a, b) || may_overlap(b, a),
           a.name + " and " + b.name + " share bytes while both are alive");
  }
};

// No plan needs less: what a step needs whatever comes before it, or a search over all orders.
struct BoundCheck {
  struct Need { int64_t bytes, slack; std::vector<int64_t> counted; };  // rounded; per tensor
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

Result<std::vector<PlanVerdict>> check_certificate(std::string_view text_in) {
  const Json root = Json::parse(text_in, nullptr, false);
  std::vector<PlanVerdict> verdicts;
  try {
    demand(text(get(root, "format")) == "netkit-certificate/1", "format is another one");
    const Net net = read_net(root);
    demand(!list(root, "plans").empty(), "there is no plan in it");
    for (const Json& plan : list(root, "plans")) {
      PlanVerdict v{text(get(plan, "class")), number(get(plan, "arena_bytes")),
                    number(get(plan, "lower_bound_bytes")), false, {}, false, "the plan is wrong"};
      demand(v.plan_class == "plain" || v.plan_class == "overlap", "unknown class");
      try {
        PlanCheck check{net, plan, {}, {}, {}, {}, {}, {}};
        BoundCheck(net, check.order(), v.plan_class == "overlap").verify(get(plan, "witness"), v);
        check.run();
        v.valid = get(plan, "proven_minimal") == (v.arena_bytes == v.lower_bound_bytes);
        demand(v.valid, "proven_minimal contradicts the bound");
      } catch (const Wrong& reason) {
        v.invalid_reason = reason.why;
      }
      verdicts.push_back(v);
    }
    return verdicts;
  } catch (const Wrong& reason) {
    return bad_input("not a certificate that can be checked: " + reason.why);
  } catch (const Json::exception&) {
    return bad_input("not a certificate that can be checked: a field has another type");
  }
}

}  // namespace netkit::plan
