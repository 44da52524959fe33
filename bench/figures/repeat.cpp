// Figure: how many winners of the same tuning with different seeds are nearly as fast as the best of them.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>

#include "bench/figures/report/options.h"
#include "bench/figures/report/standing.h"
#include "bench/figures/tunings/side_by_side.h"
#include "bench/support/child.h"

namespace nestwright::bench {
namespace {

struct RepeatOptions {
  std::vector<std::string> workloads = {"matmul m=512 n=512 k=512", "matmul m=128 n=3072 k=768",
                                        "matmul m=255 n=255 k=255", "softmax rows=1000 columns=1000"};
  std::vector<int> threads = {1, 2};
  int seeds = 10;
  TuningsOptions tunings{.seconds = 20, .executable = own_nestwright(), .out = own_folder() + "/trust-repeat"};
};

struct SeedResult {
  double ratio = 0;           ///< of its winner to the fastest winner
  std::vector<double> found;  ///< ratios of the configurations in its database, where the winner is not near
  Standing standing = Standing::kNear;
};

std::vector<SeedResult> judge(SideBySide& race, const std::vector<TunedKernel>& kernels) {
  std::vector<TunedConfig> winners;
  for (const TunedKernel& kernel : kernels) winners.push_back(kernel.winner);
  const std::vector<double> ratios = race.ratios_to_fastest(winners);
  const auto fastest = static_cast<std::size_t>(std::min_element(ratios.begin(), ratios.end()) - ratios.begin());
  std::vector<SeedResult> results;
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    SeedResult result{ratios[i], {}, Standing::kNear};
    if (!is_near(ratios[i])) result.found = race.ratios_to(winners[fastest], kernels[i].found);
    result.standing = standing_of(result.ratio, result.found);
    results.push_back(std::move(result));
  }
  return results;
}

nlohmann::json details_of(const std::vector<TunedKernel>& kernels, const std::vector<SeedResult>& results) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = 0; i < results.size(); ++i) {
    list.push_back({{"seed", i + 1},
                    {"template", kernels[i].winner.template_name},
                    {"config", kernels[i].winner.config},
                    {"recorded_ns", kernels[i].winner.median_ns},
                    {"ratio", results[i].ratio},
                    {"found", results[i].found},
                    {"standing", name_of(results[i].standing)}});
  }
  return list;
}

void add_rows(FigureReport& report, const std::string& condition, const std::vector<SeedResult>& results,
              int disturbed) {
  std::vector<Standing> standings;
  std::vector<double> ratios;
  for (const SeedResult& result : results) {
    standings.push_back(result.standing);
    ratios.push_back(result.ratio);
  }
  std::sort(ratios.begin(), ratios.end());
  const StandingCounts counts = count(standings);
  report.rows.push_back({condition + fmt::format(": within {:g}% of the best", 100 * kNearShare),
                         fmt::format("{} of {}", counts.near, results.size()), "9 of 10", counts.is_steady()});
  report.rows.push_back({condition + ": misses of timing, of search",
                         fmt::format("{}, {}", counts.timing_misses, counts.search_misses),
                         {},
                         {}});
  report.rows.push_back(row_of(condition + ": slowest, times the best", ratios.back()));
  if (disturbed > 0) report.rows.push_back({condition + ": disturbed races", std::to_string(disturbed), {}, {}});
}

void run(const RepeatOptions& options, const Publication& publication) {
  const Tunings tunings(options.tunings.executable, options.tunings.out, options.tunings.seconds);
  FigureReport report{
      .figure = "repeat",
      .conditions = {
          {"nestwright", options.tunings.executable}, {"seconds", options.tunings.seconds}, {"seeds", options.seeds}}};
  for (const std::string& workload : options.workloads) {
    for (const int threads : options.threads) {
      std::vector<TunedKernel> kernels;
      for (int seed = 1; seed <= options.seeds; ++seed) {
        kernels.push_back(tunings.tune({.workload = workload,
                                        .threads = threads,
                                        .seconds = options.tunings.seconds,
                                        .seed = static_cast<std::uint64_t>(seed)}));
      }
      SideBySide race(host_task(workload, threads));
      const std::vector<SeedResult> results = judge(race, kernels);
      const std::string condition = fmt::format("{}, {} thread{}", workload, threads, threads == 1 ? "" : "s");
      const auto first_row = static_cast<std::ptrdiff_t>(report.rows.size());
      add_rows(report, condition, results, race.disturbed_races());
      report.details[condition] = details_of(kernels, results);
      fmt::print(stderr, "{}\n", to_text({report.rows.begin() + first_row, report.rows.end()}));
    }
  }
  publish(report, publication);
}

}  // namespace

void add_repeat_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<RepeatOptions>();
  CLI::App* command = app.add_subcommand(
      "repeat", "the same tuning with several seeds: how many winners are near the best of them, timed side by side");
  command->add_option("--workload", options->workloads, "what is tuned; may be repeated")->allow_extra_args(false);
  command->add_option("--threads", options->threads, "numbers of threads")->delimiter(',')->check(CLI::Range(1, 1024));
  add_seeds(*command, options->seeds, "the seeds 1, 2, ...", 2);
  add_tunings_options(*command, options->tunings);
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
