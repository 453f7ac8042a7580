// SPDX-License-Identifier: MIT
// Every field of a certificate is changed, one at a time; what is accepted all the same is listed
// here, with the reason why it is as right as before.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>

#include "compiler/plan/check/certificate.h"
#include "compiler/plan/check/checker.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/testing/certificate_graphs.h"

namespace netkit::plan {
namespace {

using Paths = std::set<std::string>;

Json certificate(const char* graph) {
  const auto problem = parse_graph(graph);
  EXPECT_TRUE(problem.has_value());
  const auto text = certify(*problem, {});
  EXPECT_TRUE(text.has_value());
  return Json::parse(*text);
}

bool accepted(const Json& certificate) {
  const auto verdicts = check_certificate(certificate.dump());
  return verdicts && std::ranges::all_of(*verdicts, [&](const PlanVerdict& v) {
           return v.valid && v.bound_verified;
         });
}

class Changes {
 public:
  explicit Changes(const Json& good) : root_(good), words_({"?", "best", "given", "caller"}) {
    EXPECT_TRUE(accepted(root_));
    words_.insert({"keep_inputs", "search", "step", "input", "output", "state", "activation"});
    const Json flat = good.flatten();
    for (const auto& [path, value] : flat.items()) {
      if (value.is_string()) words_.insert(value.get<std::string>());
    }
  }

  // The paths at which some change was accepted.
  Paths run() {
    change(root_, "");
    return accepted_;
  }
  int caught() const { return caught_; }

 private:
  void judge(const std::string& path) {
    if (accepted(root_)) {
      accepted_.insert(path);
    } else {
      ++caught_;
    }
  }

  // Numbers up and down, the other truth, every other word of the certificate; lists lose each
  // item, and those of plans repeat and swap them. Left out of the graph: what says the same, as a
  // sequence without a meaning or 0 where nothing is said.
  std::vector<Json> others(const Json& value, bool of_plan) const {
    std::vector<Json> out;
    if (of_plan) out.push_back(nullptr);
    if (value.is_boolean()) out.push_back(!value.get<bool>());
    for (const int64_t step : {1, -1, 16, -16, 4096}) {
      if (value.is_number() && value.get<int64_t>() + step >= 0) {
        out.push_back(value.get<int64_t>() + step);
      }
    }
    for (const std::string& word : words_) {
      if (value.is_string() && value != word) out.push_back(word);
    }
    for (size_t i = 0; value.is_array() && i < value.size(); ++i) {
      Json less = value, more = value, swapped = value;
      less.erase(i);
      out.push_back(less);
      if (!of_plan) continue;
      more.push_back(value[i]);
      std::swap(swapped[i], swapped[i / 2]);
      out.push_back(more);
      if (swapped != value) out.push_back(swapped);
    }
    return out;
  }

  void change(Json& at, const std::string& path) {
    if (path.ends_with("/witness/taken") || path.ends_with("/witness/left")) return;
    const bool of_plan = path.starts_with("/plans/");
    if (at.is_object()) {
      const Json before = at;
      for (const auto& [key, value] : before.items()) {
        at.erase(key);
        if (of_plan) judge(path + "/" + key);
        at = before;
        change(at[key], path + "/" + key);
      }
      return;
    }
    const Json before = at;
    for (const Json& other : others(before, of_plan)) {
      at = other;
      judge(path);
    }
    at = before;
    for (size_t i = 0; at.is_array() && i < at.size(); ++i) {
      change(at[i], path + "/" + std::to_string(i));
    }
  }

  Json root_;
  std::set<std::string> words_;
  Paths accepted_;
  int caught_ = 0;
};

// Right all the same: `given`, where the plan's order is the graph's own; buffers in another
// sequence; offsets that move into free space; a distance of an overlap that the plan keeps all the
// same. Within the cases of views, where other steps show the bound too, nothing is changed.
struct Case {
  const char* graph;
  Paths right;
};
const Case kCases[] = {
    {testing::kOverlapGraph,
     {"/order", "/graph/ops/0/overlap/0/backward_bytes", "/plans/0/buffers", "/plans/1/buffers",
      "/plans/0/buffers/4/offset", "/plans/0/buffers/5/offset", "/plans/0/buffers/6/offset",
      "/plans/0/buffers/7/offset", "/plans/1/buffers/0/offset", "/plans/1/buffers/5/offset",
      "/plans/1/buffers/6/offset", "/plans/1/buffers/7/offset"}},
    {testing::kCutGraph,
     {"/plans/0/buffers", "/plans/1/buffers", "/plans/0/buffers/1/offset",
      "/plans/0/buffers/4/offset", "/plans/0/buffers/7/offset", "/plans/1/buffers/1/offset",
      "/plans/1/buffers/4/offset", "/plans/1/buffers/7/offset"}},
    {testing::kViewGraph,
     {"/order", "/graph/ops/0/inputs", "/plans/0/steps/1/views", "/plans/1/steps/1/views",
      "/plans/0/buffers", "/plans/1/buffers", "/plans/0/buffers/0/offset",
      "/plans/0/buffers/6/offset", "/plans/1/buffers/0/offset", "/plans/1/buffers/6/offset"}},
};

TEST(CertificateChange, OfAnyFieldIsCaught) {
  for (const Case& each : kCases) {
    Changes changes(certificate(each.graph));
    EXPECT_EQ(changes.run(), each.right) << each.graph;
    EXPECT_GT(changes.caught(), 1000);
  }
}

}  // namespace
}  // namespace netkit::plan
