// SPDX-License-Identifier: MIT
// netkit <verb> MODEL [options]: finds the verb, parses, runs, turns the outcome into an exit code.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <new>

#include "cli/cli.h"
#include "netkit/version.h"

namespace netkit::cli {
namespace {

constexpr AddVerb kVerbs[] = {add_compile, add_plan, add_check_plan, add_inspect,
                              add_run,     add_test, add_emit,       add_version};

constexpr const char* kAbout =
    "netkit: trained networks into devices. Plans the least RAM and proves it, runs the model\n"
    "with the bits that the chip will give, writes heap-free C.\n";
constexpr const char* kExamples =
    "\nExamples:\n"
    "  netkit plan model.tflite              the memory it needs, with proof\n"
    "  netkit plan model.tflite --certificate proof.json && netkit check-plan proof.json\n"
    "  netkit run model.tflite --input in.npy --json\n"
    "  netkit compile model.onnx -o model.nk\n"
    "  netkit emit model.tflite -o out --name net\n"
    "  netkit inspect model.nk --full\n"
    "Exit codes: 0 done, 1 the answer is no, 2 wrong usage, 3 bad or unsupported input.\n";

// The first argument that is no option: the verb that a user meant.
std::string first_word(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--arena") {
      ++i;
    } else if (!word.starts_with('-')) {
      return word;
    }
  }
  return {};
}

std::string verbs_of(const CLI::App& app) {
  std::string out;
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    out += (out.empty() ? "" : " ") + verb->get_name();
  }
  return out;
}

bool is_verb(const CLI::App& app, const std::string& word) {
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    if (verb->check_name(word)) return true;
  }
  return false;
}

int usage_error(std::string message, std::string hint, const Globals& globals) {
  return report_error({ErrorCode::kUsage, std::move(message), {}, std::move(hint), {}}, globals);
}

int parse_and_run(int argc, char** argv) {
  CLI::App app(kAbout);
  Context context;
  app.footer(kExamples);
  app.set_version_flag("--version", NETKIT_VERSION_STRING);
  app.add_flag("--json", context.globals.json, "one JSON object on stdout, messages on stderr");
  app.add_option("--arena", context.globals.arena, "arena size, as 65536, 64K or 64KiB");
  app.fallthrough();
  for (const AddVerb add : kVerbs) add(app, context);
  for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) verb->fallthrough();
  const std::string word = first_word(argc, argv);
  if (!word.empty() && !is_verb(app, word)) {
    return usage_error(fmt::format("unknown verb '{}'", word),
                       fmt::format("verbs: {}; netkit --help", verbs_of(app)), context.globals);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& e) {  // help and version
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    const std::string verb = word.empty() ? "" : " " + word;
    return usage_error(e.what(), fmt::format("netkit{} --help", verb), context.globals);
  }
  if (!context.work) {
    std::fputs(app.help().c_str(), stderr);
    return static_cast<int>(ErrorCode::kUsage);
  }
  const Result<int> outcome = context.work();
  return outcome ? *outcome : report_error(outcome.error(), context.globals);
}

}  // namespace
}  // namespace netkit::cli

int main(int argc, char** argv) {
  try {
    return netkit::cli::parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("netkit: out of memory\n  give the process more memory or a smaller model\n",
               stderr);
  } catch (const std::exception& e) {
    fmt::print(stderr, "netkit: {}\n", e.what());
  }
  return static_cast<int>(netkit::ErrorCode::kInput);
}
