// SPDX-License-Identifier: MIT
// Signal operators of ONNX and TFLite. Windows and mel weights are constants, computed in double; a
// discrete Fourier transform is a product with the constant matrix of its roots of unity.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/ir/const_values.h"
#include "ops/common/host/chain.h"
#include "ops/common/host/nd_layout.h"
#include "ops/common/host/onnx_quant.h"
#include "ops/composed/composed.h"

namespace netkit {
namespace {

constexpr int64_t kMostElems = int64_t{1} << 24;  // of a constant that is made here

Result<int64_t> whole_input(const ForeignNode& node, const LowerContext& context, size_t i,
                            std::string_view what) {
  const TensorId id = context.input(node, i);
  const auto values = context.const_ints(id);
  if (values && values->size() == 1) return (*values)[0];
  return bad_input(fmt::format("{} is not a constant scalar", what), place_of(node));
}

Result<void> bind_reals(const ForeignNode& node, LowerContext& context, Dims dims,
                        const std::vector<double>& values) {
  const nk_dtype dtype = onnx_dtype(node.attrs.get_int("output_datatype", 1));
  const ConstData data = constant_floats(dtype, values);
  if (data == nullptr) {
    return bad_input(fmt::format("output_datatype {} is not supported",
                                 node.attrs.get_int("output_datatype", 1)),
                     place_of(node));
  }
  return context.bind(node, 0,
                      context.add_constant(node.name, {dtype, std::move(dims), {}}, *data));
}

// cos and sin of 2 pi k / n; multiples of a quarter turn exactly.
std::pair<double, double> root_of_unity(int64_t k, int64_t n) {
  k %= n;
  if (4 * k % n == 0) {
    static constexpr std::pair<double, double> kQuarters[] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    return kQuarters[4 * k / n];
  }
  const double angle = 2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(n);
  return {std::cos(angle), std::sin(angle)};
}

struct Transform {
  int64_t given = 0, parts = 0;  // elements and numbers of each (1 real, 2 complex) of a signal
  int64_t length = 0;            // of the transform: what is beyond `given` counts as 0
  int64_t bins = 0;
  bool inverse = false;
};

Result<Transform> transform_of(int64_t given, int64_t parts, int64_t length, bool inverse,
                               bool onesided, const std::string& where) {
  if (length < 1 || length > kMostElems || parts < 1 || parts > 2) {
    return bad_input(fmt::format("a transform of length {} of {} parts", length, parts), where);
  }
  if (onesided && inverse) {
    return bad_input("a one-sided inverse transform is not supported", where);
  }
  const Transform t{std::min(given, length), parts, length, onesided ? length / 2 + 1 : length,
                    inverse};
  if (t.given * t.parts > kMostElems / (2 * t.bins)) {
    return bad_input(fmt::format("a transform of length {} is too large for a matrix", length),
                     where);
  }
  return t;
}

// [given * parts, bins * 2]: real and imaginary parts side by side on both sides; element n weighs
// window[n] where a window is given.
TensorId matrix_of(const Transform& t, const std::vector<double>& window, LowerContext& context) {
  std::vector<double> m(static_cast<size_t>(t.given * t.parts * t.bins * 2));
  for (int64_t n = 0; n < t.given; ++n) {
    double scale = t.inverse ? 1.0 / static_cast<double>(t.length) : 1.0;
    if (!window.empty()) scale *= window[static_cast<size_t>(n)];
    for (int64_t k = 0; k < t.bins; ++k) {
      auto [c, s] = root_of_unity(n * k, t.length);
      if (!t.inverse) s = -s;
      double* at = &m[static_cast<size_t>((n * t.parts * t.bins + k) * 2)];
      at[0] = scale * c;
      at[1] = scale * s;
      if (t.parts == 1) continue;
      at += t.bins * 2;
      at[0] = -scale * s;
      at[1] = scale * c;
    }
  }
  return context.add_constant("dft", {NK_FLOAT32, {t.given * t.parts, t.bins * 2}, {}},
                              *constant_floats(NK_FLOAT32, m));
}

Result<void> need_float(const ForeignNode& node, const LowerContext& context, TensorId x) {
  if (context.type(x).dtype == NK_FLOAT32) return {};
  return bad_input(fmt::format("{} is not supported", name_of(context.type(x).dtype)),
                   place_of(node));
}

// From opset 20 the axis is input 2, from the end by default.
Result<int64_t> dft_axis(const ForeignNode& node, const LowerContext& context, size_t rank) {
  int64_t axis = node.attrs.get_int("axis", node.version < 20 ? 1 : -2);
  if (context.input(node, 2) != kNoTensor) {
    NK_ASSIGN(axis, whole_input(node, context, 2, "the axis"));
  }
  NK_ASSIGN(axis, normal_axis(axis, rank, place_of(node)));
  if (static_cast<size_t>(axis) + 1 < rank) return axis;
  return bad_input("the last axis holds real and imaginary parts", place_of(node));
}

}  // namespace

// HannWindow, HammingWindow, BlackmanWindow: sums of cosines (ONNX 17).
Result<void> lower_window(const ForeignNode& node, LowerContext& context) {
  struct Row {
    std::string_view op;
    double a0, a1, a2;
  };
  static constexpr Row kRows[] = {{"HannWindow", 0.5, 0.5, 0.0},
                                  {"HammingWindow", 25.0 / 46.0, 21.0 / 46.0, 0.0},
                                  {"BlackmanWindow", 0.42, 0.5, 0.08}};
  const Row& row = *std::ranges::find(kRows, node.op, &Row::op);
  NK_ASSIGN(const int64_t size, whole_input(node, context, 0, "the size"));
  if (size < 0 || size > kMostElems) {
    return bad_input(fmt::format("a window of {} elements", size), place_of(node));
  }
  const int64_t turn = node.attrs.get_int("periodic", 1) != 0 ? size : size - 1;
  std::vector<double> values;
  for (int64_t i = 0; i < size; ++i) {
    const int64_t n = std::max<int64_t>(turn, 1);
    values.push_back(row.a0 - row.a1 * root_of_unity(i, n).first +
                     row.a2 * root_of_unity(2 * i, n).first);
  }
  if (size == 1) values = {1.0};
  return bind_reals(node, context, {size}, values);
}

// MelWeightMatrix: triangles that are even on the mel scale (ONNX 17).
Result<void> lower_mel_weights(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const int64_t mels, whole_input(node, context, 0, "num_mel_bins"));
  NK_ASSIGN(const int64_t length, whole_input(node, context, 1, "dft_length"));
  NK_ASSIGN(const int64_t rate, whole_input(node, context, 2, "sample_rate"));
  const auto lower = context.const_floats(context.input(node, 3));
  const auto upper = context.const_floats(context.input(node, 4));
  const bool edges = lower && upper && lower->size() == 1 && upper->size() == 1 &&
                     (*lower)[0] >= 0.0 && std::isfinite((*upper)[0]);
  if (!edges || mels < 1 || mels > kMostElems || length < 1 || length > kMostElems || rate < 1 ||
      (length / 2 + 1) > kMostElems / mels) {
    return bad_input("sizes and edges must be constant and in range", place_of(node));
  }
  const int64_t rows = length / 2 + 1;
  const auto mel_of = [](double hertz) { return 2595.0 * std::log10(1.0 + hertz / 700.0); };
  const double low = mel_of((*lower)[0]);
  const double step = (mel_of((*upper)[0]) - low) / static_cast<double>(mels + 2);
  const auto bin = [&](int64_t i) {
    const double hertz =
        700.0 * (std::pow(10.0, (static_cast<double>(i) * step + low) / 2595.0) - 1.0);
    return std::floor(static_cast<double>(length + 1) * hertz / static_cast<double>(rate));
  };
  std::vector<double> values(static_cast<size_t>(rows * mels), 0.0);
  for (int64_t i = 0; i < mels; ++i) {
    const double first = bin(i), centre = bin(i + 1), last = bin(i + 2);
    if (!(first >= 0.0) || !(last <= static_cast<double>(rows)) || !(first <= last)) {
      return bad_input("the edges lie outside the spectrum", place_of(node));
    }
    for (int64_t j = 0; j < rows; ++j) {
      const auto at = static_cast<double>(j);
      double& y = values[static_cast<size_t>(j * mels + i)];
      if (centre == first && at == centre) y = 1.0;
      if (centre > first && at >= first && at <= centre) y = (at - first) / (centre - first);
      if (last > centre && at >= centre && at < last) y = (last - at) / (last - centre);
    }
  }
  return bind_reals(node, context, {rows, mels}, values);
}

