// SPDX-License-Identifier: MIT
#include "compiler/driver/quant/quantise.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "compiler/passes/passes.h"

namespace netkit::driver {
namespace {

std::string decibels(double db) {
  return db >= quant::kMaxDb ? "exact" : fmt::format("{:.1f}", db);
}

std::string share(double value) {
  return fmt::format("{:.3g} %", value * 100.0);
}

}  // namespace

Result<Quantisation> quantise_lowered(const Graph& lowered, const QuantRequest& request,
                                      const std::vector<std::string>& disabled_passes) {
  NK_ASSIGN(const auto samples,
            read_samples(request.samples, lowered, request.pixels, request.limit));
  PassOptions passes{disabled_passes};
  passes.disabled.emplace_back(kReadParts);
  NK_ASSIGN(const Graph graph, optimise(lowered, passes));
  NK_ASSIGN(quant::Quantised made,
            quant::quantise(graph, samples, request.options, request.progress));
  return Quantisation{std::move(made.graph), std::move(made.report)};
}

std::vector<std::string> report_lines(const quant::Report& report) {
  std::vector<std::string> lines{fmt::format("{} samples{}; outputs {} dB", report.samples,
                                             report.equalised ? ", layers equalised" : "",
                                             decibels(report.output_sqnr_db))};
  if (report.has_classes) {
    lines[0] += fmt::format(", same answer in {} of the cases", share(report.agreement));
  }
  lines.push_back(fmt::format("{:>4} {:<8} {:>8} {:>10} {:>10} {:>10} {:>5} {:>8}  {}", "", "type",
                              "SQNR dB", "least", "greatest", "scale", "zero", "clipped", "layer"));
  for (size_t i = 0; i < report.layers.size(); ++i) {
    const quant::Layer& layer = report.layers[i];
    lines.push_back(
        fmt::format("{:>4} {:<8} {:>8} {:>10.4g} {:>10.4g} {:>10.4g} {:>5} {:>8}  {} ({}){}", i + 1,
                    quant::name_of(layer.mode), decibels(layer.sqnr_db), layer.lo, layer.hi,
                    layer.scale, layer.zero_point, share(layer.clipped), layer.name, layer.op,
                    layer.why.empty() ? "" : ": " + layer.why));
  }
  if (report.first_fall >= 0) {
    const quant::Layer& first = report.layers[static_cast<size_t>(report.first_fall)];
    lines.push_back(fmt::format("first layer below {:g} dB: {} ({}), {} dB", quant::kFallDb,
                                first.name, first.op, decibels(first.sqnr_db)));
  }
  return lines;
}

std::string report_json(const quant::Report& report) {
  nlohmann::json layers = nlohmann::json::array();
  for (const quant::Layer& layer : report.layers) {
    layers.push_back({{"name", layer.name},
                      {"op", layer.op},
                      {"type", quant::name_of(layer.mode)},
                      {"why_float", layer.why},
                      {"least", layer.lo},
                      {"greatest", layer.hi},
                      {"scale", layer.scale},
                      {"zero_point", layer.zero_point},
                      {"clipped", layer.clipped},
                      {"sqnr_db", layer.sqnr_db}});
  }
  nlohmann::json object = {
      {"format", "netkit-quant/1"},      {"samples", report.samples},
      {"equalised", report.equalised},   {"output_sqnr_db", report.output_sqnr_db},
      {"first_fall", report.first_fall}, {"layers", std::move(layers)}};
  if (report.has_classes) object["agreement"] = report.agreement;
  return object.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace netkit::driver
