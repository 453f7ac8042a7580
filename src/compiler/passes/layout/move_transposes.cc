// SPDX-License-Identifier: MIT
// Which tensors stand permuted: a minimum cut. A vertex per node that may go either way, on the
// source side when its tensors are permuted; an edge costs the transpose that it stands for.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "compiler/passes/editor.h"
#include "compiler/passes/layout/layout.h"
#include "compiler/passes/layout/layout_rules.h"
#include "compiler/passes/layout/min_cut.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

// A transpose by a permutation that is its own inverse can begin permuted stretches or end them.
enum class Prefer : uint8_t { kEnd, kStart };

Perm perm_of(const Node& node) { return node.attrs.get_ints("perm"); }

class Relayout {
 public:
  Relayout(const Graph& graph, Perm perm, Prefer prefer)
      : editor_(graph), perm_(std::move(perm)), inverse_(inverse_of(perm_)), prefer_(prefer) {}

  // What the best choice saves; above 0: apply() is worth it.
  int64_t solve() {
    find_roles();
    int64_t before = 0;
    for (size_t t = 0; t < editor_.graph().tensors.size(); ++t) {
      before += add_tensor_edges(static_cast<TensorId>(t));
    }
    return before - cut_.solve();
  }

  Result<Graph> apply() {
    permute_outputs();
    NK_TRY(permute_readers());
    drop_ends();
    restore_others();
    return editor_.finish();
  }

 private:
  static constexpr int kNoVertex = -1;

  bool is_transpose(int n, const Perm& perm) const {
    return editor_.node(n).op == "transpose" && perm_of(editor_.node(n)) == perm;
  }
  // Start: its output, permuted, is its input. End: its output is its input permuted.
  enum class Turn : uint8_t { kNone, kStart, kEnd };
  Turn turn_of(int n) const {
    const bool start = is_transpose(n, inverse_), end = is_transpose(n, perm_);
    if (!start || !end) return start ? Turn::kStart : end ? Turn::kEnd : Turn::kNone;
    const int maker = editor_.producer(editor_.node(n).inputs[0]);
    const bool useful = maker >= 0 && layout_role(editor_, maker, perm_) == LayoutRole::kBoth;
    return prefer_ == Prefer::kEnd && useful ? Turn::kEnd : Turn::kStart;
  }
  bool turns(int n, Turn turn) const {
    return n >= 0 && n < originals_ && turn_[static_cast<size_t>(n)] == turn;
  }
  bool is_start(int n) const { return turns(n, Turn::kStart); }
  bool is_end(int n) const { return turns(n, Turn::kEnd); }

  void find_roles() {
    originals_ = editor_.node_count();
    for (int n = 0; n < originals_; ++n) {
      turn_.push_back(turn_of(n));
      role_.push_back(layout_role(editor_, n, perm_));
      vertex_.push_back(role_.back() == LayoutRole::kFixed ? kNoVertex : cut_.add_vertex());
    }
  }

  bool is_candidate(TensorId t) const {
    return !editor_.tensor(t).is_constant() && editor_.type(t).dims.size() == perm_.size();
  }

  // The model's own inputs and outputs, or a transpose of one: where a transpose is in its place,
  // because what it replaces dies there.
  bool is_at_the_edge(TensorId t) const {
    const auto is_edge = [&](TensorId id) { return editor_.is_input(id) || editor_.is_output(id); };
    const int maker = editor_.producer_of(t, "transpose");
    if (is_edge(t) || (maker >= 0 && is_edge(editor_.node(maker).inputs[0]))) return true;
    return std::ranges::any_of(editor_.readers(t), [&](int n) {
      return editor_.node(n).op == "transpose" && is_edge(editor_.node(n).outputs[0]);
    });
  }

  // By elements moved; among equals, the edge of the model is the better place. A transpose that
  // moves nothing will be a view; its small price keeps it at the smaller tensor.
  int64_t cost_of(TensorId t) const {
    constexpr int64_t kPerTranspose = 64, kMoveToView = 1024, kMaxElements = int64_t{1} << 32;
    const Dims& dims = editor_.type(t).dims;
    const int64_t elements = std::min(*element_count(dims), kMaxElements);
    if (moves_nothing(dims, perm_)) return 1 + std::min<int64_t>(elements, kMoveToView) / 8;
    return (elements + kPerTranspose) * kMoveToView - (is_at_the_edge(t) ? kMoveToView / 2 : 0);
  }

