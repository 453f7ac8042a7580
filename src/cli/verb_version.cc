// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/cli.h"
#include "compiler/driver/verbs/operators.h"
#include "netkit/version.h"

namespace netkit::cli {
namespace {

#if defined(__clang__)
constexpr char kCompiler[] = "clang " __clang_version__;
#else
constexpr char kCompiler[] = "GCC " __VERSION__;
#endif

}  // namespace

void print_version(const Globals& globals) {
  if (!globals.json) {
    fmt::print("netkit {} (.nk format 5; built with {}, C++ {})\n", NETKIT_VERSION_STRING,
               kCompiler, __cplusplus);
    return;
  }
  const nlohmann::json object = {{"format", "netkit-version/1"},
                                 {"version", NETKIT_VERSION_STRING},
                                 {"compiler", kCompiler},
                                 {"cplusplus", __cplusplus},
                                 {"nk_format", 5}};
  std::puts(object.dump().c_str());
}

void add_version(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("version", "version, compiler and file format");
  auto operators = std::make_shared<bool>(false);
  verb->add_flag("--operators", *operators, "the table of operators and kernels, as Markdown");
  verb->footer("\nExamples:\n  netkit version --json\n  netkit version --operators\n");
  verb->callback([&context, operators] {
    context.work = [&context, operators]() -> Result<int> {
      NK_TRY(no_arena(context.globals, "version"));
      if (!*operators) {
        print_version(context.globals);
      } else if (context.globals.json) {
        std::puts(driver::operators_json().c_str());
      } else {
        std::fputs(driver::operator_table().c_str(), stdout);
      }
      return 0;
    };
  });
}

}  // namespace netkit::cli
