// SPDX-License-Identifier: MIT
// NkLoader: .nk files of versions 3 to 5 as networks, and what they hold. On a bare device version
// 5: ParseBuffer and the Load functions. C++17 and newer.
#ifndef NETKIT_NK_LOADER_HPP
#define NETKIT_NK_LOADER_HPP

#include <array>
#include <new>

#include "netkit/cnn.hpp"
#include "netkit/nk_format.hpp"

namespace netkit {

// One input of a model and the real values of its output.
struct TestCase {
  char name[64] = {};
  std::int32_t label = -1;                // the class that must be greatest; -1: none
  const void* input = nullptr;            // float32, or int8 of an int8 model
  std::uint32_t input_elements = 0;
  const float* expected = nullptr;
  std::uint32_t expected_elements = 0;
};
// The cases inside a file; owns what they point to.
struct TestSuite {
  std::uint32_t num_cases = 0;
  float tolerance = 0.0f;  // absolute, of real values
  bool int8_inputs = false;
  std::array<TestCase, NkFormat::kMaxCases> cases{};

  TestSuite() = default;
  ~TestSuite() { clear(); }
  TestSuite(const TestSuite&) = delete;
  TestSuite& operator=(const TestSuite&) = delete;
  void clear();

  unsigned char* block = nullptr;  // inputs and expected values
};

namespace NkLoader {

using netkit::TestCase;
using netkit::TestSuite;

// Mlp: dense layers only, also in version 5. Everything else is Cnn.
enum class NetworkKind { Unknown, Mlp, Cnn };

enum class LoadStatus {
  Ok,
  FileOpenFailed,
  ReadFailed,
  InvalidMagic,
  UnsupportedVersion,
  TruncatedFile,     // cut short, or it contradicts itself
  UnsupportedLayer,
  SizeMismatch,      // sizes that do not fit, weights at an address that they may not have
  ArenaOverflow
};

struct LoadResult {
  LoadStatus status = LoadStatus::Ok;
  NetworkKind kind = NetworkKind::Unknown;
  const char* message = "ok";  // nk_last_error() of this thread, valid until the next failure
};

struct ParsedTensor {
  DataType type = DataType::Float32;
  std::uint32_t rank = 0;
  std::array<std::uint32_t, kMaxTensorRank> shape{};
  std::uint32_t elements = 0;
};
struct ParsedQuant {
  float in_scale = 0, out_scale = 0;
  std::int32_t in_zero_point = 0, out_zero_point = 0;
  const float* weight_scales = nullptr;  // in scale_blob
  std::uint32_t num_weight_scales = 0;
};
// What a file says without being loaded. Layers, tensors and quants are those of versions 3 and 4;
// version 5 has steps instead, which num_layers counts.
struct ParsedModel {
  nk_arch_info_t arch{};
  bool quantized = false;
  std::uint32_t num_cases = 0;  // test cases inside
  std::array<NkFormat::LayerType, NkFormat::kMaxLayers> layers{};
  std::uint32_t num_tensors = 0;  // weights, and as many biases
  std::array<ParsedTensor, NkFormat::kMaxTensors> weights{}, biases{};
  std::uint32_t num_quants = 0;
  std::array<ParsedQuant, NkFormat::kMaxTensors> quants{};
  float* scale_blob = nullptr;  // FreeParsedModelExtras frees it
};

struct ArchInfo {
  std::uint32_t version = 0;
  NetworkKind kind = NetworkKind::Unknown;
  std::array<std::uint32_t, kMaxTensorRank> input_shape{};
  std::uint32_t input_rank = 0, num_layers = 0;
  std::uint32_t input_elements = 0, output_elements = 0;
  std::size_t weight_floats = 0;  // nk_arch_info_t::expected_weight_floats
};

// `out` is overwritten: FreeParsedModelExtras first where it holds a model already.
LoadResult ParseFile(const char* nk_path, ParsedModel& out);
LoadResult ParseBuffer(const std::uint8_t* data, std::size_t size, ParsedModel& out);
void FreeParsedModelExtras(ParsedModel& parsed);
// A version 3 or 4 file; one of version 5 has its cases run by NkRegression and gives none here.
LoadResult ReadTestSuite(const char* nk_path, TestSuite& out);
// Bytes of weights and biases.
inline std::size_t ModelPayloadBytes(const ParsedModel& model) {
  return model.arch.weights_bytes + model.arch.biases_bytes;
}
inline std::uint32_t InputElements(const ParsedModel& model) { return model.arch.input_elements; }
inline std::uint32_t OutputElements(const ParsedModel& model) {
  return model.arch.output_elements;
}
void FillArchInfo(const ParsedModel& model, ArchInfo& info);
// One line for the network and one for each layer, on stdout.
void PrintNetworkSummary(const char* nk_path, const ParsedModel& model);

// Into the arena, which owns the file's mapping or the constants of a converted file until it is
// reset; the bytes of a buffer stay the caller's and in place. input_shape: without a batch of 1 in
// front of an image. On failure network is nullptr and the arena as before. LoadMLP refuses what is
// no Mlp, LoadCNN takes both.
LoadResult LoadMLP(const char* nk_path, Arena& arena, MLPNetwork*& network,
                   std::array<std::uint32_t, kMaxTensorRank>& input_shape,
                   std::uint32_t& input_rank);
LoadResult LoadMLPFromBuffer(const std::uint8_t* data, std::size_t size, Arena& arena,
                             MLPNetwork*& network,
                             std::array<std::uint32_t, kMaxTensorRank>& input_shape,
                             std::uint32_t& input_rank);
LoadResult LoadCNN(const char* nk_path, Arena& arena, CNNNetwork*& network,
                   std::array<std::uint32_t, kMaxTensorRank>& input_shape,
                   std::uint32_t& input_rank);
LoadResult LoadCNNFromBuffer(const std::uint8_t* data, std::size_t size, Arena& arena,
                             CNNNetwork*& network,
                             std::array<std::uint32_t, kMaxTensorRank>& input_shape,
                             std::uint32_t& input_rank);
// The network of the file's kind; the other pointer is nullptr.
LoadResult Load(const char* nk_path, Arena& arena, NetworkKind& kind, MLPNetwork*& mlp,
                CNNNetwork*& cnn, std::array<std::uint32_t, kMaxTensorRank>& input_shape,
                std::uint32_t& input_rank);

}  // namespace NkLoader
}  // namespace netkit

#endif
