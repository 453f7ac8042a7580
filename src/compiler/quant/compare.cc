// SPDX-License-Identifier: MIT
#include "compiler/quant/compare.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/eval/eval.h"

namespace netkit::quant {
namespace {

constexpr int64_t kMaxNodeBytes = int64_t{1} << 30;

// Of one tensor over all samples.
struct Difference {
  double signal = 0, noise = 0;
  uint64_t clipped = 0, elements = 0;

  double sqnr_db() const {
    if (noise == 0) return kMaxDb;
    if (signal == 0) return -kMaxDb;
    return std::clamp(10.0 * std::log10(signal / noise), -kMaxDb, kMaxDb);
  }
};

double real_value(const ConstData& data, const TensorType& type, size_t i) {
  const std::byte* bytes = data->data();
  if (type.dtype == NK_FLOAT32) return floats(data)[i];
  double stored = 0;
  if (type.dtype == NK_INT8) {
    stored = reinterpret_cast<const int8_t*>(bytes)[i];
  } else {
    int16_t value;
    std::memcpy(&value, bytes + i * sizeof value, sizeof value);
    stored = value;
  }
  return (stored - static_cast<double>(type.quant.zero_point[0])) * double{type.quant.scale[0]};
}

// The same number as the quantised network takes it.
Result<ConstData> as_input(const ConstData& value, const TensorType& from, const TensorType& to) {
  if (to.dtype == from.dtype) return value;
  Graph graph;
  const TensorId x = graph.add_tensor("x", from), y = graph.add_tensor("y", to);
  const Node node{"quantize", "input", {x}, {y}, {}};
  NK_ASSIGN(const auto made, evaluate(graph, node, [&](TensorId) { return value; }, kMaxNodeBytes));
  return made[0];
}

class Comparison {
 public:
  Comparison(const Graph& graph, const Rewritten& rewritten)
      : graph_(graph), rewritten_(rewritten), differences_(graph.tensors.size()) {}

  Result<void> run(std::span<const Sample> samples, const Progress& progress) {
    Runner floating(graph_), quantised(rewritten_.graph);
    for (size_t s = 0; s < samples.size(); ++s) {
      NK_ASSIGN(const auto expected, floating.run(samples[s]));
      NK_ASSIGN(const Sample inputs, as_inputs(samples[s]));
      NK_ASSIGN(const auto got, quantised.run(inputs));
      add(expected, got);
      progress("comparing", static_cast<double>(s + 1) / static_cast<double>(samples.size()));
    }
    return {};
  }

  Report report(const std::vector<Observed>& seen) const {
    Report report;
    for (size_t n = 0; n < graph_.nodes.size(); ++n) {
      const Node& node = graph_.nodes[n];
      const TensorId id = node.outputs[0];
      if (id == kNoTensor || graph_.tensor(id).type.dtype != NK_FLOAT32) continue;
      const Difference& d = differences_[static_cast<size_t>(id)];
      const Observed& o = seen[static_cast<size_t>(id)];
      const Quant& quant = made_type(id).quant;
      Layer layer{
          node.name.empty() ? graph_.tensor(id).name : node.name,
          node.op,
          rewritten_.mode[n],
          rewritten_.why[n],
          o.lo,
          o.hi,
          quant.empty() ? 0.0 : double{quant.scale[0]},
          quant.empty() ? 0 : quant.zero_point[0],
          d.elements == 0 ? 0.0 : static_cast<double>(d.clipped) / static_cast<double>(d.elements),
          d.sqnr_db()};
      if (report.first_fall < 0 && layer.sqnr_db < kFallDb) {
        report.first_fall = static_cast<int>(report.layers.size());
      }
      report.layers.push_back(std::move(layer));
    }
    report.output_sqnr_db = kMaxDb;
    for (size_t i = 0; i < graph_.model_outputs(); ++i) {
      const Difference& d = differences_[static_cast<size_t>(graph_.outputs[i])];
      report.output_sqnr_db = std::min(report.output_sqnr_db, d.sqnr_db());
    }
    report.has_classes = rows_ > 0;
    report.agreement = rows_ == 0 ? 1.0 : static_cast<double>(agree_) / static_cast<double>(rows_);
    return report;
  }

