// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_state.h"

#include <fmt/format.h>

namespace netkit::emit {
namespace {

struct StatePlace {
  int64_t offset, bytes;
};

StatePlace state_place(const Program& program, const ScheduleState& state) {
  const auto buffer = static_cast<size_t>(state.buffer);
  return {program.buffer_offsets[buffer], program.schedule.buffers[buffer].bytes};
}

std::string arena_of(const std::string& name) {
  return name + "_arena";
}

}  // namespace

std::string c_arena_check(const std::string& name, std::string_view result) {
  return fmt::format("#ifdef NETKIT_EXTERNAL_ARENA\n  if ({}_arena == NULL) return{};\n#endif\n",
                     name, result);
}

std::string state_reset_lines(const Program& program, const std::string& name,
                              const std::string& arena) {
  std::string text;
  for (const ScheduleState& state : program.schedule.states) {
    const StatePlace at = state_place(program, state);
    if (state.initial < 0) {
      text += fmt::format("  memset({} + {}, 0, {});\n", arena, at.offset, at.bytes);
      continue;
    }
    const Constant& initial = program.schedule.constants[static_cast<size_t>(state.initial)];
    text += fmt::format("  memcpy({} + {}, {}_{}, {});\n", arena, at.offset, name, initial.name,
                        at.bytes);
  }
  return text;
}

std::string state_copy_lines(const Program& program, const std::string& arena, bool saves) {
  std::string text;
  int64_t saved = 0;
  for (const ScheduleState& state : program.schedule.states) {
    const StatePlace at = state_place(program, state);
    const std::string place = fmt::format("{} + {}", arena, at.offset);
    const std::string other = fmt::format("({}unsigned char*){} + {}", saves ? "" : "const ",
                                          saves ? "to" : "from", saved);
    text += fmt::format("  memcpy({}, {}, {});\n", saves ? other : place, saves ? place : other,
                        at.bytes);
    saved += at.bytes;
  }
  return text;
}

int64_t state_bytes(const Program& program) {
  int64_t bytes = 0;
  for (const ScheduleState& state : program.schedule.states) {
    bytes += state_place(program, state).bytes;
  }
  return bytes;
}

std::string c_state_constants(const Program& program, const std::string& upper_name) {
  if (program.schedule.states.empty()) return "";
  return fmt::format("#define {}_STATE_BYTES {}\n", upper_name, state_bytes(program));
}

std::string c_state_declarations(const Program& program, const std::string& name,
                                 const std::string& upper_name) {
  if (program.schedule.states.empty()) return "";
  return fmt::format(
      "/* State, which lives in the arena from one run to the next: the first run finds it reset.\n"
      " * Call {0}_reset to begin anew, and after setting another {0}_arena. save and restore "
      "copy\n"
      " * {1}_STATE_BYTES bytes out and in. 0: done; 1: the arena or the pointer is null. */\n"
      "void {0}_reset(void);\n"
      "int {0}_save_state(void* to);\n"
      "int {0}_restore_state(const void* from);\n\n",
      name, upper_name);
}

std::string c_state_functions(const Program& program, const std::string& name) {
  if (program.schedule.states.empty()) return "";
  const std::string check = c_arena_check(name, " 1");
  std::string text = fmt::format("static unsigned char {}_is_set;\n\n", name);
  text += fmt::format("void {}_reset(void) {{\n{}", name, c_arena_check(name, "")) +
          state_reset_lines(program, name, arena_of(name)) +
          fmt::format("  {}_is_set = 1;\n}}\n\n", name);
  text += fmt::format(
              "int {0}_save_state(void* to) {{\n{1}  if (to == NULL) return 1;\n"
              "  if ({0}_is_set == 0) {0}_reset();\n",
              name, check) +
          state_copy_lines(program, arena_of(name), true) + "  return 0;\n}\n\n";
  text +=
      fmt::format("int {}_restore_state(const void* from) {{\n{}  if (from == NULL) return 1;\n",
                  name, check) +
      state_copy_lines(program, arena_of(name), false) +
      fmt::format("  {}_is_set = 1;\n  return 0;\n}}\n\n", name);
  return text;
}

}  // namespace netkit::emit
