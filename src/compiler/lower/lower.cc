// SPDX-License-Identifier: MIT
// Walks the foreign nodes in an executable order and hands each to its rule; collects every
// complaint before giving up.
#include "compiler/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/ir/op_def.h"
#include "compiler/lower/builtin_rules.h"
#include "compiler/lower/context.h"
#include "compiler/lower/control/control_flow.h"
#include "compiler/lower/input_shapes.h"
#include "compiler/lower/variables.h"

namespace netkit {
namespace {

const ForeignRule* rule_of(SourceFormat format, const ForeignNode& node) {
  if (const ForeignRule* rule = find_builtin_rule(format, node.domain, node.op)) return rule;
  return find_rule(format, node.domain, node.op);
}

std::string operator_text(const ForeignNode& node) {
  return node.domain.empty() ? node.op : fmt::format("{}:{}", node.domain, node.op);
}

// Positions of the nodes in an order in which each comes after the makers of its inputs; the
// file's own order where that is one.
Result<std::vector<size_t>> executable_order(const ForeignGraph& foreign) {
  constexpr size_t kNone = static_cast<size_t>(-1);
  std::vector<size_t> maker(foreign.tensors.size(), kNone);
  for (size_t n = 0; n < foreign.nodes.size(); ++n) {
    for (const int id : foreign.nodes[n].outputs) {
      if (id != kAbsent) maker[static_cast<size_t>(id)] = n;
    }
  }
  enum class State : uint8_t { kNew, kOpen, kDone };
  std::vector<State> state(foreign.nodes.size(), State::kNew);
  std::vector<size_t> order, stack;
  for (size_t root = 0; root < foreign.nodes.size(); ++root) {
    stack.push_back(root);
    while (!stack.empty()) {
      const size_t n = stack.back();
      if (state[n] != State::kNew) {
        if (state[n] == State::kOpen) order.push_back(n);
        state[n] = State::kDone;
        stack.pop_back();
        continue;
      }
      state[n] = State::kOpen;
      for (const int id : foreign.nodes[n].inputs) {
        const size_t before = id == kAbsent ? kNone : maker[static_cast<size_t>(id)];
        if (before == kNone || state[before] == State::kDone) continue;
        if (state[before] == State::kOpen) {
          return bad_input(
              fmt::format("node '{}' depends on its own output", foreign.nodes[n].name),
              foreign.file);
        }
        stack.push_back(before);
      }
    }
  }
  return order;
}

Result<void> check_tensors(const ForeignGraph& foreign) {
  for (const ForeignTensor& t : foreign.tensors) {
    if (t.data == nullptr || bits_of(t.type.dtype) == 0) continue;
    const auto bytes = byte_count(t.type.dtype, t.type.dims);
    const std::string where = fmt::format("{}: constant '{}'", foreign.file, t.name);
    if (!bytes) return bad_input(bytes.error().message, where);
    if (static_cast<uint64_t>(*bytes) != t.data.size()) {
      return bad_input(
          fmt::format("{} has {} bytes, not {}", type_text(t.type), t.data.size(), *bytes), where);
    }
  }
  return {};
}

// Of an operator without a rule; of ONNX's the ones that no plan can hold.
std::string_view why_not(const ForeignNode& node) {
  constexpr std::string_view kShape =
      "operator is not supported: the shape of its result depends on data";
  constexpr std::string_view kRandom = "operator is not supported: its result is random";
  static constexpr std::pair<std::string_view, std::string_view> kWhy[] = {
      {"NonMaxSuppression", kShape}, {"Unique", kShape},
      {"Bernoulli", kRandom},        {"Multinomial", kRandom},
      {"RandomNormal", kRandom},     {"RandomNormalLike", kRandom},
      {"RandomUniform", kRandom},    {"RandomUniformLike", kRandom}};
  const auto* row = std::ranges::find(kWhy, std::string_view(node.op),
                                      &std::pair<std::string_view, std::string_view>::first);
  return row != std::end(kWhy) && node.domain.empty() ? row->second : "operator is not supported";
}

// The operators that know complex numbers; all others would take their pairs for two numbers.
bool knows_complex(const ForeignNode& node) {
  constexpr std::string_view kKnow[] = {"RFFT2D", "COMPLEX_ABS", "REAL", "IMAG", "RESHAPE"};
  return std::ranges::find(kKnow, std::string_view(node.op)) != std::end(kKnow);
}

constexpr char kUnsupported[] = "docs/operators.md lists what is supported";
constexpr char kChange[] = "change the node where the model is made and export it again";

class Lowering {
 public:
  Lowering(const ForeignGraph& foreign, const LowerOptions& options)
      : foreign_(foreign),
        options_(options),
        builder_(foreign),
        variables_(foreign, builder_),
        control_(foreign, builder_,
                 [this](const ForeignGraph& graph, const ForeignNode& node) {
                   return lower_inner(graph, node);
                 }),
        lost_(foreign.tensors.size(), false) {}

