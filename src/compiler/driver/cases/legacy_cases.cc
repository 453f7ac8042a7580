// SPDX-License-Identifier: MIT
#include "compiler/driver/cases/legacy_cases.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "ops/common/host/op_quant.h"

namespace netkit::driver {
namespace {

bool is_quantised(const TensorType& type) {
  return type.dtype == NK_INT8 && type.quant.scale.size() == 1;
}

float tolerance_of(const LegacyCases& cases, const TensorType& output) {
  return is_quantised(output) ? std::max(cases.tolerance, output.quant.scale[0]) : cases.tolerance;
}

Bytes expected_bytes(const std::vector<float>& expected, const TensorType& output) {
  Bytes bytes;
  if (!is_quantised(output)) {
    bytes.resize(expected.size() * sizeof(float));
    if (!bytes.empty()) std::memcpy(bytes.data(), expected.data(), bytes.size());
    return bytes;
  }
  const TensorQuant quant = {output.quant.scale[0],
                             static_cast<int32_t>(output.quant.zero_point[0])};
  for (const float value : expected) {
    const int32_t step = std::clamp(quantized_value(value, quant), -128, 127);
    bytes.push_back(static_cast<std::byte>(static_cast<int8_t>(step)));
  }
  return bytes;
}

std::vector<float> real_values(const Bytes& bytes, const TensorType& type) {
  std::vector<float> values;
  if (!is_quantised(type)) {
    values.resize(bytes.size() / sizeof(float));
    if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
    return values;
  }
  for (const std::byte b : bytes) {
    const auto step = static_cast<int64_t>(static_cast<int8_t>(b)) - type.quant.zero_point[0];
    values.push_back(static_cast<float>(step) * type.quant.scale[0]);
  }
  return values;
}

size_t argmax(const std::vector<float>& values) {
  return static_cast<size_t>(std::ranges::max_element(values) - values.begin());
}

// What is wrong with one case's outputs; nothing: it passes.
std::optional<CaseFailure> fault_of(const LegacyCase& c, const std::vector<float>& got,
                                    const PortInfo& port, float tolerance) {
  for (size_t i = 0; i < got.size(); ++i) {
    const double off = std::fabs(static_cast<double>(got[i]) - static_cast<double>(c.expected[i]));
    if (!(off <= static_cast<double>(tolerance))) {
      return CaseFailure{c.name, port.name, i, c.expected[i], got[i], false};
    }
  }
  const auto greatest = [&](size_t i) { return got[i] >= got[argmax(got)]; };
  size_t best = argmax(got);
  if (is_quantised(port.type) && !greatest(argmax(c.expected))) best = argmax(c.expected);
  if (c.label >= 0 && !greatest(static_cast<size_t>(c.label))) best = static_cast<size_t>(c.label);
  if (best == argmax(got)) return std::nullopt;
  return CaseFailure{
      c.name, port.name, argmax(got), static_cast<double>(best), static_cast<double>(argmax(got)),
      true};
}

}  // namespace

std::vector<TestCase> embedded_cases(const LegacyCases& cases, const TensorType& output) {
  std::vector<TestCase> out;
  for (const LegacyCase& c : cases.list) {
    out.push_back(
        {c.name, {c.input}, {expected_bytes(c.expected, output)}, tolerance_of(cases, output)});
  }
  return out;
}

Result<TestReport> run_legacy_cases(std::span<const std::byte> bytes, const std::string& path,
                                    size_t arena_bytes) {
  NK_ASSIGN(const Compilation made, compile_bytes(bytes, path, {}));
  NK_ASSIGN(const LegacyCases cases, legacy_cases(bytes));
  if (cases.list.empty()) {
    return bad_input("no test cases inside", path,
                     "embed some: netkit compile --case-inputs FILE --case-outputs FILE");
  }
  NK_ASSIGN(Bytes file, write_nk(made.program));
  NK_ASSIGN(Session session, Session::from_nk(std::move(file), path, arena_bytes));
  const PortInfo& port = session.outputs()[0];
  TestReport report;
  report.file = path;
  for (const LegacyCase& c : cases.list) {
    NK_ASSIGN(const std::vector<Bytes> outputs, session.run({c.input}));
    const auto fault =
        fault_of(c, real_values(outputs[0], port.type), port, tolerance_of(cases, port.type));
    ++(fault ? report.failed : report.passed);
    if (fault) report.failures.push_back(*fault);
  }
  return report;
}

}  // namespace netkit::driver
