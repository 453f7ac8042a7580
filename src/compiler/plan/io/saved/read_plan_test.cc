// SPDX-License-Identifier: MIT
// A plan that was written reads back as it was; what is broken is named.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "compiler/plan/io/buffer_list_csv.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/plan.h"
#include "compiler/plan/testing/certificate_graphs.h"

namespace netkit::plan {
namespace {

constexpr const char* kSavedGraph = R"({"format":"netkit-graph/1","alignment":16,
"tensors":[{"name":"I","bytes":1600},{"name":"A","bytes":3200},{"name":"S","bytes":64},
           {"name":"F","bytes":1600}],
"ops":[{"name":"a","inputs":["I"],"outputs":["A"],"scratch_bytes":128},
       {"name":"f","inputs":["A","S"],"outputs":["F"],
        "overlap":[{"input":0,"output":0,"forward_bytes":0,"scratch_bytes":16}]}],
"inputs":["I"],"outputs":["F"],"states":["S"]})";

std::string plan_text() {
  const auto problem = parse_graph(kSavedGraph);
  EXPECT_TRUE(problem.has_value());
  auto layout = plan(*problem);
  EXPECT_TRUE(layout.has_value());
  layout->seconds = 0;
  return plan_json(*problem, *layout);
}

TEST(ReadPlan, RoundTrip) {
  const std::string text = plan_text();
  ASSERT_TRUE(is_plan_json(text));
  const auto saved = parse_plan(text);
  ASSERT_TRUE(saved.has_value()) << saved.error().message << " " << saved.error().where;
  EXPECT_EQ(plan_json(saved->problem, saved->layout), text);
}

TEST(ReadPlan, BrokenPlansAreRefusedByName) {
  struct BadPlan {
    const char* from;
    const char* to;
    const char* where;
  };
  const BadPlan cases[] = {{"netkit-plan/1", "netkit-plan/9", "format"},
                           {"\"kind\":\"state\"", "\"kind\":\"mood\"", "buffer 'S'.kind"},
                           {"\"first_step\":0", "\"first_step\":9", "buffer 'I'"},
                           {"\"bytes\":3200", "\"bytes\":99999999", "plan.arena_bytes"},
                           {"\"name\":\"A\"", "\"name\":\"I\"", "buffer 'I'"},
                           {"\"live\":[\"I\"", "\"live\":[\"X\"", "step 'a'.live"},
                           {"\"alignment\":16", "\"alignment\":-1", "plan.alignment"},
                           {"\"steps\":[", "\"stops\":[", "plan"}};
  for (const BadPlan& c : cases) {
    std::string text = plan_text();
    const size_t at = text.find(c.from);
    ASSERT_NE(at, std::string::npos) << c.from;
    text.replace(at, std::string(c.from).size(), c.to);
    const auto saved = parse_plan(text);
    ASSERT_FALSE(saved.has_value()) << c.to;
    EXPECT_EQ(saved.error().where, c.where) << saved.error().message;
  }
  for (size_t cut = 0; cut < plan_text().size(); cut += 7) {
    EXPECT_FALSE(parse_plan(plan_text().substr(0, cut)).has_value());
  }
}

// `text` with the number behind the first `key` after `place` set to `value`.
std::string with_number(std::string text, const std::string& place, const std::string& key,
                        const std::string& value) {
  const size_t from = text.find(place);
  EXPECT_NE(from, std::string::npos) << place;
  const size_t at = text.find(key, from);
  EXPECT_NE(at, std::string::npos) << key;
  const size_t begin = at + key.size();
  return text.replace(begin, text.find_first_of(",}", begin) - begin, value);
}

