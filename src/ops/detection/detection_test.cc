// SPDX-License-Identifier: MIT
// detection_postprocess: the vectors of TensorFlow Lite Micro's detection_postprocess_test.cc, an
// oracle that sorts, and inputs of 8 bits beside their real values.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "ops/common/flex/flex_check.h"
#include "ops/common/testing/kernel_check.h"
#include "ops/common/testing/node_check.h"

namespace netkit {
namespace {

using check::custom_options;
using check::NodeCase;
using check::quant_of;

struct Options {
  int64_t detections = 3, classes = 1, per_class = 1, num_classes = 2;
  bool regular = false;
  float score = 0.0f, iou = 0.5f;

  check::FlexMap map() const {
    return {{"max_detections", detections},
            {"max_classes_per_detection", classes},
            {"detections_per_class", per_class},
            {"use_regular_nms", regular},
            {"nms_score_threshold", double{score}},
            {"nms_iou_threshold", double{iou}},
            {"num_classes", num_classes},
            {"y_scale", 10.0},
            {"x_scale", 10.0},
            {"h_scale", 5.0},
            {"w_scale", 5.0}};
  }
};

using Reals = std::vector<float>;

NodeCase detector(const Options& options, int64_t coords, int64_t classes, const Reals& boxes,
                  const Reals& scores, const Reals& anchors) {
  const auto n = static_cast<int64_t>(anchors.size() / 4);
  NodeCase node = check::tflite("CUSTOM:TFLite_Detection_PostProcess");
  node.in<float>({1, n, coords}, boxes).in<float>({1, n, classes}, scores);
  node.in<float>({n, 4}, anchors).outputs(4).set("custom_options", custom_options(options.map()));
  return node;
}

struct Found {
  Reals boxes, classes, scores, count;
};

Found found(NodeCase& node) {
  return {node.run<float>(0), node.run<float>(1), node.run<float>(2), node.run<float>(3)};
}

const Reals kBoxes = {0, 0, 0, 0, 0, 1, 0, 0, 0, -1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0};
const Reals kAnchors = {.5f, .5f,   1, 1, .5f, .5f,   1, 1, .5f, .5f,    1, 1,
                        .5f, 10.5f, 1, 1, .5f, 10.5f, 1, 1, .5f, 100.5f, 1, 1};
const Reals kScores = {.9f, .8f, .75f, .72f, .6f, .5f, .93f, .95f, .5f, .4f, .3f, .2f};

// A class of background before the others.
Reals with_background(const Reals& scores) {
  Reals out;
  for (size_t i = 0; i < scores.size(); i += 2)
    out.insert(out.end(), {0, scores[i], scores[i + 1]});
  return out;
}

TEST(Detection, PublishedFastVectors) {
  for (const bool background : {true, false}) {
    for (const bool keypoints : {true, false}) {
      Reals boxes;
      for (size_t i = 0; i < kBoxes.size(); i += 4) {
        boxes.insert(boxes.end(), kBoxes.begin() + static_cast<std::ptrdiff_t>(i),
                     kBoxes.begin() + static_cast<std::ptrdiff_t>(i) + 4);
        if (keypoints) boxes.push_back(1);
      }
      NodeCase node = detector({}, keypoints ? 5 : 4, background ? 3 : 2, boxes,
                               background ? with_background(kScores) : kScores, kAnchors);
      const Found y = found(node);
      EXPECT_EQ(y.boxes, (Reals{0, 10, 1, 11, 0, 0, 1, 1, 0, 100, 1, 101})) << node.error();
      EXPECT_EQ(y.classes, (Reals{1, 0, 0}));
      EXPECT_EQ(y.scores, (Reals{.95f, .9f, .3f}));
      EXPECT_EQ(y.count, Reals{3});
    }
  }
}

TEST(Detection, PublishedRegularVectors) {
  Options options;
  options.regular = true;
  for (const bool background : {true, false}) {
    NodeCase node = detector(options, 4, background ? 3 : 2, kBoxes,
                             background ? with_background(kScores) : kScores, kAnchors);
    const Found y = found(node);
    EXPECT_EQ(y.boxes, (Reals{0, 10, 1, 11, 0, 10, 1, 11, 0, 0, 0, 0})) << node.error();
    EXPECT_EQ(y.classes, (Reals{1, 0, 0}));
    EXPECT_EQ(y.scores, (Reals{.95f, .93f, 0}));
    EXPECT_EQ(y.count, Reals{2});
  }
}

// Equal scores keep the order of boxes and classes.
TEST(Detection, PublishedTies) {
  const Reals scores = {.015625f, .007812f, .003906f, .015625f, .015625f, .007812f,
                        .019531f, .019531f, .007812f, .003906f, .003906f, .003906f};
  NodeCase node = detector({}, 4, 2, kBoxes, scores, kAnchors);
  const Found y = found(node);
  EXPECT_EQ(y.classes, (Reals{0, 0, 0})) << node.error();
  EXPECT_EQ(y.scores, (Reals{.019531f, .015625f, .003906f}));
  EXPECT_EQ(y.count, Reals{3});
}

TEST(Detection, SeveralClassesOfABox) {
  Options options;
  options.classes = 2;
  options.detections = 2;
  NodeCase node = detector(options, 4, 2, kBoxes, kScores, kAnchors);
  const Found y = found(node);
  EXPECT_EQ(y.classes, (Reals{1, 0, 0, 1})) << node.error();
  EXPECT_EQ(y.scores, (Reals{.95f, .93f, .9f, .8f}));
  EXPECT_EQ(y.count, Reals{2});
  options.classes = 3;  // one more than there are
  NodeCase wide = detector(options, 4, 2, kBoxes, kScores, kAnchors);
  EXPECT_EQ(found(wide).scores, (Reals{.95f, .93f, 0, .9f, .8f, 0}));
}

using Box = std::array<float, 4>;

Box box_at(const Reals& boxes, const Reals& anchors, size_t i) {
  const float* b = &boxes[4 * i];
  const float* a = &anchors[4 * i];
  const auto y = static_cast<float>(double{b[0]} / 10 * a[2] + a[0]);
  const auto x = static_cast<float>(double{b[1]} / 10 * a[3] + a[1]);
  const auto h = static_cast<float>(0.5 * std::exp(double{b[2]} / 5) * a[2]);
  const auto w = static_cast<float>(0.5 * std::exp(double{b[3]} / 5) * a[3]);
  return {y - h, x - w, y + h, x + w};
}

float iou(const Box& a, const Box& b) {
  const float area = (a[2] - a[0]) * (a[3] - a[1]), other = (b[2] - b[0]) * (b[3] - b[1]);
  const float both = std::max(std::min(a[2], b[2]) - std::max(a[0], b[0]), 0.0f) *
                     std::max(std::min(a[3], b[3]) - std::max(a[1], b[1]), 0.0f);
  return both / (area + other - both);
}

struct Ranked {
  size_t box;
  float score;
  float class_index;
};

// Sorted, then each box against those kept before it.
std::vector<Ranked> suppressed(std::vector<Ranked> all, const std::vector<Box>& boxes,
                               const Options& options, int64_t limit) {
  std::erase_if(all, [&](const Ranked& r) { return !(r.score >= options.score); });
  std::ranges::stable_sort(all, std::ranges::greater{}, &Ranked::score);
  std::vector<Ranked> kept;
  for (const Ranked& r : all) {
    const bool hidden = std::ranges::any_of(
        kept, [&](const Ranked& k) { return iou(boxes[k.box], boxes[r.box]) > options.iou; });
    if (!hidden && static_cast<int64_t>(kept.size()) < limit) kept.push_back(r);
  }
  return kept;
}

std::vector<Ranked> oracle(const Options& options, const std::vector<Box>& boxes,
                           const Reals& scores) {
  const auto classes = static_cast<size_t>(options.num_classes);
  std::vector<Ranked> best, all;
  for (size_t i = 0; i < boxes.size(); ++i) {
    const auto first = scores.begin() + static_cast<std::ptrdiff_t>(i * classes);
    const auto top = std::max_element(first, first + static_cast<std::ptrdiff_t>(classes));
    best.push_back({i, *top, static_cast<float>(top - first)});
  }
  if (!options.regular) return suppressed(best, boxes, options, options.detections);
  for (size_t c = 0; c < classes; ++c) {
    std::vector<Ranked> one;
    for (size_t i = 0; i < boxes.size(); ++i) {
      one.push_back({i, scores[i * classes + c], static_cast<float>(c)});
    }
    const auto kept = suppressed(one, boxes, options, options.per_class);
    all.insert(all.end(), kept.begin(), kept.end());
  }
  std::ranges::stable_sort(all, std::ranges::greater{}, &Ranked::score);
  all.resize(std::min(all.size(), static_cast<size_t>(options.detections)));
  return all;
}

TEST(Detection, EqualsAnOracleThatSorts) {
  check::Rng rng(11);
  for (int round = 0; round < 60; ++round) {
    Options options;
    options.detections = rng.in(1, 9);
    options.per_class = rng.in(1, 6);
    options.num_classes = rng.in(1, 5);
    options.regular = round % 2 != 0;
    options.score = rng.real(0, 0.5f);
    options.iou = rng.real(0.2f, 1.0f);
    const auto n = static_cast<size_t>(rng.in(1, 30));
    const Reals coded = rng.reals(4 * n, -4, 4), anchors = rng.reals(4 * n, 0.1f, 1);
    Reals scores(n * static_cast<size_t>(options.num_classes));
    for (float& s : scores) s = static_cast<float>(rng.in(0, 12)) / 12;
    NodeCase node = detector(options, 4, options.num_classes, coded, scores, anchors);
    const Found y = found(node);
    std::vector<Box> boxes;
    for (size_t i = 0; i < n; ++i) boxes.push_back(box_at(coded, anchors, i));
    const std::vector<Ranked> want = oracle(options, boxes, scores);
    ASSERT_EQ(y.count, Reals{static_cast<float>(want.size())}) << node.error() << round;
    for (size_t i = 0; i < static_cast<size_t>(options.detections); ++i) {
      const bool used = i < want.size();
      EXPECT_EQ(y.scores[i], used ? want[i].score : 0) << round;
      EXPECT_EQ(y.classes[i], used ? want[i].class_index : 0) << round;
      for (size_t k = 0; k < 4; ++k) {
        EXPECT_EQ(y.boxes[4 * i + k], used ? boxes[want[i].box][k] : 0) << round;
      }
    }
  }
}

// Integers mean what their scale and zero point say, whatever the mixture of types.
TEST(Detection, InputsOfEightBits) {
  check::Rng rng(12);
  const size_t n = 20;
  const auto b = rng.ints<uint8_t>(4 * n, 0, 255);
  const auto s = rng.ints<int8_t>(3 * n, -128, 127);
  const Reals anchors = rng.reals(4 * n, 0.1f, 1);
  Reals boxes, scores;
  for (const uint8_t q : b) boxes.push_back(static_cast<float>(q - 191) * 0.079f);
  for (const int8_t q : s) scores.push_back(static_cast<float>(q + 128) / 256.0f);
  Options options;
  options.detections = 10;
  options.num_classes = 3;
  NodeCase real = detector(options, 4, 3, boxes, scores, anchors);
  NodeCase node = check::tflite("CUSTOM:TFLite_Detection_PostProcess");
  node.in<uint8_t>({1, n, 4}, b, quant_of(0.079f, 191));
  node.in<int8_t>({1, n, 3}, s, quant_of(1 / 256.0f, -128)).in<float>({n, 4}, anchors);
  node.outputs(4).set("custom_options", custom_options(options.map()));
  const Found y = found(node), want = found(real);
  EXPECT_EQ(y.boxes, want.boxes) << node.error();
  EXPECT_EQ(y.classes, want.classes);
  EXPECT_EQ(y.scores, want.scores);
  EXPECT_EQ(y.count, want.count);
  EXPECT_GT(y.count[0], 3);
}

TEST(Detection, WhatDoesNotFitIsRefused) {
  const auto refused = [](const Options& options, int64_t coords, int64_t classes) {
    const Reals boxes(static_cast<size_t>(6 * coords)), scores(static_cast<size_t>(6 * classes));
    NodeCase node = detector(options, coords, classes, boxes, scores, kAnchors);
    return check::refusal(node);
  };
  EXPECT_EQ(refused({}, 4, 3), "");
  EXPECT_NE(refused({}, 3, 3), "");
  EXPECT_NE(refused({}, 4, 4), "");
  EXPECT_NE(refused({}, 4, 1), "");
  Options options;
  options.iou = 0;
  EXPECT_NE(refused(options, 4, 3), "");
  options = {};
  options.detections = 0;
  EXPECT_NE(refused(options, 4, 3), "");
  options.detections = int64_t{1} << 40;
  EXPECT_NE(refused(options, 4, 3), "");
  NodeCase bare = check::tflite("CUSTOM:TFLite_Detection_PostProcess");
  bare.in<float>({1, 6, 4}, kBoxes).in<float>({1, 6, 2}, kScores).in<float>({6, 4}, kAnchors);
  EXPECT_NE(check::refusal(bare).find("num_classes"), std::string::npos);
}

}  // namespace
}  // namespace netkit
