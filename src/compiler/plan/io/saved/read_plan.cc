// SPDX-License-Identifier: MIT
// Reads netkit-plan/1 back for pictures and comparisons. What is drawn from it is checked here.
#include <algorithm>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "base/json_text.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/io/saved/check_saved.h"
#include "compiler/plan/io/saved/saved_parts.h"

namespace netkit::plan {
namespace {

constexpr size_t kMaxPlanItems = 200'000;
constexpr size_t kMaxPlanText = size_t{256} << 20;
constexpr size_t kMaxOverlaps = 4096;                           // of one buffer
constexpr int64_t kMostChoices = 4'000'000;                     // as check_problem has it
constexpr int64_t kMostTime = std::numeric_limits<int>::max();  // of a plan without steps
constexpr BufferKind kKinds[] = {BufferKind::kInput, BufferKind::kActivation, BufferKind::kOutput,
                                 BufferKind::kScratch, BufferKind::kState};

Result<const Json*> list(const Json& object, const char* key) {
  const auto it = object.find(key);
  if (it == object.end() || !it->is_array() || it->size() > kMaxPlanItems) {
    return bad_input(std::string("needs a list '") + key + "'", "plan");
  }
  for (const Json& item : *it) {
    if (!item.is_object()) return bad_input("holds what is no object", key);
  }
  return &*it;
}

class PlanReader {
 public:
  Result<SavedPlan> read(const Json& root) {
    Layout& l = plan_.layout;
    NK_ASSIGN(l.lower_bound_bytes, whole_field(root, "lower_bound_bytes", "plan"));
    NK_ASSIGN(l.alignment, whole_field(root, "alignment", "plan"));
    NK_ASSIGN(l.given_order_peak_bytes, whole_field(root, "given_order_peak_bytes", "plan"));
    NK_ASSIGN(l.plan_class, class_of(root));
    NK_TRY(read_search(root));
    NK_TRY(read_classes(root));
    NK_TRY(read_buffers(root));
    NK_TRY(read_steps(root));
    const bool lives = l.steps.empty();  // a list may have any alignment
    if (l.alignment < 1 || (!lives && !std::has_single_bit(static_cast<uint64_t>(l.alignment)))) {
      return bad_input("is " + std::to_string(l.alignment) + ", no power of two", "plan.alignment");
    }
    NK_TRY(check_saved(root, plan_));
    return std::move(plan_);
  }

 private:
  // How the search went, which nothing else says.
  Result<void> read_search(const Json& root) {
    const Json limited = root.value("time_limited", Json(false));
    if (!limited.is_boolean()) return bad_input("is not true or false", "plan.time_limited");
    plan_.layout.time_limited = limited.get<bool>();
    const Json seconds = root.value("seconds", Json(0));
    if (!seconds.is_number() || !(seconds.get<double>() >= 0)) {
      return bad_input("is not a number of at least 0", "plan.seconds");
    }
    return {};
  }

  Result<PlanClass> class_of(const Json& root) {
    NK_ASSIGN(const std::string name, text_field(root, "class", "plan"));
    for (const PlanClass c : {PlanClass::kPlain, PlanClass::kOverlap}) {
      if (name == class_name(c)) return c;
    }
    return bad_input("unknown class '" + name.substr(0, 40) + "'", "plan");
  }

  // Arena and bound of each; what follows from them check_saved sets.
  Result<void> read_classes(const Json& root) {
    const auto classes = root.find("classes");
    if (classes == root.end() || !classes->is_object()) {
      return bad_input("needs an object 'classes'", "plan");
    }
    for (const PlanClass c : {PlanClass::kPlain, PlanClass::kOverlap}) {
      const auto it = classes->find(class_name(c));
      if (it == classes->end()) continue;
      const std::string where = std::string("plan.classes.") + class_name(c);
      if (!it->is_object()) return bad_input("is no object", where);
      ClassSummary summary{c, 0, 0, false};
      NK_ASSIGN(summary.arena_bytes, whole_field(*it, "arena_bytes", where));
      NK_ASSIGN(summary.lower_bound_bytes, whole_field(*it, "lower_bound_bytes", where));
      plan_.layout.classes.push_back(summary);
    }
    return {};
  }

  // 0: the lives are given.
  Result<int64_t> step_count(const Json& root) {
    if (!root.contains("steps") && root.value("order", Json()) == Json::array()) return 0;
    NK_ASSIGN(const Json* const steps, list(root, "steps"));
    if (!steps->empty()) return static_cast<int64_t>(steps->size());
    return bad_input("is empty; a plan of given lives has no such field", "plan.steps");
  }

