// SPDX-License-Identifier: MIT
// netkit-graph/1: an abstract graph as text. Every field is checked before it is used.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>
#include <unordered_set>

#include "base/json_text.h"
#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"

namespace netkit::plan {
namespace {

constexpr size_t kMaxText = size_t{256} << 20;

std::string index_text(const std::string& where, size_t i) {
  return where + "[" + std::to_string(i) + "]";
}

Result<int64_t> field(const Json& object, const char* key, int64_t fallback,
                      const std::string& where) {
  const auto it = object.find(key);
  if (it == object.end()) return fallback;
  return whole_number(*it, where + "." + key);
}

// null and absent are the same.
Result<std::optional<int64_t>> distance(const Json& object, const char* key,
                                        const std::string& where) {
  const auto it = object.find(key);
  if (it == object.end() || it->is_null()) return std::nullopt;
  NK_ASSIGN(const int64_t bytes, whole_number(*it, where + "." + key));
  return bytes;
}

// The list under `key`; an absent one is empty unless it is required.
Result<const Json*> list_field(const Json& object, const char* key, bool required,
                               const std::string& where) {
  static const Json kEmpty = Json::array();
  const auto it = object.find(key);
  if (it == object.end() && !required) return &kEmpty;
  if (it == object.end() || !it->is_array()) {
    return bad_input(std::string("needs a list '") + key + "'", where);
  }
  return &*it;
}

// What to do with JSON of another format.
std::string hint_for(const std::string& format) {
  struct Known {
    std::string_view begin;
    const char* hint;
  };
  constexpr Known kKnown[] = {
      {"netkit-graph/", "this version reads netkit-graph/1"},
      {"netkit-plan/", "this version reads netkit-plan/1"},
      {"netkit-certificate/", "netkit check-plan FILE reads it"},
      {"netkit-memory/", "give it as --memory-map FILE beside a model, graph or plan"}};
  const auto* found =
      std::ranges::find_if(kKnown, [&](const Known& k) { return format.starts_with(k.begin); });
  return found != std::end(kKnown) ? found->hint : "netkit-graph/1 and netkit-plan/1 are read";
}

class GraphReader {
 public:
  Result<Problem> read(const Json& root) {
    if (!root.is_object()) return bad_input("not a JSON object");
    NK_ASSIGN(const std::string format, text_field(root, "format", "graph"));
    if (format != "netkit-graph/1") {
      return bad_input("is '" + format.substr(0, 40) + "'", "format", hint_for(format));
    }
    NK_ASSIGN(p_.alignment, field(root, "alignment", 16, "graph"));
    NK_TRY(read_tensors(root));
    NK_TRY(read_ops(root));
    NK_ASSIGN(p_.inputs, tensors_of(root, "inputs", false, "graph"));
    NK_ASSIGN(p_.outputs, tensors_of(root, "outputs", false, "graph"));
    NK_TRY(check_outputs());
    NK_ASSIGN(p_.states, tensors_of(root, "states", false, "graph"));
    NK_TRY(check_problem(p_));
    return std::move(p_);
  }

 private:
  // Elsewhere a tensor may be two outputs of a net; in the text the second says nothing.
  Result<void> check_outputs() const {
    std::unordered_set<int> seen;
    for (size_t i = 0; i < p_.outputs.size(); ++i) {
      if (seen.insert(p_.outputs[i]).second) continue;
      return bad_input("tensor '" + p_.tensors[p_.outputs[i]].name + "' is listed twice as output",
                       index_text("graph.outputs", i), "list it once");
    }
    return {};
  }

  Result<void> read_tensors(const Json& root) {
    NK_ASSIGN(const Json* const list, list_field(root, "tensors", true, "graph"));
    for (size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      const std::string where = index_text("tensors", i);
      if (!item.is_object()) return bad_input("not an object", where);
      Tensor t;
      NK_ASSIGN(t.name, text_field(item, "name", where));
      if (!item.contains("bytes")) return bad_input("needs a field 'bytes'", where);
      NK_ASSIGN(t.bytes, field(item, "bytes", 0, where));
      if (!tensors_.emplace(t.name, static_cast<int>(i)).second) {
        return bad_input("two tensors are called '" + t.name + "'", where);
      }
      p_.tensors.push_back(std::move(t));
    }
    return {};
  }

  Result<std::vector<int>> tensors_of(const Json& object, const char* key, bool required,
                                      const std::string& where) {
    NK_ASSIGN(const Json* const list, list_field(object, key, required, where));
    std::vector<int> found;
    for (size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      const std::string at = index_text(where + "." + key, i);
      if (!item.is_string()) return bad_input("not a tensor name", at);
      const auto it = tensors_.find(item.get<std::string>());
      if (it == tensors_.end()) {
        return bad_input("no tensor is called '" + item.get<std::string>() + "'", at);
      }
      found.push_back(it->second);
    }
    return found;
  }

