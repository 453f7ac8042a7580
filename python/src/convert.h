// SPDX-License-Identifier: MIT
// Between Python and the driver: options, errors, dtypes, arrays. No logic of its own.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <span>
#include <string>
#include <utility>

#include "base/result.h"
#include "compiler/driver/compile.h"
#include "compiler/driver/session.h"

namespace netkit::python {

namespace py = pybind11;

// Raises netkit.Error; the fields of `error` are its attributes.
[[noreturn]] void raise(const Error& error);

template <typename T>
T value_of(Result<T> result) {
  if (!result.has_value()) raise(result.error());
  if constexpr (!std::is_void_v<T>) return std::move(*result);
}

// Work of the driver, without the lock of the interpreter.
template <typename Work>
auto unlocked(const Work& work) {
  const auto result = [&] {
    const py::gil_scoped_release release;
    return work();
  };
  return value_of(result());
}

// The options of a verb as the command line names them ({"--target": "cortex-m4"}): text, a list of
// text, or True.
driver::CompileOptions compile_options(const py::dict& options);
// 0 where the options have no "--arena".
int64_t arena_of(const py::dict& options);

py::dtype dtype_of(nk_dtype dtype);

// The bytes of an input; `kept` owns them. C order, the port's own dtype, its shape but for
// dimensions of 1. With `real`, numbers are quantised by the driver.
std::span<const std::byte> input_bytes(const driver::PortInfo& port, const py::handle& value,
                                       bool real, py::object& kept);

// An array of the port's dtype and shape, not yet filled, and its bytes.
py::array output_array(const driver::PortInfo& port, std::span<std::byte>& bytes);

}  // namespace netkit::python
