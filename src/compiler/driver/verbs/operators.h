// SPDX-License-Identifier: MIT
// The operator table of docs/operators.md, from the same tables that the phases use.
#pragma once

#include <string>

namespace netkit::driver {

// Markdown: per canonical operator its ONNX and TFLite names, then every kernel row.
std::string operator_table();
// The same as one netkit-operators/1 object.
std::string operators_json();

}  // namespace netkit::driver
