// SPDX-License-Identifier: MIT
#include "compiler/passes/editor.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace netkit {
namespace {

bool among(const std::vector<TensorId>& ids, TensorId id) {
  return std::ranges::find(ids, id) != ids.end();
}

// Depth-first from every node in the order of `rank`, so that each stands after its makers.
class Sorter {
 public:
  Sorter(const Graph& graph, const std::vector<bool>& alive, const std::vector<int>& producer)
      : graph_(graph), alive_(alive), producer_(producer),
        state_(graph.nodes.size(), State::kNew) {}

  Result<std::vector<int>> run(const std::vector<int>& roots) {
    for (const int root : roots) NK_TRY(visit(root));
    return std::move(order_);
  }

 private:
  enum class State : uint8_t { kNew, kOpen, kDone };

  Result<void> visit(int root) {
    std::vector<int> stack = {root};
    while (!stack.empty()) {
      const int n = stack.back();
      State& state = state_[static_cast<size_t>(n)];
      if (state != State::kNew || !alive_[static_cast<size_t>(n)]) {
        if (state == State::kOpen) order_.push_back(n);
        state = State::kDone;
        stack.pop_back();
        continue;
      }
      state = State::kOpen;
      const auto& inputs = graph_.nodes[static_cast<size_t>(n)].inputs;
      for (auto id = inputs.rbegin(); id != inputs.rend(); ++id) {
        const int maker = *id == kNoTensor ? -1 : producer_[static_cast<size_t>(*id)];
        if (maker < 0 || state_[static_cast<size_t>(maker)] == State::kDone) continue;
        if (state_[static_cast<size_t>(maker)] == State::kOpen) {
          return bad_input("a pass made a cycle", graph_.nodes[static_cast<size_t>(n)].name);
        }
        stack.push_back(maker);
      }
    }
    return {};
  }

  const Graph& graph_;
  const std::vector<bool>& alive_;
  const std::vector<int>& producer_;
  std::vector<State> state_;
  std::vector<int> order_;
};

}  // namespace

Editor::Editor(const Graph& graph) : graph_(graph), alive_(graph.nodes.size(), true) {
  near_.resize(graph_.nodes.size());
  std::iota(near_.begin(), near_.end(), 0);
  Uses uses = uses_of(graph_);
  producer_ = std::move(uses.producer);
  readers_ = std::move(uses.readers);
}

int Editor::producer_of(TensorId id, std::string_view op) const {
  if (id == kNoTensor) return -1;
  const int n = producer(id);
  return n >= 0 && node(n).op == op ? n : -1;
}

bool Editor::is_input(TensorId id) const { return among(graph_.inputs, id); }
bool Editor::is_output(TensorId id) const { return among(graph_.outputs, id); }

int Editor::only_reader(TensorId id) const {
  return readers(id).size() == 1 && !is_output(id) ? readers(id)[0] : -1;
}

TensorId Editor::add_tensor(std::string name, TensorType type, ConstData data) {
  producer_.push_back(-1);
  readers_.emplace_back();
  return graph_.add_tensor(std::move(name), std::move(type), std::move(data));
}

void Editor::add_reader(TensorId id, int n) {
  if (id == kNoTensor) return;
  auto& list = readers_[static_cast<size_t>(id)];
  if (std::ranges::find(list, n) == list.end()) list.push_back(n);
}

void Editor::drop_reader(TensorId id, int n) {
  if (id == kNoTensor || among(node(n).inputs, id)) return;
  std::erase(readers_[static_cast<size_t>(id)], n);
}

int Editor::add_node(Node node, int near) {
  const int n = node_count();
  graph_.nodes.push_back(std::move(node));
  alive_.push_back(true);
  near_.push_back(near < 0 ? 0 : near_[static_cast<size_t>(near)]);
  for (const TensorId id : graph_.nodes.back().inputs) add_reader(id, n);
  for (const TensorId id : graph_.nodes.back().outputs) {
    if (id != kNoTensor) producer_[static_cast<size_t>(id)] = n;
  }
  return n;
}

void Editor::erase(int n) {
  Node& dead = graph_.nodes[static_cast<size_t>(n)];
  alive_[static_cast<size_t>(n)] = false;
  const std::vector<TensorId> inputs = std::exchange(dead.inputs, {});
  for (const TensorId id : inputs) drop_reader(id, n);
  for (const TensorId id : dead.outputs) {
    if (id != kNoTensor && producer(id) == n) producer_[static_cast<size_t>(id)] = -1;
  }
  dead.outputs.clear();
}

void Editor::set_input(int n, size_t i, TensorId id) {
  auto& inputs = graph_.nodes[static_cast<size_t>(n)].inputs;
  if (inputs.size() <= i) inputs.resize(i + 1, kNoTensor);
  const TensorId old = std::exchange(inputs[i], id);
  drop_reader(old, n);
  add_reader(id, n);
}

void Editor::set_attr(int n, std::string name, AttrValue value) {
  graph_.nodes[static_cast<size_t>(n)].attrs.set(std::move(name), std::move(value));
}

void Editor::erase_attr(int n, std::string_view name) {
  graph_.nodes[static_cast<size_t>(n)].attrs.erase(name);
}

void Editor::set_output(int n, size_t i, TensorId id) {
  TensorId& output = graph_.nodes[static_cast<size_t>(n)].outputs[i];
  if (output != kNoTensor && producer(output) == n) producer_[static_cast<size_t>(output)] = -1;
  output = id;
  producer_[static_cast<size_t>(id)] = n;
}

void Editor::redirect(TensorId from, TensorId to) {
  const std::vector<int> readers_before = readers(from);
  for (const int n : readers_before) {
    for (size_t i = 0; i < node(n).inputs.size(); ++i) {
      if (node(n).inputs[i] == from) set_input(n, i, to);
    }
  }
  if (!is_output(from)) return;
  const bool needs_copy = is_input(to) || is_output(to) || tensor(to).is_constant();
  const TensorId output = needs_copy ? add_tensor(tensor(from).name, type(to)) : to;
  graph_.tensor(output).name = tensor(from).name;
  if (needs_copy) {
    add_node({"copy", tensor(from).name + "/copy", {to}, {output}, {}}, producer(from));
  }
  graph_.tensor(from).name += "/before";
  std::ranges::replace(graph_.outputs, from, output);
}

Result<Graph> Editor::finish() {
  std::vector<int> roots(graph_.nodes.size());
  std::iota(roots.begin(), roots.end(), 0);
  std::ranges::stable_sort(roots, {}, [&](int n) { return near_[static_cast<size_t>(n)]; });
  NK_ASSIGN(const std::vector<int> order, Sorter(graph_, alive_, producer_).run(roots));
  std::vector<Node> nodes;
  nodes.reserve(order.size());
  for (const int n : order) nodes.push_back(std::move(graph_.nodes[static_cast<size_t>(n)]));
  graph_.nodes = std::move(nodes);
  Graph out = compacted(graph_);
  NK_TRY(verify(out));
  return out;
}

}  // namespace netkit
