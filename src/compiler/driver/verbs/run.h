// SPDX-License-Identifier: MIT
// The verb run: one model, one set of inputs, its outputs.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/driver/session.h"

namespace netkit::driver {

struct RunOptions {
  std::vector<std::string> inputs;   // [NAME=]VALUES|FILE; without a name: the next in order
  std::vector<std::string> outputs;  // [NAME=]FILE
  int repeat = 1;                    // runs; state carries over, the last run's outputs count
  bool real = false;                 // text values are real numbers, to be quantised
  size_t arena_bytes = 0;            // 0: as the file says
  std::string dump_layers;           // folder for every step's outputs; "": none
  bool profile = false;
};

struct StepTime {
  std::string kernel, node;
  double seconds = 0;  // of one run, the mean of all
};

struct RunReport {
  std::vector<PortInfo> ports;
  std::vector<Bytes> values;
  double seconds = 0;  // of one run, the mean of all, without loading
  int runs = 1;
  std::vector<StepTime> profile;
  std::vector<std::string> warnings;
};

// Errors: an input missing, unknown, given twice or of the wrong size; an arena too small; an
// output that cannot be written (nothing is left behind).
Result<RunReport> run_model(const std::string& path, const CompileOptions& compile_options,
                            const RunOptions& options);

// One Bytes per model input, from the specs of RunOptions::inputs.
Result<std::vector<Bytes>> gather_inputs(const std::vector<PortInfo>& ports,
                                         const std::vector<std::string>& specs, bool real);

}  // namespace netkit::driver
