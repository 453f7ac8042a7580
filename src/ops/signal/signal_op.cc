// SPDX-License-Identifier: MIT
// The host face of signal_window, signal_scale, signal_rfft and signal_energy (signal.h).
#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <numbers>

#include "ops/signal/signal.h"
#include "ops/signal/signal_host.h"

namespace netkit {

void signal_window_modes(const nk_signal_window_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void signal_scale_modes(const nk_signal_scale_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}
void signal_rfft_modes(const nk_signal_rfft_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
}
void signal_energy_modes(const nk_signal_energy_params*, std::vector<KernelMode>& out) {
  add_plain_mode(out);
  add_forward_mode({0}, out);
}

namespace {

NK_PARAM_TABLE(kWindow, nk_signal_window_params, NK_SIGNAL_WINDOW_FIELDS);
NK_PARAM_TABLE(kScale, nk_signal_scale_params, NK_SIGNAL_SCALE_FIELDS);
NK_PARAM_TABLE(kRfft, nk_signal_rfft_params, NK_SIGNAL_RFFT_FIELDS);
NK_PARAM_TABLE(kEnergy, nk_signal_energy_params, NK_SIGNAL_ENERGY_FIELDS);

template <typename Params>
StepParams step_of(const Params& p, const char* signature) {
  return {bytes_of(p), signature};
}

Result<nk_signal_window_params> window_of(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, signal_input(graph, node, 0, NK_INT16));
  nk_signal_window_params p{};
  NK_ASSIGN(p.size, signal_elems(graph, node, 1, NK_INT16));
  if (x->dims.empty() || x->dims.back() != p.size) {
    return bad_input(
        fmt::format("a window of {} does not fit samples {}", p.size, dims_text(x->dims)),
        place_of(node));
  }
  p.count = static_cast<int32_t>(product_of(x->dims, 0, x->dims.size() - 1));
  NK_ASSIGN(p.shift, checked_int32(node.attrs.get_int("shift"), 0, 31, "shift", place_of(node)));
  return p;
}

Result<std::vector<TensorType>> infer_window(const Graph& graph, const Node& node) {
  NK_TRY(window_of(graph, node));
  return std::vector{TensorType{NK_INT16, input_type(graph, node, 0)->dims, {}}};
}

Result<StepParams> window_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_signal_window_params p, window_of(graph, node));
  return step_of(p, "s16");
}

Result<std::vector<TensorType>> infer_scale(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, signal_input(graph, node, 0, NK_INT16));
  return std::vector{TensorType{NK_INT16, x->dims, {}}, TensorType{NK_INT32, {}, {}}};
}

Result<StepParams> scale_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, signal_input(graph, node, 0, NK_INT16));
  nk_signal_scale_params p{};
  p.count = static_cast<int32_t>(product_of(x->dims, 0, x->dims.size()));
  return step_of(p, "s16");
}

Result<nk_signal_rfft_params> rfft_of(const Graph& graph, const Node& node) {
  NK_ASSIGN(const TensorType* x, signal_input(graph, node, 0, NK_INT16));
  const int64_t length = node.attrs.get_int("fft_length");
  const int64_t most = int64_t{2} << NK_RFFT_MAX_HALF_LOG2;
  if (length < int64_t{2} << NK_RFFT_MIN_HALF_LOG2 || length > most ||
      !std::has_single_bit(static_cast<uint64_t>(length))) {
    return bad_input(fmt::format("fft_length {} is not supported", length), place_of(node),
                     fmt::format("powers of two from 4 to {} are supported", most));
  }
  if (x->dims.empty() || x->dims.back() > length) {
    return bad_input(fmt::format("samples {} do not fit fft_length {}", dims_text(x->dims), length),
                     place_of(node));
  }
  nk_signal_rfft_params p{};
  p.outer = static_cast<int32_t>(product_of(x->dims, 0, x->dims.size() - 1));
  p.size = static_cast<int32_t>(x->dims.back());
  p.half_log2 = std::countr_zero(static_cast<uint64_t>(length)) - 1;
  return p;
}

Result<std::vector<TensorType>> infer_rfft(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_signal_rfft_params p, rfft_of(graph, node));
  TensorType y{NK_INT16, input_type(graph, node, 0)->dims, {}};
  y.dims.back() = (int64_t{2} << p.half_log2) + 2;
  NK_TRY(check_sizes(std::array<const TensorType*, 1>{&y}, place_of(node)));
  return std::vector{std::move(y)};
}

Result<StepParams> rfft_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_signal_rfft_params p, rfft_of(graph, node));
  return step_of(p, "s16");
}

int16_t q15_of(double x) {
  return static_cast<int16_t>(std::floor(0.5 + 32767.0 * x));
}