  Result<void> read_buffers(const Json& root) {
    NK_ASSIGN(const Json* const items, list(root, "buffers"));
    NK_ASSIGN(const int64_t count, step_count(root));
    for (const Json& item : *items) {
      NK_ASSIGN(LayoutBuffer b, buffer_of(item, count));
      if (b.kind != BufferKind::kScratch) {
        b.tensor = static_cast<int>(plan_.problem.tensors.size());
        plan_.problem.tensors.push_back({b.name, b.bytes});
        plan_.layout.tensor_buffer.push_back(static_cast<int>(plan_.layout.buffers.size()));
      }
      if (!names_.emplace(b.name, static_cast<int>(names_.size())).second) {
        return bad_input("two buffers have one name", saved_buffer(b));
      }
      plan_.layout.buffers.push_back(std::move(b));
    }
    for (size_t i = 0; i < items->size(); ++i) NK_TRY(read_relations((*items)[i], i));
    return {};
  }

  // All but what names other buffers; `count` is the number of steps.
  static Result<LayoutBuffer> buffer_of(const Json& item, int64_t count) {
    LayoutBuffer b;
    NK_ASSIGN(b.name, text_field(item, "name", "buffers"));
    const std::string where = saved_buffer(b);
    NK_ASSIGN(b.bytes, whole_field(item, "bytes", where));
    NK_ASSIGN(b.offset, whole_field(item, "offset", where));
    NK_ASSIGN(const int64_t first, whole_field(item, "first_step", where));
    NK_ASSIGN(const int64_t last, whole_field(item, "last_step", where));
    const int64_t most = count > 0 ? count : kMostTime;
    if (first > last || last >= most) {
      return bad_input(
          first > last ? "lives from step " + std::to_string(first) + " to " + std::to_string(last)
                       : "lives to step " + std::to_string(last) + ", but there are " +
                             std::to_string(most) + " steps, the first being 0",
          where);
    }
    b.first_step = static_cast<int>(first);
    b.last_step = static_cast<int>(last);
    NK_ASSIGN(const std::string kind, text_field(item, "kind", where));
    const auto* found =
        std::ranges::find_if(kKinds, [&](BufferKind k) { return kind == kind_name(k); });
    if (found == std::end(kKinds)) {
      return bad_input(
          "is '" + kind.substr(0, 40) + "', none of input, activation, output, scratch, state",
          where + ".kind");
    }
    b.kind = *found;
    return b;
  }

  Result<int> buffer_named(const Json& name, const std::string& where) {
    if (!name.is_string()) return bad_input("is no name of a buffer", where);
    const auto it = names_.find(name.get<std::string>());
    if (it == names_.end()) {
      return bad_input("names '" + name.get<std::string>().substr(0, 200) + "', which is no buffer",
                       where);
    }
    return it->second;
  }

  Result<void> read_relations(const Json& item, size_t at) {
    LayoutBuffer& b = plan_.layout.buffers[at];
    const std::string where = saved_buffer(b);
    if (item.contains("alias_of")) {
      NK_ASSIGN(b.alias_of, buffer_named(item["alias_of"], where + ".alias_of"));
    }
    NK_TRY(read_gaps(item, b));
    if (!item.contains("overlaps")) return {};
    NK_ASSIGN(const Json* const overlaps, list(item, "overlaps"));
    if (overlaps->size() > kMaxOverlaps) return bad_input("has too many overlaps", where);
    for (const Json& o : *overlaps) {
      LayoutOverlap overlap;
      NK_ASSIGN(overlap.with, buffer_named(o.value("with", Json()), where + ".overlaps"));
      NK_ASSIGN(const int64_t step, whole_field(o, "step", where + ".overlaps"));
      overlap.step = static_cast<int>(std::min<int64_t>(step, kMaxPlanItems));
      if (o.contains("forward_bytes")) {
        NK_ASSIGN(overlap.forward_bytes, whole_field(o, "forward_bytes", where + ".overlaps"));
      }
      if (o.contains("backward_bytes")) {
        NK_ASSIGN(overlap.backward_bytes, whole_field(o, "backward_bytes", where + ".overlaps"));
      }
      b.overlaps.push_back(overlap);
    }
    return {};
  }