  Result<Lowered> run() {
    std::vector<std::string> warnings = foreign_.warnings;
    NK_TRY(add_inputs(warnings));
    if (auto started = variables_.start(); !started) {
      started.error().where = fmt::format("{}: {}", foreign_.file, started.error().where);
      return std::unexpected(started.error());
    }
    NK_ASSIGN(const std::vector<size_t> order, executable_order(foreign_));
    for (const size_t n : order) lower_node(foreign_.nodes[n]);
    if (!complaints_.empty()) return std::unexpected(summary());
    NK_TRY(builder_.finish_outputs());
    Lowered out{compacted(builder_.take()), std::move(warnings)};
    std::ranges::move(builder_.take_warnings(), std::back_inserter(out.warnings));
    NK_TRY(verify(out.graph));
    return out;
  }

 private:
  Result<void> add_inputs(std::vector<std::string>& warnings) {
    NK_ASSIGN(std::vector<Dims> shapes, closed_input_shapes(foreign_, options_, warnings));
    for (size_t i = 0; i < shapes.size(); ++i) {
      const ForeignTensor& t = foreign_.tensors[static_cast<size_t>(foreign_.inputs[i])];
      if (auto bytes = byte_count(t.type.dtype, shapes[i]); !bytes) {
        if (bits_of(t.type.dtype) == 0) return unsupported_input(t);
        return bad_input(bytes.error().message,
                         fmt::format("{}: input '{}'", foreign_.file, t.name));
      }
      builder_.add_input(foreign_.inputs[i], std::move(shapes[i]));
    }
    return {};
  }

  std::unexpected<Error> unsupported_input(const ForeignTensor& t) const {
    return bad_input(fmt::format("input '{}' has the unsupported type {}", t.name,
                                 t.dtype_name.empty() ? name_of(t.type.dtype) : t.dtype_name),
                     foreign_.file, "export the model so that its inputs are numbers netkit knows");
  }

  // Why the node cannot even be tried; empty where it can.
  static std::string objection(const ForeignGraph& graph, const ForeignNode& node,
                               const ForeignRule* rule) {
    if (Variables::handles(node) || ControlFlow::handles(node)) return {};
    if (!node.subgraphs.empty()) return "control flow (subgraphs) is not supported";
    if (rule == nullptr) return std::string(why_not(node));
    for (const int id : node.inputs) {
      if (id == kAbsent) continue;
      const ForeignTensor& t = graph.tensors[static_cast<size_t>(id)];
      if (t.data != nullptr && bits_of(t.type.dtype) == 0) {
        return fmt::format("'{}' has the unsupported type {}", t.name,
                           t.dtype_name.empty() ? name_of(t.type.dtype) : t.dtype_name);
      }
    }
    const auto complex = [&](int id) {
      return id != kAbsent && is_complex(graph.tensors[static_cast<size_t>(id)]);
    };
    const bool reads = std::ranges::any_of(node.inputs, complex);
    if ((reads || std::ranges::any_of(node.outputs, complex)) && !knows_complex(node)) {
      return "complex numbers are not supported";
    }
    if (!reads && (node.op == "COMPLEX_ABS" || node.op == "REAL" || node.op == "IMAG")) {
      return "its input holds no complex numbers";
    }
    return {};
  }