  // Vertex that says whether the tensor is made permuted.
  int maker_vertex(TensorId t) const {
    const int n = editor_.producer(t);
    if (is_start(n)) return MinCut::kSource;
    const bool both = n >= 0 && role_[static_cast<size_t>(n)] == LayoutRole::kBoth;
    return both ? vertex_[static_cast<size_t>(n)] : MinCut::kSink;
  }

  // Vertices that say whether its readers want it permuted. Other transposes take either.
  std::set<int> reader_vertices(TensorId t) const {
    std::set<int> out;
    if (editor_.is_output(t)) out.insert(MinCut::kSink);
    for (const int n : editor_.readers(t)) {
      if (is_end(n)) {
        out.insert(MinCut::kSource);
      } else if (vertex_[static_cast<size_t>(n)] != kNoVertex) {
        out.insert(vertex_[static_cast<size_t>(n)]);
      } else if (editor_.node(n).op != "transpose" || is_start(n)) {
        out.insert(MinCut::kSink);
      }
    }
    return out;
  }

  // Edges for one tensor; gives its cost when no vertex is permuted.
  int64_t add_tensor_edges(TensorId t) {
    const int64_t cost = is_candidate(t) ? cost_of(t) : 0;
    if (cost == 0) return 0;
    const int maker = maker_vertex(t);
    const std::set<int> readers = reader_vertices(t);
    if (maker != MinCut::kSource && !readers.empty()) {  // made plain, wanted permuted
      const int any = cut_.add_vertex();
      cut_.add_edge(any, maker, cost);
      for (const int reader : readers) {
        if (reader != MinCut::kSink) cut_.add_edge(reader, any, MinCut::kInfinite);
      }
    }
    if (maker != MinCut::kSink && !readers.empty()) {  // made permuted, wanted plain
      const int any = cut_.add_vertex();
      cut_.add_edge(maker, any, cost);
      for (const int reader : readers) {
        if (reader != MinCut::kSource) cut_.add_edge(any, reader, MinCut::kInfinite);
      }
    }
    const bool permuted_now = maker == MinCut::kSource;
    const bool wanted_permuted = readers.contains(MinCut::kSource);
    const bool wanted_plain = readers.size() > (wanted_permuted ? 1u : 0u);
    return (permuted_now ? wanted_plain : wanted_permuted) ? cost : 0;
  }

  bool chosen(int n) const {
    const int v = vertex_[static_cast<size_t>(n)];
    return v != kNoVertex && cut_.on_source_side(v);
  }

  // The tensor in the permuted layout, made by a transpose where nothing has it yet.
  TensorId permuted_tensor(TensorId t, int near) {
    if (const auto it = permuted_.find(t); it != permuted_.end()) return it->second;
    if (const int maker = editor_.producer(t); is_start(maker)) {
      return permuted_[t] = editor_.node(maker).inputs[0];
    }
    for (const int n : editor_.readers(t)) {
      if (is_end(n)) return permuted_[t] = editor_.node(n).outputs[0];
    }
    const TensorId out = new_tensor(t, "/permuted");
    add_transpose(t, out, perm_, near);
    return permuted_[t] = out;
  }

  TensorId new_tensor(TensorId t, std::string_view suffix) {
    TensorType type = editor_.type(t);
    type.dims = permuted(type.dims, perm_);
    return editor_.add_tensor(fmt::format("{}{}", editor_.tensor(t).name, suffix),
                              std::move(type));
  }

  void add_transpose(TensorId from, TensorId to, const Perm& perm, int near) {
    Attrs attrs;
    attrs.set("perm", perm);
    editor_.add_node({"transpose", editor_.tensor(from).name + "/transpose", {from}, {to},
                      std::move(attrs)},
                     near);
  }

