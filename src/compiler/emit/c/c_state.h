// SPDX-License-Identifier: MIT
// The emitted C of a network with state: NAME_reset, NAME_save_state, NAME_restore_state. Each is
// empty where there is no state.
#pragma once

#include <string>

#include "compiler/select/program.h"

namespace netkit::emit {

// #define NAME_STATE_BYTES
std::string c_state_constants(const Program& program, const std::string& upper_name);

// For the header, with their contract.
std::string c_state_declarations(const Program& program, const std::string& name,
                                 const std::string& upper_name);

// Lines that return `result` (a space and a value, or nothing) where the user set no arena.
std::string c_arena_check(const std::string& name, std::string_view result);
// Of all states together; 0: none.
int64_t state_bytes(const Program& program);
// Lines that make the states as the model states them; `arena` is its first byte, initial values
// are the constants NAME_….
std::string state_reset_lines(const Program& program, const std::string& name,
                              const std::string& arena);
// Lines that copy the states to the pointer `to`, or from `from`.
std::string state_copy_lines(const Program& program, const std::string& arena, bool saves);

// For the source, behind the arena: the functions, and NAME_is_set, which the first run looks at.
std::string c_state_functions(const Program& program, const std::string& name);

}  // namespace netkit::emit
