// Figure: how often a race detects that a copy of a kernel is a few percent slower.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>

#include "bench/figures/machine/delayed_program.h"
#include "bench/figures/report/options.h"
#include "bench/figures/tunings/pairs.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

constexpr std::int64_t kFirstSteps = 10'000;
constexpr int kAttempts = 6;
constexpr double kCalibrated = 0.3;   // slowdown at which the duration of a step is calibrated
constexpr int kCalibrationRaces = 3;  // their median is used

struct SlowerOptions {
  PairOptions pair{.races = 100};
  double percent = 3;
};

struct SlowerCopy {
  std::int64_t steps = 0;
  double ratio = 0;  ///< measured, relative to the kernel
  CompiledObject object;
};

/// Median over the undisturbed races; 0 where there is none.
double ratio_of(const Task& task, const CompiledObject& kernel, const CompiledObject& copy) {
  std::vector<double> ratios;
  for (const PairedRace& race : race_pairs({task, &kernel, &copy}, LoadKind::kNone, kCalibrationRaces)) {
    if (verdict_of(race) != Verdict::kDisturbed) ratios.push_back(race.ratio.median);
  }
  return median_interval(ratios).median;
}

/// Calibrates on the machine without a load, by a delay of about a third of the kernel's time. A delay is proportional
/// to its steps, so that the error of a tenth of it is a tenth of what races measure.
SlowerCopy make_slower(const Task& task, const ir::Program& program, const CompiledObject& kernel, double slowdown) {
  std::int64_t steps = kFirstSteps;
  double ratio = 0;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    ratio = ratio_of(task, kernel, build_kernels({with_delay(program, steps)}, task.target)[0]);
    if (ratio == 0) continue;  // the machine was disturbed in every race
    fmt::print(stderr, "{} steps: {:.4f} times the time\n", steps, ratio);
    if (ratio - 1 >= kCalibrated / 2 && ratio - 1 <= 2 * kCalibrated) {
      steps = steps_for(slowdown, steps, ratio);
      std::vector<CompiledObject> built = build_kernels({with_delay(program, steps)}, task.target);
      return {steps, ratio_of(task, kernel, built[0]), std::move(built[0])};
    }
    // A first guess within the noise does not determine the duration of a step.
    steps = ratio - 1 < kCalibrated / 10 ? 10 * steps : steps_for(kCalibrated, steps, ratio);
  }
  throw Error(
      fmt::format("no copy came out {:.3g}% slower: the last took {:.4f} times the time, or every race was disturbed; "
                  "try again on a quieter machine",
                  100 * kCalibrated, ratio));
}

void run(const SlowerOptions& options, const Publication& publication) {
  const std::vector<LoadKind> loads = parse_loads(options.pair.load);
  const Task task = host_task(options.pair.workload, options.pair.threads);
  const ir::Program program = default_program(task);
  const std::vector<CompiledObject> kernel = build_kernels({program}, task.target);
  const SlowerCopy copy = make_slower(task, program, kernel[0], options.percent / 100);
  FigureReport report{.figure = "slower",
                      .conditions = {{"workload", task.workload.str()},
                                     {"threads", options.pair.threads},
                                     {"races", options.pair.races},
                                     {"percent", options.percent},
                                     {"measured_percent", 100 * (copy.ratio - 1)},
                                     {"steps", copy.steps}}};
  for (const LoadKind load : loads) {
    const std::vector<PairedRace> races = race_pairs({task, &kernel[0], &copy.object}, load, options.pair.races);
    const Tally tally = tally_of(races);
    const std::string condition = fmt::format("load {}", name_of(load));
    report.rows.push_back(row_at_least(condition + ": called slower, of the verdicts",
                                       share_of(tally.slower, tally.verdicts()), 0.90, "%"));
    report.rows.push_back(row_of(condition + ": called slower, of all", share_of(tally.slower, tally.races), "%"));
    report.rows.push_back(
        row_at_least(condition + ": races that end in a verdict", share_of(tally.verdicts(), tally.races), 0.80, "%"));
    add_tally_rows(report.rows, condition, tally);
    report.details[name_of(load)] = races_json(races);
  }
  publish(report, publication);
}

}  // namespace

void add_slower_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<SlowerOptions>();
  CLI::App* command = app.add_subcommand("slower", "a copy made slower: the share of races that call it slower");
  add_pair_options(*command, options->pair);
  command->add_option("--slowdown", options->percent, "of the copy, in percent")
      ->check(CLI::Range(0.1, 100.0))
      ->capture_default_str();
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
