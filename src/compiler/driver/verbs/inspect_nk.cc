// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <cstring>

#include "compiler/driver/aligned_block.h"
#include "compiler/driver/verbs/inspect.h"
#include "compiler/emit/nk/nk_reader.h"
#include "runtime/executor.h"

namespace netkit::driver {
namespace {

// The family of a kernel symbol that this program knows; the symbol itself otherwise.
std::string op_of(const std::string& symbol) {
  const KernelRow* row = find_kernel(symbol);
  return row != nullptr ? std::string(row->op) : symbol;
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
      layer.inputs.push_back(fmt::format("{}B@{}", arg.bytes, arg.offset));
    }
  }
  for (const NkArgInfo& arg : step.outputs) {
    layer.output_bytes += arg.bytes;
    layer.outputs.push_back(fmt::format("{}B@{}", arg.bytes, arg.offset));
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
  for (const NkStepInfo& step : info.steps) {
    out.layers.push_back(layer_of(step));
    out.macs += step.macs;
    out.transposes += out.layers.back().op == "transpose" ? 1 : 0;
  }
  out.arena_bytes = info.arena_bytes;
  out.weight_bytes = info.constants_bytes;
  out.parameter_bytes = info.params_bytes;
  out.nk_file_bytes = info.file_bytes;
  out.context_bytes = sizeof(Executor);
  out.provenance = info.metadata;
  read_plan_summary(info.plan_json, out);
  return out;
}

}  // namespace netkit::driver