  Result<void> read_ops(const Json& root) {
    NK_ASSIGN(const Json* const list, list_field(root, "ops", true, "graph"));
    for (size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      const std::string where = index_text("ops", i);
      if (!item.is_object()) return bad_input("not an object", where);
      Step s;
      NK_ASSIGN(s.name, text_field(item, "name", where));
      NK_ASSIGN(s.inputs, tensors_of(item, "inputs", false, where));
      NK_ASSIGN(s.outputs, tensors_of(item, "outputs", false, where));
      NK_ASSIGN(s.scratch_bytes, field(item, "scratch_bytes", 0, where));
      NK_TRY(read_overlaps(item, where, s));
      NK_TRY(read_views(item, where, s));
      p_.steps.push_back(std::move(s));
    }
    return {};
  }

  // An argument number of an overlap or view; check_problem sees to the upper end.
  Result<int> argument(const Json& item, const char* key, const std::string& where) {
    NK_ASSIGN(const int64_t index, field(item, key, 0, where));
    if (index > 1'000'000) return bad_input("argument number is too large", where + "." + key);
    return static_cast<int>(index);
  }

  Result<void> read_overlaps(const Json& op, const std::string& where, Step& s) {
    NK_ASSIGN(const Json* const list, list_field(op, "overlap", false, where));
    for (size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      const std::string at = index_text(where + ".overlap", i);
      if (!item.is_object()) return bad_input("not an object", at);
      Overlap o;
      NK_ASSIGN(o.input, argument(item, "input", at));
      NK_ASSIGN(o.output, argument(item, "output", at));
      NK_ASSIGN(o.forward_bytes, distance(item, "forward_bytes", at));
      NK_ASSIGN(o.backward_bytes, distance(item, "backward_bytes", at));
      NK_ASSIGN(o.scratch_bytes, field(item, "scratch_bytes", s.scratch_bytes, at));
      o.mode = static_cast<int>(i) + 1;
      if (!o.forward_bytes && !o.backward_bytes) {
        return bad_input("states no distance, neither forward_bytes nor backward_bytes", at,
                         "state one or both (0 forward is in place), or leave the entry out");
      }
      s.overlaps.push_back(o);
    }
    return {};
  }

  Result<void> read_views(const Json& op, const std::string& where, Step& s) {
    NK_ASSIGN(const Json* const list, list_field(op, "views", false, where));
    for (size_t i = 0; i < list->size(); ++i) {
      const Json& item = (*list)[i];
      const std::string at = index_text(where + ".views", i);
      if (!item.is_object()) return bad_input("not an object", at);
      View v;
      NK_ASSIGN(v.input, argument(item, "input", at));
      NK_ASSIGN(v.output, argument(item, "output", at));
      NK_ASSIGN(v.offset_bytes, field(item, "offset_bytes", 0, at));
      s.views.push_back(v);
    }
    return {};
  }

  Problem p_;
  std::unordered_map<std::string, int> tensors_;
};

Json names(const Problem& problem, const std::vector<int>& tensors) {
  Json list = Json::array();
  for (const int t : tensors) list.push_back(problem.tensors[t].name);
  return list;
}

Json names_once(const Problem& problem, const std::vector<int>& tensors) {
  Json list = Json::array();
  std::unordered_set<int> seen;
  for (const int t : tensors) {
    if (seen.insert(t).second) list.push_back(problem.tensors[t].name);
  }
  return list;
}

Json optional_bytes(const std::optional<int64_t>& bytes) {
  return bytes ? Json(*bytes) : Json(nullptr);
}

Json op_json(const Problem& problem, const Step& s) {
  Json op = {{"name", s.name},
             {"inputs", names(problem, s.inputs)},
             {"outputs", names(problem, s.outputs)},
             {"scratch_bytes", s.scratch_bytes}};
  for (const Overlap& o : s.overlaps) {
    op["overlap"].push_back({{"input", o.input},
                             {"output", o.output},
                             {"forward_bytes", optional_bytes(o.forward_bytes)},
                             {"backward_bytes", optional_bytes(o.backward_bytes)},
                             {"scratch_bytes", o.scratch_bytes}});
  }
  for (const View& v : s.views) {
    op["views"].push_back(
        {{"input", v.input}, {"output", v.output}, {"offset_bytes", v.offset_bytes}});
  }
  return op;
}

}  // namespace

Result<Problem> parse_graph(std::string_view text) {
  if (text.size() > kMaxText) return bad_input("the graph has more than 256 MiB of text");
  NK_ASSIGN(const Json root, parse_json(text));
  return GraphReader().read(root);
}

std::string graph_json(const Problem& problem) {
  Json root = {{"format", "netkit-graph/1"},
               {"alignment", problem.alignment},
               {"tensors", Json::array()},
               {"ops", Json::array()}};
  for (const Tensor& t : problem.tensors) {
    root["tensors"].push_back({{"name", t.name}, {"bytes", t.bytes}});
  }
  for (const Step& s : problem.steps) root["ops"].push_back(op_json(problem, s));
  root["inputs"] = names(problem, problem.inputs);
  root["outputs"] = names_once(problem, problem.outputs);
  if (!problem.states.empty()) root["states"] = names(problem, problem.states);
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace netkit::plan