Result<void> lower_dft(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_TRY(need_float(node, context, x));
  const Dims dims = context.type(x).dims;
  const size_t rank = dims.size();
  NK_ASSIGN(const int64_t axis, dft_axis(node, context, rank));
  const auto at = static_cast<size_t>(axis);
  int64_t length = dims[at];
  if (context.input(node, 1) != kNoTensor) {
    NK_ASSIGN(length, whole_input(node, context, 1, "dft_length"));
  }
  NK_ASSIGN(const Transform t,
            transform_of(dims[at], dims[rank - 1], length, node.attrs.get_int("inverse", 0) != 0,
                         node.attrs.get_int("onesided", 0) != 0, place_of(node)));
  // The axis and the parts go last, and back.
  std::vector<int64_t> there, back(rank);
  for (size_t i = 0; i < rank; ++i) {
    if (i != at && i + 1 != rank) there.push_back(static_cast<int64_t>(i));
  }
  there.push_back(axis);
  there.push_back(static_cast<int64_t>(rank) - 1);
  for (size_t i = 0; i < rank; ++i) back[static_cast<size_t>(there[i])] = static_cast<int64_t>(i);
  Dims made;
  for (size_t i = 0; i + 2 < rank; ++i) made.push_back(dims[static_cast<size_t>(there[i])]);
  const int64_t count = product_of(made, 0, made.size());
  made.insert(made.end(), {t.bins, 2});
  Chain chain(context);
  TensorId y = chain.transpose(x, there);
  y = chain.reshape(y, {count, dims[at] * t.parts});
  if (t.given < dims[at]) {
    Attrs crop;
    crop.set("starts", Dims{0, 0});
    crop.set("steps", Dims{1, 1});
    crop.set("sizes", Dims{count, t.given * t.parts});
    y = chain.add("slice", {y}, std::move(crop));
  }
  y = chain.add("matmul", {y, matrix_of(t, {}, context)});
  y = chain.transpose(chain.reshape(y, made), back);
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

// Frames of a signal [batch, samples, parts], each weighed by the window and transformed.
Result<void> lower_stft(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_TRY(need_float(node, context, x));
  const Dims dims = context.type(x).dims;
  NK_ASSIGN(const int64_t step, whole_input(node, context, 1, "the frame step"));
  const TensorId window_id = context.input(node, 2);
  std::vector<double> window;
  int64_t length = 0;
  if (window_id != kNoTensor) {
    const auto values = context.const_floats(window_id);
    if (!values || values->empty()) return bad_input("the window is not constant", where);
    window = *values;
    length = static_cast<int64_t>(window.size());
  }
  if (context.input(node, 3) != kNoTensor) {
    NK_ASSIGN(length, whole_input(node, context, 3, "the frame length"));
  }
  const bool fits = dims.size() == 3 && step >= 1 && length >= 1 && length <= dims[1] &&
                    (window.empty() || std::ssize(window) == length);
  if (!fits) {
    return bad_input(
        fmt::format("frames of {} every {} of a signal {}", length, step, dims_text(dims)), where);
  }
  NK_ASSIGN(const Transform t, transform_of(length, dims[2], length, false,
                                            node.attrs.get_int("onesided", 1) != 0, where));
  const int64_t frames = (dims[1] - length) / step + 1;
  if (frames > kMostElems / length) return bad_input("too many frames are not supported", where);
  std::vector<int32_t> places;
  for (int64_t f = 0; f < frames; ++f) {
    for (int64_t i = 0; i < length; ++i) places.push_back(static_cast<int32_t>(f * step + i));
  }
  const TensorId at =
      context.add_constant("frames", {NK_INT32, {frames, length}, {}}, *constant_of(places));
  Attrs along;
  along.set("axis", int64_t{1});
  Chain chain(context);
  TensorId y = chain.add("gather", {x, at}, std::move(along));
  y = chain.reshape(y, {dims[0] * frames, length * dims[2]});
  y = chain.add("matmul", {y, matrix_of(t, window, context)});
  y = chain.reshape(y, {dims[0], frames, t.bins, 2});
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

// The last two axes of a real signal, each cropped or filled with zeros to its part of fft_length;
// complex numbers are pairs along one more axis.
Result<void> lower_rfft2d(const ForeignNode& node, LowerContext& context) {
  const std::string where = place_of(node);
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  NK_TRY(need_float(node, context, x));
  const Dims dims = context.type(x).dims;
  const auto lengths = context.const_ints(context.input(node, 1));
  if (dims.size() < 2 || dims.size() >= NK_MAX_RANK || !lengths || lengths->size() != 2) {
    return bad_input("fft_length must be two constants, and the input of two to five axes", where);
  }
  const int64_t h = dims[dims.size() - 2], w = dims.back();
  NK_ASSIGN(const Transform rows, transform_of(w, 1, (*lengths)[1], false, true, where));
  NK_ASSIGN(const Transform columns, transform_of(h, 2, (*lengths)[0], false, false, where));
  const int64_t count = product_of(dims, 0, dims.size() - 2);
  Chain chain(context);
  const auto crop = [&](TensorId y, Dims sizes) {
    if (chain.error() || context.type(y).dims == sizes) return y;
    Attrs attrs;
    attrs.set("starts", Dims(sizes.size(), 0));
    attrs.set("steps", Dims(sizes.size(), 1));
    attrs.set("sizes", std::move(sizes));
    return chain.add("slice", {y}, std::move(attrs));
  };
  TensorId y = crop(chain.reshape(x, {count, h, w}), {count, columns.given, rows.given});
  y = chain.reshape(y, {count * columns.given, rows.given});
  y = chain.add("matmul", {y, matrix_of(rows, {}, context)});
  if (columns.length > 1) {
    y = chain.transpose(chain.reshape(y, {count, columns.given, rows.bins, 2}), {0, 2, 1, 3});
    y = chain.reshape(y, {count * rows.bins, columns.given * 2});
    y = chain.add("matmul", {y, matrix_of(columns, {}, context)});
    y = chain.transpose(chain.reshape(y, {count, rows.bins, columns.bins, 2}), {0, 2, 1, 3});
  }
  Dims made(dims.begin(), dims.end() - 2);
  made.insert(made.end(), {columns.bins, rows.bins, 2});
  y = chain.reshape(y, std::move(made));
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

// COMPLEX_ABS, REAL, IMAG of pairs along the last axis.
Result<void> lower_complex_part(const ForeignNode& node, LowerContext& context) {
  NK_ASSIGN(const TensorId x, need_foreign_input(context, node, 0));
  const Dims dims = context.type(x).dims;
  if (dims.empty() || dims.back() != 2) {
    return bad_input("complex numbers must be made by RFFT2D", place_of(node));
  }
  Chain chain(context);
  Attrs attrs;
  const Dims whole(dims.begin(), dims.end() - 1);
  if (node.op == "COMPLEX_ABS") {
    attrs.set("axes", Dims{static_cast<int64_t>(dims.size()) - 1});
    attrs.set("keepdims", int64_t{0});
    const TensorId sum = chain.add("reduce_sum", {chain.add("mul", {x, x})}, std::move(attrs));
    const TensorId y = chain.add("sqrt", {sum});
    if (chain.error()) return std::unexpected(*chain.error());
    return context.bind(node, 0, y);
  }
  Dims starts(dims.size(), 0), sizes = dims;
  starts.back() = node.op == "IMAG" ? 1 : 0;
  sizes.back() = 1;
  attrs.set("starts", std::move(starts));
  attrs.set("steps", Dims(dims.size(), 1));
  attrs.set("sizes", std::move(sizes));
  const TensorId y = chain.reshape(chain.add("slice", {x}, std::move(attrs)), whole);
  if (chain.error()) return std::unexpected(*chain.error());
  return context.bind(node, 0, y);
}

}  // namespace netkit
