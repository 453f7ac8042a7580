// SPDX-License-Identifier: MIT
// Moving operators: naive oracles of indices, by hand, every foreign form, refusals.
#include <numeric>

#include <gtest/gtest.h>

#include "ops/common/testing/node_check.h"

namespace netkit {
namespace {

using check::NodeCase;
using check::onnx;
using check::quant_of;
using check::tflite;

template <typename T>
std::vector<T> iota(size_t n) {
  std::vector<T> out(n);
  std::iota(out.begin(), out.end(), T{0});
  return out;
}

using F = std::vector<float>;

// Element of x at `index`.
size_t flat(const Dims& dims, const Dims& index) {
  int64_t at = 0;
  for (size_t i = 0; i < dims.size(); ++i) at = at * dims[i] + index[i];
  return static_cast<size_t>(at);
}

Dims unflat(size_t at, const Dims& dims) {
  Dims index(dims.size());
  for (size_t i = dims.size(); i-- > 0;) {
    index[i] = static_cast<int64_t>(at) % dims[i];
    at /= static_cast<size_t>(dims[i]);
  }
  return index;
}

TEST(Transpose, EveryPermutationAndWidth) {
  const Dims dims{2, 3, 4, 5};
  const auto x = iota<float>(120);
  Dims perm{0, 1, 2, 3};
  do {
    auto node = onnx("Transpose", 13).in<float>(dims, x).set("perm", perm);
    auto narrow = onnx("Transpose", 13).in<int8_t>(dims, iota<int8_t>(120)).set("perm", perm);
    auto wide = onnx("Transpose", 13).in<int64_t>(dims, iota<int64_t>(120)).set("perm", perm);
    const auto y = node.run<float>();
    const auto y8 = narrow.run<int8_t>();
    const auto y64 = wide.run<int64_t>();
    ASSERT_EQ(y.size(), 120u) << node.error();
    for (size_t i = 0; i < y.size(); ++i) {
      const Dims to = unflat(i, node.dims);
      Dims from(4);
      for (size_t k = 0; k < 4; ++k) from[static_cast<size_t>(perm[k])] = to[k];
      const size_t want = flat(dims, from);
      ASSERT_EQ(y[i], x[want]);
      ASSERT_EQ(y8[i], static_cast<int8_t>(want));
      ASSERT_EQ(y64[i], static_cast<int64_t>(want));
    }
  } while (std::next_permutation(perm.begin(), perm.end()));
  auto reversed = onnx("Transpose", 13).in<float>({2, 3}, iota<float>(6));
  EXPECT_EQ(reversed.run<float>(), (F{0, 3, 1, 4, 2, 5}));
  auto wrong = onnx("Transpose", 13).in<float>({2, 3}, iota<float>(6)).set("perm", Dims{0, 0});
  EXPECT_NE(check::refusal(wrong), "");
}

TEST(Transpose, SixAxes) {
  const Dims dims{2, 1, 3, 2, 1, 2}, perm{5, 3, 4, 0, 2, 1};
  auto node = onnx("Transpose", 13).in<float>(dims, iota<float>(24)).set("perm", perm);
  const auto y = node.run<float>();
  ASSERT_EQ(y.size(), 24u);
  for (size_t i = 0; i < y.size(); ++i) {
    const Dims to = unflat(i, node.dims);
    Dims from(6);
    for (size_t k = 0; k < 6; ++k) from[static_cast<size_t>(perm[k])] = to[k];
    ASSERT_EQ(y[i], static_cast<float>(flat(dims, from)));
  }
}

Dims shape_of(NodeCase node) {
  node.run<float>();
  return node.dims;
}

TEST(Reshape, Forms) {
  const auto x = iota<float>(24);
  const auto reshape = [&](Dims shape, int64_t allowzero = 0) {
    return onnx("Reshape", 14)
        .in<float>({2, 3, 4}, x)
        .constant<int64_t>({static_cast<int64_t>(shape.size())}, shape)
        .set("allowzero", allowzero);
  };
  EXPECT_EQ(shape_of(reshape({4, -1})), (Dims{4, 6}));
  EXPECT_EQ(shape_of(reshape({0, -1})), (Dims{2, 12}));
  EXPECT_EQ(shape_of(reshape({0, 0, 4})), (Dims{2, 3, 4}));
  for (const Dims& bad : {Dims{5, -1}, Dims{-1, -1}, Dims{24, 2}, Dims{-2, 12}, Dims{1, 1, 1, 0}}) {
    auto node = reshape(bad);
    EXPECT_NE(check::refusal(node), "") << dims_text(bad);
  }
  auto zero = onnx("Reshape", 14)
                  .in<float>({0, 3}, {})
                  .constant<int64_t>({2}, {3, 0})
                  .set("allowzero", int64_t{1});
  EXPECT_EQ(shape_of(zero), (Dims{3, 0}));
  auto old = onnx("Reshape", 1).in<float>({2, 3}, iota<float>(6)).set("shape", Dims{6});
  EXPECT_EQ(shape_of(old), (Dims{6}));
  auto lite = tflite("RESHAPE").in<float>({2, 3}, iota<float>(6)).set("new_shape", Dims{-1, 2});
  EXPECT_EQ(shape_of(lite), (Dims{3, 2}));
}

TEST(Reshape, FlattenSqueezeUnsqueeze) {
  const auto x = iota<float>(6);
  EXPECT_EQ(shape_of(onnx("Flatten", 13).in<float>({1, 2, 3}, x)), (Dims{1, 6}));
  EXPECT_EQ(shape_of(onnx("Flatten", 13).in<float>({1, 2, 3}, x).set("axis", int64_t{-1})),
            (Dims{2, 3}));
  EXPECT_EQ(shape_of(onnx("Flatten", 13).in<float>({1, 2, 3}, x).set("axis", int64_t{0})),
            (Dims{1, 6}));
  EXPECT_EQ(shape_of(onnx("Squeeze", 11).in<float>({1, 6, 1}, x).set("axes", Dims{0})),
            (Dims{6, 1}));
  EXPECT_EQ(shape_of(onnx("Squeeze", 13).in<float>({1, 6, 1}, x)), (Dims{6}));
  EXPECT_EQ(shape_of(onnx("Unsqueeze", 13).in<float>({6}, x).constant<int64_t>({2}, {-1, 0})),
            (Dims{1, 6, 1}));
  EXPECT_EQ(shape_of(tflite("EXPAND_DIMS").in<float>({6}, x).constant<int32_t>({}, {0})),
            (Dims{1, 6}));
  auto not_one = onnx("Squeeze", 11).in<float>({2, 3}, x).set("axes", Dims{0});
  EXPECT_NE(check::refusal(not_one), "");
}

TEST(Slice, OnnxEdges) {
  const auto x = iota<float>(20);
  const auto slice = [&](Dims starts, Dims ends, Dims axes, Dims steps) {
    const auto n = static_cast<int64_t>(starts.size());
    return onnx("Slice", 13)
        .in<float>({4, 5}, x)
        .constant<int64_t>({n}, starts)
        .constant<int64_t>({n}, ends)
        .constant<int64_t>({n}, axes)
        .constant<int64_t>({n}, steps)
        .run<float>();
  };
  const int64_t big = INT64_MAX, small = INT64_MIN;
  EXPECT_EQ(slice({3, 1}, {0, big}, {0, 1}, {-2, 2}), (F{16, 18, 6, 8}));
  EXPECT_EQ(slice({-1}, {small}, {0}, {-3}), (F{15, 16, 17, 18, 19, 0, 1, 2, 3, 4}));
  EXPECT_EQ(slice({1, 2}, {-1, -1}, {0, -1}, {1, 1}), (F{7, 8, 12, 13}));
  EXPECT_EQ(slice({3}, {1}, {0}, {1}), F{});
  EXPECT_EQ(slice({-100}, {1}, {0}, {1}), (F{0, 1, 2, 3, 4}));
  EXPECT_EQ(slice({0}, {big}, {1}, {big}), (F{0, 5, 10, 15}));
  EXPECT_EQ(slice({4}, {0}, {1}, {small}), (F{4, 9, 14, 19}));
  auto old = onnx("Slice", 9).in<float>({4, 5}, x).set("starts", Dims{2}).set("ends", Dims{3});
  EXPECT_EQ(old.run<float>(), (F{10, 11, 12, 13, 14}));
  auto zero = onnx("Slice", 13)
                  .in<float>({4, 5}, x)
                  .constant<int64_t>({1}, {0})
                  .constant<int64_t>({1}, {1})
                  .constant<int64_t>({1}, {0})
                  .constant<int64_t>({1}, {0});
  EXPECT_NE(check::refusal(zero), "");
}

TEST(Slice, TfliteForms) {
  const auto x = iota<float>(24);
  const auto strided = [&](std::vector<int32_t> begin, std::vector<int32_t> end,
                           std::vector<int32_t> steps) {
    const auto n = static_cast<int64_t>(begin.size());
    return tflite("STRIDED_SLICE")
        .in<float>({2, 3, 4}, x)
        .constant<int32_t>({n}, begin)
        .constant<int32_t>({n}, end)
        .constant<int32_t>({n}, steps);
  };
  auto plain = strided({0, 1, 0}, {2, 3, 4}, {1, 1, 2});
  EXPECT_EQ(plain.run<float>(), (F{4, 6, 8, 10, 16, 18, 20, 22}));
  auto masks = strided({1, 1, 1}, {0, 0, 0}, {1, 1, -1})
                   .set("shrink_axis_mask", int64_t{1})
                   .set("begin_mask", int64_t{4})
                   .set("end_mask", int64_t{6});
  EXPECT_EQ(masks.run<float>(), (F{19, 18, 17, 16, 23, 22, 21, 20}));
  EXPECT_EQ(masks.dims, (Dims{2, 4}));
  auto ellipsis = strided({0, 0, 3}, {0, 0, 4}, {1, 1, 1})
                      .set("ellipsis_mask", int64_t{1})
                      .set("new_axis_mask", int64_t{2});
  EXPECT_EQ(ellipsis.run<float>(), (F{3, 7, 11, 15, 19, 23}));
  EXPECT_EQ(ellipsis.dims, (Dims{2, 3, 1, 1}));
  auto slice = tflite("SLICE")
                   .in<float>({2, 3, 4}, x)
                   .constant<int32_t>({3}, {1, 0, 2})
                   .constant<int32_t>({3}, {1, -1, 1});
  EXPECT_EQ(slice.run<float>(), (F{14, 18, 22}));
  auto outside = tflite("SLICE")
                     .in<float>({2, 3, 4}, x)
                     .constant<int32_t>({3}, {1, 0, 2})
                     .constant<int32_t>({3}, {2, 3, 1});
  EXPECT_NE(check::refusal(outside), "");
}

TEST(Split, Forms) {
  const auto x = iota<float>(10);
  auto uneven = onnx("Split", 18).in<float>({2, 5}, x).set("axis", int64_t{1}).outputs(3).set(
      "num_outputs", int64_t{3});
  EXPECT_EQ(uneven.run<float>(0), (F{0, 1, 5, 6}));
  EXPECT_EQ(uneven.run<float>(2), (F{4, 9}));
  auto sizes = onnx("Split", 13)
                   .in<float>({2, 5}, x)
                   .constant<int64_t>({2}, {1, 4})
                   .set("axis", int64_t{-1})
                   .outputs(2);
  EXPECT_EQ(sizes.run<float>(0), (F{0, 5}));
  auto lite =
      tflite("SPLIT").constant<int32_t>({}, {1}).in<float>({2, 4}, iota<float>(8)).outputs(2);
  EXPECT_EQ(lite.run<float>(1), (F{2, 3, 6, 7}));
  auto ragged = tflite("SPLIT_V")
                    .in<float>({5}, iota<float>(5))
                    .constant<int32_t>({2}, {2, -1})
                    .constant<int32_t>({}, {0})
                    .outputs(2);
  EXPECT_EQ(ragged.run<float>(1), (F{2, 3, 4}));
  auto unpack =
      tflite("UNPACK").in<float>({2, 3}, iota<float>(6)).set("axis", int64_t{1}).outputs(3);
  EXPECT_EQ(unpack.run<float>(2), (F{2, 5}));
  EXPECT_EQ(unpack.dims, (Dims{2}));
  auto wrong = onnx("Split", 13).in<float>({2, 5}, x).constant<int64_t>({2}, {1, 3}).outputs(2);
  EXPECT_NE(check::refusal(wrong), "");
}

TEST(Concat, AxesTypesAndWideLists) {
  auto rows = onnx("Concat", 13)
                  .in<float>({1, 2}, {1, 2})
                  .in<float>({2, 2}, {3, 4, 5, 6})
                  .set("axis", int64_t{0});
  EXPECT_EQ(rows.run<float>(), (F{1, 2, 3, 4, 5, 6}));
  auto columns = onnx("Concat", 13)
                     .in<int8_t>({2, 1}, {1, 2})
                     .in<int8_t>({2, 0}, {})
                     .in<int8_t>({2, 2}, {3, 4, 5, 6})
                     .set("axis", int64_t{-1});
  EXPECT_EQ(columns.run<int8_t>(), (std::vector<int8_t>{1, 3, 4, 2, 5, 6}));
  auto wide = onnx("Concat", 13).set("axis", int64_t{0});
  F want;
  for (int i = 0; i < 100; ++i) {
    wide.in<float>({1}, {static_cast<float>(i)});
    want.push_back(static_cast<float>(i));
  }
  EXPECT_EQ(wide.run<float>(), want);
  auto scales = tflite("CONCATENATION")
                    .in<int8_t>({1}, {10}, quant_of(0.1f, 0))
                    .in<int8_t>({1}, {10}, quant_of(0.2f, 0))
                    .declare(NK_INT8, {2}, quant_of(0.1f, 0))
                    .set("axis", int64_t{0});
  EXPECT_EQ(scales.run<int8_t>(), (std::vector<int8_t>{10, 20}));
  auto pack = tflite("PACK").in<float>({2}, {1, 2}).in<float>({2}, {3, 4}).set("axis", int64_t{1});
  EXPECT_EQ(pack.run<float>(), (F{1, 3, 2, 4}));
  auto wrong = onnx("Concat", 13).in<float>({2}, {1, 2}).in<float>({1, 2}, {1, 2}).set(
      "axis", int64_t{0});
  EXPECT_NE(check::refusal(wrong), "");
}

TEST(Rearrange, ExpandTileReverseSpace) {
  auto expand = onnx("Expand", 13).in<float>({3, 1}, {1, 2, 3}).constant<int64_t>({3}, {2, 1, 2});
  EXPECT_EQ(expand.run<float>(), (F{1, 1, 2, 2, 3, 3, 1, 1, 2, 2, 3, 3}));
  auto tile = onnx("Tile", 13).in<float>({2, 2}, {1, 2, 3, 4}).constant<int64_t>({2}, {2, 3});
  EXPECT_EQ(tile.run<float>(), (F{1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4,
                                  1, 2, 1, 2, 1, 2, 3, 4, 3, 4, 3, 4}));
  auto none = onnx("Tile", 13).in<float>({2}, {1, 2}).constant<int64_t>({1}, {0});
  EXPECT_TRUE(none.run<float>().empty());
  EXPECT_EQ(none.dims, (Dims{0}));
  auto reverse = tflite("REVERSE_V2").in<float>({2, 3}, iota<float>(6)).constant<int32_t>({1}, {1});
  EXPECT_EQ(reverse.run<float>(), (F{2, 1, 0, 5, 4, 3}));
  // ONNX specification's DepthToSpace: channels [0..7] of one pixel pair, block 2.
  const auto x = iota<float>(8);
  auto dcr = onnx("DepthToSpace", 13).in<float>({1, 8, 1, 1}, x).set("blocksize", int64_t{2});
  EXPECT_EQ(dcr.run<float>(), (F{0, 2, 4, 6, 1, 3, 5, 7}));
  auto crd = onnx("DepthToSpace", 13)
                 .in<float>({1, 8, 1, 1}, x)
                 .set("blocksize", int64_t{2})
                 .set("mode", std::string("CRD"));
  EXPECT_EQ(crd.run<float>(), x);
  auto depth = tflite("SPACE_TO_DEPTH").in<float>({1, 2, 2, 2}, x).set("block_size", int64_t{2});
  EXPECT_EQ(depth.run<float>(), x);
  auto back = tflite("DEPTH_TO_SPACE").in<float>({1, 1, 2, 4}, x).set("block_size", int64_t{2});
  EXPECT_EQ(back.run<float>(), (F{0, 1, 4, 5, 2, 3, 6, 7}));
}

TEST(Rearrange, SpaceAndBatch) {
  auto batch = tflite("SPACE_TO_BATCH_ND")
                   .in<float>({1, 2, 3, 1}, iota<float>(6))
                   .constant<int32_t>({2}, {2, 2})
                   .constant<int32_t>({2, 2}, {0, 0, 1, 0});
  EXPECT_EQ(batch.run<float>(), (F{0, 1, 0, 2, 0, 4, 3, 5}));
  EXPECT_EQ(batch.dims, (Dims{4, 1, 2, 1}));
  auto space = tflite("BATCH_TO_SPACE_ND")
                   .in<float>({4, 1, 2, 1}, {0, 1, 0, 2, 0, 4, 3, 5})
                   .constant<int32_t>({2}, {2, 2})
                   .constant<int32_t>({2, 2}, {0, 0, 1, 0});
  EXPECT_EQ(space.run<float>(), iota<float>(6));
}

}  // namespace
}  // namespace netkit
