// SPDX-License-Identifier: MIT
// The whole checker of netkit-certificate/1 (docs/certificate.md): reads the graph, checks each
// plan on it, verifies the witness of each bound. It trusts nothing that it reads.
#include "compiler/plan/check/checker.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <unordered_set>

namespace netkit::plan {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<int>;
using Set = std::vector<bool>;  // of operators
using std::ranges::any_of;
constexpr int64_t kMost = int64_t{1} << 53;             // of each number, of all sizes together
constexpr int64_t kNever = int64_t{1} << 62;            // of a distance: the mode has none
constexpr size_t kMaxOps = 5000, kMaxWork = 4'000'000;  // sets searched, times operators

// What is thrown unwinds the checker only; check_certificate catches it.
void demand(bool good, const std::string& why) {
  if (!good) throw std::runtime_error(why);
}
int64_t number(const Json& value) {
  demand(value.is_number_unsigned() && value <= kMost, "a number is not in 0 to 2^53");
  return value.get<int64_t>();
}
int64_t number(const Json& object, const char* key, int64_t absent) {
  return object.contains(key) && !object[key].is_null() ? number(object[key]) : absent;
}
const Json& list(const Json& object, const std::string& key) {
  static const Json kNone = Json::array();
  const Json& found = object.contains(key) ? object[key] : kNone;
  demand(found.is_array(), key + " is no list");
  return found;
}
Ids ids(const Json& index, const Json& names) {  // at() throws where one is unknown
  Ids found;
  for (const Json& name : names) found.push_back(index.at(name.get<std::string>()));
  return found;
}

struct Mode {  // an output may overwrite an input at these distances
  int in, out;
  int64_t forward, backward, scratch_bytes;
};
struct View {  // `inner` may lie in `outer` at byte `at`
  int inner, outer;
  int64_t at;
  bool possible;
};
struct Op {
  int rank, scratch;  // number in the graph's list; buffer
  std::vector<Mode> modes = {};
  const Mode* mode = nullptr;  // that the plan takes
  Ids before = {};             // what comes directly before it in every order
  Set earlier = Set(kMaxOps);  // all that does
};
struct Buffer {  // a tensor, or the scratch of an operator
  std::string name, kind;
  int64_t bytes, sure;                              // in this plan; in every plan
  bool start = false, kept = false, placed = true;  // there at first, to the end; in the arena
  int writer = -1;
  Ids uses = {};                   // operators that touch it
  int first = 1 << 30, last = -1;  // in this plan: its life,
  int outer = -1, block = -1;      // what it lies in as a view, next and at last,
  int64_t at = 0, offset = -1;     // and at which byte of it and of the arena

  int64_t end() const { return offset + bytes; }
  bool meets(const Buffer& b) const {  // in time and place
    return first <= b.last && b.first <= last &&
           std::max(offset, b.offset) < std::min(end(), b.end());
  }
  bool waits(const Set& set) const {  // for one of these operators
    return kept || any_of(uses, [&](int o) { return set[o]; });
  }
};

// A plan with its graph, whose operators are numbered as the plan executes them. Taken from the
// plan: order, overlap and views of each step, offsets of the buffers.
struct Plan {
  const Json& stated;
  std::vector<Op> ops = {};
  std::vector<Buffer> buffers = {};  // tensors, then the scratch of each operator
  Json tensor_ids = Json::object(), op_ids = Json::object();
  int64_t align = 1;

  int64_t up(int64_t bytes) const { return (bytes + align - 1) / align * align; }

