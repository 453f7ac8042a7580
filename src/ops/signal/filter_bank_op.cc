// SPDX-License-Identifier: MIT
// The host face of filter_bank, filter_bank_sqrt, spectral_subtraction, pcan and filter_bank_log
// (filter_bank.h). The estimate of the noise is a state: zeros after a reset.
#include <fmt/format.h>

#include <cmath>

#include "compiler/ir/const_values.h"
#include "ops/signal/filter_bank.h"
#include "ops/signal/signal_host.h"

namespace netkit {

void filter_bank_modes(const nk_filter_bank_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}
void filter_bank_sqrt_modes(const nk_filter_bank_sqrt_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void spectral_subtraction_modes(const nk_spectral_subtraction_params*,
                                std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void pcan_modes(const nk_pcan_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void filter_bank_log_modes(const nk_filter_bank_log_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}

namespace {

NK_PARAM_TABLE(kBank, nk_filter_bank_params, NK_FILTER_BANK_FIELDS);
NK_PARAM_TABLE(kSqrt, nk_filter_bank_sqrt_params, NK_FILTER_BANK_SQRT_FIELDS);
NK_PARAM_TABLE(kSubtraction, nk_spectral_subtraction_params, NK_SPECTRAL_SUBTRACTION_FIELDS);
NK_PARAM_TABLE(kPcan, nk_pcan_params, NK_PCAN_FIELDS);
NK_PARAM_TABLE(kLog, nk_filter_bank_log_params, NK_FILTER_BANK_LOG_FIELDS);

// filter_bank: inputs 3, 4, 5 of the node are the columns of the kernel's rows.

constexpr size_t kColumns = 3;
constexpr size_t kFirstColumn = 3;

Result<nk_filter_bank_params> bank_of(const Graph& graph, const Node& node) {
  nk_filter_bank_params p{};
  NK_ASSIGN(p.energies, signal_elems(graph, node, 0, NK_UINT32));
  NK_ASSIGN(p.taps, signal_elems(graph, node, 1, NK_INT16));
  NK_ASSIGN(const int32_t unweights, signal_elems(graph, node, 2, NK_INT16));
  NK_ASSIGN(p.channels, checked_int32(node.attrs.get_int("num_channels"), 1, INT16_MAX,
                                      "num_channels", place_of(node)));
  bool fits = unweights == p.taps;
  for (size_t i = kFirstColumn; i < kFirstColumn + kColumns; ++i) {
    NK_ASSIGN(const int32_t rows, signal_elems(graph, node, i, NK_INT16));
    fits = fits && rows == p.channels + 1;
  }
  if (fits) return p;
  return bad_input(
      fmt::format("weights {} and tables of bands do not fit {} channels", p.taps, p.channels),
      place_of(node));
}

Result<std::vector<int32_t>> bank_rows(const Graph& graph, const Node& node,
                                       const nk_filter_bank_params& p) {
  std::vector<int32_t> rows((static_cast<size_t>(p.channels) + 1) * kColumns);
  for (size_t column = 0; column < kColumns; ++column) {
    const Tensor& tensor = graph.tensor(node.inputs[kFirstColumn + column]);
    const auto values = tensor.is_constant() ? ints_of(tensor) : std::nullopt;
    if (!values) {
      return bad_input("bands that are no constants are not supported", place_of(node));
    }
    for (size_t i = 0; i < values->size(); ++i) {
      rows[i * kColumns + column] = static_cast<int32_t>((*values)[i]);
    }
  }
  for (size_t at = 0; at < rows.size(); at += kColumns) {
    int32_t* row = &rows[at];
    if (row[2] <= 0) {
      row[0] = row[1] = row[2] = 0;
    } else if (row[0] < 0 || row[1] < 0 || row[2] > p.energies - row[0] ||
               row[2] > p.taps - row[1]) {
      return bad_input(
          fmt::format("band {} of width {} from energy {} and weight {} leaves the {} energies or "
                      "{} weights",
                      at / kColumns, row[2], row[0], row[1], p.energies, p.taps),
          place_of(node));
    }
  }
  return rows;
}

Result<std::vector<TensorType>> infer_bank(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_filter_bank_params p, bank_of(graph, node));
  NK_TRY(bank_rows(graph, node, p));
  return std::vector{TensorType{NK_UINT64, {p.channels}, {}}};
}

Result<StepParams> bank_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_filter_bank_params p, bank_of(graph, node));
  return StepParams{bytes_of(p), "u32_u64"};
}

Result<std::vector<StepArg>> bank_args(const Graph& graph, const Node& node, const KernelRow&) {
  NK_ASSIGN(const nk_filter_bank_params p, bank_of(graph, node));
  NK_ASSIGN(const std::vector<int32_t> rows, bank_rows(graph, node, p));
  StepArg bands{kNoTensor, constant_of(rows), NK_INT32, 4, "bands"};
  return std::vector{tensor_arg(node, 0, "energies"), tensor_arg(node, 1, "weights"),
                     tensor_arg(node, 2, "unweights"), std::move(bands)};
}

uint64_t bank_macs(const Graph& graph, const Node& node) {
  const auto p = bank_of(graph, node);
  return p ? 2 * static_cast<uint64_t>(p->taps) : 0;
}

// filter_bank_sqrt

Result<nk_filter_bank_sqrt_params> sqrt_of(const Graph& graph, const Node& node) {
  nk_filter_bank_sqrt_params p{};
  NK_ASSIGN(p.count, signal_elems(graph, node, 0, NK_UINT64));
  NK_ASSIGN(const TensorType* shift, signal_input(graph, node, 1, NK_INT32));
  if (product_of(shift->dims, 0, shift->dims.size()) == 1) return p;
  return bad_input(fmt::format("the shift has shape {}", dims_text(shift->dims)), place_of(node));
}

Result<std::vector<TensorType>> infer_sqrt(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_filter_bank_sqrt_params p, sqrt_of(graph, node));
  return std::vector{TensorType{NK_UINT32, {p.count}, {}}};
}

Result<StepParams> sqrt_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_filter_bank_sqrt_params p, sqrt_of(graph, node));
  return StepParams{bytes_of(p), "u64_u32"};
}

