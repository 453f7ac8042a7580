// SPDX-License-Identifier: MIT
// Ways to give a .tflite file its memory, class plain: the file's own operators in its order and in
// the least one, placed as runtimes do and exactly; then the net as netkit plans it, with the
// concatenations made and with readers that read their parts. Usage: bench_plan_file MODEL.tflite …
#include <fmt/core.h>

#include <cstdio>
#include <numeric>

#include "compiler/driver/compile.h"
#include "compiler/driver/plan/offline_tflite.h"
#include "compiler/passes/passes.h"
#include "size_greedy.h"

namespace {

using netkit::Result;
using netkit::driver::CompileOptions;
using netkit::plan::OrderChoice;

void print(const char* order, const char* place, int64_t bytes, const char* proof) {
  fmt::print("{:<39} {:<12} {:>9}  {}\n", order, place, bytes, proof);
}
const char* proof(const netkit::plan::Layout& layout) {
  return layout.proven_minimal ? "proven" : "not proven";
}

Result<void> file_rows(const std::string& path, OrderChoice choice, const char* name) {
  CompileOptions options;
  options.plan.order = choice;
  NK_ASSIGN(const auto made, netkit::driver::plan_offline_tflite(path, options));
  std::vector<int> order;
  for (const auto& step : made.layout.steps) order.push_back(step.step);
  print(name, "size-greedy", netkit::bench::size_greedy(made.problem, order), "");
  print(name, "exactly", made.layout.arena_bytes, proof(made.layout));
  return {};
}

Result<void> net_row(const std::string& path, bool parts, const char* name) {
  CompileOptions options;
  options.plan.class_limit = netkit::plan::PlanClass::kPlain;
  if (!parts) options.disabled_passes.emplace_back(netkit::kReadParts);
  NK_ASSIGN(const auto made, netkit::driver::compile_file(path, options));
  print(name, "exactly", made.layout.arena_bytes, proof(made.layout));
  return {};
}

Result<void> rows(const std::string& path) {
  fmt::print("{}\n{:<39} {:<12} {:>9}\n", path, "operators and order", "placed", "bytes");
  NK_TRY(file_rows(path, OrderChoice::kGiven, "the file's, its order"));
  NK_TRY(file_rows(path, OrderChoice::kBest, "the file's, least order"));
  NK_TRY(net_row(path, false, "netkit's, concatenations made"));
  return net_row(path, true, "netkit's, concatenations read in parts");
}

}  // namespace

int main(int argc, char** argv) {
  for (int i = 1; i < argc; ++i) {
    if (const auto done = rows(argv[i]); !done) {
      fmt::print(stderr, "{}: {}\n", done.error().where, done.error().message);
      return 1;
    }
  }
  return argc > 1 ? 0 : 2;
}
