// SPDX-License-Identifier: MIT
#include "compiler/driver/io/tensor_io.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>

#include "compiler/driver/io/npy.h"

namespace netkit::driver {
namespace {

const TensorType kFloat = {NK_FLOAT32, {1}, {}};
const TensorType kQuantised = {NK_INT8, {1}, {{0.5f}, {3}, 0}};

std::string message(const std::string& text, const TensorType& type, bool real = false) {
  const auto bytes = read_input(text, type, real, "x");
  return bytes ? "" : bytes.error().message;
}

template <typename T>
T value(const std::string& text, const TensorType& type, bool real = false) {
  const auto bytes = read_input(text, type, real, "x");
  EXPECT_TRUE(bytes) << text << ": " << (bytes ? "" : bytes.error().message);
  T out{};
  EXPECT_EQ(bytes.value_or(Bytes{}).size(), sizeof out) << text;
  if (bytes && bytes->size() == sizeof out) std::memcpy(&out, bytes->data(), sizeof out);
  return out;
}

std::string file_of(const std::string& name, const std::string& text) {
  const auto folder = std::filesystem::temp_directory_path() / "netkit_tensor_io";
  std::filesystem::create_directories(folder);
  const std::string path = (folder / name).string();
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

TEST(TensorIo, DecimalsThatNoFloatIsNearAreRefused) {
  for (const char* text : {"1e400", "-1e400", "1e309", "1e39", "-1e39", "+1e400"}) {
    EXPECT_NE(message(text, kFloat).find("out of range of float32"), std::string::npos) << text;
  }
  EXPECT_EQ(message("1e400", kQuantised, true), "1e400 is out of range of float64");
  EXPECT_EQ(value<float>("1e-400", kFloat), 0.0f);
  EXPECT_EQ(value<float>("1e-45", kFloat), std::numeric_limits<float>::denorm_min());
  EXPECT_EQ(value<float>("+3.4028235e38", kFloat), std::numeric_limits<float>::max());
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(value<float>("inf", kFloat), kInfinity);
  EXPECT_EQ(value<float>("-Infinity", kFloat), -kInfinity);
  EXPECT_TRUE(std::isnan(value<float>("nan", kFloat)));
  for (const char* text : {"+-1", "++1", "+", "1x", "0x10", ""}) {
    EXPECT_NE(message(text, kFloat), "") << text;
  }
}

TEST(TensorIo, QuantisedInputsSaturateButTakeNoInfinityOrNan) {
  EXPECT_EQ(value<int8_t>("1e30", kQuantised, true), 127);
  EXPECT_EQ(value<int8_t>("-1e308", kQuantised, true), -128);
  EXPECT_EQ(value<int8_t>("0.5", kQuantised, true), 4);
  EXPECT_EQ(message("inf", kQuantised, true), "infinity for a quantised input");
  EXPECT_EQ(message("nan", kQuantised, true), "NaN for a quantised input");
  EXPECT_EQ(message("128", kQuantised), "128 is out of range of int8");
  EXPECT_EQ(message("0.5", kQuantised), "0.5 is not a value of int8");
}

TEST(TensorIo, IntegersAreExact) {
  const TensorType i64 = {NK_INT64, {1}, {}};
  EXPECT_EQ(value<int64_t>("9007199254740993", i64), 9007199254740993);
  EXPECT_EQ(value<int64_t>("9223372036854775807", i64), INT64_MAX);
  EXPECT_EQ(value<int64_t>("-9223372036854775808", i64), INT64_MIN);
  EXPECT_EQ(value<int64_t>(" +12 ", i64), 12);
  EXPECT_EQ(value<int64_t>("1e3", i64), 1000);
  EXPECT_EQ(value<int64_t>("-3.0", i64), -3);
  for (const char* text :
       {"9223372036854775808", "-9223372036854775809", "1e19", "9007199254740993.0e1"}) {
    EXPECT_EQ(message(text, i64), std::string(text) + " is out of range of int64");
  }
  EXPECT_EQ(value<uint64_t>("18446744073709551615", {NK_UINT64, {1}, {}}), UINT64_MAX);
  EXPECT_NE(message("-1", {NK_UINT64, {1}, {}}), "");
  EXPECT_EQ(value<uint32_t>("4294967295", {NK_UINT32, {1}, {}}), UINT32_MAX);
  EXPECT_NE(message("4294967296", {NK_UINT32, {1}, {}}), "");
  EXPECT_NE(message("nan", i64), "");
  EXPECT_NE(message("2", {NK_BOOL, {1}, {}}), "");
}

TEST(TensorIo, NpyShapesAgreeButForOnes) {
  const std::vector<float> data = {1, 2, 3, 4, 5, 6};
  const auto bytes = std::as_bytes(std::span(data));
  const std::string text = make_npy({NK_FLOAT32, {2, 3}, {}}, bytes).value();
  const std::string path = file_of("shape.NPY", text);
  EXPECT_EQ(read_input(path, {NK_FLOAT32, {1, 2, 1, 3}, {}}, false, "x").value().size(), 24u);
  for (const Dims& dims : {Dims{3, 2}, Dims{6}, Dims{1, 6}, Dims{2, 2}}) {
    const auto got = read_input(path, {NK_FLOAT32, dims, {}}, false, "x");
    ASSERT_FALSE(got);
    EXPECT_EQ(got.error().message,
              "the .npy has shape [2x3], the input is float32 [" + dims_text(dims) + "]");
    EXPECT_NE(got.error().where.find(path), std::string::npos);
  }
  const std::string cut = file_of("cut.npy", text.substr(0, 20));
  const auto broken = read_input(cut, kFloat, false, "x");
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().where.find(cut), std::string::npos);
  EXPECT_TRUE(encode_output("a.NPY", {NK_FLOAT32, {2, 3}, {}}, bytes).value() == text);
}

TEST(TensorIo, DoublesBeyondFloatAreRefused) {
  const std::vector<double> data = {1e300};
  const std::string path =
      file_of("wide.npy", make_npy({NK_FLOAT64, {1}, {}}, std::as_bytes(std::span(data))).value());
  EXPECT_EQ(message(path, kFloat), "1e+300 is out of range of float32");
}

TEST(TensorIo, PathsThatAreNoFilesSaySo) {
  for (const char* path : {"missing.npy", "missing.NPY", "a,b.csv", "no/such/file", "x.dat"}) {
    EXPECT_EQ(message(path, kFloat), "no such file") << path;
  }
  EXPECT_EQ(message(".", kFloat), "is a folder, not a file");
  EXPECT_EQ(message("hello", kFloat), "'hello' is not a number");
  EXPECT_EQ(message("1.5e3,2", kFloat), "2 values given, float32 [1] needs 1");
}

TEST(TensorIo, NoBytesAreATensorWithoutElements) {
  const std::string path = file_of("none.bin", "");
  EXPECT_EQ(read_input(path, {NK_INT8, {1, 0, 3}, {}}, false, "x").value(), Bytes{});
  EXPECT_EQ(message(path, kFloat), "the file is empty");
  EXPECT_NE(message(file_of("one.bin", "1"), {NK_INT8, {0}, {}}), "");
}

TEST(TensorIo, RawBoolsAreZeroOrOne) {
  const TensorType bools = {NK_BOOL, {2}, {}};
  EXPECT_EQ(read_input(file_of("good.bin", std::string("\1\0", 2)), bools, false, "x").value(),
            (Bytes{std::byte{1}, std::byte{0}}));
  EXPECT_EQ(message(file_of("bad.bin", "\1\2"), bools), "2 is not a value of bool (element 1)");
}

}  // namespace
}  // namespace netkit::driver