Result<std::vector<StepArg>> sqrt_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "squares"), tensor_arg(node, 1, "shift")};
}

// spectral_subtraction

constexpr SignalOption kSubtractionOptions[] = {{"num_channels", 1, INT16_MAX},
                                                {"smoothing", 0, INT32_MAX},
                                                {"one_minus_smoothing", 0, INT32_MAX},
                                                {"alternate_smoothing", 0, INT32_MAX},
                                                {"alternate_one_minus_smoothing", 0, INT32_MAX},
                                                {"min_signal_remaining", 0, INT32_MAX},
                                                {"smoothing_bits", 0, 31},
                                                {"spectral_subtraction_bits", 0, 31},
                                                {"clamping", 0, 1}};

Result<nk_spectral_subtraction_params> subtraction_of(const Graph& graph, const Node& node) {
  nk_spectral_subtraction_params p{};
  NK_ASSIGN(p.count, signal_elems(graph, node, 0, NK_UINT32));
  NK_ASSIGN(const int32_t noise, signal_elems(graph, node, 1, NK_UINT32));
  std::array<int32_t, std::size(kSubtractionOptions)> v{};
  for (size_t i = 0; i < v.size(); ++i) {
    const auto& [name, lo, hi] = kSubtractionOptions[i];
    NK_ASSIGN(v[i], checked_int32(node.attrs.get_int(name), lo, hi, name, place_of(node)));
  }
  if (v[0] != p.count || noise != p.count) {
    return bad_input(
        fmt::format("{} signals and {} of noise for {} channels", p.count, noise, v[0]),
        place_of(node));
  }
  p.smoothing[0] = static_cast<uint32_t>(v[1]);
  p.one_minus_smoothing[0] = static_cast<uint32_t>(v[2]);
  p.smoothing[1] = static_cast<uint32_t>(v[3]);
  p.one_minus_smoothing[1] = static_cast<uint32_t>(v[4]);
  p.min_signal_remaining = static_cast<uint32_t>(v[5]);
  p.smoothing_bits = v[6];
  p.bits = v[7];
  p.clamping = v[8];
  return p;
}

Result<std::vector<TensorType>> infer_subtraction(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_spectral_subtraction_params p, subtraction_of(graph, node));
  const TensorType type{NK_UINT32, {p.count}, {}};
  return std::vector{type, type};
}

Result<StepParams> subtraction_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_spectral_subtraction_params p, subtraction_of(graph, node));
  return StepParams{bytes_of(p), "u32"};
}

Result<std::vector<StepArg>> subtraction_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "signal"), tensor_arg(node, 1, "noise")};
}

// pcan

Result<nk_pcan_params> pcan_of(const Graph& graph, const Node& node) {
  nk_pcan_params p{};
  NK_ASSIGN(p.count, signal_elems(graph, node, 0, NK_UINT32));
  NK_ASSIGN(const int32_t noise, signal_elems(graph, node, 1, NK_UINT32));
  NK_ASSIGN(const int32_t gains, signal_elems(graph, node, 2, NK_INT16));
  if (noise != p.count || gains < NK_PCAN_GAINS) {
    return bad_input(fmt::format("{} of noise and {} gains for {} signals; {} gains are needed",
                                 noise, gains, p.count, NK_PCAN_GAINS),
                     place_of(node));
  }
  NK_ASSIGN(p.snr_shift,
            checked_int32(node.attrs.get_int("snr_shift"), 0, 63, "snr_shift", place_of(node)));
  return p;
}

Result<std::vector<TensorType>> infer_pcan(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_pcan_params p, pcan_of(graph, node));
  return std::vector{TensorType{NK_UINT32, {p.count}, {}}};
}

Result<StepParams> pcan_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_pcan_params p, pcan_of(graph, node));
  return StepParams{bytes_of(p), "u32"};
}

Result<std::vector<StepArg>> pcan_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "signal"), tensor_arg(node, 1, "noise"),
                     tensor_arg(node, 2, "gains")};
}

// filter_bank_log

