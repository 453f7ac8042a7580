// SPDX-License-Identifier: MIT
// The options of TFLite's custom operators that are a FlexBuffer map. Host only.
#pragma once

#include "ops/common/host/op_helpers.h"

namespace netkit {

// The scalars of the map by their names: integers and truth values as int64_t, floats as double,
// strings; values of other kinds are left out. A node without options gives no attributes. Errors:
// bytes that are no FlexBuffer map, or one that points outside itself.
Result<Attrs> flex_options(const ForeignNode& node);

// A whole number of the options in [lo, hi], which int32 holds; an error where it is absent or no
// whole number.
Result<int32_t> flex_int(const Attrs& options, std::string_view name, int64_t lo, int64_t hi,
                         const ForeignNode& node);
// A finite number of the options; an error where it is absent.
Result<float> flex_real(const Attrs& options, std::string_view name, const ForeignNode& node);

}  // namespace netkit
