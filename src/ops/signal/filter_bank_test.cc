// SPDX-License-Identifier: MIT
// The operators on channels: vectors that TensorFlow Lite Micro publishes (published_check.h),
// oracles, the state over runs.
#include <gtest/gtest.h>

#include <cmath>

#include "ops/common/flex/flex_check.h"
#include "ops/common/testing/inplace_check.h"
#include "ops/signal/published_check.h"

namespace netkit {
namespace {

using check::custom_options;
using check::FlexMap;
using check::NodeCase;
using Words = std::vector<uint32_t>;
using Table = std::vector<int16_t>;

NodeCase channel_node(const char* name, const FlexMap& options) {
  NodeCase node = check::tflite(std::string("CUSTOM:Signal") + name);
  node.set("custom_options", custom_options(options));
  return node;
}
NodeCase& words(NodeCase& node, const Words& values) {
  return node.in<uint32_t>({static_cast<int64_t>(values.size())}, values, {}, NK_UINT32);
}
NodeCase& squares(NodeCase& node, const std::vector<uint64_t>& values) {
  return node.in<uint64_t>({static_cast<int64_t>(values.size())}, values, {}, NK_UINT64);
}
NodeCase& table(NodeCase& node, const Table& values) {
  return node.constant<int16_t>({static_cast<int64_t>(values.size())}, values);
}

// Words of every magnitude.
Words any_words(check::Rng& rng, size_t count) {
  Words out(count);
  for (uint32_t& v : out) v = static_cast<uint32_t>(rng.next() >> 32) >> rng.in(0, 31);
  return out;
}

NodeCase bank(const Table& first_energies, const Table& widths) {
  NodeCase node = channel_node("FilterBank", {{"num_channels", int64_t{16}}});
  words(node, published::kEnergies);
  table(table(node, published::kWeights), published::kUnweights);
  table(table(table(node, first_energies), published::kFirstWeights), widths);
  return node;
}

TEST(FilterBank, PublishedVectors) {
  NodeCase node = bank(published::kFirstEnergies, published::kWidths);
  EXPECT_EQ(node.run<uint64_t>(), published::kChannels) << node.error();
}

TEST(FilterBank, BandsThatLeaveTheirArraysAreRefused) {
  Table far = published::kFirstEnergies, wide = published::kWidths;
  far[4] = 129;
  wide[16] = 60;
  NodeCase outside = bank(far, published::kWidths),
           long_one = bank(published::kFirstEnergies, wide);
  EXPECT_NE(check::refusal(outside).find("band 4"), std::string::npos);
  EXPECT_NE(check::refusal(long_one).find("band 16"), std::string::npos);
  far[4] = -1;
  NodeCase before = bank(far, published::kWidths);
  EXPECT_NE(check::refusal(before), "");
  wide[16] = -1;
  NodeCase empty = bank(published::kFirstEnergies, wide);
  EXPECT_EQ(check::refusal(empty), "");
}

TEST(FilterBankSqrt, PublishedVectors) {
  NodeCase node = channel_node("FilterBankSquareRoot", {});
  squares(node, published::kSquares).in<int32_t>({}, {5});
  EXPECT_EQ(node.run<uint32_t>(), published::kRoots) << node.error();
}

TEST(FilterBankSqrt, NearestRootsAndShifts) {
  check::Rng rng(3);
  std::vector<uint64_t> x = {0, 1, 2, 3, 0xFFFFFFFFu, uint64_t{1} << 32, ~uint64_t{0}};
  for (int i = 0; i < 200; ++i) x.push_back(rng.next() >> rng.in(0, 63));
  for (const int32_t shift : {0, 3, 31, 32, -1}) {
    NodeCase node = channel_node("FilterBankSquareRoot", {});
    squares(node, x).in<int32_t>({}, {shift});
    const Words y = node.run<uint32_t>();
    ASSERT_EQ(y.size(), x.size()) << node.error();
    for (size_t i = 0; i < x.size(); ++i) {
      const long double limit = x[i] >> 32 == 0 ? 65535.0L : 4294967295.0L;
      const auto root = static_cast<uint32_t>(
          std::min(std::floor(std::sqrt(static_cast<long double>(x[i])) + 0.5L), limit));
      EXPECT_EQ(y[i], shift < 0 ? root : shift > 31 ? 0u : root >> shift) << x[i];
    }
  }
}

FlexMap subtraction(int64_t channels, bool clamping) {
  return {{"alternate_one_minus_smoothing", int64_t{15729}},
          {"alternate_smoothing", int64_t{655}},
          {"clamping", clamping},
          {"min_signal_remaining", int64_t{819}},
          {"num_channels", channels},
          {"one_minus_smoothing", int64_t{15729}},
          {"smoothing", int64_t{655}},
          {"smoothing_bits", int64_t{0}},
          {"spectral_subtraction_bits", int64_t{14}}};
}

// Runs with the state that `state` holds, which becomes the next one.
Words subtracted(const Words& x, bool clamping, Words& state) {
  NodeCase node = channel_node("FilterBankSpectralSubtraction",
                               subtraction(static_cast<int64_t>(x.size()), clamping));
  words(node, x).outputs(2);
  EXPECT_TRUE(node.lower().has_value());
  node.values().push_back(constant_of(state));
  const Words y = node.run<uint32_t>(0);
  EXPECT_EQ(node.error(), "");
  state = node.run<uint32_t>(1);
  return y;
}

TEST(SpectralSubtraction, PublishedVectors) {
  Words state(published::kSignal.size(), 0);
  EXPECT_EQ(subtracted(published::kSignal, false, state), published::kLeft);
  EXPECT_EQ(state, published::kNoise);
}

TEST(SpectralSubtraction, TheEstimateGoesOn) {
  for (const bool clamping : {false, true}) {
    check::Rng rng(4);
    Words state(9, 0);
    for (int run = 0; run < 6; ++run) {
      const Words x = any_words(rng, 9), before = state;
      const Words y = subtracted(x, clamping, state);
      for (size_t i = 0; i < x.size(); ++i) {
        auto noise =
            static_cast<uint32_t>((uint64_t{x[i]} * 655 + uint64_t{before[i]} * 15729) >> 14);
        const uint32_t least = static_cast<uint32_t>((uint64_t{x[i]} * 819) >> 14);
        EXPECT_EQ(y[i], std::max(x[i] - std::min(noise, x[i]), least));
        if (clamping) noise = std::min(noise, x[i]);
        EXPECT_EQ(state[i], noise);
      }
    }
  }
}

TEST(SpectralSubtraction, MissingOptionsAreNamed) {
  FlexMap options = subtraction(4, false);
  options.erase("smoothing_bits");
  NodeCase node = channel_node("FilterBankSpectralSubtraction", options);
  words(node, Words(4)).outputs(2);
  EXPECT_NE(check::refusal(node).find("smoothing_bits"), std::string::npos);
}

NodeCase pcan(const Words& x, const Words& noise, const Table& gains) {
  NodeCase node = channel_node("PCAN", {{"snr_shift", int64_t{6}}});
  table(words(words(node, x), noise), gains);
  return node;
}

TEST(Pcan, PublishedVectors) {
  NodeCase node = pcan(published::kPcanSignal, published::kPcanNoise, published::kGains);
  EXPECT_EQ(node.run<uint32_t>(), published::kCompressed) << node.error();
}

TEST(Pcan, EveryMagnitudeStaysInItsTable) {
  check::Rng rng(6);
  Words noise = any_words(rng, 64);
  for (uint32_t i = 0; i < 4; ++i) noise[i] = i;
  noise[4] = ~0u;
  Table gains(125, 0);
  for (size_t i = 2; i < gains.size(); i += 4) gains[i] = 64;  // slopes are 0: one gain for all
  gains[0] = gains[1] = 64;
  NodeCase node = pcan(Words(64, 1u << 14), noise, gains);
  EXPECT_EQ(node.run<uint32_t>(), Words(64, (1u << 8) - (1u << 6))) << node.error();
  gains.pop_back();
  NodeCase narrow = pcan(Words(64), noise, gains);
  EXPECT_NE(check::refusal(narrow).find("125"), std::string::npos);
}

NodeCase log_node(const Words& x, int64_t scale, int64_t bits) {
  NodeCase node =
      channel_node("FilterBankLog", {{"input_correction_bits", bits}, {"output_scale", scale}});
  words(node, x);
  return node;
}

TEST(FilterBankLog, PublishedVectors) {
  NodeCase node = log_node(published::kLogInput, 1600, 3);
  EXPECT_EQ(node.run<int16_t>(), published::kLogs) << node.error();
  NodeCase loud = log_node(published::kLoudInput, 32768, 5);
  EXPECT_EQ(loud.run<int16_t>(), published::kLoudLogs) << loud.error();
}

// Within a segment of the table nothing is added: 224 / 65536 of log2 at most.
TEST(FilterBankLog, NearTheLogarithm) {
  check::Rng rng(7);
  Words x = any_words(rng, 500);
  x[0] = 0;
  x[1] = 1;
  x[2] = ~0u;
  NodeCase node = log_node(x, 1000, 0);
  const Table y = node.run<int16_t>();
  ASSERT_EQ(y.size(), x.size()) << node.error();
  for (size_t i = 0; i < x.size(); ++i) {
    EXPECT_NEAR(y[i], x[i] < 2 ? 0 : 1000 * std::log(static_cast<double>(x[i])), 3) << x[i];
  }
}

TEST(FilterBank, OutputsOverInputs) {
  int overlaps = 0;
  check::Rng rng(8);
  NodeCase root = channel_node("FilterBankSquareRoot", {});
  squares(root, published::kSquares).in<int32_t>({}, {5});
  ASSERT_TRUE(root.lower().has_value());
  EXPECT_EQ(check::check_overlaps(root.graph(), root.values(), 8, overlaps), "");
  EXPECT_EQ(overlaps, 1);
  NodeCase gain = pcan(published::kPcanSignal, published::kPcanNoise, published::kGains);
  ASSERT_TRUE(gain.lower().has_value());
  EXPECT_EQ(check::check_overlaps(gain.graph(), gain.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 1);
  Words small = any_words(rng, 40);
  small[0] = 3;
  small[1] = 100;
  NodeCase log = log_node(small, 64, 3);
  ASSERT_TRUE(log.lower().has_value());
  EXPECT_EQ(check::check_overlaps(log.graph(), log.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 1);
}

}  // namespace
}  // namespace netkit
