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

// For the source, behind the arena: the functions, and NAME_is_set, which the first run looks at.
std::string c_state_functions(const Program& program, const std::string& name);

}  // namespace netkit::emit
