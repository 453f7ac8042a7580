// SPDX-License-Identifier: MIT
// What a stored plan says of itself, held against itself: nothing alive together shares bytes but
// for views and stated overlaps, and lists, sums and totals follow from the buffers.
#include "compiler/plan/io/check_saved.h"

#include <algorithm>
#include <map>

namespace netkit::plan {
namespace {

std::unexpected<Error> wrong(std::string message, const std::string& where) {
  return bad_input(std::move(message), where, "make the plan again from its model or graph");
}

int64_t end_of(const LayoutBuffer& b) {
  return b.offset + b.bytes;
}

class SavedCheck {
 public:
  SavedCheck(const Problem& problem, const Layout& layout, const BufferGaps& gaps)
      : problem_(problem), l_(layout), gaps_(gaps) {}

  Result<void> run() {
    NK_TRY(check_totals());
    NK_TRY(check_views());
    if (l_.steps.empty()) return check_given_lives();
    std::vector<int64_t> alive(l_.steps.size() + 1, 0);  // change of the number of blocks
    for (const LayoutBuffer& b : l_.buffers) {
      if (b.alias_of >= 0) continue;
      ++alive[b.first_step];
      --alive[b.last_step + 1];
    }
    int64_t blocks = 0;
    for (size_t i = 0; i < l_.steps.size(); ++i) {
      blocks += alive[i];
      NK_TRY(check_step(static_cast<int>(i), blocks));
    }
    return {};
  }

 private:
  Result<void> check_totals() const {
    int64_t height = 0, sum = 0, largest = 0;
    for (const LayoutBuffer& b : l_.buffers) {
      height = std::max(height, end_of(b));
      if (b.kind == BufferKind::kScratch) continue;
      sum += b.bytes;
      largest = std::max(largest, b.bytes);
    }
    if (height != l_.arena_bytes) return wrong("is not the highest end of a buffer", "arena_bytes");
    if (sum != l_.tensor_sum_bytes) {
      return wrong("is not the sum of the buffers", "tensor_sum_bytes");
    }
    if (largest != l_.largest_tensor_bytes) {
      return wrong("is not the largest buffer", "largest_tensor_bytes");
    }
    for (const ClassSummary& c : l_.classes) {
      const bool same =
          c.plan_class != l_.plan_class ||
          (c.arena_bytes == l_.arena_bytes && c.lower_bound_bytes == l_.lower_bound_bytes);
      if (!same || c.lower_bound_bytes > c.arena_bytes) {
        return wrong("contradicts the plan", std::string("classes.") + class_name(c.plan_class));
      }
    }
    return {};
  }

  // A view lies in its block, in address and in time.
  Result<void> check_views() const {
    std::vector<int> roots(l_.buffers.size(), -1);
    for (size_t i = 0; i < l_.buffers.size(); ++i) {
      std::vector<int> chain;
      int at = static_cast<int>(i);
      for (; roots[at] < 0 && l_.buffers[at].alias_of >= 0; at = l_.buffers[at].alias_of) {
        chain.push_back(at);
        if (chain.size() > l_.buffers.size())
          return wrong("views form a circle", l_.buffers[at].name);
      }
      const int root = roots[at] < 0 ? at : roots[at];
      chain.push_back(at);
      for (const int b : chain) roots[b] = root;
    }
    for (size_t i = 0; i < l_.buffers.size(); ++i) {
      const LayoutBuffer &b = l_.buffers[i], &block = l_.buffers[roots[i]];
      if (b.alias_of < 0) continue;
      const LayoutBuffer& outer = l_.buffers[b.alias_of];
      if (b.offset < outer.offset || end_of(b) > end_of(outer)) {
        return wrong("a view lies outside of '" + outer.name + "'", b.name);
      }
      if (b.first_step < block.first_step || b.last_step > block.last_step) {
        return wrong("a view outlives '" + block.name + "'", b.name);
      }
    }
    return {};
  }

