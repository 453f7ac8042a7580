// SPDX-License-Identifier: MIT
#include "compiler/import/nk_legacy/graph.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace netkit::nk_legacy {
namespace {

template <typename T>
Bytes bytes_of(const std::vector<T>& values) {
  Bytes bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

// [c, kh, kw] as [kh, kw, c].
Bytes channels_last(const Stored& from) {
  const size_t width = from.dtype == NK_INT8 ? 1 : 4;
  const auto channels = static_cast<size_t>(from.dims[0]);
  const size_t taps = from.bytes.size() / width / channels;
  Bytes out(from.bytes.size());
  for (size_t c = 0; c < channels; ++c) {
    for (size_t t = 0; t < taps; ++t) {
      std::memcpy(out.data() + (t * channels + c) * width,
                  from.bytes.data() + (c * taps + t) * width, width);
    }
  }
  return out;
}

Bytes copy_of(const Stored& from) {
  return {from.bytes.begin(), from.bytes.end()};
}

std::string_view fused_name(Activation activation) {
  if (activation == Activation::kRelu) return "relu";
  return activation == Activation::kRelu6 ? "relu6" : "";
}

Quant tensor_quant(float scale, int32_t zero_point) {
  return {{scale}, {zero_point}, 0};
}

int64_t count_of(const Dims& dims) {
  return element_count(dims).value_or(0);
}

}  // namespace

void GraphMaker::begin_layer(size_t index) {
  layer_ = index;
  in_layer_ = 0;
}

std::unexpected<Error> GraphMaker::wrong(std::string message) const {
  return bad_input(std::move(message),
                   fmt::format("layer {} ({})", layer_, name_of(file_.layers[layer_].kind)));
}

std::string GraphMaker::name(std::string_view what) {
  return fmt::format("layer{}.{}{}", layer_, what, in_layer_++);
}

int GraphMaker::add_tensor(std::string name, TensorType type, ConstData data) {
  ForeignTensor tensor;
  tensor.name = std::move(name);
  tensor.type = std::move(type);
  tensor.has_shape = true;
  tensor.data = std::move(data);
  out_.tensors.push_back(std::move(tensor));
  return static_cast<int>(out_.tensors.size()) - 1;
}

int GraphMaker::constant(std::string_view what, TensorType type, Bytes bytes) {
  return add_tensor(name(what), std::move(type), std::make_shared<const Bytes>(std::move(bytes)));
}

int GraphMaker::add_input() {
  TensorType type{is_int8() ? NK_INT8 : NK_FLOAT32, file_.input, {}};
  if (!file_.is_mlp) type.dims.insert(type.dims.begin(), 1);
  if (is_int8() && !file_.quants.empty()) {
    type.quant = tensor_quant(file_.quants[0].in_scale, file_.quants[0].in_zero);
  }
  out_.inputs.push_back(add_tensor("input", std::move(type), nullptr));
  return out_.inputs[0];
}

int GraphMaker::node(std::string_view op, std::vector<int> inputs, Dims shape, Attrs attrs,
                     Quant quant) {
  ForeignNode node;
  node.op = op;
  node.version = static_cast<int>(file_.version);
  node.name = name(op);
  node.inputs = std::move(inputs);
  node.attrs = std::move(attrs);
  if (!is_int8()) quant = {};
  const int out = add_tensor(
      node.name, {is_int8() ? NK_INT8 : NK_FLOAT32, std::move(shape), std::move(quant)}, nullptr);
  node.outputs = {out};
  out_.nodes.push_back(std::move(node));
  return out;
}

int GraphMaker::floats(std::string_view what, Dims shape, const std::vector<float>& values) {
  return constant(what, {NK_FLOAT32, std::move(shape), {}}, bytes_of(values));
}

int GraphMaker::ints(std::string_view what, Dims shape, const std::vector<int32_t>& values) {
  return constant(what, {NK_INT32, std::move(shape), {}}, bytes_of(values));
}

// Layers behind the block that are norms take the last of the vectors.
bool GraphMaker::norm_follows(bool is_last) const {
  size_t vectors = 0, norms = 0;
  for (size_t i = next_tensor_; i < file_.weights.size() && file_.weights[i].dims.size() == 1;
       ++i) {
    ++vectors;
  }
  for (size_t i = layer_ + 1; is_last && i < file_.layers.size(); ++i) {
    const Kind kind = file_.layers[i].kind;
    const bool norm = kind == Kind::kBatchNorm || kind == Kind::kLayerNorm;
    const bool weightless = kind == Kind::kMaxPool || kind == Kind::kAvgPool ||
                            kind == Kind::kFlatten || kind == Kind::kFeatureTap;
    if (!norm && !weightless) break;
    norms += norm ? 1 : 0;
  }
  return vectors > norms;
}

int64_t GraphMaker::next_width() const {
  if (next_tensor_ >= file_.weights.size()) return 0;
  const Dims& dims = file_.weights[next_tensor_].dims;
  return dims.size() == 3 ? dims[2] : 0;
}

Quant GraphMaker::swish_quant() const {
  if (!is_int8() || next_quant_ == 0 || file_.quants[next_quant_ - 1].act_scale == 0.0f) return {};
  const QuantEntry& entry = file_.quants[next_quant_ - 1];
  return tensor_quant(entry.act_scale, entry.act_zero);
}

Result<const Stored*> GraphMaker::next_weights() {
  if (next_tensor_ >= file_.weights.size()) return wrong("the file has no more weight tensors");
  return &file_.weights[next_tensor_];
}

// Takes the next weights (already in the operator's shape and layout), bias and quantisation.
Result<GraphMaker::Weighted> GraphMaker::weighted(int x, const Dims& shape, Bytes bytes, int axis,
                                                  Activation activation) {
  const Stored& weights = file_.weights[next_tensor_];
  const Stored& bias = file_.biases[next_tensor_++];
  const int64_t channels = shape[static_cast<size_t>(axis)];
  if (weights.dtype != (is_int8() ? NK_INT8 : NK_FLOAT32) ||
      bias.dtype != (is_int8() ? NK_INT32 : NK_FLOAT32)) {
    return wrong(fmt::format("weights of {} and bias of {} in a version {} file",
                             netkit::name_of(weights.dtype), netkit::name_of(bias.dtype),
                             file_.version));
  }
  if (bias.dims.size() != 1 || bias.dims[0] != channels) {
    return wrong(fmt::format("bias {} of {} channels", dims_text(bias.dims), channels));
  }
  Weighted out;
  Quant weight_quant;
  if (is_int8()) {
    if (next_quant_ >= file_.quants.size()) return wrong("the file has no quantisation for it");
    const QuantEntry& entry = file_.quants[next_quant_++];
    const size_t scales = entry.weight_scales.size();
    if (scales != 1 && scales != static_cast<size_t>(channels)) {
      return wrong(fmt::format("{} weight scales for {} channels", scales, channels));
    }
    const Quant& in = quant(x);
    if (in.scale != std::vector{entry.in_scale} ||
        in.zero_point != std::vector<int64_t>{entry.in_zero}) {
      return wrong("its input scale is not the output scale of the layer before");
    }
    weight_quant = {entry.weight_scales, std::vector<int64_t>(scales, 0), axis};
    out.quant = tensor_quant(entry.out_scale, entry.out_zero);
  }
  const int w = constant("weights", {weights.dtype, shape, weight_quant}, std::move(bytes));
  out.inputs = {x, w, constant("bias", {bias.dtype, bias.dims, {}}, copy_of(bias))};
  const std::string_view fused = fused_name(activation);
  if (!fused.empty()) out.attrs.set("activation", std::string(fused));
  out.rest = fused.empty() ? activation : Activation::kNone;
  return out;
}

// The window's attributes and the shape of what it makes of x.
Result<Dims> GraphMaker::slide(int x, const Window& w, int64_t channels, Attrs& attrs) const {
  const Dims& in = dims(x);
  if (in.size() != 4) return wrong(fmt::format("its input is {}, not an image", dims_text(in)));
  const int64_t h = in[1] + w.top + w.bottom - w.kernel_h;
  const int64_t width = in[2] + w.left + w.right - w.kernel_w;
  if (w.kernel_h < 1 || w.kernel_w < 1 || w.stride < 1 || h < 0 || width < 0) {
    return wrong(fmt::format("a window of {}x{} and stride {} does not fit input {}", w.kernel_h,
                             w.kernel_w, w.stride, dims_text(in)));
  }
  attrs.set("stride_h", w.stride);
  attrs.set("stride_w", w.stride);
  const std::vector<int64_t> pads = {w.top, w.left, w.bottom, w.right};
  if (pads != std::vector<int64_t>(4, 0)) attrs.set("pads", pads);
  return Dims{in[0], h / w.stride + 1, width / w.stride + 1, channels};
}

Result<int> GraphMaker::conv2d(int x, Window window, int64_t channels, Activation activation,
                               float alpha) {
  NK_ASSIGN(const Stored* w, next_weights());
  Dims shape = w->dims;  // [out, kh, kw, in], or [out, in] of a 1x1 convolution
  if (shape.size() == 2) shape = {shape[0], 1, 1, shape[1]};
  if (shape.size() != 4 || shape[0] != channels || shape[1] != window.kernel_h ||
      shape[2] != window.kernel_w || dims(x).size() != 4 || shape[3] != dims(x)[3]) {
    return wrong(fmt::format("weights {} for {} filters of {}x{} on input {}", dims_text(w->dims),
                             channels, window.kernel_h, window.kernel_w, dims_text(dims(x))));
  }
  NK_ASSIGN(Weighted made, weighted(x, shape, copy_of(*w), 0, activation));
  NK_ASSIGN(Dims out, slide(x, window, channels, made.attrs));
  return activate(node("conv2d", made.inputs, out, made.attrs, made.quant), made.rest, alpha);
}

Result<int> GraphMaker::depthwise(int x, Window window, int64_t channels, Activation activation,
                                  float alpha) {
  NK_ASSIGN(const Stored* w, next_weights());
  if (w->dims.size() != 3 || w->dims[0] != channels || w->dims[1] != window.kernel_h ||
      w->dims[2] != window.kernel_w || dims(x).size() != 4 || dims(x)[3] != channels ||
      count_of(w->dims) == 0) {
    return wrong(fmt::format("weights {} for {} channels of {}x{} on input {}", dims_text(w->dims),
                             channels, window.kernel_h, window.kernel_w, dims_text(dims(x))));
  }
  const Dims shape = {1, w->dims[1], w->dims[2], channels};
  NK_ASSIGN(Weighted made, weighted(x, shape, channels_last(*w), 3, activation));
  NK_ASSIGN(Dims out, slide(x, window, channels, made.attrs));
  return activate(node("dwconv2d", made.inputs, out, made.attrs, made.quant), made.rest, alpha);
}

Result<int> GraphMaker::dense(int x, int64_t units, Activation activation, float alpha) {
  NK_ASSIGN(const Stored* w, next_weights());
  const int64_t rows = file_.is_mlp ? dims(x)[0] : 1;
  if (w->dims.size() != 2 || w->dims[0] != units || w->dims[1] == 0 || units == 0 ||
      count_of(dims(x)) != rows * w->dims[1]) {
    return wrong(fmt::format("weights {} for {} units on input {}", dims_text(w->dims), units,
                             dims_text(dims(x))));
  }
  NK_ASSIGN(Weighted made, weighted(x, w->dims, copy_of(*w), 0, activation));
  const int y = node("fully_connected", made.inputs, {rows, units}, made.attrs, made.quant);
  return activate(y, made.rest, alpha);
}

Result<std::pair<int, int>> GraphMaker::vectors(int64_t channels) {
  if (is_int8()) {
    return wrong("a norm has no int8 form: fold a batch norm into the convolution before it");
  }
  NK_ASSIGN(const Stored* scale, next_weights());
  const Stored& shift = file_.biases[next_tensor_++];
  for (const Stored* s : {scale, &shift}) {
    if (s->dtype != NK_FLOAT32 || s->dims != Dims{channels}) {
      return wrong(fmt::format("scale {} and shift {} of {} channels", dims_text(scale->dims),
                               dims_text(shift.dims), channels));
    }
  }
  const int first = constant("scale", {NK_FLOAT32, scale->dims, {}}, copy_of(*scale));
  return std::pair(first, constant("shift", {NK_FLOAT32, shift.dims, {}}, copy_of(shift)));
}

Result<int> GraphMaker::batch_norm(int x) {
  NK_ASSIGN(const auto pair, vectors(dims(x).back()));
  return node("batch_norm", {x, pair.first, pair.second}, dims(x));
}

Result<int> GraphMaker::pool(int x, std::string_view op, const Window& window) {
  Attrs attrs;
  attrs.set("kernel_h", window.kernel_h);
  attrs.set("kernel_w", window.kernel_w);
  NK_ASSIGN(Dims out, slide(x, window, dims(x).back(), attrs));
  return node(op, {x}, out, attrs, quant(x));
}

int GraphMaker::flatten(int x) {
  const Dims shape = {1, count_of(dims(x))};
  if (dims(x) == shape) return x;
  Attrs attrs;
  attrs.set("shape", shape);
  return node("reshape", {x}, shape, attrs, quant(x));
}

Result<int> GraphMaker::activate(int x, Activation activation, float alpha) {
  static constexpr std::string_view kNames[] = {"",           "relu",  "sigmoid", "tanh",
                                                "leaky_relu", "relu6", "softmax"};
  const std::string_view op = kNames[static_cast<size_t>(activation)];
  if (op.empty()) return x;
  if (activation != Activation::kSoftmax) {
    if (is_int8() && (op == "sigmoid" || op == "tanh")) {
      return wrong(fmt::format("{} of int8: the file does not state the scale before it", op));
    }
    Attrs attrs;
    if (op == "leaky_relu") attrs.set("alpha", static_cast<double>(alpha));
    return node(op, {x}, dims(x), attrs, quant(x));
  }
  const Quant out = tensor_quant(1.0f / 256.0f, -128);
  // A row of an MLP is an input of its own; of an image, over all elements, whatever their shape.
  if (file_.is_mlp) return node(op, {x}, dims(x), {}, out);
  const Dims shape = dims(x);
  const int flat = flatten(x);
  const int y = node(op, {flat}, dims(flat), {}, out);
  if (flat == x) return y;
  Attrs attrs;
  attrs.set("shape", shape);
  return node("reshape", {y}, shape, attrs, out);
}

Result<ForeignGraph> GraphMaker::finish(int output) {
  if (next_tensor_ != file_.weights.size()) {
    return bad_input(fmt::format("{} of {} weight tensors belong to no layer",
                                 file_.weights.size() - next_tensor_, file_.weights.size()));
  }
  if (next_quant_ != file_.quants.size()) {
    return bad_input(fmt::format("{} of {} quantisation entries belong to no layer",
                                 file_.quants.size() - next_quant_, file_.quants.size()));
  }
  for (const LegacyCase& c : file_.cases.list) {
    const auto in = static_cast<size_t>(count_of(dims(out_.inputs[0]))) * (is_int8() ? 1 : 4);
    const auto out = static_cast<size_t>(count_of(dims(output)));
    if (c.input.size() != in || c.expected.size() != out ||
        (c.label != -1 && (c.label < 0 || static_cast<size_t>(c.label) >= out))) {
      return bad_input(
          fmt::format("a test case of {} input bytes, {} outputs and label {}; the "
                      "model has {} and {}",
                      c.input.size(), c.expected.size(), c.label, in, out));
    }
  }
  if (output != out_.inputs[0]) out_.tensors[static_cast<size_t>(output)].name = "output";
  out_.format = SourceFormat::kNkLegacy;
  out_.ir_version = file_.version;
  out_.outputs = {output};
  for (const auto& [value, name] : kept_) {
    // Through a view, so that the tensor keeps its own name and may be the result too.
    begin_layer(file_.layers.size() - 1);
    Attrs attrs;
    attrs.set("shape", dims(value));
    const int kept = node("reshape", {value}, dims(value), attrs, quant(value));
    out_.tensors[static_cast<size_t>(kept)].name = name;
    out_.outputs.push_back(kept);
  }
  return std::move(out_);
}

}  // namespace netkit::nk_legacy
