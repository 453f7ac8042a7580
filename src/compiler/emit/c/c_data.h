// SPDX-License-Identifier: MIT
// C initialisers for constants and parameter structs, exact to the bit.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "compiler/ir/op_def.h"
#include "compiler/select/schedule.h"

namespace netkit::emit {

// "int8_t", "float" … the C type that holds one element; int4 is uint8_t (two to a byte).
std::string_view c_type(nk_dtype dtype);

// A float that reads back to the same bits: "0.1f", "-INFINITY".
std::string c_float(float value);

// "static const NK_ALIGNED(4) int8_t NAME[] = { … };"
std::string c_array(const std::string& name, const Constant& constant);

// "{1, 28, 28, {1, 2}}", in the order of the struct's fields.
std::string c_params(std::span<const ParamField> fields, std::span<const std::byte> params);

}  // namespace netkit::emit
