// SPDX-License-Identifier: MIT
#include "compiler/driver/fixed_inputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "compiler/driver/io/tensor_io.h"

namespace netkit::driver {
namespace {

Result<std::vector<int>::iterator> input_named(ForeignGraph& foreign, const std::string& name) {
  std::string known;
  for (auto at = foreign.inputs.begin(); at != foreign.inputs.end(); ++at) {
    const std::string& own = foreign.tensors[static_cast<size_t>(*at)].name;
    if (own == name) return at;
    known += (known.empty() ? "" : ", ") + own;
  }
  return fail(ErrorCode::kUsage, fmt::format("the model has no input '{}'", name), "--fix",
              known.empty() ? "leave it out: the model has no inputs"
                            : fmt::format("its inputs are {}", known));
}

Result<void> close_shape(ForeignTensor& tensor, CompileOptions& options) {
  const auto given =
      std::ranges::find(options.shapes, tensor.name, &std::pair<std::string, Dims>::first);
  if (given != options.shapes.end()) {
    tensor.type.dims = given->second;
    tensor.has_shape = true;
    tensor.dim_names.clear();
    options.shapes.erase(given);
  }
  const bool open = std::ranges::any_of(tensor.type.dims, [](int64_t d) { return d < 0; });
  if (tensor.has_shape && !open) return {};
  return fail(ErrorCode::kUsage, fmt::format("the shape of input '{}' is open", tensor.name),
              "--fix", fmt::format("give it: --shape {}=…", tensor.name));
}

}  // namespace

Result<void> fix_inputs(ForeignGraph& foreign, CompileOptions& options) {
  for (const auto& [name, what] : options.fixed) {
    NK_ASSIGN(const auto at, input_named(foreign, name));
    ForeignTensor& tensor = foreign.tensors[static_cast<size_t>(*at)];
    NK_TRY(close_shape(tensor, options));
    NK_ASSIGN(const int64_t count, element_count(tensor.type.dims));
    Bytes bytes;
    if (count != 0) {
      NK_ASSIGN(bytes, read_input(what, tensor.type, false, name));
    }
    tensor.data = std::make_shared<const Bytes>(std::move(bytes));
    tensor.dim_names.clear();
    foreign.inputs.erase(at);
  }
  return {};
}

}  // namespace netkit::driver
