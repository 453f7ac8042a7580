// SPDX-License-Identifier: MIT
// Sample files of every kind, and the digit networks quantised and counted.
#include "compiler/driver/quant/quantise.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "compiler/driver/compile.h"
#include "compiler/driver/io/npy.h"
#include "compiler/driver/io/tensor_io.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/passes/pass_check.h"

namespace netkit::driver {
namespace {

namespace fs = std::filesystem;

class SampleFiles : public testing::Test {
 protected:
  SampleFiles() : folder_(fs::temp_directory_path() / "netkit_samples_test") {
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  ~SampleFiles() override { fs::remove_all(folder_); }

  std::string file(const std::string& name, const std::string& content) const {
    fs::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name, std::ios::binary) << content;
    return (folder_ / name).string();
  }

  static std::string raw(const std::vector<float>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
  }

  // The values of all samples of the only input, one after the other; "place: message" on error.
  static std::string values(const std::string& path, std::string_view input = "1x2x2x1",
                            size_t limit = 100, const PixelRange& pixels = {}) {
    const Graph graph =
        check::parsed(fmt::format("input %x float32[{}]\n%y float32[{}] = relu(%x)\n"
                                  "output %y\n",
                                  input, input));
    const auto samples = read_samples(path, graph, pixels, limit);
    if (!samples) {
      const Error& error = samples.error();
      EXPECT_FALSE(error.where.empty());
      return fmt::format("{}: {}", fs::path(error.where).filename().string(), error.message);
    }
    std::string text;
    for (const quant::Sample& sample : *samples) {
      std::vector<float> floats(sample[0]->size() / sizeof(float));
      std::memcpy(floats.data(), sample[0]->data(), sample[0]->size());
      text += fmt::format("{}|", fmt::join(floats, " "));
    }
    return text;
  }

