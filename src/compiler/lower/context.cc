// SPDX-License-Identifier: MIT
#include "compiler/lower/context.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "compiler/eval/fold.h"
#include "compiler/ir/const_values.h"
#include "compiler/ir/op_def.h"
#include "compiler/lower/input_shapes.h"

namespace netkit {
namespace {

// Tensors that one foreign node may add; more is refused, so that no reference ever moves.
constexpr size_t kMaxTensorsPerNode = 4096;
// A few bytes of a file may stand for so many of a constant, over all of the graph.
constexpr int64_t kMaxRepeatedBytes = int64_t{1} << 30;

bool same_quant(const Quant& a, const Quant& b) {
  return a.scale == b.scale && a.zero_point == b.zero_point &&
         (a.scale.size() < 2 || a.axis == b.axis);
}

bool same_dims(const ForeignTensor& declared, const Dims& dims) {
  const size_t pair = is_complex(declared) ? 1 : 0;
  if (declared.type.dims.size() + pair != dims.size()) return false;
  if (pair != 0 && dims.back() != 2) return false;
  for (size_t i = 0; i + pair < dims.size(); ++i) {
    if (!is_open_dim(declared, i) && declared.type.dims[i] != dims[i]) return false;
  }
  return true;
}

// The type of an output: the operator's own, completed by what the file states.
Result<TensorType> merged(TensorType inferred, const TensorType* declared) {
  if (declared == nullptr) return inferred;
  if (inferred.dtype == NK_DTYPE_NONE) inferred.dtype = declared->dtype;
  if (declared->dtype != NK_DTYPE_NONE && declared->dtype != inferred.dtype) {
    return bad_input(fmt::format("gives {} where the file states {}", name_of(inferred.dtype),
                                 name_of(declared->dtype)));
  }
  if (!declared->quant.empty()) inferred.quant = declared->quant;
  return inferred;
}

bool is_identity(const std::vector<int64_t>& perm) {
  for (size_t i = 0; i < perm.size(); ++i) {
    if (perm[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace

GraphBuilder::GraphBuilder(const ForeignGraph& foreign)
    : foreign_(&foreign), bound_(foreign.tensors.size(), kNoTensor) {
  graph_.source = foreign.file;
  graph_.sha256 = foreign.sha256;
  for (size_t i = 0; i < foreign.tensors.size(); ++i) {
    const ForeignTensor& t = foreign.tensors[i];
    if (t.data != nullptr) bound_[i] = add_tensor(t.name, t.type, t.data, true);
  }
}

TensorId GraphBuilder::add_tensor(std::string name, TensorType type, ConstData data, bool named) {
  named_.push_back(named);
  return graph_.add_tensor(std::move(name), std::move(type), std::move(data));
}

void GraphBuilder::add_input(int foreign_tensor, Dims dims) {
  const ForeignTensor& t = foreign_->tensors[static_cast<size_t>(foreign_tensor)];
  const TensorId id =
      add_tensor(t.name, {t.type.dtype, std::move(dims), t.type.quant}, nullptr, true);
  graph_.inputs.push_back(id);
  bound_[static_cast<size_t>(foreign_tensor)] = id;
}

size_t GraphBuilder::add_state(std::string name, TensorType type, ConstData initial) {
  const TensorId id = add_tensor(std::move(name), std::move(type), nullptr, true);
  graph_.states.push_back({graph_.inputs.size(), 0, std::move(initial)});
  graph_.inputs.push_back(id);
  states_.push_back(id);
  return states_.size() - 1;
}

void GraphBuilder::bind_variable(int foreign_tensor, size_t state) {
  state_of_[foreign_tensor] = state;
  bound_[static_cast<size_t>(foreign_tensor)] = states_[state];
}

Result<void> GraphBuilder::assign_state(size_t state, TensorId value) {
  if (value == kNoTensor) return bad_input("no node makes the state's value");
  const TensorType& held = type(graph_.inputs[graph_.states[state].input]);
  if (type(value) != held) {
    return bad_input(
        fmt::format("state of type {} cannot become {}", type_text(held), type_text(type(value))));
  }
  states_[state] = value;
  return {};
}

Result<void> GraphBuilder::set_state(const ForeignNode& node, size_t i, TensorId value) {
  const auto state = i < node.inputs.size() ? state_of_.find(node.inputs[i]) : state_of_.end();
  if (state == state_of_.end()) return bad_input(fmt::format("input {} is no state", i));
  NK_TRY(assign_state(state->second, value));
  bound_[static_cast<size_t>(state->first)] = value;
  return {};
}

Result<TensorId> GraphBuilder::start_state(TensorType type) {
  if (!prefix_.empty()) return bad_input("an operator with a state inside control flow");
  NK_TRY(byte_count(type.dtype, type.dims));
  return state_value(add_state(node_name_ + "/state", std::move(type), nullptr));
}

Result<void> GraphBuilder::keep_state(TensorId state, TensorId value) {
  for (size_t i = 0; i < states_.size(); ++i) {
    if (states_[i] == state) return assign_state(i, value);
  }
  return bad_input("no such state");
}

GraphBuilder::Scope GraphBuilder::enter(const ForeignGraph& sub, std::string prefix) {
  std::vector<TensorId> bound(sub.tensors.size(), kNoTensor);
  for (size_t i = 0; i < sub.tensors.size(); ++i) {
    const ForeignTensor& t = sub.tensors[i];
    if (t.outer != kAbsent) {
      bound[i] = bound_[static_cast<size_t>(t.outer)];
    } else if (t.data != nullptr) {
      bound[i] = add_tensor(prefix + t.name, t.type, t.data, true);
    }
  }
  Scope outer{std::exchange(foreign_, &sub), std::exchange(bound_, std::move(bound)),
              std::exchange(prefix_, std::move(prefix))};
  return outer;
}

void GraphBuilder::leave(Scope outer) {
  foreign_ = outer.foreign;
  bound_ = std::move(outer.bound);
  prefix_ = std::move(outer.prefix);
}

void GraphBuilder::begin(const ForeignNode& node) {
  node_name_ = node.name;
  first_node_ = true;
  const size_t needed = graph_.tensors.size() + kMaxTensorsPerNode;
  if (graph_.tensors.capacity() < needed) graph_.tensors.reserve(2 * needed);
}

TensorId GraphBuilder::resolve(int foreign_tensor) const {
  return foreign_tensor == kAbsent ? kNoTensor : bound_[static_cast<size_t>(foreign_tensor)];
}

TensorId GraphBuilder::input(const ForeignNode& node, size_t i) const {
  return i < node.inputs.size() ? resolve(node.inputs[i]) : kNoTensor;
}

std::optional<std::vector<int64_t>> GraphBuilder::const_ints(TensorId id) const {
  return id == kNoTensor ? std::nullopt : ints_of(graph_.tensor(id));
}

std::optional<std::vector<double>> GraphBuilder::const_floats(TensorId id) const {
  return id == kNoTensor ? std::nullopt : floats_of(graph_.tensor(id));
}

const ForeignTensor* GraphBuilder::declared_output(const ForeignNode& node, size_t i) const {
  if (i >= node.outputs.size() || node.outputs[i] == kAbsent) return nullptr;
  const ForeignTensor& t = foreign_->tensors[static_cast<size_t>(node.outputs[i])];
  const bool says_nothing = t.type.dtype == NK_DTYPE_NONE && !t.has_shape && t.type.quant.empty();
  return says_nothing ? nullptr : &t;
}

TensorId GraphBuilder::add_constant(std::string name, TensorType type, Bytes bytes) {
  return add_tensor(std::move(name), std::move(type),
                    std::make_shared<const Bytes>(std::move(bytes)), true);
}

Result<TensorId> GraphBuilder::add_repeated(std::string name, TensorType type, Bytes element) {
  NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
  if (bytes > kMaxRepeatedBytes - repeated_bytes_) {
    return bad_input(
        "the constant is too large: what a file states by one element and a shape "
        "may have 1 GiB in all");
  }
  repeated_bytes_ += bytes;
  return add_tensor(std::move(name), std::move(type),
                    ConstData::repeated(std::move(element), static_cast<size_t>(bytes)), true);
}

Result<TensorId> GraphBuilder::add(std::string_view op, std::vector<TensorId> inputs, Attrs attrs,
                                   std::optional<TensorType> declared) {
  std::vector<TensorType> types;
  if (declared) types.push_back(std::move(*declared));
  NK_ASSIGN(const auto outputs,
            add_multi(op, std::move(inputs), std::move(attrs), std::move(types)));
  return outputs[0];
}

Result<std::vector<TensorId>> GraphBuilder::add_multi(std::string_view op,
                                                      std::vector<TensorId> inputs, Attrs attrs,
                                                      std::vector<TensorType> declared) {
  const OpDef* def = find_op(op);
  if (def == nullptr) return bad_input(fmt::format("operator '{}' is not built in", op));
  Node node{std::string(op), node_name_, std::move(inputs), {}, std::move(attrs)};
  if (op == "transpose" || !first_node_) {
    node.name += fmt::format("/{}", op);
  } else {
    first_node_ = false;
  }
  NK_ASSIGN(std::vector<TensorType> types, def->infer(graph_, node));
  if (types.empty()) return bad_input(fmt::format("operator '{}' has no outputs", op));
  if (graph_.tensors.size() + types.size() > graph_.tensors.capacity()) {
    return bad_input("the operator unfolds into too many steps");
  }
  const std::string name = fmt::format("{}/{}", node_name_, op);
  for (size_t i = 0; i < types.size(); ++i) {
    NK_ASSIGN(TensorType type,
              merged(std::move(types[i]), i < declared.size() ? &declared[i] : nullptr));
    NK_TRY(byte_count(type.dtype, type.dims));
    node.outputs.push_back(add_tensor(name, std::move(type), nullptr, false));
  }
  std::vector<TensorId> outputs = node.outputs;
  const std::vector<ConstData> values = fold_node(graph_, node);
  if (values.size() == outputs.size()) {
    for (size_t i = 0; i < outputs.size(); ++i) graph_.tensor(outputs[i]).data = values[i];
  } else {
    graph_.nodes.push_back(std::move(node));
  }
  return outputs;
}

Result<void> GraphBuilder::check_declared(const ForeignTensor& declared, const Tensor& made) {
  const auto differs = [&] {
    return fmt::format("output '{}' is {} where the file states {}", declared.name,
                       type_text(made.type), type_text(declared.type));
  };
  if (declared.type.dtype != NK_DTYPE_NONE && declared.type.dtype != made.type.dtype) {
    return bad_input(differs());
  }
  const bool tflite = foreign_->format == SourceFormat::kTflite;
  if (tflite && !declared.type.quant.empty() && !is_float(made.type.dtype) &&
      !same_quant(declared.type.quant, made.type.quant)) {
    return bad_input(differs());
  }
  if (!declared.has_shape || same_dims(declared, made.type.dims)) return {};
  // ONNX shapes of intermediates are hints that exporters and editors often leave stale.
  if (tflite) return bad_input(differs());
  warn(differs());
  return {};
}

Result<void> GraphBuilder::bind(const ForeignNode& node, size_t i, TensorId tensor) {
  if (i >= node.outputs.size() || node.outputs[i] == kAbsent) return {};
  if (tensor == kNoTensor) return bad_input(fmt::format("output {} was not made", i));
  const auto foreign = static_cast<size_t>(node.outputs[i]);
  if (bound_[foreign] != kNoTensor) {
    return bad_input(fmt::format("output '{}' is made twice", foreign_->tensors[foreign].name));
  }
  NK_TRY(check_declared(foreign_->tensors[foreign], graph_.tensor(tensor)));
  if (!named_[static_cast<size_t>(tensor)]) {
    named_[static_cast<size_t>(tensor)] = true;
    graph_.tensor(tensor).name = prefix_ + foreign_->tensors[foreign].name;
  }
  bound_[foreign] = tensor;
  return {};
}

Result<TensorId> GraphBuilder::transpose(TensorId x, std::vector<int64_t> perm) {
  if (x == kNoTensor) return bad_input("a missing tensor cannot be transposed");
  if (is_identity(perm) && perm.size() == type(x).dims.size()) return x;
  Attrs attrs;
  attrs.set("perm", std::move(perm));
  TensorType declared;
  declared.quant = type(x).quant;
  // Per-channel scales follow their axis; the operator's infer knows that.
  if (declared.quant.scale.size() > 1) return add("transpose", {x}, std::move(attrs), std::nullopt);
  return add("transpose", {x}, std::move(attrs), std::move(declared));
}

// Neither a constant, an input nor an output already.
bool GraphBuilder::may_be_output(TensorId id) const {
  const auto among = [&](const std::vector<TensorId>& ids) {
    return std::ranges::find(ids, id) != ids.end();
  };
  return !graph_.tensor(id).is_constant() && !among(graph_.inputs) && !among(graph_.outputs);
}

Result<void> GraphBuilder::name_output(const std::string& name, TensorId id) {
  // ONNX states scales beside its tensors: an output is plain integers, and files hold one scale.
  TensorType type = graph_.tensor(id).type;
  const bool sheds = foreign_->format == SourceFormat::kOnnx && type.quant.scale.size() > 1;
  if (sheds) type.quant = {};
  if (may_be_output(id) && !sheds) {
    graph_.tensor(id).name = name;
    graph_.outputs.push_back(id);
    return {};
  }
  ForeignNode copy;
  copy.name = name + "/copy";
  begin(copy);
  // Not through add(): a copied constant must not be folded away again.
  Node node{"copy", copy.name, {id}, {}, {}};
  if (find_op(node.op) == nullptr) return bad_input("operator 'copy' is not built in", name);
  node.outputs.push_back(add_tensor(name, std::move(type), nullptr, true));
  graph_.outputs.push_back(node.outputs[0]);
  graph_.nodes.push_back(std::move(node));
  return {};
}

Result<void> GraphBuilder::finish_outputs() {
  for (const int foreign : foreign_->outputs) {
    const TensorId id = resolve(foreign);
    if (id == kNoTensor) {
      return bad_input(fmt::format("no node makes the output '{}'",
                                   foreign_->tensors[static_cast<size_t>(foreign)].name),
                       foreign_->file);
    }
    NK_TRY(name_output(foreign_->tensors[static_cast<size_t>(foreign)].name, id));
  }
  for (size_t i = 0; i < states_.size(); ++i) {
    graph_.states[i].output = graph_.outputs.size();
    const TensorId value = states_[i];
    const std::string& state = tensor(graph_.inputs[graph_.states[i].input]).name;
    NK_TRY(name_output(may_be_output(value) ? tensor(value).name : state + "/next", value));
  }
  return {};
}

}  // namespace netkit
