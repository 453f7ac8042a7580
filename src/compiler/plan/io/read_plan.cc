// SPDX-License-Identifier: MIT
// Reads netkit-plan/1 back for pictures and comparisons. What is drawn from it is checked here.
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "base/json_text.h"
#include "compiler/plan/io/check_saved.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"

namespace netkit::plan {
namespace {

constexpr size_t kMaxPlanItems = 200'000;
constexpr size_t kMaxPlanText = size_t{256} << 20;
constexpr size_t kMaxOverlaps = 4096;                           // of one buffer
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
    NK_ASSIGN(l.arena_bytes, whole_field(root, "arena_bytes", "plan"));
    NK_ASSIGN(l.lower_bound_bytes, whole_field(root, "lower_bound_bytes", "plan"));
    NK_ASSIGN(l.alignment, whole_field(root, "alignment", "plan"));
    NK_ASSIGN(l.given_order_peak_bytes, whole_field(root, "given_order_peak_bytes", "plan"));
    NK_ASSIGN(l.tensor_sum_bytes, whole_field(root, "tensor_sum_bytes", "plan"));
    NK_ASSIGN(l.largest_tensor_bytes, whole_field(root, "largest_tensor_bytes", "plan"));
    if (l.alignment < 1 || l.lower_bound_bytes > l.arena_bytes) {
      return bad_input("alignment or bound contradict the arena", "plan");
    }
    l.proven_minimal = l.lower_bound_bytes == l.arena_bytes;
    if (root.value("proven_minimal", Json(l.proven_minimal)) != Json(l.proven_minimal)) {
      return bad_input("does not follow from bound and arena", "plan.proven_minimal");
    }
    NK_ASSIGN(l.plan_class, class_of(root));
    NK_TRY(read_classes(root));
    NK_TRY(read_buffers(root));
    NK_TRY(read_steps(root));
    NK_TRY(check_saved(plan_.problem, l, plan_.gaps));
    return std::move(plan_);
  }

 private:
  Result<PlanClass> class_of(const Json& root) {
    NK_ASSIGN(const std::string name, text_field(root, "class", "plan"));
    for (const PlanClass c : {PlanClass::kPlain, PlanClass::kOverlap}) {
      if (name == class_name(c)) return c;
    }
    return bad_input("unknown class '" + name.substr(0, 40) + "'", "plan");
  }

  Result<void> read_classes(const Json& root) {
    const auto classes = root.find("classes");
    if (classes == root.end() || !classes->is_object()) return {};
    for (const PlanClass c : {PlanClass::kPlain, PlanClass::kOverlap}) {
      const auto it = classes->find(class_name(c));
      if (it == classes->end() || !it->is_object()) continue;
      ClassSummary summary{c, 0, 0, false};
      NK_ASSIGN(summary.arena_bytes, whole_field(*it, "arena_bytes", class_name(c)));
      NK_ASSIGN(summary.lower_bound_bytes, whole_field(*it, "lower_bound_bytes", class_name(c)));
      summary.proven_minimal = summary.arena_bytes == summary.lower_bound_bytes;
      plan_.layout.classes.push_back(summary);
    }
    return {};
  }

  Result<void> read_buffers(const Json& root) {
    NK_ASSIGN(const Json* const items, list(root, "buffers"));
    int64_t count = 0;
    if (root.contains("steps") || root.value("order", Json()) != Json::array()) {
      NK_ASSIGN(const Json* const steps, list(root, "steps"));
      count = static_cast<int64_t>(steps->size());
    }
    for (const Json& item : *items) {
      LayoutBuffer b;
      NK_ASSIGN(b.name, text_field(item, "name", "buffers"));
      NK_ASSIGN(b.bytes, whole_field(item, "bytes", b.name));
      NK_ASSIGN(b.offset, whole_field(item, "offset", b.name));
      NK_ASSIGN(const int64_t first, whole_field(item, "first_step", b.name));
      NK_ASSIGN(const int64_t last, whole_field(item, "last_step", b.name));
      if (first > last || last >= (count > 0 ? count : kMostTime) ||
          b.offset + b.bytes > plan_.layout.arena_bytes) {
        return bad_input("stands outside of the steps or of the arena", b.name);
      }
      b.first_step = static_cast<int>(first);
      b.last_step = static_cast<int>(last);
      NK_ASSIGN(const std::string kind, text_field(item, "kind", b.name));
      const auto* found =
          std::ranges::find_if(kKinds, [&](BufferKind k) { return kind == kind_name(k); });
      if (found == std::end(kKinds)) return bad_input("unknown kind", b.name);
      b.kind = *found;
      if (b.kind != BufferKind::kScratch) {
        b.tensor = static_cast<int>(plan_.problem.tensors.size());
        plan_.problem.tensors.push_back({b.name, b.bytes});
        plan_.layout.tensor_buffer.push_back(static_cast<int>(plan_.layout.buffers.size()));
      }
      if (!names_.emplace(b.name, static_cast<int>(names_.size())).second) {
        return bad_input("two buffers have one name", b.name);
      }
      plan_.layout.buffers.push_back(std::move(b));
    }
    for (size_t i = 0; i < items->size(); ++i) NK_TRY(read_relations((*items)[i], i));
    return {};
  }

