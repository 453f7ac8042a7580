// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/operators.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/ir/op_def.h"
#include "ops/composed/composed.h"

namespace netkit::driver {
namespace {

constexpr std::string_view kHead =
    "# Operators\n\n"
    "Made by `netkit version --operators`. An operator outside this list is refused by name, all "
    "of\n"
    "a model's at once. Shape arithmetic (Shape, Constant, Range …) is folded on the host. ONNX's "
    "If,\n"
    "Loop and Scan are written out where the number of passes is constant; an If whose condition "
    "is\n"
    "not runs both branches. `(several)`: made of the operators above, without kernels of its "
    "own.\n\n"
    "| operator | ONNX | TFLite |\n|---|---|---|\n";

std::string names(const OpDef& op, SourceFormat format) {
  std::string out;
  for (const ForeignRule& rule : op.rules) {
    if (rule.format != format) continue;
    out += out.empty() ? "" : " ";
    if (!rule.domain.empty()) out += fmt::format("{}:", rule.domain);
    out += rule.op;
  }
  return out;
}

// An operator that is made of those above.
std::string composed_row(const ForeignRule& rule) {
  return fmt::format("| (several) | {}{}{} | |\n", rule.domain, rule.domain.empty() ? "" : ":",
                     rule.op);
}

}  // namespace

std::string operator_table() {
  std::string out(kHead);
  for (const OpDef* op : all_ops()) {
    out += fmt::format("| {} | {} | {} |\n", op->name, names(*op, SourceFormat::kOnnx),
                       names(*op, SourceFormat::kTflite));
  }
  for (const ForeignRule& rule : composed_rules()) out += composed_row(rule);
  out +=
      "\n## Kernels\n\n"
      "Best first; the reference row is last. Types: `s` signed and `u` unsigned integers, `f` "
      "floats,\n`x` whatever has so many bits, each with its bits; `b8` truth values; `any` "
      "everything. Several joined by\n`_` are those of input, weights and output, or of input and "
      "output. `nearest`: any type, that way to resize.\n\n"
      "| operator | kernel | for | types |\n|---|---|---|---|\n";
  for (const KernelRow& row : all_kernel_rows()) {
    out += fmt::format("| {} | `{}` | {} | {} |\n", row.op, row.symbol, row.arch, row.signature);
  }
  return out;
}

std::string operators_json() {
  using Json = nlohmann::ordered_json;
  Json operators = Json::array(), kernels = Json::array();
  for (const OpDef* op : all_ops()) {
    operators.push_back({{"operator", op->name},
                         {"onnx", names(*op, SourceFormat::kOnnx)},
                         {"tflite", names(*op, SourceFormat::kTflite)}});
  }
  for (const ForeignRule& rule : composed_rules()) {
    operators.push_back({{"operator", "(several)"}, {"onnx", rule.op}, {"tflite", ""}});
  }
  for (const KernelRow& row : all_kernel_rows()) {
    kernels.push_back({{"operator", row.op},
                       {"kernel", row.symbol},
                       {"for", row.arch},
                       {"types", row.signature}});
  }
  const Json root = {
      {"format", "netkit-operators/1"}, {"operators", operators}, {"kernels", kernels}};
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace netkit::driver
