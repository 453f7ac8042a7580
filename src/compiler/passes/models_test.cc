// SPDX-License-Identifier: MIT
// Public models from file to optimised graph: same function, no transposes left inside.
#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "compiler/import/import.h"
#include "compiler/import/shared_folder.h"
#include "compiler/lower/lower.h"
#include "compiler/passes/pass_check.h"
#include "compiler/passes/passes.h"

namespace netkit {
namespace {

namespace fs = std::filesystem;

Result<Graph> lowered_file(const fs::path& path) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path.string()));
  NK_ASSIGN(const ForeignGraph foreign, import_model(bytes, path.string()));
  NK_ASSIGN(Lowered lowered, lower(foreign, {}));
  return std::move(lowered.graph);
}

std::vector<fs::path> models() {
  const auto shared = shared_folder();
  std::vector<fs::path> out;
  if (!shared) return out;
  const auto add = [&](const char* folder, auto wanted) {
    for (const auto& entry : fs::directory_iterator(*shared / "models" / folder)) {
      const std::string extension = entry.path().extension().string();
      if ((extension == ".tflite" || extension == ".onnx") &&
          wanted(entry.path().filename().string())) {
        out.push_back(entry.path());
      }
    }
  };
  add("nk_legacy", [](const std::string&) { return true; });
  // The two others have int8 weights with float activations.
  add("mlperf_tiny", [](const std::string& name) {
    return name != "ad01_dynrange.tflite" && name != "kws_ref_model_float32.tflite";
  });
  add("tflm", [](const std::string& name) {
    return name == "person_detect.tflite" || name.starts_with("hello_world");
  });
  std::ranges::sort(out);
  return out;
}

// A transpose is in its place only where it turns the model's own layout: at an input or output.
std::vector<std::string> inner_transposes(const Graph& graph) {
  const Uses uses = uses_of(graph);
  const auto among = [](const std::vector<TensorId>& ids, TensorId id) {
    return std::ranges::find(ids, id) != ids.end();
  };
  std::vector<std::string> out;
  for (const Node& node : graph.nodes) {
    if (node.op != "transpose" || among(graph.inputs, node.inputs[0]) ||
        among(graph.outputs, node.outputs[0])) {
      continue;
    }
    out.push_back(node.name);
  }
  return out;
}

TEST(Models, OptimisedGraphsComputeTheSame) {
  for (const fs::path& path : models()) {
    SCOPED_TRACE(path.filename().string());
    const auto before = lowered_file(path);
    ASSERT_TRUE(before) << before.error().message << " " << before.error().where
                        << (before.error().items.empty() ? "" : before.error().items[0]);
    const auto after = optimise(*before, {});
    ASSERT_TRUE(after) << after.error().message << " " << after.error().where;
    EXPECT_EQ(inner_transposes(*after), std::vector<std::string>{}) << to_text(*after, 8);
    EXPECT_LE(after->nodes.size(), before->nodes.size());
    check::expect_same_function(*before, *after, 1e-5);
    for (const char* op : {"batch_norm", "copy", "erf"}) EXPECT_EQ(count_ops(*after, op), 0) << op;
    std::printf("%-40s %3zu nodes -> %2zu\n", path.filename().c_str(), before->nodes.size(),
                after->nodes.size());
    if (std::getenv("NETKIT_PRINT_GRAPHS") != nullptr) {
      std::printf("%s\n", to_text(*after, 8).c_str());
    }
  }
}

}  // namespace
}  // namespace netkit
