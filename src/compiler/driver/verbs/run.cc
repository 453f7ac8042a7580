// SPDX-License-Identifier: MIT
#include "compiler/driver/verbs/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "compiler/driver/io/tensor_io.h"
#include "compiler/emit/output_files.h"
#include "compiler/ir/files/files_read.h"

namespace netkit::driver {
namespace {

// What to do about a port that the model does not have.
std::string hint_of(const std::vector<PortInfo>& ports, const std::string& what) {
  if (ports.empty()) return fmt::format("leave it out: the model has no {}s", what);
  std::string out = "the model has: ";
  for (const PortInfo& port : ports) {
    out += fmt::format("{}{} {}", &port == &ports[0] ? "" : "; ", port.name, type_text(port.type));
  }
  return out;
}

std::string given_text(size_t given, const std::string& what, size_t there) {
  return fmt::format("{} {}{} given, the model has {}", given, what, given == 1 ? "" : "s", there);
}

// The port of each spec: by name, else the next that no spec names.
Result<std::vector<size_t>> match_ports(const std::vector<PortInfo>& ports,
                                        const std::vector<InputSpec>& specs,
                                        const std::string& what) {
  std::vector<std::optional<size_t>> port_of(specs.size());
  std::vector<bool> taken(ports.size(), false);
  for (size_t i = 0; i < specs.size(); ++i) {
    if (specs[i].name.empty()) continue;
    size_t p = 0;
    while (p < ports.size() && (taken[p] || ports[p].name != specs[i].name)) ++p;
    if (p == ports.size()) {
      const bool known = std::ranges::find(ports, specs[i].name, &PortInfo::name) != ports.end();
      return fail(ErrorCode::kUsage,
                  known ? fmt::format("{} '{}' is given twice", what, specs[i].name)
                        : fmt::format("the model has no {} '{}'", what, specs[i].name),
                  fmt::format("--{}", what), hint_of(ports, what));
    }
    taken[p] = true;
    port_of[i] = p;
  }
  std::vector<size_t> out;
  for (size_t i = 0; i < specs.size(); ++i) {
    if (!port_of[i]) {
      const auto next = std::ranges::find(taken, false);
      if (next == taken.end()) {
        return fail(ErrorCode::kUsage, given_text(specs.size(), what, ports.size()),
                    fmt::format("--{}", what), hint_of(ports, what));
      }
      *next = true;
      port_of[i] = static_cast<size_t>(next - taken.begin());
    }
    out.push_back(*port_of[i]);
  }
  return out;
}

std::vector<InputSpec> split_all(const std::vector<std::string>& texts) {
  std::vector<InputSpec> specs;
  for (const std::string& text : texts) specs.push_back(split_input(text));
  return specs;
}

struct StepRecorder {
  bool profile = false;
  std::string dump_folder;
  bool last_run = false;
  std::chrono::steady_clock::time_point since;
  std::vector<StepTime> times;
  std::vector<emit::OutputFile> files;

  static void on_step(void* user, size_t step, const char* kernel, const char* node,
                      const std::vector<std::span<const std::byte>>& outputs) {
    auto& self = *static_cast<StepRecorder*>(user);
    const auto now = std::chrono::steady_clock::now();
    if (step >= self.times.size()) self.times.push_back({kernel, node, 0});
    self.times[step].seconds += std::chrono::duration<double>(now - self.since).count();
    if (self.last_run && !self.dump_folder.empty()) self.keep(step, kernel, outputs);
    self.since = std::chrono::steady_clock::now();
  }

