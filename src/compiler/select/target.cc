// SPDX-License-Identifier: MIT
#include "compiler/select/target.h"

#include <algorithm>

namespace netkit {
namespace {

constexpr Target kTargets[] = {
    {"generic", "generic", 4, 16, ""},
    {"cortex-m0", "scalar generic", 4, 16, "-mcpu=cortex-m0 -mthumb -mfloat-abi=soft"},
    {"cortex-m0plus", "scalar generic", 4, 16, "-mcpu=cortex-m0plus -mthumb -mfloat-abi=soft"},
    {"cortex-m3", "scalar generic", 4, 16, "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft"},
    {"cortex-m4", "dsp generic", 4, 16,
     "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16"},
    {"cortex-m7", "dsp generic", 4, 16,
     "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"},
    {"cortex-m33", "dsp generic", 4, 16,
     "-mcpu=cortex-m33 -mthumb -mfloat-abi=hard -mfpu=fpv5-sp-d16"},
    {"cortex-m55", "mve dsp generic", 4, 16, "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard"},
    {"rv32imc", "scalar generic", 4, 16, "-march=rv32imc -mabi=ilp32"},
    {"rv32imac", "scalar generic", 4, 16, "-march=rv32imac -mabi=ilp32"},
    {"rv64gc", "scalar generic", 8, 16, "-march=rv64gc -mabi=lp64d"},
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
