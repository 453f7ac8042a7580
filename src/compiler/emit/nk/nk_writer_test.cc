// SPDX-License-Identifier: MIT
#include "compiler/emit/nk/nk_writer.h"

#include <gtest/gtest.h>

#include <string>

#include <fmt/format.h>

#include "compiler/emit/nk/nk_reader.h"
#include "runtime/toy_program_test.h"

namespace netkit {
namespace {

// One step, y = 3 x + w on four bytes; the example of docs/nk-format.md.
Program tiny_program() {
  Program p = toy::program();
  Schedule& s = p.schedule;
  p.tests.clear();
  p.plan_json.clear();
  p.metadata = {{"source", "toy"}};
  s.buffers = {{"x", 4, {0}}, {"y", 4, {1}}};
  s.constants[0].data = std::make_shared<const Bytes>(toy::ramp(4, 16, 1));
  s.steps.resize(1);
  s.steps[0].params = toy::bytes_of(toy::AffineParams{4, 3});
  s.steps[0].outputs = {{.buffer = 1}};
  s.inputs = {{"x", {NK_UINT8, {1, 4}, {{0.5f}, {3}, 0}}, 0}};
  s.outputs = {{"y", {NK_UINT8, {4}, {}}, 1}};
  p.order = {{.step = 0}};
  p.buffer_offsets = {0, 16};
  p.arena_bytes = 20;
  return p;
}

std::string hex(const Bytes& bytes) {
  std::string text;
  for (size_t i = 0; i < bytes.size(); ++i) {
    text += fmt::format("{:02x}{}", static_cast<unsigned>(bytes[i]), i % 16 == 15 ? "\n" : " ");
  }
  return text;
}

TEST(NkWriter, GoldenBytes) {
  const Result<Bytes> file = write_nk(tiny_program());
  ASSERT_TRUE(file.has_value()) << file.error().message;
  EXPECT_EQ(hex(*file),
            // header
            "4e 4b 49 54 05 00 00 00 00 00 30 00 e0 24 50 5f\n"
            "00 02 00 00 08 00 00 00 fa ef cc 51 14 00 00 00\n"
            "10 00 00 00 10 00 00 00 00 00 00 00 00 00 00 00\n"
            // section table: inputs, outputs, steps, params, strings, constants, step-info,
            // metadata
            "01 00 00 00 03 00 00 00 f0 00 00 00 30 00 00 00\n"
            "01 00 00 00 58 f9 a8 c6 02 00 00 00 03 00 00 00\n"
            "20 01 00 00 30 00 00 00 01 00 00 00 43 ae ee 36\n"
            "03 00 00 00 03 00 00 00 50 01 00 00 34 00 00 00\n"
            "01 00 00 00 d7 73 cf 28 04 00 00 00 03 00 00 00\n"
            "90 01 00 00 08 00 00 00 01 00 00 00 7d 7e dd f3\n"
            "06 00 00 00 01 00 00 00 a0 01 00 00 27 00 00 00\n"
            "05 00 00 00 81 69 4d a6 05 00 00 00 01 00 00 00\n"
            "d0 01 00 00 04 00 00 00 01 00 00 00 c9 70 f3 90\n"
            "07 00 00 00 00 00 00 00 e0 01 00 00 10 00 00 00\n"
            "01 00 00 00 3d ea 5e 5a 08 00 00 00 00 00 00 00\n"
            "f0 01 00 00 10 00 00 00 00 00 00 00 6b 21 5e 80\n"
            // input x
            "01 00 00 00 04 02 00 00 00 00 00 00 04 00 00 00\n"
            "01 00 00 00 04 00 00 00 01 00 00 00 01 00 00 00\n"
            "01 00 00 00 01 00 00 00 00 00 00 3f 03 00 00 00\n"
            // output y
            "03 00 00 00 04 01 00 00 10 00 00 00 04 00 00 00\n"
            "04 00 00 00 01 00 00 00 01 00 00 00 01 00 00 00\n"
            "01 00 00 00 01 00 00 00 00 00 00 00 00 00 00 00\n"
            // step: x, weights, absent bias; y
            "4d 16 ba a8 00 00 00 00 08 00 03 01 00 00 00 00\n"
            "00 00 00 00 00 00 00 00 04 00 00 00 00 00 00 80\n"
            "04 00 00 00 ff ff ff ff 00 00 00 00 10 00 00 00\n"
            "04 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00\n"
            // params
            "04 00 00 00 03 00 00 00 00 00 00 00 00 00 00 00\n"
            // strings
            "00 78 00 79 00 6e 6b 5f 74 6f 79 5f 61 66 66 69\n"
            "6e 65 5f 75 38 5f 72 65 66 00 64 65 6e 73 65 2f\n"
            "61 66 66 69 6e 65 00 00 00 00 00 00 00 00 00 00\n"
            // constants
            "10 11 12 13 00 00 00 00 00 00 00 00 00 00 00 00\n"
            // step-info
            "05 00 00 00 1a 00 00 00 28 00 00 00 00 00 00 00\n"
            // metadata
            "7b 22 73 6f 75 72 63 65 22 3a 22 74 6f 79 22 7d\n");
}

TEST(NkWriter, SameProgramSameBytes) {
  EXPECT_EQ(write_nk(toy::program()).value(), write_nk(toy::program()).value());
}

TEST(NkWriter, OptionsLeaveSectionsOut) {
  const Bytes bytes = write_nk(toy::program(), {false, false, false}).value();
  toy::ExactBlock file(bytes);
  NkView view;
  ASSERT_TRUE(view.open(file.data(), file.size()).ok());
  for (const auto kind : {NK_SECTION_STEP_INFO, NK_SECTION_PLAN, NK_SECTION_TESTS}) {
    EXPECT_EQ(view.find_section(kind), nullptr);
  }
  EXPECT_TRUE(view.verify_structure(toy::kernels()).ok());
}

TEST(NkWriter, ConstantsAskForAlignment) {
  Program p = toy::program();
  p.schedule.constants[0].alignment = 64;
  toy::ExactBlock unaligned(write_nk(p).value());
  toy::ExactBlock file(unaligned.size(), 64);
  std::memcpy(file.data(), unaligned.data(), file.size());
  NkView view;
  ASSERT_TRUE(view.open(file.data(), file.size()).ok());
  EXPECT_EQ(view.header().file_alignment, 64u);
  EXPECT_EQ(view.find_section(NK_SECTION_CONSTANTS)->offset % 64, 0u);
}

// Each change makes the program contradict itself or the limits; the message names it.
TEST(NkWriter, RefusesWhatDoesNotFit) {
  const auto message = [](auto change) {
    Program p = toy::program();
    change(p);
    const Result<Bytes> file = write_nk(p);
    return file ? std::string("written") : file.error().message;
  };
  EXPECT_EQ(message([](Program&) {}), "written");
  EXPECT_NE(message([](Program& p) { p.buffer_offsets[1] = 160; }).find("outside the arena"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.buffer_offsets[1] = 8; }).find("not aligned"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.arena_bytes = int64_t{1} << 31; }).find("2 GiB"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.arena_alignment = 24; }).find("power of two"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.order[1].scratch_offset = 152; }).find("scratch"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.order[0].step = 2; }).find("no kernel"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.schedule.steps[0].outputs[0] = {}; }).find("no buffer"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.schedule.steps[0].inputs.resize(24); }).find("24 inputs"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.schedule.inputs[0].type.dims.assign(7, 1); }).find("rank"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.schedule.inputs[0].type.quant.scale = {1, 2}; })
                .find("per channel"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.schedule.inputs[0].type.quant.zero_point = {1ll << 40}; })
                .find("zero point"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.schedule.outputs.clear(); }).find("at least one output"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.tests[0].inputs[0].pop_back(); }).find("39 bytes"),
            std::string::npos);
  EXPECT_NE(message([](Program& p) { p.tests[0].outputs.clear(); }).find("0 outputs"),
            std::string::npos);
}

