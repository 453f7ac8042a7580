// SPDX-License-Identifier: MIT
// Enumerations of the C interface as numbers.
#pragma once

#include <cstring>
#include <type_traits>

namespace netkit {

// What a C caller put into an enumeration: any number. In C++ such a value may not be read as the
// enumeration where it is none of its values.
template <typename E>
std::underlying_type_t<E> code_of(const E& value) {
  std::underlying_type_t<E> code;
  std::memcpy(&code, &value, sizeof code);
  return code;
}

}  // namespace netkit
