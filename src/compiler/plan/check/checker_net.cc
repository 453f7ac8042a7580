// SPDX-License-Identifier: MIT
// The certificate's fields and its graph, as the checker reads them.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/plan/check/checker.h"

namespace netkit::plan::checker {
namespace {

constexpr int64_t kMost = int64_t{1} << 53;
constexpr size_t kMaxOps = 5000;

}  // namespace

void demand(bool good, const std::string& why) {
  if (!good) throw Wrong{why};
}

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

std::vector<int> ids(const Json& names, const std::map<std::string, int>& index) {
  std::vector<int> found;
  for (const Json& name : names) {
    const auto at = index.find(text(name));
    demand(at != index.end(), "unknown name " + text(name));
    found.push_back(at->second);
  }
  return found;
}

namespace {

Op read_op(const Json& j, const Net& net) {
  Op op{text(get(j, "name")),
        ids(list(j, "inputs"), net.tensor_ids),
        ids(list(j, "outputs"), net.tensor_ids),
        number_or(j, "scratch_bytes", 0),
        {},
        {}};
  const auto pick = [](const std::vector<int>& from, const Json& object, const char* key) {
    demand(number_or(object, key, 0) < std::ssize(from), "an argument number is too large");
    return from[number_or(object, key, 0)];
  };
  for (const Json& o : list(j, "overlap")) {
    op.modes.push_back(
        {pick(op.in, o, "input"), pick(op.out, o, "output"), number_or(o, "forward_bytes", kNever),
         number_or(o, "backward_bytes", kNever), number_or(o, "scratch_bytes", op.scratch)});
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

}  // namespace

Net read_net(const Json& root) {
  const Json& g = get(root, "graph");
  demand(get(g, "format") == "netkit-graph/1", "format of the graph is another one");
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
    demand(!t.used() || t.first || t.state || t.writer >= 0, "no writer of " + t.name);
  }
  return net;
}

}  // namespace netkit::plan::checker