  void read(const Json& root) {
    const Json &graph = root.at("graph"), &order = root.at("order"), &in_out = root.at("in_out");
    demand(graph.at("format") == "netkit-graph/1", "format of the graph is another one");
    const bool given = order == "given";
    demand(order == "best" || given, "unknown order");
    demand(in_out == "caller" || in_out == "keep_inputs" || in_out == "inside", "unknown in_out");
    align = number(graph.at("alignment"));
    demand(align > 0 && align <= (1 << 30), "bad alignment");
    for (const Json& j : list(graph, "tensors")) {
      const std::string name = j.at("name").get<std::string>();
      demand(tensor_ids.emplace(name, buffers.size()).second, "two of " + name);
      buffers.push_back({name, "activation", number(j.at("bytes")), number(j.at("bytes"))});
    }
    for (const std::string kind : {"input", "output", "state"}) {
      for (const int t : ids(tensor_ids, list(graph, kind + "s"))) {
        Buffer& x = buffers[t];
        x.kind = kind;
        x.start = x.start || kind != "output";
        x.kept = x.kept || kind != "input" || in_out == "keep_inputs";
        x.placed = x.placed && (kind == "state" || in_out != "caller");
      }
    }
    const Json &listed = list(graph, "ops"), &steps = list(stated, "steps");
    Json ranks = Json::object();
    for (const Json& j : listed) ranks.emplace(j.at("name").get<std::string>(), ranks.size());
    const Ids executed = ids(ranks, list(stated, "order"));
    const size_t n = executed.size();
    demand(n > 0 && n <= kMaxOps, "no operators, or more than 5000");
    demand(ranks.size() == n && listed.size() == n && steps.size() == n, "not each operator once");
    for (size_t s = 0; s < n; ++s) read_op(listed[executed[s]], executed[s], steps[s], given);
  }

  // The next operator: `j` of the graph, `step` of the plan.
  void read_op(const Json& j, int rank, const Json& step, bool given) {
    const Ids in = ids(tensor_ids, list(j, "inputs")), out = ids(tensor_ids, list(j, "outputs"));
    const int o = static_cast<int>(ops.size());
    const int64_t scratch = number(j, "scratch_bytes", 0), mode = number(step, "overlap", -1);
    const std::string name = j.at("name").get<std::string>();
    demand(op_ids.emplace(name, o).second && step.at("op") == name, "another step than " + name);
    Op& op = ops.emplace_back(rank, static_cast<int>(buffers.size()));
    buffers.push_back({name + ".scratch", "scratch", scratch, scratch});
    for (const Json& m : list(j, "overlap")) {
      op.modes.push_back({in.at(number(m, "input", 0)), out.at(number(m, "output", 0)),
                          number(m, "forward_bytes", kNever), number(m, "backward_bytes", kNever),
                          number(m, "scratch_bytes", scratch)});
    }
    if (stated.at("class") == "plain") op.modes.clear();
    if (mode >= 0) op.mode = &op.modes.at(mode);
    if (mode >= 0) buffers.back().bytes = op.mode->scratch_bytes;
    std::vector<View> views;
    for (const Json& v : list(j, "views")) {
      int outer = in.at(number(v, "input", 0)), inner = out.at(number(v, "output", 0));
      if (buffers[inner].bytes > buffers[outer].bytes) std::swap(outer, inner);
      add_view({inner, outer, number(v, "offset_bytes", 0), true}, in, views);
    }
    for (const Json& v : list(step, "views")) {
      const View& view = views.at(number(v));
      Buffer& x = buffers[view.inner];
      demand(view.possible && x.outer < 0, x.name + " is a view that cannot be");
      x.outer = view.outer;
      x.at = view.at;
    }
    if (given && o > 0) op.before.push_back(o - 1);
    connect(in, true);
    connect(out, false);
    connect({op.scratch}, false);
    for (const int b : op.before) {
      demand(ops[b].rank < rank, "the operators of the graph stand in another order");
      op.earlier[b] = true;
      for (int i = 0; i < b; ++i) op.earlier[i] = op.earlier[i] || ops[b].earlier[i];
    }
  }

