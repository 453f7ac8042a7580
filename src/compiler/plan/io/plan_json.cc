// SPDX-License-Identifier: MIT
// netkit-plan/1: a layout as text.
#include <nlohmann/json.hpp>

#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"
#include "compiler/plan/io/plan_pieces.h"

namespace netkit::plan {
namespace {

std::string text_of(const Json& root) {
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Json order_names(const Problem& problem, const std::vector<int>& order) {
  Json names = Json::array();
  for (const int s : order) names.push_back(problem.steps[s].name);
  return names;
}

Json bounds(int64_t arena, int64_t bound, bool proven) {
  return {{"arena_bytes", arena}, {"lower_bound_bytes", bound}, {"proven_minimal", proven}};
}

Json step_json(const Problem& problem, const Layout& layout, const LayoutStep& s) {
  Json live = Json::array();
  for (const int b : s.live) live.push_back(layout.buffers[b].name);
  Json step = {{"op", problem.steps[s.step].name}, {"live_bytes", s.live_bytes}, {"live", live}};
  if (s.overlap >= 0) step["overlap"] = s.overlap;
  if (!s.views.empty()) step["views"] = s.views;
  return step;
}

Json buffer_json(const Layout& layout, const LayoutBuffer& b) {
  Json buffer = {{"name", b.name},           {"bytes", b.bytes},
                 {"offset", b.offset},       {"first_step", b.first_step},
                 {"last_step", b.last_step}, {"kind", kind_name(b.kind)}};
  if (b.alias_of >= 0) buffer["alias_of"] = layout.buffers[b.alias_of].name;
  for (const LayoutOverlap& o : b.overlaps) {
    Json overlap = {{"with", layout.buffers[o.with].name}, {"step", o.step}};
    if (o.forward_bytes) overlap["forward_bytes"] = *o.forward_bytes;
    if (o.backward_bytes) overlap["backward_bytes"] = *o.backward_bytes;
    buffer["overlaps"].push_back(overlap);
  }
  return buffer;
}

}  // namespace

Json head_json(const Problem& problem, const Layout& layout) {
  std::vector<int> order;
  for (const LayoutStep& s : layout.steps) order.push_back(s.step);
  Json root = {{"format", "netkit-plan/1"}, {"class", class_name(layout.plan_class)}};
  root["classes"] = Json::object();
  for (const ClassSummary& c : layout.classes) {
    root["classes"][class_name(c.plan_class)] =
        bounds(c.arena_bytes, c.lower_bound_bytes, c.proven_minimal);
  }
  root["order"] = order_names(problem, order);
  root["alignment"] = layout.alignment;
  root.update(bounds(layout.arena_bytes, layout.lower_bound_bytes, layout.proven_minimal));
  root["given_order_peak_bytes"] = layout.given_order_peak_bytes;
  root["tensor_sum_bytes"] = layout.tensor_sum_bytes;
  root["largest_tensor_bytes"] = layout.largest_tensor_bytes;
  return root;
}

std::string plan_json(const Problem& problem, const Layout& layout, const BufferGaps& gaps) {
  Json root = head_json(problem, layout);
  // The lives of a buffer list are given: it has no steps.
  for (const LayoutStep& s : layout.steps) {
    root["steps"].push_back(step_json(problem, layout, s));
  }
  root["buffers"] = Json::array();
  for (const LayoutBuffer& b : layout.buffers) root["buffers"].push_back(buffer_json(layout, b));
  for (size_t b = 0; b < gaps.size(); ++b) {
    for (const LifeGap& gap : gaps[b]) {
      root["buffers"][b]["gaps"].push_back({{"first_step", gap.steps.begin},
                                            {"last_step", gap.steps.end - 1},
                                            {"begin_byte", gap.window.begin},
                                            {"end_byte", gap.window.end}});
    }
  }
  if (layout.time_limited) root["time_limited"] = true;
  root["seconds"] = layout.seconds;
  return text_of(root);
}

std::string orders_json(const Problem& problem, const std::vector<OrderListing>& orders) {
  Json root = {{"format", "netkit-orders/1"}, {"orders", Json::array()}};
  for (const OrderListing& o : orders) {
    root["orders"].push_back({{"order", order_names(problem, o.order)},
                              {"live_bytes", o.live_bytes},
                              {"peak_bytes", o.peak_bytes}});
  }
  return text_of(root);
}

}  // namespace netkit::plan
