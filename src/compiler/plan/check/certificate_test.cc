// SPDX-License-Identifier: MIT
#include "compiler/plan/check/certificate.h"

#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>

#include "compiler/plan/check/checker.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/testing/certificate_graphs.h"

namespace netkit::plan {
namespace {

Json certificate() {
  const auto problem = parse_graph(testing::kOverlapGraph);
  EXPECT_TRUE(problem.has_value());
  const auto text = certify(*problem, {});
  EXPECT_TRUE(text.has_value());
  return Json::parse(*text);
}

bool accepts(const Json& certificate) {
  const auto verdicts = check_certificate(certificate.dump());
  if (!verdicts) return false;
  for (const PlanVerdict& v : *verdicts) {
    if (!v.valid || !v.bound_verified) return false;
  }
  return true;
}

TEST(Certificate, IsAcceptedInBothClasses) {
  const auto verdicts = check_certificate(certificate().dump());
  ASSERT_TRUE(verdicts.has_value()) << verdicts.error().message;
  ASSERT_EQ(verdicts->size(), 2u);
  EXPECT_EQ((*verdicts)[0].plan_class, "plain");
  EXPECT_EQ((*verdicts)[1].plan_class, "overlap");
  for (const PlanVerdict& v : *verdicts) {
    EXPECT_TRUE(v.valid) << v.invalid_reason;
    EXPECT_TRUE(v.bound_verified) << v.plan_class << ' ' << v.how;
    EXPECT_EQ(v.arena_bytes, v.lower_bound_bytes);
  }
}

// An offset that moves a buffer onto a neighbour, or out of the arena, is caught; one that moves
// it into free space is another right plan.
TEST(Certificate, EveryBufferOntoEveryNeighbourIsCaught) {
  const Json good = certificate();
  int caught = 0;
  for (size_t p = 0; p < good["plans"].size(); ++p) {
    const Json& buffers = good["plans"][p]["buffers"];
    for (size_t a = 0; a < buffers.size(); ++a) {
      for (size_t b = 0; b < buffers.size(); ++b) {
        const bool together = a != b && buffers[a]["first_step"] < buffers[b]["last_step"] &&
                              buffers[b]["first_step"] < buffers[a]["last_step"];
        if (!together) continue;
        Json bad = good;
        bad["plans"][p]["buffers"][a]["offset"] = buffers[b]["offset"];
        EXPECT_FALSE(accepts(bad)) << buffers[a]["name"] << " onto " << buffers[b]["name"];
        ++caught;
      }
      Json bad = good;
      bad["plans"][p]["buffers"][a]["offset"] = buffers[a]["offset"].get<int64_t>() + 8;
      EXPECT_FALSE(accepts(bad)) << "misaligned " << buffers[a]["name"];
      bad["plans"][p]["buffers"].erase(a);
      EXPECT_FALSE(accepts(bad)) << "without " << buffers[a]["name"];
    }
  }
  EXPECT_GT(caught, 4);
}

TEST(Certificate, WrongOrdersAreCaught) {
  const Json good = certificate();
  for (size_t i = 0; i + 1 < good["plans"][0]["order"].size(); ++i) {
    Json bad = good;
    Json& plan = bad["plans"][0];
    std::swap(plan["order"][i], plan["order"][i + 1]);
    EXPECT_FALSE(accepts(bad)) << "swapped at " << i;
    bad = good;
    bad["plans"][0]["order"][i] = good["plans"][0]["order"][i + 1];
    EXPECT_FALSE(accepts(bad)) << "twice at " << i;
  }
}

TEST(Certificate, AnUnreachableBoundIsNotVerified) {
  Json bad = certificate();
  Json& plan = bad["plans"][0];
  plan["witness"] = {{"kind", "search"}};
  EXPECT_TRUE(accepts(bad));
  plan["arena_bytes"] = plan["lower_bound_bytes"] = plan["arena_bytes"].get<int64_t>() + 1;
  EXPECT_FALSE(accepts(bad));
  plan["witness"] = {{"kind", "none"}};
  EXPECT_FALSE(accepts(bad));
}

// What is wrong with a witness says nothing against the plan.
TEST(Certificate, ABadWitnessIsNoBadPlan) {
  struct Fault {
    const char* witness;
    const char* how;
  };
  const Fault faults[] = {
      {"null", "is malformed"},
      {"7", "is malformed"},
      {R"({"kind":"none"})", "is malformed"},
      {R"({"kind":"step"})", "malformed: witness.op is missing"},
      {R"({"kind":"step","op":7})", "malformed: witness.op is no text"},
      {R"({"kind":"step","op":"zz"})", "there is no 'zz'"},
      {R"({"kind":"search","op":"A"})", "malformed: witness.op is no known field"},
      {R"({"kind":"step","op":"C"})", "shows less"},
      {R"({"kind":"step","op":"A","chains":[{"bytes":8,"tensors":["y"]}]})", "breaks at y"},
      {R"({"kind":"step","op":"Y","chains":[{"bytes":8,"tensors":[]}]})", "ends too early"},
      {R"({"kind":"views","op":"A","view":0,"taken":{},"left":{}})", "view 0 does not exist"},
  };
  Json bad = certificate();
  for (const Fault& f : faults) {
    bad["plans"][0]["witness"] = Json::parse(f.witness);
    const auto verdicts = check_certificate(bad.dump());
    ASSERT_TRUE(verdicts.has_value()) << verdicts.error().message;
    EXPECT_TRUE((*verdicts)[0].valid) << f.witness << (*verdicts)[0].invalid_reason;
    EXPECT_FALSE((*verdicts)[0].bound_verified) << f.witness;
    EXPECT_NE((*verdicts)[0].how.find(f.how), std::string::npos) << (*verdicts)[0].how;
  }
}

TEST(Certificate, OverlapsAndModesForScratchAreCountedAsTheyArePlaced) {
  for (const auto& [graph, arena] : std::map<const char*, int64_t>{{testing::kPairGraph, 50},
                                                                   {testing::kScratchModeGraph, 14},
                                                                   {testing::kSlackModeGraph, 5}}) {
    const auto problem = parse_graph(graph);
    ASSERT_TRUE(problem.has_value()) << problem.error().message;
    const Json good = Json::parse(*certify(*problem, {}));
    EXPECT_EQ(good["plans"][1]["arena_bytes"], arena);
    EXPECT_TRUE(accepts(good)) << good;
  }
}

// Fields that the format does not have, or in another way, and text that goes on.
TEST(Certificate, OnlyTheDocumentedFieldsAreAccepted) {
  struct Fault {
    const char* path;
    const char* value;
    const char* where;
    const char* message;
  };
  const Fault faults[] = {
      {"/more", "1", "more", "no known field"},
      {"/graph/more", "1", "graph.more", "no known field"},
      {"/graph/tensors/0/dtype", "1", "graph.tensors[0].dtype", "no known field"},
      {"/graph/ops/1/scratch", "1", "graph.ops[1].scratch", "no known field"},
      {"/graph/ops/0/overlap/0/mode", "1", "graph.ops[0].overlap[0].mode", "no known field"},
      {"/plans/0/seconds", "1", "plans[0].seconds", "no known field"},
      {"/plans/0/steps/2/live", "[]", "plans[0].steps[2].live", "no known field"},
      {"/plans/0/buffers/2/overlaps", "[]", "plans[0].buffers[2].overlaps", "no known field"},
      {"/order", "\"any\"", "order", "is not best|given"},
      {"/in_out", "null", "in_out", "is not inside|caller|keep_inputs"},
      {"/plans/1/class", "\"plain\"", "plans[1].class", "is plain, as that of another plan"},
      {"/plans/1/proven_minimal", "false", "plans[1].proven_minimal", "contradicts arena_bytes"},
      {"/plans/1/classes/plain", "3", "plans[1].classes", "something else than the plans"},
      {"/graph/tensors/3/bytes", "9007199254740993", "graph.tensors[3].bytes", "0 to 2^53"},
      {"/plans/0/buffers/1/offset", "-16", "plans[0].buffers[1].offset", "0 to 2^53"},
      {"/plans", "[]", "plans", "holds no plan"},
      {"/format", "\"netkit-certificate/2\"", "format", "is no netkit-certificate/1"}};
  for (const Fault& f : faults) {
    Json bad = certificate();
    bad[Json::json_pointer(f.path)] = Json::parse(f.value);
    const auto verdicts = check_certificate(bad.dump());
    ASSERT_FALSE(verdicts) << f.path;
    EXPECT_EQ(verdicts.error().where, f.where) << verdicts.error().message;
    EXPECT_NE(verdicts.error().message.find(f.message), std::string::npos)
        << f.path << ": " << verdicts.error().message;
  }
  const std::string text = certificate().dump();
  EXPECT_TRUE(check_certificate(text + " \n"));
  EXPECT_FALSE(check_certificate(text + std::string(1, '\0')));
  EXPECT_FALSE(check_certificate(text + "{}"));
  EXPECT_FALSE(check_certificate("{\"order\":\"best\"," + text.substr(1)));
}

TEST(Certificate, AMinimumCutIsShownByChains) {
  const auto problem = parse_graph(testing::kCutGraph);
  ASSERT_TRUE(problem.has_value());
  const Json good = Json::parse(*certify(*problem, {}));
  const auto verdicts = check_certificate(good.dump());
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_EQ((*verdicts)[0].how, "cut");
  EXPECT_TRUE(accepts(good));
  const Json& chain = good["plans"][0]["witness"]["chains"][0];
  ASSERT_EQ(chain["tensors"].size(), 4u);
  EXPECT_EQ(chain["bytes"], 64);
  for (size_t i = 0; i < chain["tensors"].size(); ++i) {  // with a link left out
    Json bad = good;
    bad["plans"][0]["witness"]["chains"][0]["tensors"].erase(i);
    EXPECT_FALSE(accepts(bad)) << i;
  }
  Json bad = good;
  bad["plans"][0]["witness"]["chains"][0]["bytes"] = 80;
  EXPECT_FALSE(accepts(bad));
  bad = good;
  bad["plans"][0]["witness"]["chains"].push_back(chain);
  EXPECT_FALSE(accepts(bad));
}

TEST(Certificate, AViewElsewhereThanStatedIsCaught) {
  const auto problem = parse_graph(testing::kViewGraph);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  const Json good = Json::parse(*certify(*problem, {}));
  const auto verdicts = check_certificate(good.dump());
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_TRUE((*verdicts)[0].valid) << (*verdicts)[0].invalid_reason;
  int aliases = 0;
  for (size_t b = 0; b < good["plans"][0]["buffers"].size(); ++b) {
    if (!good["plans"][0]["buffers"][b].contains("alias_of")) continue;
    Json bad = good;
    Json& offset = bad["plans"][0]["buffers"][b]["offset"];
    offset = offset.get<int64_t>() + (offset.get<int64_t>() == 0 ? 16 : -16);
    const auto wrong = check_certificate(bad.dump());
    ASSERT_TRUE(wrong.has_value());
    EXPECT_FALSE((*wrong)[0].valid);
    ++aliases;
  }
  EXPECT_GT(aliases, 1);
}

// An output ends at the last step, but is not dead then.
TEST(Certificate, AnOutputThatIsOverwrittenIsCaught) {
  const auto problem = parse_graph(testing::kTwoOutputsGraph);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  Json bad = Json::parse(*certify(*problem, {}));
  ASSERT_TRUE(accepts(bad));
  Json& plan = bad["plans"][1];
  plan["steps"][1]["overlap"] = 0;
  plan["buffers"][2]["offset"] = plan["buffers"][1]["offset"];
  const auto verdicts = check_certificate(bad.dump());
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_FALSE((*verdicts)[1].valid);
  EXPECT_EQ((*verdicts)[1].invalid_reason, "b over a: an overlap that cannot be or is not used");
}

// An input without a reader is there when the first operator runs, whichever that is.
TEST(Certificate, AnInputWithoutAReaderCounts) {
  const auto problem = parse_graph(testing::kUnreadInputGraph);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  const Json good = Json::parse(*certify(*problem, {}));
  EXPECT_EQ(good["plans"][0]["lower_bound_bytes"], 48);
  EXPECT_TRUE(accepts(good));
}

TEST(Certificate, AnOverlapThatIsNotUsedIsCaught) {
  const auto problem = parse_graph(testing::kTwoOutputsGraph);
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  Json bad = Json::parse(*certify(*problem, {}));
  bad["plans"][1]["steps"][1]["overlap"] = 0;
  EXPECT_FALSE(accepts(bad));
}

// A mode that needs less scratch counts only where its input dies; the bound counts on that.
TEST(Certificate, AModeIsNotTakenForItsScratchAlone) {
  const auto problem = parse_graph(R"({"format":"netkit-graph/1","alignment":1,
    "tensors":[{"name":"in","bytes":1},{"name":"k","bytes":1},{"name":"out","bytes":5}],
    "ops":[{"name":"o0","inputs":["in"],"outputs":["k"]},
           {"name":"o1","inputs":["k"],"outputs":["out"],"scratch_bytes":4,
            "overlap":[{"input":0,"output":0,"forward_bytes":0,"scratch_bytes":2}]}],
    "inputs":["in"],"outputs":["k","out"]})");
  ASSERT_TRUE(problem.has_value()) << problem.error().message;
  Json bad = Json::parse(*certify(*problem, {}));
  ASSERT_TRUE(accepts(bad));
  Json& plan = bad["plans"][1];
  ASSERT_EQ(plan["arena_bytes"], 10);
  plan["steps"][1]["overlap"] = 0;
  const std::map<std::string, int> offsets{{"k", 0}, {"out", 1}, {"o1.scratch", 6}, {"in", 1}};
  for (Json& buffer : plan["buffers"]) {
    buffer["offset"] = offsets.at(buffer["name"].get<std::string>());
    if (buffer["name"] == "o1.scratch") buffer["bytes"] = 2;
  }
  const Json summary = {{"arena_bytes", 8}, {"lower_bound_bytes", 8}, {"proven_minimal", true}};
  plan.update(summary);
  for (Json& each : bad["plans"]) each["classes"]["overlap"] = summary;
  const auto verdicts = check_certificate(bad.dump());
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_FALSE((*verdicts)[1].valid);
}

TEST(Certificate, AGraphMayListItsOperatorsInAnyOrder) {
  auto problem = parse_graph(testing::kOverlapGraph);
  ASSERT_TRUE(problem.has_value());
  std::ranges::reverse(problem->steps);
  EXPECT_TRUE(accepts(Json::parse(*certify(*problem, {}))));
}

// What is too large is not wrong.
TEST(Certificate, AGraphOfTooManyOperatorsIsNotChecked) {
  Json large = certificate();
  for (int i = 0; i < 5000; ++i) large["graph"]["ops"].push_back({{"name", std::to_string(i)}});
  const auto verdicts = check_certificate(large.dump());
  ASSERT_TRUE(verdicts.has_value()) << verdicts.error().message;
  ASSERT_EQ(verdicts->size(), 2u);
  for (const PlanVerdict& v : *verdicts) {
    EXPECT_EQ(v.unchecked, "too large to check: 5005 operators, at most 5000");
    EXPECT_EQ(v.how, v.unchecked);
    EXPECT_EQ(v.invalid_reason, "");
    EXPECT_FALSE(v.valid || v.bound_verified);
    EXPECT_EQ(v.order + " " + v.in_out, "best inside");
  }
}

TEST(Certificate, BrokenTextIsAnError) {
  const std::string text = certificate().dump();
  for (size_t cut = 0; cut < text.size(); cut += 37) {
    EXPECT_FALSE(check_certificate(text.substr(0, cut)).has_value());
  }
  for (const char* wrong : {"[]", "{}", "3", R"({"format":"netkit-certificate/1"})"}) {
    EXPECT_FALSE(check_certificate(wrong).has_value());
  }
  Json bad = certificate();
  bad["graph"]["tensors"][0]["bytes"] = 9.5;
  EXPECT_FALSE(check_certificate(bad.dump()).has_value());
  bad["graph"]["tensors"][0]["bytes"] = int64_t{1} << 60;
  EXPECT_FALSE(check_certificate(bad.dump()).has_value());
}

}  // namespace
}  // namespace netkit::plan
