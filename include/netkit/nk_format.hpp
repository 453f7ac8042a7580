// SPDX-License-Identifier: MIT
// NkFormat: words of .nk files that tools ask for. docs/nk-format.md has version 5 byte by byte,
// docs/nk-legacy.md versions 3 and 4. C++17 and newer.
#ifndef NETKIT_NK_FORMAT_HPP
#define NETKIT_NK_FORMAT_HPP

#include <cstdint>

namespace netkit::NkFormat {

inline constexpr char kMagic[4] = {'N', 'K', 'I', 'T'};
inline constexpr std::uint32_t kVersionFloat = 3;  // layers of float32
inline constexpr std::uint32_t kVersionInt8 = 4;   // layers of int8
inline constexpr std::uint32_t kVersion = 5;       // planned steps, what netkit writes

// Versions 3 and 4.
inline constexpr std::uint32_t kMaxLayers = 100;
inline constexpr std::uint32_t kMaxTensors = 128;  // of weights, and as many biases
inline constexpr std::uint32_t kMaxCases = 16;
inline constexpr std::uint16_t kFlagHasTests = 1;
inline constexpr std::uint16_t kFlagHasQuant = 2;
inline constexpr std::uint16_t kFlagInt8Inputs = 4;

enum class LayerType : std::uint8_t {
  Dense = 1,
  Conv2D,
  MaxPool2D,
  Flatten,
  AvgPool2D,
  BatchNorm2d,
  DepthwiseConv2D,
  ConvNeXtV2Block,
  MobilenetV4Uib,
  ResNetBasicBlock,
  LayerNorm2d,
  YoloxDecoupledHead,
  FeatureTap,
  YoloxPafpnMultiscale
};

}  // namespace netkit::NkFormat

#endif
