// SPDX-License-Identifier: MIT
// Certificate checking by the definitions: first the plan, then the witness of its bound.
#include "compiler/plan/check/certificate_check.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace netkit::plan {
namespace {
using Json = nlohmann::json;
using Set = std::vector<bool>;
constexpr int64_t kMost = int64_t{1} << 53;
constexpr int64_t kNever = int64_t{1} << 62;
constexpr size_t kMaxOps = 5000, kMaxSets = 200'000;  // sets that the search looks at
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
  demand(!object.contains(key) || object[key].is_array(), std::string(key) + " is no list");
  return object.contains(key) ? object[key] : kNone;
}

struct Mode { int in, out; int64_t forward, backward, scratch; };  // kNever: not allowed
struct Inside { int inner, outer; int64_t at; };  // a view
struct Op {
  std::string name;
  std::vector<int> in, out;
  int64_t scratch = 0;
  std::vector<Mode> modes;
  std::vector<Inside> views;
};
struct Tensor {
  std::string name;
  int64_t bytes = 0;
  bool first = false, last = false, state = false;  // input, output, state
  bool placed = true, kept = false;                 // in the arena; to the end
  std::vector<int> uses;                            // ops that read or write it
  int writer = -1;                                  // op; -1: none
};
struct Net {
  std::vector<Tensor> tensors;
  std::vector<Op> ops;
  std::map<std::string, int> tensor_ids, op_ids;
  std::vector<std::set<int>> before;  // per op: the ops that come directly before it
  int64_t align = 1;
  int64_t up(int64_t x) const { return (x + align - 1) / align * align; }
};

std::vector<int> ids(const Json& names, const std::map<std::string, int>& index) {
  std::vector<int> found;
  for (const Json& name : names) {
    demand(index.count(text(name)) == 1, "unknown name " + text(name));
    found.push_back(index.at(text(name)));
  }
  return found;
}

