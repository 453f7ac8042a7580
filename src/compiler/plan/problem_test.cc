// SPDX-License-Identifier: MIT
#include "compiler/plan/problem.h"

#include <gtest/gtest.h>

#include <string>

#include "compiler/plan/given_order.h"

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

// Steps A, B, C … that each write the tensor of their number; the graph input `x` is the last.
Problem steps_that_read(std::vector<std::vector<int>> reads) {
  Problem p;
  const int n = static_cast<int>(reads.size());
  for (int i = 0; i < n; ++i) {
    Step s;
    s.name = std::string(1, static_cast<char>('A' + i));
    s.inputs = reads[static_cast<size_t>(i)];
    s.outputs = {i};
    p.tensors.push_back({"t" + s.name, 16});
    p.steps.push_back(s);
  }
  p.tensors.push_back({"x", 16});
  p.inputs = {n};
  p.outputs = {n - 1};
  return p;
}

TEST(CheckProblem, ACycleIsNamed) {
  // A reads x; C and D feed each other; B stands after the cycle and E on none.
  const auto checked = check_problem(steps_that_read({{5}, {2}, {0, 3}, {2}, {0}}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().where, "C");
  EXPECT_EQ(checked.error().items,
            (std::vector<std::string>{"'C' waits for 'D'", "'D' waits for 'C'"}));
  const std::vector<int> own = {0};
  EXPECT_EQ(check_problem(steps_that_read({own})).error().items.size(), 1u);
}

TEST(CheckProblem, BothSidesOfAContradictionAreNamed) {
  Problem p = steps_that_read({{3}, {0}, {1}});
  p.steps[2].outputs.push_back(0);
  EXPECT_EQ(refusal(p), "tensor has two writers, 'A' and 'C'");
  p = steps_that_read({{3}, {0}, {1}});
  p.steps[2].name = "A";
  EXPECT_EQ(refusal(p), "two operators have this name, number 0 and number 2 from 0");
}

TEST(CheckGivenOrder, NamesStepTensorAndWriter) {
  EXPECT_TRUE(check_given_order(steps_that_read({{3}, {0}, {1}})));
  const auto checked = check_given_order(steps_that_read({{3}, {2}, {0}}));
  ASSERT_FALSE(checked);
  EXPECT_EQ(checked.error().where, "B");
  EXPECT_EQ(checked.error().message,
            "the given order runs a step before its inputs are there: 'tC' is written by 'C', "
            "which stands after it");
}

}  // namespace
}  // namespace netkit::plan
