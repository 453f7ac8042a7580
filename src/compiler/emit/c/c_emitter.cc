// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_emitter.h"

#include <fmt/format.h>

#include "compiler/emit/slice/names.h"
#include "compiler/emit/source/faces.h"

namespace netkit::emit {

Result<std::vector<OutputFile>> emit_c(const Program& program, const CEmitOptions& options) {
  if (!is_identifier(options.name)) {
    return fail(ErrorCode::kUsage, fmt::format("'{}' is not a C identifier", options.name),
                "--name", "use letters, digits and _, not starting with a digit");
  }
  if (shadows_system_header(options.name)) {
    return fail(ErrorCode::kUsage,
                fmt::format("{0}.h would hide the header <{0}.h> of {1}", options.name,
                            options.name == "netkit" ? "netkit" : "the system"),
                "--name", fmt::format("for example {}_model", options.name));
  }
  return options.language == Language::kC ? c_face(program, options) : cpp_face(program, options);
}

int64_t weight_bytes(const Program& program) {
  int64_t bytes = 0;
  for (const Constant& constant : program.schedule.constants) {
    bytes += static_cast<int64_t>(constant.data.size());
  }
  return bytes;
}

int64_t model_flash_bytes(const Program& program) {
  int64_t bytes = weight_bytes(program);
  for (const PlacedStep& placed : program.order) {
    const auto& step = program.schedule.steps[static_cast<size_t>(placed.step)];
    bytes += static_cast<int64_t>(step.params.size());
  }
  return bytes;
}

uint64_t total_macs(const Program& program) {
  uint64_t macs = 0;
  for (const ScheduleStep& step : program.schedule.steps) macs += step.macs;
  return macs;
}

}  // namespace netkit::emit
