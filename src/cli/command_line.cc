// SPDX-License-Identifier: MIT
// netkit <verb> MODEL [options]: finds the verb, parses, runs, turns the outcome into an exit code.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <new>
#include <system_error>

#include "cli/cli.h"
#include "compiler/driver/io/write_files.h"
#include "netkit.h"
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

// "-" is stdin or stdout elsewhere; here it would be a file of that name.
Result<void> no_stream(const CLI::Option& option, const std::string& value) {
  if (value != "-" && !(option.get_name() == "--output" && value.ends_with("=-"))) return {};
  return fail(ErrorCode::kUsage, "'-' names no file: files are read and written by their names",
              option.get_name(), "./- is the file of that name; --json prints to stdout");
}

// An option with nothing in it was meant to say something. Zero numbers are an input, though.
Result<void> check_values(const CLI::App& app) {
  for (const CLI::Option* option : app.get_options()) {
    const bool input = option->get_name() == "--input";
    for (const std::string& value : option->results()) {
      NK_TRY(no_stream(*option, value));
      if (!value.empty() || input) continue;
      const bool file = !option->nonpositional();
      return fail(ErrorCode::kUsage, file ? "the name is empty" : "the value is empty",
                  option->get_name(),
                  file ? "name a file that there is" : "give it a value or leave it out");
    }
  }
  for (const CLI::App* verb : app.get_subcommands()) NK_TRY(check_values(*verb));
  return {};
}

// fmt throws where stdout takes no more; flush_stdout tells of that.
Result<int> worked(Context& context) {
  try {
    return context.work();
  } catch (const std::system_error&) {
    if (std::ferror(stdout) == 0) throw;
  }
  return 0;
}

Result<int> run_verb(const CLI::App& app, Context& context, const std::string& arena) {
  NK_TRY(check_values(app));
  if (!arena.empty()) {
    NK_ASSIGN(const int64_t bytes, parse_size(arena, "--arena"));
    context.globals.arena_bytes = bytes;
  }
  const FilesRead inputs;  // no output of the verb may replace one
  driver::HeldOutputs outputs;
  NK_ASSIGN(const int code, worked(context));
  if (const auto told = flush_stdout(); !told && !stdout_reader_left()) {
    return report_on_stderr(told.error());
  }
  if (const auto kept = outputs.put_in_place(); !kept) return report_on_stderr(kept.error());
  return code;
}

int no_verb(const CLI::App& app, const Globals& globals) {
  return usage_error("no verb given", fmt::format("verbs: {}; netkit --help", verbs_of(app)),
                     globals);
}

int no_such_verb(const CLI::App& app, const std::string& word, const Globals& globals) {
  return usage_error(fmt::format("unknown verb '{}'", word),
                     fmt::format("verbs: {}; netkit --help", verbs_of(app)), globals);
}

// "netkit help" and "netkit help VERB", as --help.
int print_help(CLI::App& app, const char* program, const std::vector<std::string>& words,
               const Globals& globals) {
  app.name(program);
  std::string text = app.help();
  int verbs = 0;
  for (size_t i = 1 + (std::ranges::find(words, "help") - words.begin()); i < words.size(); ++i) {
    if (words[i].starts_with('-')) continue;
    if (!is_verb(app, words[i])) return no_such_verb(app, words[i], globals);
    if (++verbs > 1) return usage_error("one verb at a time", "netkit help VERB", globals);
    text = app.get_subcommand(words[i])->help(program);
  }
  std::fputs(text.c_str(), stdout);
  return 0;
}

int unknown_verb(const CLI::App& app, const std::vector<std::string>& words,
                 const std::string& word, const Globals& globals) {
  for (size_t i = 0; i + 1 < words.size(); ++i) {  // a verb where the size should stand
    if (words[i] != "--arena" || !is_verb(app, words[i + 1])) continue;
    return report_error(parse_size(words[i + 1], "--arena").error(), globals);
  }
  return no_such_verb(app, word, globals);
}

// An option's conditions are told when they are not met; a list of them in the help hides it.
class ShortHelp : public CLI::Formatter {
 public:
  std::string make_option_opts(const CLI::Option* option) const override {
    const std::string text = CLI::Formatter::make_option_opts(option);
    return text.substr(0, text.find(" Excludes:"));
  }
};

