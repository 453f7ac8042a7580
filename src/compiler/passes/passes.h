// SPDX-License-Identifier: MIT
// passes: what a good engineer would do to the drawing of a net before building it. Graph → Graph,
// the same function: float32 within 1e-6 relative, integers bit for bit, but for fuse-qdq (a step).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "compiler/ir/graph.h"

namespace netkit {

// Once before the rounds, in every round, or once when the rounds have settled.
enum class PassStage : uint8_t { kFirst, kRounds, kLast };

struct Pass {
  std::string_view name;     // for PassOptions::disabled and --disable-pass
  std::string_view summary;  // one line for --help
  Result<Graph> (*run)(const Graph&);
  PassStage stage = PassStage::kRounds;
};

// The pass that a driver also plans without: it is not sure to save memory. As "read-parts=NAME" it
// is left out for the concatenation that makes the tensor NAME.
inline constexpr std::string_view kReadParts = "read-parts";
inline constexpr std::string_view kReadPartsOf = "read-parts=";

// All passes in the order in which a stage runs them.
std::span<const Pass> all_passes();

struct PassOptions {
  // Names from all_passes(), or kReadPartsOf and a name; an unknown one is code kUsage.
  std::vector<std::string> disabled;
};

// Runs the passes in rounds until a round changes nothing. The result holds for verify(), and no
// graph output is a view of a graph input, of a constant or of another output.
Result<Graph> optimise(const Graph& graph, const PassOptions& options);

// Nodes of an operator, for example the transposes that are left.
int count_ops(const Graph& graph, std::string_view op);

// Equal structure, names, attributes and bytes.
bool same_graph(const Graph& a, const Graph& b);

}  // namespace netkit