  void add_view(View v, const Ids& in, std::vector<View>& views) {
    Buffer &small = buffers[v.inner], &large = buffers[v.outer];
    demand(v.inner != v.outer && v.at + small.bytes <= large.bytes, "a view reaches outside");
    for (const View& w : views) {  // several inputs do not go to one place
      const bool apart = w.at + buffers[w.inner].bytes <= v.at || v.at + small.bytes <= w.at;
      const bool one = w.inner == v.inner || w.outer != v.outer || std::ranges::count(in, v.outer);
      demand(apart || one, "views contradict");
    }
    const bool states = small.kind == "state" || large.kind == "state";
    v.possible = small.placed && large.placed && !states && v.at % align == 0;
    if (v.possible) small.sure = 0;  // it may cost nothing
    views.push_back(v);
  }

  // The last operator comes after the writer of what it reads. Accesses to a state stay in order.
  void connect(const Ids& tensors, bool read) {
    const int o = static_cast<int>(ops.size()) - 1;
    for (const int t : tensors) {
      Buffer& x = buffers[t];
      const bool state = x.kind == "state", made = x.start || x.writer >= 0;
      demand(state || read == made, x.name + (read ? " is read too early" : " has two writers"));
      const int from = !state ? x.writer : x.uses.empty() ? -1 : x.uses.back();
      if (from >= 0 && from != o) ops[o].before.push_back(from);
      if (!read) x.writer = o;
      x.uses.push_back(o);
    }
  }

  // Lives are from the writer, or the start, to the last reader, or the end; what a view lies in
  // lives as long as the view. Every buffer stands once in the plan, at an aligned offset.
  void read_buffers() {
    Json index = Json::object(), expected;
    int64_t sum = 0, top = 0;
    for (int b = 0; b < std::ssize(buffers); ++b) {
      Buffer& x = buffers[b];
      Ids steps = x.uses;
      if (x.start) steps.push_back(0);
      if (x.kept) steps.push_back(static_cast<int>(ops.size()) - 1);
      for (x.block = b;; x.block = buffers[x.block].outer) {
        for (const int s : steps) {
          buffers[x.block].first = std::min(buffers[x.block].first, s);
          buffers[x.block].last = std::max(buffers[x.block].last, s);
        }
        if (buffers[x.block].outer < 0) break;
      }
      demand((sum += std::max(x.bytes, x.sure)) <= kMost, "the sizes are too large in all");
      demand(!x.kept || x.start || x.writer >= 0, "no writer of " + x.name);
      x.placed = x.placed && !steps.empty();
      if (!x.placed) x.bytes = x.sure = 0;
      if (!x.placed || (x.kind == "scratch" && x.bytes == 0)) continue;
      while (!index.emplace(x.name, b).second) x.name += '_';  // a tensor is called like scratch
    }
    for (const Json& j : list(stated, "buffers")) {
      Buffer& x = buffers[index.at(j.at("name").get<std::string>())];
      demand(x.offset < 0, "two of " + x.name);
      x.offset = number(j.at("offset"));
      demand(x.offset % align == 0, x.name + " is not aligned");
      expected = {{"name", x.name},     {"kind", x.kind},        {"bytes", x.bytes},
                  {"offset", x.offset}, {"first_step", x.first}, {"last_step", x.last}};
      if (x.outer >= 0) expected["alias_of"] = buffers[x.outer].name;
      demand(j == expected, x.name + " should be " + expected.dump());
      top = std::max(top, x.end());
    }
    demand(list(stated, "buffers").size() == index.size(), "a buffer is missing");
    demand(stated.at("arena_bytes") == top, "arena_bytes is not the highest end");
    for (const Op& op : ops) {
      const bool used = !op.mode || buffers[op.mode->in].meets(buffers[op.mode->out]);
      demand(used, buffers[op.scratch].name + ": an overlap that is not used");
    }
  }

