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

void add_version(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("version", "version, compiler and file format");
  auto operators = std::make_shared<bool>(false);
  verb->add_flag("--operators", *operators, "the table of operators and kernels, as Markdown");
  verb->callback([&context, operators] {
    context.work = [&context, operators]() -> Result<int> {
      if (*operators) {
        std::fputs(driver::operator_table().c_str(), stdout);
        return 0;
      }
      if (context.globals.json) {
        const nlohmann::json object = {{"format", "netkit-version/1"},
                                       {"version", NETKIT_VERSION_STRING},
                                       {"compiler", __VERSION__},
                                       {"cplusplus", __cplusplus},
                                       {"nk_format", 5}};
        std::puts(object.dump().c_str());
      } else {
        fmt::print("netkit {} (.nk format 5; built with {}, C++ {})\n", NETKIT_VERSION_STRING,
                   __VERSION__, __cplusplus);
      }
      return 0;
    };
  });
}

}  // namespace netkit::cli