constexpr const char* kJsonHelp =
    "\nAlso:\n"
    "  --json              one JSON object on stdout, messages on stderr\n";
constexpr const char* kArenaHelp =
    "  --arena SIZE        the memory that there is, as 65536, 64K or 64KiB\n";
constexpr std::string_view kWithoutArena[] = {"check-plan", "version"};  // which refuse it

std::string global_help(const CLI::App& verb) {
  const bool none = std::ranges::find(kWithoutArena, verb.get_name()) != std::end(kWithoutArena);
  return std::string(kJsonHelp) + (none ? "" : kArenaHelp);
}

// A shell gives a name and words; what calls nk_cli_run from C may give anything.
bool are_words(int argc, char** argv) {
  if (argc < 1 || argv == nullptr) return false;
  return std::none_of(argv, argv + argc, [](const char* word) { return word == nullptr; });
}

int parse_and_run(int argc, char** argv) {
  CLI::App app(kAbout);
  Context context;
  std::string arena;
  if (!are_words(argc, argv)) {
    return usage_error("no words: argv holds the program's name, then a verb, and no NULL",
                       "netkit --help", context.globals);
  }
  app.footer(kExamples);
  app.set_version_flag("--version", NETKIT_VERSION_STRING);
  app.add_flag("--json", context.globals.json, "one JSON object on stdout, messages on stderr");
  app.add_option("--arena", arena, "arena size, as 65536, 64K or 64KiB");
  app.fallthrough();
  app.formatter(std::make_shared<ShortHelp>());  // before the verbs, which take it over
  for (const AddVerb add : kVerbs) add(app, context);
  for (CLI::App* verb : app.get_subcommands([](CLI::App*) { return true; })) {
    verb->fallthrough();
    verb->footer(global_help(*verb) + verb->get_footer());
    for (CLI::Option* option :
         verb->get_options([](CLI::Option* o) { return o->nonpositional(); })) {
      option->allow_extra_args(false);  // a list grows by saying its option again
    }
  }
  // What does not parse is told in JSON too, wherever the option stands.
  context.globals.json = std::any_of(
      argv + 1, argv + argc, [](const char* word) { return std::string_view(word) == "--json"; });
  const bool json = context.globals.json;
  const std::string word = first_word(argc, argv);
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (word == "help") return print_help(app, argv[0], words, context.globals);
  if (!word.empty() && !is_verb(app, word)) return unknown_verb(app, words, word, context.globals);
  if (const auto checked = check_words(app, words); !checked) {
    return report_error(checked.error(), context.globals);
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForVersion& e) {
    if (!json) return app.exit(e);
    print_version({true, {}});
    return 0;
  } catch (const CLI::Success& e) {  // help
    return app.exit(e);
  } catch (const CLI::ExtrasError&) {
    context.globals.json = json;
    return usage_error(fmt::format("not expected: {}", fmt::join(app.remaining(true), " ")),
                       usage_hint(app, words, word), context.globals);
  } catch (const CLI::ParseError& e) {
    context.globals.json = json;
    return usage_error(e.what(), usage_hint(app, words, word), context.globals);
  }
  if (!context.work) return no_verb(app, context.globals);
  const Result<int> outcome = run_verb(app, context, arena);
  return outcome ? *outcome : report_error(outcome.error(), context.globals);
}

}  // namespace
}  // namespace netkit::cli

extern "C" int nk_cli_run(int argc, char** argv) {
  int code = static_cast<int>(netkit::ErrorCode::kInput);
  try {
    code = netkit::cli::parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    std::fputs("netkit: out of memory\n  give the process more memory or a smaller model\n",
               stderr);
  } catch (const std::exception& e) {
    // fmt throws where stdout takes no more; close_stdout tells of that.
    if (std::ferror(stdout) != 0) {
      code = 0;
    } else {
      netkit::cli::print_on_stderr(fmt::format("netkit: {}\n", e.what()));
    }
  }
  std::fflush(stdout);
  return code;
}
