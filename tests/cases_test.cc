// SPDX-License-Identifier: MIT
// The shared folder's small cases: models with right answers, models to refuse, broken files.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "compiler/driver/verbs/run.h"
#include "test_support.h"

namespace netkit::test {
namespace {

using Json = nlohmann::json;

Json read_json(const std::string& path) {
  std::ifstream in(path);
  return Json::parse(in, nullptr, false);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

Result<driver::RunReport> run_case(const std::string& folder, const Json& about) {
  driver::RunOptions options;
  for (const Json& input : about.value("inputs", Json::array())) {
    options.inputs.push_back(fmt::format("{}={}/{}", input.value("name", ""), folder,
                                         input.at("file").get<std::string>()));
  }
  options.repeat = about.value("repeat", 1);
  return driver::run_model(folder + "/" + about.at("model").get<std::string>(), {}, options);
}

template <typename T>
std::vector<double> widened(const Bytes& bytes) {
  std::vector<T> values(bytes.size() / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return std::vector<double>(values.begin(), values.end());
}

std::vector<double> numbers(nk_dtype dtype, const Bytes& bytes) {
  switch (dtype) {
    case NK_FLOAT32:
      return widened<float>(bytes);
    case NK_INT8:
      return widened<int8_t>(bytes);
    case NK_UINT8:
    case NK_BOOL:
      return widened<uint8_t>(bytes);
    case NK_INT16:
      return widened<int16_t>(bytes);
    case NK_INT32:
      return widened<int32_t>(bytes);
    case NK_INT64:
      return widened<int64_t>(bytes);
    default:
      return {};
  }
}

// "" where `got` is what the case wants.
std::string difference(const Json& wanted, const TensorType& type, const Bytes& got) {
  if (name_of(type.dtype) != wanted.at("dtype").get<std::string>()) {
    return fmt::format("dtype {}", name_of(type.dtype));
  }
  if (Json(type.dims) != wanted.at("shape")) return "shape " + Json(type.dims).dump();
  const std::vector<double> values = numbers(type.dtype, got);
  const Json& expected = wanted.at("values");
  if (values.size() != expected.size()) return fmt::format("{} values", values.size());
  const double tolerance = wanted.value("tolerance", 0.0);
  for (size_t i = 0; i < values.size(); ++i) {
    double want = std::nan("");
    if (expected[i].is_number()) want = expected[i].get<double>();
    if (expected[i].is_string()) want = expected[i] == "Infinity" ? HUGE_VAL : -HUGE_VAL;
    const double limit =
        type.dtype == NK_FLOAT32 ? tolerance * std::max(1.0, std::abs(want)) : tolerance;
    const bool same = values[i] == want || (std::isnan(values[i]) && std::isnan(want)) ||
                      std::abs(values[i] - want) <= limit;
    if (!same) return fmt::format("[{}] is {}, not {}", i, values[i], want);
  }
  return "";
}

void check_values(const std::string& id, const Json& about, const Result<driver::RunReport>& run) {
  if (!run) {
    EXPECT_TRUE(about.value("refusal_ok", false)) << id << ": " << run.error().message;
    return;
  }
  const Json& outputs = about.at("outputs");
  ASSERT_EQ(run->values.size(), outputs.size()) << id;
  for (size_t i = 0; i < outputs.size(); ++i) {
    EXPECT_EQ(difference(outputs[i], run->ports[i].type, run->values[i]), "")
        << id << ", output " << i;
  }
}

void check_refusal(const std::string& id, const Json& about, const Result<driver::RunReport>& run) {
  ASSERT_FALSE(run) << id << " is accepted";
  const Error& error = run.error();
  EXPECT_TRUE(error.code == ErrorCode::kInput || error.code == ErrorCode::kUsage) << id;
  std::string text = error.where + ": " + error.message + "\n" + error.hint;
  for (const std::string& item : error.items) text += "\n" + item;
  text = lower_case(text);
  const Json& names = about.at("names");
  EXPECT_TRUE(std::ranges::any_of(names,
                                  [&](const Json& name) {
                                    return text.find(lower_case(name.get<std::string>())) !=
                                           std::string::npos;
                                  }))
      << id << ": " << text << "\nnames none of " << names.dump();
}

TEST(Cases, EveryCaseIsAsItSays) {
  const auto shared = shared_folder();
  if (!shared) return;
  const std::string root = *shared + "/cases/";
  size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root)) {
    const std::string folder = entry.path().string();
    if (!std::filesystem::exists(folder + "/case.json")) continue;
    const Json about = read_json(folder + "/case.json");
    ASSERT_FALSE(about.is_discarded()) << folder;
    const std::string id = entry.path().filename().string();
    const auto run = run_case(folder, about);
    if (about.at("kind") == "value") {
      check_values(id, about, run);
    } else {
      check_refusal(id, about, run);
    }
    ++count;
  }
  EXPECT_GE(count, 188u);
}

}  // namespace
}  // namespace netkit::test
