// SPDX-License-Identifier: MIT
#include "compiler/plan/check/certificate.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compiler/plan/check/certificate_check.h"
#include "compiler/plan/io/json.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::ordered_json;

// A branch, scratch, an overlap with a distance and one in place; alignment with slack.
const char kGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":300},{"name":"a","bytes":500},{"name":"b","bytes":500},
            {"name":"c","bytes":120},{"name":"d","bytes":130},{"name":"y","bytes":64}],
 "ops":[{"name":"A","inputs":["x"],"outputs":["a"],"scratch_bytes":40,
         "overlap":[{"input":0,"output":0,"backward_bytes":32,"scratch_bytes":48}]},
        {"name":"B","inputs":["a"],"outputs":["b"],
         "overlap":[{"input":0,"output":0,"forward_bytes":0}]},
        {"name":"C","inputs":["b"],"outputs":["c"],"scratch_bytes":20},
        {"name":"D","inputs":["b"],"outputs":["d"]},
        {"name":"Y","inputs":["c","d"],"outputs":["y"]}],
 "inputs":["x"],"outputs":["y"]})";

Json certificate() {
  const auto problem = parse_graph(kGraph);
  EXPECT_TRUE(problem.has_value());
  const auto text = certify(*problem, {});
  EXPECT_TRUE(text.has_value());
  return Json::parse(*text);
}

bool accepted(const Json& certificate) {
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

// Adds 16 to, then takes 16 from, every number under `at`, one at a time.
void mutate_numbers(Json& root, Json& at, const std::string& path, int& caught, int& missed) {
  if (at.is_structured()) {
    for (auto it = at.begin(); it != at.end(); ++it) {
      const std::string key = at.is_object() ? it.key() : std::to_string(it - at.begin());
      mutate_numbers(root, *it, path + "/" + key, caught, missed);
    }
    return;
  }
  if (!at.is_number()) return;
  const Json before = at;
  for (const int change : {16, -16}) {
    if (before.get<int64_t>() + change < 0) continue;
    at = before.get<int64_t>() + change;
    if (accepted(root)) {
      ++missed;
      ADD_FAILURE() << path << " changed by " << change << " and nobody noticed";
    } else {
      ++caught;
    }
  }
  at = before;
}

TEST(Certificate, WrongOffsetsSizesAndBoundsAreCaught) {
  Json root = certificate();
  int caught = 0, missed = 0;
  for (Json& plan : root["plans"]) {
    for (Json& buffer : plan["buffers"]) {
      mutate_numbers(root, buffer["bytes"], buffer["name"].get<std::string>(), caught, missed);
    }
    mutate_numbers(root, plan["arena_bytes"], "arena_bytes", caught, missed);
    mutate_numbers(root, plan["lower_bound_bytes"], "lower_bound_bytes", caught, missed);
  }
  for (Json& tensor : root["graph"]["tensors"]) {
    mutate_numbers(root, tensor["bytes"], tensor["name"].get<std::string>(), caught, missed);
  }
  EXPECT_GT(caught, 40);
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
        EXPECT_FALSE(accepted(bad)) << buffers[a]["name"] << " onto " << buffers[b]["name"];
        ++caught;
      }
      Json bad = good;
      bad["plans"][p]["buffers"][a]["offset"] = buffers[a]["offset"].get<int64_t>() + 8;
      EXPECT_FALSE(accepted(bad)) << "misaligned " << buffers[a]["name"];
      bad["plans"][p]["buffers"].erase(a);
      EXPECT_FALSE(accepted(bad)) << "without " << buffers[a]["name"];
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
    EXPECT_FALSE(accepted(bad)) << "swapped at " << i;
    bad = good;
    bad["plans"][0]["order"][i] = good["plans"][0]["order"][i + 1];
    EXPECT_FALSE(accepted(bad)) << "twice at " << i;
  }
}

TEST(Certificate, AnUnreachableBoundIsNotVerified) {
  Json bad = certificate();
  Json& plan = bad["plans"][0];
  plan["witness"] = {{"kind", "search"}};
  EXPECT_TRUE(accepted(bad));
  plan["arena_bytes"] = plan["lower_bound_bytes"] = plan["arena_bytes"].get<int64_t>() + 1;
  EXPECT_FALSE(accepted(bad));
  plan["witness"] = {{"kind", "none"}};
  EXPECT_FALSE(accepted(bad));
}

// Beside Q, of y, P1, P2, P3 one is always alive, but none in every order: only a cut shows it.
const char kCutGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":900},{"name":"y","bytes":96},{"name":"p1","bytes":64},
            {"name":"p2","bytes":80},{"name":"p3","bytes":112},{"name":"q","bytes":900},
            {"name":"q2","bytes":16},{"name":"z","bytes":16}],
 "ops":[{"name":"P1","inputs":["y"],"outputs":["p1"]},
        {"name":"P2","inputs":["p1"],"outputs":["p2"]},
        {"name":"P3","inputs":["p2"],"outputs":["p3"]},{"name":"Q","inputs":["x"],"outputs":["q"]},
        {"name":"Q2","inputs":["q"],"outputs":["q2"]},
        {"name":"Z","inputs":["p3","q2"],"outputs":["z"]}],
 "inputs":["x","y"],"outputs":["z"]})";

TEST(Certificate, AMinimumCutIsShownByChains) {
  const auto problem = parse_graph(kCutGraph);
  ASSERT_TRUE(problem.has_value());
  const Json good = Json::parse(*certify(*problem, {}));
  const auto verdicts = check_certificate(good.dump());
  ASSERT_TRUE(verdicts.has_value());
  EXPECT_EQ((*verdicts)[0].how, "cut");
  EXPECT_TRUE(accepted(good));
  const Json& chain = good["plans"][0]["witness"]["chains"][0];
  ASSERT_EQ(chain["tensors"].size(), 4u);
  EXPECT_EQ(chain["bytes"], 64);
  for (size_t i = 0; i < chain["tensors"].size(); ++i) {  // with a link left out
    Json bad = good;
    bad["plans"][0]["witness"]["chains"][0]["tensors"].erase(i);
    EXPECT_FALSE(accepted(bad)) << i;
  }
  Json bad = good;
  bad["plans"][0]["witness"]["chains"][0]["bytes"] = 80;
  EXPECT_FALSE(accepted(bad));
  bad = good;
  bad["plans"][0]["witness"]["chains"].push_back(chain);
  EXPECT_FALSE(accepted(bad));
}

// Halves of `a` as views of it, then put together again within `c`.
const char kViewGraph[] = R"({"format":"netkit-graph/1","alignment":16,
 "tensors":[{"name":"x","bytes":64},{"name":"a","bytes":128},{"name":"l","bytes":64},
            {"name":"r","bytes":64},{"name":"m","bytes":64},{"name":"c","bytes":128},
            {"name":"y","bytes":32}],
 "ops":[{"name":"A","inputs":["x"],"outputs":["a"]},
        {"name":"S","inputs":["a"],"outputs":["l","r"],
         "views":[{"input":0,"output":0,"offset_bytes":0},
                  {"input":0,"output":1,"offset_bytes":64}]},
        {"name":"M","inputs":["l"],"outputs":["m"]},
        {"name":"C","inputs":["m","r"],"outputs":["c"],
         "views":[{"input":0,"output":0,"offset_bytes":0},
                  {"input":1,"output":0,"offset_bytes":64}]},
        {"name":"Y","inputs":["c"],"outputs":["y"]}],
 "inputs":["x"],"outputs":["y"]})";

TEST(Certificate, AViewElsewhereThanStatedIsCaught) {
  const auto problem = parse_graph(kViewGraph);
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
