// SPDX-License-Identifier: MIT
// Places of values in one buffer, as the host's planner understands them: an output may lie over a
// dying input as far as the kernel allows. First-fit over several orders of the values, then over
// orders with two of them exchanged, until nothing smaller is possible or the effort is spent.
#include <initializer_list>

#include "ops/common/window_overlap.h"
#include "runtime/nets/steps.h"

namespace netkit::nets {
namespace {

constexpr uint32_t kNever = UINT32_MAX;
constexpr uint32_t kEffort = 3000000;  // pairs of values looked at

// How far the output of a step may reach into its first input, in bytes; kNever: not at all.
struct Reach {
  uint32_t forward = kNever, backward = kNever;
};

uint32_t aligned(uint32_t bytes) {
  return (bytes + kAlignBytes - 1) & ~(kAlignBytes - 1);
}

uint32_t in_bytes(int64_t floats) {
  return static_cast<uint32_t>(floats) * static_cast<uint32_t>(sizeof(float));
}

class Placer {
 public:
  Placer(Net& net, Reach* reach, uint16_t* order, uint32_t* best)
      : net_(net), reach_(reach), order_(order), best_(best) {}

  void run() {
    for (uint16_t i = 0; i < net_.step_count; ++i) choose(i);
    for (uint16_t i = 0; i < net_.value_count; ++i) {
      if (is_placed(i)) order_[count_++] = i;
    }
    const uint32_t bound = lower_bound();
    int best_key = 0;
    for (int key = 0; key < 4 && best_bytes_ > bound; ++key) {
      sort(key);
      if (attempt()) best_key = key;
    }
    sort(best_key);
    improve(bound);
    for (uint16_t i = 0; i < net_.value_count; ++i) {
      if (net_.values[i].parent == kNone) net_.values[i].offset = best_[i];
    }
    for (uint16_t i = 0; i < net_.step_count; ++i) set_mode(i);
    net_.buffer_bytes = best_bytes_;
  }

 private:
  Value& value(uint16_t i) { return net_.values[i]; }
  uint16_t root(uint16_t i) { return value(i).parent == kNone ? i : value(i).parent; }
  // Does the first input die here, and stand by itself?
  bool dies(uint16_t step, uint16_t in) {
    return in != kNone && value(in).parent == kNone && value(in).last == step;
  }

  Reach reach_of(const Step& step, bool variant) {
    if (!has_window(step)) {
      const bool apart = step.op == Op::kDense || step.op == Op::kCopyChannels;
      return apart ? Reach{} : Reach{0, kNever};
    }
    const nk_spatial s = spatial_of(net_, step);
    if (step.op == Op::kDepthwise && variant) {
      return nk_channel_ring_fits(&s) ? Reach{0, kNever} : Reach{};
    }
    const nk_reads reads = step.op != Op::kConv ? NK_READS_OWN_CHANNEL
                           : variant            ? NK_READS_PIXEL_FIRST
                                                : NK_READS_ALL_CHANNELS;
    // A pixel is copied from inside the image only.
    if (variant && (s.pad_top != 0 || s.pad_left != 0 || (s.out_h - 1) * s.stride_h >= s.in_h ||
                    (s.out_w - 1) * s.stride_w >= s.in_w)) {
      return {};
    }
    return {in_bytes(nk_forward_distance(&s, reads)), in_bytes(nk_backward_distance(&s, reads))};
  }

  // Bytes that input and output need together.
  uint32_t cost(uint32_t in, uint32_t out, const Reach& r) {
    const auto larger = [](uint32_t a, uint32_t b) { return a > b ? a : b; };
    uint32_t least = aligned(in) + out;
    if (r.forward != kNever) {
      const uint32_t together = larger(out, aligned(r.forward) + in);
      if (together < least) least = together;
    }
    if (r.backward != kNever) {
      const uint32_t together = larger(out, aligned(r.backward) + in);
      if (together < least) least = together;
    }
    return least;
  }

