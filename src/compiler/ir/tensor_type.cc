// SPDX-License-Identifier: MIT
// Element types, sizes with overflow checks, and the text of types.
#include "compiler/ir/tensor_type.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace netkit {
namespace {

struct DTypeRow {
  nk_dtype dtype;
  std::string_view name;
  int bits;
};

constexpr DTypeRow kDTypes[] = {
#define NK_X(name, value, text, bits) {name, text, bits},
    NK_DTYPES(NK_X)
#undef NK_X
};

const DTypeRow* row_of(nk_dtype dtype) {
  const auto it = std::ranges::find(kDTypes, dtype, &DTypeRow::dtype);
  return it == std::end(kDTypes) ? nullptr : it;
}

constexpr int64_t kMaxTensorBytes = int64_t{1} << 40;

bool all_zero(const std::vector<int64_t>& values) {
  return std::ranges::all_of(values, [](int64_t v) { return v == 0; });
}

}  // namespace

int bits_of(nk_dtype dtype) {
  const DTypeRow* row = row_of(dtype);
  return row == nullptr ? 0 : row->bits;
}

std::string_view name_of(nk_dtype dtype) {
  const DTypeRow* row = row_of(dtype);
  return row == nullptr ? "none" : row->name;
}

nk_dtype dtype_from_name(std::string_view name) {
  const auto it = std::ranges::find(kDTypes, name, &DTypeRow::name);
  return it == std::end(kDTypes) ? NK_DTYPE_NONE : it->dtype;
}

bool is_float(nk_dtype dtype) {
  return dtype == NK_FLOAT32 || dtype == NK_FLOAT16 || dtype == NK_FLOAT64;
}

Result<int64_t> element_count(std::span<const int64_t> dims) {
  for (const int64_t d : dims) {
    if (d < 0) return bad_input(fmt::format("shape {} has an open dimension", dims_text(dims)));
  }
  if (std::ranges::find(dims, 0) != dims.end()) return 0;
  int64_t count = 1;
  for (const int64_t d : dims) {
    if (__builtin_mul_overflow(count, d, &count)) {
      return bad_input(fmt::format("shape {} has too many elements", dims_text(dims)));
    }
  }
  return count;
}

Result<int64_t> byte_count(nk_dtype dtype, std::span<const int64_t> dims) {
  const int bits = bits_of(dtype);
  if (bits == 0) {
    return bad_input(fmt::format("a tensor of type {} has no fixed size", name_of(dtype)));
  }
  NK_ASSIGN(const int64_t count, element_count(dims));
  int64_t total_bits = 0;
  if (__builtin_mul_overflow(count, int64_t{bits}, &total_bits) ||
      total_bits / 8 > kMaxTensorBytes) {
    return bad_input(
        fmt::format("a tensor {}[{}] is too large", name_of(dtype), dims_text(dims)));
  }
  return total_bits / 8 + (total_bits % 8 != 0 ? 1 : 0);
}

std::string dims_text(std::span<const int64_t> dims) {
  if (dims.empty()) return "scalar";
  std::string text;
  for (const int64_t d : dims) {
    if (!text.empty()) text += 'x';
    text += d < 0 ? std::string("?") : fmt::format("{}", d);
  }
  return text;
}

std::string type_text(const TensorType& type, size_t max_scales) {
  std::string text = fmt::format("{}[{}]", name_of(type.dtype), dims_text(type.dims));
  const Quant& q = type.quant;
  if (q.empty()) return text;
  if (q.scale.size() == 1) {
    return text + fmt::format(" q({},{})", q.scale[0], q.zero_point.empty() ? 0 : q.zero_point[0]);
  }
  if (q.scale.size() > max_scales) {
    return text + fmt::format(" q({} scales,axis {})", q.scale.size(), q.axis);
  }
  const std::string zero_points =
      all_zero(q.zero_point) ? "0" : fmt::format("{}", fmt::join(q.zero_point, " "));
  return text + fmt::format(" q({},{},axis {})", fmt::join(q.scale, " "), zero_points, q.axis);
}

}  // namespace netkit
