// SPDX-License-Identifier: MIT
// Buffers, views and overlaps of a stored plan, held against each other.
#include "compiler/plan/io/saved/saved_parts.h"

#include <fmt/format.h>

#include <algorithm>

namespace netkit::plan {
namespace {

int64_t end_of(const LayoutBuffer& b) {
  return b.offset + b.bytes;
}

bool share_bytes(const LayoutBuffer& a, const LayoutBuffer& b) {
  return a.bytes > 0 && b.bytes > 0 && a.offset < end_of(b) && b.offset < end_of(a);
}

bool alive_at(const LayoutBuffer& b, int step) {
  return b.first_step <= step && step <= b.last_step;
}

std::string life_of(const LayoutBuffer& b) {
  return fmt::format("it lives from step {} to {}", b.first_step, b.last_step);
}

class PartsCheck {
 public:
  explicit PartsCheck(const SavedPlan& plan)
      : plan_(plan), l_(plan.layout), count_(static_cast<int>(plan.layout.steps.size())) {}

  Result<void> run() {
    find_parts();
    scratch_of_.assign(l_.steps.size(), -1);
    for (size_t i = 0; i < l_.buffers.size(); ++i) {
      const LayoutBuffer& b = l_.buffers[i];
      if (b.offset % l_.alignment != 0) {
        return saved_wrong(
            fmt::format("is {}, no multiple of the alignment {}", b.offset, l_.alignment),
            saved_buffer(b) + ".offset");
      }
      if (count_ > 0 && !plan_.gaps[i].empty()) {
        return saved_wrong("stands in a plan with steps; only given lives have gaps",
                           saved_buffer(b) + ".gaps");
      }
      NK_TRY(check_kind(static_cast<int>(i)));
    }
    NK_TRY(check_views());
    NK_TRY(check_overlaps());
    return check_taken_views();
  }

 private:
  // Plans that share an arena stand one after the other, and only states live in both.
  void find_parts() {
    std::vector<int> change(static_cast<size_t>(count_) + 2, 0);
    for (const LayoutBuffer& b : l_.buffers) {
      if (count_ == 0 || b.kind == BufferKind::kState || b.first_step == b.last_step) continue;
      ++change[b.first_step + 1];
      --change[b.last_step + 1];
    }
    int crossing = 0;
    part_begins_.assign(static_cast<size_t>(count_) + 1, 0);
    for (int at = 0; at <= count_; ++at) {
      crossing += change[at];
      part_begins_[at] = at == 0 || at == count_ || crossing == 0;
    }
  }

  Result<void> check_kind(int index) {
    const LayoutBuffer& b = l_.buffers[index];
    const auto wrong = [&](const std::string& why) {
      return saved_wrong(fmt::format("is '{}', {}", kind_name(b.kind), why),
                         saved_buffer(b) + ".kind");
    };
    if (count_ == 0) {
      if (b.kind == BufferKind::kActivation) return {};
      return wrong("in a plan of given lives each is 'activation'");
    }
    switch (b.kind) {
      case BufferKind::kInput:
        if (part_begins_[b.first_step]) return {};
        return wrong("which lives from the start, but " + life_of(b));
      case BufferKind::kOutput:
        if (part_begins_[b.last_step + 1]) return {};
        return wrong("which lives to the end, but " + life_of(b));
      case BufferKind::kState:
        if (b.first_step == 0 && b.last_step == count_ - 1) return {};
        return wrong("which lives through, but " + life_of(b));
      case BufferKind::kScratch:
        return check_scratch(index);
      case BufferKind::kActivation:
        break;
    }
    return {};
  }