  const fs::path folder_;
};

TEST_F(SampleFiles, EveryKindIsRead) {
  EXPECT_EQ(values(file("a.bin", raw({1, 2, 3, 4, 5, 6, 7, 8}))), "1 2 3 4|5 6 7 8|");
  EXPECT_EQ(values(file("a.csv", "1,2,3,4\n\n 5; 6,7,8\n")), "1 2 3 4|5 6 7 8|");
  EXPECT_EQ(values(file("b.csv", "1\n2\n3\n4\n")), "1 2 3 4|");
  const std::vector<int8_t> bytes{1, -2, 3, 4};
  const auto npy = make_npy({NK_INT8, {1, 2, 2}, {}},
                            {reinterpret_cast<const std::byte*>(bytes.data()), bytes.size()});
  EXPECT_EQ(values(file("a.npy", *npy)), "1 -2 3 4|");
  const std::string pixels("\x00\xff\x33\xff", 4);
  EXPECT_EQ(values(file("a.pgm", "P5 # grey\n2 2\n255\n" + pixels)), "0 1 0.2 1|");
  EXPECT_EQ(values(file("a.pgm", "P5\n2 2 255\n" + pixels), "1x2x2x1", 9, {-1, 1}), "-1 1 -0.6 1|");
  const std::string idx = std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x02\0\0\0\x01", 16) + pixels;
  EXPECT_EQ(values(file("digits-ubyte", idx), "1x2x1x1"), "0 1|0.2 1|");
  // Three channels: as they stand, and as planes.
  const std::string rgb("\x00\x33\xff\x33\x00\xff", 6);
  EXPECT_EQ(values(file("a.ppm", "P6 2 1 255\n" + rgb), "1x1x2x3"), "0 0.2 1 0.2 0 1|");
  EXPECT_EQ(values(file("a.ppm", "P6 2 1 255\n" + rgb), "1x3x1x2"), "0 0.2 0.2 0 1 1|");
}

TEST_F(SampleFiles, FoldersAreReadInOrderAndThinnedEvenly) {
  for (const int i : {3, 1, 2, 0}) {
    file(fmt::format("set/{}.csv", i), fmt::format("{},0,0,0\n", i));
  }
  file("set/.hidden", "x");
  const std::string folder = (folder_ / "set").string();
  EXPECT_EQ(values(folder), "0 0 0 0|1 0 0 0|2 0 0 0|3 0 0 0|");
  EXPECT_EQ(values(folder, "1x2x2x1", 2), "0 0 0 0|2 0 0 0|");
}

TEST_F(SampleFiles, SeveralInputsHaveAFolderEach) {
  file("set/x/0.csv", "1\n2");
  file("set/z/0.csv", "3");
  file("set/z/1.csv", "4");
  const Graph graph = check::parsed(R"(input %x float32[1x1]
input %z float32[1x1]
%y float32[1x1] = add(%x, %z)
output %y
)");
  const auto samples = read_samples((folder_ / "set").string(), graph, {}, 9);
  ASSERT_TRUE(samples) << samples.error().message;
  ASSERT_EQ(samples->size(), 2u);
  EXPECT_EQ((*samples)[1].size(), 2u);
  file("set/z/2.csv", "5");
  EXPECT_EQ(read_samples((folder_ / "set").string(), graph, {}, 9).error().message,
            "3 samples of input 'z', but 2 of 'x'");
  EXPECT_NE(read_samples((folder_ / "set/x").string(), graph, {}, 9).error().hint.find("per input"),
            std::string::npos);
}

TEST_F(SampleFiles, WhatIsWrongIsNamedAtItsFile) {
  EXPECT_EQ(values(file("a.bin", raw({1, 2, 3}))),
            "a.bin: holds 3 values, a sample of input 'x' has 4");
  EXPECT_EQ(values(file("a.bin", "12345")), "a.bin: raw samples are float32, of 4 bytes each");
  EXPECT_EQ(values(file("a.bin", "")), "a.bin: the file is empty");
  EXPECT_TRUE(values(file("a.csv", "1,2\n3,x")).starts_with("a.csv:2: 'x' is not a number"));
  EXPECT_TRUE(values(file("a.pgm", "P5 3 2 255\nabcdef")).starts_with("a.pgm: the picture is 2x3"));
  EXPECT_TRUE(values(file("a.pgm", "P5 2 2 255\nab")).starts_with("a.pgm: a picture of 2x2"));
  EXPECT_TRUE(values(file("a.pgm", "P5 99999999 2 255\nab")).starts_with("a.pgm: not a PGM"));
  EXPECT_TRUE(values(file("x-ubyte", std::string("\0\0\x08\x01\xff\xff\xff\xff", 8)))
                  .starts_with("x-ubyte: the IDX file holds 0 bytes"));
  EXPECT_EQ(values((folder_ / "none").string()), "none: no such file or folder");
  fs::create_directories(folder_ / "empty");
  EXPECT_EQ(values((folder_ / "empty").string()), "empty: the folder is empty");
}

constexpr const char* kModels = NETKIT_SOURCE_DIR "/models/";

Bytes content(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const auto* data = reinterpret_cast<const std::byte*>(text.data());
  return {data, data + text.size()};
}

size_t greatest(const Bytes& scores, nk_dtype dtype) {
  size_t best = 0;
  for (size_t i = 1; i < 10; ++i) {
    if (element(scores, dtype, i) > element(scores, dtype, best)) best = i;
  }
  return best;
}

// Digits that a model gets right; `request`: quantised before.
int right_answers(const std::string& model, const std::optional<QuantRequest>& request) {
  CompileOptions options;
  options.quant = request;
  auto session = Session::open(kModels + model, options);
  if (!session) {
    ADD_FAILURE() << session.error().message;
    return 0;
  }
  const Bytes images = content(std::string(kModels) + "digits-images.idx3-ubyte");
  const Bytes labels = content(std::string(kModels) + "digits-labels.idx1-ubyte");
  const TensorType& in = session->inputs()[0].type;
  const nk_dtype out = session->outputs()[0].type.dtype;
  int right = 0;
  for (size_t d = 0; d + 8 < labels.size(); ++d) {
    Bytes input;
    for (size_t i = 0; i < 784; ++i) {
      const auto pixel = static_cast<double>(images[16 + d * 784 + i]) / 255.0;
      EXPECT_TRUE(append_real(input, pixel, in, "digit"));
    }
    const auto scores = session->run({input});
    EXPECT_TRUE(scores);
    right += scores && greatest((*scores)[0], out) == static_cast<size_t>(labels[d + 8]) ? 1 : 0;
  }
  return right;
}

QuantRequest digits_request(size_t limit, quant::RangeMethod method) {
  QuantRequest request;
  request.samples = std::string(kModels) + "digits-images.idx3-ubyte";
  request.limit = limit;
  request.options.method = method;
  return request;
}

TEST(QuantiseDigits, NoMoreThanThreeInAThousandAreLost) {
  for (const std::string model : {"digits_cnn.onnx", "digits_dscnn.onnx"}) {
    const int floating = right_answers(model, std::nullopt);
    EXPECT_GE(floating, 197) << model;
    EXPECT_GE(right_answers(model, digits_request(20, quant::RangeMethod::kMinMax)),
              floating - 0.003 * 200)
        << model;
  }
}

// Clipping costs some digits; a method that is wrong costs most of them.
TEST(QuantiseDigits, EveryMethodGivesAWorkingNetwork) {
  for (const auto method :
       {quant::RangeMethod::kPercentile, quant::RangeMethod::kMse, quant::RangeMethod::kEntropy}) {
    EXPECT_GE(right_answers("digits_dscnn.onnx", digits_request(10, method)), 194)
        << quant::name_of(method);
  }
}

TEST(QuantiseDigits, TheReportSaysWhatBecameOfEachLayer) {
  CompileOptions options;
  options.quant = digits_request(20, quant::RangeMethod::kMinMax);
  const auto made = compile_file(std::string(kModels) + "digits_dscnn.onnx", options);
  ASSERT_TRUE(made) << made.error().message;
  ASSERT_TRUE(made->quant);
  EXPECT_GT(made->quant->output_sqnr_db, 30);
  EXPECT_EQ(made->quant->samples, 20u);
  const std::vector<std::string> lines = report_lines(*made->quant);
  EXPECT_EQ(lines.size(), made->quant->layers.size() + 2);
  EXPECT_NE(lines[0].find("same answer in"), std::string::npos);
  EXPECT_NE(report_json(*made->quant).find("\"netkit-quant/1\""), std::string::npos);
  for (const Node& node : made->graph.nodes) {
    const TensorType& type = made->graph.tensor(node.outputs[0]).type;
    EXPECT_EQ(type.dtype, NK_INT8) << node.op << " " << node.name;
  }
  const auto again = compile_file(std::string(kModels) + "digits_dscnn.onnx", options);
  ASSERT_TRUE(again);
  EXPECT_EQ(*write_nk(again->program), *write_nk(made->program)) << "the same bytes each time";
}

}  // namespace
}  // namespace netkit::driver
