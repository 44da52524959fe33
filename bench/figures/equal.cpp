// Figure: how often a race claims that one of two copies of the same kernel is faster.
#include <fmt/format.h>

#include "bench/figures/report/options.h"
#include "bench/figures/tunings/pairs.h"

namespace nestwright::bench {
namespace {

void run(const PairOptions& options, const Publication& publication) {
  const std::vector<LoadKind> loads = parse_loads(options.load);
  const Task task = host_task(options.workload, options.threads);
  const std::vector<CompiledObject> objects = build_kernels({default_program(task)}, task.target);
  FigureReport report{
      .figure = "equal",
      .conditions = {{"workload", task.workload.str()}, {"threads", options.threads}, {"races", options.races}}};
  for (const LoadKind load : loads) {
    const std::vector<PairedRace> races = race_pairs({task, &objects[0], &objects[0]}, load, options.races);
    const Tally tally = tally_of(races);
    const std::string condition = fmt::format("load {}", name_of(load));
    const double share = share_of(tally.faster + tally.slower, tally.verdicts());
    report.rows.push_back(row_at_most(condition + ": told apart, of the verdicts", share, 0.05, "%"));
    add_tally_rows(report.rows, condition, tally);
    report.details[name_of(load)] = races_json(races);
  }
  publish(report, publication);
}

}  // namespace

void add_equal_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<PairOptions>();
  CLI::App* command =
      app.add_subcommand("equal", "one kernel under two names: the share of races that tell them apart");
  add_pair_options(*command, *options);
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