  // A view lies where its step expects it. Buffers that are alive together share no byte, but for
  // those of one block of views, which are one buffer, and where the mode of a step allows it.
  void check_apart() const {
    for (const Buffer& a : buffers) {
      const bool there = a.outer < 0 || a.offset == buffers[a.outer].offset + a.at;
      demand(there, a.name + ": a view lies elsewhere than its step expects");
      for (const Buffer* b = buffers.data(); b < &a; ++b) {
        if (!a.meets(*b) || a.block == b->block) continue;
        demand(may_overwrite(a, *b) || may_overwrite(*b, a),
               a.name + " and " + b->name + " share bytes while both are alive");
      }
    }
  }

  // `out` begins where `in` ends, at a step whose mode allows it at this distance.
  bool may_overwrite(const Buffer& in, const Buffer& out) const {
    const Mode* m = ops[out.first].mode;
    if (!m || &in != &buffers[m->in] || &out != &buffers[m->out]) return false;
    if (in.last != out.first || in.kept || out.start) return false;
    return out.offset <= in.offset - m->forward || out.end() >= in.end() + m->backward;
  }

  struct Need {
    int64_t bytes, slack;          // rounded; what rounding may have added to the buffer on top
    std::vector<int64_t> counted;  // per buffer
  };

  // What the operator needs at least when those in `done` come before it, those in `wait` after.
  Need need(int op, const Set& done, const Set& wait) const {
    Need sum{0, 0, std::vector<int64_t>(buffers.size())};
    const auto count = [&](int64_t size) {
      sum.slack = std::max(sum.slack, up(size) - size);
      return up(size);
    };
    const bool first = std::ranges::count(wait, true) == std::ssize(ops);  // what starts is there
    for (size_t b = 0; b < buffers.size(); ++b) {
      const Buffer& x = buffers[b];
      const bool begun = x.start || (x.writer >= 0 && done[x.writer]);
      const bool own = std::ranges::find(x.uses, op) != x.uses.end();
      if (!own && !(begun && (first || x.waits(wait)))) continue;
      sum.bytes += sum.counted[b] = count(x.sure);
    }
    int64_t extra = 0;
    for (const Mode& m : ops[op].modes) {
      const Buffer &x = buffers[m.in], &y = buffers[m.out];
      if (x.kept || any_of(x.uses, [&](int o) { return o != op && wait[o]; })) continue;
      const int64_t in = up(x.sure), out = up(y.sure), scratch = up(buffers[ops[op].scratch].sure);
      const int64_t above = up(std::max<int64_t>(0, x.sure + m.backward - y.sure));
      const int64_t span =
          std::min({in + out, std::max(out, in + up(m.forward)), std::max(in, out + above)});
      extra = std::min(extra, count(m.scratch_bytes) - scratch - (in + out - span));
    }
    sum.bytes += extra;
    return sum;
  }

  // Of a chain one tensor at least is alive when `op` runs: the first is begun; when one is over,
  // the next is begun; the last is not over. A tensor carries no more than its bytes.
  int64_t by_step(const Json& witness) const {
    const int op = op_ids.at(witness.at("op").get<std::string>());
    Set wait(ops.size());
    for (size_t o = 0; o < ops.size(); ++o) wait[o] = ops[o].earlier[op];
    Need sum = need(op, ops[op].earlier, wait);
    for (const Json& chain : list(witness, "chains")) {
      const int64_t share = number(chain.at("bytes"));
      const Buffer* over = nullptr;
      for (const int t : ids(tensor_ids, list(chain, "tensors"))) {
        const Buffer& x = buffers[t];
        const auto after = [&](int o) { return o == x.writer || ops[o].earlier[x.writer]; };
        const bool begun = over ? x.writer >= 0 && any_of(over->uses, after)
                                : x.start || (x.writer >= 0 && after(op));
        demand(begun && (sum.counted[t] += share) <= up(x.sure), "a chain breaks");
        sum.slack = std::max(sum.slack, up(x.sure) - x.sure);
        over = &x;
      }
      demand(over && over->waits(wait), "a chain ends too early");
      sum.bytes += share;
    }
    return sum.bytes - sum.slack;
  }

