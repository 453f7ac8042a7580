// SPDX-License-Identifier: MIT
#include "compiler/plan/problem.h"

#include <gtest/gtest.h>

#include <string>

namespace netkit::plan {
namespace {

// A step that reads a, b and c of the given sizes and writes out of 256 bytes.
Problem three_into_one(int64_t a, int64_t b, int64_t c, std::vector<View> views) {
  Problem p;
  p.tensors = {{"a", a}, {"b", b}, {"c", c}, {"out", 256}};
  Step s;
  s.name = "join";
  s.inputs = {0, 1, 2};
  s.outputs = {3};
  s.views = std::move(views);
  p.steps = {s};
  p.inputs = {0, 1, 2};
  p.outputs = {3};
  return p;
}

std::string refusal(const Problem& p) {
  const auto checked = check_problem(p);
  return checked ? "" : checked.error().message;
}

TEST(CheckProblem, PartsOfAnOutputShareNoBytes) {
  const std::string shared = "two inputs are views of the same bytes of an output";
  EXPECT_EQ(refusal(three_into_one(100, 56, 100, {{0, 0, 0}, {1, 0, 100}, {2, 0, 156}})), "");
  EXPECT_EQ(refusal(three_into_one(100, 56, 100, {{0, 0, 0}, {1, 0, 99}, {2, 0, 156}})), shared);
  EXPECT_EQ(refusal(three_into_one(200, 10, 10, {{0, 0, 0}, {1, 0, 200}, {2, 0, 190}})), shared);
}

TEST(CheckProblem, AnOutputInsideAnInputHasNoOtherParts) {
  const std::string shared = "two inputs are views of the same bytes of an output";
  EXPECT_EQ(refusal(three_into_one(256, 16, 16, {{0, 0, 0}, {1, 0, 32}})), shared);
  EXPECT_EQ(refusal(three_into_one(256, 512, 16, {{0, 0, 0}, {1, 0, 256}})), shared);
  EXPECT_EQ(refusal(three_into_one(512, 16, 16, {{0, 0, 256}})), "");
}

}  // namespace
}  // namespace netkit::plan
