// SPDX-License-Identifier: MIT
// The whole checker of netkit-certificate/1 (docs/certificate.md): reads the graph, checks each
// plan on it, verifies the witness of each bound. It trusts nothing that it reads.
#include "compiler/plan/check/checker.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "compiler/plan/check/certificate_fields.h"
#include "compiler/plan/check/json_access.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::json;
using Ids = std::vector<int>;
using Set = std::vector<bool>;                           // of operators
using Use = std::map<int, std::pair<int64_t, int64_t>>;  // per buffer: size, what rounding added
using std::ranges::any_of;
constexpr int64_t kNever = int64_t{1} << 61;            // of a distance: the mode has none
constexpr size_t kMaxOps = 5000, kMaxWork = 4'000'000;  // sets searched, times operators

struct Mode {  // an output may overwrite an input at these distances
  int in, out;
  int64_t forward, backward, scratch_bytes;
};
struct View {  // `inner` may lie in `outer` at byte `at`
  int inner, outer;
  int64_t at;
  bool planned = false, open = false, taken = false;  // taken in the plan; may be, is in the case
};
struct Op {
  int rank, scratch;  // number in the graph's list; buffer
  std::vector<Mode> modes = {};
  std::vector<View> views = {};
  const Mode* mode = nullptr;  // that the plan takes
  Ids before = {};             // what comes directly before it in every order
  Set earlier = Set(kMaxOps);  // all that does
};
struct Buffer {  // a tensor, or the scratch of an operator
  std::string name, kind;
  int64_t bytes, sure = bytes;             // in this plan; in every plan of the case
  bool start = false, kept = false;        // there at first, to the end
  bool placed = true, joined = false;      // in the arena; with others, by views
  Ids uses = {};                           // operators that touch it, or what lies in it
  int writer = -1, first = -1, last = -1;  // one of them; the life in this plan,
  int outer = -1, block = -1;              // what it lies in as a view, next and at last,
  int64_t at = 0, offset = -1;             // and at which byte of it and of the arena
  int64_t end() const { return offset + bytes; }
  bool meets(const Buffer& b) const {  // in time and place
    return first >= 0 && first <= b.last && b.first <= last &&
           std::max(offset, b.offset) < std::min(end(), b.end());
  }
  bool used(const Set& set) const {  // by one of these operators
    return any_of(uses, [&](int o) { return set[o]; });
  }
};

// A plan on its graph. Operators are numbered as the plan executes them.
struct Plan {
  const Json& stated;
  std::vector<Op> ops = {};
  std::vector<Buffer> buffers = {};  // tensors, then the scratch of each operator
  Json tensor_ids = Json::object(), op_ids = Json::object();
  int64_t align = 1;
  int64_t up(int64_t bytes) const { return (bytes + align - 1) / align * align; }
  auto size(int64_t bytes) const { return std::pair(up(bytes), up(bytes) - bytes); }

  void read(const Json& root) {
    const Json &graph = root["graph"], &order = root["order"], &in_out = root["in_out"];
    align = number(graph, "alignment", 16);
    demand(align > 0 && align <= (1 << 30) && stated["alignment"] == align, "bad alignment");
    for (const Json& j : graph["tensors"]) {
      const std::string name = j["name"];
      demand(tensor_ids.emplace(name, buffers.size()).second, "two tensors are called " + name);
      buffers.push_back({name, "activation", number(j["bytes"], "bytes")});
    }
    for (const std::string kind : {"input", "output", "state"}) {
      for (const int t : ids(tensor_ids, list(graph, kind + "s"))) {
        Buffer& x = buffers[t];
        demand(!x.start || kind == "output", x.name + " is listed twice");
        x.kind = kind;
        x.start = x.start || kind != "output";
        x.kept = x.kept || kind != "input" || in_out == "keep_inputs";
        x.placed = x.placed && (kind == "state" || in_out != "caller");
        x.sure = x.placed ? x.bytes : 0;
      }
    }
    const Json &listed = graph["ops"], &steps = stated["steps"];
    Json ranks = Json::object();
    for (const Json& j : listed) ranks.emplace(j["name"], ranks.size());
    const Ids executed = ids(ranks, stated["order"]);
    const size_t n = executed.size();
    demand(n > 0 && listed.size() == n && steps.size() == n, "not each op once");
    for (size_t s = 0; s < n; ++s) read_op(listed[executed[s]], executed[s], steps[s], order);
  }

