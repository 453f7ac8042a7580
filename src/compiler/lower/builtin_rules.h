// SPDX-License-Identifier: MIT
// Foreign operators that need no operator of ours: their results are known once shapes are.
#pragma once

#include <string_view>

#include "compiler/ir/lower_context.h"
#include "compiler/ir/op_def.h"

namespace netkit {

// Rule of such an operator, or nullptr.
const ForeignRule* find_builtin_rule(SourceFormat format, std::string_view domain,
                                     std::string_view op);

}  // namespace netkit
