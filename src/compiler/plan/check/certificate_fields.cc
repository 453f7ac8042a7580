// SPDX-License-Identifier: MIT
#include "compiler/plan/check/certificate_fields.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/json_text.h"
#include "compiler/plan/check/json_access.h"

namespace netkit::plan {
namespace {

using Json = nlohmann::json;

constexpr char kShapes[] = R"({
"certificate":{"format":"s","order":"=best|given","in_out":"=inside|caller|keep_inputs",
               "graph":"graph","plans":["plan"]},
"graph":{"format":"=netkit-graph/1","alignment?":"n","tensors":["tensor"],"ops":["op"],
         "inputs?":["s"],"outputs?":["s"],"states?":["s"]},
"tensor":{"name":"s","bytes":"n"},
"op":{"name":"s","inputs?":["s"],"outputs?":["s"],"scratch_bytes?":"n",
      "overlap?":["mode"],"views?":["view"]},
"mode":{"input?":"n","output?":"n","forward_bytes?":"d","backward_bytes?":"d",
        "scratch_bytes?":"n"},
"view":{"input?":"n","output?":"n","offset_bytes?":"n"},
"plan":{"format":"=netkit-plan/1","class":"=plain|overlap","classes":"a","order":["s"],
        "alignment":"n","arena_bytes":"n","lower_bound_bytes":"n","proven_minimal":"a",
        "steps":["move"],"buffers":["buffer"],"witness":"a"},
"move":{"op":"s","overlap?":"n","views?":["n"]},
"buffer":{"name":"s","kind":"s","bytes":"n","offset":"n","first_step":"n","last_step":"n",
          "alias_of?":"s"},
"step":{"kind":"s","op":"s","chains?":["chain"]},
"chain":{"bytes":"n","tensors":["s"]},
"search":{"kind":"s"},
"views":{"kind":"s","op":"s","view":"n","taken":"a","left":"a"}})";

constexpr char kWriteAnew[] = "netkit plan MODEL --certificate FILE writes one";

const Json& shapes() {
  static const Json kParsed = Json::parse(kShapes);
  return kParsed;
}

// What each plan says of all of them.
Result<void> check_classes(const Json& plans) {
  Json classes = Json::object();
  for (size_t i = 0; i < plans.size(); ++i) {
    const std::string where = "plans[" + std::to_string(i) + "]";
    const Json& plan = plans[i];
    const Json &arena = plan["arena_bytes"], &bound = plan["lower_bound_bytes"];
    const auto name = plan["class"].get<std::string>();
    if (classes.contains(name)) {
      return bad_input("is " + name + ", as that of another plan", where + ".class",
                       "leave one of the two plans out");
    }
    if (plan["proven_minimal"] != (arena == bound)) {
      return bad_input("contradicts arena_bytes and lower_bound_bytes", where + ".proven_minimal",
                       kWriteAnew);
    }
    classes[name] = {
        {"arena_bytes", arena}, {"lower_bound_bytes", bound}, {"proven_minimal", arena == bound}};
  }
  if (plans.empty()) return bad_input("holds no plan", "plans", kWriteAnew);
  for (size_t i = 0; i < plans.size(); ++i) {
    if (plans[i]["classes"] == classes) continue;
    return bad_input("says something else than the plans",
                     "plans[" + std::to_string(i) + "].classes", kWriteAnew);
  }
  return {};
}

}  // namespace

Result<Json> read_certificate(std::string_view text) {
  NK_ASSIGN(const nlohmann::ordered_json ordered, parse_json(text));
  const Json root = ordered;
  if (!root.is_object() || root.value("format", Json()) != "netkit-certificate/1") {
    return bad_input("is no netkit-certificate/1", "format", kWriteAnew);
  }
  NK_TRY(check_shape(root, shapes(), "certificate", {}));
  NK_TRY(check_classes(root["plans"]));
  return root;
}

PlanVerdict begin_verdict(const Json& root, const Json& plan, size_t most_ops) {
  PlanVerdict v{plan["class"], root["order"], root["in_out"], plan["arena_bytes"],
                plan["lower_bound_bytes"]};
  const size_t ops = std::max(root["graph"]["ops"].size(), plan["order"].size());
  if (ops <= most_ops) return v;
  v.how = v.unchecked = "too large to check: " + std::to_string(ops) + " operators, at most " +
                        std::to_string(most_ops);
  return v;
}

void demand_witness_fields(const Json& witness) {
  const Json kind = witness.is_object() ? witness.value("kind", Json()) : Json();
  demand(kind == "step" || kind == "search" || kind == "views",
         "the witness is malformed: its kind is none of step, search and views");
  const auto fits = check_shape(witness, shapes(), kind, "witness");
  if (!fits)
    demand(false, "the witness is malformed: " + fits.error().where + " " + fits.error().message);
}

}  // namespace netkit::plan
