// Figure: a kernel tuned for two threads beside a process that keeps one core busy, compared with the best serial one.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <numeric>

#include "bench/figures/machine/load.h"
#include "bench/figures/report/options.h"
#include "bench/figures/tunings/exported_timing.h"
#include "bench/figures/tunings/tunings.h"
#include "bench/support/child.h"

namespace nestwright::bench {
namespace {

constexpr double kBar = 1.3;

struct HogOptions {
  std::vector<std::string> workloads = {"matmul m=49 n=49 k=32", "matmul m=512 n=512 k=512"};
  int seeds = 5, cpu = 1;
  TuningsOptions tunings{.seconds = 10, .executable = own_nestwright(), .out = own_folder() + "/trust-hog"};
};

Tuning tuning_of(const HogOptions& options, const std::string& workload, int threads, int seed) {
  return {.workload = workload,
          .threads = threads,
          .seconds = options.tunings.seconds,
          .seed = static_cast<std::uint64_t>(seed)};
}

ExportedLibrary exported(const Tunings& tunings, const Tuning& tuning) {
  const Tunings::Exported library = tunings.export_library(tuning);
  return {library.library, library.function, tuning.workload};
}

/// The ratio of the mean times over equally many calls: means, not medians, since a caller pays for every call.
double ratio_of_means(const std::vector<ExportedTiming>& timings) {
  const auto sum = [](const ExportedTiming& timing) {
    return std::accumulate(timing.samples_ns.begin(), timing.samples_ns.end(), 0.0);
  };
  return sum(timings[0]) / sum(timings[1]);
}

/// The tuning for one thread with the fastest recorded time.
Tuning best_serial(const HogOptions& options, const Tunings& tunings, const std::string& workload) {
  Tuning best;
  double best_ns = 0;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    const Tuning tuning = tuning_of(options, workload, 1, seed);
    const double ns = tunings.tune(tuning).winner.median_ns;
    if (best_ns > 0 && ns >= best_ns) continue;
    best = tuning;
    best_ns = ns;
  }
  return best;
}

void run(const HogOptions& options, const Publication& publication) {
  const Tunings tunings(options.tunings.executable, options.tunings.out, options.tunings.seconds);
  const std::string output = tunings.store().path("timing.json");
  FigureReport report{.figure = "hog",
                      .conditions = {{"nestwright", options.tunings.executable},
                                     {"seconds", options.tunings.seconds},
                                     {"seeds", options.seeds},
                                     {"busy_cpu", options.cpu}}};
  for (const std::string& workload : options.workloads) {
    const ExportedLibrary serial = exported(tunings, best_serial(options, tunings, workload));
    double worst = 0;
    for (int seed = 1; seed <= options.seeds; ++seed) {
      const Tuning tuning = tuning_of(options, workload, 2, seed);
      const TunedKernel kernel = tunings.tune(tuning);
      const std::vector<ExportedLibrary> both = {exported(tunings, tuning), serial};
      const double alone = ratio_of_means(time_exported(both, Gating::kUngated, output));
      Load busy(LoadKind::kCore, {.idle_ms = 0, .cpu = options.cpu});
      const double beside = ratio_of_means(time_exported(both, Gating::kUngated, output));
      busy.check_running();
      worst = std::max(worst, beside);
      fmt::print(stderr, "{}: {:.2f} times the best for one thread alone, {:.2f} beside the busy process\n",
                 tuning.name(), alone, beside);
      report.details[workload].push_back(
          {{"seed", seed}, {"config", kernel.winner.config}, {"alone", alone}, {"beside", beside}});
    }
    report.rows.push_back(row_at_most(workload + ": times the best for one thread, worst seed", worst, kBar));
  }
  publish(report, publication);
}

}  // namespace

void add_hog_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<HogOptions>();
  CLI::App* command = app.add_subcommand(
      "hog",
      "exported kernels tuned for two threads beside a busy process on one core, against the best for one thread");
  command->add_option("--workload", options->workloads, "what is tuned; may be repeated")->allow_extra_args(false);
  add_seeds(*command, options->seeds, "the seeds 1, 2, ...");
  command->add_option("--cpu", options->cpu, "that the busy process runs on")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  add_tunings_options(*command, options->tunings);
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