  void choose(uint16_t index) {
    Step& step = net_.steps[index];
    reach_[index] =
        dies(index, step.in[0]) || step.op == Op::kAdd ? reach_of(step, false) : Reach{};
    step.variant = 0;
    if (step.op == Op::kResponseNorm) step.variant = 1;  // its scratch is no choice
    if (step.scratch == kNone || step.variant == 1) return;
    const uint32_t in = bytes_of(value(step.in[0])), out = bytes_of(value(step.out));
    const Reach wide = dies(index, step.in[0]) ? reach_of(step, true) : Reach{};
    if (cost(in, out, wide) + aligned(bytes_of(value(step.scratch))) <
        cost(in, out, reach_[index])) {
      reach_[index] = wide;
      step.variant = 1;
    } else {
      value(step.scratch).first = kNone;  // needs no place
      step.scratch = kNone;
    }
  }

  bool is_placed(uint16_t i) { return value(i).parent == kNone && value(i).first != kNone; }

  uint32_t lower_bound() {
    uint32_t most = 0;
    for (uint16_t s = 0; s < net_.step_count; ++s) {
      uint32_t live = 0;
      for (uint16_t k = 0; k < count_; ++k) {
        const Value& v = value(order_[k]);
        if (v.first <= s && s <= v.last) live += bytes_of(v);
      }
      const Step& step = net_.steps[s];
      // The other input of a sum does as well.
      const bool second = step.op == Op::kAdd && !dies(s, step.in[0]);
      const uint16_t in_place = step.in[second ? 1 : 0];
      if (dies(s, in_place) && value(step.out).parent == kNone && value(step.out).first == s) {
        const uint32_t in = bytes_of(value(in_place)), out = bytes_of(value(step.out));
        live -= in + out - cost(in, out, reach_[s]);
      }
      if (live > most) most = live;
    }
    return most;
  }

  // Larger first: size, size times life, early birth, late death.
  uint32_t weight(uint16_t i, int key) {
    const Value& v = value(i);
    const uint32_t last = v.last < net_.step_count ? v.last : net_.step_count;
    switch (key) {
      case 0:
        return bytes_of(v);
      case 1:
        return bytes_of(v) / 16 * (last - v.first + 1u);
      case 2:
        return UINT32_MAX - v.first;
      default:
        return last;
    }
  }
  void sort(int key) {
    for (uint16_t i = 1; i < count_; ++i) {
      const uint16_t moving = order_[i];
      uint16_t at = i;
      for (; at > 0 && weight(order_[at - 1], key) < weight(moving, key); --at) {
        order_[at] = order_[at - 1];
      }
      order_[at] = moving;
    }
  }

  // May output v of a step lie where it does over the dying input u?
  bool overlap_allowed(uint16_t v, uint32_t at_v, uint16_t u, uint32_t at_u) {
    const uint16_t s = value(v).first;
    if (s != value(u).last || s >= net_.step_count) return false;
    const Step& step = net_.steps[s];
    if (root(step.out) != v) return false;
    if (step.in[0] != u && !(step.op == Op::kAdd && step.in[1] == u)) return false;
    const uint32_t at = at_v + (step.out == v ? 0 : value(step.out).offset);
    const Reach& r = reach_[s];
    if (r.forward != kNever && at + r.forward <= at_u) return true;
    return r.backward != kNever &&
           at + bytes_of(value(step.out)) >= at_u + bytes_of(value(u)) + r.backward;
  }
  bool fits(uint16_t v, uint32_t at_v, uint16_t u) {
    const Value &a = value(v), &b = value(u);
    if (a.first > b.last || b.first > a.last) return true;
    if (at_v + bytes_of(a) <= b.offset || b.offset + bytes_of(b) <= at_v) return true;
    return overlap_allowed(v, at_v, u, b.offset) || overlap_allowed(u, b.offset, v, at_v);
  }
  bool fits_all(uint16_t place, uint32_t at) {
    for (uint16_t k = 0; k < place; ++k) {
      ++effort_;
      if (!fits(order_[place], at, order_[k])) return false;
    }
    return true;
  }

