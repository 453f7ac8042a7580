// SPDX-License-Identifier: MIT
// C++17: a namespace with constants and a class Model; as many models at once as there are arenas.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/c/c_data.h"
#include "compiler/emit/c/c_state.h"
#include "compiler/emit/slice/names.h"
#include "compiler/emit/source/cpp_words.h"
#include "compiler/emit/source/faces.h"

namespace netkit::emit {
namespace {

// The range of a quantised port that takes real values.
struct Range {
  nk_dtype dtype;
  int low, high;
};
constexpr Range kRanges[] = {{NK_INT8, -128, 127}, {NK_UINT8, 0, 255}, {NK_INT16, -32768, 32767}};

const Range* range_of(const TensorType& type) {
  if (type.quant.scale.size() != 1) return nullptr;
  const auto it = std::ranges::find(kRanges, type.dtype, &Range::dtype);
  return it == std::end(kRanges) ? nullptr : it;
}

// Nearest, ties away from zero, clamped; as netkit/model.hpp has it.
constexpr std::string_view kQuantized = R"(
int32_t quantized(float real, float scale, int32_t zero, int32_t low, int32_t high) {
  const float q = real / scale;
  if (!(q == q)) return zero;
  if (q >= static_cast<float>(high) - static_cast<float>(zero)) return high;
  if (q <= static_cast<float>(low) - static_cast<float>(zero)) return low;
  const int32_t whole = static_cast<int32_t>(q);
  const float rest = q - static_cast<float>(whole);
  return whole + zero + (rest >= 0.5f ? 1 : (rest <= -0.5f ? -1 : 0));
}
)";

class CppFace {
 public:
  CppFace(const Program& program, const CEmitOptions& options)
      : parts_(program, options, "arena_"), options_(options), name_(options.name) {
    bool all_int8 = true;
    takes_real_ = !parts_.caller_io();
    parts_.each_port([&](const char*, size_t, const InOut& io) {
      all_int8 = all_int8 && io.type.dtype == NK_INT8;
      takes_real_ = takes_real_ && range_of(io.type) != nullptr;
    });
    is_int8_ = all_int8;
  }

  Result<std::vector<OutputFile>> run() {
    if (is_cpp_word(name_)) {
      return fail(ErrorCode::kUsage, fmt::format("'{}' is a word of C++", name_), "--name",
                  fmt::format("for example {}_model", name_));
    }
    std::set<std::string> includes = {"<string.h>"};
    std::string body;
    if (options_.lowered) {
      NK_ASSIGN(body, parts_.definitions(includes));
    } else {
      NK_ASSIGN(embedded_, embedded_nk(parts_));
      body = embedded_.definitions;
    }
    std::string source = fmt::format("// {0}.cpp: made by netkit; see {0}.hpp.\n", name_);
    source += fmt::format("#include \"{}.hpp\"\n\n#include <stddef.h>\n", name_);
    for (const std::string& include : includes) source += fmt::format("#include {}\n", include);
    source += fmt::format("\nnamespace {} {{\n", name_) + in_order(body) + members();
    source += fmt::format("\n}}  // namespace {}\n", name_);
    return std::vector<OutputFile>{{name_ + ".hpp", header()}, {name_ + ".cpp", std::move(source)}};
  }

 private:
  const Program& program() const { return parts_.program(); }

  // Kernels and tables are this file's own; the .nk file is the header's.
  std::string in_order(const std::string& body) const {
    const std::string helpers = takes_real_ ? std::string(kQuantized) : "";
    if (!options_.lowered) {
      return body + (helpers.empty() ? "" : "namespace {\n" + helpers + "}  // namespace\n");
    }
    return (options_.standalone ? "" : "\n" + parts_.kernel_declarations()) + "\nnamespace {\n\n" +
           body + helpers + "\n}  // namespace\n";
  }

  std::string load() const {
    std::string text = fmt::format(
        "\nbool Model::load(void* memory, std::size_t bytes) {{\n"
        "  arena_ = nullptr;\n"
        "  if (memory == nullptr) return false;\n"
        "  unsigned char* at = static_cast<unsigned char*>(memory);\n"
        "  const std::size_t past = reinterpret_cast<std::uintptr_t>(at) % kArenaAlignment;\n"
        "  const std::size_t skipped = past == 0 ? 0 : kArenaAlignment - past;\n"
        "  if (bytes < kArenaBytes || bytes - kArenaBytes < skipped) return false;\n");
    if (!options_.lowered) {
      text += fmt::format(
          "  if (nk_program_load_with(&program_, {0}_nk, kNkBytes, at + skipped, kArenaBytes,\n"
          "                           {0}_kernels, {1}, NK_CHECK_NONE) != NK_OK) {{\n"
          "    return false;\n  }}\n",
          name_, embedded_.kernels);
    }
    text += "  arena_ = at + skipped;\n";
    if (has_state() && options_.lowered) text += "  reset();\n";
    text += "  return true;\n}\n";
    return text + fmt::format(
                      "\n#ifndef NETKIT_EXTERNAL_ARENA\n"
                      "bool Model::load() {{\n"
                      "  static NK_ALIGNED({}) unsigned char memory[kArenaBytes];\n"
                      "  return load(memory, sizeof memory);\n}}\n"
                      "#endif\n",
                      program().arena_alignment);
  }

