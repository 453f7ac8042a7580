// SPDX-License-Identifier: MIT
// Passes that make one operator of several: constants into weights, padding and activations into
// the operators that have room for them.
#pragma once

#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "compiler/ir/graph.h"

namespace netkit {

// float32: batch_norm and add, sub, mul, div by constants per channel go into the weights and bias
// of the convolution or dense layer that makes their input, or that reads their output where it
// has no padding (or the term is zero). New constants are made; shared ones stay as they are.
Result<Graph> fold_affine(const Graph& graph);

// relu, relu6, relu_n1_to_1, relu_0_to_1 and clip become attributes of their maker where it has
// them and nobody else reads what it made. Quantised: only where the intermediate has the
// quantisation of the result, so that clamping it is exact.
Result<Graph> fuse_activations(const Graph& graph);

// A pad of rows and columns becomes padding of conv2d and dwconv2d (zeros; quantised: the zero
// point), of avg_pool2d (zeros, which it then counts) and of max_pool2d (minus infinity, or zeros
// around values that an activation keeps from being negative).
Result<Graph> fuse_pads(const Graph& graph);

// A concatenation of channels whose readers are all convolutions (conv2d without groups, dwconv2d)
// of at most NK_MAX_PARTS parts is not made: they read its inputs. Run when nothing else changes.
Result<Graph> read_parts(const Graph& graph);
// The same but for concatenations that make a tensor of a name in `made`.
Result<Graph> read_parts_but(const Graph& graph, const std::set<std::string>& made);

// dequantize → float32 operator → quantize, as ONNX states quantisation (QDQ), becomes the operator
// on integers wherever its integer kernels take these scales; activations, transposes and reshapes
// between them do not stand in the way. Within a step of the float32 operator rounded, not always
// bit for bit. What TensorFlow Lite dequantises stays float32. Run before weights are changed: the
// integers are those of ConstData::integers().
Result<Graph> fuse_qdq(const Graph& graph);
// What of a model that states its quantisation still computes in float32 from dequantised values,
// as "softmax 'name'".
std::vector<std::string> float_between_integers(const Graph& graph);

// float32: x * (1 + erf(x / sqrt 2)) * 0.5 in any order of the factors.
Result<Graph> fuse_gelu(const Graph& graph);

}  // namespace netkit