TEST(NkReader, NeedsTheKernels) {
  toy::ExactBlock file(write_nk(toy::program()).value());
  const auto info =
      read_nk({reinterpret_cast<const std::byte*>(file.data()), file.size()}, "toy.nk");
  ASSERT_FALSE(info.has_value());
  EXPECT_EQ(info.error().where, "toy.nk: steps, record 0");
  EXPECT_EQ(info.error().message, "kernel is not linked into this program");
}

TEST(NkReader, SaysWhatToDoWithOlderVersions) {
  Bytes old(64);
  std::memcpy(old.data(), "NKIT\4\0\0\0", 8);
  toy::ExactBlock file(old);
  const auto info = read_nk({reinterpret_cast<const std::byte*>(file.data()), 64}, "old.nk");
  ASSERT_FALSE(info.has_value());
  EXPECT_EQ(info.error().message, ".nk version 4 is not version 5");
  EXPECT_NE(info.error().hint.find("netkit compile OLD.nk"), std::string::npos);
}

TEST(NkMetadata, RoundTrip) {
  const Metadata metadata = {{"z", "quote \" and line\n"}, {"a", "\xC3\xA9"}, {"bad", "\xFF"}};
  const Metadata back = metadata_from_json(metadata_to_json(metadata));
  ASSERT_EQ(back.size(), 3u);
  EXPECT_EQ(back[0], metadata[0]);
  EXPECT_EQ(back[1], metadata[1]);
  EXPECT_EQ(back[2].second, "\xEF\xBF\xBD");
  EXPECT_EQ(metadata_from_json("{\"n\":3}")[0].second, "3");
  EXPECT_TRUE(metadata_from_json("[1").empty());
}

}  // namespace
}  // namespace netkit
