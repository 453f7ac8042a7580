// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/cli.h"

namespace netkit::cli {
namespace {

Result<std::pair<std::string, Dims>> parse_shape(const std::string& text) {
  const size_t equals = text.rfind('=');
  if (equals == std::string::npos) {
    return fail(ErrorCode::kUsage, "names no input", fmt::format("--shape {}", text),
                fmt::format("write NAME={}; netkit inspect MODEL shows the names", text));
  }
  std::pair<std::string, Dims> shape = {text.substr(0, equals), {}};
  const char* at = text.data() + equals + 1;
  const char* end = text.data() + text.size();
  while (at < end) {
    int64_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    const bool separated = next == end || *next == 'x' || *next == ',';
    if (error != std::errc() || value < 0 || !separated) {
      return fail(ErrorCode::kUsage, fmt::format("'{}' is not a shape", text), "--shape",
                  "write NAME=1x49x10x1");
    }
    shape.second.push_back(value);
    at = next + (next < end ? 1 : 0);
  }
  return shape;
}

Result<std::pair<std::string, std::string>> parse_fixed(const std::string& text) {
  const size_t equals = text.find('=');
  if (equals != std::string::npos && equals != 0 && equals + 1 < text.size()) {
    return std::pair{text.substr(0, equals), text.substr(equals + 1)};
  }
  return fail(ErrorCode::kUsage, fmt::format("'{}' names no input and its values", text), "--fix",
              "write NAME=1,2,3 or NAME=FILE");
}

Result<double> parse_seconds(const std::string& text) {
  double seconds = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, seconds);
  if (error == std::errc() && at == end && seconds > 0 && std::isfinite(seconds)) {
    return seconds;
  }
  return fail(ErrorCode::kUsage, fmt::format("'{}' is not a time", text), "--time-limit",
              "give seconds, as 2.5");
}

}  // namespace

void add_model_options(CLI::App& verb, ModelOptions& options) {
  verb.add_option("model", options.model, "model file")->required();
  options.options = {
      verb.add_option("--target", options.target, "chip or class of chips")->capture_default_str(),
      verb.add_option("--shape", options.shapes,
                      "NAME=1x49x10x1 for an input with open dimensions"),
      verb.add_option("--fix", options.fixed,
                      "NAME=VALUES|FILE: an input that stays the same and becomes a constant"),
      verb.add_option("--order", options.order, "best or given (the file's)")
          ->capture_default_str(),
      verb.add_option("--class", options.plan_class,
                      "plain (no output touches a live input) or overlap")
          ->capture_default_str(),
      verb.add_option("--time-limit", options.time_limit,
                      "seconds for the planner; its answer then depends on the machine"),
      verb.add_option("--without", options.without, "leave out a graph pass, by its name"),
      verb.add_flag("--omit-final-softmax", options.omit_final_softmax,
                    "outputs are what a softmax at the end would read")};
  const auto quant = add_quant_options(verb, options.quant);
  options.options.insert(options.options.end(), quant.begin(), quant.end());
}

Result<driver::CompileOptions> compile_options(const ModelOptions& options) {
  driver::CompileOptions out;
  out.target = options.target;
  out.disabled_passes = options.without;
  out.omit_final_softmax = options.omit_final_softmax;
  out.given = options.given;
  for (const CLI::Option* option : options.options) {
    if (option->count() > 0) out.given.push_back(option->get_name());
  }
  NK_ASSIGN(out.quant, quant_request(options.quant, out.given));
  for (const std::string& text : options.shapes) {
    NK_ASSIGN(auto shape, parse_shape(text));
    const auto same = [&](const auto& other) { return other.first == shape.first; };
    if (std::ranges::any_of(out.shapes, same)) {
      return fail(ErrorCode::kUsage, fmt::format("input '{}' is given twice", shape.first),
                  "--shape", "name each input once");
    }
    out.shapes.push_back(std::move(shape));
  }
  for (const std::string& text : options.fixed) {
    NK_ASSIGN(auto fixed, parse_fixed(text));
    out.fixed.push_back(std::move(fixed));
  }
  if (options.order == "given") {
    out.plan.order = plan::OrderChoice::kGiven;
  } else if (options.order != "best") {
    return fail(ErrorCode::kUsage, fmt::format("unknown order '{}'", options.order), "--order",
                "best or given");
  }
  if (options.plan_class == "plain") {
    out.plan.class_limit = plan::PlanClass::kPlain;
  } else if (options.plan_class != "overlap") {
    return fail(ErrorCode::kUsage, fmt::format("unknown class '{}'", options.plan_class), "--class",
                "plain or overlap");
  }
  if (!options.time_limit.empty()) {
    NK_ASSIGN(out.plan.time_limit_seconds, parse_seconds(options.time_limit));
  }
  return out;
}

}  // namespace netkit::cli
