// SPDX-License-Identifier: MIT
#include "compiler/emit/c/c_emitter.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "compiler/emit/c/c_data.h"
#include "compiler/emit/c/c_names.h"
#include "compiler/emit/c/c_slicer.h"
#include "compiler/emit/c/c_state.h"
#include "compiler/emit/c/embedded_sources.h"

namespace netkit::emit {
namespace {

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

constexpr std::string_view kAlignedMacro = R"(#if defined(__GNUC__) || defined(__clang__)
#define NK_ALIGNED(n) __attribute__((aligned(n)))
#elif defined(_MSC_VER)
#define NK_ALIGNED(n) __declspec(align(n))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NK_ALIGNED(n) _Alignas(n)
#else
#error "netkit: define NK_ALIGNED(n) for this compiler"
#endif
)";

class Emitter {
 public:
  Emitter(const Program& program, const CEmitOptions& options)
      : program_(program), name_(options.name), upper_(upper(options.name)), options_(options) {
    const auto outside = [&](const InOut& io) {
      return program.buffer_offsets[static_cast<size_t>(io.buffer)] == kOutsideArena;
    };
    caller_io_ = std::ranges::any_of(schedule().inputs, outside) ||
                 std::ranges::any_of(schedule().outputs, outside);
  }

  Result<std::vector<OutputFile>> run() {
    NK_ASSIGN(const std::string kernels, kernel_code());
    const std::string data = constants() + parameters();
    // The spelling of an infinite clamp or a NaN constant.
    if (data.find("INFINITY") != std::string::npos || data.find("NAN") != std::string::npos) {
      includes_.insert("<math.h>");
    }
    std::string source = fmt::format("/* {}.c: made by netkit; see {}.h. */\n", name_, name_);
    source += fmt::format("#include \"{}.h\"\n\n#include <stddef.h>\n", name_);
    for (const std::string& include : includes_) source += fmt::format("#include {}\n", include);
    source += "\n";
    source += kernels + data + arena();
    source += c_state_functions(program_, name_);
    source += run_function();
    return std::vector<OutputFile>{{name_ + ".h", header()}, {name_ + ".c", std::move(source)}};
  }

 private:
  const Schedule& schedule() const { return program_.schedule; }
  const ScheduleStep& step_of(const PlacedStep& placed) const {
    return schedule().steps[static_cast<size_t>(placed.step)];
  }

  static std::string params_type(const OpDef& op) {
    return op.params_type.empty() ? fmt::format("nk_{}_params", op.name)
                                  : std::string(op.params_type);
  }

  Result<std::string> kernel_code() {
    std::vector<std::string> roots;
    for (const PlacedStep& placed : program_.order) {
      const ScheduleStep& step = step_of(placed);
      const std::string params = params_type(*step.op);
      if (std::ranges::find(roots, params) == roots.end()) roots.push_back(params);
      const std::string symbol(step.row->symbol);
      if (std::ranges::find(roots, symbol) == roots.end()) roots.push_back(symbol);
    }
    std::vector<std::string> externs;
    if (!options_.standalone) {
      std::erase_if(roots, [&](const std::string& root) {
        const bool kernel = !root.ends_with("_params");
        if (kernel) externs.push_back(root);
        return kernel;
      });
    }
    Result<Slice> cut = slice_sources(embedded_sources(), roots, options_.standalone);
    if (!cut) return bad_input(cut.error().message, place_of(cut.error().message));
    const Slice& slice = *cut;
    includes_.insert(slice.includes.begin(), slice.includes.end());
    includes_.insert("<string.h>");
    for (const auto* known : {"<stdint.h>", "<stddef.h>"}) includes_.erase(known);
    std::string code(kAlignedMacro);
    code += "\n" + slice.code;
    for (const std::string& symbol : externs) {
      code += fmt::format(
          "extern void {}(const void* params, const void* const* in, void* const* out,\n"
          "    void* scratch);\n",
          symbol);
    }
    return code;
  }

