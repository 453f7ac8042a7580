// SPDX-License-Identifier: MIT
#include "ops/common/host/nd_layout.h"

#include <algorithm>

#include <fmt/format.h>

namespace netkit {

Dims row_major_strides(const Dims& dims) {
  Dims strides(dims.size());
  int64_t stride = 1;
  for (size_t i = dims.size(); i-- > 0;) {
    strides[i] = stride;
    stride *= dims[i];
  }
  return strides;
}

Result<Dims> broadcast_dims(std::initializer_list<const Dims*> operands, const std::string& where) {
  Dims out;
  for (const Dims* dims : operands) {
    const size_t rank = std::max(out.size(), dims->size());
    Dims next(rank, 1);
    for (size_t i = 0; i < rank; ++i) {
      const int64_t a = i < out.size() ? out[out.size() - 1 - i] : 1;
      const int64_t b = i < dims->size() ? (*dims)[dims->size() - 1 - i] : 1;
      if (a != b && a != 1 && b != 1) {
        return bad_input(fmt::format("shapes {} and {} do not broadcast", dims_text(out),
                                     dims_text(*dims)),
                         where);
      }
      next[rank - 1 - i] = a == 1 ? b : a;
    }
    out = std::move(next);
  }
  return out;
}

Dims broadcast_strides(const Dims& dims, const Dims& to) {
  Dims strides(to.size(), 0);
  const Dims own = row_major_strides(dims);
  for (size_t i = 0; i < dims.size(); ++i) {
    const size_t at = to.size() - dims.size() + i;
    strides[at] = dims[i] == to[at] ? own[i] : 0;
  }
  return strides;
}

NdBox merged(const NdBox& box) {
  NdBox out;
  out.strides.resize(box.strides.size());
  for (size_t i = 0; i < box.dims.size(); ++i) {
    if (box.dims[i] == 0) {
      out.dims = {0};
      for (Dims& strides : out.strides) strides = {0};
      return out;
    }
    if (box.dims[i] == 1) continue;
    bool even = !out.dims.empty();
    for (size_t k = 0; even && k < box.strides.size(); ++k) {
      even = out.strides[k].back() == box.strides[k][i] * box.dims[i];
    }
    if (!even) {
      out.dims.push_back(1);
      for (Dims& strides : out.strides) strides.push_back(0);
    }
    out.dims.back() *= box.dims[i];
    for (size_t k = 0; k < box.strides.size(); ++k) out.strides[k].back() = box.strides[k][i];
  }
  if (out.dims.empty()) {
    out.dims = {1};
    for (Dims& strides : out.strides) strides = {1};
  }
  return out;
}

Result<int64_t> normal_axis(int64_t axis, size_t rank, const std::string& where) {
  const auto n = static_cast<int64_t>(rank);
  if (axis < -n || axis >= n) {
    return bad_input(fmt::format("axis {} is outside rank {}", axis, rank), where);
  }
  return axis < 0 ? axis + n : axis;
}

Result<Dims> normal_axes(const Dims& axes, size_t rank, const std::string& where) {
  Dims out;
  for (const int64_t axis : axes) {
    NK_ASSIGN(const int64_t normal, normal_axis(axis, rank, where));
    out.push_back(normal);
  }
  std::ranges::sort(out);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

int64_t product_of(const Dims& dims, size_t begin, size_t end) {
  int64_t product = 1;
  for (size_t i = begin; i < end; ++i) product *= dims[i];
  return product;
}

void add_plain_mode(std::vector<KernelMode>& out) { out.push_back({}); }

void add_forward_mode(std::vector<int> inputs, std::vector<KernelMode>& out) {
  if (inputs.empty()) return;
  KernelMode mode{1, 0, {}};
  for (const int input : inputs) mode.overlaps.push_back({input, 0, 0, std::nullopt});
  out.push_back(std::move(mode));
}

void add_backward_mode(int input, int64_t backward_bytes, std::vector<KernelMode>& out) {
  out.push_back({1, 0, {{input, 0, std::nullopt, backward_bytes}}});
}

}  // namespace netkit