  bool has_state() const { return !program().schedule.states.empty(); }

  std::string state_members() const {
    if (!has_state()) return "";
    std::string text = "\nvoid Model::reset() {\n  if (arena_ == nullptr) return;\n";
    text += options_.lowered ? state_reset_lines(program(), name_, "arena_")
                             : "  load(arena_, kArenaBytes);\n";
    text += "}\n";
    for (const bool saves : {true, false}) {
      text += fmt::format(
          "\nbool Model::{} {{\n  if (arena_ == nullptr || {} == nullptr) return false;\n{}",
          saves ? "save_state(void* to) const" : "restore_state(const void* from)",
          saves ? "to" : "from", state_copy_lines(program(), "arena_", saves));
      text += "  return true;\n}\n";
    }
    return text;
  }

  std::string forward() const {
    std::string text = fmt::format("\nbool Model::forward({}) {{\n", parts_.port_list());
    text += "  if (arena_ == nullptr) return false;\n";
    text += parts_.null_checks("false") + parts_.copies_in();
    text += options_.lowered ? parts_.calls()
                             : "  if (nk_program_run(&program_) != NK_OK) return false;\n";
    return text + parts_.copies_out() + "  return true;\n}\n";
  }

  // Real values through the scales of the ports.
  std::string real_forward() const {
    std::string text = fmt::format("\nbool Model::forward({}) {{\n", parts_.port_list("float"));
    text += "  if (arena_ == nullptr) return false;\n" + parts_.null_checks("false");
    std::string args;
    parts_.each_port([&](const char* way, size_t i, const InOut& io) {
      args += fmt::format("{}{}{}()", args.empty() ? "" : ", ", way, i);
      if (way[0] != 'i') return;
      const Range& range = *range_of(io.type);
      text += fmt::format(
          "  for (std::size_t i = 0; i < kInput{0}Elems; ++i) {{\n"
          "    input{0}()[i] = static_cast<{1}>(\n"
          "        quantized(in{0}[i], kInput{0}Scale, kInput{0}ZeroPoint, {2}, {3}));\n  }}\n",
          i, c_type(io.type.dtype), range.low, range.high);
    });
    text += fmt::format("  if (!forward({})) return false;\n", args);
    parts_.each_port([&](const char* way, size_t i, const InOut&) {
      if (way[0] == 'i') return;
      text += fmt::format(
          "  for (std::size_t i = 0; i < kOutput{0}Elems; ++i) {{\n"
          "    out{0}[i] = kOutput{0}Scale * static_cast<float>(output{0}()[i] - "
          "kOutput{0}ZeroPoint);\n  }}\n",
          i);
    });
    return text + "  return true;\n}\n";
  }

  std::string members() const {
    std::string text = load();
    parts_.each_port([&](const char* way, size_t i, const InOut& io) {
      if (parts_.caller_io()) return;
      text += fmt::format(
          "\n{0}* Model::{1}{2}() const {{\n"
          "  return arena_ == nullptr ? nullptr : ({0}*)(void*)({3});\n}}\n",
          c_type(io.type.dtype), way, i, parts_.place(io.buffer));
    });
    text += state_members() + forward();
    if (takes_real_) text += real_forward();
    return text;
  }

  std::string port_constants(const char* way, size_t i, const InOut& io) const {
    const std::string prefix = fmt::format("k{}put{}", way[0] == 'i' ? "In" : "Out", i);
    std::string text =
        fmt::format("\n// {} {}: {} {}\n", way, i, for_comment(io.name), type_text(io.type));
    text += fmt::format("inline constexpr std::size_t {}Elems = {};\n", prefix,
                        element_count(io.type.dims).value_or(0));
    if (io.type.quant.scale.size() == 1) {
      text += fmt::format(
          "inline constexpr float {0}Scale = {1};\n"
          "inline constexpr std::int32_t {0}ZeroPoint = {2};\n",
          prefix, c_float(io.type.quant.scale[0]), io.type.quant.zero_point[0]);
    }
    return text;
  }

