// SPDX-License-Identifier: MIT
// ONNX operators that choose elements: Compress and NonZero where the choice is constant (else the
// shape of the result depends on data), ReverseSequence, MaxUnpool.
#include <fmt/format.h>

#include <algorithm>

#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/composed/composed.h"

namespace netkit {
namespace {

constexpr int64_t kMostElems = int64_t{1} << 24;  // of a constant that is made here

TensorId positions(LowerContext& context, std::string name, Dims dims,
                   const std::vector<int64_t>& values) {
  return context.add_constant(std::move(name), {NK_INT64, std::move(dims), {}},
                              *constant_of(values));
}

TensorId one_position(LowerContext& context, int64_t value) {
  return positions(context, "n", {}, {value});
}

}  // namespace

// Slices along `axis` (or elements of the flattened input) where the condition is true.
Result<void> lower_compress(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const auto condition = context.const_ints(context.input(node, 1));
  if (!condition) {
    return bad_input("the condition is not constant: the shape of the result depends on data",
                     place_of(node));
  }
  const Dims dims = context.type(x).dims;
  Chain chain(context);
  TensorId source = x;
  int64_t axis = 0;
  if (node.attrs.has("axis")) {
    NK_ASSIGN(axis, normal_axis(node.attrs.get_int("axis"), dims.size(), place_of(node)));
  } else {
    source = chain.reshape(x, {product_of(dims, 0, dims.size())});
  }
  if (chain.error()) return std::unexpected(*chain.error());
  const int64_t n = context.type(source).dims[static_cast<size_t>(axis)];
  if (std::ssize(*condition) > n) {
    return bad_input(fmt::format("a condition of {} for {} elements", condition->size(), n),
                     place_of(node));
  }
  std::vector<int64_t> kept;
  for (size_t i = 0; i < condition->size(); ++i) {
    if ((*condition)[i] != 0) kept.push_back(static_cast<int64_t>(i));
  }
  const TensorId at = positions(context, node.name + "_kept", {std::ssize(kept)}, kept);
  Attrs attrs;
  attrs.set("axis", axis);
  const TensorId y = chain.add("gather", {source, at}, std::move(attrs));
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

Result<void> lower_non_zero(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  std::vector<bool> set;
  if (const auto ints = context.const_ints(x)) {
    for (const int64_t v : *ints) set.push_back(v != 0);
  } else if (const auto reals = context.const_floats(x)) {
    for (const double v : *reals) set.push_back(v != 0.0);
  } else {
    return bad_input("the input is not constant: the shape of the result depends on data",
                     place_of(node));
  }
  const int64_t count = std::ranges::count(set, true);
  if (count * std::max<int64_t>(std::ssize(dims), 1) > kMostElems) {
    return bad_input("the constant is too large", place_of(node));
  }
  const Dims strides = row_major_strides(dims);
  std::vector<int64_t> values;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    for (size_t i = 0; i < set.size(); ++i) {
      if (set[i]) values.push_back(static_cast<int64_t>(i) / strides[axis] % dims[axis]);
    }
  }
  return context.bind(node, 0, positions(context, node.name, {std::ssize(dims), count}, values));
}

// The first lengths[b] steps of sequence b in reverse order, the others as they are: a gather of
// places that lengths give, which may change from run to run.
Result<void> lower_reverse_sequence(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId lengths, need_foreign_input(context, node, 1));
  const Dims dims = context.type(x).dims;
  const int64_t batch = node.attrs.get_int("batch_axis", 1);
  const int64_t time = node.attrs.get_int("time_axis", 0);
  const bool fits = dims.size() >= 2 && batch >= 0 && time >= 0 && batch + time == 1 &&
                    context.type(lengths).dims == Dims{dims[static_cast<size_t>(batch)]} &&
                    context.type(lengths).dtype == NK_INT64;
  if (!fits) {
    return bad_input(fmt::format("lengths {} for shape {} with batch axis {} and time axis {}",
                                 type_text(context.type(lengths)), dims_text(dims), batch, time),
                     place_of(node));
  }
  std::vector<int64_t> swap(dims.size());
  for (size_t i = 0; i < dims.size(); ++i) swap[i] = static_cast<int64_t>(i);
  if (batch == 1) std::swap(swap[0], swap[1]);
  const int64_t steps = dims[static_cast<size_t>(time)];
  std::vector<int64_t> order;
  for (int64_t i = 0; i < steps; ++i) order.push_back(i);
  Chain chain(context);
  const TensorId at = positions(context, node.name + "_steps", {1, steps}, order);
  const TensorId ends = chain.reshape(lengths, {dims[static_cast<size_t>(batch)], 1});
  const TensorId mirrored =
      chain.add("sub", {chain.add("sub", {ends, one_position(context, 1)}), at});
  const TensorId places = chain.add("where", {chain.add("less", {at, ends}), mirrored, at});
  Attrs attrs;
  attrs.set("axis", int64_t{1});
  attrs.set("batch_dims", int64_t{1});
  const TensorId y = chain.transpose(
      chain.add("gather", {chain.transpose(x, swap), places}, std::move(attrs)), swap);
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

// Zeros with the elements of x where `places`, positions in the flattened result, say. A larger
// output_shape gets zeros behind each axis.
Result<void> lower_max_unpool(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_ASSIGN(const TensorId places, need_foreign_input(context, node, 1));
  const TensorType type = context.type(x);
  const auto kernel = node.attrs.get_ints("kernel_shape");
  const size_t spatial = kernel.size();
  const auto strides = node.attrs.get_ints("strides", std::vector<int64_t>(spatial, 1));
  const auto pads = node.attrs.get_ints("pads", std::vector<int64_t>(2 * spatial, 0));
  bool fits = spatial >= 1 && type.dims.size() == spatial + 2 && strides.size() == spatial &&
              pads.size() == 2 * spatial && context.type(places).dims == type.dims;
  Dims made = type.dims;
  for (size_t i = 0; fits && i < spatial; ++i) {
    made[i + 2] = (made[i + 2] - 1) * strides[i] - pads[i] - pads[spatial + i] + kernel[i];
    fits = kernel[i] >= 1 && kernel[i] <= kMostElems && strides[i] >= 1 &&
           strides[i] <= kMostElems && made[i + 2] >= 1 && made[i + 2] <= kMostElems;
  }
  if (!fits) return bad_input("the window does not fit the input", place_of(node));
  Dims behind(made.size(), 0);
  bool grows = false;
  if (const TensorId id = context.input(node, 2); id != kNoTensor) {
    const auto shape = context.const_ints(id);
    fits = shape && shape->size() == made.size();
    for (size_t i = 0; fits && i < made.size(); ++i) {
      behind[i] = (*shape)[i] - made[i];
      fits = behind[i] >= 0;
      grows = grows || behind[i] > 0;
    }
    if (!fits) return bad_input("the output shape is not constant or too small", place_of(node));
  }
  NK_ASSIGN(const int64_t count, element_count(made));
  NK_ASSIGN(const int64_t given, element_count(type.dims));
  NK_ASSIGN(const TensorId zeros,
            context.add_repeated(node.name + "_zeros", {type.dtype, {count}, type.quant},
                                 Bytes(static_cast<size_t>(bits_of(type.dtype)) / 8)));
  Chain chain(context);
  Attrs first, pad;
  first.set("axis", int64_t{0});
  TensorId y = chain.add("scatter_elements",
                         {zeros, chain.reshape(places, {given}), chain.reshape(x, {given})}, first);
  y = chain.reshape(y, made);
  if (grows) {
    pad.set("before", Dims(made.size(), 0));
    pad.set("after", behind);
    pad.set("mode", std::string("constant"));
    pad.set("value", 0.0);
    y = chain.add("pad", {y}, std::move(pad));
  }
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

}  // namespace netkit
