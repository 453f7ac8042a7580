// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/operators.h"

#include <fmt/format.h>

#include "compiler/ir/op_def.h"

namespace netkit::driver {
namespace {

constexpr std::string_view kHead =
    "# Operators\n\n"
    "Made by `netkit version --operators`. An operator outside this list is refused by name, all "
    "of\n"
    "a model's at once. Shape arithmetic (Shape, Constant, Range …) is folded on the host.\n\n"
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

}  // namespace

std::string operator_table() {
  std::string out(kHead);
  for (const OpDef* op : all_ops()) {
    out += fmt::format("| {} | {} | {} |\n", op->name, names(*op, SourceFormat::kOnnx),
                       names(*op, SourceFormat::kTflite));
  }
  out +=
      "\n## Kernels\n\nBest first; the reference row is last.\n\n"
      "| operator | kernel | for | types |\n|---|---|---|---|\n";
  for (const KernelRow& row : all_kernel_rows()) {
    out += fmt::format("| {} | `{}` | {} | {} |\n", row.op, row.symbol, row.arch, row.signature);
  }
  return out;
}

}  // namespace netkit::driver