// The turns e^(-2 pi i k / n) and e^(-pi i ((k + 1) / n + 1 / 2)), n being half the length.
std::vector<int16_t> turns_of(int32_t half_log2) {
  const int32_t n = 1 << half_log2;
  std::vector<int16_t> turns;
  const auto add = [&turns](double phase) {
    turns.push_back(q15_of(std::cos(phase)));
    turns.push_back(q15_of(std::sin(phase)));
  };
  for (int32_t k = 0; k < nk_rfft_turns(half_log2); ++k) add(-2 * std::numbers::pi * k / n);
  for (int32_t k = 0; k < n / 2; ++k) {
    add(-std::numbers::pi * (static_cast<double>(k + 1) / n + 0.5));
  }
  return turns;
}

Result<std::vector<StepArg>> rfft_args(const Graph& graph, const Node& node, const KernelRow&) {
  NK_ASSIGN(const nk_signal_rfft_params p, rfft_of(graph, node));
  StepArg turns{kNoTensor, constant_of(turns_of(p.half_log2)), NK_INT16, 4, "turns"};
  return std::vector{tensor_arg(node, 0, "samples"), std::move(turns)};
}

Result<nk_signal_energy_params> energy_of(const Graph& graph, const Node& node) {
  NK_ASSIGN(const int32_t elems, signal_elems(graph, node, 0, NK_INT16));
  if (elems % 2 != 0) {
    return bad_input(fmt::format("{} elements are no pairs", elems), place_of(node));
  }
  nk_signal_energy_params p{};
  p.count = elems / 2;
  NK_ASSIGN(p.start, checked_int32(node.attrs.get_int("start_index"), 0, p.count, "start_index",
                                   place_of(node)));
  NK_ASSIGN(p.end, checked_int32(node.attrs.get_int("end_index"), p.start, p.count, "end_index",
                                 place_of(node)));
  return p;
}

Result<std::vector<TensorType>> infer_energy(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_signal_energy_params p, energy_of(graph, node));
  return std::vector{TensorType{NK_UINT32, {p.count}, {}}};
}

Result<StepParams> energy_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const nk_signal_energy_params p, energy_of(graph, node));
  return step_of(p, "s16_u32");
}

Result<std::vector<StepArg>> window_args(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "samples"), tensor_arg(node, 1, "window")};
}
Result<std::vector<StepArg>> one_arg(const Graph&, const Node& node, const KernelRow&) {
  return std::vector{tensor_arg(node, 0, "samples")};
}

Result<void> lower_window(const ForeignNode& node, LowerContext& context) {
  static constexpr SignalOption kOptions[] = {{"shift", 0, 31}};
  return lower_signal(node, context, "signal_window", 2, kOptions);
}
Result<void> lower_scale(const ForeignNode& node, LowerContext& context) {
  return lower_signal(node, context, "signal_scale", 1, {});
}
Result<void> lower_rfft(const ForeignNode& node, LowerContext& context) {
  static constexpr SignalOption kOptions[] = {{"fft_length", 1, INT32_MAX}};
  return lower_signal(node, context, "signal_rfft", 1, kOptions);
}
Result<void> lower_energy(const ForeignNode& node, LowerContext& context) {
  static constexpr SignalOption kOptions[] = {{"start_index", 0, INT32_MAX},
                                              {"end_index", 0, INT32_MAX}};
  return lower_signal(node, context, "signal_energy", 1, kOptions);
}

constexpr ForeignRule kWindowRules[] = {
    {SourceFormat::kTflite, "CUSTOM:SignalWindow", "", lower_window}};
constexpr ForeignRule kScaleRules[] = {
    {SourceFormat::kTflite, "CUSTOM:SignalFftAutoScale", "", lower_scale}};
constexpr ForeignRule kRfftRules[] = {{SourceFormat::kTflite, "CUSTOM:SignalRfft", "", lower_rfft}};
constexpr ForeignRule kEnergyRules[] = {
    {SourceFormat::kTflite, "CUSTOM:SignalEnergy", "", lower_energy}};

}  // namespace

extern const OpDef nk_op_signal_window = {"signal_window", kWindowRules, kWindow::fields,
                                          kWindow::bytes,  infer_window, window_params,
                                          window_args,     signal_macs};
extern const OpDef nk_op_signal_scale = {"signal_scale", kScaleRules, kScale::fields,
                                         kScale::bytes,  infer_scale, scale_params,
                                         one_arg,        signal_macs};
extern const OpDef nk_op_signal_rfft = {"signal_rfft", kRfftRules,  kRfft::fields, kRfft::bytes,
                                        infer_rfft,    rfft_params, rfft_args,     signal_macs};
extern const OpDef nk_op_signal_energy = {"signal_energy", kEnergyRules, kEnergy::fields,
                                          kEnergy::bytes,  infer_energy, energy_params,
                                          one_arg,         signal_macs};

}  // namespace netkit
