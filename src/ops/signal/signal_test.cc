// SPDX-License-Identifier: MIT
// signal_window, signal_scale, signal_rfft and signal_energy: the vectors of TensorFlow Lite
// Micro's window_test.cc, energy_test.cc and fft_test.cc, hashes of what its operators gave for
// noise, and a transform in double.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "ops/common/flex/flex_check.h"
#include "ops/common/testing/inplace_check.h"

namespace netkit {
namespace {

using check::custom_options;
using check::FlexMap;
using check::NodeCase;
using Samples = std::vector<int16_t>;

NodeCase signal_node(const char* name, const FlexMap& options) {
  NodeCase node = check::tflite(std::string("CUSTOM:Signal") + name);
  node.set("custom_options", custom_options(options));
  return node;
}

uint32_t fnv1a(const Samples& values) {
  uint32_t hash = 2166136261u;
  for (const int16_t v : values) {
    const auto bits = static_cast<uint16_t>(v);
    for (const int shift : {0, 8}) hash = (hash ^ ((bits >> shift) & 255u)) * 16777619u;
  }
  return hash;
}

// The upper halves of a linear congruential generator.
Samples noise_of(size_t count, uint32_t state) {
  Samples out;
  for (size_t i = 0; i < count; ++i) {
    state = state * 1664525u + 1013904223u;
    out.push_back(static_cast<int16_t>(state >> 16));
  }
  return out;
}

const Samples kUp = {0x000, 0x100, 0x200, 0x300, 0x400, 0x500, 0x600, 0x700,
                     0x800, 0x900, 0xA00, 0xB00, 0xC00, 0xD00, 0xE00, 0xF00};
const Samples kHill = {0, 224, 416, 576, 704, 800, 864, 896, 896, 864, 800, 704, 576, 416, 224, 0};

TEST(SignalWindow, PublishedVectors) {
  const Samples down(kUp.rbegin(), kUp.rend());
  Samples up, hill;
  for (int i = 0; i < 4; ++i) {
    up.insert(up.end(), kUp.begin(), kUp.end());
    hill.insert(hill.end(), kHill.begin(), kHill.end());
  }
  NodeCase node = signal_node("Window", {{"shift", int64_t{12}}});
  node.in<int16_t>({2, 2, 16}, up).constant<int16_t>({16}, down);
  EXPECT_EQ(node.run<int16_t>(), hill) << node.error();
  EXPECT_EQ(node.dims, (Dims{2, 2, 16}));
  NodeCase loud = signal_node("Window", {{"shift", int64_t{8}}});
  loud.in<int16_t>({8}, {1221, 1920, 9531, 2795, 1826, 371, 8446, 850});
  loud.constant<int16_t>({8}, {1323, 764, 9100, 4220, 1745, 9311, 178, 9442});
  EXPECT_EQ(loud.run<int16_t>(), (Samples{6310, 5730, 32767, 32767, 12446, 13493, 5872, 31350}));
}

TEST(SignalWindow, SaturatesAndRoundsDown) {
  NodeCase node = signal_node("Window", {{"shift", int64_t{2}}});
  node.in<int16_t>({4}, {-32768, -32768, -1, 1}).constant<int16_t>({4}, {-32768, 32767, 1, 1});
  EXPECT_EQ(node.run<int16_t>(), (Samples{32767, -32768, -1, 0})) << node.error();
}

TEST(SignalScale, PublishedVectors) {
  NodeCase node = signal_node("FftAutoScale", {});
  node.in<int16_t>({8}, {238, 113, -88, -243, -5, -130, 159, -70}).outputs(2);
  EXPECT_EQ(node.run<int16_t>(),
            (Samples{30464, 14464, -11264, -31104, -640, -16640, 20352, -8960}))
      << node.error();
  EXPECT_EQ(node.run<int32_t>(1), std::vector<int32_t>{7});
  EXPECT_EQ(node.dims, Dims{});
}

// What TensorFlow Lite Micro gives for silence and for the magnitude that int16 does not hold.
TEST(SignalScale, SilenceAndTheMostNegative) {
  const std::pair<Samples, int32_t> cases[] = {
      {{0, 0, 0}, 0}, {{-32768, 0, 0}, 0}, {{-32768, -5, 100}, 8}, {{-32768, -5, -3}, 0}};
  for (const auto& [x, shift] : cases) {
    NodeCase node = signal_node("FftAutoScale", {});
    node.in<int16_t>({3}, x).outputs(2);
    const Samples y = node.run<int16_t>();
    ASSERT_EQ(y.size(), 3u) << node.error();
    const int32_t got = node.run<int32_t>(1)[0];
    EXPECT_EQ(got, shift);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(y[i], static_cast<int16_t>(static_cast<uint32_t>(x[i]) << got)) << i;
    }
  }
}

TEST(SignalRfft, PublishedImpulse) {
  Samples x(64, 0), want(66, 0);
  x[0] = 16384;
  for (size_t i = 0; i < want.size(); i += 2) want[i] = 256;
  NodeCase node = signal_node("Rfft", {{"T", int64_t{7}}, {"fft_length", int64_t{64}}});
  node.in<int16_t>({64}, x);
  EXPECT_EQ(node.run<int16_t>(), want) << node.error();
}

// Loud noise, the longer ones with zeros behind it; hashes of what the operator of TensorFlow Lite
// Micro (tflite-micro 0.dev20261023182759) gave, and a transform in double.
struct NoiseCase {
  int64_t length, size;
  uint32_t hash;
};
constexpr NoiseCase kNoise[] = {
    {4, 4, 0xfd5ba3bfu},       {8, 8, 0x551789c1u},     {16, 16, 0x59b8c23fu},
    {32, 32, 0xbbbbdd62u},     {64, 61, 0xda73aa46u},   {128, 125, 0x484c6a6bu},
    {256, 253, 0x971104a2u},   {512, 509, 0x7166d371u}, {1024, 1021, 0xb1895607u},
    {2048, 2045, 0x231c1c5bu},
};

TEST(SignalRfft, NoiseOfEveryLength) {
  for (const NoiseCase& c : kNoise) {
    const Samples x = noise_of(static_cast<size_t>(c.size), static_cast<uint32_t>(c.length));
    NodeCase node = signal_node("Rfft", {{"fft_length", c.length}});
    node.in<int16_t>({c.size}, x);
    const Samples y = node.run<int16_t>();
    ASSERT_EQ(y.size(), static_cast<size_t>(c.length) + 2) << node.error();
    EXPECT_EQ(fnv1a(y), c.hash) << c.length;
    if (c.length > 256) continue;
    for (size_t k = 0; k <= static_cast<size_t>(c.length) / 2; ++k) {
      double re = 0, im = 0;
      for (size_t i = 0; i < x.size(); ++i) {
        const double turn =
            2 * std::numbers::pi * static_cast<double>(k * i) / static_cast<double>(c.length);
        re += x[i] * std::cos(turn) / static_cast<double>(c.length);
        im -= x[i] * std::sin(turn) / static_cast<double>(c.length);
      }
      EXPECT_NEAR(y[2 * k], re, 6) << c.length << " " << k;
      EXPECT_NEAR(y[2 * k + 1], im, 6) << c.length << " " << k;
    }
  }
}

TEST(SignalRfft, RowsAndRefusals) {
  Samples x(4 * 16, 0), want(4 * 18, 0);
  for (size_t row = 0; row < 4; ++row) x[row * 16] = 16384;
  for (size_t i = 0; i < want.size(); i += 2) want[i] = 1024;
  NodeCase node = signal_node("Rfft", {{"fft_length", int64_t{16}}});
  node.in<int16_t>({2, 2, 16}, x);
  EXPECT_EQ(node.run<int16_t>(), want) << node.error();
  EXPECT_EQ(node.dims, (Dims{2, 2, 18}));
  for (const int64_t length : {0, 2, 8, 12, 17, 65536}) {
    NodeCase other = signal_node("Rfft", {{"fft_length", length}});
    other.in<int16_t>({16}, kUp);
    EXPECT_NE(check::refusal(other), "") << length;
  }
  NodeCase real = signal_node("Rfft", {{"fft_length", int64_t{16}}});
  real.in<float>({16}, std::vector<float>(16));
  EXPECT_NE(check::refusal(real).find("int16"), std::string::npos);
}

TEST(SignalEnergy, PublishedVectors) {
  const Samples x = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16};
  const uint32_t all[] = {5, 25, 61, 113, 181, 265, 365, 481};
  for (const auto& [start, end] : {std::pair<int64_t, int64_t>{2, 4}, {0, 4}, {4, 8}}) {
    NodeCase node = signal_node("Energy", {{"start_index", start}, {"end_index", end}});
    node.in<int16_t>({16}, x);
    const auto y = node.run<uint32_t>();
    ASSERT_EQ(y.size(), 8u) << node.error();
    for (int64_t i = 0; i < 8; ++i) {
      const auto at = static_cast<size_t>(i);
      EXPECT_EQ(y[at], i >= start && i < end ? all[at] : 0u) << i;
    }
  }
  NodeCase most = signal_node("Energy", {{"start_index", int64_t{0}}, {"end_index", int64_t{1}}});
  most.in<int16_t>({2}, {-32768, -32768});
  EXPECT_EQ(most.run<uint32_t>(), std::vector<uint32_t>{0x80000000u});
  NodeCase far = signal_node("Energy", {{"start_index", int64_t{0}}, {"end_index", int64_t{9}}});
  far.in<int16_t>({16}, x);
  EXPECT_NE(check::refusal(far), "");
}

