// SPDX-License-Identifier: MIT
// slice, and what is made of it: Slice and SLICE, STRIDED_SLICE, Split, UNPACK.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "ops/move/move_host.h"

namespace netkit {
namespace {

Result<std::vector<TensorType>> infer(const Graph& graph, const Node& node) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorType* x, moved_input(graph, node));
  const Dims starts = node.attrs.get_ints("starts");
  const Dims steps = node.attrs.get_ints("steps");
  const Dims sizes = node.attrs.get_ints("sizes");
  const size_t rank = x->dims.size();
  if (starts.size() != rank || steps.size() != rank || sizes.size() != rank) {
    return bad_input(fmt::format("starts, steps and sizes do not fit rank {}", rank), where);
  }
  for (size_t i = 0; i < rank; ++i) {
    const int64_t n = x->dims[i];
    const bool inside = sizes[i] == 0 || (sizes[i] > 0 && starts[i] >= 0 && starts[i] < n &&
                                          steps[i] >= -n && steps[i] <= n && sizes[i] <= n &&
                                          starts[i] + (sizes[i] - 1) * steps[i] >= 0 &&
                                          starts[i] + (sizes[i] - 1) * steps[i] < n);
    if (!inside || (steps[i] == 0 && sizes[i] > 1)) {
      return bad_input(fmt::format("start {}, step {}, size {} leave axis {} of shape {}",
                                   starts[i], steps[i], sizes[i], i, dims_text(x->dims)),
                       where);
    }
  }
  TensorType y{x->dtype, sizes, x->quant};
  if (y.quant.scale.size() > 1) {
    const auto axis = static_cast<size_t>(y.quant.axis);
    if (sizes[axis] != x->dims[axis] || steps[axis] != 1) {
      return bad_input("the slice cuts an axis with scales of its own", where);
    }
  }
  return std::vector{std::move(y)};
}

Result<StepParams> make_params(const Graph& graph, const Node& node) {
  NK_ASSIGN(const std::vector<TensorType> y, infer(graph, node));
  const TensorType& x = *input_type(graph, node, 0);
  const Dims starts = node.attrs.get_ints("starts");
  const Dims steps = node.attrs.get_ints("steps");
  Dims strides = row_major_strides(x.dims);
  int64_t offset = 0;
  const bool empty = product_of(y[0].dims, 0, y[0].dims.size()) == 0;
  for (size_t i = 0; i < strides.size(); ++i) {
    if (!empty) offset += starts[i] * strides[i];
    strides[i] *= steps[i];
  }
  return copy_step({y[0].dims, {strides, row_major_strides(y[0].dims)}}, offset, x.dtype,
                   place_of(node));
}

// One axis of a slice.
struct Cut {
  int64_t start = 0, step = 1, size = 0;
};

// A slice of whole axes, to be narrowed.
std::vector<Cut> whole(const Dims& dims) {
  std::vector<Cut> cuts;
  for (const int64_t dim : dims) cuts.push_back({0, 1, dim});
  return cuts;
}

// numpy's rule: begin and end (exclusive) counted from the end where negative, clamped to n. An
// absent begin or end reaches as far as the step's direction allows.
Cut numpy_cut(std::optional<int64_t> begin, std::optional<int64_t> end, int64_t step, int64_t n) {
  const int64_t low = step > 0 ? 0 : -1;
  const int64_t high = step > 0 ? n : n - 1;
  const auto place = [&](std::optional<int64_t> at, int64_t fallback) {
    if (!at.has_value()) return fallback;
    const int64_t from_end = *at < 0 ? (*at < -n ? -1 : *at + n) : *at;
    return std::clamp(*at < 0 && from_end < 0 ? low : from_end, low, high);
  };
  const int64_t first = place(begin, step > 0 ? low : high);
  const int64_t last = place(end, step > 0 ? high : low);
  const int64_t span = step > 0 ? last - first : first - last;
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : 0u - static_cast<uint64_t>(step);
  const int64_t size =
      span <= 0 ? 0 : static_cast<int64_t>((static_cast<uint64_t>(span) - 1) / stride + 1);
  return {size == 0 ? 0 : first, size <= 1 ? 1 : step, size};
}

