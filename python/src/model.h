// SPDX-License-Identifier: MIT
// The parts of the module netkit._netkit.
#pragma once

#include "convert.h"

namespace netkit::python {

void add_model(py::module_& module);  // Model, Tensor, load
void add_verbs(py::module_& module);  // plan, compile, emit, inspect, test, main

}  // namespace netkit::python
