// SPDX-License-Identifier: MIT
#include "compiler/import/import.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "compiler/import/onnx/test_model.h"
#include "compiler/import/tflite/test_model.h"

namespace netkit {
namespace {

namespace fs = std::filesystem;

std::span<const std::byte> view(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string error_of(std::string_view content, const std::string& name) {
  const auto graph = import_model(view(content), name);
  return graph ? "accepted" : graph.error().where + ": " + graph.error().message;
}

TEST(Import, SniffsByContent) {
  EXPECT_EQ(sniff_format(conv_test_model()), ModelFormat::kTflite);
  EXPECT_EQ(sniff_format(bytes_of(conv_onnx_model())), ModelFormat::kOnnx);
  EXPECT_EQ(sniff_format(view("NKIT\5\0\0\0")), ModelFormat::kNk);
  EXPECT_EQ(sniff_format(view("hello")), ModelFormat::kUnknown);
  EXPECT_EQ(sniff_format({}), ModelFormat::kUnknown);
}

TEST(Import, TheNameOfTheFileDoesNotDecide) {
  EXPECT_TRUE(import_model(conv_test_model(), "m.onnx"));
  EXPECT_TRUE(import_model(bytes_of(conv_onnx_model()), "model"));
}

TEST(Import, SaysWhatOtherFilesAre) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {"", "empty"},
      {"NKIT....", "a .nk file"},
      {"PK\x03\x04....", "zip archive"},
      {"\x89HDF....", "HDF5"},
      {"version https://git-lfs.github.com/spec/v1", "Git LFS pointer"},
      {"<!DOCTYPE html>", "XML text"},
      {"....ORTM....", "ONNX Runtime"},
      {"hello, world", "neither the TFLite"},
      {"\x08", "protobuf"},
  };
  for (const auto& [content, words] : cases) {
    const std::string error = error_of(content, "some/file.onnx");
    EXPECT_NE(error.find(words), std::string::npos) << error;
    EXPECT_EQ(error.find("some/file.onnx: "), 0u) << error;
  }
  EXPECT_NE(error_of("12345678", "m.tflite").find("identifier '5678'"), std::string::npos);
  EXPECT_NE(error_of("123", "m.TFLITE").find("truncated"), std::string::npos);
}

TEST(Import, ErrorsAreOneLineWhateverTheNames) {
  pb::Model model = conv_onnx_model();
  model.mutable_graph()->mutable_node(0)->set_input(0, "a\nb\x01" + std::string(500, 'x'));
  const auto graph = import_model(bytes_of(model), "m.onnx");
  ASSERT_FALSE(graph);
  EXPECT_NE(graph.error().message.find("a\\x0ab\\x01xxx"), std::string::npos);
  EXPECT_LT(graph.error().message.size(), 200u);
}

TEST(Import, SameBytesSameText) {
  const auto first = import_model(conv_test_model(), "m");
  const auto second = import_model(conv_test_model(), "m");
  ASSERT_TRUE(first && second);
  EXPECT_EQ(to_text(*first), to_text(*second));
}

TEST(ReadModelFile, ReadsOrSaysWhyNot) {
  const fs::path folder = fs::path(::testing::TempDir()) / "netkit_read";
  fs::create_directories(folder);
  const auto write = [&](const char* name, std::string_view text) {
    std::ofstream(folder / name, std::ios::binary) << text;
    return (folder / name).string();
  };
  const auto message = [](const Result<Bytes>& bytes) {
    return bytes ? std::string("read") : bytes.error().message;
  };
  const std::string good = write("good", "abc");
  const auto bytes = read_model_file(good);
  ASSERT_TRUE(bytes);
  EXPECT_EQ(bytes->size(), 3u);
  EXPECT_EQ(message(read_model_file((folder / "none").string())), "no such file");
  EXPECT_EQ(message(read_model_file((folder / "good" / "x").string())).substr(0, 4), "no s");
  EXPECT_NE(message(read_model_file(folder.string())).find("folder"), std::string::npos);
  EXPECT_NE(message(read_model_file(write("empty", ""))).find("empty"), std::string::npos);
  EXPECT_NE(message(read_model_file("/dev/zero")).find("regular"), std::string::npos);
  EXPECT_EQ(message(read_model_file(good, 2)), "3 bytes, the limit is 2");
  EXPECT_EQ(read_model_file((folder / "none").string()).error().where, (folder / "none").string());
  fs::remove_all(folder);
}

}  // namespace
}  // namespace netkit
