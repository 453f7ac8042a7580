// SPDX-License-Identifier: MIT
#include "compiler/emit/source/source_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "compiler/emit/c/c_data.h"
#include "compiler/emit/slice/embedded_sources.h"
#include "compiler/emit/slice/names.h"
#include "compiler/emit/slice/slicer.h"

namespace netkit::emit {
namespace {

std::string params_type(const OpDef& op) {
  return op.params_type.empty() ? fmt::format("nk_{}_params", op.name)
                                : std::string(op.params_type);
}

void add_once(std::vector<std::string>& list, std::string item) {
  if (std::ranges::find(list, item) == list.end()) list.push_back(std::move(item));
}

}  // namespace

const std::string_view kAlignedMacro = R"(#if defined(__GNUC__) || defined(__clang__)
#define NK_ALIGNED(n) __attribute__((aligned(n)))
#elif defined(_MSC_VER)
#define NK_ALIGNED(n) __declspec(align(n))
#elif defined(__STDC_VERSION__) && __STDC_VERSION__ >= 201112L
#define NK_ALIGNED(n) _Alignas(n)
#else
#error "netkit: define NK_ALIGNED(n) for this compiler"
#endif

)";

std::string upper(std::string text) {
  for (char& c : text) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return text;
}

SourceParts::SourceParts(const Program& program, const CEmitOptions& options, std::string arena)
    : program_(program), options_(options), arena_(std::move(arena)) {
  const auto outside = [&](const InOut& io) {
    return program.buffer_offsets[static_cast<size_t>(io.buffer)] == kOutsideArena;
  };
  caller_io_ = std::ranges::any_of(schedule().inputs, outside) ||
               std::ranges::any_of(schedule().outputs, outside);
}

Result<std::string> SourceParts::definitions(std::set<std::string>& includes) const {
  NK_ASSIGN(std::string text, kernels(includes));
  const std::string data = constants() + parameters();
  // The spelling of an infinite clamp or a NaN constant.
  const bool names_special =
      data.find("INFINITY") != std::string::npos || data.find("NAN") != std::string::npos;
  if (names_special) includes.insert("<math.h>");
  return text + data;
}

std::vector<std::string> SourceParts::kernel_symbols() const {
  std::vector<std::string> symbols;
  for (const PlacedStep& placed : program_.order) {
    add_once(symbols, std::string(step_of(placed).row->symbol));
  }
  return symbols;
}

std::string SourceParts::kernel_declarations() const {
  std::string code;
  for (const std::string& symbol : kernel_symbols()) {
    code += fmt::format(
        "{} void {}(const void* params, const void* const* in, void* const* out,\n"
        "    void* scratch);\n",
        options_.language == Language::kC ? "extern" : "extern \"C\"", symbol);
  }
  return code;
}

Result<std::string> SourceParts::kernels(std::set<std::string>& includes) const {
  std::vector<std::string> roots;
  for (const PlacedStep& placed : program_.order) {
    const ScheduleStep& step = step_of(placed);
    add_once(roots, params_type(*step.op));
    if (options_.standalone) add_once(roots, std::string(step.row->symbol));
  }
  Result<Slice> cut =
      slice_sources(embedded_sources(), roots, options_.standalone, options_.specialize);
  if (!cut) return bad_input(cut.error().message, place_of(cut.error().message));
  includes.insert(cut->includes.begin(), cut->includes.end());
  includes.insert("<string.h>");
  for (const auto* known : {"<stdint.h>", "<stddef.h>"}) includes.erase(known);
  std::string text(kAlignedMacro);
  text += cut->code;
  return text;
}

// File and node of the step that a message about a kernel or its parameters is about.
std::string SourceParts::place_of(std::string_view message) const {
  for (const PlacedStep& placed : program_.order) {
    const ScheduleStep& step = step_of(placed);
    for (const std::string& name : {std::string(step.row->symbol), params_type(*step.op)}) {
      if (message.find("'" + name + "'") == std::string_view::npos) continue;
      return fmt::format("{}: {} ({})", schedule().source, step.name, step.op->name);
    }
  }
  return schedule().source;
}

std::string SourceParts::constants() const {
  std::string text = "/* Weights and tables, in flash. */\n";
  for (const Constant& constant : schedule().constants) {
    text += c_array(symbol(constant.name), constant);
  }
  return text + "\n";
}

std::string SourceParts::symbol(std::string_view suffix) const {
  return fmt::format("{}_{}", options_.name, suffix);
}

std::string SourceParts::parameters() const {
  std::string text = "/* Parameters of each step, in flash. */\n";
  for (size_t i = 0; i < program_.order.size(); ++i) {
    const ScheduleStep& step = step_of(program_.order[i]);
    text += fmt::format("static const {} {}_params_{} = {};\n", params_type(*step.op),
                        options_.name, i, c_params(step.op->fields, step.params));
  }
  return text + "\n";
}

std::string SourceParts::at(int64_t offset) const {
  return fmt::format("{} + {}", arena_, offset);
}