  Result<void> check_scratch(int index) {
    const LayoutBuffer& b = l_.buffers[index];
    if (b.first_step != b.last_step) {
      return saved_wrong("is 'scratch', which lives for one step, but " + life_of(b),
                         saved_buffer(b) + ".kind");
    }
    const std::string name = plan_.problem.steps[l_.steps[b.first_step].step].name + ".scratch";
    const bool own =
        b.name.starts_with(name) && b.name.find_first_not_of('_', name.size()) == std::string::npos;
    if (!own) {
      return saved_wrong(
          fmt::format("is 'scratch' of step {}, where it is called '{}'", b.first_step, name),
          saved_buffer(b) + ".kind");
    }
    if (scratch_of_[b.first_step] >= 0) {
      return saved_wrong("is the second scratch of " + saved_step(plan_, b.first_step),
                         saved_buffer(b) + ".kind");
    }
    scratch_of_[b.first_step] = index;
    return {};
  }

  // A view lies in another buffer, in address and in time.
  Result<void> check_views() const {
    std::vector<char> rooted(l_.buffers.size(), 0);
    for (size_t i = 0; i < l_.buffers.size(); ++i) {
      std::vector<int> chain;
      int at = static_cast<int>(i);
      for (; !rooted[at] && l_.buffers[at].alias_of >= 0; at = l_.buffers[at].alias_of) {
        chain.push_back(at);
        if (chain.size() > l_.buffers.size()) {
          return saved_wrong("closes a circle of views",
                             saved_buffer(l_.buffers[at]) + ".alias_of");
        }
      }
      for (const int b : chain) rooted[b] = 1;
      if (l_.buffers[i].alias_of >= 0) NK_TRY(check_view(l_.buffers[i]));
    }
    return {};
  }

  Result<void> check_view(const LayoutBuffer& b) const {
    const LayoutBuffer& outer = l_.buffers[b.alias_of];
    const std::string where = saved_buffer(b) + ".alias_of";
    const auto no_view = [](BufferKind k) {
      return k == BufferKind::kScratch || k == BufferKind::kState;
    };
    if (count_ == 0) return saved_wrong("stands in a plan of given lives, without views", where);
    if (no_view(b.kind) || no_view(outer.kind)) {
      return saved_wrong("makes a view of scratch or of a state", where);
    }
    if (b.offset < outer.offset || end_of(b) > end_of(outer)) {
      return saved_wrong(fmt::format("is '{}', but the bytes {} to {} lie outside of its {} to {}",
                                     outer.name, b.offset, end_of(b), outer.offset, end_of(outer)),
                         where);
    }
    if (b.first_step >= outer.first_step && b.last_step <= outer.last_step) return {};
    return saved_wrong(fmt::format("is '{}', which it outlives: {}", outer.name, life_of(b)),
                       where);
  }

  // A stated overlap and the mode of its step are there together.
  Result<void> check_overlaps() const {
    std::vector<int> stated(l_.steps.size(), -1);
    for (size_t i = 0; i < l_.buffers.size(); ++i) {
      const LayoutBuffer& b = l_.buffers[i];
      for (const LayoutOverlap& o : b.overlaps) {
        const std::string where = saved_buffer(b) + ".overlaps";
        NK_TRY(check_overlap(static_cast<int>(i), o, where));
        if (stated[o.step] >= 0) {
          return saved_wrong("is the second overlap of " + saved_step(plan_, o.step), where);
        }
        stated[o.step] = static_cast<int>(i);
      }
    }
    for (int at = 0; at < count_; ++at) {
      const bool mode = l_.steps[at].overlap >= 0;
      const std::string where = saved_step(plan_, at) + ".overlap";
      if (mode && stated[at] < 0) {
        return saved_wrong(fmt::format("is {}, but no buffer states an overlap at this step",
                                       l_.steps[at].overlap),
                           where);
      }
      if (!mode && stated[at] >= 0) {
        return saved_wrong(fmt::format("is missing, but '{}' states an overlap at this step",
                                       l_.buffers[stated[at]].name),
                           where);
      }
    }
    return {};
  }

