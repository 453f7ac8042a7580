// SPDX-License-Identifier: MIT
#include "compiler/driver/plan/offline_tflite.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "compiler/emit/tflm/offline_allocation.h"
#include "compiler/import/import.h"
#include "tflite_generated.h"

namespace netkit::driver {
namespace {

constexpr int64_t kAlignment = 16;  // TFLM's MicroArenaBufferAlignment()
constexpr int64_t kMaxBytes = int64_t{1} << 31;

struct TypeBytes {
  fbs::TensorType type;
  int64_t bytes;
};
constexpr TypeBytes kTypes[] = {
    {fbs::TensorType::FLOAT32, 4}, {fbs::TensorType::FLOAT16, 2}, {fbs::TensorType::INT32, 4},
    {fbs::TensorType::UINT8, 1},   {fbs::TensorType::INT64, 8},   {fbs::TensorType::BOOL, 1},
    {fbs::TensorType::INT16, 2},   {fbs::TensorType::INT8, 1},    {fbs::TensorType::FLOAT64, 8},
    {fbs::TensorType::UINT64, 8},  {fbs::TensorType::UINT32, 4},  {fbs::TensorType::UINT16, 2},
    {fbs::TensorType::BFLOAT16, 2}};

// Operators whose effects no tensor shows.
constexpr fbs::BuiltinOperator kOrdered[] = {
    fbs::BuiltinOperator::CALL_ONCE,     fbs::BuiltinOperator::IF,
    fbs::BuiltinOperator::WHILE,         fbs::BuiltinOperator::VAR_HANDLE,
    fbs::BuiltinOperator::READ_VARIABLE, fbs::BuiltinOperator::ASSIGN_VARIABLE,
    fbs::BuiltinOperator::CUSTOM};

std::string tensor_name(const fbs::Tensor& tensor, size_t index) {
  const std::string own = tensor.name() == nullptr ? std::string() : tensor.name()->str();
  return fmt::format("{}:{}", index, own);
}

// 0: nothing for TFLM to plan.
Result<int64_t> planned_bytes(const fbs::Model& model, const fbs::Tensor& tensor,
                              const std::string& name) {
  const auto* data = tensor.buffer() < model.buffers()->size()
                         ? model.buffers()->Get(tensor.buffer())->data()
                         : nullptr;
  if (tensor.is_variable() || (data != nullptr && data->size() > 0)) return 0;
  const auto* known = std::ranges::find(kTypes, tensor.type(), &TypeBytes::type);
  if (known == std::end(kTypes)) return bad_input("has a type without a fixed size", name);
  int64_t bytes = known->bytes;
  for (size_t d = 0; tensor.shape() != nullptr && d < tensor.shape()->size(); ++d) {
    const int32_t extent = tensor.shape()->Get(static_cast<flatbuffers::uoffset_t>(d));
    if (extent < 0) return bad_input("has an open dimension", name);
    bytes *= extent;
    if (bytes > kMaxBytes) return bad_input("has more than 2^31 bytes", name);
  }
  return bytes;
}

std::vector<int> planned_of(const flatbuffers::Vector<int32_t>* list, const plan::Problem& problem,
                            bool& whole) {
  std::vector<int> out;
  if (list == nullptr) return out;
  for (const int32_t t : *list) {
    if (t < 0) continue;
    whole = whole && static_cast<size_t>(t) < problem.tensors.size();
    if (whole && problem.tensors[static_cast<size_t>(t)].bytes > 0) out.push_back(t);
  }
  return out;
}

std::vector<int> unique(std::vector<int> list) {
  std::vector<int> out;
  for (const int t : list) {
    if (std::ranges::find(out, t) == out.end()) out.push_back(t);
  }
  return out;
}

// Variables keep their accesses in the file's order: states without bytes.
void add_variables(const fbs::SubGraph& graph, plan::Problem& problem) {
  for (size_t t = 0; t < problem.tensors.size(); ++t) {
    if (graph.tensors()->Get(static_cast<flatbuffers::uoffset_t>(t))->is_variable()) {
      problem.states.push_back(static_cast<int>(t));
    }
  }
  if (problem.states.empty()) return;
  for (size_t i = 0; i < problem.steps.size(); ++i) {
    const auto* inputs = graph.operators()->Get(static_cast<flatbuffers::uoffset_t>(i))->inputs();
    for (size_t k = 0; inputs != nullptr && k < inputs->size(); ++k) {
      const int t = inputs->Get(static_cast<flatbuffers::uoffset_t>(k));
      if (std::ranges::find(problem.states, t) != problem.states.end()) {
        problem.steps[i].inputs.push_back(t);
      }
    }
  }
}

Result<plan::Problem> problem_of(const fbs::Model& model, const std::string& path) {
  const fbs::SubGraph& graph = *model.subgraphs()->Get(0);
  plan::Problem problem;
  problem.alignment = kAlignment;
  for (size_t t = 0; t < graph.tensors()->size(); ++t) {
    const fbs::Tensor& tensor = *graph.tensors()->Get(static_cast<flatbuffers::uoffset_t>(t));
    const std::string name = tensor_name(tensor, t);
    NK_ASSIGN(const int64_t bytes, planned_bytes(model, tensor, path + ": tensor " + name));
    problem.tensors.push_back({name, bytes});
  }
  bool whole = true;
  for (size_t i = 0; i < graph.operators()->size(); ++i) {
    const fbs::Operator& op = *graph.operators()->Get(static_cast<flatbuffers::uoffset_t>(i));
    plan::Step step;
    step.name = fmt::format("op{}", i);
    step.inputs = planned_of(op.inputs(), problem, whole);
    step.outputs = planned_of(op.outputs(), problem, whole);
    problem.steps.push_back(std::move(step));
  }
  problem.inputs = unique(planned_of(graph.inputs(), problem, whole));
  problem.outputs = unique(planned_of(graph.outputs(), problem, whole));
  if (!whole) return bad_input("names tensors that it does not have", path);
  add_variables(graph, problem);
  return problem;
}

bool must_keep_order(const fbs::Model& model) {
  if (model.operator_codes() == nullptr) return false;
  return std::ranges::any_of(kOrdered, [&](fbs::BuiltinOperator kind) {
    return std::ranges::any_of(*model.operator_codes(), [&](const fbs::OperatorCode* code) {
      return code->builtin_code() == kind;
    });
  });
}

}  // namespace

Result<OfflineTflite> plan_offline_tflite(const std::string& path, const CompileOptions& options) {
  NK_ASSIGN(const Bytes bytes, read_model_file(path));
  if (sniff_format(bytes) != ModelFormat::kTflite) {
    return fail(ErrorCode::kUsage, "is no .tflite file", path,
                "offline allocation is written into .tflite files only");
  }
  NK_TRY(import_model(bytes, path));  // the structure holds
  const fbs::Model& model = *fbs::GetModel(bytes.data());
  OfflineTflite out;
  NK_ASSIGN(out.problem, problem_of(model, path));
  plan::PlanOptions plan_options = options.plan;
  plan_options.class_limit = plan::PlanClass::kPlain;
  plan_options.in_out = plan::InOut::kInside;
  plan_options.ram_bytes.reset();
  out.kept_order = must_keep_order(model);
  if (out.kept_order) plan_options.order = plan::OrderChoice::kGiven;
  auto layout = plan::plan(out.problem, plan_options);
  if (!layout) {
    layout.error().where = path + ": " + layout.error().where;
    return std::unexpected(std::move(layout.error()));
  }
  out.layout = std::move(*layout);
  if (out.layout.arena_bytes > std::numeric_limits<int32_t>::max()) {
    return bad_input("needs an arena of more than 2^31 bytes", path);
  }
  emit::OfflineAllocation allocation;
  allocation.offsets.assign(out.problem.tensors.size(), -1);
  for (const plan::LayoutBuffer& b : out.layout.buffers) {
    if (b.tensor < 0 || b.bytes == 0) continue;
    allocation.offsets[static_cast<size_t>(b.tensor)] = static_cast<int32_t>(b.offset);
    ++out.planned_tensors;
  }
  for (const plan::LayoutStep& s : out.layout.steps) allocation.order.push_back(s.step);
  auto file = emit::write_offline_allocation(bytes, allocation);
  if (!file) {
    file.error().where = path;
    return std::unexpected(std::move(file.error()));
  }
  out.file = std::move(*file);
  return out;
}

}  // namespace netkit::driver