  void keep(size_t step, const char* kernel,
            const std::vector<std::span<const std::byte>>& outputs) {
    for (size_t i = 0; i < outputs.size(); ++i) {
      files.push_back({fmt::format("{:03}_{}_{}.bin", step, kernel, i),
                       {reinterpret_cast<const char*>(outputs[i].data()), outputs[i].size()}});
    }
  }
};

// The layers and outputs that were asked for: all are written, or none.
Result<void> write_outputs(const RunReport& report, const RunOptions& options,
                           std::vector<emit::OutputFile> layers) {
  const std::vector<InputSpec> specs = split_all(options.outputs);
  NK_ASSIGN(const std::vector<size_t> ports, match_ports(report.ports, specs, "output"));
  std::vector<emit::OutputFile> files;
  for (emit::OutputFile& layer : layers) {
    files.push_back({options.dump_layers + "/" + layer.name, std::move(layer.text)});
  }
  for (size_t i = 0; i < specs.size(); ++i) {
    const size_t p = ports[i];
    NK_ASSIGN(const std::string text,
              encode_output(specs[i].what, report.ports[p].type, report.values[p]));
    files.push_back({specs[i].what, text});
  }
  if (options.dump_layers.empty()) return emit::write_all(files);
  return emit::write_all(files, {options.dump_layers});
}

Result<void> check_outputs(const RunReport& report, const RunOptions& options) {
  const std::vector<InputSpec> specs = split_all(options.outputs);
  for (const InputSpec& spec : specs) {
    if (spec.what.empty()) {
      return fail(ErrorCode::kUsage, "no file is named", "--output", "write [NAME=]FILE");
    }
  }
  NK_TRY(match_ports(report.ports, specs, "output"));
  return {};
}

// The files in [NAME=]FILE.
std::vector<std::string> names_in(const std::vector<std::string>& texts) {
  std::vector<std::string> names;
  for (const InputSpec& spec : split_all(texts)) names.push_back(spec.what);
  return names;
}

}  // namespace

Result<std::vector<Bytes>> gather_inputs(const std::vector<PortInfo>& ports,
                                         const std::vector<std::string>& texts, bool real) {
  const std::vector<InputSpec> specs = split_all(texts);
  NK_ASSIGN(const std::vector<size_t> port_of, match_ports(ports, specs, "input"));
  if (specs.size() != ports.size()) {
    return fail(ErrorCode::kUsage, given_text(specs.size(), "input", ports.size()), "--input",
                hint_of(ports, "input"));
  }
  std::vector<Bytes> inputs(ports.size());
  for (size_t i = 0; i < specs.size(); ++i) {
    const PortInfo& port = ports[port_of[i]];
    if (texts[i].empty() && element_count(port.type.dims).value_or(1) != 0) {
      return fail(ErrorCode::kUsage, "the value is empty", "--input",
                  fmt::format("give numbers or a file for {} {}", port.name, type_text(port.type)));
    }
    NK_ASSIGN(inputs[port_of[i]], read_input(specs[i].what, port.type, real, port.name));
  }
  return inputs;
}

Result<RunReport> run_model(const std::string& path, const CompileOptions& compile_options,
                            const RunOptions& options) {
  const FilesRead read;
  NK_TRY(FilesRead::declare(names_in(options.outputs), names_in(options.inputs)));
  NK_ASSIGN(Session session, Session::open(path, compile_options, options.arena_bytes));
  RunReport report;
  report.warnings = session.warnings();
  report.ports = session.outputs();
  NK_TRY(check_outputs(report, options));
  NK_ASSIGN(const std::vector<Bytes> inputs,
            gather_inputs(session.inputs(), options.inputs, options.real));
  StepRecorder recorder{options.profile, options.dump_layers, false, {}, {}, {}};
  if (options.profile || !options.dump_layers.empty()) {
    session.set_hook(StepRecorder::on_step, &recorder);
  }
  for (int i = 0; i < options.repeat; ++i) {
    recorder.last_run = i + 1 == options.repeat;
    recorder.since = std::chrono::steady_clock::now();
    const auto start = recorder.since;
    NK_ASSIGN(report.values, session.run(inputs));
    report.seconds +=
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  report.runs = options.repeat;
  report.seconds /= options.repeat;
  if (options.profile) report.profile = std::move(recorder.times);
  for (StepTime& step : report.profile) step.seconds /= options.repeat;
  NK_TRY(write_outputs(report, options, std::move(recorder.files)));
  return report;
}

}  // namespace netkit::driver
