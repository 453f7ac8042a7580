// SPDX-License-Identifier: MIT
// The order of the work: ranges, both variants, comparison, and the nodes that get more bits.
#include "compiler/quant/quant.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "compiler/ir/op_def.h"
#include "compiler/quant/compare.h"
#include "compiler/quant/equalise.h"

namespace netkit::quant {
namespace {

constexpr std::string_view kMethods[] = {"min-max", "percentile", "mse", "entropy"};
constexpr RangeMethod kMethodValues[] = {RangeMethod::kMinMax, RangeMethod::kPercentile,
                                         RangeMethod::kMse, RangeMethod::kEntropy};
constexpr std::string_view kModes[] = {"float32", "int8", "int16"};

// The node's name, or that of what it makes.
bool is_named(const Graph& graph, const Node& node, const std::string& name) {
  if (!node.name.empty() && node.name == name) return true;
  return std::ranges::any_of(
      node.outputs, [&](TensorId id) { return id != kNoTensor && graph.tensor(id).name == name; });
}

Result<void> set_modes(const Graph& graph, const std::vector<std::string>& names, Mode mode,
                       std::string_view option, std::vector<Mode>& modes) {
  for (const std::string& name : names) {
    bool found = false;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      if (!is_named(graph, graph.nodes[n], name)) continue;
      modes[n] = mode;
      found = true;
    }
    if (!found) {
      return fail(ErrorCode::kUsage, fmt::format("no layer is named '{}'", name),
                  std::string(option), "netkit compile MODEL --dump passes shows the names");
    }
  }
  return {};
}

// A graph with what was seen of it.
struct Subject {
  Graph graph;
  std::vector<Observed> seen;
  std::vector<Range> ranges;
};

struct Attempt {
  Rewritten rewritten;
  Report report;
};

class Quantiser {
 public:
  Quantiser(std::span<const Sample> samples, const Options& options, const Progress& progress)
      : samples_(samples), options_(options), progress_(progress) {}

  Result<Quantised> run(const Graph& graph) {
    std::vector<Mode> wanted(graph.nodes.size(), Mode::kInt8);
    NK_TRY(set_modes(graph, options_.int16, Mode::kInt16, "--int16", wanted));
    NK_TRY(set_modes(graph, options_.keep_float, Mode::kFloat, "--keep-float", wanted));
    NK_ASSIGN(Subject subject, subject_of(graph));
    NK_ASSIGN(Attempt best, attempt(subject, wanted));
    if (std::ranges::all_of(best.rewritten.mode, [](Mode m) { return m == Mode::kFloat; })) {
      return bad_input("no node of the network has an integer form", graph.source,
                       "compile it without --int8");
    }
    if (options_.equalise) NK_TRY(try_equalised(subject, wanted, best));
    if (options_.max_drop >= 0) NK_TRY(mix(subject, wanted, best));
    return Quantised{std::move(best.rewritten.graph), std::move(best.report)};
  }

 private:
  Result<Subject> subject_of(Graph graph) {
    Subject subject{std::move(graph), {}, {}};
    NK_ASSIGN(subject.seen,
              observe(subject.graph, samples_, options_.method != RangeMethod::kMinMax, progress_));
    subject.ranges = shared_ranges(subject.graph, subject.seen, options_);
    return subject;
  }

  Result<Attempt> attempt(const Subject& subject, const std::vector<Mode>& wanted) {
    Attempt out;
    NK_ASSIGN(out.rewritten,
              rewrite(subject.graph, subject.seen, subject.ranges, wanted, options_));
    NK_ASSIGN(out.report, compare(subject.graph, out.rewritten, subject.seen, samples_, progress_));
    return out;
  }

  Result<void> try_equalised(Subject& subject, const std::vector<Mode>& wanted, Attempt& best) {
    NK_ASSIGN(Equalised equal, equalise(subject.graph, subject.seen));
    if (equal.channels == 0) return {};
    NK_ASSIGN(Subject other, subject_of(std::move(equal.graph)));
    NK_ASSIGN(Attempt second, attempt(other, wanted));
    if (second.report.output_sqnr_db <= best.report.output_sqnr_db) return {};
    second.report.equalised = true;
    best = std::move(second);
    subject = std::move(other);
    return {};
  }

  // The share of answers that change; of a network without classes, the noise in the outputs.
  static double drop(const Report& report) {
    if (report.has_classes) return 1.0 - report.agreement;
    return std::pow(10.0, -report.output_sqnr_db / 10.0);
  }

  // The int8 node behind which the error grows most, over the worst of what it reads.
  static std::optional<size_t> worst(const Graph& graph, const Attempt& attempt) {
    std::vector<double> sqnr(graph.tensors.size(), kMaxDb);
    size_t layer = 0;
    double most = -kMaxDb * 2;
    std::optional<size_t> found;
    for (size_t n = 0; n < graph.nodes.size(); ++n) {
      const Node& node = graph.nodes[n];
      const TensorId id = node.outputs[0];
      if (id == kNoTensor || graph.tensor(id).type.dtype != NK_FLOAT32) continue;
      double before = kMaxDb;
      for (const TensorId input : node.inputs) {
        if (input != kNoTensor) before = std::min(before, sqnr[static_cast<size_t>(input)]);
      }
      const double now = attempt.report.layers[layer++].sqnr_db;
      sqnr[static_cast<size_t>(id)] = now;
      const bool moves = find_op(node.op)->quant.rule == QuantRule::kSame;
      if (attempt.rewritten.mode[n] != Mode::kInt8 || moves || before - now <= most) continue;
      most = before - now;
      found = n;
    }
    return found;
  }

  Result<void> mix(const Subject& subject, std::vector<Mode>& wanted, Attempt& best) {
    const bool equalised = best.report.equalised;
    while (drop(best.report) > options_.max_drop) {
      const std::optional<size_t> node = worst(subject.graph, best);
      if (!node) break;
      wanted[*node] = Mode::kInt16;
      NK_ASSIGN(Attempt next, attempt(subject, wanted));
      if (next.rewritten.mode[*node] == Mode::kFloat) wanted[*node] = Mode::kFloat;
      best = std::move(next);
      best.report.equalised = equalised;
    }
    return {};
  }

  std::span<const Sample> samples_;
  const Options& options_;
  const Progress& progress_;
};

}  // namespace

std::string_view name_of(RangeMethod method) {
  return kMethods[static_cast<size_t>(method)];
}

const RangeMethod* range_method(std::string_view name) {
  const auto it = std::ranges::find(kMethods, name);
  return it == std::end(kMethods) ? nullptr : &kMethodValues[it - std::begin(kMethods)];
}

std::string_view name_of(Mode mode) {
  return kModes[static_cast<size_t>(mode)];
}

Result<Quantised> quantise(const Graph& graph, std::span<const Sample> samples,
                           const Options& options, const Progress& progress) {
  if (samples.empty()) return bad_input("there is no sample to calibrate with", graph.source);
  return Quantiser(samples, options, progress).run(graph);
}

}  // namespace netkit::quant
