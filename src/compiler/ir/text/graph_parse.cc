// SPDX-License-Identifier: MIT
// Text → Graph, the inverse of to_text (graph.h states the form). "//" starts a comment line.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <limits>
#include <map>

#include "compiler/ir/graph.h"

namespace netkit {
namespace {

// A place in one line. Every read skips spaces first.
class Cursor {
 public:
  explicit Cursor(std::string_view line) : line_(line) {}

  bool end() {
    while (at_ < line_.size() && (line_[at_] == ' ' || line_[at_] == '\t')) ++at_;
    return at_ == line_.size();
  }
  char peek() { return end() ? '\0' : line_[at_]; }
  bool take(std::string_view token) {
    end();
    if (line_.substr(at_, token.size()) != token) return false;
    at_ += token.size();
    return true;
  }
  // The longest run of characters outside `stop`.
  std::string_view word(std::string_view stop = " \t,()[]{}=\"") {
    end();
    const size_t from = at_;
    while (at_ < line_.size() && stop.find(line_[at_]) == std::string_view::npos) ++at_;
    return line_.substr(from, at_ - from);
  }
  Result<std::string> string() {
    if (!take("\"")) return error("expected a string");
    std::string out;
    for (; at_ < line_.size() && line_[at_] != '"'; ++at_) {
      if (line_[at_] != '\\' || at_ + 1 >= line_.size()) {
        out += line_[at_];
      } else if (line_[++at_] == 'x') {
        unsigned value = 0;
        const std::string_view digits = line_.substr(at_ + 1, 2);
        const auto [p, ec] = std::from_chars(digits.begin(), digits.end(), value, 16);
        if (ec != std::errc{} || digits.size() != 2 || p != digits.end()) return error("bad \\x");
        out += static_cast<char>(value);
        at_ += 2;
      } else {
        out += line_[at_];
      }
    }
    if (!take("\"")) return error("a string without an end");
    return out;
  }
  template <typename T>
  Result<T> number() {
    const std::string_view text = word();
    T value{};
    const auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || p != text.data() + text.size()) {
      return error(fmt::format("'{}' is not a number", text));
    }
    return value;
  }
  std::unexpected<Error> error(std::string what) const {
    return bad_input(fmt::format("{} at column {}", what, at_ + 1));
  }

