// SPDX-License-Identifier: MIT
// ONNX Det of small matrices: expansion along the first row.
#include <fmt/format.h>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/composed/composed.h"

namespace netkit {
namespace {

constexpr int64_t kMostRows = 3;

// Matrices [count, n, n], one element at a time as [count].
class Determinant {
 public:
  Determinant(LowerContext& context, TensorId matrices, int64_t count)
      : chain_(context), matrices_(matrices), count_(count) {}

  // Of the rows from `row` on in these columns.
  TensorId of(int64_t row, const std::vector<int64_t>& columns) {
    if (columns.size() == 1) return element(row, columns[0]);
    TensorId sum = kNoTensor;
    for (size_t i = 0; i < columns.size(); ++i) {
      std::vector<int64_t> rest = columns;
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      const TensorId product = chain_.add("mul", {element(row, columns[i]), of(row + 1, rest)});
      sum = i == 0 ? product : chain_.add(i % 2 == 1 ? "sub" : "add", {sum, product});
    }
    return sum;
  }
  TensorId shaped(TensorId y, Dims dims) { return chain_.reshape(y, std::move(dims)); }
  const std::optional<Error>& error() const { return chain_.error(); }

 private:
  TensorId element(int64_t row, int64_t column) {
    Attrs attrs;
    attrs.set("starts", Dims{0, row, column});
    attrs.set("steps", Dims{1, 1, 1});
    attrs.set("sizes", Dims{count_, 1, 1});
    return chain_.reshape(chain_.add("slice", {matrices_}, std::move(attrs)), {count_});
  }

  Chain chain_;
  TensorId matrices_;
  int64_t count_;
};

}  // namespace

Result<void> lower_det(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  const size_t rank = dims.size();
  if (rank < 2 || dims[rank - 1] != dims[rank - 2]) {
    return bad_input(fmt::format("shape {} is not of square matrices", dims_text(dims)),
                     place_of(node));
  }
  const int64_t n = dims.back();
  if (n < 1 || n > kMostRows) {
    return bad_input(fmt::format("matrices of {} rows are not supported, at most {}", n, kMostRows),
                     place_of(node));
  }
  const Dims stack(dims.begin(), dims.end() - 2);
  const int64_t count = product_of(stack, 0, stack.size());
  NK_ASSIGN(const TensorId matrices, reshape_to(context, x, {count, n, n}));
  std::vector<int64_t> columns;
  for (int64_t i = 0; i < n; ++i) columns.push_back(i);
  Determinant determinant(context, matrices, count);
  const TensorId y = determinant.shaped(determinant.of(0, columns), stack);
  if (determinant.error()) return std::unexpected(*determinant.error());
  return context.bind(node, 0, y);
}

}  // namespace netkit