TEST(ReadPlan, APlanThatContradictsItselfIsRefused) {
  const std::string text = plan_text();
  std::string flat = text;
  for (size_t at = 0; (at = flat.find("\"offset\":", at)) != std::string::npos;) {
    at += 9;
    flat.replace(at, flat.find(',', at) - at, "0");
  }
  EXPECT_FALSE(parse_plan(flat));
  EXPECT_TRUE(is_plan_json("{ \"class\":\"plain\", \"format\" : \"netkit-plan/1\"}"));
  EXPECT_FALSE(is_plan_json(R"({"format":"netkit-certificate/1","plans":["netkit-plan/1"]})"));
  struct Change {
    const char *place, *key, *value;
  };
  for (const Change& c : {Change{"{", "\"tensor_sum_bytes\":", "1"},
                          {"{", "\"largest_tensor_bytes\":", "1"},
                          {"\"alignment\"", "\"proven_minimal\":", "false"},
                          {"\"steps\"", "\"live_bytes\":", "1"},
                          {"\"name\":\"A\"", "\"offset\":", "16"},
                          {"\"name\":\"I\"", "\"last_step\":", "1"}}) {
    const auto saved = parse_plan(with_number(text, c.place, c.key, c.value));
    EXPECT_FALSE(saved) << c.place << " " << c.key;
  }
}

TEST(ReadPlan, LivesThatAreGivenKeepTheirGaps) {
  Problem problem;
  Layout layout;
  for (const char* name : {"a", "b"}) {
    layout.tensor_buffer.push_back(static_cast<int>(layout.buffers.size()));
    LayoutBuffer b;
    b.name = name;
    b.bytes = 8;
    b.last_step = 9;
    b.tensor = layout.tensor_buffer.back();
    problem.tensors.push_back({name, 8});
    layout.buffers.push_back(b);
  }
  layout.arena_bytes = layout.lower_bound_bytes = layout.largest_tensor_bytes = 8;
  layout.given_order_peak_bytes = 8;
  layout.tensor_sum_bytes = 16;
  layout.proven_minimal = true;
  layout.classes = {{PlanClass::kPlain, 8, 8, true}};
  layout.buffers[1].first_step = 4;
  EXPECT_FALSE(parse_plan(plan_json(problem, layout))) << "both take all bytes from time 4 on";
  BufferGaps gaps = {{{{4, 7}, {0, 2}}, {{7, 10}, {3, 3}}}, {{{4, 7}, {2, 8}}}};
  const std::string text = plan_json(problem, layout, gaps);
  const auto saved = parse_plan(text);
  ASSERT_TRUE(saved) << saved.error().message;
  EXPECT_EQ(plan_json(saved->problem, saved->layout, saved->gaps), text);
  gaps[1][0].window.begin = 1;
  EXPECT_FALSE(parse_plan(plan_json(problem, layout, gaps)));
  gaps[1][0] = {{3, 7}, {2, 8}};
  EXPECT_FALSE(parse_plan(plan_json(problem, layout, gaps))) << "a gap before the life";
}

// Changes every field of a plan, one at a time: numbers up and down, each other word of the plan,
// the other truth, another type, nothing; fields and list entries left out, entries twice, swapped.
class PlanChanges {
 public:
  explicit PlanChanges(const std::string& text) : root_(Json::parse(text)) {
    words_ = {"?", "input", "activation", "output", "scratch", "state", "plain", "overlap"};
    const Json flat = root_.flatten();
    for (const auto& [path, value] : flat.items()) {
      if (value.is_string()) words_.insert(value.get<std::string>());
    }
    judge("unchanged");
    EXPECT_EQ(accepted_.erase("unchanged"), 1U);
    change(root_, "");
  }

  // What was accepted: "place" or "place how", "#" for every index.
  const std::set<std::string>& accepted() const { return accepted_; }
  int refused() const { return refused_; }

 private:
  void judge(const std::string& what) {
    const auto saved = parse_plan(root_.dump());
    if (saved) {
      accepted_.insert(std::regex_replace(what, std::regex("/[0-9]+"), "/#"));
      return;
    }
    ++refused_;
    EXPECT_FALSE(saved.error().message.empty() || saved.error().where.empty()) << what;
  }

  void change_to(Json& at, const Json& other, const std::string& what) {
    if (at == other) return;
    const Json before = std::exchange(at, other);
    judge(what);
    at = before;
  }

  void change_list(Json& at, const std::string& path) {
    const Json before = at;
    for (size_t i = 0; i < before.size(); ++i) {
      Json less = before, more = before, swapped = before;
      less.erase(i);
      more.push_back(before[i]);
      std::swap(swapped[i], swapped[i / 2]);
      change_to(at, less, path + " less");
      change_to(at, more, path + " more");
      change_to(at, swapped, path + " swapped");
      change(at[i], path + "/" + std::to_string(i));
    }
  }