  void permute_outputs() {
    for (int n = 0; n < originals_; ++n) {
      if (role_[static_cast<size_t>(n)] != LayoutRole::kBoth || !chosen(n)) continue;
      const std::vector<TensorId> outputs = editor_.node(n).outputs;
      for (size_t i = 0; i < outputs.size(); ++i) {
        if (outputs[i] == kNoTensor) continue;
        permuted_[outputs[i]] = new_tensor(outputs[i], "");
        editor_.set_output(n, i, permuted_[outputs[i]]);
        orphans_.push_back(outputs[i]);
      }
    }
  }

  Result<void> permute_readers() {
    for (int n = 0; n < originals_; ++n) {
      if (!chosen(n)) continue;
      const std::vector<TensorId> inputs = editor_.node(n).inputs;
      for (size_t i = 0; i < inputs.size(); ++i) {
        if (inputs[i] == kNoTensor || editor_.tensor(inputs[i]).is_constant()) continue;
        editor_.set_input(n, i, permuted_tensor(inputs[i], n));
      }
      NK_TRY(permute_node(editor_, n, perm_));
    }
    return {};
  }

  // Transposes whose very result is there already.
  void drop_ends() {
    for (int n = 0; n < originals_; ++n) {
      if (!editor_.alive(n) || !is_end(n)) continue;
      const TensorId in = editor_.node(n).inputs[0], out = editor_.node(n).outputs[0];
      const auto it = permuted_.find(in);
      const TensorId same = it != permuted_.end() ? it->second
                            : is_start(editor_.producer(in))
                                ? editor_.node(editor_.producer(in)).inputs[0]
                                : out;
      if (same == out) continue;
      editor_.redirect(out, same);
      editor_.erase(n);
    }
  }

  // Tensors now made permuted that somebody still reads as they were.
  void restore_others() {
    for (const TensorId t : orphans_) {
      if (editor_.readers(t).empty() && !editor_.is_output(t)) continue;
      const TensorId from = permuted_.at(t);
      editor_.rename(from, editor_.tensor(t).name + "/permuted");
      add_transpose(from, t, inverse_, editor_.producer(from));
    }
  }

  Editor editor_;
  Perm perm_, inverse_;
  Prefer prefer_;
  MinCut cut_;
  int originals_ = 0;             // nodes of the graph
  std::vector<Turn> turn_;        // per node
  std::vector<LayoutRole> role_;  // per node
  std::vector<int> vertex_;       // per node
  std::map<TensorId, TensorId> permuted_;  // by the tensor in its old layout
  std::vector<TensorId> orphans_;
};

std::set<Perm> candidates(const Graph& graph) {
  std::set<Perm> out;
  for (const Node& node : graph.nodes) {
    if (node.op != "transpose") continue;
    out.insert(perm_of(node));
    out.insert(inverse_of(perm_of(node)));
  }
  return out;
}

// The graph after the most saving change of layout; nullopt where none saves.
Result<std::optional<Graph>> best_step(const Graph& graph) {
  std::optional<Relayout> best;
  int64_t best_gain = 0;
  for (const Perm& perm : candidates(graph)) {
    for (const Prefer prefer : {Prefer::kEnd, Prefer::kStart}) {
      if (prefer == Prefer::kStart && perm != inverse_of(perm)) continue;
      Relayout attempt(graph, perm, prefer);
      if (const int64_t gain = attempt.solve(); gain > best_gain) {
        best_gain = gain;
        best.emplace(std::move(attempt));
      }
    }
  }
  if (!best) return std::nullopt;
  NK_ASSIGN(const Graph changed, best->apply());
  NK_ASSIGN(Graph merged, merge_transposes(changed));
  NK_ASSIGN(Graph live, remove_dead(merged));
  return std::optional<Graph>(std::move(live));
}

}  // namespace

Result<Graph> move_transposes(const Graph& graph) {
  // Each step lowers the number of elements moved; the limit only guards against a fault.
  Graph current = graph;
  for (size_t step = 0; step < 2 * graph.nodes.size() + 1; ++step) {
    NK_ASSIGN(std::optional<Graph> next, best_step(current));
    if (!next) break;
    current = std::move(*next);
  }
  return current;
}

}  // namespace netkit
