// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>

#include "cli/cli.h"

namespace netkit::cli {
namespace {

// A number with an optional per cent sign, which divides it by 100.
std::optional<double> number(std::string_view text, bool per_cent) {
  const bool signed_so = per_cent && text.ends_with('%');
  if (signed_so) text.remove_suffix(1);
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc() || at != end || !std::isfinite(value)) return std::nullopt;
  return signed_so ? value / 100.0 : value;
}

Result<driver::PixelRange> parse_pixels(const std::string& text) {
  const size_t comma = text.find(',');
  if (comma != std::string::npos) {
    const auto lo = number(std::string_view(text).substr(0, comma), false);
    const auto hi = number(std::string_view(text).substr(comma + 1), false);
    if (lo && hi && *lo != *hi) return driver::PixelRange{*lo, *hi};
  }
  return fail(ErrorCode::kUsage, fmt::format("'{}' is not a range of two numbers", text),
              "--pixels", "give what a pixel of 0 and one of 255 become, as 0,1 or -1,1");
}

Result<void> set_numbers(const QuantOptions& options, driver::QuantRequest& request) {
  if (!options.percentile.empty()) {
    const auto value = number(options.percentile, false);
    if (!value || *value <= 50 || *value > 100) {
      return fail(ErrorCode::kUsage,
                  fmt::format("'{}' is not above 50 and at most 100", options.percentile),
                  "--percentile", "give the share of the values inside the range, as 99.99");
    }
    request.options.percentile = *value;
  }
  if (options.auto_mixed) {
    const std::string text = options.max_drop.empty() ? "0.5%" : options.max_drop;
    const auto value = number(text, true);
    if (!value || *value < 0 || *value > 1) {
      return fail(ErrorCode::kUsage, fmt::format("'{}' is not a share from 0% to 100%", text),
                  "--max-drop", "give it as 0.5%");
    }
    request.options.max_drop = *value;
  }
  if (!options.limit.empty()) {
    NK_ASSIGN(const int limit, parse_count(options.limit, "--samples"));
    request.limit = static_cast<size_t>(limit);
  }
  if (!options.pixels.empty()) {
    NK_ASSIGN(request.pixels, parse_pixels(options.pixels));
  }
  return {};
}

constexpr std::string_view kNames[] = {"--int8",
                                       "--calibrate",
                                       "--samples",
                                       "--pixels",
                                       "--range",
                                       "--percentile",
                                       "--keep-float",
                                       "--int16",
                                       "--auto-mixed",
                                       "--max-drop",
                                       "--float-io",
                                       "--no-equalise",
                                       "--no-bias-correction"};

bool is_quant_option(const std::string& name) {
  return std::ranges::find(kNames, name) != std::end(kNames);
}

}  // namespace

std::span<const std::string_view> quant_option_names() {
  return kNames;
}

std::vector<const CLI::Option*> add_quant_options(CLI::App& verb, QuantOptions& options) {
  std::vector<const CLI::Option*> added{
      verb.add_flag("--int8", options.int8, "quantise a float32 model; needs --calibrate"),
      verb.add_option("--calibrate", options.samples,
                      "sample inputs: a folder, .npy, .csv, IDX, .pgm, .ppm or raw float32"),
      verb.add_option("--samples", options.limit, "use at most so many; default: 200"),
      verb.add_option("--pixels", options.pixels,
                      "LO,HI: what 0 and 255 in pictures become; default: 0,1"),
      verb.add_option("--range", options.range, "min-max, percentile, mse or entropy")
          ->capture_default_str(),
      verb.add_option("--percentile", options.percentile,
                      "share of the values in the range; default: 99.99"),
      verb.add_option("--keep-float", options.keep_float,
                      "a layer that stays float32, by its name"),
      verb.add_option("--int16", options.int16, "a layer with int16 activations, by its name"),
      verb.add_flag("--auto-mixed", options.auto_mixed,
                    "worst layers become int16 or float32 until --max-drop holds"),
      verb.add_option("--max-drop", options.max_drop,
                      "share of the samples that may change their answer; default: 0.5%"),
      verb.add_flag("--float-io", options.float_io, "inputs and outputs stay float32"),
      verb.add_flag("--no-equalise", options.no_equalise, "without cross-layer equalisation"),
      verb.add_flag("--no-bias-correction", options.no_bias_correction, "without bias correction")};
  for (const CLI::Option* option : added) {
    const_cast<CLI::Option*>(option)->group("Quantiser");
  }
  return added;
}

Result<std::optional<driver::QuantRequest>> quant_request(const QuantOptions& options,
                                                          const std::vector<std::string>& given) {
  if (!options.int8) {
    const auto lost = std::ranges::find_if(given, is_quant_option);
    if (lost == given.end()) return std::nullopt;
    return fail(ErrorCode::kUsage, "says nothing without --int8", *lost, "add --int8");
  }
  if (options.samples.empty()) {
    return fail(ErrorCode::kUsage, "needs sample inputs", "--int8",
                "add --calibrate FOLDER|FILE with inputs as the model will see them");
  }
  const auto is_given = [&](std::string_view name) {
    return std::ranges::find(given, name) != given.end();
  };
  if (is_given("--max-drop") && !options.auto_mixed) {
    return fail(ErrorCode::kUsage, "says nothing without --auto-mixed", "--max-drop",
                "add --auto-mixed");
  }
  driver::QuantRequest request;
  request.samples = options.samples;
  const quant::RangeMethod* method = quant::range_method(options.range);
  if (method == nullptr) {
    return fail(ErrorCode::kUsage, fmt::format("unknown method '{}'", options.range), "--range",
                "min-max, percentile, mse or entropy");
  }
  request.options.method = *method;
  if (is_given("--percentile") && *method != quant::RangeMethod::kPercentile) {
    return fail(ErrorCode::kUsage, "says nothing without --range percentile", "--percentile",
                "add --range percentile");
  }
  request.options.equalise = !options.no_equalise;
  request.options.correct_bias = !options.no_bias_correction;
  request.options.float_io = options.float_io;
  request.options.keep_float = options.keep_float;
  request.options.int16 = options.int16;
  NK_TRY(set_numbers(options, request));
  request.progress = progress;
  return request;
}

}  // namespace netkit::cli