  void change(Json& at, const std::string& path) {
    const Json before = at;
    for (const Json& other : {Json(), Json("?"), Json::array(), Json::object(), Json(0.5)}) {
      if (!path.empty() && other.type() != before.type()) change_to(at, other, path + " type");
    }
    if (before.is_boolean()) change_to(at, !before.get<bool>(), path);
    for (const int64_t step : {1, -1, 16, -16, 4096}) {
      if (before.is_number()) change_to(at, before.get<int64_t>() + step, path);
    }
    for (const std::string& word : words_) {
      if (before.is_string())
        change_to(at, word, path + (path.ends_with("/kind") ? " " + word : ""));
    }
    if (before.is_array()) change_list(at, path);
    if (!before.is_object()) return;
    for (const auto& [key, value] : before.items()) {
      at.erase(key);
      judge(path + "/" + key + " less");
      at = before;
      change(at[key], path + "/" + key);
    }
  }

  Json root_;
  std::set<std::string> words_, accepted_;
  int refused_ = 0;
};

std::string planned_text(const char* graph) {
  const auto problem = parse_graph(graph);
  const auto layout = plan(*problem);
  return plan_json(*problem, *layout);
}

std::string list_text() {
  const auto list = read_buffer_list("id,lower,upper,size,gaps\na,0,9,8,3-5@0:4\nb,3,5,4,\n", "l");
  Layout layout;
  Problem problem;
  BufferGaps gaps;
  for (const PlacementBuffer& b : list->problem.buffers) {
    LayoutBuffer to;
    to.name = list->ids[layout.buffers.size()];
    to.bytes = b.bytes;
    to.offset = b.lower == 0 ? 0 : 4;
    to.first_step = static_cast<int>(b.lower);
    to.last_step = static_cast<int>(b.upper) - 1;
    to.tensor = static_cast<int>(layout.buffers.size());
    layout.buffers.push_back(to);
    gaps.push_back(b.gaps);
  }
  layout.arena_bytes = layout.lower_bound_bytes = layout.largest_tensor_bytes = 8;
  layout.given_order_peak_bytes = 8;
  layout.tensor_sum_bytes = 12;
  layout.proven_minimal = true;
  layout.classes = {{PlanClass::kPlain, 8, 8, true}};
  return plan_json(problem, layout, gaps);
}

// As right as before, by what the plan itself says: an address that moves into free space, a list
// in another order, a class less or wider, and what only the graph knows: the figure of its given
// order, which of an op's modes and views was taken, how far its kernel may overlap, and the kind
// of a tensor, as far as its life allows it.
TEST(ReadPlan, EveryChangeOfAFieldIsRefusedOrAsRight) {
  using Places = std::set<std::string>;
  const Places always = {"/buffers swapped", "/seconds", "/seconds less"};
  const Places of_steps = {"/buffers/#/kind activation", "/buffers/#/kind input",
                           "/buffers/#/kind output", "/given_order_peak_bytes",
                           "/steps/#/live swapped"};
  const Places of_views = {"/buffers/#/name", "/buffers/#/first_step", "/buffers/#/last_step"};
  struct PlanCase {
    std::string text;
    std::vector<Places> right;
  };
  for (const PlanCase& c :
       {PlanCase{
            plan_text(),
            {of_steps, {"/buffers/#/kind state", "/alignment", "/class", "/classes/overlap less"}}},
        {planned_text(testing::kOverlapGraph),
         {of_steps,
          {"/alignment", "/buffers/#/offset", "/buffers/#/overlaps/#/backward_bytes",
           "/classes/plain less", "/steps/#/overlap"}}},
        {planned_text(testing::kCutGraph),
         {of_steps, {"/buffers/#/offset", "/class", "/classes/overlap less"}}},
        {planned_text(testing::kViewGraph),
         {of_steps,
          of_views,
          {"/alignment", "/buffers/#/offset", "/class", "/classes/overlap less",
           "/steps/#/views swapped", "/steps/#/views/#"}}},
        {list_text(),
         {of_views,
          {"/alignment", "/buffers/#/gaps/#/begin_byte", "/buffers/#/gaps/#/end_byte",
           "/buffers/#/gaps/#/first_step", "/buffers/#/gaps/#/last_step"}}}}) {
    Places right = always;
    for (const Places& places : c.right) right.insert(places.begin(), places.end());
    const PlanChanges changes(c.text);
    EXPECT_EQ(changes.accepted(), right) << c.text;
    EXPECT_GT(changes.refused(), 300);
  }
}

