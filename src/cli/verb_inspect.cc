// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "compiler/driver/verbs/inspect.h"

namespace netkit::cli {
namespace {

struct InspectArgs {
  ModelOptions model;
  bool full = false;
};

// "int8[1x28x28x1] q(…)" without the quantisation.
std::string short_type(const std::string& type) {
  return type.substr(0, type.find(" q("));
}

void print_layers(const driver::Inspection& x) {
  fmt::print("{:>4} {:<16} {:<22} {:<22} {:>12} {:>10} {:>9}  {}\n", "step", "operator", "input",
             "output", "MACs", "weights B", "output B", "kernel");
  for (size_t i = 0; i < x.layers.size(); ++i) {
    const driver::LayerInfo& layer = x.layers[i];
    fmt::print("{:>4} {:<16} {:<22} {:<22} {:>12} {:>10} {:>9}  {}{}{}\n", i + 1, layer.op,
               layer.inputs.empty() ? "" : short_type(layer.inputs[0]),
               layer.outputs.empty() ? "" : short_type(layer.outputs[0]), layer.macs,
               layer.weight_bytes, layer.output_bytes, layer.kernel,
               layer.mode != 0 ? fmt::format(" mode {}", layer.mode) : "",
               layer.scratch_bytes > 0 ? fmt::format(" scratch {} B", layer.scratch_bytes) : "");
  }
}

void print_full(const driver::Inspection& x) {
  fmt::print("arena       {} of class {}, lower bound {} B: {}\n", size_text(x.arena_bytes),
             x.plan_class, x.lower_bound_bytes,
             x.proven_minimal ? "proven minimal" : "not proven minimal");
  fmt::print("in use      {} B after load, {} B after a run; kernel workspace {} B of it\n",
             x.arena_bytes, x.arena_bytes, x.workspace_bytes());
  fmt::print("flash       {} of weights and parameters: {} B and {} B (kernels not counted)\n",
             size_text(x.weight_bytes + x.parameter_bytes), x.weight_bytes, x.parameter_bytes);
  fmt::print(".nk file    {}\n", size_text(x.nk_file_bytes));
  fmt::print("context     {} B of RAM for the interpreter on this machine; emitted C: 0 B\n",
             x.context_bytes);
  if (x.test_cases >= 0) fmt::print("test cases  {}\n", x.test_cases);
  for (const auto& [key, value] : x.provenance) {
    fmt::print("{:<11} {}\n", printable(key), printable(value));
  }
  for (const driver::LayerInfo& layer : x.layers) {
    for (const std::string& row : layer.refused) {
      fmt::print("not used    {} for {}\n", row, printable(layer.name));
    }
  }
}

Result<int> inspect(const InspectArgs& args, const Globals& globals) {
  NK_ASSIGN(const driver::CompileOptions options, compile_options(args.model));
  NK_ASSIGN(const driver::Inspection x, driver::inspect_file(args.model.model, options));
  print_warnings(x.warnings);
  const Result<void> fits = driver::fits_arena(x.arena_bytes, globals.arena_bytes, x.file);
  if (globals.json) {
    std::string text = driver::to_json(x);
    if (globals.arena_bytes) {
      text.pop_back();  // '}'
      text += fmt::format(R"(,"arena":{{"bytes":{},"fits":{}}}}})", *globals.arena_bytes,
                          fits.has_value());
    }
    std::puts(text.c_str());
    return fits ? 0 : report_on_stderr(fits.error());
  }
  fmt::print("{} for target {}\n", printable(x.file), x.target);
  for (const std::string& input : x.inputs) fmt::print("input  {}\n", printable(input));
  for (const std::string& output : x.outputs) fmt::print("output {}\n", printable(output));
  print_layers(x);
  fmt::print("{} steps, {} MACs, {} transposes, arena {}, weights {}\n", x.layers.size(), x.macs,
             x.transposes, size_text(x.arena_bytes), size_text(x.weight_bytes));
  if (args.full) print_full(x);
  return fits ? 0 : report_on_stderr(fits.error());
}

}  // namespace

void add_inspect(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("inspect", "layers, shapes, MACs, memory, provenance");
  auto args = std::make_shared<InspectArgs>();
  add_model_options(*verb, args->model);
  verb->add_flag("--full", args->full, "also arena, flash, context and provenance");
  verb->footer("\nExamples:\n  netkit inspect model.tflite\n  netkit inspect model.nk --full\n");
  verb->callback([&context, args] {
    context.work = [&context, args] { return inspect(*args, context.globals); };
  });
}

}  // namespace netkit::cli
