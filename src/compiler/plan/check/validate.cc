// SPDX-License-Identifier: MIT
// Validation by the definitions, one after the other.
#include "compiler/plan/check/validate.h"

#include <algorithm>

namespace netkit::plan {
namespace {

struct Life {
  int first = -1, last = -1;
};

class Validator {
 public:
  Validator(const Problem& problem, const Layout& layout) : p_(problem), l_(layout) {}

  Result<void> run() {
    NK_TRY(check_shape());
    NK_TRY(check_order());
    find_lives();
    NK_TRY(check_lives());
    NK_TRY(check_scratch());
    NK_TRY(check_aliases());
    number_blocks();
    for (size_t a = 0; a < l_.buffers.size(); ++a) {
      for (size_t b = 0; b < a; ++b) NK_TRY(check_pair(static_cast<int>(a), static_cast<int>(b)));
    }
    NK_TRY(check_steps());
    return check_totals();
  }

 private:
  static std::unexpected<Error> wrong(const std::string& what, const std::string& where = {}) {
    return bad_input("invalid plan: " + what, where);
  }
  bool is_buffer(int b) const { return b >= 0 && b < static_cast<int>(l_.buffers.size()); }

  // Indices in range and sizes sane, so that the rest need not ask.
  Result<void> check_shape() {
    const int n = static_cast<int>(p_.steps.size());
    if (l_.tensor_buffer.size() != p_.tensors.size()) return wrong("tensor table has another size");
    for (size_t t = 0; t < p_.tensors.size(); ++t) {
      const int b = l_.tensor_buffer[t];
      if (b < 0) continue;
      if (!is_buffer(b) || l_.buffers[b].tensor != static_cast<int>(t) ||
          l_.buffers[b].bytes != p_.tensors[t].bytes) {
        return wrong("buffer and tensor do not match", p_.tensors[t].name);
      }
    }
    for (const LayoutBuffer& b : l_.buffers) {
      const bool own = b.tensor >= 0 && b.tensor < static_cast<int>(p_.tensors.size()) &&
                       &l_.buffers[std::max(0, l_.tensor_buffer[b.tensor])] == &b;
      if ((b.kind != BufferKind::kScratch) != own) return wrong("buffer of no tensor", b.name);
      if (b.bytes < 0 || b.offset < 0 || b.offset > (int64_t{1} << 60)) {
        return wrong("offset or size out of range", b.name);
      }
      if (b.offset % p_.alignment != 0) return wrong("offset is not aligned", b.name);
      if (b.first_step < 0 || b.last_step >= n || b.first_step > b.last_step) {
        return wrong("life out of range", b.name);
      }
      if (b.alias_of != -1 && !is_buffer(b.alias_of)) return wrong("alias of nothing", b.name);
    }
    return {};
  }

  Result<void> check_order() {
    const int n = static_cast<int>(p_.steps.size());
    if (static_cast<int>(l_.steps.size()) != n) return wrong("not every step is in the order");
    at_.assign(n, -1);
    for (int i = 0; i < n; ++i) {
      const LayoutStep& s = l_.steps[i];
      if (s.step < 0 || s.step >= n || at_[s.step] >= 0) return wrong("a step stands twice");
      at_[s.step] = i;
      if (s.overlap < -1 || s.overlap >= static_cast<int>(p_.steps[s.step].overlaps.size())) {
        return wrong("unknown overlap mode", p_.steps[s.step].name);
      }
      for (const int v : s.views) {
        if (v < 0 || v >= static_cast<int>(p_.steps[s.step].views.size())) {
          return wrong("unknown view", p_.steps[s.step].name);
        }
      }
    }
    std::vector<int> written(p_.tensors.size(), -1);
    std::vector<char> state(p_.tensors.size(), 0);
    for (const int t : p_.states) state[t] = 1;
    for (const Step& s : p_.steps) {
      for (const int t : s.outputs) {
        if (!state[t]) written[t] = at_[&s - p_.steps.data()];
      }
    }
    std::vector<int> last_access(p_.tensors.size(), -1);
    for (size_t s = 0; s < p_.steps.size(); ++s) {
      for (const int t : p_.steps[s].inputs) {
        if (written[t] >= at_[s])
          return wrong("step runs before its input is there", p_.steps[s].name);
      }
      for (const auto* list : {&p_.steps[s].inputs, &p_.steps[s].outputs}) {
        for (const int t : *list) {
          if (!state[t]) continue;
          if (last_access[t] > at_[s])
            return wrong("accesses to a state are reordered", p_.tensors[t].name);
          last_access[t] = at_[s];
        }
      }
    }
    return {};
  }

