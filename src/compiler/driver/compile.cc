// SPDX-License-Identifier: MIT
#include "compiler/driver/compile.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/aligned_block.h"
#include "compiler/driver/cases/legacy_cases.h"
#include "compiler/driver/fixed_inputs.h"
#include "compiler/emit/nk/nk_reader.h"
#include "compiler/import/import.h"

namespace netkit::driver {
namespace {

struct PhaseName {
  std::string_view name;
  Phase phase;
};
constexpr PhaseName kPhases[] = {{"import", Phase::kImport},     {"lower", Phase::kLower},
                                 {"quantise", Phase::kQuantise}, {"passes", Phase::kPasses},
                                 {"select", Phase::kSelect},     {"plan", Phase::kPlan}};

// A later phase knows the graph and not its file; what is wrong with an option stands there.
Error of_file(Error error, const std::string& path) {
  const bool named = error.code == ErrorCode::kUsage || error.where.starts_with(path);
  if (!named) error.where = error.where.empty() ? path : fmt::format("{}: {}", path, error.where);
  return error;
}

}  // namespace

const Phase* phase_from_name(std::string_view name) {
  const auto it = std::ranges::find(kPhases, name, &PhaseName::name);
  return it == std::end(kPhases) ? nullptr : &it->phase;
}

Result<Compilation> compile_file(const std::string& path, const CompileOptions& options) {
  NK_TRY(target_named(options.target));
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  return compile_bytes(bytes, path, options);
}

Result<Compilation> compile_bytes(std::span<const std::byte> bytes, const std::string& path,
                                  const CompileOptions& options) {
  if (sniff_format(bytes) == ModelFormat::kNk) {  // what is broken in it comes first
    const AlignedBlock block = AlignedBlock::copy_of(bytes);
    NK_TRY(read_nk({block.data(), block.size()}, path));
  }
  NK_ASSIGN(ForeignGraph foreign, import_model(bytes, path));
  CompileOptions left = options;
  NK_TRY(fix_inputs(foreign, left));
  auto compiled = compile_foreign(std::move(foreign), left);
  if (!compiled) return std::unexpected(of_file(std::move(compiled.error()), path));
  Compilation c = std::move(*compiled);
  for (std::string& warning : c.warnings) {
    if (!warning.starts_with(path)) warning = fmt::format("{}: {}", path, warning);
  }
  const bool planned = options.last == Phase::kPlan;
  if (planned && c.foreign.format == SourceFormat::kNkLegacy) {
    NK_ASSIGN(const LegacyCases cases, legacy_cases(bytes));
    c.program.tests = embedded_cases(cases, c.program.schedule.outputs[0].type);
  }
  return c;
}

Result<void> hears_options(const CompileOptions& options, const std::string& path,
                           std::string_view what, std::string_view hint,
                           std::initializer_list<std::string_view> heard) {
  for (const std::string& name : options.given) {
    if (std::ranges::find(heard, name) != heard.end()) continue;
    return fail(ErrorCode::kUsage, fmt::format("says nothing to {}, {}", path, what), name,
                std::string(hint));
  }
  return {};
}

Result<void> hears_no_options(const CompileOptions& options, const std::string& path) {
  return hears_options(options, path, "which holds a finished plan",
                       "give the model that it was made from");
}

Result<void> fits_arena(int64_t needed_bytes, std::optional<int64_t> limit_bytes,
                        const std::string& where) {
  if (!limit_bytes || needed_bytes <= *limit_bytes) return {};
  return fail(
      ErrorCode::kNo,
      fmt::format("does not fit: needs {} B, --arena gives {} B", needed_bytes, *limit_bytes),
      where,
      "netkit plan MODEL shows what is alive at the fullest step, --what-if what would help");
}

}  // namespace netkit::driver
