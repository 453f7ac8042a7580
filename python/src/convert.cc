// SPDX-License-Identifier: MIT
#include "convert.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "cli/cli.h"
#include "compiler/driver/io/numbers.h"

namespace netkit::python {
namespace {

std::string text_of(const py::dict& options, const char* name, std::string otherwise = {}) {
  return options.contains(name) ? options[name].cast<std::string>() : std::move(otherwise);
}

std::vector<std::string> list_of(const py::dict& options, const char* name) {
  std::vector<std::string> out;
  if (!options.contains(name)) return out;
  for (const py::handle& item : options[name]) out.push_back(item.cast<std::string>());
  return out;
}

cli::QuantOptions quant_options(const py::dict& options) {
  cli::QuantOptions quant;
  quant.int8 = options.contains("--int8");
  quant.float_io = options.contains("--float-io");
  quant.no_equalise = options.contains("--no-equalise");
  quant.no_bias_correction = options.contains("--no-bias-correction");
  quant.auto_mixed = options.contains("--auto-mixed");
  quant.samples = text_of(options, "--calibrate");
  quant.limit = text_of(options, "--samples");
  quant.range = text_of(options, "--range", quant.range);
  quant.percentile = text_of(options, "--percentile");
  quant.pixels = text_of(options, "--pixels");
  quant.max_drop = text_of(options, "--max-drop");
  quant.keep_float = list_of(options, "--keep-float");
  quant.int16 = list_of(options, "--int16");
  return quant;
}

// Dimensions of 1 say nothing about where an element stands.
Dims without_ones(Dims dims) {
  std::erase(dims, 1);
  return dims;
}

std::string name_of_port(const driver::PortInfo& port) {
  return fmt::format("input '{}'", port.name);
}

void check_shape(const driver::PortInfo& port, const py::array& array) {
  const Dims dims(array.shape(), array.shape() + array.ndim());
  if (without_ones(dims) == without_ones(port.type.dims)) return;
  raise({ErrorCode::kInput,
         fmt::format("has shape [{}], the model needs [{}]", dims_text(dims),
                     dims_text(port.type.dims)),
         name_of_port(port),
         "reshape the array; its elements stand in C order",
         {}});
}

std::string text_of_dtype(const py::dtype& dtype) {
  return py::str(static_cast<const py::object&>(dtype)).cast<std::string>();
}

// Real numbers as the driver quantises those of --real.
py::object quantised(const driver::PortInfo& port, const py::array& array) {
  const py::array_t<double, py::array::c_style | py::array::forcecast> real(array);
  Bytes bytes;
  for (py::ssize_t i = 0; i < real.size(); ++i) {
    value_of(driver::append_real(bytes, real.data()[i], port.type, name_of_port(port)));
  }
  return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

}  // namespace

void raise(const Error& found) {
  const Error error = cli::with_hint(found);
  const auto text = [](const std::string& bytes) {  // a path may hold any
    return py::reinterpret_steal<py::object>(
        PyUnicode_DecodeUTF8(bytes.data(), static_cast<py::ssize_t>(bytes.size()), "replace"));
  };
  py::list items;
  for (const std::string& item : error.items) items.append(text(item));
  const py::object type = py::module_::import("netkit._error").attr("Error");
  const py::object exception =
      type(text(cli::one_line(error)), static_cast<int>(error.code), text(error.message),
           text(error.where), text(error.hint), items);
  PyErr_SetObject(type.ptr(), exception.ptr());
  throw py::error_already_set();
}

driver::CompileOptions compile_options(const py::dict& options) {
  cli::ModelOptions model;
  model.target = text_of(options, "--target", model.target);
  model.order = text_of(options, "--order", model.order);
  model.plan_class = text_of(options, "--class", model.plan_class);
  model.time_limit = text_of(options, "--time-limit");
  model.shapes = list_of(options, "--shape");
  model.fixed = list_of(options, "--fix");
  model.without = list_of(options, "--without");
  model.omit_final_softmax = options.contains("--omit-final-softmax");
  model.quant = quant_options(options);
  std::vector<std::string> names = {"--target", "--order", "--class",   "--time-limit",
                                    "--shape",  "--fix",   "--without", "--omit-final-softmax"};
  for (const std::string_view name : cli::quant_option_names()) names.emplace_back(name);
  for (const std::string& name : names) {
    if (options.contains(name.c_str())) model.given.push_back(name);
  }
  return value_of(cli::compile_options(model));
}

int64_t arena_of(const py::dict& options) {
  if (!options.contains("--arena")) return 0;
  return value_of(cli::parse_size(text_of(options, "--arena"), "arena"));
}

py::dtype dtype_of(nk_dtype dtype) {
  return py::dtype(std::string(dtype == NK_BOOL ? "bool" : name_of(dtype)));
}

std::span<const std::byte> input_bytes(const driver::PortInfo& port, const py::handle& value,
                                       bool real, py::object& kept) {
  const py::array given = py::array::ensure(value);
  if (!given) {
    PyErr_Clear();
    raise({ErrorCode::kInput, "is no array", name_of_port(port), "give a numpy array", {}});
  }
  check_shape(port, given);
  if (real) {
    kept = quantised(port, given);
    const std::string_view bytes = kept.cast<std::string_view>();
    return std::as_bytes(std::span(bytes));
  }
  const py::dtype wanted = dtype_of(port.type.dtype);
  if (!given.dtype().equal(wanted)) {
    const std::string need = text_of_dtype(wanted), have = text_of_dtype(given.dtype());
    raise({ErrorCode::kInput,
           fmt::format("is {}, the model needs {}", have, need),
           name_of_port(port),
           fmt::format("x.astype(numpy.{}) converts values; real=True quantises real ones", need),
           {}});
  }
  // The array itself where it is in C order already.
  const py::array array = py::array::ensure(given, py::array::c_style);
  kept = array;
  return {static_cast<const std::byte*>(array.data()), static_cast<size_t>(array.nbytes())};
}

py::array output_array(const driver::PortInfo& port, std::span<std::byte>& bytes) {
  py::array array(dtype_of(port.type.dtype),
                  std::vector<py::ssize_t>(port.type.dims.begin(), port.type.dims.end()));
  bytes = {static_cast<std::byte*>(array.mutable_data()), static_cast<size_t>(array.nbytes())};
  return array;
}

}  // namespace netkit::python