// A caller's buffer goes by the name of the first input or output that it is.
std::string SourceParts::place(int buffer) const {
  const int64_t offset = program_.buffer_offsets[static_cast<size_t>(buffer)];
  if (offset != kOutsideArena) return at(offset);
  std::string name;
  each_port([&](const char* way, size_t i, const InOut& io) {
    if (!name.empty() || io.buffer != buffer) return;
    name = fmt::format("{}{}", way[0] == 'i' ? "in" : "out", i);
  });
  return name;
}

std::string SourceParts::argument(const ScheduleArg& arg) const {
  if (arg.constant >= 0) {
    return symbol(schedule().constants[static_cast<size_t>(arg.constant)].name);
  }
  return arg.buffer < 0 ? "NULL" : place(arg.buffer);
}

std::string SourceParts::scratch(const PlacedStep& placed) const {
  if (no_arena()) return "NULL";
  return at(placed.scratch_bytes > 0 ? placed.scratch_offset : 0);
}

std::string SourceParts::list(const std::vector<ScheduleArg>& args) const {
  std::string text;
  for (const ScheduleArg& arg : args) {
    text +=
        fmt::format("{}{}", text.empty() ? "" : ",\n                            ", argument(arg));
  }
  return text.empty() ? "NULL" : text;
}

std::string SourceParts::call(size_t i) const {
  const PlacedStep& placed = program_.order[i];
  const ScheduleStep& step = step_of(placed);
  return fmt::format(
      "  {{ /* step {} of {}: {} {} */\n"
      "    const void* const in[] = {{{}}};\n"
      "    void* const out[] = {{{}}};\n"
      "    {}(&{}_params_{}, in, out, {});\n"
      "  }}\n",
      i + 1, program_.order.size(), step.op->name, for_comment(step.name), list(step.inputs),
      list(step.outputs), step.row->symbol, options_.name, i, scratch(placed));
}

std::string SourceParts::calls() const {
  std::string text;
  for (size_t i = 0; i < program_.order.size(); ++i) text += call(i);
  return text;
}

std::string SourceParts::null_checks(std::string_view answer) const {
  std::string text;
  each_port([&](const char* way, size_t i, const InOut&) {
    text +=
        fmt::format("  if ({}{} == NULL) return {};\n", way[0] == 'i' ? "in" : "out", i, answer);
  });
  return text;
}

std::string SourceParts::copies_in() const {
  std::string text;
  for (size_t i = 0; !caller_io_ && i < schedule().inputs.size(); ++i) {
    text +=
        fmt::format("  if ((const void*)in{0} != (const void*)({1})) memcpy({1}, in{0}, {2});\n", i,
                    place(schedule().inputs[i].buffer), port_bytes(schedule().inputs[i]));
  }
  return text;
}

// A caller's output that is an input or another output under a second name is a copy of it.
std::string SourceParts::copies_out() const {
  std::string text;
  for (size_t i = 0; i < schedule().outputs.size(); ++i) {
    const InOut& io = schedule().outputs[i];
    const std::string from = place(io.buffer);
    if (from == fmt::format("out{}", i)) continue;
    text +=
        fmt::format("  if ((const void*)out{0} != (const void*)({1})) memcpy(out{0}, {1}, {2});\n",
                    i, from, port_bytes(io));
  }
  return text;
}

std::string SourceParts::port_list(std::string_view type) const {
  std::string text;
  each_port([&](const char* way, size_t i, const InOut& io) {
    const bool in = way[0] == 'i';
    text += fmt::format("{}{}{}* {}{}", text.empty() ? "" : ", ", in ? "const " : "",
                        type.empty() ? c_type(io.type.dtype) : type, in ? "in" : "out", i);
  });
  return text;
}

void SourceParts::each_port(const PortVisitor& visit) const {
  for (size_t i = 0; i < schedule().inputs.size(); ++i) visit("input", i, schedule().inputs[i]);
  for (size_t i = 0; i < schedule().outputs.size(); ++i) visit("output", i, schedule().outputs[i]);
}

int64_t SourceParts::port_bytes(const InOut& io) {
  return byte_count(io.type.dtype, io.type.dims).value_or(0);
}

std::string SourceParts::about() const {
  std::string text;
  for (const auto& [key, value] : program_.metadata) {
    text += fmt::format(" *   {:<20} {}\n", for_comment(key), for_comment(value));
  }
  const int64_t weights = weight_bytes(program_), flash = model_flash_bytes(program_);
  const auto line = [&](std::string_view name, const std::string& value) {
    text += fmt::format(" *   {:<20} {}\n", name, value);
  };
  line("arena", fmt::format("{} B, {} (class of plans: {}; lower bound {} B)", program_.arena_bytes,
                            program_.proven_minimal ? "proven minimal" : "not proven",
                            program_.plan_class, program_.lower_bound_bytes));
  line("inputs, outputs",
       caller_io_ ? "in the caller's buffers, not counted in the arena" : "in the arena");
  line("flash", fmt::format("{} B of weights and parameters ({} B and {} B); kernels not "
                            "counted",
                            flash, weights, flash - weights));
  line("stack", "not measured; -fstack-usage states that of each function");
  line("MACs", fmt::format("{}", total_macs(program_)));
  text += " *   float results need -ffp-contract=off where the compiler would fuse (GNU modes).\n";
  return text;
}

}  // namespace netkit::emit
