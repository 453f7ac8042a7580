// SPDX-License-Identifier: MIT
// The public .nk files of versions 3 and 4 through the whole line.
#include "compiler/driver/cases/legacy_cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"
#include "compiler/driver/verbs/inspect.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/import/import.h"
#include "compiler/import/shared_folder.h"

namespace netkit::driver {
namespace {

namespace fs = std::filesystem;

constexpr int kAllCases = 81;
constexpr double kTwinTolerance = 1e-4;

std::string text_of(const Error& error) {
  return error.where + ": " + error.message + (error.items.empty() ? "" : "; " + error.items[0]);
}

TEST(LegacyFiles, EveryEmbeddedCasePasses) {
  const std::vector<fs::path> files = legacy_files();
  int passed = 0;
  for (const fs::path& file : files) {
    const auto report = run_test_cases(file.string(), 0);
    ASSERT_TRUE(report.has_value()) << text_of(report.error());
    EXPECT_EQ(report->failed, 0) << file;
    for (const CaseFailure& f : report->failures) {
      ADD_FAILURE() << file << ' ' << f.name << " element " << f.element << ": expected "
                    << f.expected << ", got " << f.got;
    }
    passed += report->passed;
  }
  EXPECT_EQ(passed, files.empty() ? 0 : kAllCases);
}

TEST(LegacyFiles, TheCompiledFileCarriesTheCasesAndPasses) {
  for (const fs::path& file : legacy_files()) {
    const auto made = compile_file(file.string(), {});
    ASSERT_TRUE(made.has_value()) << text_of(made.error());
    auto nk = write_nk(made->program);
    ASSERT_TRUE(nk.has_value()) << text_of(nk.error());
    const auto report = run_test_cases_of(std::move(*nk), file.string(), 0);
    ASSERT_TRUE(report.has_value()) << text_of(report.error());
    EXPECT_EQ(report->failed, 0) << file;
    EXPECT_GT(report->passed, 0) << file;
    constexpr uintmax_t kSmall = 100'000;  // bytes; each is compiled once more
    if (fs::file_size(file) > kSmall) continue;
    const auto shown = inspect_file(file.string(), {});
    ASSERT_TRUE(shown.has_value()) << text_of(shown.error());
    EXPECT_EQ(shown->test_cases, report->passed) << file;
  }
}

// Moves axis 1 of [1, c, h, w] to the end, or back.
std::vector<float> moved(const std::vector<float>& from, const Dims& nchw, bool to_nhwc) {
  const auto c = static_cast<size_t>(nchw[1]);
  const auto area = static_cast<size_t>(nchw[2] * nchw[3]);
  std::vector<float> out(from.size());
  for (size_t i = 0; i < c; ++i) {
    for (size_t p = 0; p < area; ++p) {
      const size_t last = p * c + i, first = i * area + p;
      if (to_nhwc) {
        out[last] = from[first];
      } else {
        out[first] = from[last];
      }
    }
  }
  return out;
}

std::vector<float> floats_of(const Bytes& bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

Bytes bytes_of(const std::vector<float>& values) {
  Bytes bytes(values.size() * sizeof(float));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// The twin's output in the older file's layout.
std::vector<float> run_twin(Session& twin, const std::vector<float>& input,
                            const TensorType& legacy_output) {
  const Dims in = twin.inputs()[0].type.dims;
  const auto out = twin.run({bytes_of(in.size() == 4 ? moved(input, in, false) : input)});
  EXPECT_TRUE(out.has_value());
  if (!out) return {};
  std::vector<float> values = floats_of((*out)[0]);
  const Dims& dims = legacy_output.dims;
  const bool image = dims.size() == 4;  // the twin may state it flat
  return image ? moved(values, {1, dims[3], dims[1], dims[2]}, true) : values;
}

TEST(LegacyFiles, OnnxTwinsGiveTheSameNumbers) {
  int twins = 0;
  for (const fs::path& file : legacy_files()) {
    const fs::path onnx = fs::path(file).replace_extension(".onnx");
    if (!fs::exists(onnx)) continue;
    const auto cases = legacy_cases(*read_model_file(file.string()));
    auto ours = Session::open(file.string(), {});
    auto twin = Session::open(onnx.string(), {});
    ASSERT_TRUE(cases && ours && twin) << file;
    ++twins;
    double greatest = 0;
    for (const LegacyCase& c : cases->list) {
      const auto got = ours->run({c.input});
      ASSERT_TRUE(got.has_value());
      const std::vector<float> a = floats_of((*got)[0]);
      const std::vector<float> b = run_twin(*twin, floats_of(c.input), ours->outputs()[0].type);
      ASSERT_EQ(a.size(), b.size()) << file;
      for (size_t i = 0; i < a.size(); ++i) {
        const double x = static_cast<double>(a[i]), y = static_cast<double>(b[i]);
        greatest = std::max(greatest, std::fabs(x - y) / std::max(1.0, std::fabs(y)));
      }
    }
    std::printf("%s: greatest difference %.3g\n", onnx.filename().c_str(), greatest);
    EXPECT_LE(greatest, kTwinTolerance) << file;
  }
  std::printf("%d twins\n", twins);
}

struct ArenaBound {
  const char* file;
  int64_t bytes;
};

class LegacyArena : public testing::TestWithParam<ArenaBound> {};

TEST_P(LegacyArena, IsAtMost) {
  const auto shared = shared_folder();
  if (!shared) return;
  const auto made = compile_file((*shared / "models" / "nk_legacy" / GetParam().file).string(), {});
  ASSERT_TRUE(made.has_value()) << text_of(made.error());
  std::printf("%s: arena %lld B%s\n", GetParam().file,
              static_cast<long long>(made->program.arena_bytes),
              made->program.proven_minimal ? ", proven minimal" : "");
  EXPECT_LE(made->program.arena_bytes, GetParam().bytes);
}

INSTANTIATE_TEST_SUITE_P(Files, LegacyArena,
                         testing::Values(ArenaBound{"mobilenetv4_small_int8.nk", 36 * 1024},
                                         ArenaBound{"mnist_cnn_int8.nk", 27040},
                                         ArenaBound{"mnist_cnn.nk", 108160}),
                         [](const auto& param) {
                           const std::string name = param.param.file;
                           return name.substr(0, name.find('.'));
                         });

}  // namespace
}  // namespace netkit::driver
