// SPDX-License-Identifier: MIT
// The digit models of models/ with the outputs that other frameworks gave.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "compiler/driver/compile.h"
#include "compiler/driver/io/numbers.h"
#include "compiler/driver/cases/test_cases.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/import/import.h"

namespace netkit::driver {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kExpected = ".expected.bin";
constexpr size_t kIdxHeader = 16;
constexpr float kFloatTolerance = 1e-5f;

// A pixel is ink from 0 to 1.
Result<Bytes> input_of(std::span<const std::byte> pixels, const TensorType& type,
                       const std::string& where) {
  Bytes bytes;
  for (const std::byte pixel : pixels) {
    const auto ink = static_cast<float>(pixel);
    const double value =
        is_float(type.dtype) ? static_cast<double>(ink / 255.0f) : static_cast<double>(ink) / 255.0;
    NK_TRY(append_real(bytes, value, type, where));
  }
  return bytes;
}

Result<TestReport> run_model(const std::string& model, const Bytes& images,
                             const std::string& expected_path, size_t arena_bytes) {
  NK_ASSIGN(Compilation made, compile_file(model, {}));
  NK_ASSIGN(const Bytes expected, read_model_file(expected_path));
  const Schedule& schedule = made.program.schedule;
  if (schedule.inputs.size() != 1 || schedule.outputs.size() != 1) {
    return bad_input("not a model of one input and one output", model);
  }
  const TensorType& in = schedule.inputs[0].type;
  const TensorType& out = schedule.outputs[0].type;
  NK_ASSIGN(const int64_t pixels, element_count(in.dims));
  NK_ASSIGN(const int64_t out_bytes, byte_count(out.dtype, out.dims));
  const auto size = static_cast<size_t>(pixels), step = static_cast<size_t>(out_bytes);
  const size_t count = step == 0 ? 0 : expected.size() / step;
  if (count == 0 || size == 0 || (images.size() - kIdxHeader) / size < count) {
    return bad_input("its expected outputs and the digits differ in number", expected_path);
  }
  for (size_t i = 0; i < count; ++i) {
    NK_ASSIGN(Bytes input,
              input_of(std::span(images).subspan(kIdxHeader + i * size, size), in, model));
    const auto at = expected.begin() + static_cast<std::ptrdiff_t>(i * step);
    made.program.tests.push_back({fmt::format("digit{}", i),
                                  {std::move(input)},
                                  {Bytes(at, at + out_bytes)},
                                  is_float(out.dtype) ? kFloatTolerance : 0.0f});
  }
  NK_ASSIGN(Bytes file, write_nk(made.program));
  return run_test_cases_of(std::move(file), model, arena_bytes);
}

}  // namespace

Result<std::vector<TestReport>> run_bundled_cases(const std::string& folder, size_t arena_bytes) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.ends_with(kExpected)) names.push_back(name.substr(0, name.size() - kExpected.size()));
  }
  if (names.empty()) {
    return fail(ErrorCode::kUsage, "no .nk file is given and the bundled models are not here",
                folder, "netkit test FILE.nk …, or stand in netkit's source folder");
  }
  std::ranges::sort(names);
  NK_ASSIGN(const Bytes images, read_model_file(folder + "/digits-images.idx3-ubyte"));
  if (images.size() < kIdxHeader)
    return bad_input("cut short", folder + "/digits-images.idx3-ubyte");
  std::vector<TestReport> reports;
  for (const std::string& name : names) {
    const std::string stem = (fs::path(folder) / name).string();
    const std::string model = stem + (fs::exists(stem + ".tflite", error) ? ".tflite" : ".onnx");
    NK_ASSIGN(TestReport report,
              run_model(model, images, stem + std::string(kExpected), arena_bytes));
    reports.push_back(std::move(report));
  }
  return reports;
}

}  // namespace netkit::driver
