// SPDX-License-Identifier: MIT
// The text of each phase's product, for --dump, bug reports and golden files.
#include <fmt/format.h>

#include "compiler/driver/compile.h"
#include "compiler/emit/c/c_data.h"
#include "compiler/import/import.h"

namespace netkit::driver {
namespace {

std::string args_text(const Schedule& schedule, const std::vector<ScheduleArg>& args) {
  std::string out;
  for (const ScheduleArg& arg : args) {
    if (!out.empty()) out += ", ";
    if (arg.constant >= 0) {
      const Constant& constant = schedule.constants[static_cast<size_t>(arg.constant)];
      out += fmt::format("{}:{}[{} B]", constant.name, name_of(constant.dtype),
                         constant.data->size());
    } else {
      out += arg.buffer < 0 ? "-" : fmt::format("b{}", arg.buffer);
    }
  }
  return out;
}

std::string params_text(const ScheduleStep& step) {
  std::string text = emit::c_params(step.op->fields, step.params);
  std::string out;
  for (const char c : text) {
    if (c == '\n') continue;
    if (c == ' ' && (out.empty() || out.back() == ' ')) continue;
    out += c;
  }
  return out;
}

std::string modes_text(const ScheduleStep& step) {
  std::string out;
  for (const KernelMode& mode : step.modes) {
    out += fmt::format("    mode {} scratch {} B", mode.id, mode.scratch_bytes);
    for (const ModeOverlap& overlap : mode.overlaps) {
      out += fmt::format(" [out{} over in{}{}{}]", overlap.output, overlap.input,
                         overlap.forward_bytes ? fmt::format(" forward {}", *overlap.forward_bytes)
                                               : "",
                         overlap.backward_bytes
                             ? fmt::format(" backward {}", *overlap.backward_bytes)
                             : "");
    }
    out += "\n";
  }
  return out;
}

std::string schedule_text(const Schedule& schedule) {
  std::string out = fmt::format("schedule for {}\n", schedule.target);
  for (size_t i = 0; i < schedule.buffers.size(); ++i) {
    out += fmt::format("b{} {} B '{}'\n", i, schedule.buffers[i].bytes, schedule.buffers[i].name);
  }
  for (const InOut& io : schedule.inputs) {
    out += fmt::format("input '{}' {} b{}\n", io.name, type_text(io.type), io.buffer);
  }
  for (const InOut& io : schedule.outputs) {
    out += fmt::format("output '{}' {} b{}\n", io.name, type_text(io.type), io.buffer);
  }
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    const ScheduleStep& step = schedule.steps[i];
    out += fmt::format("step {} {} '{}' ({}) -> ({}) macs {}\n    params {}\n{}", i,
                       step.row->symbol, step.name, args_text(schedule, step.inputs),
                       args_text(schedule, step.outputs), step.macs, params_text(step),
                       modes_text(step));
    for (const std::string& refused : step.refused_rows) {
      out += fmt::format("    refused {}\n", refused);
    }
  }
  return out;
}

}  // namespace

std::string dump(const Compilation& compilation, Phase phase) {
  switch (phase) {
    case Phase::kImport: return to_text(compilation.foreign);
    case Phase::kLower:
    case Phase::kQuantise: return to_text(compilation.lowered);
    case Phase::kPasses: return to_text(compilation.graph);
    case Phase::kSelect: return schedule_text(compilation.schedule);
    case Phase::kPlan: return compilation.program.plan_json + "\n";
  }
  return {};
}

}  // namespace netkit::driver
