// SPDX-License-Identifier: MIT
// Promises about the arena on whole networks: its content before a run does not matter, one byte
// less is refused with the size needed, runs repeat, models stand side by side.
#include <gtest/gtest.h>

#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "test_support.h"

namespace netkit::test {
namespace {

constexpr size_t kDigits = 200;

std::string model(const std::string& name) {
  return std::string(NETKIT_SOURCE_DIR) + "/models/" + name;
}

// pixel - 128: what models/README.md states for both int8 models.
std::vector<Bytes> digit_inputs() {
  const Bytes images = read_bytes(model("digits-images.idx3-ubyte"));
  std::vector<Bytes> inputs;
  for (size_t d = 0; d < kDigits; ++d) {
    Bytes input;
    for (size_t i = 0; i < 784; ++i) {
      input.push_back(images[16 + d * 784 + i] ^ std::byte{0x80});
    }
    inputs.push_back(std::move(input));
  }
  return inputs;
}

Bytes expected_of(const std::string& name, size_t digit) {
  const Bytes all = read_bytes(model(name + ".expected.bin"));
  const auto begin = all.begin() + static_cast<std::ptrdiff_t>(digit * 10);
  return Bytes(begin, begin + 10);
}

Bytes nk_of(const std::string& name) {
  const auto made = driver::compile_file(model(name + ".tflite"), {});
  EXPECT_TRUE(made.has_value()) << (made ? "" : made.error().message);
  return made ? write_nk(made->program).value_or(Bytes()) : Bytes();
}

class Digits : public testing::TestWithParam<const char*> {};

TEST_P(Digits, AllDigitsGiveTheReferenceBytes) {
  auto session = driver::Session::from_nk(nk_of(GetParam()), GetParam());
  ASSERT_TRUE(session.has_value()) << session.error().message;
  const std::vector<Bytes> inputs = digit_inputs();
  for (size_t d = 0; d < kDigits; ++d) {
    const auto got = session->run({inputs[d]});
    ASSERT_TRUE(got.has_value());
    ASSERT_TRUE((*got)[0] == expected_of(GetParam(), d)) << "digit " << d;
  }
}

TEST_P(Digits, EmittedCGivesTheReferenceBytes) {
  const auto made = driver::compile_file(model(std::string(GetParam()) + ".tflite"), {});
  ASSERT_TRUE(made.has_value());
  struct Build {
    const char* name;
    const char* flags;
  };
  for (const Build& build : {Build{"c99", "-std=c99 -O2 -pedantic"},
                             Build{"external", "-std=c99 -O2 -DNETKIT_EXTERNAL_ARENA"},
                             Build{"sanitized", "-std=c99 -O1 -fsanitize=address,undefined"},
                             Build{"cpp", "-x c++ -std=c++17 -O2"}}) {
    const auto got =
        run_emitted_c(made->program, work_folder(std::string(GetParam()) + "_" + build.name),
                      digit_inputs(), build.flags);
    ASSERT_EQ(got.size(), kDigits);
    for (size_t d = 0; d < kDigits; ++d) {
      ASSERT_TRUE(got[d] == expected_of(GetParam(), d)) << build.name << " digit " << d;
    }
  }
}

TEST_P(Digits, WhatTheArenaHeldDoesNotMatter) {
  auto session = driver::Session::from_nk(nk_of(GetParam()), GetParam());
  ASSERT_TRUE(session.has_value());
  const Bytes input = digit_inputs()[3];
  for (const uint8_t poison : {0x00, 0xFF, 0xA5, 0x3C}) {
    session->poison(poison);
    const auto got = session->run({input});
    ASSERT_TRUE(got.has_value());
    EXPECT_TRUE((*got)[0] == expected_of(GetParam(), 3)) << int{poison};
  }
}

TEST_P(Digits, TheThousandthRunEqualsTheFirst) {
  auto session = driver::Session::from_nk(nk_of(GetParam()), GetParam());
  ASSERT_TRUE(session.has_value());
  const Bytes input = digit_inputs()[5];
  Bytes last;
  for (int i = 0; i < 1000; ++i) {
    auto got = session->run({input});
    ASSERT_TRUE(got.has_value());
    last = std::move((*got)[0]);
  }
  EXPECT_TRUE(last == expected_of(GetParam(), 5));
}

TEST_P(Digits, OneByteLessIsRefusedWithTheSizeNeeded) {
  const Bytes nk = nk_of(GetParam());
  const auto whole = driver::Session::from_nk(nk, GetParam());
  ASSERT_TRUE(whole.has_value());
  const auto less = driver::Session::from_nk(nk, GetParam(), whole->arena_bytes() - 1);
  ASSERT_FALSE(less.has_value());
  EXPECT_NE(less.error().message.find(std::to_string(whole->arena_bytes())), std::string::npos)
      << less.error().message;
}

INSTANTIATE_TEST_SUITE_P(Models, Digits, testing::Values("digits_cnn_int8", "digits_dscnn_int8"),
                         [](const auto& param) { return std::string(param.param); });

TEST(TwoModels, SideBySideDoNotDisturbEachOther) {
  auto a = driver::Session::from_nk(nk_of("digits_cnn_int8"), "a");
  auto b = driver::Session::from_nk(nk_of("digits_dscnn_int8"), "b");
  ASSERT_TRUE(a.has_value() && b.has_value());
  const std::vector<Bytes> inputs = digit_inputs();
  for (size_t d = 0; d < 20; ++d) {
    const auto x = a->run({inputs[d]});
    const auto y = b->run({inputs[d]});
    ASSERT_TRUE(x.has_value() && y.has_value());
    EXPECT_TRUE((*x)[0] == expected_of("digits_cnn_int8", d));
    EXPECT_TRUE((*y)[0] == expected_of("digits_dscnn_int8", d));
  }
}

TEST(Compile, SameInputSameBytes) {
  EXPECT_TRUE(nk_of("digits_dscnn_int8") == nk_of("digits_dscnn_int8"));
}

}  // namespace
}  // namespace netkit::test
