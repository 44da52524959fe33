// Measures the speed of tuning: acknowledged trials per second of wall time (start-up included), where the time goes,
// and how soon the best is found; with --suite, the number of trials that each strategy needs to come close to it. Runs
// the executable nestwright as a user does, each seed with an empty database. --record measures a part of the spaces
// once; --replay then compares all strategies on this record.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <fstream>

#include "bench/replay/strategy_comparison.h"
#include "bench/support/tuned_run.h"
#include "measure/race/timing.h"
#include "nestwright/error.h"
#include "search/propose/make_strategy.h"

namespace nestwright::bench {
namespace {

struct Options {
  std::string workload = "matmul m=512 n=512 k=512", json;
  std::vector<std::string> tune_options;
  double seconds = 60;
  int seeds = 1;
  std::string suite;
  std::vector<std::string> strategies;
  int trials = 150;
  std::string record, replay;
  SurveyOptions survey;
};

/// Runs one tuning. Returns its report, extended by what is observed from outside.
nlohmann::json tune(const Options& options, int seed) {
  std::vector<std::string> words = {"--seconds", fmt::format("{}", options.seconds), "--seed", std::to_string(seed)};
  words.insert(words.end(), options.tune_options.begin(), options.tune_options.end());
  TunedRun run = run_tuning(fmt::format("seed{}", seed), options.workload, words);
  nlohmann::json report = std::move(run.report);
  report["seed"] = seed;
  report["wall_seconds"] = run.wall_seconds;
  report["acknowledged_trials"] = run.trials.size();
  report["acknowledged_per_second"] = static_cast<double>(run.trials.size()) / run.wall_seconds;
  report["seconds_to_within_5_percent"] = seconds_to_within(run.trials, 0.05);
  return report;
}

std::string to_text(const nlohmann::json& run) {
  const double wall_s = run["wall_seconds"].get<double>();
  std::string text = fmt::format(
      "seed {}: {} trials in {:.1f} s = {:.1f} a second; best {:.1f} GFLOP/s; within 5% of the best trial after {:.1f} "
      "s\n ",
      run["seed"].get<int>(), run["acknowledged_trials"].get<std::int64_t>(), wall_s,
      run["acknowledged_per_second"].get<double>(), run.value("gflops", 0.0),
      run["seconds_to_within_5_percent"].get<double>());
  double rest = wall_s, working = 0;
  for (const char* stage :
       {"start_up", "propose", "lower", "features", "compile", "check", "measure", "train", "log", "race"}) {
    const double seconds = run["stage_seconds"].value(stage, 0.0);
    rest -= seconds;
    const bool works = std::string_view("compile check measure race").find(stage) != std::string_view::npos;
    if (works) working += seconds;
    text += fmt::format(" {} {:.1f}%", stage, 100 * seconds / wall_s);
  }
  return text + fmt::format(" other {:.1f}%; outside compiling, checking and measuring {:.1f}%\n", 100 * rest / wall_s,
                            100 * (wall_s - working) / wall_s);
}

int run(const Options& options) {
  nlohmann::json runs = nlohmann::json::array();
  std::vector<double> rates, soon;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    runs.push_back(tune(options, seed));
    fmt::print("{}", to_text(runs.back()));
    std::fflush(stdout);
    rates.push_back(runs.back()["acknowledged_per_second"].get<double>());
    soon.push_back(runs.back()["seconds_to_within_5_percent"].get<double>());
  }
  const double rate = median_interval(rates).median, within = median_interval(soon).median;
  fmt::print("median of {} seeds: {:.1f} acknowledged trials a second; within 5% after {:.1f} s\n", options.seeds, rate,
             within);
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << nlohmann::json{{"workload", options.workload},
                           {"seconds", options.seconds},
                           {"runs", runs},
                           {"median_acknowledged_per_second", rate},
                           {"median_seconds_to_within_5_percent", within}}
                .dump(2)
         << '\n';
    if (!file.flush()) throw Error("cannot write " + options.json + ": check the folder and the space on the disk");
  }
  return 0;
}

/// Whether the option is one of a replay without a suite.
bool is_of_replays(std::string_view name) { return name == "--replay" || name == "--strategies" || name == "--trials"; }

int main_or_throw(int argc, char** argv) {
  Options options;
  CLI::App app(
      "Tunes with an empty database and reports trials a second, where the time goes, and how soon the best is found.",
      "bench/search");
  CLI::Option* const workload = app.add_option("--workload", options.workload, "what is tuned");
  workload->capture_default_str();
  CLI::Option* const seconds = app.add_option("--seconds", options.seconds, "of tuning a seed");
  seconds->check(CLI::PositiveNumber)->capture_default_str();
  app.add_option("--seeds", options.seeds, "runs, with the seeds 1, 2, ...")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  app.add_option("--suite", options.suite,
                 "file of workloads (bench/suites/search.json): compare strategies over it instead");
  app.add_option("--strategies", options.strategies, "that are compared, e.g. evolutionary,random (default: all)")
      ->delimiter(',')
      ->check(CLI::IsMember(strategy_names()));
  app.add_option("--trials", options.trials, "of each run that is compared")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  auto* record = app.add_option("--record", options.record,
                                "with --suite: a database into which a part of each workload's space is measured, for "
                                "--replay; a workload that is there already is left as it is");
  app.add_option("--replay", options.replay,
                 "compare strategies on recorded points, without measuring: with --suite on those of --record; without "
                 "on the spaces of other tuners, in a file (T4, a cache of Kernel Tuner) or a database with such files")
      ->check(CLI::ExistingFile)
      ->excludes(record);
  app.add_option("--samples", options.survey.samples, "uniform ones of the points that are recorded a workload")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--relatives", options.survey.relatives, "those of them that are near the best so far")
      ->check(CLI::Range(0, 1'000'000))
      ->capture_default_str();
  app.add_option("--json", options.json, "file for everything as one JSON document");
  app.add_option("tune_options", options.tune_options,
                 "after --: more options for nestwright tune, e.g. -- --strategy random");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  const std::vector<std::string> of_suites{"--record", "--replay",  "--strategies",
                                           "--trials", "--samples", "--relatives"};
  const bool is_foreign = options.suite.empty() && !options.replay.empty();
  for (const std::string& name : of_suites) {
    if (!options.suite.empty() || (is_foreign && is_of_replays(name)) || app.get_option(name)->count() == 0) continue;
    throw UsageError(name + " needs a suite: give --suite bench/suites/search.json");
  }
  for (const CLI::Option* of_one : {workload, seconds}) {
    if ((options.suite.empty() && !is_foreign) || of_one->count() == 0) continue;
    throw UsageError(of_one->get_name() + " is for a run without a suite or a record: drop it, or drop those");
  }
  if (options.suite.empty() && !is_foreign) return run(options);
  if (!options.record.empty()) {
    record_suite(load_suite(options.suite, {}), options.record, options.survey);
    return 0;
  }
  if (options.strategies.empty()) options.strategies = strategy_names();
  const StrategyComparison comparison{.strategies = options.strategies,
                                      .tune_options = options.tune_options,
                                      .trials = options.trials,
                                      .seeds = options.seeds,
                                      .json = options.json,
                                      .record = options.replay};
  if (is_foreign) {
    compare_strategies_on_foreign(comparison);
  } else {
    compare_strategies(load_suite(options.suite, {}), comparison);
  }
  return 0;
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  try {
    return nestwright::bench::main_or_throw(argc, argv);
  } catch (const nestwright::UsageError& e) {
    fmt::print(stderr, "bench/search: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench/search: {}\n", e.what());
    return 1;
  }
}