  // The live list holds each block once (views may stand there too), and the bytes are theirs.
  Result<void> check_step(int at, int64_t blocks) {
    const LayoutStep& step = l_.steps[at];
    const std::string& name = problem_.steps[step.step].name;
    std::vector<int> live;
    for (const int b : step.live) {
      const LayoutBuffer& buffer = l_.buffers[b];
      if (buffer.first_step > at || buffer.last_step < at) {
        return wrong("'" + buffer.name + "' is in the list but not alive", name);
      }
      if (buffer.alias_of < 0) live.push_back(b);
    }
    std::ranges::sort(live, [&](int a, int b) {
      const LayoutBuffer &x = l_.buffers[a], &y = l_.buffers[b];
      return std::pair(x.offset, a) < std::pair(y.offset, b);
    });
    const bool twice = std::ranges::adjacent_find(live) != live.end();
    if (twice || static_cast<int64_t>(live.size()) != blocks) {
      return wrong("the list of live buffers is not what lives there", name);
    }
    std::erase_if(live, [&](int b) { return l_.buffers[b].bytes == 0; });
    int64_t bytes = 0, end = 0;
    for (size_t i = 0; i < live.size(); ++i) {
      const LayoutBuffer& b = l_.buffers[live[i]];
      bytes += std::max<int64_t>(0, end_of(b) - std::max(b.offset, end));
      end = std::max(end, end_of(b));
      for (size_t k = i + 1; k < live.size(); ++k) {
        const LayoutBuffer& above = l_.buffers[live[k]];
        if (above.offset >= end_of(b)) break;
        NK_TRY(check_pair(live[i], live[k], at, name));
      }
    }
    if (bytes != step.live_bytes) return wrong("live_bytes are not those of its list", name);
    return {};
  }

  // They share bytes at step `at`.
  Result<void> check_pair(int a, int b, int at, const std::string& step) const {
    const LayoutBuffer &x = l_.buffers[a], &y = l_.buffers[b];
    if (stated(a, b, at) || stated(b, a, at)) return {};
    return wrong("'" + x.name + "' and '" + y.name + "' are alive together and share bytes", step);
  }

  bool stated(int in, int out, int at) const {
    const LayoutBuffer &x = l_.buffers[in], &y = l_.buffers[out];
    if (x.last_step != at || y.first_step != at) return false;
    return std::ranges::any_of(y.overlaps, [&](const LayoutOverlap& o) {
      return o.with == in && o.step == at &&
             ((o.forward_bytes && y.offset <= x.offset - *o.forward_bytes) ||
              (o.backward_bytes && end_of(y) >= end_of(x) + *o.backward_bytes));
    });
  }

  // Bytes [begin, end) are taken at the times [from, to), by buffer `owner`.
  struct Piece {
    int64_t from, to, begin, end;
    size_t owner;
  };

  void add_piece(const Piece& piece) {
    if (piece.from < piece.to && piece.begin < piece.end) pieces_.push_back(piece);
  }

  void add_pieces(size_t owner) {
    const LayoutBuffer& b = l_.buffers[owner];
    int64_t from = b.first_step;
    for (const LifeGap& gap : gaps_[owner]) {
      add_piece({from, gap.steps.begin, b.offset, end_of(b), owner});
      add_piece({gap.steps.begin, gap.steps.end, b.offset + gap.window.begin,
                 b.offset + gap.window.end, owner});
      from = gap.steps.end;
    }
    add_piece({from, int64_t{b.last_step} + 1, b.offset, end_of(b), owner});
  }

  // Lives that were given: no two pieces meet. A sweep over the times; those alive stand apart.
  // check_placement tries every pair, which a file of some 100,000 buffers turns into minutes.
  Result<void> check_given_lives() {
    for (size_t b = 0; b < l_.buffers.size(); ++b) add_pieces(b);
    std::vector<std::pair<int64_t, int64_t>> events;  // time, piece + 1; negative: it ends
    for (size_t p = 0; p < pieces_.size(); ++p) {
      events.push_back({pieces_[p].from, static_cast<int64_t>(p) + 1});
      events.push_back({pieces_[p].to, -static_cast<int64_t>(p) - 1});
    }
    std::ranges::sort(events);        // at one time ends come first
    std::map<int64_t, size_t> taken;  // by the first byte
    for (const auto& [time, event] : events) {
      const Piece& piece = pieces_[std::abs(event) - 1];
      if (event < 0) {
        taken.erase(piece.begin);
        continue;
      }
      const auto after = taken.lower_bound(piece.begin);
      for (const auto near : {after, after == taken.begin() ? taken.end() : std::prev(after)}) {
        if (near == taken.end()) continue;
        const Piece& other = pieces_[near->second];
        if (other.begin >= piece.end || other.end <= piece.begin) continue;
        return wrong("'" + l_.buffers[other.owner].name + "' and '" + l_.buffers[piece.owner].name +
                         "' are alive together and share bytes",
                     "time " + std::to_string(time));
      }
      taken.emplace(piece.begin, static_cast<size_t>(event) - 1);
    }
    return {};
  }

  const Problem& problem_;
  const Layout& l_;
  const BufferGaps& gaps_;
  std::vector<Piece> pieces_;
};

}  // namespace

Result<void> check_saved(const Problem& problem, const Layout& layout, const BufferGaps& gaps) {
  return SavedCheck(problem, layout, gaps).run();
}

}  // namespace netkit::plan
