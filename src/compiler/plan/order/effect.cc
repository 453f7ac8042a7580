// SPDX-License-Identifier: MIT
// What one step costs, and what an order does.
#include <algorithm>

#include "compiler/plan/order/model.h"

namespace netkit::plan {
namespace {

bool untouched(const OrderBuffer& b, const uint64_t* executed) {
  for (size_t w = 0; w < b.touch_set.size(); ++w) {
    if ((b.touch_set[w] & executed[w]) != 0) return false;
  }
  return !b.touch_set.empty() || std::none_of(b.touches.begin(), b.touches.end(),
                                              [&](int s) { return has_bit(executed, s); });
}

// Are all of its steps executed, but for `step` (-1: none)?
bool touched(const OrderBuffer& b, const uint64_t* executed, int step) {
  for (size_t w = 0; w < b.touch_set.size(); ++w) {
    uint64_t left = b.touch_set[w] & ~executed[w];
    if (left != 0 && step >= 0 && step >> 6 == static_cast<int>(w)) {
      left &= ~(uint64_t{1} << (step & 63));
    }
    if (left != 0) return false;
  }
  return !b.touch_set.empty() || std::all_of(b.touches.begin(), b.touches.end(), [&](int s) {
    return s == step || has_bit(executed, s);
  });
}

bool opens(const OrderBuffer& b, const uint64_t* executed, int step) {
  if (b.from_start) return false;
  if (b.writer >= 0) return b.writer == step;
  return untouched(b, executed);
}

bool closes(const OrderBuffer& b, const uint64_t* executed, int step) {
  return !b.to_end && touched(b, executed, step);
}

bool nothing_done(const OrderModel& model, const uint64_t* executed) {
  return std::all_of(executed, executed + model.words(), [](uint64_t w) { return w == 0; });
}

}  // namespace

StepEffect step_effect(const OrderModel& model, const uint64_t* executed, int64_t alive, int step) {
  StepEffect effect;
  int64_t opened = 0, closed = 0;
  if (model.unread_bytes > 0 && nothing_done(model, executed)) {
    opened = closed = model.unread_bytes;
  }
  for (const int id : model.step_buffers[step]) {
    const OrderBuffer& b = model.buffers[id];
    if (opens(b, executed, step)) {
      opened += b.bytes;
      effect.taken_slack = std::max(effect.taken_slack, b.slack);
    }
    if (closes(b, executed, step)) {
      closed += b.bytes;
      effect.freed_slack = std::max(effect.freed_slack, b.slack);
    }
  }
  effect.after = alive + opened - closed;
  effect.need = alive + opened + model.scratch[step];
  const auto& modes = model.modes[step];
  for (size_t k = 0; k < modes.size(); ++k) {
    const OrderMode& mode = modes[k];
    const int64_t need = alive + opened - mode.saving + mode.scratch;
    if (need < effect.need && closes(model.buffers[mode.in], executed, step) &&
        opens(model.buffers[mode.out], executed, step)) {
      effect.need = need;
      effect.mode = static_cast<int>(k);
    }
  }
  return effect;
}

int64_t live_slack(const OrderModel& model, const uint64_t* executed, int step) {
  int64_t slack = model.scratch_slack[step];
  for (const OrderMode& mode : model.modes[step]) slack = std::max(slack, mode.scratch_slack);
  for (const int id : model.by_slack) {  // the largest first
    const OrderBuffer& b = model.buffers[id];
    if (b.slack <= slack) return slack;
    const bool own = std::ranges::binary_search(model.step_buffers[step], id);
    const bool open = own || b.from_start || !untouched(b, executed);
    if (open && !(!b.to_end && touched(b, executed, -1))) return b.slack;
    const bool unread = b.from_start && !b.to_end && b.touches.empty();
    if (unread && nothing_done(model, executed)) return b.slack;
  }
  return slack;
}

int64_t possible_slack(const OrderModel& model, int step) {
  int64_t slack = model.scratch_slack[step];
  for (const OrderMode& mode : model.modes[step]) slack = std::max(slack, mode.scratch_slack);
  const auto before = [&](int t) { return has_bit(model.ancestors[step].data(), t); };
  const auto after = [&](int t) { return has_bit(model.descendants[step].data(), t); };
  for (const OrderBuffer& b : model.buffers) {
    if (b.slack <= slack) continue;
    const bool over = !b.to_end && std::all_of(b.touches.begin(), b.touches.end(), before);
    const bool not_yet = !b.from_start && std::all_of(b.touches.begin(), b.touches.end(), after);
    if (!over && !not_yet) slack = b.slack;
  }
  return slack;
}

int64_t start_bytes(const OrderModel& model) {
  int64_t bytes = 0;
  for (const OrderBuffer& b : model.buffers) {
    if (b.from_start && (b.to_end || !b.touches.empty())) bytes += b.bytes;
  }
  return bytes;
}

int64_t order_bound(const OrderModel& model, const std::vector<int>& order) {
  Words executed(model.words(), 0);
  int64_t alive = start_bytes(model), bound = 0;
  for (const int s : order) {
    const StepEffect e = step_effect(model, executed.data(), alive, s);
    if (e.need > bound) {
      const int64_t slack = model.has_slack ? live_slack(model, executed.data(), s) : 0;
      bound = std::max(bound, e.need - slack);
    }
    alive = e.after;
    set_bit(executed.data(), s);
  }
  return bound;
}

}  // namespace netkit::plan