  // The next operator: `j` of the graph, `step` of the plan.
  void read_op(const Json& j, int rank, const Json& step, const Json& order) {
    const Ids in = ids(tensor_ids, list(j, "inputs")), out = ids(tensor_ids, list(j, "outputs"));
    const int o = static_cast<int>(ops.size());
    const int64_t own = number(j, "scratch_bytes", 0), mode = number(step, "overlap", -1);
    const std::string name = j["name"];
    demand(op_ids.emplace(name, o).second && step["op"] == name, "another step than " + name);
    Op& op = ops.emplace_back(rank, static_cast<int>(buffers.size()));
    for (const Json& m : list(j, "overlap")) {
      const Mode made{item(in, number(m, "input", 0), name + ": input"),
                      item(out, number(m, "output", 0), name + ": output"),
                      number(m, "forward_bytes", kNever), number(m, "backward_bytes", kNever),
                      number(m, "scratch_bytes", own)};
      demand(std::min(made.forward, made.backward) < kNever, name + ": overlap without distance");
      if (stated["class"] == "overlap") op.modes.push_back(made);
    }
    if (mode >= 0) op.mode = &item(op.modes, mode, name + ": overlap");
    buffers.push_back({name + ".scratch", "scratch", op.mode ? op.mode->scratch_bytes : own, own});
    for (const Json& v : list(j, "views")) {
      int outer = item(in, number(v, "input", 0), name + ": input");
      int inner = item(out, number(v, "output", 0), name + ": output");
      if (buffers[inner].bytes > buffers[outer].bytes) std::swap(outer, inner);
      add_view({inner, outer, number(v, "offset_bytes", 0)}, in, op.views);
    }
    for (const Json& v : list(step, "views")) {
      View& view = item(op.views, number(v, "view"), name + ": view");
      demand(view.open && !view.planned, name + ": a view that cannot be");
      view.planned = true;
    }
    if (order == "given" && o > 0) op.before.push_back(o - 1);
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
    v.open = small.placed && large.placed && !states && v.at % align == 0;
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

  // Lives are from writer or start to last reader or end. Each buffer stands once, aligned.
  void read_buffers() {
    Json index = Json::object(), expected;
    int64_t top = 0, sum = 0;
    for (int b = 0; b < std::ssize(buffers); ++b) {
      Buffer& x = buffers[b];
      Ids steps = x.uses;
      if (x.start) steps.push_back(0);
      if (x.kept) steps.push_back(static_cast<int>(ops.size()) - 1);
      demand(!x.kept || x.start || x.writer >= 0, "no writer of " + x.name);
      demand((sum += up(std::max(x.bytes, x.sure))) <= int64_t{1} << 53, "the sizes are too large");
      if (!x.placed || steps.empty() || (x.kind == "scratch" && x.bytes == 0)) continue;
      x.first = std::ranges::min(steps);
      x.last = std::ranges::max(steps);
      while (!index.emplace(x.name, b).second) x.name += '_';  // a tensor is called like scratch
    }
    for (const Json& j : stated["buffers"]) {
      Buffer& x = buffers[id(index, j["name"])];
      demand(x.offset < 0, "two buffers are called " + x.name);
      x.offset = number(j["offset"], "offset");
      demand(x.offset % align == 0, x.name + " is not aligned");
      expected = {{"name", x.name},     {"kind", x.kind},        {"bytes", x.bytes},
                  {"offset", x.offset}, {"first_step", x.first}, {"last_step", x.last}};
      if (x.outer >= 0) expected["alias_of"] = buffers[x.outer].name;
      demand(j == expected, x.name + " should be " + expected.dump());
      top = std::max(top, x.end());
    }
    demand(stated["buffers"].size() == index.size(), "a buffer is missing");
    demand(stated["arena_bytes"] == top, "arena_bytes is not the highest end");
  }

  // Where a mode can be used; that `in` ends there is seen apart.
  static bool may_share(const Buffer& in, const Buffer& out) {
    return in.placed && out.placed && !in.kept && !out.start && !in.joined && !out.joined;
  }

  // A view lies where its step expects it. What is alive together shares no byte, but for the views
  // of one buffer, and where the mode of a step allows it.
  void check_apart() const {
    for (const Op& op : ops) {
      if (!op.mode) continue;
      const Buffer &x = buffers[op.mode->in], &y = buffers[op.mode->out];
      const bool used = x.meets(y) || op.mode->scratch_bytes < buffers[op.scratch].sure;
      demand(used && may_share(x, y) && x.last == y.first,
             y.name + " over " + x.name + ": an overlap that cannot be or is not used");
    }
    const auto may_overwrite = [&](const Buffer& in, const Buffer& out) {
      const Mode* m = ops[out.first].mode;
      if (!m || &in != &buffers[m->in] || &out != &buffers[m->out]) return false;
      return out.offset <= in.offset - m->forward || out.end() >= in.end() + m->backward;
    };
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

  // What is in use when the operator runs, those in `done` before it and those in `wait` after.
  Use in_use(int op, const Set& done, const Set& wait) const {
    Use use;
    const bool first = std::ranges::count(wait, true) == std::ssize(ops);  // what starts is there
    for (int b = 0; b < std::ssize(buffers); ++b) {
      const Buffer& x = buffers[b];
      const bool lives = (x.start || x.used(done)) && (first || x.kept || x.used(wait));
      if (lives || std::ranges::count(x.uses, op) > 0) use[b] = size(x.sure);
    }
    return use;
  }

  // The best mode's. Sizes are rounded, but for what stands on top; two that overlap are one.
  int64_t least(int op, const Use& use, const Set& wait) const {
    const auto height = [](const Use& of) {
      int64_t sum = 0, slack = 0;
      for (const auto& [b, size] : of) {
        sum += size.first;
        slack = std::max(slack, size.second);
      }
      return sum - slack;
    };
    int64_t best = height(use);
    for (const Mode& m : ops[op].modes) {
      const Buffer &x = buffers[m.in], &y = buffers[m.out];
      if (!may_share(x, y) || any_of(x.uses, [&](int o) { return o != op && wait[o]; })) continue;
      const int64_t above = up(std::max<int64_t>(0, x.sure + m.backward - y.sure));
      Use apart = use;
      apart[ops[op].scratch] = size(m.scratch_bytes);
      Use one = apart;
      one.erase(m.in);
      one[m.out] = size(
          std::min(std::max(y.sure, x.sure + up(m.forward)), std::max(x.sure, y.sure + above)));
      best = std::min({best, height(apart), height(one)});
    }
    return best;
  }

  // Of a chain one tensor at least is alive when `op` runs: the first is begun; when one is over,
  // the next is begun; the last is not over. A tensor carries no more than its bytes.
  int64_t by_step(const Json& witness) const {
    const int op = id(op_ids, witness["op"]);
    Set wait(ops.size());
    for (size_t o = 0; o < ops.size(); ++o) wait[o] = ops[o].earlier[op];
    Use use = in_use(op, ops[op].earlier, wait), room = use;
    for (const Json& chain : list(witness, "chains")) {
      const Buffer* over = nullptr;
      auto& [share, slack] =
          use[-1 - static_cast<int>(use.size())] = {number(chain["bytes"], ""), 0};
      for (const int t : ids(tensor_ids, chain["tensors"])) {
        const Buffer& x = buffers[t];
        const auto after = [&](int o) { return o == x.writer || ops[o].earlier[x.writer]; };
        const bool begun = over ? x.writer >= 0 && any_of(over->uses, after)
                                : x.start || (x.writer >= 0 && after(op));
        slack = std::max(slack, size(x.sure).second);
        demand(begun && (room[t].first += share) <= up(x.sure), "a chain breaks at " + x.name);
        over = &x;
      }
      demand(over && (over->kept || over->used(wait)), "a chain ends too early");
    }
    return least(op, use, wait);
  }

  // Every set that can be executed in less than the bound: the last one cannot be reached.
  std::string by_search(int64_t bound, size_t& work) const {
    std::unordered_set<Set> seen = {Set(ops.size())};
    std::vector<Set> open = {Set(ops.size())};
    while (!open.empty()) {
      const Set done = open.back();
      Set wait = done;
      wait.flip();
      open.pop_back();
      demand(std::ranges::count(wait, true) > 0, "by its bytes alone an order could do with less");
      for (int op = 0; op < std::ssize(ops); ++op) {
        if (done[op] || any_of(ops[op].before, [&](int o) { return wait[o]; })) continue;
        if (least(op, in_use(op, done, wait), wait) >= bound) continue;
        open.push_back(done);
        open.back()[op] = true;
        if (!seen.insert(open.back()).second) open.pop_back();
        demand((work += ops.size()) <= kMaxWork, "the search is too large to repeat");
      }
    }
    return "search over executed sets";
  }

  // Puts together what views join, those of the plan or of the case. What may yet lie in another
  // tensor may cost nothing, as what lies in that. A tensor lives as long as what lies in it.
  void settle(bool View::* taken) {
    for (bool again = true; again;) {
      again = false;
      for (const Op& op : ops) {
        for (const View& v : op.views) {
          Buffer& x = buffers[v.inner];
          const bool free = v.open || (v.*taken && buffers[v.outer].sure == 0);
          again = again || (free && x.sure > 0);
          x.sure = free ? 0 : x.sure;
          if (!(v.*taken)) continue;
          demand(x.outer < 0 || (x.outer == v.outer && x.at == v.at), x.name + " lies in two");
          x.outer = v.outer;
          x.at = v.at;
        }
      }
    }
    const std::vector<Buffer> own = buffers;
    for (size_t b = 0; b < own.size(); ++b) {
      buffers[b].block = static_cast<int>(b);
      for (int o = own[b].outer; o >= 0; o = own[o].outer) {
        Buffer& x = buffers[o];
        x.uses.insert(x.uses.end(), own[b].uses.begin(), own[b].uses.end());
        x.start = x.start || own[b].start;
        x.kept = x.kept || own[b].kept;
        x.joined = buffers[b].joined = true;
        buffers[b].block = o;
        buffers[b].sure = 0;
      }
    }
  }

  // How the witness shows the bound.
  std::string shown(const Json& witness, int64_t bound, size_t& work) const {
    demand_witness_fields(witness);
    demand((work += ops.size()) <= kMaxWork, "the search is too large to repeat");
    for (const std::string way : {"taken", "left"}) {
      if (!witness.contains(way)) continue;
      Plan part = *this;
      View& view = item(part.ops[id(op_ids, witness["op"])].views, witness["view"], "view");
      demand(view.open, "a view of the witness is not open");
      for (Op& op : part.ops)
        for (View& v : op.views)
          v.open = v.open && &v != &view && (way == "left" || v.inner != view.inner);
      view.taken = way == "taken";
      part.shown(witness[way], bound, work);
    }
    if (witness["kind"] == "views") return "views decided by cases";
    Plan part = *this;
    part.settle(&View::taken);
    if (witness["kind"] == "search") return part.by_search(bound, work);
    demand(part.by_step(witness) >= bound, "the witness shows less");
    return list(witness, "chains").empty() ? "live set" : "cut";
  }
};

PlanVerdict judge(const Json& root, const Json& stated) {
  PlanVerdict v = begin_verdict(root, stated, kMaxOps);
  if (!v.unchecked.empty()) return v;
  try {
    Plan plan{stated};
    plan.read(root);
    Plan placed = plan;
    placed.settle(&View::planned);
    placed.read_buffers();
    placed.check_apart();
    v.valid = true;
    size_t work = 0;
    v.how = plan.shown(stated["witness"], v.lower_bound_bytes, work);
    v.bound_verified = true;
  } catch (const std::exception& reason) {
    (v.valid ? v.how : v.invalid_reason) = reason.what();
  }
  return v;
}

}  // namespace

Result<std::vector<PlanVerdict>> check_certificate(std::string_view text) {
  NK_ASSIGN(const Json root, read_certificate(text));
  std::vector<PlanVerdict> verdicts;
  for (const Json& plan : root["plans"]) verdicts.push_back(judge(root, plan));
  return verdicts;
}

}  // namespace netkit::plan
