// SPDX-License-Identifier: MIT
// lower: foreign words to canonical operators; every shape becomes known, constant chains become
// constants. ForeignGraph → [lower] → Graph → passes.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/result.h"
#include "compiler/ir/foreign.h"
#include "compiler/ir/graph.h"

namespace netkit {

struct LowerOptions {
  // Shapes that the user gives for inputs with open dimensions (--shape NAME=1x49x10x1). A name
  // that is no input, another rank, or another size for a dimension that the file closes is an
  // error of code kUsage.
  std::vector<std::pair<std::string, Dims>> shapes;
};

struct Lowered {
  Graph graph;  // holds for verify(); inputs and outputs in the file's order, layout and names
  std::vector<std::string> warnings;  // the importer's first
};

// Every operator that has no rule and every node that cannot be lowered is listed in Error::items
// as "Op (node): reason" and the exit code is kInput. An open first dimension becomes 1 with a
// warning (TFLite: its nominal size); other open dimensions need options.shapes.
Result<Lowered> lower(const ForeignGraph& foreign, const LowerOptions& options);

}  // namespace netkit
