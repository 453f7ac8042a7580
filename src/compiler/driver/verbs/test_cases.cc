// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/test_cases.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "compiler/driver/session.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/import/import.h"
#include "runtime/nk/nk_view.h"

namespace netkit::driver {
namespace {

double real_of(const Bytes& bytes, const TensorType& type, size_t i) {
  const double q = element(bytes, type.dtype, i);
  if (type.quant.empty()) return q;
  return (q - static_cast<double>(type.quant.zero_point[0])) *
         static_cast<double>(type.quant.scale[0]);
}

// First element that differs by more than the tolerance; with tolerance 0, whose bytes differ.
std::optional<size_t> first_difference(const Bytes& got, const Bytes& want, const TensorType& type,
                                       double tolerance) {
  const size_t width = static_cast<size_t>(std::max(bits_of(type.dtype) / 8, 1));
  for (size_t i = 0; i < got.size() / width; ++i) {
    if (std::memcmp(got.data() + i * width, want.data() + i * width, width) == 0) continue;
    const double distance = std::abs(real_of(got, type, i) - real_of(want, type, i));
    if (!(tolerance > 0 && distance <= tolerance)) return i;
  }
  return std::nullopt;
}

struct Case {
  std::string name;
  double tolerance = 0;
  std::vector<Bytes> inputs, outputs;
};

size_t aligned(size_t at) {
  return (at + 15) & ~size_t{15};
}

// The runtime has verified the section: every case lies inside the file.
Case read_case(const NkView& view, const nk_file_section& section, uint32_t index) {
  const uint8_t* base = view.payload(section);
  nk_file_case record;
  std::memcpy(&record, base + index * sizeof record, sizeof record);
  Case out;
  out.name = view.string(record.name);
  out.tolerance = static_cast<double>(record.tolerance);
  size_t at = record.data_offset;
  const auto take = [&](const nk_file_tensor& tensor) {
    const auto* from = reinterpret_cast<const std::byte*>(base + at);
    at = aligned(at + tensor.bytes);
    return Bytes(from, from + tensor.bytes);
  };
  for (uint32_t i = 0; i < view.input_count(); ++i) out.inputs.push_back(take(view.input(i)));
  for (uint32_t i = 0; i < view.output_count(); ++i) out.outputs.push_back(take(view.output(i)));
  return out;
}

Result<void> run_case(Session& session, const Case& one, TestReport& report) {
  NK_ASSIGN(const std::vector<Bytes> got, session.run(one.inputs));
  for (size_t p = 0; p < got.size(); ++p) {
    const PortInfo& port = session.outputs()[p];
    const auto at = first_difference(got[p], one.outputs[p], port.type, one.tolerance);
    if (!at) continue;
    report.failures.push_back({one.name, port.name, *at, real_of(one.outputs[p], port.type, *at),
                               real_of(got[p], port.type, *at)});
    ++report.failed;
    return {};
  }
  ++report.passed;
  return {};
}

}  // namespace

Result<TestReport> run_test_cases(const std::string& path, size_t arena_bytes) {
  NK_ASSIGN(Bytes bytes, read_model_file(path));
  if (sniff_format(bytes) != ModelFormat::kNk) {
    return bad_input("not a .nk file", path, "make one with netkit compile --case-inputs");
  }
  NK_ASSIGN(Session session, Session::from_nk(std::move(bytes), path, arena_bytes));
  NkView view;
  view.open(session.nk_file().data(), session.nk_file().size());
  const nk_file_section* section = view.find_section(NK_SECTION_TESTS);
  if (section == nullptr || section->count == 0) {
    return bad_input("no test cases inside", path,
                     "embed some: netkit compile --case-inputs FILE --case-outputs FILE");
  }
  TestReport report;
  report.file = path;
  for (uint32_t i = 0; i < section->count; ++i) {
    NK_TRY(run_case(session, read_case(view, *section, i), report));
  }
  return report;
}

std::vector<std::string> nk_files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".nk") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

}  // namespace netkit::driver
