// SPDX-License-Identifier: MIT
#include "compiler/driver/cases/test_cases.h"

#include "compiler/driver/cases/legacy_cases.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_reader.h"
#include "compiler/import/import.h"
#include "runtime/host/self_tests.h"

namespace netkit::driver {
namespace {

// The real number that a stored one stands for.
double real_of(double stored, const TensorType& type) {
  if (type.quant.empty()) return stored;
  return (stored - static_cast<double>(type.quant.zero_point[0])) *
         static_cast<double>(type.quant.scale[0]);
}

struct Listening {
  const Session& session;
  TestReport& report;
};

void note_case(void* user, uint32_t, const char* name, const TestMismatch* mismatch) {
  if (mismatch == nullptr) return;
  const auto& [session, report] = *static_cast<Listening*>(user);
  const PortInfo& port = session.outputs()[mismatch->output];
  report.failures.push_back({name, port.name, mismatch->element,
                             real_of(mismatch->expected, port.type),
                             real_of(mismatch->got, port.type), false});
}

}  // namespace

Result<TestReport> run_test_cases(const std::string& path, size_t arena_bytes) {
  NK_ASSIGN(Bytes bytes, read_model_file(path));
  const ModelFormat format = sniff_format(bytes);
  if (format == ModelFormat::kNkLegacy) return run_legacy_cases(bytes, path, arena_bytes);
  if (format != ModelFormat::kNk) {
    return bad_input("not a .nk file", path, "make one with netkit compile --case-inputs");
  }
  return run_test_cases_of(std::move(bytes), path, arena_bytes);
}

Result<TestReport> run_test_cases_of(Bytes bytes, const std::string& path, size_t arena_bytes) {
  // Refuses a file that cannot run, or not in so large an arena, with a full message.
  NK_ASSIGN(const Session session, Session::from_nk(std::move(bytes), path, arena_bytes));
  TestReport report;
  report.file = path;
  Listening listening{session, report};
  netkit::TestReport counts;
  const std::span<const std::byte> file = session.nk_file();
  const Fault fault =
      run_self_tests(file.data(), file.size(), all_kernels(), counts, note_case, &listening);
  if (!fault.ok()) return std::unexpected(nk_error(fault, file, path));
  if (counts.passed + counts.failed == 0) {
    return bad_input("no test cases inside", path,
                     "embed some: netkit compile --case-inputs FILE --case-outputs FILE");
  }
  report.passed = static_cast<int>(counts.passed);
  report.failed = static_cast<int>(counts.failed);
  return report;
}

}  // namespace netkit::driver
