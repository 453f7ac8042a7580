// SPDX-License-Identifier: MIT
// Certificate checking by the definitions: first the plan, then the witness of its bound.
#include "compiler/plan/check/certificate_check.h"

#include <nlohmann/json.hpp>

#include "compiler/plan/check/checker.h"

namespace netkit::plan {
namespace checker {
namespace {

PlanVerdict verdict_of(const Net& net, const Json& plans, const Json& plan) {
  PlanVerdict v{text(get(plan, "class")),
                number(get(plan, "arena_bytes")),
                number(get(plan, "lower_bound_bytes")),
                false,
                {},
                false,
                "the plan is wrong"};
  demand(v.plan_class == "plain" || v.plan_class == "overlap", "unknown class");
  try {
    const Order order = read_order(net, plan);
    verify_bound(net, order.ops, get(plan, "witness"), v);
    check_words(net, order, check_buffers(net, order, plan), plan);
    check_classes(plans, plan);
    v.valid = get(plan, "proven_minimal") == (v.arena_bytes == v.lower_bound_bytes);
    demand(v.valid, "proven_minimal contradicts the bound");
  } catch (const Wrong& reason) {
    v.invalid_reason = reason.why;
  }
  return v;
}

std::vector<PlanVerdict> verdicts_of(const Json& root) {
  demand(text(get(root, "format")) == "netkit-certificate/1", "format is another one");
  const Net net = read_net(root);
  const Json& plans = list(root, "plans");
  demand(!plans.empty(), "there is no plan in it");
  std::vector<PlanVerdict> verdicts;
  for (const Json& plan : plans) verdicts.push_back(verdict_of(net, plans, plan));
  return verdicts;
}

}  // namespace
}  // namespace checker

Result<std::vector<PlanVerdict>> check_certificate(std::string_view text) {
  try {
    return checker::verdicts_of(nlohmann::json::parse(text));
  } catch (const nlohmann::json::parse_error& error) {
    return bad_input("not valid JSON at byte " + std::to_string(error.byte));
  } catch (const checker::Wrong& reason) {
    return bad_input("not a certificate that can be checked: " + reason.why);
  } catch (const nlohmann::json::exception&) {
    return bad_input("not a certificate that can be checked: a field has another type");
  }
}

}  // namespace netkit::plan