  // File and node of the step that a message about a kernel or its parameters is about.
  std::string place_of(std::string_view message) const {
    for (const PlacedStep& placed : program_.order) {
      const ScheduleStep& step = step_of(placed);
      for (const std::string& name : {std::string(step.row->symbol), params_type(*step.op)}) {
        if (message.find("'" + name + "'") == std::string_view::npos) continue;
        return fmt::format("{}: {} ({})", schedule().source, step.name, step.op->name);
      }
    }
    return schedule().source;
  }

  std::string constants() const {
    std::string text = "/* Weights and tables, in flash. */\n";
    for (const Constant& constant : schedule().constants) {
      text += c_array(symbol(constant.name), constant);
    }
    return text + "\n";
  }

  std::string symbol(std::string_view suffix) const { return fmt::format("{}_{}", name_, suffix); }

  std::string parameters() const {
    std::string text = "/* Parameters of each step, in flash. */\n";
    for (size_t i = 0; i < program_.order.size(); ++i) {
      const ScheduleStep& step = step_of(program_.order[i]);
      text += fmt::format("static const {} {}_params_{} = {};\n", params_type(*step.op), name_, i,
                          c_params(step.op->fields, step.params));
    }
    return text + "\n";
  }

  // Nothing lies in the arena: a model without steps or buffers of its own, --io caller.
  bool no_arena() const { return caller_io_ && program_.arena_bytes == 0; }

  std::string arena() const {
    std::string text =
        fmt::format("#ifdef NETKIT_EXTERNAL_ARENA\nunsigned char* {0}_arena;\n", name_);
    if (!no_arena()) {
      text +=
          fmt::format("#else\nstatic NK_ALIGNED({2}) unsigned char {0}_arena[{1}_ARENA_BYTES];\n",
                      name_, upper_, program_.arena_alignment);
    }
    return text + "#endif\n\n";
  }

  std::string at(int64_t offset) const { return fmt::format("{}_arena + {}", name_, offset); }

  // A caller's buffer goes by the name of the first input or output that it is.
  std::string place(int buffer) const {
    const int64_t offset = program_.buffer_offsets[static_cast<size_t>(buffer)];
    if (offset != kOutsideArena) return at(offset);
    std::string name;
    each_io([&](const char* way, size_t i, const InOut& io) {
      if (!name.empty() || io.buffer != buffer) return;
      name = fmt::format("{}{}", way[0] == 'i' ? "in" : "out", i);
    });
    return name;
  }

  std::string argument(const ScheduleArg& arg) const {
    if (arg.constant >= 0) {
      return symbol(schedule().constants[static_cast<size_t>(arg.constant)].name);
    }
    return arg.buffer < 0 ? "NULL" : place(arg.buffer);
  }

  std::string scratch(const PlacedStep& placed) const {
    if (no_arena()) return "NULL";
    return at(placed.scratch_bytes > 0 ? placed.scratch_offset : 0);
  }

  std::string list(const std::vector<ScheduleArg>& args) const {
    std::string text;
    for (const ScheduleArg& arg : args) {
      text +=
          fmt::format("{}{}", text.empty() ? "" : ",\n                            ", argument(arg));
    }
    return text.empty() ? "NULL" : text;
  }

  std::string step_call(size_t i) const {
    const PlacedStep& placed = program_.order[i];
    const ScheduleStep& step = step_of(placed);
    return fmt::format(
        "  {{ /* step {} of {}: {} {} */\n"
        "    const void* const in[] = {{{}}};\n"
        "    void* const out[] = {{{}}};\n"
        "    {}(&{}_params_{}, in, out, {});\n"
        "  }}\n",
        i + 1, program_.order.size(), step.op->name, for_comment(step.name), list(step.inputs),
        list(step.outputs), step.row->symbol, name_, i, scratch(placed));
  }

