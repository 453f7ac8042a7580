// SPDX-License-Identifier: MIT
// Spellings of the plan's enumerations.
#include "compiler/plan/layout.h"

namespace netkit::plan {

const char* class_name(PlanClass plan_class) {
  return plan_class == PlanClass::kPlain ? "plain" : "overlap";
}

const char* kind_name(BufferKind kind) {
  static constexpr const char* kNames[] = {"input", "activation", "output", "scratch", "state"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace netkit::plan
