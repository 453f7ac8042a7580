// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "compiler/driver/verbs/emit_model.h"

namespace netkit::cli {
namespace {

struct EmitArgs {
  ModelOptions model;
  driver::EmitOptions emit;
  bool against_library = false;
  std::string io = "arena";
};

Result<int> emit(EmitArgs args, const Globals& globals) {
  args.emit.standalone = !args.against_library;
  args.emit.caller_io = args.io == "caller";
  if (!args.emit.caller_io && args.io != "arena") {
    return fail(ErrorCode::kUsage, fmt::format("unknown place '{}'", args.io), "--io",
                "arena or caller");
  }
  args.emit.arena_limit_bytes = globals.arena_bytes;
  NK_ASSIGN(const driver::CompileOptions options, compile_options(args.model));
  NK_ASSIGN(const driver::EmitReport report,
            driver::emit_model(args.model.model, options, args.emit));
  print_warnings(report.warnings);
  if (globals.json) {
    const nlohmann::json object = {{"format", "netkit-emit/1"},
                                   {"name", report.name},
                                   {"files", report.files},
                                   {"arena_bytes", report.arena_bytes},
                                   {"weight_bytes", report.weight_bytes},
                                   {"parameter_bytes", report.parameter_bytes},
                                   {"macs", report.macs},
                                   {"proven_minimal", report.proven_minimal},
                                   {"class", report.plan_class}};
    std::puts(object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return 0;
  }
  for (const std::string& file : report.files) fmt::print("{}\n", printable(file));
  fmt::print("call {}_run(); arena {} ({}), weights and tables {} in flash\n", report.name,
             size_text(report.arena_bytes),
             report.proven_minimal ? "proven minimal, class " + report.plan_class : "not proven",
             size_text(report.weight_bytes + report.parameter_bytes));
  return 0;
}

}  // namespace

void add_emit(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("emit", "model into C sources for firmware");
  verb->alias("aot");
  auto args = std::make_shared<EmitArgs>();
  add_model_options(*verb, args->model);
  verb->add_option("-o,--output", args->emit.folder, "folder for NAME.h and NAME.c")->required();
  verb->add_option("--name", args->emit.name, "prefix of all symbols; default: the model's name");
  CLI::Option* standalone = verb->add_flag("--standalone", args->emit.standalone,
                                           "kernels inside the source (the default)");
  verb->add_flag("--lib", args->against_library, "call the kernels of libnetkit")
      ->excludes(standalone);
  verb->add_option("--memory-map", args->emit.memory_map,
                   "netkit-memory/1: nothing is written unless the arena fits into one region");
  verb->add_option("--io", args->io,
                   "where inputs and outputs stand: arena (the default) or caller: in the caller's "
                   "buffers, planned without them");
  verb->footer(
      "\nExamples:\n"
      "  netkit emit model.tflite -o out --name net\n"
      "  netkit emit model.onnx -o out --lib\n"
      "  netkit emit model.onnx -o out --io caller\n"
      "  netkit emit model.tflite -o out --arena 64K    nothing is written when it does not fit\n");
  verb->callback([&context, args] {
    context.work = [&context, args] { return emit(*args, context.globals); };
  });
}

}  // namespace netkit::cli
