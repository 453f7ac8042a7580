// SPDX-License-Identifier: MIT
#include "compiler/lower/omit_softmax.h"

#include <gtest/gtest.h>

namespace netkit {
namespace {

std::string without(const std::string& text) {
  auto graph = parse_graph(text);
  if (!graph) return "unreadable: " + graph.error().message;
  const auto done = omit_final_softmax(*graph);
  if (!done) return done.error().message;
  const auto valid = verify(*graph);
  return valid ? to_text(*graph) : "invalid: " + valid.error().message;
}

TEST(OmitSoftmax, TheOutputIsWhatItReads) {
  EXPECT_EQ(without("input %x int8[1x4] q(0.1,3)\n"
                    "%l int8[1x4] q(0.5,-7) = relu(%x) @\"r\"\n"
                    "%y int8[1x4] q(0.00390625,-128) = softmax(%l) {beta=1} @\"s\"\n"
                    "output %y\n"),
            "input %x int8[1x4] q(0.1,3)\n"
            "%y int8[1x4] q(0.5,-7) = relu(%x) @\"r\"\n"
            "output %y\n");
}

TEST(OmitSoftmax, BehindReshapeAndDequantize) {
  EXPECT_EQ(without("input %x int8[1x4] q(0.1,3)\n"
                    "%l int8[1x4] q(0.5,-7) = relu(%x) @\"r\"\n"
                    "%s int8[1x4] q(0.00390625,-128) = softmax(%l) {beta=1} @\"s\"\n"
                    "%v int8[4] q(0.00390625,-128) = reshape(%s) @\"v\"\n"
                    "%y float32[4] = dequantize(%v) @\"d\"\n"
                    "output %y\n"),
            "input %x int8[1x4] q(0.1,3)\n"
            "%l int8[1x4] q(0.5,-7) = relu(%x) @\"r\"\n"
            "%v int8[4] q(0.5,-7) = reshape(%l) @\"v\"\n"
            "%y float32[4] = dequantize(%v) @\"d\"\n"
            "output %y\n");
}

TEST(OmitSoftmax, OneThatOthersReadStays) {
  const std::string text = without(
      "input %x float32[1x4]\n"
      "%l float32[1x4] = relu(%x) @\"r\"\n"
      "%y float32[1x4] = softmax(%l) {beta=1} @\"s\"\n"
      "%z float32[1x4] = relu(%y) @\"t\"\n"
      "output %y\noutput %z\n");
  EXPECT_NE(text.find("softmax"), std::string::npos) << text;
}

TEST(OmitSoftmax, AStateKeepsItsOwn) {
  const std::string text = without(
      "input %x float32[1x4]\ninput %h float32[1x4]\n"
      "%l float32[1x4] = relu(%x) @\"r\"\n"
      "%y float32[1x4] = softmax(%l) {beta=1} @\"s\"\n"
      "%n float32[1x4] = softmax(%h) {beta=1} @\"t\"\n"
      "output %y\noutput %n\nstate %h -> %n\n");
  EXPECT_NE(text.find("%n float32[1x4] = softmax(%h)"), std::string::npos) << text;
  EXPECT_EQ(text.find("@\"s\""), std::string::npos) << text;
}

TEST(OmitSoftmax, OfTheInputItself) {
  EXPECT_EQ(without("input %x float32[1x4]\n"
                    "%y float32[1x4] = softmax(%x) {beta=1} @\"s\"\noutput %y\n"),
            "input %x float32[1x4]\noutput %x\n");
}

TEST(OmitSoftmax, WithoutOneItSaysSo) {
  EXPECT_EQ(without("input %x float32[1x4]\n%y float32[1x4] = relu(%x) @\"r\"\noutput %y\n"),
            "no output of the model is made by a softmax");
}

}  // namespace
}  // namespace netkit
