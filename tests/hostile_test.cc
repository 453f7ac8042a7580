// SPDX-License-Identifier: MIT
// Damaged files through the whole line: each ends in a clear error or in a valid run. Under
// AddressSanitizer this also shows that nothing outside a file or an arena is touched; cmake sets
// the largest single allocation to 64 MiB there.
#include <gtest/gtest.h>

#include <fstream>

#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "test_support.h"

namespace netkit::test {
namespace {

constexpr int kCuts = 200;
constexpr int kMutations = 2000;

void write_bytes(const std::string& path, const Bytes& bytes) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

// One byte of a file in place: thousands of whole files would keep a disk busy for minutes.
void poke(const std::string& path, size_t at, std::byte value) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(static_cast<char>(value));
  EXPECT_TRUE(file.flush().good());
}

void expect_clear(const Error& error) {
  EXPECT_FALSE(error.message.empty());
  EXPECT_LT(error.message.size(), 2000u);
}

// Compiles where needed, loads, runs once on zeros. True: it ran.
bool try_file(const std::string& path) {
  driver::CompileOptions options;
  options.plan.order_nodes = 2000;  // a damaged graph may be hard to plan; any plan will do
  options.plan.place_nodes = 2000;
  options.plan.joint_nodes = 50;
  auto session = driver::Session::open(path, options);
  if (!session) {
    expect_clear(session.error());
    return false;
  }
  std::vector<Bytes> inputs;
  for (const driver::PortInfo& port : session->inputs()) {
    const auto bytes = byte_count(port.type.dtype, port.type.dims);
    EXPECT_TRUE(bytes.has_value());
    inputs.emplace_back(static_cast<size_t>(*bytes));
  }
  const auto outputs = session->run(inputs);
  EXPECT_TRUE(outputs.has_value());
  return true;
}

class Hostile : public testing::TestWithParam<const char*> {
 protected:
  // A model of this repository, or of the public ones; "nk:" compiles it first.
  std::optional<Bytes> original() {
    std::string name = GetParam();
    const bool as_nk = name.starts_with("nk:");
    if (as_nk) name = name.substr(3);
    std::string path = std::string(NETKIT_SOURCE_DIR) + "/models/" + name;
    if (name.find('/') != std::string::npos) {
      const auto shared = shared_folder();
      if (!shared) return std::nullopt;
      path = *shared + "/models/" + name;
    }
    if (!as_nk) {
      suffix_ = path.substr(path.rfind('.'));
      return read_bytes(path);
    }
    suffix_ = ".nk";
    const auto made = driver::compile_file(path, {});
    EXPECT_TRUE(made.has_value());
    if (!made) return std::nullopt;
    return write_nk(made->program).value_or(Bytes());
  }

  std::string damaged_path() {
    std::string name = GetParam();
    for (char& c : name) c = c == '/' || c == ':' ? '_' : c;
    return work_folder("hostile_" + name) + "/damaged" + suffix_;
  }

  std::string suffix_;
};

TEST_P(Hostile, EveryCutIsRefusedOrRuns) {
  const auto bytes = original();
  if (!bytes) return;
  const std::string path = damaged_path();
  for (int i = 0; i < kCuts; ++i) {
    const size_t size = bytes->size() * static_cast<size_t>(i) / kCuts;
    write_bytes(path, Bytes(bytes->begin(), bytes->begin() + static_cast<std::ptrdiff_t>(size)));
    try_file(path);
  }
  write_bytes(path, *bytes);
  EXPECT_TRUE(try_file(path)) << "the whole file";
}

TEST_P(Hostile, EveryFlippedByteIsRefusedOrRuns) {
  const auto bytes = original();
  if (!bytes) return;
  const std::string path = damaged_path();
  write_bytes(path, *bytes);
  Xorshift random{0x9E3779B9u};
  for (int i = 0; i < kMutations; ++i) {
    // Half of the flips fall into the first kilobyte, where structure is dense.
    const size_t range = i % 2 == 0 ? std::min<size_t>(bytes->size(), 1024) : bytes->size();
    const size_t at = random.next() % range;
    poke(path, at, (*bytes)[at] ^ static_cast<std::byte>(1 + random.next() % 255));
    try_file(path);
    poke(path, at, (*bytes)[at]);
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Hostile,
                         testing::Values("digits_cnn_int8.tflite", "digits_dscnn_int8.tflite",
                                         "tflm/hello_world_int8.tflite", "digits_cnn.onnx",
                                         "digits_dscnn.onnx", "nk_legacy/cnn_hand.onnx",
                                         "nk:digits_cnn_int8.tflite", "nk:digits_dscnn.onnx",
                                         "nk:tflm/hello_world_float.tflite",
                                         "nk_legacy/cnn_hand.nk", "nk_legacy/op_matrix_mlp.nk",
                                         "nk_legacy/convnextv2_atto_block.nk",
                                         "nk_legacy/mnist_mlp_int8.nk"),
                         [](const auto& param) {
                           std::string name = param.param;
                           for (char& c : name)
                             c = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
                           return name;
                         });

}  // namespace
}  // namespace netkit::test