TEST(Signal, OutputsOverInputs) {
  int overlaps = 0;
  NodeCase window = signal_node("Window", {{"shift", int64_t{12}}});
  window.in<int16_t>({64}, noise_of(64, 3)).constant<int16_t>({64}, noise_of(64, 4));
  ASSERT_TRUE(window.lower().has_value());
  EXPECT_EQ(check::check_overlaps(window.graph(), window.values(), 2, overlaps), "");
  EXPECT_EQ(overlaps, 1);
  NodeCase energy =
      signal_node("Energy", {{"start_index", int64_t{2}}, {"end_index", int64_t{30}}});
  energy.in<int16_t>({64}, noise_of(64, 5));
  ASSERT_TRUE(energy.lower().has_value());
  EXPECT_EQ(check::check_overlaps(energy.graph(), energy.values(), 4, overlaps), "");
  EXPECT_EQ(overlaps, 1);
}

TEST(Signal, WindowsThatDoNotFitAreRefused) {
  NodeCase node = signal_node("Window", {{"shift", int64_t{12}}});
  node.in<int16_t>({16}, kUp).constant<int16_t>({8}, Samples(8));
  EXPECT_NE(check::refusal(node), "");
  NodeCase bare = signal_node("Window", {});
  bare.in<int16_t>({16}, kUp).constant<int16_t>({16}, kUp);
  EXPECT_NE(check::refusal(bare).find("shift"), std::string::npos);
}

}  // namespace
}  // namespace netkit
