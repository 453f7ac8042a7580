// SPDX-License-Identifier: MIT
#include "compiler/select/target.h"

#include <algorithm>

namespace netkit {
namespace {

constexpr Target kTargets[] = {
    {"generic", "generic", 4, 16, ""},
    {"cortex-m4", "generic", 4, 16, "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"},
    {"rv32imac", "generic", 4, 16, "-march=rv32imac -mabi=ilp32"},
    {"x86_64", "generic", 8, 16, ""},
    {"aarch64", "generic", 8, 16, ""},
};

}  // namespace

std::span<const Target> all_targets() {
  return kTargets;
}

const Target* find_target(std::string_view name) {
  const auto it = std::ranges::find(kTargets, name, &Target::name);
  return it == std::end(kTargets) ? nullptr : it;
}

bool runs_on(const Target& target, std::string_view arch) {
  std::string_view rest = target.archs;
  while (!rest.empty()) {
    const size_t end = rest.find(' ');
    if (rest.substr(0, end) == arch) return true;
    if (end == std::string_view::npos) break;
    rest.remove_prefix(end + 1);
  }
  return false;
}

}  // namespace netkit
