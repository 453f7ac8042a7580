// SPDX-License-Identifier: MIT
// What emitted C and C++ have in common: kernels, constants and parameters as text, a call per
// step, the places of buffers, and the comment that states what the model needs.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/emit/c/c_emitter.h"
#include "compiler/select/program.h"

namespace netkit::emit {

std::string upper(std::string text);

// NK_ALIGNED(n) for the compilers that C99 leaves alone.
extern const std::string_view kAlignedMacro;

// A port of the model: "input" or "output", its number, its place.
using PortVisitor = std::function<void(const char* way, size_t i, const InOut& io)>;

class SourceParts {
 public:
  // `arena` is the expression of the arena's first byte inside the run function.
  SourceParts(const Program& program, const CEmitOptions& options, std::string arena);

  const Program& program() const { return program_; }
  const CEmitOptions& options() const { return options_; }
  const Schedule& schedule() const { return program_.schedule; }
  // Inputs and outputs are buffers of the caller's (kOutsideArena).
  bool caller_io() const { return caller_io_; }
  // Nothing lies in the arena: a model without steps or buffers of its own, --io caller.
  bool no_arena() const { return caller_io_ && program_.arena_bytes == 0; }
  int64_t arena_bytes() const { return std::max<int64_t>(program_.arena_bytes, 1); }

  // Kernels (where they stand inside), constants and parameters; what they include joins
  // `includes`.
  Result<std::string> definitions(std::set<std::string>& includes) const;
  // Declarations of kernels that are linked, in the order of their first use.
  std::string kernel_declarations() const;
  // Symbols of the kernels, each once.
  std::vector<std::string> kernel_symbols() const;
  // A call of its kernel for each step.
  std::string calls() const;
  // "if (in0 == NULL) return 1;" per port.
  std::string null_checks(std::string_view answer) const;
  std::string copies_in() const;
  std::string copies_out() const;

  // "const int8_t* in0, int8_t* out0", with one C type for all ports where `type` is given.
  std::string port_list(std::string_view type = {}) const;
  void each_port(const PortVisitor& visit) const;
  // The expression of a buffer's first byte.
  std::string place(int buffer) const;
  static int64_t port_bytes(const InOut& io);

  // Lines of a comment: provenance and figures, each behind " *   ".
  std::string about() const;

 private:
  const ScheduleStep& step_of(const PlacedStep& placed) const {
    return schedule().steps[static_cast<size_t>(placed.step)];
  }
  Result<std::string> kernels(std::set<std::string>& includes) const;
  std::string constants() const;
  std::string parameters() const;
  std::string place_of(std::string_view message) const;
  std::string symbol(std::string_view suffix) const;
  std::string at(int64_t offset) const;
  std::string argument(const ScheduleArg& arg) const;
  std::string scratch(const PlacedStep& placed) const;
  std::string list(const std::vector<ScheduleArg>& args) const;
  std::string call(size_t i) const;

  const Program& program_;
  const CEmitOptions& options_;
  std::string arena_;
  bool caller_io_ = false;
};

}  // namespace netkit::emit
