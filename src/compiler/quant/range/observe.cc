// SPDX-License-Identifier: MIT
#include "compiler/quant/range/observe.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "compiler/eval/eval.h"

namespace netkit::quant {
namespace {

constexpr int64_t kMaxNodeBytes = int64_t{1} << 30;

bool is_observed(const Tensor& tensor) {
  return tensor.type.dtype == NK_FLOAT32 && !tensor.is_constant();
}

size_t channels_of(const Tensor& tensor) {
  return tensor.type.dims.empty() ? 1 : static_cast<size_t>(tensor.type.dims.back());
}

// Extremes, channel sums (in channel_mean until the end) and channel peaks.
Result<void> add_extremes(const Tensor& tensor, std::span<const float> values, Observed& to) {
  const size_t channels = channels_of(tensor);
  to.channel_mean.resize(channels);
  to.channel_peak.resize(channels);
  for (size_t i = 0; i < values.size(); ++i) {
    const double value = values[i];
    if (!std::isfinite(value)) {
      return bad_input(fmt::format("a sample makes {} in '{}'", value, tensor.name), {},
                       "leave that sample out, or --keep-float the layers around it");
    }
    to.lo = std::min(to.lo, value);
    to.hi = std::max(to.hi, value);
    to.channel_mean[i % channels] += value;
    to.channel_peak[i % channels] = std::max(to.channel_peak[i % channels], std::abs(value));
  }
  return {};
}

void add_histogram(std::span<const float> values, Observed& to) {
  if (!to.seen() || to.lo == to.hi) return;
  to.histogram.resize(kBins);
  to.atoms[1].value = to.lo;
  to.atoms[2].value = to.hi;
  const double per_bin = (to.hi - to.lo) / kBins;
  for (const float value : values) {
    const auto bin = static_cast<int>((value - to.lo) / per_bin);
    ++to.histogram[static_cast<size_t>(std::clamp(bin, 0, kBins - 1))];
    for (Atom& atom : to.atoms) {
      if (value == atom.value) {
        ++atom.count;
        break;
      }
    }
  }
}

}  // namespace

std::span<const float> floats(const ConstData& data) {
  return {reinterpret_cast<const float*>(data->data()), data->size() / sizeof(float)};
}

Result<std::vector<ConstData>> Runner::run(const Sample& inputs) {
  if (states_.empty()) {
    for (const GraphState& state : graph_.states) {
      const TensorType& type = graph_.tensor(graph_.inputs[state.input]).type;
      NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
      states_.push_back(state.initial ? state.initial
                                      : std::make_shared<const Bytes>(static_cast<size_t>(bytes)));
    }
  }
  std::vector<ConstData> all = inputs;
  all.insert(all.end(), states_.begin(), states_.end());
  NK_ASSIGN(std::vector<ConstData> values, evaluate_tensors(graph_, all, kMaxNodeBytes));
  for (size_t i = 0; i < states_.size(); ++i) {
    states_[i] = values[static_cast<size_t>(graph_.outputs[graph_.states[i].output])];
  }
  return values;
}

Result<std::vector<Observed>> observe(const Graph& graph, std::span<const Sample> samples,
                                      bool histograms, const Progress& progress) {
  std::vector<Observed> seen(graph.tensors.size(), {HUGE_VAL, -HUGE_VAL, {}, {}, {}, {}});
  const int rounds = histograms ? 2 : 1;
  for (int round = 0; round < rounds; ++round) {
    Runner runner(graph);
    for (size_t s = 0; s < samples.size(); ++s) {
      NK_ASSIGN(const std::vector<ConstData> values, runner.run(samples[s]));
      for (size_t i = 0; i < values.size(); ++i) {
        if (!is_observed(graph.tensors[i]) || values[i] == nullptr) continue;
        if (round == 0) {
          NK_TRY(add_extremes(graph.tensors[i], floats(values[i]), seen[i]));
        } else {
          add_histogram(floats(values[i]), seen[i]);
        }
      }
      const double done = static_cast<double>(s + 1) / static_cast<double>(samples.size());
      progress("calibrating", (round + done) / rounds);
    }
  }
  for (size_t i = 0; i < seen.size(); ++i) {
    if (!is_observed(graph.tensors[i]) || !seen[i].seen()) continue;
    NK_ASSIGN(const int64_t count, element_count(graph.tensors[i].type.dims));
    const double rows = static_cast<double>(samples.size()) * static_cast<double>(count) /
                        static_cast<double>(channels_of(graph.tensors[i]));
    for (double& sum : seen[i].channel_mean) sum /= rows;
  }
  return seen;
}

}  // namespace netkit::quant
