// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/build.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "compiler/driver/plan/memory_map.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/emit/output_files.h"
#include "compiler/import/import.h"
#include "compiler/ir/files/files_read.h"

namespace netkit::driver {
namespace {

// Bytes of one case: all tensors, one after the other.
Result<size_t> case_bytes(const std::vector<InOut>& ports) {
  size_t bytes = 0;
  for (const InOut& port : ports) {
    NK_ASSIGN(const int64_t one, byte_count(port.type.dtype, port.type.dims));
    bytes += static_cast<size_t>(one);
  }
  return bytes;
}

Result<std::vector<std::vector<Bytes>>> cut(const std::string& path,
                                            const std::vector<InOut>& ports) {
  NK_ASSIGN(const Bytes file, read_model_file(path));
  std::vector<size_t> sizes;
  for (const InOut& port : ports) {
    NK_ASSIGN(const int64_t bytes, byte_count(port.type.dtype, port.type.dims));
    sizes.push_back(static_cast<size_t>(bytes));
  }
  NK_ASSIGN(const size_t one, case_bytes(ports));
  if (one == 0 || file.size() % one != 0) {
    return bad_input(
        fmt::format("{} bytes are no multiple of the {} bytes of a case", file.size(), one), path,
        "give the raw bytes of every tensor, case after case");
  }
  std::vector<std::vector<Bytes>> cases(file.size() / one);
  auto at = file.begin();
  for (auto& tensors : cases) {
    for (const size_t size : sizes) {
      tensors.emplace_back(at, at + static_cast<std::ptrdiff_t>(size));
      at += static_cast<std::ptrdiff_t>(size);
    }
  }
  return cases;
}

}  // namespace

Result<std::vector<TestCase>> read_cases(const Schedule& schedule, const BuildOptions& build) {
  if (build.case_inputs.empty() != build.case_outputs.empty()) {
    return fail(ErrorCode::kUsage, "test cases need inputs and expected outputs", {},
                "give both --case-inputs and --case-outputs");
  }
  if (build.case_inputs.empty()) return std::vector<TestCase>{};
  NK_ASSIGN(auto inputs, cut(build.case_inputs, schedule.inputs));
  NK_ASSIGN(auto outputs, cut(build.case_outputs, schedule.outputs));
  const size_t count = build.cases > 0 ? static_cast<size_t>(build.cases) : inputs.size();
  if (inputs.size() < count || outputs.size() < count ||
      (build.cases == 0 && inputs.size() != outputs.size())) {
    NK_ASSIGN(const size_t in_bytes, case_bytes(schedule.inputs));
    NK_ASSIGN(const size_t out_bytes, case_bytes(schedule.outputs));
    return bad_input(
        fmt::format("{} B are {} cases of {} B, {} has {} B, which are {} cases of {} B{}",
                    inputs.size() * in_bytes, inputs.size(), in_bytes, build.case_outputs,
                    outputs.size() * out_bytes, outputs.size(), out_bytes,
                    build.cases > 0 ? fmt::format("; --cases asks for {}", count) : ""),
        build.case_inputs, "give raw bytes of the model's own types, as many cases in both files");
  }
  std::vector<TestCase> cases;
  for (size_t i = 0; i < count; ++i) {
    cases.push_back({fmt::format("case{}", i), std::move(inputs[i]), std::move(outputs[i]),
                     build.case_tolerance});
  }
  return cases;
}

Result<BuildReport> build_nk(const std::string& path, const CompileOptions& options,
                             const BuildOptions& build) {
  const FilesRead inputs;
  if (build.output.empty() && path.ends_with(".nk")) {
    return fail(ErrorCode::kUsage, "the new file would replace the model", path, "give -o FILE.nk");
  }
  BuildReport report;
  report.path = build.output;
  if (report.path.empty())
    report.path = std::filesystem::path(path).replace_extension(".nk").string();
  NK_TRY(FilesRead::declare(std::array{report.path, build.quant_report},
                            std::array{build.memory_map, build.case_inputs, build.case_outputs}));
  NK_ASSIGN(Compilation made, compile_file(path, options));
  NK_TRY(fits_arena(made.program.arena_bytes, build.arena_limit_bytes, path));
  NK_ASSIGN(std::vector<TestCase> cases, read_cases(made.program.schedule, build));
  if (!cases.empty()) made.program.tests = std::move(cases);
  NK_ASSIGN(const Bytes file, write_nk(made.program));
  NK_TRY(fits_memory_map(build.memory_map, made.program.arena_bytes,
                         static_cast<int64_t>(file.size()), path));
  std::vector<emit::OutputFile> files{
      {report.path, {reinterpret_cast<const char*>(file.data()), file.size()}}};
  if (made.quant && !build.quant_report.empty()) {
    files.push_back({build.quant_report, report_json(*made.quant)});
  }
  NK_TRY(emit::write_all(files));
  report.quant = std::move(made.quant);
  report.file_bytes = static_cast<int64_t>(file.size());
  report.arena_bytes = made.program.arena_bytes;
  report.lower_bound_bytes = made.program.lower_bound_bytes;
  report.proven_minimal = made.program.proven_minimal;
  report.plan_class = made.program.plan_class;
  report.tests = static_cast<int>(made.program.tests.size());
  report.warnings = std::move(made.warnings);
  return report;
}

}  // namespace netkit::driver