Result<TensorId> add_slice(LowerContext& context, TensorId x, const std::vector<Cut>& cuts,
                           std::optional<TensorType> declared) {
  Dims starts, steps, sizes;
  bool is_whole = true;
  for (size_t i = 0; i < cuts.size(); ++i) {
    starts.push_back(cuts[i].start);
    steps.push_back(cuts[i].step);
    sizes.push_back(cuts[i].size);
    is_whole = is_whole && cuts[i].step == 1 && cuts[i].size == context.type(x).dims[i];
  }
  if (is_whole) return x;
  Attrs attrs;
  attrs.set("starts", std::move(starts));
  attrs.set("steps", std::move(steps));
  attrs.set("sizes", std::move(sizes));
  return context.add("slice", {x}, std::move(attrs), std::move(declared));
}

// ONNX Slice: attributes (opset 1) or inputs (10 and later).
Result<void> lower_slice_onnx(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  Dims starts = node.attrs.get_ints("starts"), ends = node.attrs.get_ints("ends");
  Dims axes = node.attrs.get_ints("axes"), steps;
  if (!node.attrs.has("starts")) {
    NK_ASSIGN(starts, constant_ints(context, node, 1, "start"));
    NK_ASSIGN(ends, constant_ints(context, node, 2, "end"));
    if (context.input(node, 3) != kNoTensor) {
      NK_ASSIGN(axes, constant_ints(context, node, 3, "axis list"));
    }
    if (context.input(node, 4) != kNoTensor) {
      NK_ASSIGN(steps, constant_ints(context, node, 4, "step list"));
    }
  }
  if (axes.empty()) {
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() ||
      steps.size() != starts.size()) {
    return bad_input("starts, ends, axes and steps differ in length", where);
  }
  std::vector<Cut> cuts = whole(dims);
  for (size_t i = 0; i < axes.size(); ++i) {
    NK_ASSIGN(const int64_t axis, normal_axis(axes[i], dims.size(), where));
    if (steps[i] == 0) return bad_input("a step is 0", where);
    const auto at = static_cast<size_t>(axis);
    cuts[at] = numpy_cut(starts[i], ends[i], steps[i], dims[at]);
  }
  NK_ASSIGN(const TensorId y, add_slice(context, x, cuts, declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// TFLite SLICE: begin and size; size -1 reaches to the end.
Result<void> lower_slice_tflite(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  NK_ASSIGN(const Dims begin, constant_ints(context, node, 1, "begin"));
  NK_ASSIGN(const Dims size, constant_ints(context, node, 2, "size"));
  if (begin.size() != dims.size() || size.size() != dims.size()) {
    return bad_input(fmt::format("begin and size do not fit shape {}", dims_text(dims)),
                     place_of(node));
  }
  std::vector<Cut> cuts;
  for (size_t i = 0; i < dims.size(); ++i) {
    cuts.push_back({begin[i], 1, size[i] == -1 ? dims[i] - begin[i] : size[i]});
  }
  NK_ASSIGN(const TensorId y, add_slice(context, x, cuts, declared_type(context, node, 0)));
  return context.bind(node, 0, y);
}

// STRIDED_SLICE: masks by bit of the entry in begin; an ellipsis stands for the axes in between, a
// new axis for none, a shrunk one is dropped after the cut.
Result<void> lower_strided_slice(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  NK_ASSIGN(const Dims begin, constant_ints(context, node, 1, "begin"));
  NK_ASSIGN(const Dims end, constant_ints(context, node, 2, "end"));
  NK_ASSIGN(const Dims steps, constant_ints(context, node, 3, "stride"));
  if (end.size() != begin.size() || steps.size() != begin.size()) {
    return bad_input("begin, end and strides differ in length", where);
  }
  const auto bit = [&](const char* mask, size_t i) {
    return ((node.attrs.get_int(mask, 0) >> i) & 1) != 0;
  };
  const bool offset = node.attrs.get_int("offset", 0) != 0;
  size_t named = 0;  // entries that stand for an axis of x
  for (size_t i = 0; i < begin.size(); ++i) {
    if (!bit("ellipsis_mask", i) && !bit("new_axis_mask", i)) ++named;
  }
  if (named > dims.size()) return bad_input("more entries than axes", where);
  std::vector<Cut> cuts = whole(dims);
  Dims shape;
  size_t axis = 0;
  for (size_t i = 0; i < begin.size(); ++i) {
    if (bit("ellipsis_mask", i)) {
      for (size_t k = named; k < dims.size(); ++k) shape.push_back(dims[axis++]);
      named = dims.size();
      continue;
    }
    if (bit("new_axis_mask", i)) {
      shape.push_back(1);
      continue;
    }
    const int64_t n = dims[axis];
    if (steps[i] == 0) return bad_input("a stride is 0", where);
    if (bit("shrink_axis_mask", i)) {
      const int64_t at = bit("begin_mask", i) ? 0 : (begin[i] < 0 ? begin[i] + n : begin[i]);
      if (at < 0 || at >= n) {
        return bad_input(fmt::format("index {} is outside axis {} of shape {}", begin[i], axis,
                                     dims_text(dims)),
                         where);
      }
      cuts[axis++] = {at, 1, 1};
      continue;
    }
    const auto from = bit("begin_mask", i) ? std::nullopt : std::optional(begin[i]);
    const int64_t until = offset && from.has_value() ? *from + end[i] : end[i];
    cuts[axis] = numpy_cut(from, bit("end_mask", i) ? std::nullopt : std::optional(until),
                           steps[i], n);
    shape.push_back(cuts[axis++].size);
  }
  for (; axis < dims.size(); ++axis) shape.push_back(dims[axis]);
  const auto declared = declared_type(context, node, 0);
  NK_ASSIGN(TensorId y, add_slice(context, x, cuts, declared));
  NK_ASSIGN(y, reshaped(context, y, std::move(shape), declared));
  return context.bind(node, 0, y);
}

// Each output a slice of its own, so that none has to live before it is read. `drop`: UNPACK.
Result<void> bind_parts(const ForeignNode& node, LowerContext& context, TensorId x, int64_t axis,
                        const Dims& sizes, bool drop) {
  const std::string where = place_of(node);
  const Dims dims = context.type(x).dims;
  NK_ASSIGN(axis, normal_axis(axis, dims.size(), where));
  const auto at = static_cast<size_t>(axis);
  int64_t sum = 0;
  for (const int64_t size : sizes) {
    if (size < 0 || size > dims[at] - sum) sum = std::numeric_limits<int64_t>::max() / 2;
    sum += size;
  }
  if (sum != dims[at] || sizes.size() < node.outputs.size()) {
    return bad_input(fmt::format("parts {} do not fill axis {} of shape {} for {} outputs",
                                 dims_text(sizes), axis, dims_text(dims), node.outputs.size()),
                     where);
  }
  std::vector<Cut> cuts = whole(dims);
  int64_t start = 0;
  for (size_t i = 0; i < node.outputs.size(); ++i) {
    cuts[at] = {start, 1, sizes[i]};
    start += sizes[i];
    if (node.outputs[i] == kAbsent) continue;
    const auto declared = declared_type(context, node, i);
    NK_ASSIGN(TensorId y, add_slice(context, x, cuts, declared));
    if (drop) {
      Dims shape = dims;
      shape.erase(shape.begin() + axis);
      NK_ASSIGN(y, reshaped(context, y, std::move(shape), declared));
    }
    NK_TRY(context.bind(node, i, y));
  }
  return {};
}

// Equal parts; `uneven` (ONNX num_outputs): the last one may be smaller.
Result<Dims> equal_parts(int64_t n, size_t count, bool uneven, const std::string& where) {
  const auto parts = static_cast<int64_t>(count);
  if (parts == 0 || (!uneven && n % parts != 0)) {
    return bad_input(fmt::format("{} elements do not split into {} equal parts", n, parts), where);
  }
  const int64_t size = (n + parts - 1) / parts;
  Dims sizes(count, size);
  for (size_t i = 0; i < count; ++i) {
    sizes[i] = std::clamp(n - static_cast<int64_t>(i) * size, int64_t{0}, size);
  }
  return sizes;
}

Result<void> lower_split_onnx(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims& dims = context.type(x).dims;
  NK_ASSIGN(const int64_t axis, normal_axis(node.attrs.get_int("axis", 0), dims.size(), where));
  Dims sizes = node.attrs.get_ints("split");
  if (context.input(node, 1) != kNoTensor) {
    NK_ASSIGN(sizes, constant_ints(context, node, 1, "split"));
  } else if (sizes.empty()) {
    const int64_t asked = node.attrs.get_int("num_outputs", 0);
    if (asked < 0 || asked > (1 << 20)) return bad_input("num_outputs is out of range", where);
    NK_ASSIGN(sizes, equal_parts(dims[static_cast<size_t>(axis)],
                                 asked > 0 ? static_cast<size_t>(asked) : node.outputs.size(),
                                 asked > 0, where));
  }
  return bind_parts(node, context, x, axis, sizes, false);
}

Result<void> lower_split_tflite(const ForeignNode& node, LowerContext& context) {
  const bool ragged = node.op == "SPLIT_V";
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, ragged ? 0 : 1));
  NK_ASSIGN(const Dims axes, constant_ints(context, node, ragged ? 2 : 0, "axis"));
  const Dims& dims = context.type(x).dims;
  if (axes.size() != 1) return bad_input("the axis is not a scalar", place_of(node));
  NK_ASSIGN(const int64_t axis, normal_axis(axes[0], dims.size(), place_of(node)));
  const int64_t n = dims[static_cast<size_t>(axis)];
  if (!ragged) {
    NK_ASSIGN(const Dims sizes, equal_parts(n, node.outputs.size(), false, place_of(node)));
    return bind_parts(node, context, x, axis, sizes, false);
  }
  NK_ASSIGN(Dims sizes, constant_ints(context, node, 1, "size list"));
  int64_t rest = n;
  for (const int64_t size : sizes) rest -= std::clamp(size, int64_t{0}, n);
  std::ranges::replace(sizes, int64_t{-1}, rest);
  return bind_parts(node, context, x, axis, sizes, false);
}

Result<void> lower_unpack(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  return bind_parts(node, context, x, node.attrs.get_int("axis", 0),
                    Dims(node.outputs.size(), 1), true);
}

constexpr ForeignRule kRules[] = {
    {SourceFormat::kOnnx, "Slice", "", lower_slice_onnx},
    {SourceFormat::kOnnx, "Split", "", lower_split_onnx},
    {SourceFormat::kTflite, "SLICE", "", lower_slice_tflite},
    {SourceFormat::kTflite, "STRIDED_SLICE", "", lower_strided_slice},
    {SourceFormat::kTflite, "SPLIT", "", lower_split_tflite},
    {SourceFormat::kTflite, "SPLIT_V", "", lower_split_tflite},
    {SourceFormat::kTflite, "UNPACK", "", lower_unpack}};

// A walk of one run: the output is a piece of the input.
void views(const void* params, std::vector<StepView>& out) {
  const auto* p = static_cast<const nk_copy_params*>(params);
  if (p->rank != 1 || p->dims[0] < 1 || (p->dims[0] > 1 && p->in_strides[0] != 1)) return;
  out.push_back({0, 0, int64_t{p->in_offset} * p->width});
}

NK_PARAM_TABLE(kTable, nk_copy_params, NK_COPY_FIELDS);

}  // namespace

extern const OpDef nk_op_slice =
    with_quant({"slice", kRules,      kTable::fields, kTable::bytes,
                infer,   make_params, one_arg,        no_macs,
                false,   false,       {},             views},
               {QuantRule::kSame});

}  // namespace netkit
