// Figure: the cost of a tuning, in trials per second and in the time until it is near its best.
#include <fmt/format.h>

#include <cstdio>

#include "bench/figures/report/options.h"
#include "bench/support/tuned_run.h"
#include "measure/race/timing.h"

namespace nestwright::bench {
namespace {

struct CostOptions {
  std::string workload = "matmul m=512 n=512 k=512";
  int threads = 2, seeds = 5;
  double seconds = 20;
};

void run(const CostOptions& options, const Publication& publication) {
  FigureReport report{.figure = "cost",
                      .conditions = {{"workload", options.workload},
                                     {"threads", options.threads},
                                     {"seconds", options.seconds},
                                     {"seeds", options.seeds}}};
  std::vector<double> rates, soon;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    const TunedRun tuned = run_tuning(fmt::format("trust-cost-{}", seed), options.workload,
                                      {"--threads", std::to_string(options.threads), "--seconds",
                                       fmt::format("{}", options.seconds), "--seed", std::to_string(seed)});
    rates.push_back(static_cast<double>(tuned.trials.size()) / tuned.wall_seconds);
    soon.push_back(seconds_to_within(tuned.trials, 0.05));
    fmt::print(stderr, "seed {}: {:.1f} trials a second, near the best after {:.1f} s\n", seed, rates.back(),
               soon.back());
    report.details.push_back({{"seed", seed},
                              {"trials", tuned.trials.size()},
                              {"wall_seconds", tuned.wall_seconds},
                              {"seconds_to_within_5_percent", soon.back()}});
  }
  report.rows = {row_at_least("trials a second, median", median_interval(rates).median, 20),
                 row_at_most("within 5% of the best after, median", median_interval(soon).median, 5, "s")};
  publish(report, publication);
}

}  // namespace

void add_cost_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<CostOptions>();
  CLI::App* command =
      app.add_subcommand("cost", "trials a second, and seconds until a trial is within 5% of the final best");
  command->add_option("--workload", options->workload, "what is tuned")->capture_default_str();
  add_threads(*command, options->threads);
  add_seeds(*command, options->seeds, "runs, with the seeds 1, 2, ...");
  add_seconds(*command, options->seconds, "of each run");
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
