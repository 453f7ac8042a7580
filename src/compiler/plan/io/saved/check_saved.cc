// SPDX-License-Identifier: MIT
// What a stored plan says of itself, held against itself: nothing alive together shares bytes but
// for views and stated overlaps, and whatever follows from the rest is as it follows.
#include "compiler/plan/io/saved/check_saved.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "compiler/plan/io/plan_pieces.h"
#include "compiler/plan/io/saved/saved_parts.h"

namespace netkit::plan {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 53;
constexpr size_t kShownBytes = 60;

std::string shown(const Json& value) {
  std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  if (text.size() <= kShownBytes) return text;
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  return value.is_object() ? fmt::format("an object of {} fields", value.size()) : "a long text";
}

// `stated` holds all that `right` does; what it holds beside that is not known here.
Result<void> compare(const Json& stated, const Json& right, const std::string& where) {
  if (right.is_object() && stated.is_object()) {
    for (const auto& [key, value] : right.items()) {
      const std::string place = where + "." + key;
      const auto found = stated.find(key);
      if (found == stated.end()) {
        const bool leaf = !value.is_structured();
        return saved_wrong(leaf ? "is missing; by the rest of the plan it is " + shown(value)
                                : std::string("is missing"),
                           place);
      }
      NK_TRY(compare(*found, value, place));
    }
    return {};
  }
  if (right.is_array() && stated.is_array() && right.size() == stated.size()) {
    for (size_t i = 0; i < right.size(); ++i) {
      NK_TRY(compare(stated[i], right[i], fmt::format("{}[{}]", where, i)));
    }
    return {};
  }
  if (stated == right) return {};
  return saved_wrong(
      fmt::format("is {}, by the rest of the plan it is {}", shown(stated), shown(right)), where);
}

class SavedCheck {
 public:
  SavedCheck(const Json& root, SavedPlan& plan) : root_(root), plan_(plan), l_(plan.layout) {}

  Result<void> run() {
    NK_TRY(check_saved_parts(plan_));
    NK_TRY(set_totals());
    NK_TRY(set_classes());
    Json right = head_json(plan_.problem, l_);
    const Json classes = {{"classes", right["classes"]}};  // the plan's own figures come first
    right.erase("classes");
    NK_TRY(compare(root_, right, "plan"));
    NK_TRY(compare(root_, classes, "plan"));
    if (l_.steps.empty()) return check_given_lives(l_, plan_.gaps);
    if (l_.given_order_peak_bytes < l_.largest_tensor_bytes) {
      return saved_wrong(fmt::format("is {}, below the largest buffer, {}",
                                     l_.given_order_peak_bytes, l_.largest_tensor_bytes),
                         "plan.given_order_peak_bytes");
    }
    return check_steps();
  }

 private:
  Result<void> set_totals() {
    l_.arena_bytes = l_.tensor_sum_bytes = l_.largest_tensor_bytes = 0;
    for (const LayoutBuffer& b : l_.buffers) {
      l_.arena_bytes = std::max(l_.arena_bytes, b.offset + b.bytes);
      if (b.kind == BufferKind::kScratch) continue;
      l_.tensor_sum_bytes = std::min(l_.tensor_sum_bytes + b.bytes, kMostBytes + 1);
      l_.largest_tensor_bytes = std::max(l_.largest_tensor_bytes, b.bytes);
    }
    if (l_.lower_bound_bytes > l_.arena_bytes) {
      return saved_wrong(fmt::format("is {}, above the highest end of a buffer, {}",
                                     l_.lower_bound_bytes, l_.arena_bytes),
                         "plan.lower_bound_bytes");
    }
    l_.proven_minimal = l_.lower_bound_bytes == l_.arena_bytes;
    if (l_.tensor_sum_bytes > kMostBytes) {
      return saved_wrong("the buffers together have more than 2^53 bytes", "plan.buffers");
    }
    if (l_.steps.empty()) l_.given_order_peak_bytes = peak_of_given_lives(l_, plan_.gaps);
    return {};
  }

