// SPDX-License-Identifier: MIT
// The list of passes and the rounds.
#include "compiler/passes/passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <set>

#include "compiler/passes/fuse/fuse.h"
#include "compiler/passes/layout/layout.h"
#include "compiler/passes/simplify/simplify.h"

namespace netkit {
namespace {

constexpr Pass kPasses[] = {
    {"fuse-qdq", "dequantize, operator and quantize of ONNX become an operator on integers",
     fuse_qdq, PassStage::kFirst},
    {"fold-constants", "compute nodes whose inputs are constants", fold_constants},
    {"remove-identities", "drop nodes that give back their input", remove_identities},
    {"merge-reshapes", "join reshapes and move them behind elementwise operators", merge_reshapes},
    {"merge-transposes", "join transposes", merge_transposes},
    {"move-transposes", "choose layouts so that the fewest elements are transposed",
     move_transposes},
    {"transposes-to-reshapes", "transposes that move nothing become reshapes",
     transposes_to_reshapes},
    {"fuse-gelu", "x * (1 + erf(x / sqrt 2)) / 2 becomes one operator", fuse_gelu},
    {"fold-affine", "batch norms and constant factors and terms go into weights and bias",
     fold_affine},
    {"fuse-pads", "zero padding becomes part of convolutions and pools", fuse_pads},
    {"fuse-activations", "relu, relu6 and clip become part of what makes their input",
     fuse_activations},
    {"remove-dead", "drop nodes that nothing reads", remove_dead},
    {kReadParts, "convolutions read the parts of a concatenation of channels", read_parts,
     PassStage::kLast},
};

// Every round that changes something removes, joins or moves forward a node, so the rounds end;
// the limit is for a fault in a pass.
constexpr int kMaxRounds = 64;

// NaN differs from itself, its bits do not.
bool same_bits(double a, double b) {
  return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b);
}

bool same_attr(const AttrValue& a, const AttrValue& b) {
  const auto* x = std::get_if<AttrTensor>(&a);
  const auto* y = std::get_if<AttrTensor>(&b);
  if (x != nullptr && y != nullptr) {
    return x->type == y->type &&
           (x->data == y->data || (x->data && y->data && *x->data == *y->data));
  }
  if (a.index() != b.index()) return false;
  return std::visit(
      [&]<typename T>(const T& value) {
        if constexpr (std::is_same_v<T, AttrTensor>) {
          return false;
        } else if constexpr (std::is_same_v<T, double>) {
          return same_bits(value, std::get<T>(b));
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          return std::ranges::equal(value, std::get<T>(b), same_bits);
        } else {
          return value == std::get<T>(b);
        }
      },
      a);
}

bool same_node(const Node& a, const Node& b) {
  return a.op == b.op && a.name == b.name && a.inputs == b.inputs && a.outputs == b.outputs &&
         std::ranges::equal(a.attrs.all(), b.attrs.all(), [](const auto& x, const auto& y) {
           return x.first == y.first && same_attr(x.second, y.second);
         });
}

bool same_tensor(const Tensor& a, const Tensor& b) {
  if (a.name != b.name || a.type != b.type) return false;
  return a.data == b.data || (a.data && b.data && *a.data == *b.data);
}

Result<void> check_names(const PassOptions& options) {
  for (const std::string& name : options.disabled) {
    if (std::ranges::find(kPasses, name, &Pass::name) != std::end(kPasses)) continue;
    if (name.starts_with(kReadPartsOf)) continue;  // checked when the concatenations are known
    std::vector<std::string_view> known;
    for (const Pass& pass : kPasses) known.push_back(pass.name);
    return fail(ErrorCode::kUsage, fmt::format("there is no pass '{}'", name), "--without",
                fmt::format("passes: {}", fmt::join(known, ", ")));
  }
  return {};
}

// read-parts, as far as `options` leave it.
Result<Graph> run_read_parts(const PassOptions& options, const Graph& graph) {
  std::set<std::string> made;
  for (const std::string& name : options.disabled) {
    if (!name.starts_with(kReadPartsOf)) continue;
    const std::string tensor = name.substr(kReadPartsOf.size());
    const bool there = std::ranges::any_of(graph.nodes, [&](const Node& node) {
      return node.op == "concat" && graph.tensor(node.outputs[0]).name == tensor;
    });
    if (!there) {
      return fail(ErrorCode::kUsage, fmt::format("no concatenation makes '{}'", tensor),
                  "--without " + name,
                  "netkit compile MODEL --without read-parts --dump passes shows them");
    }
    made.insert(tensor);
  }
  return read_parts_but(graph, made);
}

Result<void> run_passes(PassStage stage, const PassOptions& options, Graph& graph) {
  for (const Pass& pass : kPasses) {
    if (pass.stage != stage) continue;
    if (std::ranges::find(options.disabled, pass.name) != options.disabled.end()) continue;
    auto next = pass.name == kReadParts ? run_read_parts(options, graph) : pass.run(graph);
    if (!next) {
      next.error().where =
          fmt::format("{}: pass {} {}", graph.source, pass.name, next.error().where);
      return std::unexpected(std::move(next.error()));
    }
    graph = std::move(*next);
  }
  return {};
}

}  // namespace

std::span<const Pass> all_passes() {
  return kPasses;
}

bool same_graph(const Graph& a, const Graph& b) {
  return a.inputs == b.inputs && a.outputs == b.outputs &&
         std::ranges::equal(a.tensors, b.tensors, same_tensor) &&
         std::ranges::equal(a.nodes, b.nodes, same_node);
}

Result<Graph> optimise(const Graph& graph, const PassOptions& options) {
  NK_TRY(check_names(options));
  Graph current = graph;
  NK_TRY(run_passes(PassStage::kFirst, options, current));
  for (int round = 0; round < kMaxRounds; ++round) {
    Graph before = current;
    NK_TRY(run_passes(PassStage::kRounds, options, current));
    if (!same_graph(before, current)) continue;
    NK_TRY(run_passes(PassStage::kLast, options, current));
    return separate_outputs(current);
  }
  return bad_input(fmt::format("the passes do not settle in {} rounds", kMaxRounds), graph.source,
                   "turn passes off one by one with --disable-pass");
}

int count_ops(const Graph& graph, std::string_view op) {
  return static_cast<int>(std::ranges::count(graph.nodes, op, &Node::op));
}

}  // namespace netkit
