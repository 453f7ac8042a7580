// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/emit_model.h"

#include <fmt/format.h>

#include <array>
#include <cctype>

#include "compiler/driver/plan/memory_map.h"
#include "compiler/emit/output_files.h"
#include "compiler/emit/slice/names.h"
#include "compiler/emit/source/cpp_words.h"
#include "compiler/ir/files/files_read.h"

namespace netkit::driver {
namespace {

constexpr size_t kLargeText = size_t{32} << 20;

}  // namespace

std::string identifier_from_path(const std::string& path) {
  std::string stem = path.substr(path.find_last_of('/') + 1);
  stem = stem.substr(0, stem.rfind('.'));
  std::string out;
  for (const char c : stem) {
    const auto u = static_cast<unsigned char>(c);
    const bool plain = u < 0x80 && std::isalnum(u) != 0;
    out += plain ? static_cast<char>(std::tolower(u)) : '_';
  }
  const bool digit = out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0;
  const bool taken = emit::shadows_system_header(out) || emit::is_cpp_word(out);
  if (digit || taken) out = "model_" + out;
  return out.substr(0, 48);
}

namespace {

// Each option with what it cannot be beside.
Result<void> check_options(const EmitOptions& emit) {
  const auto refuse = [](const char* option, const char* why) {
    return fail(ErrorCode::kUsage, why, option, "leave one of them out");
  };
  if (!emit.lowered && emit.caller_io) {
    return refuse("--io caller", "the interpreter of --no-lower works in the arena");
  }
  if (!emit.lowered && emit.specialize) {
    return refuse("--specialize", "--no-lower leaves the kernels to the interpreter");
  }
  if (!emit.standalone && emit.specialize) {
    return refuse("--specialize", "--lib leaves the kernels in libnetkit");
  }
  return {};
}

}  // namespace

Result<emit::Language> language_named(const std::string& name) {
  if (name == "c") return emit::Language::kC;
  if (name == "cpp") return emit::Language::kCpp;
  return fail(ErrorCode::kUsage, "unknown language '" + name + "'", "--language", "c or cpp");
}

Result<bool> is_caller_io(const std::string& place) {
  if (place == "arena" || place == "caller") return place == "caller";
  return fail(ErrorCode::kUsage, "unknown place '" + place + "'", "--io", "arena or caller");
}

Result<EmitReport> emit_model(const std::string& path, const CompileOptions& compile,
                              const EmitOptions& emit) {
  const FilesRead inputs;
  NK_TRY(check_options(emit));
  CompileOptions options = compile;
  if (emit.caller_io) options.plan.in_out = plan::InOut::kCallerOwned;
  const std::string name = emit.name.empty() ? identifier_from_path(path) : emit.name;
  const bool is_c = emit.language == emit::Language::kC;
  NK_TRY(FilesRead::declare(std::array{emit.folder + "/" + name + (is_c ? ".h" : ".hpp"),
                                       emit.folder + "/" + name + (is_c ? ".c" : ".cpp")},
                            std::array{emit.memory_map}));
  NK_ASSIGN(const Compilation made, compile_file(path, options));
  NK_TRY(fits_arena(made.program.arena_bytes, emit.arena_limit_bytes, path));
  NK_TRY(fits_memory_map(emit.memory_map, made.program.arena_bytes,
                         emit::model_flash_bytes(made.program), path));
  emit::CEmitOptions c_options;
  c_options.name = name;
  c_options.standalone = emit.standalone;
  c_options.language = emit.language;
  c_options.lowered = emit.lowered;
  c_options.specialize = emit.specialize;
  NK_ASSIGN(const auto files, emit::emit_c(made.program, c_options));
  NK_TRY(emit::write_files(emit.folder, files));
  EmitReport report;
  report.name = c_options.name;
  for (const auto& file : files) report.files.push_back(emit.folder + "/" + file.name);
  report.arena_bytes = made.program.arena_bytes;
  report.weight_bytes = emit::weight_bytes(made.program);
  report.parameter_bytes = emit::model_flash_bytes(made.program) - report.weight_bytes;
  report.macs = emit::total_macs(made.program);
  report.proven_minimal = made.program.proven_minimal;
  report.plan_class = made.program.plan_class;
  report.warnings = made.warnings;
  size_t text_bytes = 0;
  for (const auto& file : files) text_bytes += file.text.size();
  if (text_bytes > kLargeText) {
    report.warnings.push_back(fmt::format(
        "{}: {} MiB of source: compilers are slow with it and take many times its size of "
        "memory; netkit compile makes a .nk file that a program maps",
        path, text_bytes >> 20));
  }
  return report;
}

}  // namespace netkit::driver