  // Those of the plan's own class are the plan's; a plan of a class is one of every wider class.
  Result<void> set_classes() {
    const auto own = std::ranges::find(l_.classes, l_.plan_class, &ClassSummary::plan_class);
    const ClassSummary right{l_.plan_class, l_.arena_bytes, l_.lower_bound_bytes, false};
    if (own == l_.classes.end()) {
      l_.classes.push_back(right);
    } else {
      *own = right;
    }
    int64_t narrower = INT64_MAX;
    std::ranges::sort(l_.classes, {}, &ClassSummary::plan_class);
    for (ClassSummary& c : l_.classes) {
      const std::string where = fmt::format("plan.classes.{}", class_name(c.plan_class));
      if (c.lower_bound_bytes > c.arena_bytes) {
        return saved_wrong(
            fmt::format("is {}, above its arena, {}", c.lower_bound_bytes, c.arena_bytes),
            where + ".lower_bound_bytes");
      }
      if (c.arena_bytes > narrower) {
        return saved_wrong(fmt::format("is {}, above {}, which a plan of a narrower class needs",
                                       c.arena_bytes, narrower),
                           where + ".arena_bytes");
      }
      narrower = c.arena_bytes;
      c.proven_minimal = c.lower_bound_bytes == c.arena_bytes;
    }
    return {};
  }

  // The lists are made anew once they are known to be no longer than those of the file.
  Result<void> check_steps() {
    std::vector<int64_t> change(l_.steps.size() + 1, 0);
    for (const LayoutBuffer& b : l_.buffers) {
      if (b.alias_of >= 0) continue;
      ++change[b.first_step];
      --change[b.last_step + 1];
    }
    std::vector<LayoutStep> stated = l_.steps;
    int64_t alive = 0;
    for (size_t i = 0; i < stated.size(); ++i) {
      alive += change[i];
      std::vector<int>& live = stated[i].live;
      std::ranges::sort(live);
      const auto twice = std::ranges::adjacent_find(live);
      if (twice != live.end()) {
        return saved_wrong("names '" + l_.buffers[*twice].name + "' twice", step_place(i, "live"));
      }
      for (const int b : live) NK_TRY(check_listed(b, i));
      if (static_cast<int64_t>(live.size()) != alive) {
        return saved_wrong(
            fmt::format("has {} buffers, by the rest of the plan {} are alive", live.size(), alive),
            step_place(i, "live"));
      }
    }
    set_live_lists(l_);
    for (size_t i = 0; i < stated.size(); ++i) {
      NK_TRY(check_saved_pairs(plan_, static_cast<int>(i)));
      if (stated[i].live_bytes == l_.steps[i].live_bytes) continue;
      return saved_wrong(fmt::format("is {}, by the rest of the plan it is {}",
                                     stated[i].live_bytes, l_.steps[i].live_bytes),
                         step_place(i, "live_bytes"));
    }
    return {};
  }

  Result<void> check_listed(int b, size_t at) const {
    const LayoutBuffer& buffer = l_.buffers[b];
    const int step = static_cast<int>(at);
    if (buffer.alias_of >= 0) {
      return saved_wrong(fmt::format("names '{}', which lies in '{}' and does not count",
                                     buffer.name, l_.buffers[buffer.alias_of].name),
                         step_place(at, "live"));
    }
    if (buffer.first_step <= step && step <= buffer.last_step) return {};
    return saved_wrong(fmt::format("names '{}', which lives from step {} to {} and not at {}",
                                   buffer.name, buffer.first_step, buffer.last_step, at),
                       step_place(at, "live"));
  }

  std::string step_place(size_t at, const char* key) const {
    return saved_step(plan_, static_cast<int>(at)) + "." + key;
  }

  const Json& root_;
  SavedPlan& plan_;
  Layout& l_;
};

}  // namespace

Result<void> check_saved(const Json& root, SavedPlan& plan) {
  return SavedCheck(root, plan).run();
}

}  // namespace netkit::plan
