// SPDX-License-Identifier: MIT
// The host tables of operators and kernel rows, derived from ops.inc.
#include <algorithm>

#include "compiler/ir/op_def.h"
#include "ops/composed/composed.h"

// First pass, at file scope: headers, kernels, mode functions, operator definitions.
#define NK_OP(op) namespace netkit { extern const OpDef nk_op_##op; }
#define NK_KERNEL(op, symbol, arch, signature, layout, predicate, modes, fit)     \
  NK_EXTERN_C_BEGIN NK_DECLARE_KERNEL(symbol); NK_EXTERN_C_END               \
  namespace netkit { void modes(const nk_##op##_params*, std::vector<KernelMode>&); }
#include "ops/ops.inc"

namespace netkit {
namespace {

const OpDef* const kOps[] = {
#define NK_OP(op) &nk_op_##op,
#include "ops/ops.inc"
    nullptr};

template <typename Params, void (*kModes)(const Params*, std::vector<KernelMode>&)>
void erased_modes(const void* params, std::vector<KernelMode>& out) {
  kModes(static_cast<const Params*>(params), out);
}

const KernelRow kRows[] = {
#define NK_KERNEL(op, symbol, arch, signature, layout, predicate, modes, fit)                   \
  {#op, #symbol, #arch, #signature, #predicate, #layout, symbol,                           \
   [](const void* params) -> bool {                                                        \
     [[maybe_unused]] const auto* p = static_cast<const nk_##op##_params*>(params);        \
     return predicate;                                                                     \
   },                                                                                      \
   erased_modes<nk_##op##_params, modes>},
#include "ops/ops.inc"
    {}};

}  // namespace

std::span<const OpDef* const> all_ops() { return {kOps, std::size(kOps) - 1}; }
std::span<const KernelRow> all_kernel_rows() { return {kRows, std::size(kRows) - 1}; }

const OpDef* find_op(std::string_view name) {
  const auto ops = all_ops();
  const auto it = std::ranges::find(ops, name, &OpDef::name);
  return it == ops.end() ? nullptr : *it;
}

const KernelRow* find_kernel(std::string_view symbol) {
  const auto rows = all_kernel_rows();
  const auto it = std::ranges::find(rows, symbol, &KernelRow::symbol);
  return it == rows.end() ? nullptr : &*it;
}

const ForeignRule* find_rule(SourceFormat format, std::string_view domain, std::string_view op) {
  for (const OpDef* def : all_ops()) {
    for (const ForeignRule& rule : def->rules) {
      if (rule.format == format && rule.op == op && rule.domain == domain) return &rule;
    }
  }
  for (const ForeignRule& rule : composed_rules()) {
    if (rule.format == format && rule.op == op && rule.domain == domain) return &rule;
  }
  return nullptr;
}

}  // namespace netkit