  std::string constants() const {
    const int64_t bytes = parts_.arena_bytes(), alignment = program().arena_alignment;
    std::string text = fmt::format(
        "// {}\n"
        "inline constexpr bool kLowered = {};\n"
        "inline constexpr std::size_t kArenaBytes = {};\n"
        "inline constexpr std::size_t kArenaAlignment = {};\n"
        "// A buffer of any alignment that takes the arena.\n"
        "inline constexpr std::size_t kArenaBytesRecommended = {};\n"
        "inline constexpr std::size_t kWeightBytes = {};\n",
        options_.lowered ? "A chain of kernel calls; false: a .nk file and libnetkit's interpreter."
                         : "A .nk file and libnetkit's interpreter; true: a chain of kernel calls.",
        options_.lowered, bytes, alignment, bytes + alignment - 1, weight_bytes(program()));
    if (has_state()) {
      text +=
          fmt::format("inline constexpr std::size_t kStateBytes = {};\n", state_bytes(program()));
    }
    if (!options_.lowered) {
      text += fmt::format(
          "inline constexpr std::size_t kNkBytes = {};\nextern const uint8_t {}_nk[kNkBytes];\n",
          embedded_.bytes, name_);
    }
    parts_.each_port(
        [&](const char* way, size_t i, const InOut& io) { text += port_constants(way, i, io); });
    return text;
  }

  std::string class_text() const {
    std::string text =
        "\n// One thread at a time; as many models side by side as there are arenas.\n"
        "class Model {\n public:\n"
        "#ifndef NETKIT_EXTERNAL_ARENA\n"
        "  // In the arena of the source file: one Model at a time.\n"
        "  bool load();\n"
        "#endif\n"
        "  // In a buffer of the caller's, which stays in place while the model is used. false: "
        "it\n"
        "  // has fewer than kArenaBytes behind its first multiple of kArenaAlignment.\n"
        "  bool load(void* memory, std::size_t bytes);\n"
        "  // In memory of an arena that has alloc(bytes, alignment), such as netkit::Arena.\n"
        "  template <typename Arena>\n"
        "  bool load(Arena& arena) {\n"
        "    return load(arena.alloc(kArenaBytes, kArenaAlignment), kArenaBytes);\n"
        "  }\n\n";
    text += fmt::format(
        "  // One inference. false: nothing is loaded, or a pointer is null.\n"
        "  bool forward({});\n",
        parts_.port_list());
    if (takes_real_) {
      text += fmt::format(
          "  // The same of real values: quantised to nearest, the outputs dequantised.\n"
          "  bool forward({});\n",
          parts_.port_list("float"));
    }
    text += is_int8_ ? fmt::format("  bool forwardInt8({}) {{ return forward({}); }}\n",
                                   parts_.port_list(), port_names())
                     : fmt::format(
                           "  // false: not every input and output is int8.\n"
                           "  bool forwardInt8({}) {{ return false; }}\n",
                           unnamed_ports());
    if (has_state()) {
      text +=
          "\n  // State, which lives in the arena from one run to the next; load resets it. save "
          "and restore\n"
          "  // copy kStateBytes bytes; false: nothing is loaded, or the pointer is null.\n"
          "  void reset();\n"
          "  bool save_state(void* to) const;\n"
          "  bool restore_state(const void* from);\n";
    }
    if (!parts_.caller_io()) {
      text +=
          "\n  // Places in the arena: filling and passing them copies nothing; nullptr before "
          "load.\n"
          "  // An input's bytes may be overwritten by a run.\n";
    }
    parts_.each_port([&](const char* way, size_t i, const InOut& io) {
      if (parts_.caller_io()) return;
      text += fmt::format("  {}* {}{}() const;\n", c_type(io.type.dtype), way, i);
    });
    text += "\n private:\n  unsigned char* arena_ = nullptr;\n";
    if (!options_.lowered) text += "  nk_program_t program_ = {};\n";
    return text + "};\n";
  }

  std::string port_names() const {
    std::string text;
    parts_.each_port([&](const char* way, size_t i, const InOut&) {
      text += fmt::format("{}{}{}", text.empty() ? "" : ", ", way[0] == 'i' ? "in" : "out", i);
    });
    return text;
  }

  std::string unnamed_ports() const {
    std::string text;
    parts_.each_port([&](const char* way, size_t, const InOut&) {
      text += fmt::format("{}{}int8_t*", text.empty() ? "" : ", ", way[0] == 'i' ? "const " : "");
    });
    return text;
  }

  std::string header() const {
    const std::string guard = fmt::format("NETKIT_{}_HPP", name_);
    std::string text = fmt::format("/* {}.hpp: made by netkit. Do not edit.\n", name_);
    text += parts_.about() + " */\n";
    text += fmt::format("#ifndef {0}\n#define {0}\n\n#include <stdint.h>\n\n#include <cstddef>\n",
                        guard);
    text += "#include <cstdint>\n\n";
    if (!options_.lowered) text += "#include \"netkit.h\"\n\n";
    text += fmt::format("namespace {} {{\n\n", name_);
    return text + constants() + class_text() +
           fmt::format("\n}}  // namespace {}\n\n#endif\n", name_);
  }

  SourceParts parts_;
  const CEmitOptions& options_;
  std::string name_;
  bool is_int8_ = false, takes_real_ = false;
  EmbeddedNk embedded_;
};

}  // namespace

Result<std::vector<OutputFile>> cpp_face(const Program& program, const CEmitOptions& options) {
  return CppFace(program, options).run();
}

}  // namespace netkit::emit