  // The lowest place of order_[place] among those before it.
  uint32_t lowest(uint16_t place) {
    uint32_t best = kNever;
    const uint32_t size = bytes_of(value(order_[place]));
    const auto consider = [&](int64_t at) {
      if (at < 0 || at >= best) return;
      const uint32_t up = aligned(static_cast<uint32_t>(at));
      const auto down = static_cast<uint32_t>(at) & ~(kAlignBytes - 1);
      if (down < best && fits_all(place, down)) best = down;
      if (up < best && fits_all(place, up)) best = up;
    };
    consider(0);
    for (uint16_t k = 0; k < place; ++k) {
      const Value& u = value(order_[k]);
      const int64_t begin = u.offset, end = begin + bytes_of(u);
      consider(end);
      for (const uint16_t s : {value(order_[place]).first, u.first}) {
        if (s >= net_.step_count) continue;
        const Reach& r = reach_[s];
        if (r.forward != kNever) {
          consider(begin - r.forward);
          consider(begin + r.forward);
        }
        if (r.backward != kNever) {
          consider(end + r.backward - size);
          consider(end - r.backward - size);
        }
      }
    }
    return best;
  }

  // Places all in order; keeps the places where they are the best so far.
  bool attempt() {
    uint32_t bytes = 0;
    for (uint16_t place = 0; place < count_; ++place) {
      Value& v = value(order_[place]);
      v.offset = lowest(place);
      if (v.offset + bytes_of(v) > bytes) bytes = v.offset + bytes_of(v);
      if (bytes >= best_bytes_) return false;
    }
    best_bytes_ = bytes;
    for (uint16_t k = 0; k < count_; ++k) best_[order_[k]] = value(order_[k]).offset;
    return true;
  }

  void improve(uint32_t bound) {
    uint32_t draw = 1;
    const auto next = [&draw](uint32_t limit) {
      draw = draw * 1664525u + 1013904223u;
      return static_cast<uint16_t>((uint64_t{draw >> 8} * limit) >> 24);
    };
    const auto exchange = [this](uint16_t a, uint16_t b) {
      const uint16_t moving = order_[a];
      order_[a] = order_[b];
      order_[b] = moving;
    };
    while (count_ > 1 && effort_ < kEffort && best_bytes_ > bound) {
      const uint16_t a = next(count_), b = next(count_);
      exchange(a, b);
      if (!attempt()) exchange(a, b);
    }
  }

  void set_mode(uint16_t index) {
    Step& step = net_.steps[index];
    if (!has_window(step)) return;
    const uint32_t x = offset_of(net_, step.in[0]), y = offset_of(net_, step.out);
    const uint32_t x_bytes = bytes_of(value(step.in[0])), y_bytes = bytes_of(value(step.out));
    step.mode = NK_MODE_PLAIN;
    if (x + x_bytes <= y || y + y_bytes <= x) return;
    const bool forward = reach_[index].forward != kNever && y + reach_[index].forward <= x;
    step.mode = forward ? NK_MODE_FORWARD : NK_MODE_BACKWARD;
    if (step.variant == 0) return;
    step.mode = step.op == Op::kDepthwise ? NK_MODE_CHANNEL_RING
                : forward                 ? NK_MODE_FORWARD_PIXEL
                                          : NK_MODE_BACKWARD_PIXEL;
  }

  Net& net_;
  Reach* reach_;
  uint16_t* order_;
  uint32_t* best_;
  uint16_t count_ = 0;
  uint32_t best_bytes_ = kNever, effort_ = 0;
};

template <typename T>
T* take(Arena& arena, uint32_t count) {
  return static_cast<T*>(arena.alloc(count * sizeof(T), alignof(T)));
}

}  // namespace

nk_status_t place(Net& net, Arena& arena) {
  const Arena::Mark mark = arena.mark();
  auto* reach = take<Reach>(arena, net.step_count);
  auto* order = take<uint16_t>(arena, net.value_count);
  auto* best = take<uint32_t>(arena, net.value_count);
  if (reach == nullptr || order == nullptr || best == nullptr) {
    arena.release(mark);
    return NK_ERR_ARENA_OVERFLOW;
  }
  Placer(net, reach, order, best).run();
  arena.release(mark);
  return NK_OK;
}

}  // namespace netkit::nets