 private:
  const TensorType& made_type(TensorId id) const {
    return rewritten_.graph.tensor(rewritten_.made[static_cast<size_t>(id)]).type;
  }
  bool is_compared(size_t i) const {
    return graph_.tensors[i].type.dtype == NK_FLOAT32 && !graph_.tensors[i].is_constant() &&
           rewritten_.made[i] != kNoTensor;
  }

  Result<Sample> as_inputs(const Sample& sample) const {
    Sample out;
    for (size_t i = 0; i < sample.size(); ++i) {
      const TensorId to = rewritten_.graph.inputs[i];
      NK_ASSIGN(ConstData input, as_input(sample[i], graph_.tensor(graph_.inputs[i]).type,
                                          rewritten_.graph.tensor(to).type));
      out.push_back(std::move(input));
    }
    return out;
  }

  void add(const std::vector<ConstData>& expected, const std::vector<ConstData>& got) {
    for (size_t i = 0; i < expected.size(); ++i) {
      if (!is_compared(i) || expected[i] == nullptr) continue;
      const TensorType& type = made_type(static_cast<TensorId>(i));
      add_tensor(expected[i], got[static_cast<size_t>(rewritten_.made[i])], type, differences_[i]);
    }
    for (size_t o = 0; o < graph_.model_outputs(); ++o) {
      const auto id = static_cast<size_t>(graph_.outputs[o]);
      if (!is_compared(id)) continue;
      add_rows(expected[id], got[static_cast<size_t>(rewritten_.made[id])],
               static_cast<TensorId>(id));
    }
  }

  static void add_tensor(const ConstData& expected, const ConstData& got, const TensorType& type,
                         Difference& d) {
    const std::span<const float> values = floats(expected);
    const bool quantised = !type.quant.empty();
    const Mode mode = type.dtype == NK_INT16 ? Mode::kInt16 : Mode::kInt8;
    const Range held = quantised ? held_by(type.quant, mode) : Range{-HUGE_VAL, HUGE_VAL};
    const double half = quantised ? double{type.quant.scale[0]} / 2 : 0.0;
    for (size_t i = 0; i < values.size(); ++i) {
      const double error = real_value(got, type, i) - values[i];
      d.signal += double{values[i]} * values[i];
      d.noise += error * error;
      d.clipped += values[i] < held.lo - half || values[i] > held.hi + half ? 1 : 0;
    }
    d.elements += values.size();
  }

  // Rows of the last axis: is the greatest element one that is greatest in float32 too?
  void add_rows(const ConstData& expected, const ConstData& got, TensorId id) {
    const Dims& dims = graph_.tensor(id).type.dims;
    if (dims.empty() || dims.back() < 2) return;
    const std::span<const float> values = floats(expected);
    const auto row = static_cast<size_t>(dims.back());
    for (size_t at = 0; at + row <= values.size(); at += row) {
      size_t best = 0, found = 0;
      for (size_t i = 1; i < row; ++i) {
        if (values[at + i] > values[at + best]) best = i;
        if (real_value(got, made_type(id), at + i) > real_value(got, made_type(id), at + found)) {
          found = i;
        }
      }
      ++rows_;
      agree_ += values[at + found] == values[at + best] ? 1 : 0;
    }
  }

  const Graph& graph_;
  const Rewritten& rewritten_;
  std::vector<Difference> differences_;  // per tensor of the float graph
  uint64_t rows_ = 0, agree_ = 0;
};

}  // namespace

Result<Report> compare(const Graph& graph, const Rewritten& rewritten,
                       const std::vector<Observed>& seen, std::span<const Sample> samples,
                       const Progress& progress) {
  Comparison comparison(graph, rewritten);
  NK_TRY(comparison.run(samples, progress));
  Report report = comparison.report(seen);
  report.samples = samples.size();
  return report;
}

}  // namespace netkit::quant
