// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cstring>

#include "compiler/driver/aligned_block.h"
#include "compiler/driver/verbs/inspect.h"
#include "compiler/driver/verbs/plan_file.h"
#include "compiler/emit/nk/nk_reader.h"
#include "compiler/ir/op_def.h"
#include "runtime/executor.h"

namespace netkit::driver {
namespace {

// The family of a kernel symbol that this program knows; the symbol itself otherwise.
std::string op_of(const std::string& symbol) {
  const KernelRow* row = find_kernel(symbol);
  return row != nullptr ? std::string(row->op) : symbol;
}

// Overlap index of each planned step, in the order of the plan: name, index, -1 for the plain mode.
std::vector<std::pair<std::string, int>> planned_overlaps(const plan::SavedPlan& plan) {
  std::vector<std::pair<std::string, int>> out;
  for (const plan::LayoutStep& step : plan.layout.steps) {
    out.push_back({plan.problem.steps[static_cast<size_t>(step.step)].name, step.overlap});
  }
  return out;
}

// The mode that the n-th overlap of the kernel's modes belongs to, overlaps of constants aside.
int mode_of_overlap(const std::vector<KernelMode>& modes, const NkStepInfo& step, int overlap) {
  const auto in_arena = [](const std::vector<NkArgInfo>& args, int i) {
    return i >= 0 && static_cast<size_t>(i) < args.size() &&
           args[static_cast<size_t>(i)].place == NkArgInfo::Place::kArena;
  };
  for (size_t m = 0; m < modes.size(); ++m) {
    for (const ModeOverlap& o : modes[m].overlaps) {
      if (!in_arena(step.inputs, o.input) || !in_arena(step.outputs, o.output)) continue;
      if (overlap-- == 0) return static_cast<int>(m);
    }
  }
  return 0;
}

// The parameters hold the mode's id where the operator has a field for it; the plan says the rest.
int mode_of(const NkStepInfo& step, int overlap) {
  const KernelRow* row = find_kernel(step.kernel);
  const OpDef* op = row == nullptr ? nullptr : find_op(row->op);
  if (op == nullptr || row->modes == nullptr || step.params.size() < op->params_bytes) return 0;
  std::vector<KernelMode> modes;
  row->modes(step.params.data(), modes);
  for (const ParamField& field : op->fields) {
    if (field.name != "mode") continue;
    int32_t id = 0;
    std::memcpy(&id, step.params.data() + field.offset,
                field.type == "int32_t"   ? 4
                : field.type == "int16_t" ? 2
                                          : 1);
    const auto it = std::ranges::find(modes, id, &KernelMode::id);
    return it == modes.end() ? 0 : static_cast<int>(it - modes.begin());
  }
  return overlap < 0 ? 0 : mode_of_overlap(modes, step, overlap);
}

LayerInfo layer_of(const NkStepInfo& step) {
  LayerInfo layer;
  layer.name = step.node;
  layer.kernel = step.kernel;
  layer.op = op_of(step.kernel);
  layer.macs = step.macs;
  layer.scratch_bytes = step.scratch_bytes;
  for (const NkArgInfo& arg : step.inputs) {
    if (arg.place == NkArgInfo::Place::kConstant) layer.weight_bytes += arg.bytes;
    if (arg.place == NkArgInfo::Place::kArena) {
      layer.inputs.push_back(fmt::format("{} B at {}", arg.bytes, arg.offset));
    }
  }
  for (const NkArgInfo& arg : step.outputs) {
    layer.output_bytes += arg.bytes;
    layer.outputs.push_back(fmt::format("{} B at {}", arg.bytes, arg.offset));
  }
  return layer;
}

}  // namespace

Result<Inspection> inspect_nk(Bytes file, const std::string& path) {
  const AlignedBlock block = AlignedBlock::copy_of(file);
  NK_ASSIGN(const NkInfo info, read_nk({block.data(), block.size()}, path));
  Inspection out;
  out.file = path;
  out.target = info.target;
  for (const NkTensorInfo& port : info.inputs) {
    out.inputs.push_back(fmt::format("{}: {}", port.name, type_text(port.type)));
  }
  for (const NkTensorInfo& port : info.outputs) {
    out.outputs.push_back(fmt::format("{}: {}", port.name, type_text(port.type)));
  }
  plan::SavedPlan plan;
  if (!info.plan_json.empty()) {
    NK_ASSIGN(plan, plan_inside(info, path));
    out.plan_class = plan::class_name(plan.layout.plan_class);
    out.lower_bound_bytes = plan.layout.lower_bound_bytes;
    out.proven_minimal = plan.layout.proven_minimal;
  }
  const auto overlaps = planned_overlaps(plan);
  size_t at = 0, spare = overlaps.size() - std::min(overlaps.size(), info.steps.size());
  for (const NkStepInfo& step : info.steps) {
    out.layers.push_back(layer_of(step));
    // A planned step that only places views is no step of the file.
    while (spare > 0 && !overlaps[at].first.starts_with(step.node)) ++at, --spare;
    out.layers.back().mode = mode_of(step, at < overlaps.size() ? overlaps[at++].second : -1);
    out.macs += step.macs;
    out.transposes += out.layers.back().op == "transpose" ? 1 : 0;
  }
  out.arena_bytes = info.arena_bytes;
  out.weight_bytes = info.constants_bytes;
  out.parameter_bytes = info.params_bytes;
  out.nk_file_bytes = info.file_bytes;
  out.context_bytes = sizeof(Executor);
  out.test_cases = static_cast<int>(info.test_cases);
  out.provenance = info.metadata;
  return out;
}

}  // namespace netkit::driver
