// SPDX-License-Identifier: MIT
#include "runtime/host/self_tests.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <string>

#include "runtime/host/mapped_file.h"
#include "runtime/host/values.h"
#include "runtime/toy_program_test.h"

namespace netkit {
namespace {

std::string print_to_text(const std::function<void(std::FILE*)>& print) {
  char* text = nullptr;
  size_t size = 0;
  std::FILE* file = open_memstream(&text, &size);
  print(file);
  std::fclose(file);
  std::string out(text, size);
  std::free(text);
  return out;
}

// A program whose second case expects one wrong byte.
Bytes file_with_wrong_case(float tolerance) {
  Program p = toy::program();
  p.tests.push_back(p.tests[0]);
  p.tests[1].name = "wrong";
  p.tests[1].tolerance = tolerance;
  auto& byte = p.tests[1].outputs[0][6];
  byte = static_cast<std::byte>(static_cast<int>(byte) ^ 1);
  return write_nk(p).value();
}

TEST(SelfTest, FindsTheElementThatDiffers) {
  toy::ExactBlock file(file_with_wrong_case(0.0f));
  TestReport report;
  const std::string text = print_to_text([&](std::FILE* to) {
    EXPECT_TRUE(print_self_tests(to, file.data(), file.size(), toy::kernels(), report).ok());
  });
  EXPECT_EQ(report.passed, 1u);
  EXPECT_EQ(report.failed, 1u);
  EXPECT_NE(text.find("case 1 wrong: output 0 differs at element 6: expected"), std::string::npos)
      << text;
  EXPECT_NE(text.find("1 passed, 1 failed"), std::string::npos);
}

TEST(SelfTest, ToleranceIsOfRealValues) {
  TestReport report;
  toy::ExactBlock near(file_with_wrong_case(1.0f)), far(file_with_wrong_case(0.5f));
  ASSERT_TRUE(run_self_tests(near.data(), near.size(), toy::kernels(), report).ok());
  EXPECT_EQ(report.failed, 0u);
  ASSERT_TRUE(run_self_tests(far.data(), far.size(), toy::kernels(), report).ok());
  EXPECT_EQ(report.failed, 1u);
}

TEST(SelfTest, RefusesDamage) {
  Bytes bytes = write_nk(toy::program()).value();
  bytes.back() ^= std::byte{1};
  toy::ExactBlock file(bytes);
  TestReport report;
  EXPECT_EQ(run_self_tests(file.data(), file.size(), toy::kernels(), report).status,
            NK_STATUS_BAD_CRC);
  EXPECT_EQ(run_self_tests(file.data(), 20, toy::kernels(), report).status,
            NK_STATUS_TRUNCATED);
}

nk_file_tensor tensor_of(nk_dtype dtype, uint32_t elements) {
  nk_file_tensor tensor = {};
  tensor.dtype = static_cast<uint8_t>(dtype);
  tensor.rank = 1;
  for (uint32_t& dim : tensor.dims) dim = 1;
  tensor.dims[0] = elements;
  return tensor;
}

TEST(Values, DecodesEveryWidth) {
  const uint16_t halves[] = {0x3C00, 0xC000, 0x0001, 0x7C00, 0x7E00, 0x3555};
  const nk_file_tensor f16 = tensor_of(NK_FLOAT16, 6);
  EXPECT_EQ(element(f16, halves, 0), 1.0);
  EXPECT_EQ(element(f16, halves, 1), -2.0);
  EXPECT_EQ(element(f16, halves, 2), std::ldexp(1.0, -24));
  EXPECT_TRUE(std::isinf(element(f16, halves, 3)));
  EXPECT_TRUE(std::isnan(element(f16, halves, 4)));
  EXPECT_NEAR(element(f16, halves, 5), 1.0 / 3.0, 1e-4);
  const uint8_t nibbles[] = {0x8F, 0x07};
  EXPECT_EQ(element(tensor_of(NK_INT4, 3), nibbles, 0), -1.0);
  EXPECT_EQ(element(tensor_of(NK_INT4, 3), nibbles, 1), -8.0);
  EXPECT_EQ(element(tensor_of(NK_INT4, 3), nibbles, 2), 7.0);
  const int64_t wide = -5;
  EXPECT_EQ(element(tensor_of(NK_INT64, 1), &wide, 0), -5.0);
  nk_file_tensor s8 = tensor_of(NK_INT8, 1);
  s8.scale = 0.5f;
  s8.zero_point = -2;
  const int8_t q = 4;
  EXPECT_EQ(real_element(s8, &q, 0), 3.0);
}

TEST(Values, PrintsOneLine) {
  const float values[] = {0.5f, -1.0f, 2.0f};
  const std::string text = print_to_text([&](std::FILE* to) {
    print_tensor(to, "y", tensor_of(NK_FLOAT32, 3), values, 2);
  });
  EXPECT_EQ(text, "y float32[3]: 0.5 -1 ... (3 values)\n");
}

TEST(MappedFile, OpensRegularFilesOnly) {
  const std::string path = testing::TempDir() + "netkit_mapped_" + std::to_string(getpid());
  std::ofstream(path, std::ios::binary) << "abc";
  MappedFile file;
  ASSERT_EQ(file.open(path.c_str()), nullptr);
  ASSERT_EQ(file.size(), 3u);
  EXPECT_EQ(std::memcmp(file.data(), "abc", 3), 0);
  MappedFile moved = std::move(file);
  EXPECT_EQ(moved.size(), 3u);
  EXPECT_NE(moved.open("/nonexistent/netkit"), nullptr);
  EXPECT_EQ(moved.size(), 0u);
  EXPECT_STREQ(moved.open("/dev/null"), "not a regular file");
  EXPECT_STREQ(moved.open("/"), "not a regular file");
  std::ofstream(path, std::ios::binary | std::ios::trunc);
  ASSERT_EQ(moved.open(path.c_str()), nullptr);
  EXPECT_EQ(moved.size(), 0u);
  unlink(path.c_str());
}

}  // namespace
}  // namespace netkit