 private:
  std::string_view line_;
  size_t at_ = 0;
};

Result<Dims> parse_dims(std::string_view text) {
  Dims dims;
  if (text == "scalar") return dims;
  while (true) {
    int64_t value = 0;
    const auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (ec != std::errc{} || value < 0) return bad_input(fmt::format("bad dimension '{}'", text));
    dims.push_back(value);
    text.remove_prefix(static_cast<size_t>(p - text.data()));
    if (text.empty()) return dims;
    if (text[0] != 'x') return bad_input(fmt::format("bad dimension '{}'", text));
    text.remove_prefix(1);
  }
}

Result<Quant> parse_quant(Cursor& c) {
  Quant q;
  while (c.peek() != ',') {
    NK_ASSIGN(const float scale, c.number<float>());
    q.scale.push_back(scale);
  }
  c.take(",");
  while (c.peek() != ',' && c.peek() != ')') {
    NK_ASSIGN(const int64_t zero_point, c.number<int64_t>());
    q.zero_point.push_back(zero_point);
  }
  if (q.zero_point.size() == 1) q.zero_point.resize(q.scale.size(), q.zero_point[0]);
  if (q.zero_point.size() != q.scale.size()) return c.error("as many zero points as scales");
  if (c.take(",")) {
    if (!c.take("axis")) return c.error("expected 'axis'");
    NK_ASSIGN(q.axis, c.number<int>());
  }
  if (!c.take(")")) return c.error("expected ')'");
  return q;
}

Result<TensorType> parse_type(Cursor& c) {
  TensorType type;
  const std::string_view name = c.word();
  type.dtype = dtype_from_name(name);
  if (type.dtype == NK_DTYPE_NONE) return c.error(fmt::format("'{}' is not a type", name));
  if (!c.take("[")) return c.error("expected '['");
  NK_ASSIGN(type.dims, parse_dims(c.word("]")));
  if (!c.take("]")) return c.error("expected ']'");
  if (c.take("q(")) {
    NK_ASSIGN(type.quant, parse_quant(c));
  }
  return type;
}

template <typename T>
Result<void> put_number(Cursor& c, Bytes& out, size_t i) {
  NK_ASSIGN(const T value, c.number<T>());
  std::memcpy(out.data() + i * sizeof(T), &value, sizeof(T));
  return {};
}

Result<void> put_half(Cursor& c, Bytes& out, size_t i) {
  if (!c.take("0x")) return c.error("a float16 value is written 0xHHHH");
  const std::string_view text = c.word();
  uint16_t value = 0;
  const auto [p, ec] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (ec != std::errc{} || p != text.data() + text.size()) return c.error("bad float16 value");
  std::memcpy(out.data() + i * 2, &value, 2);
  return {};
}

Result<void> put_nibble(Cursor& c, Bytes& out, size_t i) {
  NK_ASSIGN(const int value, c.number<int>());
  if (value < -8 || value > 7) return c.error("an int4 value is in -8..7");
  const int shifted = (value & 15) << (i % 2 != 0 ? 4 : 0);
  out[i / 2] |= static_cast<std::byte>(shifted);
  return {};
}

Result<void> put_element(Cursor& c, nk_dtype dtype, Bytes& out, size_t i) {
  switch (dtype) {
    case NK_FLOAT32:
      return put_number<float>(c, out, i);
    case NK_FLOAT64:
      return put_number<double>(c, out, i);
    case NK_FLOAT16:
      return put_half(c, out, i);
    case NK_INT8:
      return put_number<int8_t>(c, out, i);
    case NK_UINT8:
    case NK_BOOL:
      return put_number<uint8_t>(c, out, i);
    case NK_INT16:
      return put_number<int16_t>(c, out, i);
    case NK_UINT16:
      return put_number<uint16_t>(c, out, i);
    case NK_INT32:
      return put_number<int32_t>(c, out, i);
    case NK_UINT32:
      return put_number<uint32_t>(c, out, i);
    case NK_INT64:
      return put_number<int64_t>(c, out, i);
    case NK_UINT64:
      return put_number<uint64_t>(c, out, i);
    case NK_INT4:
      return put_nibble(c, out, i);
    case NK_STRING:
    case NK_DTYPE_NONE:
      break;
  }
  return c.error("a constant of this type has no text form");
}

Result<ConstData> parse_values(Cursor& c, const TensorType& type) {
  if (c.take("hash")) {
    return c.error("this text is shortened: the constant's values are not in it");
  }
  NK_ASSIGN(const int64_t bytes, byte_count(type.dtype, type.dims));
  NK_ASSIGN(const int64_t count, element_count(type.dims));
  constexpr int64_t kMaxBytes = int64_t{1} << 26;
  if (bytes > kMaxBytes) return c.error("the constant is too large for a text");
  Bytes out(static_cast<size_t>(bytes));
  if (c.take("splat")) {
    const Cursor value = c;
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      c = value;
      NK_TRY(put_element(c, type.dtype, out, i));
    }
  } else {
    for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
      NK_TRY(put_element(c, type.dtype, out, i));
    }
  }
  return std::make_shared<const Bytes>(std::move(out));
}

Result<AttrValue> parse_scalar_attr(Cursor& c) {
  if (c.peek() == '"') return c.string();
  const std::string text(c.word());
  if (text.find_first_of(".einf") == std::string::npos) {
    Cursor number(text);
    return number.number<int64_t>();
  }
  Cursor number(text);
  return number.number<double>();
}

template <typename T>
Result<AttrValue> list_of(const std::vector<AttrValue>& values, const Cursor& c) {
  std::vector<T> out;
  for (const AttrValue& value : values) {
    const T* element = std::get_if<T>(&value);
    if (element == nullptr) return c.error("a list of mixed types");
    out.push_back(*element);
  }
  return out;
}

Result<AttrValue> parse_attr(Cursor& c) {
  if (c.take("tensor(")) {
    AttrTensor tensor;
    NK_ASSIGN(tensor.type, parse_type(c));
    if (!c.take("=")) return c.error("expected '='");
    NK_ASSIGN(tensor.data, parse_values(c, tensor.type));
    if (!c.take(")")) return c.error("expected ')'");
    return tensor;
  }
  if (!c.take("[")) return parse_scalar_attr(c);
  std::vector<AttrValue> values;
  while (c.peek() != ']') {
    NK_ASSIGN(AttrValue value, parse_scalar_attr(c));
    values.push_back(std::move(value));
    if (!c.take(",")) break;
  }
  if (!c.take("]")) return c.error("expected ']'");
  if (values.empty()) {
    if (c.take("f")) return std::vector<double>{};
    if (c.take("s")) return std::vector<std::string>{};
    return std::vector<int64_t>{};
  }
  if (std::holds_alternative<int64_t>(values[0])) return list_of<int64_t>(values, c);
  if (std::holds_alternative<double>(values[0])) return list_of<double>(values, c);
  return list_of<std::string>(values, c);
}