  Result<void> read_gaps(const Json& item, const LayoutBuffer& b) {
    plan_.gaps.emplace_back();
    if (!item.contains("gaps")) return {};
    NK_ASSIGN(const Json* const gaps, list(item, "gaps"));
    const std::string where = saved_buffer(b) + ".gaps";
    int64_t from = b.first_step;
    for (const Json& g : *gaps) {
      NK_ASSIGN(const int64_t first, whole_field(g, "first_step", where));
      NK_ASSIGN(const int64_t last, whole_field(g, "last_step", where));
      NK_ASSIGN(const int64_t begin, whole_field(g, "begin_byte", where));
      NK_ASSIGN(const int64_t end, whole_field(g, "end_byte", where));
      if (first < from || last < first || last > b.last_step || begin > end || end > b.bytes) {
        return bad_input("a gap lies outside of the buffer or of its life", where);
      }
      from = last + 1;
      plan_.gaps.back().push_back({{first, last + 1}, {begin, end}});
    }
    return {};
  }

  Result<void> read_steps(const Json& root) {
    if (!root.contains("steps")) return {};
    NK_ASSIGN(const Json* const items, list(root, "steps"));
    std::unordered_set<std::string> ops;
    for (const Json& item : *items) {
      Step s;
      NK_ASSIGN(s.name, text_field(item, "op", "steps"));
      const std::string where = "step '" + s.name + "'";
      if (!ops.insert(s.name).second) return bad_input("two steps run one op", where);
      NK_ASSIGN(LayoutStep step, step_of(item, where));
      step.step = static_cast<int>(plan_.problem.steps.size());
      plan_.problem.steps.push_back(std::move(s));
      plan_.layout.steps.push_back(std::move(step));
    }
    for (const LayoutBuffer& b : plan_.layout.buffers) {
      if (b.kind != BufferKind::kScratch) continue;
      plan_.layout.steps[b.first_step].scratch_bytes = b.bytes;
      plan_.layout.steps[b.first_step].scratch_offset = b.offset;
    }
    return {};
  }

  Result<LayoutStep> step_of(const Json& item, const std::string& where) {
    LayoutStep step;
    NK_ASSIGN(step.live_bytes, whole_field(item, "live_bytes", where));
    if (item.contains("overlap")) {
      NK_ASSIGN(const int64_t overlap, whole_field(item, "overlap", where));
      NK_ASSIGN(step.overlap, choice(overlap, where + ".overlap"));
    }
    const Json views = item.value("views", Json::array());
    if (!views.is_array()) return bad_input("is no list", where + ".views");
    for (const Json& index : views) {
      NK_ASSIGN(const int64_t view, whole_number(index, where + ".views"));
      NK_ASSIGN(const int chosen, choice(view, where + ".views"));
      step.views.push_back(chosen);
    }
    std::vector<int> sorted = step.views;
    std::ranges::sort(sorted);
    if (std::ranges::adjacent_find(sorted) != sorted.end()) {
      return bad_input("names one view twice", where + ".views");
    }
    const auto live = item.find("live");
    if (live == item.end() || !live->is_array()) return bad_input("needs a list 'live'", where);
    for (const Json& name : *live) {
      NK_ASSIGN(const int buffer, buffer_named(name, where + ".live"));
      step.live.push_back(buffer);
    }
    return step;
  }

  // An index into what the op of the graph offers, which the plan does not hold.
  static Result<int> choice(int64_t index, const std::string& where) {
    if (index <= kMostChoices) return static_cast<int>(index);
    return bad_input("is " + std::to_string(index) + ", more than an op can offer", where);
  }

  SavedPlan plan_;
  std::unordered_map<std::string, int> names_;
};

}  // namespace

bool is_plan_json(std::string_view text) {
  if (text.starts_with(R"({"format":"netkit-plan/1")")) return true;  // as netkit writes it
  if (text.size() > kMaxPlanText || text.find("netkit-plan/1") == text.npos) return false;
  const auto root = parse_json(text);
  return root && root->is_object() && root->value("format", Json()) == "netkit-plan/1";
}

Result<SavedPlan> parse_plan(std::string_view text) {
  if (text.size() > kMaxPlanText) return bad_input("the plan has more than 256 MiB of text");
  NK_ASSIGN(const Json root, parse_json(text));
  if (!root.is_object()) return bad_input("not a JSON object");
  if (root.value("format", Json()) != "netkit-plan/1") {
    return bad_input("is no netkit-plan/1", "format");
  }
  return PlanReader().read(root);
}

}  // namespace netkit::plan
