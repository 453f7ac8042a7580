// SPDX-License-Identifier: MIT
// Several nodes in a row while an operator is lowered: the first failure is kept, what follows it
// adds nothing. Host only.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/ir/lower_context.h"
#include "ops/common/host/op_helpers.h"

namespace netkit {

class Chain {
 public:
  explicit Chain(LowerContext& context) : context_(context) {}

  // A scalar constant.
  TensorId number(float value) {
    return context_.add_constant("n", {NK_FLOAT32, {}, {}},
                                 *constant_of(std::vector<float>{value}));
  }
  // The node's first output; kNoTensor after a failure.
  TensorId add(std::string_view op, std::vector<TensorId> inputs, Attrs attrs = {}) {
    if (error_) return kNoTensor;
    return kept(context_.add(op, std::move(inputs), std::move(attrs)));
  }
  TensorId reshape(TensorId x, Dims dims) {
    if (error_) return kNoTensor;
    return kept(reshape_to(context_, x, std::move(dims)));
  }
  TensorId transpose(TensorId x, std::vector<int64_t> perm) {
    if (error_) return kNoTensor;
    return kept(context_.transpose(x, std::move(perm)));
  }
  const std::optional<Error>& error() const { return error_; }

 private:
  TensorId kept(Result<TensorId> made) {
    if (made) return *made;
    error_ = std::move(made.error());
    return kNoTensor;
  }

  LowerContext& context_;
  std::optional<Error> error_;
};

}  // namespace netkit
