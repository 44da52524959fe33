// One kernel under two names: how often a race says that one of them is faster.
#include <fmt/format.h>

#include "bench/figures/figures.h"
#include "bench/figures/pairs.h"

namespace nestwright::bench {
namespace {

struct EqualOptions {
  std::string workload = "matmul m=512 n=512 k=512", load = "all";
  int threads = 1, races = 400;
};

void run(const EqualOptions& options, const Publication& publication) {
  const std::vector<LoadKind> loads = parse_loads(options.load);
  const Task task = host_task(options.workload, options.threads);
  const std::vector<CompiledObject> objects = build_all({default_program(task)}, task.target);
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

void add_equal(CLI::App& app, Action& action) {
  auto options = std::make_shared<EqualOptions>();
  CLI::App* command =
      app.add_subcommand("equal", "one kernel under two names: the share of races that tell them apart");
  command->add_option("--races", options->races, "a load")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  command->add_option("--load", options->load, "beside which they are held: none, core, memory or all, one by one")
      ->capture_default_str();
  command->add_option("--workload", options->workload, "whose default kernel it is")->capture_default_str();
  command->add_option("--threads", options->threads, "of the kernel")
      ->check(CLI::Range(1, 1024))
      ->capture_default_str();
  command->callback(
      [options, &action] { action = [options](const Publication& publication) { run(*options, publication); }; });
}

}  // namespace nestwright::bench
