// SPDX-License-Identifier: MIT
// Every public model imports or is refused for a reason named here; broken cases say why.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "compiler/import/import.h"
#include "compiler/import/shared_folder.h"
#include "compiler/import/soundness.h"

namespace netkit {
namespace {

namespace fs = std::filesystem;

// What is refused, by file name, and a word of the reason.
const std::map<std::string, std::string> kRefused = {
    {"lrt__blockwise_quantized.tflite", "block-wise"},
    {"quant__transpose.tflite", "schema version 2"},
    {"tfl__0_subgraphs.tflite", "no subgraph"},
    {"tfl__no_subgraphs.tflite", "no subgraph"},
    {"tfl__add_shared_tensors.tflite", "written twice"},
    {"tfl__test_model.tflite", "no options table"},
    {"tfl__test_model_versioned_ops.tflite", "no options table"},
    {"tfl__segment_sum_invalid_buffer.tflite", "read before"},
};

TEST(ImportShared, EveryModel) {
  const auto folder = shared_folder();
  if (!folder) return;
  size_t imported = 0;
  for (const fs::path& path : models_in(*folder / "models")) {
    const auto bytes = read_model_file(path.string());
    ASSERT_TRUE(bytes) << path;
    const auto graph = import_model(*bytes, path.string());
    const auto refused = kRefused.find(path.filename().string());
    if (refused == kRefused.end()) {
      EXPECT_TRUE(graph) << path << ": " << graph.error().where << ": " << graph.error().message;
      if (!graph) continue;
      ++imported;
      EXPECT_EQ(unsound_graph(*graph, *graph), "") << path;
      EXPECT_FALSE(to_text(*graph).empty());
    } else {
      ASSERT_FALSE(graph) << path;
      EXPECT_NE(graph.error().message.find(refused->second), std::string::npos) << path;
    }
  }
  EXPECT_GT(imported, 300u);
}

std::string lower_case(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Cases whose fault lies in what an operator means pass the import; those of structure may not.
const char* const kStructural[] = {
    "bad_file_cut_half", "bad_file_cut_nothing", "bad_file_length_beyond", "bad_file_text",
    "bad_init_dims_2_31_squared", "bad_init_dims_negative", "bad_init_external_itself_short",
    "bad_init_external_missing", "bad_init_external_parent", "bad_init_float_short",
    "bad_init_int8_empty", "bad_constant_empty", "bad_cycle", "bad_name_made_twice",
    "bad_output_not_made", "bad_undefined_name", "refuse_future_opset", "tfl_bad_buffer_index",
    "tfl_bad_conv_padding_7", "tfl_bad_cut_half", "tfl_bad_cut_twelve", "tfl_bad_dims_negative",
    "tfl_bad_dims_product_wraps", "tfl_bad_graph_output_index", "tfl_bad_identifier",
    "tfl_bad_no_subgraph", "tfl_bad_op_input_index", "tfl_bad_op_output_index",
    "tfl_bad_opcode_index", "tfl_bad_reads_before_written", "tfl_bad_root_outside",
    "tfl_bad_weights_beyond_buffer",
};

TEST(ImportShared, BrokenCasesNameTheFault) {
  const auto folder = shared_folder();
  if (!folder) return;
  for (const std::string id : kStructural) {
    std::ifstream file(*folder / "cases" / id / "case.json");
    const auto description = nlohmann::json::parse(file);
    const fs::path path = *folder / "cases" / id / description["model"].get<std::string>();
    const auto bytes = read_model_file(path.string());
    const auto graph = bytes ? import_model(*bytes, path.string())
                             : Result<ForeignGraph>(std::unexpected(bytes.error()));
    ASSERT_FALSE(graph) << id;
    const std::string text = lower_case(graph.error().message);
    const auto& names = description["names"];
    EXPECT_TRUE(std::ranges::any_of(names, [&](const auto& name) {
      return text.find(lower_case(name.template get<std::string>())) != std::string::npos;
    })) << id << ": " << text;
  }
}

TEST(ImportShared, GoodCasesImport) {
  const auto folder = shared_folder();
  if (!folder) return;
  for (const fs::path& path : models_in(*folder / "cases")) {
    std::ifstream file(path.parent_path() / "case.json");
    const auto description = nlohmann::json::parse(file);
    if (description["kind"] != "value") continue;
    const auto bytes = read_model_file(path.string());
    ASSERT_TRUE(bytes) << path;
    const auto graph = import_model(*bytes, path.string());
    EXPECT_TRUE(graph) << path << ": " << graph.error().message;
  }
}

}  // namespace
}  // namespace netkit
