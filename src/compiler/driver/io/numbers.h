// SPDX-License-Identifier: MIT
// Numbers from text, and real numbers, into the bytes of a dtype: exact, or refused.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "compiler/ir/tensor_type.h"

namespace netkit::driver {

// Appends one number. Integers are read as integers (all 64 bits); a whole number written as a
// decimal ("3.0", "1e3") is one up to 2^53. Float inputs take decimals, inf, infinity and nan. With
// `real`, or for floats, text is a real number. Errors (kInput, at `where`): no number, a value
// outside the dtype, a decimal that no number of the dtype is near (1e39 for float32); for a
// quantised input NaN and infinities.
Result<void> append_text(Bytes& bytes, std::string_view token, const TensorType& type, bool real,
                         const std::string& where);

// Appends a real number, quantised where `type` is. Errors as above.
Result<void> append_real(Bytes& bytes, double value, const TensorType& type,
                         const std::string& where);

// Real number → quantised value of `type` (one scale), to nearest, ties away from zero, saturated.
Result<int64_t> quantise(double real, const TensorType& type, const std::string& where);

// "int8 [1x4]"
std::string kind_of(const TensorType& type);
// Is it one number, with blanks around it or not?
bool is_number(std::string_view token);

}  // namespace netkit::driver