  void find_lives() {
    lives_.assign(p_.tensors.size(), {});
    const int end = static_cast<int>(p_.steps.size()) - 1;
    for (size_t s = 0; s < p_.steps.size(); ++s) {
      for (const auto* list : {&p_.steps[s].inputs, &p_.steps[s].outputs}) {
        for (const int t : *list) {
          Life& life = lives_[t];
          life.first = life.first < 0 ? at_[s] : std::min(life.first, at_[s]);
          life.last = std::max(life.last, at_[s]);
        }
      }
    }
    for (const auto* list : {&p_.inputs, &p_.states}) {
      for (const int t : *list) lives_[t] = {0, std::max(0, lives_[t].last)};
    }
    for (const auto* list : {&p_.outputs, &p_.states}) {
      for (const int t : *list) lives_[t].last = end;
    }
  }

  Result<void> check_lives() {
    for (size_t t = 0; t < p_.tensors.size(); ++t) {
      const int b = l_.tensor_buffer[t];
      if (b < 0 || lives_[t].first < 0) continue;
      const LayoutBuffer& buffer = l_.buffers[b];
      if (buffer.first_step > lives_[t].first || buffer.last_step < lives_[t].last) {
        return wrong("buffer is not alive when it is needed", buffer.name);
      }
    }
    return {};
  }

  int64_t scratch_needed(const LayoutStep& s) const {
    const Step& step = p_.steps[s.step];
    return s.overlap < 0 ? step.scratch_bytes : step.overlaps[s.overlap].scratch_bytes;
  }

  // Each step that needs scratch has exactly one buffer for it.
  Result<void> check_scratch() {
    std::vector<int> count(l_.steps.size(), 0);
    for (const LayoutBuffer& b : l_.buffers) {
      if (b.kind != BufferKind::kScratch) continue;
      const LayoutStep& s = l_.steps[b.first_step];
      if (b.last_step != b.first_step || b.bytes != s.scratch_bytes ||
          b.offset != s.scratch_offset || b.alias_of >= 0) {
        return wrong("scratch buffer and step do not match", b.name);
      }
      ++count[b.first_step];
    }
    for (size_t i = 0; i < l_.steps.size(); ++i) {
      const LayoutStep& s = l_.steps[i];
      if (s.scratch_bytes != scratch_needed(s) || count[i] != (s.scratch_bytes > 0 ? 1 : 0)) {
        return wrong("scratch is not what the step's mode needs", p_.steps[s.step].name);
      }
    }
    return {};
  }

  // alias_of is the mirror of the taken views, with the bytes where the view says.
  Result<void> check_aliases() {
    std::vector<int> parents(l_.buffers.size(), -1);
    made_by_view_.assign(l_.buffers.size(), 0);
    for (const LayoutStep& s : l_.steps) {
      const Step& step = p_.steps[s.step];
      for (const int v : s.views) {
        const View& view = step.views[v];
        const int in = l_.tensor_buffer[step.inputs[view.input]];
        const int out = l_.tensor_buffer[step.outputs[view.output]];
        if (in < 0 || out < 0) return wrong("view of what is not in the arena", step.name);
        const bool out_inside = l_.buffers[out].bytes <= l_.buffers[in].bytes;
        const int inner = out_inside ? out : in, outer = out_inside ? in : out;
        if (l_.buffers[inner].offset != l_.buffers[outer].offset + view.offset_bytes ||
            l_.buffers[inner].alias_of != outer || parents[inner] >= 0) {
          return wrong("view is not where the step expects it", l_.buffers[inner].name);
        }
        for (const int t : {l_.buffers[inner].tensor, l_.buffers[outer].tensor}) {
          if (std::count(p_.states.begin(), p_.states.end(), t) > 0) {
            return wrong("view of a state", l_.buffers[inner].name);
          }
        }
        parents[inner] = outer;
        made_by_view_[inner] = out_inside;
      }
    }
    for (size_t b = 0; b < l_.buffers.size(); ++b) {
      if (l_.buffers[b].alias_of != parents[b]) {
        return wrong("alias without a view", l_.buffers[b].name);
      }
    }
    root_.resize(l_.buffers.size());
    for (size_t b = 0; b < l_.buffers.size(); ++b) {
      int up = static_cast<int>(b);
      for (size_t hops = 0; parents[up] >= 0; up = parents[up]) {
        if (++hops > l_.buffers.size()) return wrong("aliases form a cycle", l_.buffers[b].name);
      }
      root_[b] = up;
      const LayoutBuffer &inner = l_.buffers[b], &outer = l_.buffers[up];
      if (outer.first_step > inner.first_step || outer.last_step < inner.last_step) {
        return wrong("block ends before what lies in it", outer.name);
      }
    }
    return {};
  }

  // Numbers the buffers so that all that lies in one has a range beginning with its own number.
  void number_blocks() {
    const int n = static_cast<int>(l_.buffers.size());
    std::vector<std::vector<int>> inner(n);
    std::vector<int> open;
    for (int b = n; b-- > 0;) {
      const int outer = l_.buffers[b].alias_of;
      (outer < 0 ? open : inner[outer]).push_back(b);
    }
    block_begin_.assign(n, 0);
    block_end_.assign(n, 0);
    std::vector<int> numbered;
    while (!open.empty()) {
      const int b = open.back();
      open.pop_back();
      block_begin_[b] = static_cast<int>(numbered.size());
      block_end_[b] = block_begin_[b] + 1;
      numbered.push_back(b);
      open.insert(open.end(), inner[b].begin(), inner[b].end());
    }
    for (int i = static_cast<int>(numbered.size()); i-- > 0;) {
      const int outer = l_.buffers[numbered[i]].alias_of;
      if (outer >= 0) {
        block_end_[outer] = std::max(block_end_[outer], block_end_[numbered[i]]);
      }
    }
  }