  Result<int> buffer_named(const Json& name, const std::string& where) {
    const auto it = name.is_string() ? names_.find(name.get<std::string>()) : names_.end();
    if (it == names_.end()) return bad_input("names an unknown buffer", where);
    return it->second;
  }

  Result<void> read_relations(const Json& item, size_t at) {
    LayoutBuffer& b = plan_.layout.buffers[at];
    if (item.contains("alias_of")) {
      NK_ASSIGN(b.alias_of, buffer_named(item["alias_of"], b.name));
    }
    NK_TRY(read_gaps(item, b));
    if (!item.contains("overlaps")) return {};
    NK_ASSIGN(const Json* const overlaps, list(item, "overlaps"));
    if (overlaps->size() > kMaxOverlaps) return bad_input("has too many overlaps", b.name);
    for (const Json& o : *overlaps) {
      LayoutOverlap overlap;
      NK_ASSIGN(overlap.with, buffer_named(o.value("with", Json()), b.name));
      NK_ASSIGN(const int64_t step, whole_field(o, "step", b.name));
      overlap.step = static_cast<int>(std::min<int64_t>(step, kMaxPlanItems));
      if (o.contains("forward_bytes")) {
        NK_ASSIGN(overlap.forward_bytes, whole_field(o, "forward_bytes", b.name));
      }
      if (o.contains("backward_bytes")) {
        NK_ASSIGN(overlap.backward_bytes, whole_field(o, "backward_bytes", b.name));
      }
      b.overlaps.push_back(overlap);
    }
    return {};
  }

  Result<void> read_gaps(const Json& item, const LayoutBuffer& b) {
    plan_.gaps.emplace_back();
    if (!item.contains("gaps")) return {};
    NK_ASSIGN(const Json* const gaps, list(item, "gaps"));
    int64_t from = b.first_step;
    for (const Json& g : *gaps) {
      NK_ASSIGN(const int64_t first, whole_field(g, "first_step", b.name));
      NK_ASSIGN(const int64_t last, whole_field(g, "last_step", b.name));
      NK_ASSIGN(const int64_t begin, whole_field(g, "begin_byte", b.name));
      NK_ASSIGN(const int64_t end, whole_field(g, "end_byte", b.name));
      if (first < from || last < first || last > b.last_step || begin > end || end > b.bytes) {
        return bad_input("a gap lies outside of the buffer or of its life", b.name);
      }
      from = last + 1;
      plan_.gaps.back().push_back({{first, last + 1}, {begin, end}});
    }
    return {};
  }

  Result<void> read_steps(const Json& root) {
    if (!root.contains("steps")) return {};
    NK_ASSIGN(const Json* const items, list(root, "steps"));
    for (const Json& item : *items) {
      Step s;
      NK_ASSIGN(s.name, text_field(item, "op", "steps"));
      LayoutStep step;
      step.step = static_cast<int>(plan_.problem.steps.size());
      NK_ASSIGN(step.live_bytes, whole_field(item, "live_bytes", s.name));
      if (item.contains("overlap")) {
        NK_ASSIGN(const int64_t overlap, whole_field(item, "overlap", s.name));
        step.overlap = static_cast<int>(std::min<int64_t>(overlap, kMaxPlanItems));
      }
      const auto scratch = names_.find(s.name + ".scratch");
      if (scratch != names_.end()) {
        step.scratch_bytes = plan_.layout.buffers[scratch->second].bytes;
        step.scratch_offset = plan_.layout.buffers[scratch->second].offset;
      }
      const auto live = item.find("live");
      if (live == item.end() || !live->is_array()) return bad_input("needs a list 'live'", s.name);
      for (const Json& name : *live) {
        NK_ASSIGN(const int buffer, buffer_named(name, s.name));
        step.live.push_back(buffer);
      }
      plan_.problem.steps.push_back(std::move(s));
      plan_.layout.steps.push_back(std::move(step));
    }
    return {};
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
