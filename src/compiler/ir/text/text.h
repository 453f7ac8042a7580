// SPDX-License-Identifier: MIT
// Pieces of the text form of graphs (graph.h), shared by the dumps of foreign and canonical ones.
#pragma once

#include <string>
#include <string_view>

#include "compiler/ir/attrs.h"
#include "compiler/ir/tensor_type.h"

namespace netkit {

// In double quotes, with \ before quotes and backslashes and \xHH for control characters.
std::string in_quotes(std::string_view text);

// "%name", quoted where a character could be taken for syntax.
std::string name_text(std::string_view name);

// The elements of a constant: one by one up to max_elems, else "splat x" or a hash.
std::string values_text(const TensorType& type, const Bytes& bytes, size_t max_elems);

std::string attr_text(const AttrValue& value, size_t max_elems);

}  // namespace netkit
