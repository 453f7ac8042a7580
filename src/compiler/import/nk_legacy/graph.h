// SPDX-License-Identifier: MIT
// What unfolding an older file adds: values with known shapes, and nodes of canonical operators
// over the next tensors of the file's catalogues.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compiler/import/nk_legacy/legacy.h"

namespace netkit::nk_legacy {

class GraphMaker {
 public:
  explicit GraphMaker(const LegacyFile& file) : file_(file) {}

  // Every name and message from here on is of this layer.
  void begin_layer(size_t index);
  std::unexpected<Error> wrong(std::string message) const;

  int add_input();
  const Dims& dims(int value) const { return out_.tensors[static_cast<size_t>(value)].type.dims; }
  const Quant& quant(int value) const {
    return out_.tensors[static_cast<size_t>(value)].type.quant;
  }

  // A node of one output, of the model's element type and the given shape.
  int node(std::string_view op, std::vector<int> inputs, Dims shape, Attrs attrs = {},
           Quant quant = {});
  int floats(std::string_view name, Dims shape, const std::vector<float>& values);
  int ints(std::string_view name, Dims shape, const std::vector<int32_t>& values);

  // The next weights and bias. Weights of `channels` at the front, as the layout says; errors where
  // they do not fit x, the window or the number of channels.
  Result<int> conv2d(int x, Window window, int64_t channels, Activation activation, float alpha);
  Result<int> depthwise(int x, Window window, int64_t channels, Activation activation, float alpha);
  Result<int> dense(int x, int64_t units, Activation activation, float alpha);
  // The next pair of vectors: scale and shift of batch_norm, of layer_norm.
  Result<std::pair<int, int>> vectors(int64_t channels);
  Result<int> batch_norm(int x);
  Result<int> pool(int x, std::string_view op, const Window& window);
  Result<int> activate(int x, Activation activation, float alpha);
  int add(int a, int b) { return node("add", {a, b}, dims(a), {}, quant(b)); }
  int flatten(int x);

  // Has the convolution of a block that was just made a batch norm: is the next weight tensor a
  // vector, and behind the last of them not that of a norm that is a layer?
  bool norm_follows(bool is_last) const;
  // Width of the next weights of a depthwise convolution; 0 where they are something else.
  int64_t next_width() const;
  bool is_int8() const { return file_.is_int8(); }
  bool is_by_hand() const { return file_.by_hand; }
  // Scale behind the swish of the last convolution; none where it is not stated.
  Quant swish_quant() const;

  // A further output of the network beside the one that finish names.
  void keep_output(int value, std::string name) { kept_.emplace_back(value, std::move(name)); }

  // Errors where tensors or quantisation entries are left over.
  Result<ForeignGraph> finish(int output);

 private:
  struct Weighted {
    std::vector<int> inputs;  // x, weights, bias
    Attrs attrs;
    Quant quant;      // of the output
    Activation rest;  // what is not fused
  };

  std::string name(std::string_view what);
  int add_tensor(std::string name, TensorType type, ConstData data);
  int constant(std::string_view what, TensorType type, Bytes bytes);
  Result<const Stored*> next_weights();
  Result<Weighted> weighted(int x, const Dims& shape, Bytes bytes, int axis, Activation activation);
  Result<Dims> slide(int x, const Window& window, int64_t channels, Attrs& attrs) const;

  const LegacyFile& file_;
  ForeignGraph out_;
  std::vector<std::pair<int, std::string>> kept_;
  size_t layer_ = 0, in_layer_ = 0, next_tensor_ = 0, next_quant_ = 0;
};

}  // namespace netkit::nk_legacy
