// SPDX-License-Identifier: MIT
// Copies that need not be made, from a graph to the bytes of a run: pieces and joints of tensors
// share memory, and the results are those of the reference kernels.
#include "compiler/driver/assemble.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/passes/pass_check.h"
#include "compiler/plan/plan.h"
#include "compiler/select/select.h"

namespace netkit::driver {
namespace {

struct Ran {
  plan::Layout layout;
  size_t steps = 0;  // that are left to run

  size_t views() const {
    return static_cast<size_t>(std::ranges::count_if(
        layout.buffers, [](const plan::LayoutBuffer& b) { return b.alias_of >= 0; }));
  }
};

// Plans `text`, runs it in a poisoned arena and compares with the reference kernels.
Ran plan_and_run(std::string_view text, plan::PlanClass widest = plan::PlanClass::kOverlap) {
  const Graph graph = check::parsed(text);
  const Target& target = *find_target("generic");
  const auto schedule = select(graph, target);
  EXPECT_TRUE(schedule) << schedule.error().message;
  if (!schedule) return {};
  plan::PlanOptions options;
  options.class_limit = widest;
  const auto layout = plan::plan(to_problem(*schedule, target.arena_alignment), options);
  EXPECT_TRUE(layout) << layout.error().message;
  if (!layout) return {};
  const Program program = assemble(*schedule, *layout);
  auto session = Session::from_nk(*write_nk(program), "graph");
  EXPECT_TRUE(session) << session.error().message;
  if (!session) return {*layout, program.order.size()};
  for (uint64_t seed = 1; seed < 4; ++seed) {
    const auto inputs = check::some_inputs(graph, seed);
    std::vector<Bytes> given;
    for (const ConstData& input : inputs) given.push_back(*input);
    session->poison(static_cast<uint8_t>(0xA5 + seed));
    const auto got = session->run(given);
    const auto expected = evaluate_graph(graph, inputs, int64_t{1} << 30);
    EXPECT_TRUE(got && expected);
    for (size_t o = 0; got && o < got->size(); ++o) EXPECT_EQ((*got)[o], *(*expected)[o]) << text;
  }
  return {*layout, program.order.size()};
}

TEST(Views, AContiguousSliceIsAPieceOfItsInput) {
  const Ran ran = plan_and_run(R"(input %x float32[4x64]
%e float32[4x64] = exp(%x)
%a float32[2x64] = slice(%e) {starts=[0,0], steps=[1,1], sizes=[2,64]}
%b float32[2x64] = slice(%e) {starts=[2,0], steps=[1,1], sizes=[2,64]}
%y float32[2x64] = add(%a, %b)
output %y
)");
  EXPECT_EQ(ran.steps, 2u);
  EXPECT_EQ(ran.views(), 2u);
}

TEST(Views, InputsOfAContiguousConcatAreMadeInTheirPlaces) {
  const Ran ran = plan_and_run(R"(input %x float32[2x64]
%a float32[2x64] = exp(%x)
%b float32[2x64] = sin(%x)
%c float32[4x64] = concat(%a, %b) {axis=0}
%y float32[4x64] = relu(%c)
output %y
)");
  EXPECT_EQ(ran.steps, 3u);
  EXPECT_EQ(ran.views(), 2u);
}

// One input is a constant, one stands twice: they are copied, beside what is in its place.
TEST(Views, AConcatCopiesWhatIsNotInItsPlace) {
  const Ran ran = plan_and_run(R"(input %x float32[2x64]
const %k float32[1x64] = splat 3
%a float32[2x64] = exp(%x)
%c float32[5x64] = concat(%a, %k, %a) {axis=0}
%y float32[5x64] = relu(%c)
output %y
)",
                               plan::PlanClass::kPlain);
  EXPECT_EQ(ran.steps, 3u);
  EXPECT_EQ(ran.views(), 1u);
}

// A piece of a piece, joined again; a slice that makes an output has memory of its own.
TEST(Views, ChainsOfPieces) {
  const Ran ran = plan_and_run(R"(input %x float32[4x64]
%a float32[3x64] = slice(%x) {starts=[1,0], steps=[1,1], sizes=[3,64]}
%b float32[1x64] = slice(%a) {starts=[1,0], steps=[1,1], sizes=[1,64]}
%s float32[1x64] = sin(%b)
%c float32[4x64] = concat(%a, %s) {axis=0}
%y float32[2x64] = slice(%c) {starts=[2,0], steps=[1,1], sizes=[2,64]}
output %y
output %b
)");
  EXPECT_GE(ran.steps, 3u);
  EXPECT_GE(ran.views(), 1u);
}

// Strided, reversed and narrow pieces are copied.
TEST(Views, OtherPiecesAreCopies) {
  for (const char* cut :
       {"{starts=[0,0], steps=[2,1], sizes=[2,64]}", "{starts=[3,0], steps=[-1,1], sizes=[2,64]}",
        "{starts=[0,32], steps=[1,-1], sizes=[2,32]}"}) {
    const bool narrow = std::string_view(cut).ends_with("32]}");
    const std::string shape = narrow ? "2x32" : "2x64";
    const Ran ran = plan_and_run("input %x float32[4x64]\n%a float32[" + shape + "] = slice(%x) " +
                                 cut + "\n%y float32[" + shape + "] = exp(%a)\noutput %y\n");
    EXPECT_EQ(ran.steps, 2u) << cut;
    EXPECT_EQ(ran.views(), 0u) << cut;
  }
}

// The output over one of the parts, in each mode that the planner may choose.
TEST(Parts, TheOutputMayLieOverAPart) {
  for (const char* kernel : {"1x1", "3x3"}) {
    const std::string pads = kernel[0] == '3' ? " {pads=[1,1,1,1]}" : "";
    const std::string text = std::string(R"(input %x uint8[1x8x8x16] q(0.5,128)
input %z uint8[1x8x8x8] q(0.5,128)
const %w uint8[16x)") + kernel +
                             R"(x24] q(0.01,100) = splat 120
const %v uint8[1x3x3x40] q(0.01,100) = splat 90
%a uint8[1x8x8x16] q(0.5,128) = conv2d_parts(%x, %w, _, %z))" +
                             pads + R"(
%b uint8[1x8x8x40] q(0.5,128) = dwconv2d_parts(%a, %v, _, %z, %x) {pads=[1,1,1,1]}
output %b
)";
    const Ran overlap = plan_and_run(text);
    const Ran plain = plan_and_run(text, plan::PlanClass::kPlain);
    EXPECT_LE(overlap.layout.arena_bytes, plain.layout.arena_bytes);
  }
  const char* pointwise = R"(input %x uint8[1x8x8x16] q(0.5,128)
input %z uint8[1x8x8x8] q(0.5,128)
const %w uint8[16x1x1x24] q(0.01,100) = splat 120
%a uint8[1x8x8x16] q(0.5,128) = conv2d_parts(%x, %w, _, %z)
output %a
)";
  EXPECT_LT(plan_and_run(pointwise).layout.arena_bytes, 64 * (24 + 16));
  EXPECT_EQ(plan_and_run(pointwise, plan::PlanClass::kPlain).layout.arena_bytes, 64 * (24 + 16));
}

}  // namespace
}  // namespace netkit::driver
