// SPDX-License-Identifier: MIT
#include "compiler/lower/input_shapes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace netkit {
namespace {

using Symbols = std::map<std::string, int64_t, std::less<>>;

std::string symbol_of(const ForeignTensor& tensor, size_t i) {
  return i < tensor.dim_names.size() && tensor.dim_names[i] != "?" ? tensor.dim_names[i] : "";
}

// "2x?x80", open dimensions by their names.
std::string file_shape_text(const ForeignTensor& tensor) {
  if (!tensor.has_shape) return "unknown";
  std::string text;
  for (size_t i = 0; i < tensor.type.dims.size(); ++i) {
    if (i != 0) text += 'x';
    const std::string symbol = symbol_of(tensor, i);
    text += !is_open_dim(tensor, i) ? fmt::format("{}", tensor.type.dims[i])
                                    : (symbol.empty() ? std::string("?") : symbol);
  }
  return text.empty() ? "scalar" : text;
}

Result<void> check_given(const ForeignTensor& tensor, const Dims& given, Symbols& symbols) {
  const std::string where = fmt::format("--shape {}={}", tensor.name, dims_text(given));
  const auto wrong = [&](std::string why) {
    return fail(ErrorCode::kUsage,
                fmt::format("input '{}' is {} in the file{}", tensor.name, file_shape_text(tensor),
                            why),
                where, "only dimensions that the file leaves open can be set");
  };
  if (std::ranges::any_of(given, [](int64_t d) { return d < 0; })) {
    return fail(ErrorCode::kUsage, "every dimension must be given", where);
  }
  constexpr int64_t kMostElements = INT32_MAX;  // as operators count them
  if (const auto elements = element_count(given); elements.value_or(INT64_MAX) > kMostElements) {
    return fail(ErrorCode::kUsage, "has more than 2^31 - 1 elements", where,
                "give smaller dimensions");
  }
  if (!tensor.has_shape) return {};
  if (given.size() != tensor.type.dims.size()) return wrong(", of another rank");
  for (size_t i = 0; i < given.size(); ++i) {
    if (!is_open_dim(tensor, i)) {
      if (given[i] != tensor.type.dims[i]) return wrong("");
      continue;
    }
    const std::string symbol = symbol_of(tensor, i);
    if (symbol.empty()) continue;
    const auto [it, fresh] = symbols.emplace(symbol, given[i]);
    if (!fresh && it->second != given[i]) {
      return wrong(fmt::format(" and dimension {} was given as {} before", symbol, it->second));
    }
  }
  return {};
}

class InputShapes {
 public:
  InputShapes(const ForeignGraph& foreign, const LowerOptions& options,
              std::vector<std::string>& warnings)
      : foreign_(foreign), options_(options), warnings_(warnings) {}

  Result<std::vector<Dims>> run() {
    NK_TRY(check_names());
    for (const int id : foreign_.inputs) {
      const ForeignTensor& tensor = at(id);
      if (const Dims* given = given_for(tensor)) NK_TRY(check_given(tensor, *given, symbols_));
    }
    std::vector<Dims> shapes;
    for (const int id : foreign_.inputs) shapes.push_back(closed(at(id)));
    if (unknown_.empty()) return shapes;
    Error error{ErrorCode::kInput, "the shape of an input is open", foreign_.file,
                fmt::format("give it: {}", fmt::join(hints_, " ")), unknown_};
    return std::unexpected(std::move(error));
  }

 private:
  const ForeignTensor& at(int id) const { return foreign_.tensors[static_cast<size_t>(id)]; }

  const Dims* given_for(const ForeignTensor& tensor) const {
    for (const auto& [name, dims] : options_.shapes) {
      if (name == tensor.name) return &dims;
    }
    return nullptr;
  }

  Result<void> check_names() const {
    std::vector<std::string> names;
    for (const int id : foreign_.inputs) names.push_back(at(id).name);
    for (const auto& [name, dims] : options_.shapes) {
      if (std::ranges::find(names, name) != names.end()) continue;
      return fail(ErrorCode::kUsage, fmt::format("the model has no input '{}'", name),
                  fmt::format("--shape {}={}", name, dims_text(dims)),
                  names.empty() ? "leave it out: the model has no inputs"
                                : fmt::format("its inputs are {}", fmt::join(names, ", ")));
    }
    return {};
  }

  Dims closed(const ForeignTensor& tensor) {
    if (const Dims* given = given_for(tensor)) return *given;
    Dims dims = tensor.type.dims;
    bool known = tensor.has_shape;
    for (size_t i = 0; i < dims.size(); ++i) {
      if (!is_open_dim(tensor, i)) continue;
      const std::string symbol = symbol_of(tensor, i);
      if (const auto it = symbols_.find(symbol); it != symbols_.end()) {
        dims[i] = it->second;
      } else if (dims[i] >= 0 || i == 0) {
        dims[i] = std::max<int64_t>(dims[i], 1);
        assumed(tensor, i, dims[i]);
      } else {
        known = false;
      }
    }
    if (!known) {
      unknown_.push_back(fmt::format("input '{}' is {}", tensor.name, file_shape_text(tensor)));
      hints_.push_back(fmt::format("--shape {}=…", tensor.name));
    }
    return dims;
  }

  void assumed(const ForeignTensor& tensor, size_t i, int64_t size) {
    // A TFLite batch of nominal size 1 is what everybody means; no words about it.
    if (i == 0 && tensor.type.dims[i] == 1) return;
    warnings_.push_back(fmt::format("input '{}' is {} in the file: dimension {} is taken as {}",
                                    tensor.name, file_shape_text(tensor), i, size));
  }

  const ForeignGraph& foreign_;
  const LowerOptions& options_;
  std::vector<std::string>& warnings_;
  Symbols symbols_;
  std::vector<std::string> unknown_, hints_;
};

}  // namespace

bool is_open_dim(const ForeignTensor& tensor, size_t i) {
  const bool named = i < tensor.dim_names.size() && !tensor.dim_names[i].empty();
  return tensor.type.dims[i] < 0 || named;
}

Result<std::vector<Dims>> closed_input_shapes(const ForeignGraph& foreign,
                                              const LowerOptions& options,
                                              std::vector<std::string>& warnings) {
  return InputShapes(foreign, options, warnings).run();
}

}  // namespace netkit