  Result<void> check_overlap(int out, const LayoutOverlap& o, const std::string& where) const {
    const LayoutBuffer &b = l_.buffers[out], &in = l_.buffers[o.with];
    if (count_ == 0) return saved_wrong("stands in a plan of given lives", where);
    if (l_.plan_class == PlanClass::kPlain) {
      return saved_wrong("stands in a plan of class plain, where no output touches a live input",
                         where);
    }
    if (!o.forward_bytes && !o.backward_bytes) {
      return saved_wrong("states no distance, neither forward_bytes nor backward_bytes", where);
    }
    const bool data = b.kind != BufferKind::kScratch && in.kind != BufferKind::kScratch;
    if (o.with == out || !data) {
      return saved_wrong("is not of an output with an input", where);
    }
    if (o.step >= count_ || !alive_at(b, o.step) || !alive_at(in, o.step)) {
      return saved_wrong(fmt::format("is at step {}, where '{}' and '{}' are not both alive",
                                     o.step, b.name, in.name),
                         where);
    }
    return {};
  }

  // Every buffer that lies in another one is there by one taken view of a step that has both.
  Result<void> check_taken_views() const {
    std::vector<int> change(l_.steps.size() + 1, 0);
    int aliases = 0, taken = 0;
    for (const LayoutBuffer& b : l_.buffers) {
      if (b.alias_of < 0) continue;
      ++change[b.first_step];  // inside the life of what it lies in
      --change[b.last_step + 1];
      ++aliases;
    }
    int possible = 0;
    for (int at = 0; at < count_; ++at) {
      possible += change[at];
      const int views = static_cast<int>(l_.steps[at].views.size());
      taken += views;
      if (views <= possible) continue;
      return saved_wrong(
          fmt::format("takes {} of its views, but {} buffers that lie in others live there", views,
                      possible),
          saved_step(plan_, at) + ".views");
    }
    if (taken == aliases) return {};
    return saved_wrong(
        fmt::format("lists {} taken views, but {} buffers have alias_of", taken, aliases),
        "plan.steps");
  }

  const SavedPlan& plan_;
  const Layout& l_;
  const int count_;                // of steps
  std::vector<char> part_begins_;  // per step and one past the last
  std::vector<int> scratch_of_;
};

// `out` is written over the dying `in` at the step, and one says so.
bool is_stated(const Layout& l, int in, int out, int at) {
  const LayoutBuffer &x = l.buffers[in], &y = l.buffers[out];
  if (x.last_step != at || y.first_step != at) return false;
  return std::ranges::any_of(y.overlaps, [&](const LayoutOverlap& o) {
    return o.with == in && o.step == at &&
           ((o.forward_bytes && y.offset <= x.offset - *o.forward_bytes) ||
            (o.backward_bytes && end_of(y) >= end_of(x) + *o.backward_bytes));
  });
}

}  // namespace

std::unexpected<Error> saved_wrong(std::string message, const std::string& where) {
  return bad_input(std::move(message), where, "make the plan again from its model or graph");
}

std::string saved_step(const SavedPlan& plan, int at) {
  return "step '" + plan.problem.steps[plan.layout.steps[at].step].name + "'";
}

std::string saved_buffer(const LayoutBuffer& buffer) {
  return "buffer '" + buffer.name + "'";
}

Result<void> check_saved_parts(const SavedPlan& plan) {
  return PartsCheck(plan).run();
}

Result<void> check_saved_pairs(const SavedPlan& plan, int at) {
  const Layout& l = plan.layout;
  std::vector<int> live = l.steps[at].live;
  std::ranges::sort(live, [&](int a, int b) {
    return std::pair(l.buffers[a].offset, a) < std::pair(l.buffers[b].offset, b);
  });
  for (size_t i = 0; i < live.size(); ++i) {
    const LayoutBuffer& x = l.buffers[live[i]];
    for (size_t k = i + 1; k < live.size(); ++k) {
      const LayoutBuffer& y = l.buffers[live[k]];
      if (y.offset >= end_of(x)) break;
      if (!share_bytes(x, y) || is_stated(l, live[i], live[k], at) ||
          is_stated(l, live[k], live[i], at)) {
        continue;
      }
      return saved_wrong("'" + x.name + "' and '" + y.name + "' are alive together and share bytes",
                         saved_step(plan, at));
    }
  }
  return {};
}

}  // namespace netkit::plan