  std::string signature() const {
    std::string text = fmt::format("int {}_run(", name_);
    for (size_t i = 0; i < schedule().inputs.size(); ++i) {
      text += fmt::format("{}const {}* in{}", i == 0 ? "" : ", ",
                          c_type(schedule().inputs[i].type.dtype), i);
    }
    for (size_t i = 0; i < schedule().outputs.size(); ++i) {
      text += fmt::format("{}{}* out{}", i == 0 && schedule().inputs.empty() ? "" : ", ",
                          c_type(schedule().outputs[i].type.dtype), i);
    }
    return text + ")";
  }

  std::string run_function() const {
    std::string text;
    each_io([&](const char* way, size_t i, const InOut& io) {
      if (caller_io_) return;
      text += fmt::format("{0}* {1}_{2}{3}(void) {{ return ({0}*)(void*)({4}); }}\n",
                          c_type(io.type.dtype), name_, way, i, place(io.buffer));
    });
    text += "\n" + signature() + " {\n";
    if (!no_arena()) {
      text += fmt::format(
          "#ifdef NETKIT_EXTERNAL_ARENA\n"
          "  if ({0}_arena == NULL || ((uintptr_t){0}_arena & ({1}_ARENA_ALIGNMENT - 1)) != 0) "
          "return 1;\n"
          "#endif\n",
          name_, upper_);
    }
    each_io([&](const char* way, size_t i, const InOut&) {
      text += fmt::format("  if ({}{} == NULL) return 1;\n", way[0] == 'i' ? "in" : "out", i);
    });
    each_io([&](const char* way, size_t i, const InOut& io) {
      if (way[0] == 'i') text += copy_in(i, io);
    });
    if (!schedule().states.empty()) {
      text += fmt::format("  if ({0}_is_set == 0) {0}_reset();\n", name_);
    }
    for (size_t i = 0; i < program_.order.size(); ++i) text += step_call(i);
    each_io([&](const char* way, size_t i, const InOut& io) {
      if (way[0] == 'o') text += copy_out(i, io);
    });
    return text + "  return 0;\n}\n";
  }

  std::string copy_in(size_t i, const InOut& io) const {
    if (caller_io_) return "";
    return fmt::format("  if (in{0} != {1}_input{0}()) memcpy({1}_input{0}(), in{0}, {2});\n", i,
                       name_, io_bytes(io));
  }

  // A caller's output that is an input or another output under a second name is a copy of it.
  std::string copy_out(size_t i, const InOut& io) const {
    if (!caller_io_) {
      return fmt::format("  if (out{0} != {1}_output{0}()) memcpy(out{0}, {1}_output{0}(), {2});\n",
                         i, name_, io_bytes(io));
    }
    const std::string from = place(io.buffer);
    if (from == fmt::format("out{}", i)) return "";
    return fmt::format("  if ((const void*)out{0} != (const void*){1}) memcpy(out{0}, {1}, {2});\n",
                       i, from, io_bytes(io));
  }

  template <typename F>
  void each_io(F f) const {
    for (size_t i = 0; i < schedule().inputs.size(); ++i) f("input", i, schedule().inputs[i]);
    for (size_t i = 0; i < schedule().outputs.size(); ++i) f("output", i, schedule().outputs[i]);
  }

  static int64_t io_bytes(const InOut& io) {
    return byte_count(io.type.dtype, io.type.dims).value_or(0);
  }

  std::string figures() const {
    const int64_t weights = weight_bytes(program_), flash = model_flash_bytes(program_);
    return fmt::format(
        " *   {:<20} {} B, {} (class of plans: {}; lower bound {} B)\n"
        " *   {:<20} {}\n"
        " *   {:<20} {} B of weights and tables ({} B of arrays, {} B of parameters); kernels not "
        "counted\n"
        " *   {:<20} not measured; -fstack-usage states that of each function\n"
        " *   {:<20} {}\n"
        " *   float results need -ffp-contract=off where the compiler would fuse (GNU modes).\n"
        " */\n",
        "arena", program_.arena_bytes, program_.proven_minimal ? "proven minimal" : "not proven",
        program_.plan_class, program_.lower_bound_bytes, "inputs, outputs",
        caller_io_ ? "in the caller's buffers, not counted in the arena" : "in the arena", "flash",
        flash, weights, flash - weights, "stack", "MACs", total_macs(program_));
  }

