// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/verbs/run.h"

namespace netkit::cli {
namespace {

constexpr size_t kShownValues = 16;

struct RunArgs {
  ModelOptions model;
  driver::RunOptions run;
  std::string repeat = "1";
};

std::string values_text(const driver::RunReport& report, size_t port, size_t limit) {
  const TensorType& type = report.ports[port].type;
  const size_t count = static_cast<size_t>(element_count(type.dims).value_or(0));
  std::string out;
  for (size_t i = 0; i < count && i < limit; ++i) {
    out += (i == 0 ? "" : ",") + driver::element_json(report.values[port], type.dtype, i);
  }
  return count > limit ? out + fmt::format(",… {} in all", count) : out;
}

// Written by hand: a JSON library would print floats as doubles, with digits they do not have.
void print_json(const driver::RunReport& report) {
  std::string out = R"({"format":"netkit-run/1","outputs":[)";
  for (size_t i = 0; i < report.ports.size(); ++i) {
    const driver::PortInfo& port = report.ports[i];
    out += fmt::format(
        R"({}{{"name":{},"dtype":"{}","shape":[{}],"values":[{}]}})", i == 0 ? "" : ",",
        nlohmann::json(port.name).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace),
        name_of(port.type.dtype), fmt::join(port.type.dims, ","), values_text(report, i, SIZE_MAX));
  }
  out += fmt::format(R"(],"seconds":{},"runs":{})", report.seconds, report.runs);
  if (!report.profile.empty()) {
    nlohmann::json steps = nlohmann::json::array();
    for (const auto& step : report.profile) {
      steps.push_back({{"kernel", step.kernel}, {"node", step.node}, {"seconds", step.seconds}});
    }
    out += ",\"profile\":" + steps.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  }
  std::puts((out + "}").c_str());
}

void print_text(const driver::RunReport& report) {
  for (size_t i = 0; i < report.ports.size(); ++i) {
    fmt::print("{} {}: {}\n", printable(report.ports[i].name), type_text(report.ports[i].type),
               values_text(report, i, kShownValues));
  }
  for (const auto& step : report.profile) {
    fmt::print("{:10.1f} us  {}  {}\n", step.seconds * 1e6, step.kernel, printable(step.node));
  }
  const std::string runs =
      report.runs > 1 ? fmt::format(" a run, the mean of {} runs", report.runs) : "";
  fmt::print("{:.1f} us{} (this machine, measured)\n", report.seconds * 1e6, runs);
}

Result<int> run(const RunArgs& args, const Globals& globals) {
  NK_ASSIGN(const driver::CompileOptions compile, compile_options(args.model));
  driver::RunOptions options = args.run;
  NK_ASSIGN(options.repeat, parse_count(args.repeat, "--repeat"));
  options.arena_bytes = static_cast<size_t>(globals.arena_bytes.value_or(0));
  NK_ASSIGN(const driver::RunReport report, run_model(args.model.model, compile, options));
  print_warnings(report.warnings);
  globals.json ? print_json(report) : print_text(report);
  return 0;
}

}  // namespace

void add_run(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("run", "one inference, with the bits of the device");
  auto args = std::make_shared<RunArgs>();
  add_model_options(*verb, args->model);
  verb->add_option("--input", args->run.inputs,
                   "[NAME=]VALUES|FILE: comma list, .npy, .csv or raw .bin; once per input")
      ->take_all();
  verb->add_option("--output", args->run.outputs, "[NAME=]FILE: .npy, .csv or raw bytes");
  verb->add_option("--repeat", args->repeat,
                   "runs in a row; state carries over, times are the mean of a run");
  verb->add_flag("--real", args->run.real, "values are real numbers: quantise them");
  verb->add_flag("--profile", args->run.profile, "time of every step, the mean of all runs");
  verb->add_option("--dump-layers", args->run.dump_layers, "folder for every step's output");
  verb->footer(
      "\nExamples:\n"
      "  netkit run model.tflite --input in.npy --json\n"
      "  netkit run model.onnx --input left=1,2,3 --input right=b.bin --output out.npy\n"
      "  netkit run model.nk --input in.bin --profile --repeat 100\n");
  verb->callback([&context, args] {
    context.work = [&context, args] { return run(*args, context.globals); };
  });
}

}  // namespace netkit::cli
