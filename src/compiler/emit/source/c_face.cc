// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include "compiler/emit/c/c_data.h"
#include "compiler/emit/c/c_state.h"
#include "compiler/emit/slice/names.h"
#include "compiler/emit/source/faces.h"

namespace netkit::emit {
namespace {

class CFace {
 public:
  CFace(const Program& program, const CEmitOptions& options)
      : parts_(program, options, options.name + "_arena"),
        options_(options),
        name_(options.name),
        upper_(upper(options.name)) {}

  Result<std::vector<OutputFile>> run() {
    std::set<std::string> includes = {"<string.h>"};
    std::string body;
    if (options_.lowered) {
      NK_ASSIGN(body, parts_.definitions(includes));
      if (!options_.standalone) body += parts_.kernel_declarations();
    } else {
      NK_ASSIGN(embedded_, embedded_nk(parts_));
      body = embedded_.definitions;
      includes.insert("\"netkit.h\"");
    }
    std::string source = fmt::format("/* {}.c: made by netkit; see {}.h. */\n", name_, name_);
    source += fmt::format("#include \"{}.h\"\n\n#include <stddef.h>\n", name_);
    for (const std::string& include : includes) source += fmt::format("#include {}\n", include);
    source += "\n" + body + arena();
    source += options_.lowered ? c_state_functions(program(), name_) : load() + reload_functions();
    source += run_function();
    return std::vector<OutputFile>{{name_ + ".h", header()}, {name_ + ".c", std::move(source)}};
  }

 private:
  const Program& program() const { return parts_.program(); }

  std::string arena() const {
    std::string text =
        fmt::format("#ifdef NETKIT_EXTERNAL_ARENA\nunsigned char* {0}_arena;\n", name_);
    if (!parts_.no_arena()) {
      text +=
          fmt::format("#else\nstatic NK_ALIGNED({2}) unsigned char {0}_arena[{1}_ARENA_BYTES];\n",
                      name_, upper_, program().arena_alignment);
    }
    text += "#endif\n\n";
    if (options_.lowered) return text;
    return text + fmt::format(
                      "/* Loaded in the first run, and again when the arena is another. */\n"
                      "static nk_program_t {0}_program;\n"
                      "static const unsigned char* {0}_loaded;\n\n",
                      name_);
  }

  std::string signature() const { return fmt::format("int {}_run({})", name_, parts_.port_list()); }

  std::string load() const {
    return fmt::format(
        "static int {0}_load(void) {{\n"
        "  if ({0}_loaded == {0}_arena) return 0;\n"
        "  {0}_loaded = NULL;\n"
        "  if (nk_program_load_with(&{0}_program, {0}_nk, {1}_NK_BYTES, {0}_arena, "
        "{1}_ARENA_BYTES,\n"
        "                           {0}_kernels, {2}, NK_CHECK_NONE) != NK_OK) {{\n"
        "    return 1;\n"
        "  }}\n"
        "  {0}_loaded = {0}_arena;\n"
        "  return 0;\n}}\n\n",
        name_, upper_, embedded_.kernels);
  }

  // State of the interpreter's: loading sets it as the file states it.
  std::string reload_functions() const {
    if (program().schedule.states.empty()) return "";
    const std::string arena = name_ + "_arena";
    std::string text = fmt::format("void {0}_reset(void) {{ {0}_loaded = NULL; }}\n\n", name_);
    for (const bool saves : {true, false}) {
      text += fmt::format("int {0}_{1} {{\n{2}  if ({3} == NULL || {0}_load() != 0) return 1;\n{4}",
                          name_, saves ? "save_state(void* to)" : "restore_state(const void* from)",
                          c_arena_check(name_, " 1"), saves ? "to" : "from",
                          state_copy_lines(program(), arena, saves));
      text += "  return 0;\n}\n\n";
    }
    return text;
  }

  std::string run_function() const {
    std::string text;
    parts_.each_port([&](const char* way, size_t i, const InOut& io) {
      if (parts_.caller_io()) return;
      text += fmt::format("{0}* {1}_{2}{3}(void) {{ return ({0}*)(void*)({4}); }}\n",
                          c_type(io.type.dtype), name_, way, i, parts_.place(io.buffer));
    });
    text += "\n" + signature() + " {\n";
    if (!parts_.no_arena()) {
      text += fmt::format(
          "#ifdef NETKIT_EXTERNAL_ARENA\n"
          "  if ({0}_arena == NULL || ((uintptr_t){0}_arena & ({1}_ARENA_ALIGNMENT - 1)) != 0) "
          "return 1;\n"
          "#endif\n",
          name_, upper_);
    }
    text += parts_.null_checks("1");
    if (!options_.lowered) text += fmt::format("  if ({}_load() != 0) return 1;\n", name_);
    text += parts_.copies_in();
    if (options_.lowered && !program().schedule.states.empty()) {
      text += fmt::format("  if ({0}_is_set == 0) {0}_reset();\n", name_);
    }
    text += options_.lowered
                ? parts_.calls()
                : fmt::format("  if (nk_program_run(&{}_program) != NK_OK) return 1;\n", name_);
    return text + parts_.copies_out() + "  return 0;\n}\n";
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
    if (!options_.lowered) {
      text += fmt::format(
          "/* The model as a .nk file. */\nextern const uint8_t {}_nk[{}_NK_BYTES];\n\n", name_,
          upper_);
    }
    if (parts_.caller_io()) {
      return text +
             "/* Inputs and outputs stay in the buffers that are passed: none may overlap an "
             "output\n"
             " * or the arena; inputs are only read. */\n";
    }
    text += fmt::format(
        "/* The places of inputs and outputs in the arena: filling them and passing them to\n"
        " * {}_run copies nothing. An input's bytes may be overwritten by a run. */\n",
        name_);
    parts_.each_port([&](const char* way, size_t i, const InOut& io) {
      text += fmt::format("{}* {}_{}{}(void);\n", c_type(io.type.dtype), name_, way, i);
    });
    return text + "\n";
  }

  std::string header() const {
    const std::string guard = fmt::format("NETKIT_{}_H", name_);
    std::string text = fmt::format("/* {}.h: made by netkit. Do not edit.\n", name_);
    text += parts_.about() + " */\n";
    text += fmt::format("#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n", guard);
    text += fmt::format("#define {0}_ARENA_BYTES {1}\n#define {0}_ARENA_ALIGNMENT {2}\n", upper_,
                        parts_.arena_bytes(), program().arena_alignment);
    text += fmt::format("#define {}_WEIGHT_BYTES {}\n", upper_, weight_bytes(program()));
    text += c_state_constants(program(), upper_);
    if (!options_.lowered) text += fmt::format("#define {}_NK_BYTES {}\n", upper_, embedded_.bytes);
    parts_.each_port(
        [&](const char* way, size_t i, const InOut& io) { text += port_constants(way, i, io); });
    text += "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
    text += places() + c_state_declarations(program(), name_, upper_);
    text += fmt::format(
        "/* One inference. 0: done; 1: a pointer is null or misaligned. Not reentrant: it uses "
        "the arena. */\n"
        "{};\n\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n",
        signature());
    return text;
  }

  std::string port_constants(const char* way, size_t i, const InOut& io) const {
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

  SourceParts parts_;
  const CEmitOptions& options_;
  std::string name_, upper_;
  EmbeddedNk embedded_;
};

}  // namespace

Result<std::vector<OutputFile>> c_face(const Program& program, const CEmitOptions& options) {
  return CFace(program, options).run();
}

}  // namespace netkit::emit