  // The part of the header about buffers.
  std::string places() const {
    std::string text = fmt::format(
        "#ifdef NETKIT_EXTERNAL_ARENA\n"
        "/* Set it before the first run: {0}_ARENA_BYTES bytes, aligned to {0}_ARENA_ALIGNMENT. "
        "*/\n"
        "extern unsigned char* {1}_arena;\n"
        "#endif\n\n",
        upper_, name_);
    if (caller_io_) {
      return text +
             "/* Inputs and outputs stay in the buffers that are passed: none may overlap an "
             "output\n"
             " * or the arena; inputs are only read. */\n";
    }
    text += fmt::format(
        "/* The places of inputs and outputs in the arena: filling them and passing them to\n"
        " * {}_run copies nothing. An input's bytes may be overwritten by a run. */\n",
        name_);
    each_io([&](const char* way, size_t i, const InOut& io) {
      text += fmt::format("{}* {}_{}{}(void);\n", c_type(io.type.dtype), name_, way, i);
    });
    return text + "\n";
  }

  std::string header() const {
    const std::string guard = fmt::format("NETKIT_{}_H", upper_);
    std::string text = fmt::format("/* {}.h: made by netkit. Do not edit.\n", name_);
    for (const auto& [key, value] : program_.metadata) {
      text += fmt::format(" *   {:<20} {}\n", for_comment(key), for_comment(value));
    }
    text += figures();
    text += fmt::format("#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n", guard);
    text +=
        fmt::format("#define {}_ARENA_BYTES {}\n#define {}_ARENA_ALIGNMENT {}\n", upper_,
                    std::max<int64_t>(program_.arena_bytes, 1), upper_, program_.arena_alignment);
    text += fmt::format("#define {}_WEIGHT_BYTES {}\n", upper_, weight_bytes(program_));
    text += c_state_constants(program_, upper_);
    each_io([&](const char* way, size_t i, const InOut& io) { text += io_constants(way, i, io); });
    text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    text += places();
    text += c_state_declarations(program_, name_, upper_);
    text += fmt::format(
        "/* One inference. 0: done; 1: a pointer is null or misaligned. Not reentrant: it uses "
        "the arena. */\n"
        "{};\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        signature());
    return text;
  }

  std::string io_constants(const char* way, size_t i, const InOut& io) const {
    const std::string prefix = fmt::format("{}_{}{}", upper_, upper(way), i);
    std::string text =
        fmt::format("\n/* {} {}: {} {} */\n", way, i, for_comment(io.name), type_text(io.type));
    text += fmt::format("#define {}_ELEMS {}\n", prefix, element_count(io.type.dims).value_or(0));
    if (io.type.quant.scale.size() == 1) {
      text += fmt::format("#define {}_SCALE {}\n#define {}_ZERO_POINT ({})\n", prefix,
                          c_float(io.type.quant.scale[0]), prefix, io.type.quant.zero_point[0]);
    }
    return text;
  }

  const Program& program_;
  std::string name_, upper_;
  const CEmitOptions& options_;
  bool caller_io_ = false;
  std::set<std::string> includes_;
};

}  // namespace

Result<std::vector<OutputFile>> emit_c(const Program& program, const CEmitOptions& options) {
  if (!is_identifier(options.name)) {
    return fail(ErrorCode::kUsage, fmt::format("'{}' is not a C identifier", options.name),
                "--name", "use letters, digits and _, not starting with a digit");
  }
  if (shadows_system_header(options.name)) {
    return fail(ErrorCode::kUsage,
                fmt::format("{0}.h would hide the system header <{0}.h>", options.name), "--name",
                fmt::format("for example {}_model", options.name));
  }
  return Emitter(program, options).run();
}

int64_t weight_bytes(const Program& program) {
  int64_t bytes = 0;
  for (const Constant& constant : program.schedule.constants) {
    bytes += static_cast<int64_t>(constant.data->size());
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
