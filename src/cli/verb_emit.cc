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
  std::string io = "arena", language = "c";
  bool no_lower = false, strict_lower = false;
};

Result<int> emit_sources(EmitArgs args, const Globals& globals) {
  args.emit.standalone = !args.against_library;
  args.emit.lowered = !args.no_lower;
  NK_ASSIGN(args.emit.language, driver::language_named(args.language));
  NK_ASSIGN(args.emit.caller_io, driver::is_caller_io(args.io));
  args.emit.arena_limit_bytes = globals.arena_bytes;
  NK_ASSIGN(const driver::CompileOptions options, compile_options(args.model));
  NK_ASSIGN(const driver::EmitReport report,
            driver::emit_model(args.model.model, options, args.emit));
  print_warnings(report.warnings);
  if (globals.json) {
    const nlohmann::json object = {{"format", "netkit-emit/1"},
                                   {"name", report.name},
                                   {"files", report.files},
                                   {"language", args.language},
                                   {"lowered", args.emit.lowered},
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
  const bool is_c = args.emit.language == emit::Language::kC;
  fmt::print("call {}{}; arena {} ({}), weights and parameters {} in flash\n", report.name,
             is_c ? "_run()" : "::Model::forward()", size_text(report.arena_bytes),
             report.proven_minimal ? "proven minimal, class " + report.plan_class : "not proven",
             size_text(report.weight_bytes + report.parameter_bytes));
  return 0;
}

}  // namespace

void add_emit(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("emit", "model into C or C++ sources for firmware");
  verb->alias("aot");
  auto args = std::make_shared<EmitArgs>();
  add_model_options(*verb, args->model);
  verb->add_option("-o,--output", args->emit.folder,
                   "folder for NAME.h and NAME.c, or NAME.hpp and NAME.cpp")
      ->required();
  verb->add_option("--language", args->language, "c (the default) or cpp");
  verb->add_option("--name", args->emit.name,
                   "prefix of all symbols, or the namespace; default: the model's name");
  CLI::Option* standalone = verb->add_flag("--standalone", args->emit.standalone,
                                           "kernels inside the source (the default)");
  CLI::Option* lib =
      verb->add_flag("--lib", args->against_library, "call the kernels of libnetkit");
  CLI::Option* embed = verb->add_flag("--no-lower", args->no_lower,
                                      "the .nk file inside, run by libnetkit's interpreter");
  CLI::Option* strict = verb->add_flag("--strict-lower", args->strict_lower,
                                       "refuse what does not become kernel calls (always so)");
  verb->add_flag("--specialize", args->emit.specialize,
                 "inline each kernel into its call, with constant shapes: more code, faster");
  lib->excludes(standalone);
  embed->excludes(standalone)->excludes(lib)->excludes(strict);
  verb->add_option("--memory-map", args->emit.memory_map,
                   "netkit-memory/1: nothing is written unless the arena fits into one region");
  verb->add_option("--io", args->io,
                   "where inputs and outputs stand: arena (the default) or caller: in the caller's "
                   "buffers, planned without them");
  verb->footer(
      "\nExamples:\n"
      "  netkit emit model.tflite -o out --name net\n"
      "  netkit emit model.onnx -o out --language cpp\n"
      "  netkit emit model.onnx -o out --lib\n"
      "  netkit emit model.onnx -o out --io caller\n"
      "  netkit emit model.tflite -o out --arena 64K    nothing is written when it does not fit\n");
  verb->callback([&context, args] {
    context.work = [&context, args] { return emit_sources(*args, context.globals); };
  });
}

}  // namespace netkit::cli