  // Every set that can be executed in less than the bound; "": the last one cannot be reached.
  std::string by_search(int64_t bound) const {
    const int n = static_cast<int>(ops.size());
    std::unordered_set<Set> seen = {Set(n)};
    std::vector<Set> open = {Set(n)};
    while (!open.empty()) {
      const Set done = open.back();
      Set wait = done;
      wait.flip();
      open.pop_back();
      if (std::ranges::count(wait, true) == 0) return "an order needs less at every step";
      for (int op = 0; op < n; ++op) {
        if (done[op] || any_of(ops[op].before, [&](int o) { return wait[o]; })) continue;
        const Need least = need(op, done, wait);
        if (least.bytes - least.slack >= bound) continue;
        open.push_back(done);
        open.back()[op] = true;
        if (!seen.insert(open.back()).second) open.pop_back();
        if (seen.size() * n > kMaxWork) return "the search is too large to repeat";
      }
    }
    return "";
  }

  void verify_bound(PlanVerdict& v) const {
    const Json& witness = stated.at("witness");
    const bool search = witness.at("kind") == "search", step = witness.at("kind") == "step";
    v.how = search ? by_search(v.lower_bound_bytes) : "the witness shows less";
    v.bound_verified = v.how.empty() || (step && by_step(witness) >= v.lower_bound_bytes);
    const bool cut = !list(witness, "chains").empty();
    if (v.bound_verified) v.how = search ? "search over executed sets" : cut ? "cut" : "live set";
  }
};

PlanVerdict judge(const Json& root, const Json& classes, const Json& stated) {
  PlanVerdict v;
  v.plan_class = stated.at("class");
  v.arena_bytes = number(stated.at("arena_bytes"));
  v.lower_bound_bytes = number(stated.at("lower_bound_bytes"));
  try {
    Plan plan{stated};
    plan.read(root);
    plan.read_buffers();
    plan.check_apart();
    plan.verify_bound(v);
    demand(stated.at("format") == "netkit-plan/1", "format of the plan is another one");
    demand(stated.at("alignment") == plan.align, "alignment is another one");
    const bool minimal = v.arena_bytes == v.lower_bound_bytes;
    demand(stated.at("proven_minimal") == minimal, "proven_minimal contradicts the bound");
    demand(stated.at("classes") == classes, "classes are not those of the plans");
    v.valid = true;
  } catch (const std::exception& reason) {
    v.invalid_reason = reason.what();
  }
  return v;
}

}  // namespace

Result<std::vector<PlanVerdict>> check_certificate(std::string_view text) try {
  const Json root = Json::parse(text);
  demand(root.at("format") == "netkit-certificate/1", "format is another one");
  for (const Json& t : list(root.at("graph"), "tensors")) number(t.at("bytes"));
  Json classes = Json::object();
  for (const Json& j : list(root, "plans")) {
    const int64_t arena = number(j.at("arena_bytes")), bound = number(j.at("lower_bound_bytes"));
    const std::string name = j.at("class").get<std::string>();
    demand((name == "plain" || name == "overlap") && !classes.contains(name), "bad class " + name);
    classes[name] = {
        {"arena_bytes", arena}, {"lower_bound_bytes", bound}, {"proven_minimal", arena == bound}};
  }
  demand(!classes.empty(), "there is no plan in it");
  std::vector<PlanVerdict> verdicts;
  for (const Json& plan : list(root, "plans")) verdicts.push_back(judge(root, classes, plan));
  return verdicts;
} catch (const Json::parse_error& error) {
  return bad_input("not valid JSON at byte " + std::to_string(error.byte));
} catch (const std::exception& reason) {
  return bad_input(std::string("not a certificate that can be checked: ") + reason.what());
}

}  // namespace netkit::plan