  bool lies_in(int inner, int outer) const {
    return block_begin_[inner] >= block_begin_[outer] && block_begin_[inner] < block_end_[outer];
  }

  // Views of one block: one lies in the other, or one only reads what the block holds. Two that
  // steps write must be apart.
  bool views_agree(int a, int b) const {
    if (root_[a] != root_[b]) return false;
    return lies_in(a, b) || lies_in(b, a) || made_by_view_[a] || made_by_view_[b];
  }

  bool overlap_allowed(int in, int out) const {
    const LayoutBuffer &x = l_.buffers[in], &y = l_.buffers[out];
    const int at = y.first_step;
    if (x.last_step != at || x.kind == BufferKind::kScratch || y.kind == BufferKind::kScratch) {
      return false;
    }
    const auto stated = [&](const LayoutOverlap& o) { return o.with == in && o.step == at; };
    if (std::none_of(y.overlaps.begin(), y.overlaps.end(), stated)) return false;
    const LayoutStep& s = l_.steps[at];
    if (s.overlap < 0 || root_[in] != in || root_[out] != out) return false;
    const Step& step = p_.steps[s.step];
    const Overlap& o = step.overlaps[s.overlap];
    if (step.inputs[o.input] != x.tensor || step.outputs[o.output] != y.tensor) return false;
    return (o.forward_bytes && y.offset <= x.offset - *o.forward_bytes) ||
           (o.backward_bytes && y.offset + y.bytes >= x.offset + x.bytes + *o.backward_bytes);
  }

  Result<void> check_pair(int a, int b) {
    const LayoutBuffer &x = l_.buffers[a], &y = l_.buffers[b];
    if (x.bytes == 0 || y.bytes == 0) return {};
    if (x.offset + x.bytes <= y.offset || y.offset + y.bytes <= x.offset) return {};
    if (x.last_step < y.first_step || y.last_step < x.first_step) return {};
    if (views_agree(a, b) || overlap_allowed(a, b) || overlap_allowed(b, a)) return {};
    return wrong("'" + x.name + "' and '" + y.name + "' are alive together and share bytes",
                 p_.steps[l_.steps[std::max(x.first_step, y.first_step)].step].name);
  }

  // The lists that people and tools read say the same as the lives.
  Result<void> check_steps() {
    for (size_t i = 0; i < l_.steps.size(); ++i) {
      const LayoutStep& s = l_.steps[i];
      std::vector<std::pair<int64_t, int64_t>> ranges;
      std::vector<int> alive;
      for (size_t b = 0; b < l_.buffers.size(); ++b) {
        const LayoutBuffer& buffer = l_.buffers[b];
        if (root_[b] != static_cast<int>(b) || buffer.first_step > static_cast<int>(i) ||
            buffer.last_step < static_cast<int>(i)) {
          continue;
        }
        alive.push_back(static_cast<int>(b));
        ranges.push_back({buffer.offset, buffer.offset + buffer.bytes});
      }
      std::vector<int> listed = s.live;
      std::sort(listed.begin(), listed.end());
      std::sort(ranges.begin(), ranges.end());
      int64_t bytes = 0, end = 0;
      for (const auto& [lo, hi] : ranges) {
        bytes += std::max<int64_t>(0, hi - std::max(lo, end));
        end = std::max(end, hi);
      }
      if (listed != alive || bytes != s.live_bytes) {
        return wrong("list of live buffers is wrong", p_.steps[s.step].name);
      }
    }
    return {};
  }

  Result<void> check_totals() {
    int64_t height = 0;
    for (const LayoutBuffer& b : l_.buffers) height = std::max(height, b.offset + b.bytes);
    if (height != l_.arena_bytes) return wrong("arena_bytes is not the highest end of a buffer");
    if (l_.lower_bound_bytes > l_.arena_bytes) return wrong("lower bound above the arena");
    if (l_.proven_minimal != (l_.lower_bound_bytes == l_.arena_bytes)) {
      return wrong("proven_minimal does not follow from the bound");
    }
    return {};
  }

  const Problem& p_;
  const Layout& l_;
  std::vector<int> at_;      // position of each step
  std::vector<Life> lives_;  // what each tensor needs
  std::vector<int> root_;
  std::vector<int> block_begin_, block_end_;  // numbers of what lies in a buffer, itself first
  std::vector<char> made_by_view_;            // the view's step would have written it
};

}  // namespace

Result<void> validate(const Problem& problem, const Layout& layout) {
  NK_TRY(check_problem(problem));
  return Validator(problem, layout).run();
}

}  // namespace netkit::plan
