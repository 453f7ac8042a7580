// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <memory>

#include "cli/cli.h"
#include "compiler/driver/verbs/plan_file.h"
#include "compiler/driver/io/write_text.h"
#include "compiler/plan/io/json.h"

namespace netkit::cli {
namespace {

struct PlanArgs {
  ModelOptions model;
  std::string ram, output, graph_output;
  bool list_orders = false;
};

const char* proof(bool proven) {
  return proven ? "proven minimal" : "not proven minimal";
}

void print_orders(const plan::Problem& problem, const std::vector<plan::OrderListing>& orders) {
  for (const plan::OrderListing& order : orders) {
    std::string names;
    for (const int step : order.order) {
      names += (names.empty() ? "" : "-") + problem.steps[static_cast<size_t>(step)].name;
    }
    fmt::print("{}: live {} B, peak {} B\n", printable(names), fmt::join(order.live_bytes, " "),
               order.peak_bytes);
  }
  fmt::print("{} orders\n", orders.size());
}

void print_plan(const std::string& file, const driver::Planned& planned) {
  const plan::Layout& layout = planned.layout;
  fmt::print("{}: {} steps, {} buffers, alignment {}\n", printable(file), layout.steps.size(),
             layout.buffers.size(), layout.alignment);
  fmt::print("{:<9} {:>12} {:>14}  {}\n", "class", "arena B", "lower bound B", "proof");
  for (const plan::ClassSummary& summary : layout.classes) {
    fmt::print("{:<9} {:>12} {:>14}  {}\n", plan::class_name(summary.plan_class),
               summary.arena_bytes, summary.lower_bound_bytes, proof(summary.proven_minimal));
  }
  fmt::print("arena {}, class {}, {}{}\n", size_text(layout.arena_bytes),
             plan::class_name(layout.plan_class), proof(layout.proven_minimal),
             layout.time_limited ? " (search cut by --time-limit)" : "");
  fmt::print(
      "for comparison: the given order lives at most {} B without overlap, all buffers "
      "together {} B, the largest {} B\n",
      layout.given_order_peak_bytes, layout.tensor_sum_bytes, layout.largest_tensor_bytes);
}

// What --ram asked for, as a sentence and an exit code.
int answer_ram(const plan::Layout& layout, int64_t ram, const Globals& globals) {
  const bool fits = layout.verdict == plan::Verdict::kFits;
  if (!globals.json) {
    if (fits) {
      fmt::print("fits into {}: {} B free\n", size_text(ram), ram - layout.arena_bytes);
    } else {
      fmt::print("does not fit into {}: {} B short; {}\n", size_text(ram), layout.arena_bytes - ram,
                 layout.verdict == plan::Verdict::kProvenNoFit
                     ? "proven: no plan of this class fits"
                     : "no plan was found, none was excluded");
    }
  }
  return fits ? 0 : static_cast<int>(ErrorCode::kNo);
}

Result<int> list_orders(const PlanArgs& args, const driver::CompileOptions& options,
                        const Globals& globals) {
  NK_ASSIGN(const driver::Planned planned, driver::problem_of_file(args.model.model, options));
  NK_ASSIGN(const auto orders, plan::list_orders(planned.problem));
  if (globals.json) {
    std::puts(plan::orders_json(planned.problem, orders).c_str());
  } else {
    print_orders(planned.problem, orders);
  }
  return 0;
}

Result<int> plan_verb(const PlanArgs& args, const Globals& globals) {
  NK_ASSIGN(driver::CompileOptions options, compile_options(args.model));
  if (args.list_orders) return list_orders(args, options, globals);
  int64_t ram = 0;
  if (!args.ram.empty()) {
    NK_ASSIGN(ram, parse_size(args.ram, "--ram"));
    options.plan.ram_bytes = ram;
  }
  NK_ASSIGN(const driver::Planned planned, driver::plan_file(args.model.model, options));
  print_warnings(planned.warnings);
  const std::string json = plan::plan_json(planned.problem, planned.layout);
  if (!args.output.empty()) NK_TRY(driver::write_text(args.output, json + "\n"));
  if (!args.graph_output.empty()) {
    NK_TRY(driver::write_text(args.graph_output, plan::graph_json(planned.problem) + "\n"));
  }
  if (globals.json) {
    std::puts(json.c_str());
  } else {
    print_plan(args.model.model, planned);
  }
  return args.ram.empty() ? 0 : answer_ram(planned.layout, ram, globals);
}

}  // namespace

void add_plan(CLI::App& app, Context& context) {
  CLI::App* verb = app.add_subcommand("plan", "the least RAM, with its bound and proof");
  auto args = std::make_shared<PlanArgs>();
  add_model_options(*verb, args->model);
  verb->add_option("--ram", args->ram, "stop at the first plan of at most this size");
  verb->add_option("-o,--output", args->output, "write the plan as netkit-plan/1 JSON");
  verb->add_option("--graph", args->graph_output, "write the problem as netkit-graph/1 JSON");
  verb->add_flag("--list-orders", args->list_orders,
                 "every valid order of a graph of at most 12 steps");
  verb->callback([&context, args] {
    context.work = [&context, args] { return plan_verb(*args, context.globals); };
  });
}

}  // namespace netkit::cli
