// SPDX-License-Identifier: MIT
// The quantiser as a phase of a compilation, and what it says of its work.
#pragma once

#include <string>

#include "compiler/driver/quant/samples.h"
#include "compiler/quant/quant.h"

namespace netkit::driver {

struct QuantRequest {
  std::string samples;  // file or folder of read_samples
  size_t limit = 200;   // of samples
  PixelRange pixels;
  quant::Options options;
  std::string report;  // netkit-quant/1 goes to this file; empty: nowhere
  quant::Progress progress = [](std::string_view, double) {};
};

struct Quantisation {
  Graph graph;
  quant::Report report;
};

// `lowered` is passed through the passes first, concatenations made.
Result<Quantisation> quantise_lowered(const Graph& lowered, const QuantRequest& request,
                                      const std::vector<std::string>& disabled_passes);

// A table for people, line by line, and netkit-quant/1 (docs/quantiser.md).
std::vector<std::string> report_lines(const quant::Report& report);
std::string report_json(const quant::Report& report);

}  // namespace netkit::driver
