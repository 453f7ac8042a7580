// SPDX-License-Identifier: MIT
#include "compiler/driver/concats.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "compiler/driver/assemble.h"
#include "compiler/driver/session.h"
#include "compiler/emit/nk/nk_writer.h"
#include "compiler/passes/pass_check.h"
#include "compiler/passes/passes.h"
#include "compiler/select/select.h"

namespace netkit::driver {
namespace {

// Two concatenations of channels: behind the first the net gets narrow (its reader reads the parts:
// 1,024 + 256 B at its step, where the concatenation alone would take 2,048), behind the second it
// gets wide (made, the wide output overwrites it: 1,280 B and some; of parts it overwrites one).
const char kNet[] = R"(input %x int8[1x8x8x3] q(0.5,3)
const %w int8[8x1x1x3] q(0.1,0) = splat 2
const %v int8[4x1x1x16] q(0.1,0) = splat 1
const %u int8[4x1x1x4] q(0.1,0) = splat 3
const %t int8[20x1x1x8] q(0.1,0) = splat 2
const %s int8[1x1x1x20] q(0.1,0) = splat 1
%a int8[1x8x8x8] q(0.5,3) = conv2d(%x, %w) @"a"
%b int8[1x8x8x8] q(0.5,3) = conv2d(%x, %w) @"b"
%i int8[1x8x8x16] q(0.5,3) = concat(%a, %b) {axis=3} @"i"
%c int8[1x8x8x4] q(0.5,3) = conv2d(%i, %v) @"c"
%d int8[1x8x8x4] q(0.5,3) = conv2d(%c, %u) @"d"
%e int8[1x8x8x4] q(0.5,3) = conv2d(%d, %u) @"e"
%o int8[1x8x8x8] q(0.5,3) = concat(%d, %e) {axis=3} @"o"
%f int8[1x8x8x20] q(0.5,3) = conv2d(%o, %t) @"f"
%y int8[1x8x8x1] q(0.5,3) = conv2d(%f, %s) @"y"
output %y
)";

Compilation compiled(CompileOptions& options, bool choose) {
  const Target& target = *find_target("generic");
  Compilation c;
  c.lowered = check::parsed(kNet);
  EXPECT_TRUE(compile_lowered(target, options, c));
  EXPECT_TRUE(!choose || choose_concats(target, options, c));
  return c;
}

int64_t arena_without(std::vector<std::string> passes) {
  CompileOptions options;
  options.disabled_passes = std::move(passes);
  return compiled(options, false).layout.arena_bytes;
}

TEST(Concats, AreMadeOrReadInPartsEachForItself) {
  CompileOptions options;
  const Compilation best = compiled(options, true);
  EXPECT_EQ(options.disabled_passes, std::vector<std::string>{"read-parts=o"});
  EXPECT_TRUE(best.layout.proven_minimal);
  EXPECT_EQ(best.layout.arena_bytes, arena_without({"read-parts=o"}));
  EXPECT_LT(best.layout.arena_bytes, 1'400);
  EXPECT_EQ(arena_without({}), 1'544);
  EXPECT_EQ(arena_without({std::string(kReadParts)}), 2'048);
  EXPECT_GT(arena_without({"read-parts=i"}), best.layout.arena_bytes);

  auto session = Session::from_nk(*write_nk(assemble(best.schedule, best.layout)), "net");
  ASSERT_TRUE(session);
  const Graph graph = check::parsed(kNet);
  for (uint64_t seed = 1; seed < 4; ++seed) {
    const auto inputs = check::some_inputs(graph, seed);
    session->poison(static_cast<uint8_t>(0xA5 + seed));
    const auto got = session->run({*inputs[0]});
    const auto expected = evaluate_graph(graph, inputs, int64_t{1} << 30);
    ASSERT_TRUE(got && expected);
    EXPECT_EQ((*got)[0], *(*expected)[0]) << seed;
  }
}

TEST(Concats, NotFittingIsProvenForEveryChoice) {
  CompileOptions options;
  const int64_t best = compiled(options, true).layout.arena_bytes;
  for (const int64_t ram : {int64_t{200}, best - 1, best, int64_t{1'552}}) {
    CompileOptions limited;
    limited.plan.ram_bytes = ram;
    EXPECT_EQ(compiled(limited, true).layout.verdict,
              ram < best ? plan::Verdict::kProvenNoFit : plan::Verdict::kFits)
        << ram;
  }
}

TEST(Concats, AnUnknownNameIsRefused) {
  CompileOptions options;
  options.disabled_passes = {"read-parts=none"};
  Compilation c;
  c.lowered = check::parsed(kNet);
  const auto done = compile_lowered(*find_target("generic"), options, c);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::kUsage);
}

}  // namespace
}  // namespace netkit::driver
