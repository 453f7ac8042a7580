// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/inspect.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/emit/c/c_emitter.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/import/import.h"
#include "runtime/executor.h"

namespace netkit::driver {
namespace {

using nlohmann::json;

std::string port_text(const std::string& name, const TensorType& type) {
  return fmt::format("{}: {}", name, type_text(type));
}

// A step's activations: the node's tensors that are no constants.
std::vector<std::string> types_of(const Graph& graph, const std::vector<TensorId>& ids) {
  std::vector<std::string> out;
  for (const TensorId id : ids) {
    if (id != kNoTensor && !graph.tensor(id).is_constant()) {
      out.push_back(type_text(graph.tensor(id).type));
    }
  }
  return out;
}

// What a step reads and writes in the graph.
struct StepPorts {
  std::vector<TensorId> inputs, outputs;
};

// Per step of the schedule: the nodes that became steps, then the copies that keep states.
std::vector<StepPorts> step_ports(const Graph& graph) {
  std::vector<StepPorts> ports;
  for (const Node& node : graph.nodes) {
    const OpDef* op = find_op(node.op);
    if (op != nullptr && op->make_params != nullptr) ports.push_back({node.inputs, node.outputs});
  }
  for (const GraphState& state : graph.states) {
    ports.push_back({{graph.outputs[state.output]}, {graph.inputs[state.input]}});
  }
  return ports;
}

LayerInfo layer_of(const Compilation& made, const PlacedStep& placed, const StepPorts& ports) {
  const Schedule& schedule = made.program.schedule;
  const ScheduleStep& step = schedule.steps[static_cast<size_t>(placed.step)];
  LayerInfo layer;
  layer.name = step.name;
  layer.op = step.op->name;
  layer.kernel = step.row->symbol;
  layer.inputs = types_of(made.graph, ports.inputs);
  layer.outputs = types_of(made.graph, ports.outputs);
  layer.macs = step.macs;
  for (const ScheduleArg& arg : step.inputs) {
    if (arg.constant < 0) continue;
    layer.weight_bytes +=
        static_cast<int64_t>(schedule.constants[static_cast<size_t>(arg.constant)].data.size());
  }
  for (const ScheduleArg& arg : step.outputs) {
    if (arg.buffer >= 0) {
      layer.output_bytes += schedule.buffers[static_cast<size_t>(arg.buffer)].bytes;
    }
  }
  layer.scratch_bytes = placed.scratch_bytes;
  layer.mode = placed.mode;
  layer.refused = step.refused_rows;
  return layer;
}

Result<Inspection> inspect_compilation(const Compilation& made, const std::string& file) {
  Inspection out;
  out.file = file;
  out.target = made.program.schedule.target;
  for (const InOut& io : made.program.schedule.inputs) {
    out.inputs.push_back(port_text(io.name, io.type));
  }
  for (const InOut& io : made.program.schedule.outputs) {
    out.outputs.push_back(port_text(io.name, io.type));
  }
  const std::vector<StepPorts> ports = step_ports(made.graph);
  for (const PlacedStep& placed : made.program.order) {
    out.layers.push_back(layer_of(made, placed, ports.at(static_cast<size_t>(placed.step))));
    out.transposes += out.layers.back().op == "transpose" ? 1 : 0;
  }
  out.macs = emit::total_macs(made.program);
  out.arena_bytes = made.program.arena_bytes;
  out.lower_bound_bytes = made.program.lower_bound_bytes;
  out.proven_minimal = made.program.proven_minimal;
  out.plan_class = made.program.plan_class;
  out.weight_bytes = emit::weight_bytes(made.program);
  out.parameter_bytes = emit::model_flash_bytes(made.program) - out.weight_bytes;
  out.context_bytes = sizeof(Executor);
  out.provenance = made.program.metadata;
  out.warnings = made.warnings;
  NK_ASSIGN(const Bytes nk, write_nk(made.program));
  out.nk_file_bytes = static_cast<int64_t>(nk.size());
  return out;
}

}  // namespace

Result<Inspection> inspect_file(const std::string& path, const CompileOptions& options) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  if (sniff_format(bytes) == ModelFormat::kNk) {
    NK_TRY(hears_no_options(options, path));
    return inspect_nk(bytes, path);
  }
  NK_ASSIGN(const Compilation made, compile_file(path, options));
  NK_ASSIGN(Inspection out, inspect_compilation(made, path));
  if (sniff_format(bytes) == ModelFormat::kNkLegacy) {
    out.test_cases = static_cast<int>(made.program.tests.size());
  }
  return out;
}

int64_t Inspection::workspace_bytes() const {
  int64_t most = 0;
  for (const LayerInfo& layer : layers) most = std::max(most, layer.scratch_bytes);
  return most;
}

std::string to_json(const Inspection& x) {
  json layers = json::array();
  for (const LayerInfo& layer : x.layers) {
    layers.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"kernel", layer.kernel},
                      {"inputs", layer.inputs},
                      {"outputs", layer.outputs},
                      {"macs", layer.macs},
                      {"weight_bytes", layer.weight_bytes},
                      {"output_bytes", layer.output_bytes},
                      {"scratch_bytes", layer.scratch_bytes},
                      {"mode", layer.mode},
                      {"refused_kernels", layer.refused}});
  }
  json provenance = json::object();
  for (const auto& [key, value] : x.provenance) provenance[key] = value;
  json object = {{"format", "netkit-inspect/1"},
                 {"file", x.file},
                 {"target", x.target},
                 {"inputs", x.inputs},
                 {"outputs", x.outputs},
                 {"layers", layers},
                 {"macs", x.macs},
                 {"transposes", x.transposes},
                 {"arena_bytes", x.arena_bytes},
                 {"arena_bytes_after_load", x.arena_bytes},
                 {"arena_bytes_after_run", x.arena_bytes},
                 {"kernel_workspace_bytes", x.workspace_bytes()},
                 {"lower_bound_bytes", x.lower_bound_bytes},
                 {"proven_minimal", x.proven_minimal},
                 {"class", x.plan_class},
                 {"weight_bytes", x.weight_bytes},
                 {"parameter_bytes", x.parameter_bytes},
                 {"nk_file_bytes", x.nk_file_bytes},
                 {"context_bytes", x.context_bytes},
                 {"provenance", provenance}};
  if (x.test_cases >= 0) object["test_cases"] = x.test_cases;
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

}  // namespace netkit::driver
