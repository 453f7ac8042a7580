// SPDX-License-Identifier: MIT
// Older .nk files made here, kind by kind: what they unfold into, and what is refused.
#include "compiler/import/nk_legacy/legacy.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "compiler/import/import.h"
#include "compiler/lower/lower.h"

namespace netkit {
namespace {

// Writes words as the format has them.
class Writer {
 public:
  template <typename T>
  Writer& put(T value) {
    const auto* from = reinterpret_cast<const std::byte*>(&value);
    bytes_.insert(bytes_.end(), from, from + sizeof value);
    return *this;
  }
  Writer& text(std::string_view word) {
    for (const char c : word) put(c);
    return *this;
  }
  Writer& append(const Bytes& more) {
    bytes_.insert(bytes_.end(), more.begin(), more.end());
    return *this;
  }
  const Bytes& bytes() const { return bytes_; }

 private:
  Bytes bytes_;
};

// A version 3 network of kind CNN.
class Network {
 public:
  explicit Network(std::array<uint32_t, 3> input) : input_(input) {}

  Writer& layer(uint8_t kind) {
    ++layers_;
    return records_.put(kind).put(uint8_t{0}).put(uint8_t{0}).put(uint8_t{0});
  }
  // Weights and bias, all of small values that differ.
  Network& tensors(const std::vector<uint32_t>& dims, uint32_t channels) {
    entry(weights_, dims, weight_bytes_);
    entry(biases_, {channels}, bias_bytes_);
    ++count_;
    return *this;
  }
  Bytes file(uint32_t version = 3) const {
    Writer out;
    out.text("NKIT").put(version).put(uint8_t{2}).put(uint8_t{3}).put(uint16_t{0});
    for (const uint32_t d : input_) out.put(d);
    out.put(uint32_t{0}).put(layers_).put(count_).put(count_);
    out.put(static_cast<uint32_t>(weight_bytes_.bytes().size()));
    out.put(static_cast<uint32_t>(bias_bytes_.bytes().size()));
    out.append(records_.bytes()).append(weights_.bytes()).append(biases_.bytes());
    return out.append(weight_bytes_.bytes()).append(bias_bytes_.bytes()).bytes();
  }

 private:
  void entry(Writer& list, const std::vector<uint32_t>& dims, Writer& values) {
    uint32_t elements = 1;
    list.put(static_cast<uint8_t>(dims.size())).put(uint8_t{1}).put(uint16_t{0});
    for (size_t i = 0; i < 4; ++i) list.put(i < dims.size() ? dims[i] : 0u);
    for (const uint32_t d : dims) elements *= d;
    list.put(elements);
    for (uint32_t i = 0; i < elements; ++i) {
      seed_ = seed_ * 1664525u + 1013904223u;
      values.put(static_cast<float>(seed_ >> 20) / 4096.0f - 0.5f);
    }
  }

