// SPDX-License-Identifier: MIT
// The shared folder's single-operator models with int16 activations, against outputs of TensorFlow
// Lite Micro's reference kernels: byte for byte.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/verbs/run.h"
#include "test_support.h"

namespace netkit::test {
namespace {

// The file beside the model whose name begins with `stem`.
std::string file_of(const std::filesystem::path& folder, const std::string& stem) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().filename().string().starts_with(stem)) return entry.path().string();
  }
  return "";
}

std::vector<double> csv(const std::string& path) {
  std::ifstream in(path);
  std::vector<double> values;
  for (std::string cell; std::getline(in, cell, ',');) {
    std::istringstream words(cell);
    for (double value; words >> value;) values.push_back(value);
  }
  return values;
}

std::vector<double> numbers(const Bytes& bytes, const TensorType& type) {
  std::vector<double> values(static_cast<size_t>(element_count(type.dims).value_or(0)));
  for (size_t i = 0; i < values.size(); ++i) values[i] = driver::element(bytes, type.dtype, i);
  return values;
}

std::vector<std::filesystem::path> models_below(const std::string& folder) {
  std::vector<std::filesystem::path> models;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".tflite") models.push_back(entry.path());
  }
  return models;
}

TEST(Seanet, EveryOperatorGivesTheGoldenBytes) {
  const auto shared = shared_folder();
  if (!shared) return;
  size_t equal = 0;
  for (const std::filesystem::path& path :
       models_below(*shared + "/models/conformance/tflm_seanet")) {
    const std::string name = path.stem().string();
    SCOPED_TRACE(path.string());
    driver::RunOptions options;
    for (int i = 0;; ++i) {
      const std::string input = file_of(path.parent_path(), fmt::format("{}_input{}_", name, i));
      if (input.empty()) break;
      options.inputs.push_back("=" + input);
    }
    const auto run = driver::run_model(path.string(), {}, options);
    ASSERT_TRUE(run.has_value()) << run.error().message;
    EXPECT_EQ(numbers(run->values[0], run->ports[0].type),
              csv(file_of(path.parent_path(), name + "_golden_")));
    ++equal;
  }
  EXPECT_GE(equal, 99u);
}

}  // namespace
}  // namespace netkit::test
