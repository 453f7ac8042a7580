// SPDX-License-Identifier: MIT
// Do a step's overlap modes hold? Each mode of the row chosen for a node is run with its output
// laid over each input at the stated distance, between guard bytes, and one element nearer. Tests
// only.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "ops/common/testing/kernel_check.h"
#include "ops/common/testing/node_check.h"

namespace netkit::check {

struct PlacedStep {
  const KernelRow* row = nullptr;
  Bytes params;
  std::vector<ConstData> inputs;  // in the kernel's order; nullptr where absent
  std::vector<bool> is_activation;
  size_t out_bytes = 0;
  std::vector<KernelMode> modes;
};

// The last node of the graph as a kernel call on `values` (of the graph's inputs, all of which it
// must read itself).
inline PlacedStep placed_step(const Graph& graph, const std::vector<ConstData>& values) {
  PlacedStep step;
  const Node& node = graph.nodes.back();
  const OpDef* op = find_op(node.op);
  const auto params = op->make_params(graph, node);
  if (!params) return step;
  step.params = params->params;
  for (const KernelRow& row : all_kernel_rows()) {
    if (row.op == node.op && row.signature == params->signature &&
        row.fits(params->params.data())) {
      step.row = &row;
      break;
    }
  }
  if (step.row == nullptr) return step;
  const auto args = op->make_args(graph, node, *step.row);
  if (!args) return {};
  for (const StepArg& arg : *args) {
    const auto at = std::ranges::find(graph.inputs, arg.tensor);
    const bool given = arg.constant == nullptr && at != graph.inputs.end();
    ConstData data = arg.constant;
    if (given) data = values[static_cast<size_t>(at - graph.inputs.begin())];
    if (data == nullptr && arg.tensor != kNoTensor) data = graph.tensor(arg.tensor).data;
    step.inputs.push_back(std::move(data));
    step.is_activation.push_back(given);
  }
  const TensorType& y = graph.tensor(node.outputs[0]).type;
  step.out_bytes = static_cast<size_t>(*byte_count(y.dtype, y.dims));
  step.row->modes(step.params.data(), step.modes);
  return step;
}

// Output of the step with `overlap` placed `nearer` bytes closer than it states (nullptr: apart).
inline RunResult run_placed(const PlacedStep& step, const ModeOverlap* overlap, int64_t nearer) {
  const auto out_bytes = static_cast<int64_t>(step.out_bytes);
  std::vector<const void*> in;
  for (const ConstData& data : step.inputs) in.push_back(data ? data->data() : nullptr);
  int64_t in_bytes = 0;
  const Bytes* source = nullptr;
  if (overlap != nullptr) {
    source = &*step.inputs[static_cast<size_t>(overlap->input)];
    in_bytes = static_cast<int64_t>(source->size());
  }
  const int64_t margin = (2 * (in_bytes + out_bytes) + 256) / 64 * 64;
  Bytes arena(static_cast<size_t>(2 * margin + in_bytes + out_bytes), kPoison);
  const int64_t in_at = margin;
  int64_t out_at = margin;
  if (overlap != nullptr) {
    out_at = overlap->forward_bytes
                 ? in_at - *overlap->forward_bytes + nearer
                 : in_at + in_bytes + *overlap->backward_bytes - out_bytes - nearer;
    std::memcpy(arena.data() + in_at, source->data(), source->size());
    in[static_cast<size_t>(overlap->input)] = arena.data() + in_at;
  }
  void* out[] = {arena.data() + out_at};
  const Bytes before = arena;
  step.row->fn(step.params.data(), in.data(), out, nullptr);
  RunResult result;
  for (int64_t i = 0; i < static_cast<int64_t>(arena.size()); ++i) {
    const bool inside = i >= out_at && i < out_at + out_bytes;
    if (!inside && arena[static_cast<size_t>(i)] != before[static_cast<size_t>(i)]) {
      result.fault = "wrote outside its output";
    }
  }
  result.output.assign(arena.begin() + out_at, arena.begin() + out_at + out_bytes);
  return result;
}

// "" where every overlap of every mode gives the result of the plain one, and one step of
// `elem_bytes` nearer does not; else what is wrong. `overlaps` counts those tried.
inline std::string check_overlaps(const Graph& graph, const std::vector<ConstData>& values,
                                  int64_t elem_bytes, int& overlaps) {
  const PlacedStep step = placed_step(graph, values);
  if (step.row == nullptr) return "no kernel";
  const RunResult plain = run_placed(step, nullptr, 0);
  if (!plain.fault.empty()) return plain.fault;
  overlaps = 0;
  for (const KernelMode& mode : step.modes) {
    for (const ModeOverlap& overlap : mode.overlaps) {
      if (!step.is_activation[static_cast<size_t>(overlap.input)]) continue;
      ++overlaps;
      const RunResult got = run_placed(step, &overlap, 0);
      if (!got.fault.empty()) return got.fault;
      if (got.output != plain.output) {
        return fmt::format("over input {}: another result", overlap.input);
      }
      if (run_placed(step, &overlap, elem_bytes).output == plain.output) {
        return fmt::format("over input {}: {} bytes nearer does no harm", overlap.input,
                           elem_bytes);
      }
    }
  }
  return {};
}

}  // namespace netkit::check