Op read_op(const Json& j, const Net& net) {
  Op op{text(get(j, "name")), ids(list(j, "inputs"), net.tensor_ids),
        ids(list(j, "outputs"), net.tensor_ids), number_or(j, "scratch_bytes", 0), {}, {}};
  const auto pick = [](const std::vector<int>& from, const Json& object, const char* key) {
    const int64_t i = number_or(object, key, 0);
    demand(i < std::ssize(from), "an argument number is too large");
    return from[i];
  };
  for (const Json& o : list(j, "overlap")) {
    const Mode mode{pick(op.in, o, "input"), pick(op.out, o, "output"),
                    number_or(o, "forward_bytes", kNever), number_or(o, "backward_bytes", kNever),
                    number_or(o, "scratch_bytes", op.scratch)};
    if (mode.forward != kNever || mode.backward != kNever) op.modes.push_back(mode);
  }
  for (const Json& v : list(j, "views")) {
    int in = pick(op.in, v, "input"), out = pick(op.out, v, "output");
    if (net.tensors[out].bytes > net.tensors[in].bytes) std::swap(in, out);
    op.views.push_back({out, in, number_or(v, "offset_bytes", 0)});
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
    Tensor t;
    t.name = text(get(j, "name"));
    sum = std::min(kNever, sum + (t.bytes = number(get(j, "bytes"))));
    demand(net.tensor_ids.emplace(t.name, net.tensors.size()).second, "bad tensor " + t.name);
    net.tensors.push_back(t);
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
      Tensor& x = net.tensors[t];
      demand(x.state || (x.writer < 0 && !x.first), "two writers of " + x.name);
      x.writer = o;
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
class PlanCheck {
 public:
  PlanCheck(const Net& net, const Json& plan) : net_(net), plan_(plan) {}

  // The order, which is valid: nothing waits for itself.
  const std::vector<int>& order() {
    order_ = ids(get(plan_, "order"), net_.op_ids);
    const Json& steps = get(plan_, "steps");
    demand(order_.size() == net_.ops.size() && steps.size() == order_.size(), "wrong order");
    at_.assign(order_.size(), -1);
    for (size_t i = 0; i < order_.size(); ++i) {
      const Op& op = net_.ops[order_[i]];
      const bool ready = all_of(net_.before[order_[i]], [&](int b) { return at_[b] >= 0; });
      demand(ready && at_[order_[i]] < 0 && get(steps[i], "op") == op.name, "wrong order");
      at_[order_[i]] = static_cast<int>(i);
      const int64_t mode = number_or(steps[i], "overlap", -1);
      demand(mode < std::ssize(op.modes), "unknown overlap");
      demand(mode < 0 || get(plan_, "class") == "overlap", "overlap in a plain plan");
      modes_.push_back(static_cast<int>(mode));
      scratch_.push_back(mode < 0 ? op.scratch : op.modes[mode].scratch);
      for (const Json& v : list(steps[i], "views")) {
        demand(number(v) < std::ssize(op.views), "unknown view");
        views_.push_back(op.views[number(v)]);
      }
    }
    return order_;
  }

  void run() {
    read_buffers();
    int64_t top = 0;
    for (size_t a = 0; a < boxes_.size(); ++a) {
      top = std::max(top, boxes_[a].offset + boxes_[a].bytes);
      for (size_t b = 0; b < a; ++b) check_pair(boxes_[a], boxes_[b]);
    }
    demand(top == number(get(plan_, "arena_bytes")), "arena_bytes is not the highest end");
  }

 private:
  struct Box {
    std::string name;
    int tensor;  // -1: scratch
    int64_t bytes, offset, first, last;
  };
  void read_buffers() {
    std::vector<int> seen(net_.tensors.size(), 0), scratch(order_.size(), 0);
    for (const Json& j : get(plan_, "buffers")) {
      Box b{text(get(j, "name")), -1, number(get(j, "bytes")), number(get(j, "offset")),
            number(get(j, "first_step")), number(get(j, "last_step"))};
      demand(b.offset % net_.align == 0, b.name + " is not aligned");
      demand(b.first <= b.last && b.last < std::ssize(order_), b.name + " has a wrong life");
      if (text(get(j, "kind")) == "scratch") {
        demand(b.first == b.last && b.bytes == scratch_[b.first], b.name + ": wrong scratch");
        ++scratch[b.first];
      } else {
        b.tensor = ids(Json::array({b.name}), net_.tensor_ids)[0];
        ++seen[b.tensor];
        const Tensor& t = net_.tensors[b.tensor];
        demand(b.bytes == t.bytes, b.name + " has another size");
        demand((b.first == 0 || !(t.first || t.state)) &&
                   (b.last == std::ssize(order_) - 1 || !t.kept) &&
                   all_of(t.uses, [&](int o) { return b.first <= at_[o] && at_[o] <= b.last; }),
               b.name + " is not alive when needed");
      }
      boxes_.push_back(b);
    }
    for (const Tensor& x : net_.tensors) {
      const bool used = !x.uses.empty() || x.first || x.last || x.state;
      demand(seen[&x - net_.tensors.data()] == (x.placed && used), x.name + " is not there once");
    }
    const auto once = [](int count, int64_t bytes) { return count == (bytes > 0); };
    demand(std::ranges::equal(scratch, scratch_, once), "scratch is not there once");
  }

  // Does a taken view put one exactly where it belongs within the other?
  bool is_view(const Box& a, const Box& b) const {
    return any_of(views_, [&](const Inside& v) {
      return v.inner == a.tensor && v.outer == b.tensor && a.offset == b.offset + v.at &&
             a.offset + a.bytes <= b.offset + b.bytes;
    });
  }

  bool may_overlap(const Box& in, const Box& out) const {
    if (in.tensor < 0 || in.last != out.first || modes_[out.first] < 0) return false;
    const Mode& m = net_.ops[order_[out.first]].modes[modes_[out.first]];
    if (m.in != in.tensor || m.out != out.tensor) return false;
    return (m.forward != kNever && out.offset <= in.offset - m.forward) ||
           (m.backward != kNever && out.offset + out.bytes >= in.offset + in.bytes + m.backward);
  }

  void check_pair(const Box& a, const Box& b) const {
    if (a.bytes == 0 || b.bytes == 0 || a.last < b.first || b.last < a.first) return;
    if (a.offset + a.bytes <= b.offset || b.offset + b.bytes <= a.offset) return;
    demand(is_view(a, b) || is_view(b, a) || may_overlap(a, b) || may_overlap(b, a),
           a.name + " and " + b.name + " share bytes while both are alive");
  }

  const Net& net_;
  const Json& plan_;
  std::vector<int> order_, at_, modes_;
  std::vector<int64_t> scratch_;  // by position
  std::vector<Inside> views_;     // those taken
  std::vector<Box> boxes_;
};

// No plan needs less: what a step needs whatever comes before it, or a search over all orders.
class BoundCheck {
 public:
  BoundCheck(const Net& net, const std::vector<int>& order, bool overlaps)
      : net_(net), overlaps_(overlaps), earlier_(order.size(), Set(order.size())) {
    for (const int o : order) {
      for (const int b : net.before[o]) {
        for (size_t i = 0; i < order.size(); ++i) earlier_[o][i] = earlier_[o][i] || earlier_[b][i];
        earlier_[o][b] = true;
      }
    }
    for (const Tensor& t : net.tensors) bytes_.push_back(t.placed ? t.bytes : 0);
    for (const Op& op : net.ops) {  // what may lie inside another tensor counts nothing
      for (const Inside& v : op.views) bytes_[v.inner] = 0;
    }
  }

  void verify(const Json& witness, PlanVerdict& v) const {
    const std::string kind = text(get(witness, "kind"));
    v.how = "no witness that can be checked";
    if (kind == "step") {
      const int op = ids(Json::array({get(witness, "op")}), net_.op_ids)[0];
      v.bound_verified = by_step(op, v.lower_bound_bytes);
      v.how = v.bound_verified ? "live set of a step" : "the step may need less";
    } else if (kind == "search") {
      const auto holds = by_search(v.lower_bound_bytes);
      v.bound_verified = holds.value_or(false);
      v.how = v.bound_verified ? "search over executed sets"
              : holds          ? "an order needs less at every step"
                               : "the search over executed sets is too large to repeat";
    }
  }

 private:
  // Whatever the order, the step needs so much: only its ancestors are surely done, and only its
  // descendants surely wait.
  bool by_step(int op, int64_t bound) const {
    return need(op, [&](int o) { return earlier_[op][o]; },
                [&](int o) { return earlier_[o][op]; }) >= bound;
  }

  // Every executed set that can be reached with less than the bound; nullopt: too many.
  std::optional<bool> by_search(int64_t bound) const {
    const size_t n = net_.ops.size();
    std::set<Set> seen = {Set(n)};
    std::vector<Set> open = {Set(n)};
    while (!open.empty()) {
      const Set done = open.back();
      open.pop_back();
      const auto is_done = [&](int o) { return done[o]; };
      if (all_of(done, [](bool d) { return d; })) return false;
      for (size_t op = 0; op < n; ++op) {
        if (done[op] || !all_of(net_.before[op], is_done)) continue;
        if (need(op, is_done, [&](int o) { return !done[o]; }) >= bound) continue;
        Set next = done;
        next[op] = true;
        if (seen.size() >= kMaxSets) return std::nullopt;
        if (seen.insert(next).second) open.push_back(next);
      }
    }
    return true;
  }

  // What the step needs at least when the steps `done` came before it and those that `wait` come
  // after it; a step that is neither may do either.
  template <typename Done, typename Wait>
  int64_t need(int op, Done done, Wait wait) const {
    int64_t sum = 0, slack = 0, extra = net_.up(net_.ops[op].scratch);
    const auto count = [&](int64_t bytes) {
      slack = std::max(slack, net_.up(bytes) - bytes);  // the topmost buffer is not rounded
      return net_.up(bytes);
    };
    for (size_t t = 0; t < net_.tensors.size(); ++t) {
      const Tensor& x = net_.tensors[t];
      const bool begun = x.first || x.state || (x.writer >= 0 && done(x.writer));
      const bool own = any_of(x.uses, [&](int use) { return use == op; });
      if (own || (begun && (x.kept || any_of(x.uses, wait)))) sum += count(bytes_[t]);
    }
    count(net_.ops[op].scratch);
    for (const Mode& m : net_.ops[op].modes) {
      const auto still = [&](int use) { return use != op && wait(use); };
      if (!overlaps_ || net_.tensors[m.in].kept || any_of(net_.tensors[m.in].uses, still)) continue;
      const int64_t in = bytes_[m.in], out = bytes_[m.out], apart = net_.up(in) + net_.up(out);
      int64_t span = apart;
      if (m.forward != kNever) {
        span = std::min(span, std::max(net_.up(out), net_.up(in) + net_.up(m.forward)));
      }
      if (m.backward != kNever) {
        const int64_t above = net_.up(std::max<int64_t>(0, in + m.backward - out));
        span = std::min(span, std::max(net_.up(in), net_.up(out) + above));
      }
      extra = std::min(extra, count(m.scratch) - (apart - span));
    }
    return sum + extra - slack;
  }

  const Net& net_;
  bool overlaps_;
  std::vector<Set> earlier_;  // per op: all of its ancestors
  std::vector<int64_t> bytes_;
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
      PlanVerdict v;
      v.plan_class = text(get(plan, "class"));
      demand(v.plan_class == "plain" || v.plan_class == "overlap", "unknown class");
      v.arena_bytes = number(get(plan, "arena_bytes"));
      v.lower_bound_bytes = number(get(plan, "lower_bound_bytes"));
      v.how = "the order is not valid";
      try {
        PlanCheck check(net, plan);
        BoundCheck(net, check.order(), v.plan_class == "overlap").verify(get(plan, "witness"), v);
        check.run();
        const bool equal = v.arena_bytes == v.lower_bound_bytes;
        demand(get(plan, "proven_minimal") == equal, "proven_minimal contradicts the bound");
        v.valid = true;
      } catch (const Wrong& reason) {
        v.invalid_reason = reason.why;
      }
      verdicts.push_back(v);
    }
  } catch (const Wrong& reason) {
    return bad_input("not a certificate that can be checked: " + reason.why);
  } catch (const Json::exception&) {
    return bad_input("not a certificate that can be checked: a field has another type");
  }
  return verdicts;
}

}  // namespace netkit::plan
