// SPDX-License-Identifier: MIT
// The command line: a file per verb registers its options and prints its answer.
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/driver/compile.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace netkit::cli {

// What stands before or after the verb.
struct Globals {
  bool json = false;
  std::optional<int64_t> arena_bytes;  // none: as the file says
};

// The verb's work; its exit code (0 done, 1 the answer is no). Set by the verb's callback.
struct Context {
  Globals globals;
  std::function<Result<int>()> work;
};

using AddVerb = void (*)(CLI::App& app, Context& context);
void add_compile(CLI::App& app, Context& context);
void add_plan(CLI::App& app, Context& context);
void add_check_plan(CLI::App& app, Context& context);
void add_inspect(CLI::App& app, Context& context);
void add_run(CLI::App& app, Context& context);
void add_test(CLI::App& app, Context& context);
void add_emit(CLI::App& app, Context& context);
void add_version(CLI::App& app, Context& context);

// The quantiser's options.
struct QuantOptions {
  bool int8 = false, float_io = false, no_equalise = false, no_bias_correction = false;
  bool auto_mixed = false;
  std::string samples, limit, range = "min-max", percentile, pixels, max_drop;
  std::vector<std::string> keep_float, int16;
};

// Options that every verb with a model shares.
struct ModelOptions {
  std::string model, target = "generic", order = "best", plan_class = "overlap", time_limit;
  std::vector<std::string> shapes, fixed, without;
  bool omit_final_softmax = false;
  QuantOptions quant;
  std::vector<const CLI::Option*> options;  // all of these but the model
  std::vector<std::string> given;           // the same by their names, where no parser holds them
};
void add_model_options(CLI::App& verb, ModelOptions& options);
Result<driver::CompileOptions> compile_options(const ModelOptions& options);
// The same of the quantiser's options; what they ask for (nothing without --int8).
std::vector<const CLI::Option*> add_quant_options(CLI::App& verb, QuantOptions& options);
std::span<const std::string_view> quant_option_names();
Result<std::optional<driver::QuantRequest>> quant_request(const QuantOptions& options,
                                                          const std::vector<std::string>& given);

// "65536", "64K", "64KiB", "1MiB" in bytes. Errors: not a size, zero, above 2^40.
Result<int64_t> parse_size(const std::string& text, std::string_view option);
// A whole number from 1 to 10^9.
Result<int> parse_count(const std::string& text, std::string_view option);
// Refuses (kUsage) an option without its value, which no word that begins with "--" and no other
// option is, and one that is given twice and may not be.
Result<void> check_words(const CLI::App& app, const std::vector<std::string>& words);
// What to do where `words` did not parse: a near option, the option that a file was meant for,
// ./ for a file whose name reads as an option, or where the help is.
std::string usage_hint(const CLI::App& app, const std::vector<std::string>& words,
                       const std::string& verb);
// "16000 B (15.6 KiB)"
std::string size_text(int64_t bytes);

// "place: cause; items": what report_error prints first, without the program's name.
std::string one_line(const Error& error);
// With the hint of its code where it has none of its own.
Error with_hint(Error error);
// One line that names cause and place, one more that says what to do; with --json an object on
// stdout too. Returns the exit code.
int report_error(const Error& error, const Globals& globals);
// Text on stderr. What a full or closed stderr does not take is lost: the exit code tells.
void print_on_stderr(const std::string& text);
// As report_error, on stderr alone, for an answer that has been printed already.
int report_on_stderr(const Error& error);
// Refuses --arena (kUsage) where it would say nothing.
Result<void> no_arena(const Globals& globals, std::string_view verb);
void print_version(const Globals& globals);
void print_warnings(const std::vector<std::string>& warnings);
// A model's own words may hold anything; a terminal gets no control characters.
std::string printable(std::string_view text);
// Before anything is opened: a closed stdin, stdout or stderr must not become some file's number.
void open_streams();
// kUsage where stdout did not take all.
Result<void> flush_stdout();
// A pipe whose reader had enough (head): the answer is as whole as it was wanted.
bool stdout_reader_left();
// The exit code when all was written: `code`, or 2 and a line on stderr when stdout took not all.
int close_stdout(int code);
// 0.0 to 1.0 on stderr, drawn only when that is a terminal.
void progress(std::string_view what, double done);

}  // namespace netkit::cli
