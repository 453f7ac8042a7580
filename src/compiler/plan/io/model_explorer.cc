// SPDX-License-Identifier: MIT
// Node data for Model Explorer: each operator in the colour of the bytes alive while it runs.
#include <nlohmann/json.hpp>

#include "compiler/plan/io/json.h"
#include "compiler/plan/io/json_fields.h"

namespace netkit::plan {

std::string model_explorer_json(const Problem& problem, const Layout& layout) {
  Json root = {{"results", Json::object()}};
  for (const LayoutStep& s : layout.steps) {
    for (const int t : problem.steps[s.step].outputs) {
      root["results"][problem.tensors[t].name] = {{"value", s.live_bytes}};
    }
  }
  root["gradient"] = {{{"stop", 0}, {"bgColor", "#ffffff"}, {"textColor", "#000000"}},
                      {{"stop", 0.5}, {"bgColor", "#ffd27f"}, {"textColor", "#000000"}},
                      {{"stop", 1}, {"bgColor", "#c62f2f"}, {"textColor", "#ffffff"}}};
  return root.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace netkit::plan
