// SPDX-License-Identifier: MIT
// netkit.Model: a driver::Session with numpy arrays around it.
#include "model.h"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <mutex>

namespace netkit::python {
namespace {

struct Port {
  std::string name, dtype;
  Dims shape;
  std::vector<float> scale;
  std::vector<int64_t> zero_point;
};

std::vector<Port> ports_of(const std::vector<driver::PortInfo>& ports) {
  std::vector<Port> out;
  for (const driver::PortInfo& port : ports) {
    const auto& quant = port.type.quant;
    out.push_back({port.name,
                   std::string(name_of(port.type.dtype)),
                   port.type.dims,
                   quant.scale,
                   {quant.zero_point.begin(), quant.zero_point.end()}});
  }
  return out;
}

// One session; runs of several threads take turns.
class Model {
 public:
  explicit Model(driver::Session session) : session_(std::move(session)) {}

  std::vector<Port> inputs() const { return ports_of(session_.inputs()); }
  std::vector<Port> outputs() const { return ports_of(session_.outputs()); }
  size_t arena_bytes() const { return session_.arena_bytes(); }
  std::vector<std::string> warnings() const { return session_.warnings(); }
  py::bytes nk_file() const {
    const auto file = session_.nk_file();
    return {reinterpret_cast<const char*>(file.data()), file.size()};
  }

  void reset() {
    const py::gil_scoped_release release;
    const std::lock_guard<std::mutex> turn(turn_);
    session_.reset();
  }
  py::bytes save_state() {
    const Bytes state = unlocked([&]() -> Result<Bytes> {
      const std::lock_guard<std::mutex> turn(turn_);
      return session_.save_state();
    });
    return {reinterpret_cast<const char*>(state.data()), state.size()};
  }
  void restore_state(const py::bytes& state) {
    const auto bytes = std::string_view(state);
    const std::span<const std::byte> all = std::as_bytes(std::span(bytes));
    unlocked([&]() -> Result<void> {
      const std::lock_guard<std::mutex> turn(turn_);
      return session_.restore_state(Bytes(all.begin(), all.end()));
    });
  }

  py::list run(const py::args& values, bool real) {
    const auto given = in_order(values);
    std::vector<py::object> kept(given.size());
    std::vector<std::span<const std::byte>> in;
    for (size_t i = 0; i < given.size(); ++i) {
      in.push_back(input_bytes(session_.inputs()[i], given[i], real, kept[i]));
    }
    py::list arrays;
    std::vector<std::span<std::byte>> out(session_.outputs().size());
    for (size_t i = 0; i < out.size(); ++i) {
      arrays.append(output_array(session_.outputs()[i], out[i]));
    }
    unlocked([&]() -> Result<void> {
      const std::lock_guard<std::mutex> turn(turn_);
      return session_.run_into(in, out);
    });
    return arrays;
  }

 private:
  // Arrays in the model's order, or one dict by name.
  std::vector<py::object> in_order(const py::args& values) const {
    std::vector<py::object> out;
    const auto& ports = session_.inputs();
    if (values.size() == 1 && py::isinstance<py::dict>(values[0])) {
      const py::dict named(values[0]);
      for (const driver::PortInfo& port : ports) {
        const py::str name(port.name);
        if (!named.contains(name)) {
          raise({ErrorCode::kUsage,
                 "is not given",
                 fmt::format("input '{}'", port.name),
                 "name every input of the model",
                 {}});
        }
        out.push_back(named[name]);
      }
      if (named.size() == out.size()) return out;
      raise({ErrorCode::kUsage,
             fmt::format("{} inputs are named, the model has {}", named.size(), out.size()),
             {},
             "model.inputs lists their names",
             {}});
    }
    for (const py::handle& value : values) out.push_back(py::reinterpret_borrow<py::object>(value));
    if (out.size() == ports.size()) return out;
    raise({ErrorCode::kUsage,
           fmt::format("{} inputs given, the model has {}", out.size(), ports.size()),
           {},
           "pass one array per input, in the order of model.inputs",
           {}});
  }

  driver::Session session_;
  std::mutex turn_;
};

}  // namespace

void add_model(py::module_& module) {
  py::class_<Port>(module, "Tensor")
      .def_readonly("name", &Port::name)
      .def_readonly("dtype", &Port::dtype)
      .def_property_readonly("shape",
                             [](const Port& port) { return py::tuple(py::cast(port.shape)); })
      .def_readonly("scale", &Port::scale)
      .def_readonly("zero_point", &Port::zero_point)
      .def("__repr__", [](const Port& port) {
        return fmt::format("<netkit.Tensor '{}' {}[{}]>", port.name, port.dtype,
                           dims_text(port.shape));
      });
  py::class_<Model>(module, "Model")
      .def_property_readonly("inputs", &Model::inputs)
      .def_property_readonly("outputs", &Model::outputs)
      .def_property_readonly("arena_bytes", &Model::arena_bytes)
      .def_property_readonly("warnings", &Model::warnings)
      .def_property_readonly("nk_file", &Model::nk_file)
      .def("reset", &Model::reset)
      .def("save_state", &Model::save_state)
      .def("restore_state", &Model::restore_state)
      .def("run", &Model::run, py::kw_only(), py::arg("real") = false);
  module.def("load", [](const std::string& path, const py::dict& options) {
    const driver::CompileOptions compile = compile_options(options);
    const auto arena_bytes = static_cast<size_t>(arena_of(options));
    return std::make_unique<Model>(
        unlocked([&] { return driver::Session::open(path, compile, arena_bytes); }));
  });
}

}  // namespace netkit::python
