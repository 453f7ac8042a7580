// SPDX-License-Identifier: MIT
#include "compiler/driver/assemble.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <set>

namespace netkit::driver {
namespace {

// Names of a problem are unique and not empty; a model's need not be.
std::string unique_name(std::set<std::string>& taken, const std::string& wanted,
                        const std::string& fallback) {
  std::string name = wanted.empty() ? fallback : wanted;
  for (int i = 2; !taken.insert(name).second; ++i) {
    name = fmt::format("{}#{}", wanted.empty() ? fallback : wanted, i);
  }
  return name;
}

std::vector<int> planned_buffers(const std::vector<ScheduleArg>& args) {
  std::vector<int> buffers;
  for (const ScheduleArg& arg : args) {
    if (arg.buffer >= 0) buffers.push_back(arg.buffer);
  }
  return buffers;
}

// Position of argument `index` among the arguments that are buffers; -1: it is none.
int planned_index(const std::vector<ScheduleArg>& args, int index) {
  if (index < 0 || index >= static_cast<int>(args.size())) return -1;
  if (args[static_cast<size_t>(index)].buffer < 0) return -1;
  int position = 0;
  for (int i = 0; i < index; ++i) position += args[static_cast<size_t>(i)].buffer >= 0 ? 1 : 0;
  return position;
}

std::vector<plan::Overlap> overlaps_of(const ScheduleStep& step) {
  std::vector<plan::Overlap> out;
  for (size_t m = 0; m < step.modes.size(); ++m) {
    for (const ModeOverlap& overlap : step.modes[m].overlaps) {
      const int input = planned_index(step.inputs, overlap.input);
      const int output = planned_index(step.outputs, overlap.output);
      if (input < 0 || output < 0) continue;
      out.push_back({input, output, overlap.forward_bytes, overlap.backward_bytes,
                     step.modes[m].scratch_bytes, static_cast<int>(m)});
    }
  }
  return out;
}

void set_mode(ScheduleStep& step, int id) {
  for (const ParamField& field : step.op->fields) {
    if (field.name != "mode") continue;
    const int32_t value = id;  // little-endian: the low bytes come first
    const size_t bytes = field.type == "int32_t" ? 4 : field.type == "int16_t" ? 2 : 1;
    std::memcpy(step.params.data() + field.offset, &value, bytes);
  }
}

// Every byte that the step writes is there already: each of its inputs and its only output share
// memory.
bool nothing_left(const ScheduleStep& step, const std::vector<int>& taken) {
  return step.outputs.size() == 1 && !taken.empty() && taken.size() == step.inputs.size();
}

std::vector<int> buffers_of(const std::vector<InOut>& list) {
  std::vector<int> buffers;
  for (const InOut& io : list) {
    if (std::ranges::find(buffers, io.buffer) == buffers.end()) buffers.push_back(io.buffer);
  }
  return buffers;
}

}  // namespace

plan::Problem to_problem(const Schedule& schedule, int64_t alignment) {
  plan::Problem problem;
  problem.alignment = alignment;
  std::set<std::string> names;
  for (size_t i = 0; i < schedule.buffers.size(); ++i) {
    const Buffer& buffer = schedule.buffers[i];
    problem.tensors.push_back(
        {unique_name(names, buffer.name, fmt::format("buffer{}", i)), buffer.bytes});
  }
  names.clear();
  for (size_t i = 0; i < schedule.steps.size(); ++i) {
    const ScheduleStep& step = schedule.steps[i];
    plan::Step to;
    to.name = unique_name(names, step.name, fmt::format("{}{}", step.op->name, i));
    to.inputs = planned_buffers(step.inputs);
    to.outputs = planned_buffers(step.outputs);
    to.scratch_bytes = step.modes.empty() ? 0 : step.modes[0].scratch_bytes;
    to.overlaps = overlaps_of(step);
    for (const StepView& view : step.views) {
      to.views.push_back({planned_index(step.inputs, view.input),
                          planned_index(step.outputs, view.output), view.offset_bytes});
    }
    problem.steps.push_back(std::move(to));
  }
  problem.inputs = buffers_of(schedule.inputs);
  problem.outputs = buffers_of(schedule.outputs);
  for (const ScheduleState& state : schedule.states) problem.states.push_back(state.buffer);
  return problem;
}

Program assemble(Schedule schedule, const plan::Layout& layout, bool caller_io) {
  Program program;
  program.schedule = std::move(schedule);
  program.arena_bytes = layout.arena_bytes;
  program.arena_alignment = layout.alignment;
  program.lower_bound_bytes = layout.lower_bound_bytes;
  program.proven_minimal = layout.proven_minimal;
  program.plan_class = plan::class_name(layout.plan_class);
  program.buffer_offsets.assign(program.schedule.buffers.size(), 0);
  for (const auto* list : {&program.schedule.inputs, &program.schedule.outputs}) {
    for (const InOut& io : *list) {
      if (caller_io) program.buffer_offsets[static_cast<size_t>(io.buffer)] = kOutsideArena;
    }
  }
  for (const plan::LayoutBuffer& buffer : layout.buffers) {
    if (buffer.tensor >= 0) {
      program.buffer_offsets[static_cast<size_t>(buffer.tensor)] = buffer.offset;
    }
  }
  const plan::Problem problem = to_problem(program.schedule, layout.alignment);
  for (const plan::LayoutStep& step : layout.steps) {
    ScheduleStep& scheduled = program.schedule.steps[static_cast<size_t>(step.step)];
    const auto& overlaps = problem.steps[static_cast<size_t>(step.step)].overlaps;
    const int mode = step.overlap < 0 ? 0 : overlaps[static_cast<size_t>(step.overlap)].mode;
    if (!scheduled.modes.empty()) {
      set_mode(scheduled, scheduled.modes[static_cast<size_t>(mode)].id);
    }
    if (nothing_left(scheduled, step.views)) continue;
    program.order.push_back({step.step, mode, step.scratch_bytes, step.scratch_offset});
  }
  return program;
}

}  // namespace netkit::driver