Result<nk_filter_bank_log_params> log_of(const Graph& graph, const Node& node) {
  nk_filter_bank_log_params p{};
  NK_ASSIGN(p.count, signal_elems(graph, node, 0, NK_UINT32));
  NK_ASSIGN(p.correction_bits, checked_int32(node.attrs.get_int("input_correction_bits"), 0, 31,
                                             "input_correction_bits", place_of(node)));
  NK_ASSIGN(const int32_t scale, checked_int32(node.attrs.get_int("output_scale"), 0, INT32_MAX,
                                               "output_scale", place_of(node)));
  p.output_scale = static_cast<uint32_t>(scale);
  return p;
}

Result<std::vector<TensorType>> infer_log(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_filter_bank_log_params p, log_of(graph, node));
  return std::vector{TensorType{NK_INT16, {p.count}, {}}};
}

Result<StepParams> log_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_filter_bank_log_params p, log_of(graph, node));
  return StepParams{bytes_of(p), "u32_s16"};
}

// How far log2(1 + f) lies above f, at the ends of the segments.
std::vector<int32_t> log_table() {
  std::vector<int32_t> table;
  for (int i = 0; i <= NK_LOG_SEGMENTS; ++i) {
    const double f = static_cast<double>(i) / NK_LOG_SEGMENTS;
    table.push_back(static_cast<int32_t>(std::lround((std::log2(1.0 + f) - f) * 65536.0)));
  }
  return table;
}

Result<std::vector<StepArg>> log_args(const Graph&, const Node& node, const KernelRow&) {
  StepArg table{kNoTensor, constant_of(log_table()), NK_INT32, 4, "table"};
  return std::vector{tensor_arg(node, 0, "signal"), std::move(table)};
}

// Lowering

Result<void> lower_bank(const ForeignNode& node, LowerContext& context) {
  static constexpr SignalOption kOptions[] = {{"num_channels", 1, INT16_MAX}};
  return lower_signal(node, context, "filter_bank", 6, kOptions);
}
Result<void> lower_sqrt(const ForeignNode& node, LowerContext& context) {
  return lower_signal(node, context, "filter_bank_sqrt", 2, {});
}
Result<void> lower_subtraction(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(Attrs attrs, signal_attrs(node, kSubtractionOptions));
  NK_ASSIGN(const TensorId before,
            context.start_state({NK_UINT32, {attrs.get_int("num_channels")}, {}}));
  NK_ASSIGN(const std::vector<TensorId> made,
            context.add_multi("spectral_subtraction", {x, before}, std::move(attrs), {}));
  NK_TRY(context.keep_state(before, made[1]));
  NK_TRY(context.bind(node, 0, made[0]));
  return context.bind(node, 1, made[1]);
}
Result<void> lower_pcan(const ForeignNode& node, LowerContext& context) {
  static constexpr SignalOption kOptions[] = {{"snr_shift", 0, 63}};
  return lower_signal(node, context, "pcan", 3, kOptions);
}
Result<void> lower_log(const ForeignNode& node, LowerContext& context) {
  static constexpr SignalOption kOptions[] = {{"input_correction_bits", 0, 31},
                                              {"output_scale", 0, INT32_MAX}};
  return lower_signal(node, context, "filter_bank_log", 1, kOptions);
}

constexpr ForeignRule rule(std::string_view op, decltype(ForeignRule::lower) lower) {
  return {SourceFormat::kTflite, op, "", lower};
}
constexpr ForeignRule kBankRules[] = {rule("CUSTOM:SignalFilterBank", lower_bank)};
constexpr ForeignRule kSqrtRules[] = {rule("CUSTOM:SignalFilterBankSquareRoot", lower_sqrt)};
constexpr ForeignRule kSubtractionRules[] = {
    rule("CUSTOM:SignalFilterBankSpectralSubtraction", lower_subtraction)};
constexpr ForeignRule kPcanRules[] = {rule("CUSTOM:SignalPCAN", lower_pcan)};
constexpr ForeignRule kLogRules[] = {rule("CUSTOM:SignalFilterBankLog", lower_log)};

}  // namespace

extern const OpDef nk_op_filter_bank = {"filter_bank", kBankRules,  kBank::fields, kBank::bytes,
                                        infer_bank,    bank_params, bank_args,     bank_macs};
extern const OpDef nk_op_filter_bank_sqrt = {"filter_bank_sqrt", kSqrtRules, kSqrt::fields,
                                             kSqrt::bytes,       infer_sqrt, sqrt_params,
                                             sqrt_args,          signal_macs};
extern const OpDef nk_op_spectral_subtraction = {
    "spectral_subtraction", kSubtractionRules,  kSubtraction::fields, kSubtraction::bytes,
    infer_subtraction,      subtraction_params, subtraction_args,     signal_macs};
extern const OpDef nk_op_pcan = {"pcan",     kPcanRules,  kPcan::fields, kPcan::bytes,
                                 infer_pcan, pcan_params, pcan_args,     signal_macs};
extern const OpDef nk_op_filter_bank_log = {"filter_bank_log", kLogRules,  kLog::fields,
                                            kLog::bytes,       infer_log,  log_params,
                                            log_args,          signal_macs};

}  // namespace netkit