  std::array<uint32_t, 3> input_;
  uint32_t layers_ = 0, count_ = 0, seed_ = 1;
  Writer records_, weights_, biases_, weight_bytes_, bias_bytes_;
};

std::string ops_of(const Bytes& file) {
  const auto graph = import_model(file, "old.nk");
  if (!graph) return graph.error().where + ": " + graph.error().message;
  const auto lowered = lower(*graph, {});
  if (!lowered)
    return lowered.error().items.empty() ? lowered.error().message : lowered.error().items[0];
  EXPECT_TRUE(lowered->warnings.empty());
  std::string ops;
  for (const ForeignNode& node : graph->nodes) ops += (ops.empty() ? "" : " ") + node.op;
  const Graph& g = lowered->graph;
  return ops + " -> " + dims_text(g.tensor(g.outputs[0]).type.dims);
}

TEST(NkLegacy, ConvolutionsPadAtBothEnds) {
  Network net({5, 4, 2});
  net.layer(2).put(3u).put(1u).put(4u).put(uint32_t{0x21010101}).put(0.01f);
  net.tensors({4, 3, 3, 2}, 4);
  EXPECT_EQ(ops_of(net.file()), "conv2d -> 1x6x6x4");
}

TEST(NkLegacy, TheLastByteOfADepthwiseConvolutionIsWidthOrPadding) {
  Network width({6, 6, 2});
  width.layer(7).put(3u).put(1u).put(2u).put(uint32_t{0x01000000}).put(0.01f);
  width.tensors({2, 3, 1}, 2);
  EXPECT_EQ(ops_of(width.file()), "dwconv2d -> 1x4x6x2");
  Network padding({6, 6, 2});
  padding.layer(7).put(3u).put(1u).put(2u).put(uint32_t{0x01000000}).put(0.01f);
  padding.tensors({2, 3, 3}, 2);
  EXPECT_EQ(ops_of(padding.file()), "dwconv2d -> 1x5x4x2");
}

TEST(NkLegacy, PoolsNormsTapsAndSoftmax) {
  Network net({6, 6, 2});
  net.layer(3).put(2u).put(2u).put(uint16_t{0}).put(uint16_t{3});
  net.layer(5).put(2u).put(1u).put(uint16_t{0}).put(uint16_t{0x1100});
  net.layer(6).put(2u).put(0u);
  net.layer(11).put(2u).put(1e-6f).put(0u);
  net.layer(13).put(2u).put(uint32_t{3});
  net.layer(4);
  net.layer(1).put(3u).put(uint32_t{6}).put(0.0f);
  net.tensors({2}, 2).tensors({2}, 2).tensors({3, 12}, 3);
  EXPECT_EQ(ops_of(net.file()),
            "max_pool2d avg_pool2d batch_norm layer_norm reshape fully_connected softmax -> 1x3");
}

TEST(NkLegacy, UibWithBatchNormsAndSum) {
  Network net({4, 4, 8});
  net.layer(9).put(8u).put(8u).put(uint32_t{0x01010503}).put(2.0f).put(0u);
  net.tensors({8, 3, 3}, 8).tensors({8}, 8).tensors({16, 1, 1, 8}, 16).tensors({16}, 16);
  net.tensors({16, 5, 5}, 16).tensors({16}, 16).tensors({8, 1, 1, 16}, 8).tensors({8}, 8);
  EXPECT_EQ(ops_of(net.file()),
            "dwconv2d batch_norm conv2d batch_norm relu dwconv2d batch_norm relu conv2d batch_norm "
            "add -> 1x4x4x8");
}

// A norm behind the block may be a layer of its own.
TEST(NkLegacy, EachConvolutionOfABlockMayHaveANorm) {
  for (const bool norm : {false, true}) {
    for (const bool layer : {false, true}) {
      Network net({4, 4, 2});
      net.layer(10).put(2u).put(2u).put(uint32_t{1});
      net.tensors({2, 3, 3, 2}, 2).tensors({2}, 2).tensors({2, 3, 3, 2}, 2);
      if (norm) net.tensors({2}, 2);
      if (layer) {
        net.layer(3).put(2u).put(2u).put(0u);
        net.layer(6).put(2u).put(0u);
        net.tensors({2}, 2);
      }
      EXPECT_EQ(ops_of(net.file()),
                "conv2d batch_norm relu conv2d" +
                    std::string(norm ? " batch_norm add relu" : " add relu") +
                    (layer ? " max_pool2d batch_norm -> 1x2x2x2" : " -> 1x4x4x2"));
    }
  }
}

TEST(NkLegacy, ResNetBlockWithAShortcut) {
  Network net({4, 4, 2});
  net.layer(10).put(2u).put(4u).put(uint32_t{2});
  net.tensors({4, 3, 3, 2}, 4).tensors({4, 3, 3, 4}, 4).tensors({4, 1, 1, 2}, 4);
  EXPECT_EQ(ops_of(net.file()), "conv2d relu conv2d conv2d add relu -> 1x2x2x4");
}

void add_head(Network& net, uint32_t in, uint32_t hidden, uint32_t classes) {
  net.tensors({hidden, 1, 1, in}, hidden).tensors({hidden, 3, 3, hidden}, hidden);
  net.tensors({hidden, 3, 3, hidden}, hidden).tensors({classes, 1, 1, hidden}, classes);
  net.tensors({4, 1, 1, hidden}, 4).tensors({1, 1, 1, hidden}, 1);
}

TEST(NkLegacy, YoloxHead) {
  Network net({2, 2, 6});
  net.layer(12).put(6u).put(4u).put(3u).put(uint32_t{1});
  add_head(net, 6, 4, 3);
  EXPECT_EQ(ops_of(net.file()),
            "conv2d swish conv2d swish conv2d swish conv2d conv2d conv2d concat -> 1x2x2x8");
}

TEST(NkLegacy, NeckOverThreeScales) {
  Network net({8, 8, 2});
  net.layer(13).put(2u).put(uint32_t{0});
  net.layer(3).put(2u).put(2u).put(0u);
  net.layer(13).put(2u).put(uint32_t{1});
  net.layer(3).put(2u).put(2u).put(0u);
  net.layer(14).put(2u).put(2u).put(2u).put(4u).put(3u).put(uint32_t{1});
  for (int i = 0; i < 3; ++i) net.tensors({4, 1, 1, 2}, 4);
  for (int i = 0; i < 4; ++i) net.tensors({4, 3, 3}, 4).tensors({4, 1, 1, 4}, 4);
  for (int i = 0; i < 3; ++i) add_head(net, 4, 4, 3);
  const std::string ops = ops_of(net.file());
  EXPECT_TRUE(ops.ends_with("concat reshape concat -> 1x672")) << ops;
}

TEST(NkLegacy, WhatDoesNotFitIsNamed) {
  Network weights({5, 4, 2});
  weights.layer(2).put(3u).put(1u).put(4u).put(0u).put(0.0f);
  weights.tensors({4, 3, 3, 1}, 4);
  EXPECT_EQ(ops_of(weights.file()),
            "old.nk, layer 0 (conv2d): weights 4x3x3x1 for 4 filters of 3x3 on input 1x5x4x2");
  Network missing({5, 4, 2});
  missing.layer(2).put(3u).put(1u).put(4u).put(0u).put(0.0f);
  EXPECT_EQ(ops_of(missing.file()),
            "old.nk, layer 0 (conv2d): the file has no more weight tensors");
  Network unused({5, 4, 2});
  unused.layer(4);
  unused.tensors({1}, 1);
  EXPECT_EQ(ops_of(unused.file()), "old.nk: 1 of 1 weight tensors belong to no layer");
  Network kind({5, 4, 2});
  kind.layer(15);
  EXPECT_EQ(ops_of(kind.file()), "old.nk, layer 0: unknown layer kind 15");
  Network act({5, 4, 2});
  act.layer(2).put(1u).put(1u).put(4u).put(7u).put(0.0f);
  EXPECT_EQ(ops_of(act.file()), "old.nk, layer 0 (conv2d): unknown activation 7");
  Network taps({8, 8, 2});
  taps.layer(14).put(2u).put(2u).put(2u).put(4u).put(3u).put(uint32_t{1});
  EXPECT_EQ(ops_of(taps.file()), "old.nk, layer 0 (YOLOX PAFPN): feature tap 0 is not set");
  Network window({5, 4, 2});
  window.layer(3).put(9u).put(1u).put(0u);
  EXPECT_EQ(ops_of(window.file()),
            "old.nk, layer 0 (max pool): a window of 9x9 and stride 1 does not fit input 1x5x4x2");
}

TEST(NkLegacy, ParametersAreFiniteAndAnEpsIsNotNegative) {
  const auto said = [](uint8_t kind, float value) {
    Network net({6, 6, 2});
    if (kind == 11) net.layer(kind).put(2u).put(value).put(0u);
    if (kind == 8) net.layer(kind).put(2u).put(0u).put(value);
    if (kind == 2) net.layer(kind).put(3u).put(1u).put(4u).put(0u).put(value);
    return ops_of(net.file());
  };
  EXPECT_EQ(said(11, -1.0f),
            "old.nk, layer 0 (layer norm): eps -1: below 0; give 0 or a small number above");
  EXPECT_EQ(said(8, -1.0f),
            "old.nk, layer 0 (ConvNeXt V2 block): eps -1: below 0; give 0 or a small number above");
  EXPECT_EQ(said(2, INFINITY),
            "old.nk, layer 0 (conv2d): leaky_alpha inf: a parameter is not finite; give a number");
}

TEST(NkLegacy, OtherVersionsAreNotTheImporters) {
  Network net({5, 4, 2});
  net.layer(4);
  EXPECT_EQ(sniff_format(net.file(3)), ModelFormat::kNkLegacy);
  EXPECT_EQ(sniff_format(net.file(4)), ModelFormat::kNkLegacy);
  EXPECT_EQ(sniff_format(net.file(5)), ModelFormat::kNk);
  EXPECT_EQ(sniff_format(net.file(2)), ModelFormat::kNk);
  EXPECT_EQ(ops_of(net.file(4)), "old.nk, byte 48: version 4 without quantisation");
}

TEST(NkLegacy, EveryCutIsRefused) {
  Network net({4, 4, 8});
  net.layer(9).put(8u).put(8u).put(uint32_t{0x01010503}).put(2.0f).put(0u);
  net.tensors({8, 3, 3}, 8).tensors({16, 1, 1, 8}, 16).tensors({16, 5, 5}, 16);
  net.tensors({8, 1, 1, 16}, 8);
  const Bytes whole = net.file();
  ASSERT_TRUE(import_model(whole, "old.nk").has_value());
  for (size_t size = 8; size < whole.size(); ++size) {
    EXPECT_FALSE(import_model(std::span(whole).first(size), "old.nk").has_value()) << size;
  }
}

}  // namespace
}  // namespace netkit
