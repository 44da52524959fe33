// Figure: how often the planted fastest kernel wins in simulated sessions with planted disturbances.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

#include "bench/figures/machine/planted_noise.h"
#include "bench/figures/report/options.h"

namespace nestwright::bench {
namespace {

struct PlantedOptions {
  int runs = 100;
};

void run(const PlantedOptions& options, const Publication& publication) {
  FigureReport report{.figure = "planted", .conditions = {{"runs", options.runs}}};
  for (const PlantedNoise noise : kPlantedNoises) {
    std::vector<PlantedRun> runs;
    for (int seed = 1; seed <= options.runs; ++seed) {
      runs.push_back(run_planted_session(noise, static_cast<std::uint64_t>(seed)));
      report.details[noise_name(noise)].push_back({{"seed", seed},
                                                   {"rank", runs.back().rank},
                                                   {"loss", runs.back().loss},
                                                   {"disturbed_trials", runs.back().disturbed_trials},
                                                   {"what_failed", runs.back().what_failed}});
    }
    fmt::print(stderr, "{}\n", summary_of(noise, runs));
    const auto won = std::count_if(runs.begin(), runs.end(), [](const PlantedRun& one) { return one.rank == 1; });
    report.rows.push_back({fmt::format("{}: the planted fastest wins", noise_name(noise)),
                           fmt::format("{} of {}", won, options.runs), fmt::format("{0} of {0}", options.runs),
                           won == options.runs});
  }
  publish(report, publication);
}

}  // namespace

void add_planted_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<PlantedOptions>();
  CLI::App* command = app.add_subcommand(
      "planted", "made-up sessions beside planted noise: the share in which the planted fastest kernel wins");
  command->add_option("--runs", options->runs, "of each noise")->check(CLI::Range(1, 100'000))->capture_default_str();
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