// One of each that was accepted once, with what is said of it.
TEST(ReadPlan, ARefusalNamesFieldAndRightValue) {
  struct SavedFault {
    const char *path, *value, *where, *message;
  };
  const SavedFault faults[] = {
      {"/order", "[\"B\",\"A\",\"C\",\"D\",\"Y\"]", "plan.order[0]",
       "is \"B\", by the rest of the plan it is \"A\""},
      {"/order", "[]", "plan.order", "is [], by the rest of the plan it is [\"A\",\"B\",\"C\","},
      {"/order", "[7]", "plan.order", "is [7], by the rest"},
      {"/steps", "[]", "plan.steps", "is empty; a plan of given lives has no such field"},
      {"/alignment", "3", "plan.alignment", "is 3, no power of two"},
      {"/classes", "[]", "plan", "needs an object 'classes'"},
      {"/classes/plain/proven_minimal", "\"x\"", "plan.classes.plain.proven_minimal",
       "is \"x\", by the rest of the plan it is true"},
      {"/classes/overlap/proven_minimal", "null", "plan.classes.overlap.proven_minimal",
       "is null, by"},
      {"/classes/plain/arena_bytes", "700", "plan.classes.plain.lower_bound_bytes",
       "is 1012, above its arena, 700"},
      {"/steps/0/overlap", "null", "step 'A'.overlap", "not a whole number"},
      {"/steps/2/overlap", "0", "step 'C'.overlap", "but no buffer states an overlap"},
      {"/steps/0/views", "[0]", "step 'A'.views", "takes 1 of its views, but 0"},
      {"/buffers/2/kind", "\"input\"", "buffer 'b'.kind", "which lives from the start, but it"},
      {"/buffers/2/kind", "\"scratch\"", "buffer 'b'.kind", "which lives for one step, but it"},
      {"/steps/0/live", "[\"x\",\"y\",\"q\"]", "step 'A'.live", "names 'q', which is no buffer"},
      {"/steps/0/live", "[\"x\",\"a\"]", "step 'A'.live", "has 2 buffers, by the rest"},
      {"/buffers/3/offset", "520", "buffer 'c'.offset", "is 520, no multiple of the alignment 16"},
      {"/buffers/3/offset", "16", "step 'C'", "'b' and 'c' are alive together and share bytes"}};
  const Json good = Json::parse(planned_text(testing::kOverlapGraph));
  for (const SavedFault& f : faults) {
    Json bad = good;
    bad[Json::json_pointer(f.path)] = Json::parse(f.value);
    const auto saved = parse_plan(bad.dump());
    ASSERT_FALSE(saved) << f.path;
    EXPECT_EQ(saved.error().where, f.where) << f.path << ": " << saved.error().message;
    EXPECT_TRUE(saved.error().message.find(f.message) != std::string::npos)
        << f.path << ": " << saved.error().message;
  }
}

TEST(ModelExplorer, EveryStepHasItsLiveBytes) {
  const auto problem = parse_graph(kSavedGraph);
  const auto layout = plan(*problem);
  ASSERT_TRUE(layout.has_value());
  const std::string text = model_explorer_json(*problem, *layout);
  for (const LayoutStep& s : layout->steps) {
    const std::string& made = problem->tensors[problem->steps[s.step].outputs[0]].name;
    const std::string entry = "\"" + made + "\":{\"value\":" + std::to_string(s.live_bytes) + "}";
    EXPECT_NE(text.find(entry), std::string::npos) << entry << " in " << text;
  }
}

}  // namespace
}  // namespace netkit::plan