class Parser {
 public:
  Result<void> line(std::string_view text) {
    Cursor c(text);
    if (c.end() || c.take("//")) return {};
    if (c.take("source ")) return header(c, graph.source);
    if (c.take("sha256 ")) return header(c, graph.sha256);
    if (c.take("input ")) return input(c);
    if (c.take("const ")) return constant(c);
    if (c.take("output ")) return output(c);
    if (c.take("state ")) return state(c);
    return node(c);
  }

  Graph graph;

 private:
  Result<void> header(Cursor& c, std::string& field) {
    NK_ASSIGN(field, c.string());
    return finish(c);
  }
  Result<void> finish(Cursor& c) {
    if (!c.end()) return c.error("unexpected text");
    return {};
  }
  Result<std::string> name(Cursor& c) {
    if (!c.take("%")) return c.error("expected a tensor (%name)");
    if (c.peek() == '"') return c.string();
    return std::string(c.word());
  }
  Result<TensorId> defined(Cursor& c) {
    NK_ASSIGN(std::string text, name(c));
    NK_ASSIGN(TensorType type, parse_type(c));
    const TensorId id = graph.add_tensor(text, std::move(type));
    if (!ids_.emplace(text, id).second) {
      return c.error(fmt::format("tensor %{} is made twice", text));
    }
    return id;
  }
  Result<TensorId> used(Cursor& c) {
    if (c.peek() != '%' && c.take("_")) return kNoTensor;
    NK_ASSIGN(const std::string text, name(c));
    const auto it = ids_.find(text);
    if (it == ids_.end()) return c.error(fmt::format("tensor %{} is not made above", text));
    return it->second;
  }
  Result<void> input(Cursor& c) {
    NK_ASSIGN(const TensorId id, defined(c));
    graph.inputs.push_back(id);
    return finish(c);
  }
  Result<void> constant(Cursor& c) {
    NK_ASSIGN(const TensorId id, defined(c));
    if (!c.take("=")) return c.error("expected '='");
    NK_ASSIGN(graph.tensor(id).data, parse_values(c, graph.tensor(id).type));
    return finish(c);
  }
  Result<void> output(Cursor& c) {
    NK_ASSIGN(const TensorId id, used(c));
    graph.outputs.push_back(id);
    return finish(c);
  }
  // An input, and what it becomes, which is an output then.
  Result<void> state(Cursor& c) {
    NK_ASSIGN(const TensorId from, used(c));
    if (!c.take("->")) return c.error("expected '->'");
    NK_ASSIGN(const TensorId to, used(c));
    const auto at = std::ranges::find(graph.inputs, from);
    if (at == graph.inputs.end() || to == kNoTensor) {
      return c.error("expected an input and what it becomes");
    }
    graph.states.push_back(
        {static_cast<size_t>(at - graph.inputs.begin()), graph.outputs.size(), nullptr});
    graph.outputs.push_back(to);
    if (c.take("=")) {
      NK_ASSIGN(graph.states.back().initial, parse_values(c, graph.tensor(from).type));
    }
    return finish(c);
  }
  Result<void> node(Cursor& c) {
    Node out;
    do {
      NK_ASSIGN(const TensorId id, defined(c));
      out.outputs.push_back(id);
    } while (c.take(","));
    if (!c.take("=")) return c.error("expected '='");
    out.op = std::string(c.word());
    if (out.op.empty() || !c.take("(")) return c.error("expected operator(");
    while (c.peek() != ')') {
      NK_ASSIGN(const TensorId id, used(c));
      out.inputs.push_back(id);
      if (!c.take(",")) break;
    }
    if (!c.take(")")) return c.error("expected ')'");
    if (c.take("{")) NK_TRY(attributes(c, out.attrs));
    if (c.take("@")) {
      NK_ASSIGN(out.name, c.string());
    }
    graph.nodes.push_back(std::move(out));
    return finish(c);
  }
  Result<void> attributes(Cursor& c, Attrs& attrs) {
    do {
      const std::string key(c.word());
      if (key.empty() || !c.take("=")) return c.error("expected name=value");
      NK_ASSIGN(AttrValue value, parse_attr(c));
      attrs.set(key, std::move(value));
    } while (c.take(","));
    if (!c.take("}")) return c.error("expected '}'");
    return {};
  }

  std::map<std::string, TensorId, std::less<>> ids_;
};

}  // namespace

Result<Graph> parse_graph(std::string_view text) {
  Parser parser;
  for (int line = 1; !text.empty(); ++line) {
    const size_t end = std::min(text.find('\n'), text.size());
    if (auto done = parser.line(text.substr(0, end)); !done) {
      Error error = std::move(done.error());
      error.where = fmt::format("line {}", line);
      return std::unexpected(std::move(error));
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  NK_TRY(verify(parser.graph));
  return std::move(parser.graph);
}

}  // namespace netkit
