// SPDX-License-Identifier: MIT
// Attribute access that needs a conversion.
#include "compiler/ir/attrs.h"

namespace netkit {

double Attrs::get_float(std::string_view name, double fallback) const {
  const AttrValue* value = find(name);
  if (value == nullptr) return fallback;
  if (const auto* d = std::get_if<double>(value)) return *d;
  if (const auto* i = std::get_if<int64_t>(value)) return static_cast<double>(*i);
  return fallback;
}

}  // namespace netkit