  // A node of a graph that another one holds: what it lacks is that one's complaint.
  Result<void> lower_inner(const ForeignGraph& graph, const ForeignNode& node) {
    const ForeignRule* rule = rule_of(graph.format, node);
    const std::string at = fmt::format("{} ({})", operator_text(node), node.name);
    std::string why = objection(graph, node, rule);
    for (const int id : node.inputs) {
      if (!why.empty() || id == kAbsent || builder_.resolve(id) != kNoTensor) continue;
      why =
          fmt::format("no node makes its input '{}'", graph.tensors[static_cast<size_t>(id)].name);
    }
    if (!why.empty()) return bad_input(fmt::format("{}: {}", at, why));
    builder_.begin(node);
    auto done = ControlFlow::handles(node) ? control_.lower(node) : rule->lower(node, builder_);
    if (!done) done.error().message = fmt::format("{}: {}", at, done.error().message);
    return done;
  }

  void lower_node(const ForeignNode& node) {
    const ForeignRule* rule = rule_of(foreign_.format, node);
    const std::string why = objection(foreign_, node, rule);
    if (!why.empty()) return complain(node, why, kUnsupported);
    const auto is_lost = [&](int id) { return id != kAbsent && lost(id); };
    if (std::ranges::any_of(node.inputs, is_lost) || control_.captures(node, is_lost)) {
      return lose_outputs(node);  // its cause is listed already
    }
    const bool variable = Variables::handles(node), control = ControlFlow::handles(node);
    for (const int id : node.inputs) {
      if (id != kAbsent && builder_.resolve(id) == kNoTensor && !variable) {
        return complain(node, fmt::format("no node makes its input '{}'", name(id)));
      }
    }
    builder_.begin(node);
    auto done = variable  ? variables_.lower(node)
                : control ? control_.lower(node)
                          : rule->lower(node, builder_);
    if (!done) {
      const std::string& message = done.error().message;
      const bool unsupported = message.find("support") != std::string::npos;
      return complain(node, message, unsupported ? kUnsupported : done.error().hint);
    }
    for (const int id : node.outputs) {
      if (id != kAbsent && builder_.resolve(id) == kNoTensor && is_used(id) && !variable) {
        return complain(node, fmt::format("output '{}' is not supported", name(id)), kUnsupported);
      }
    }
  }

  bool lost(int id) const { return lost_[static_cast<size_t>(id)]; }
  const std::string& name(int id) const { return foreign_.tensors[static_cast<size_t>(id)].name; }

  bool is_used(int id) const {
    const auto reads = [&](const ForeignNode& n) {
      return std::ranges::find(n.inputs, id) != n.inputs.end();
    };
    return std::ranges::find(foreign_.outputs, id) != foreign_.outputs.end() ||
           std::ranges::any_of(foreign_.nodes, reads);
  }

  void lose_outputs(const ForeignNode& node) {
    for (const int id : node.outputs) {
      if (id != kAbsent) lost_[static_cast<size_t>(id)] = true;
    }
  }

  // The hint of several nodes is that of the first, but for one that is not supported.
  void complain(const ForeignNode& node, const std::string& why, std::string hint = {}) {
    if (hint.empty()) hint = kChange;
    if (complaints_.empty() || hint == kUnsupported) hint_ = std::move(hint);
    complaints_.push_back(fmt::format("{} ({}): {}", operator_text(node), node.name, why));
    lose_outputs(node);
  }

  Error summary() const {
    return {ErrorCode::kInput,
            fmt::format("{} of {} nodes cannot be read", complaints_.size(), foreign_.nodes.size()),
            foreign_.file, hint_, complaints_};
  }

  const ForeignGraph& foreign_;
  const LowerOptions& options_;
  GraphBuilder builder_;
  Variables variables_;
  ControlFlow control_;
  std::vector<bool> lost_;  // per foreign tensor: what makes it was refused
  std::vector<std::string> complaints_;
  std::string hint_;
};

}  // namespace

Result<Lowered> lower(const ForeignGraph& foreign, const LowerOptions& options) {
  NK_TRY(check_tensors(foreign));
  return Lowering(foreign, options).run();
}

}  // namespace netkit
