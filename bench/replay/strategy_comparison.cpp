#include "bench/replay/strategy_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <fstream>

#include "bench/replay/foreign_space.h"
#include "bench/replay/replay.h"
#include "bench/support/tuned_run.h"
#include "nestwright/error.h"
#include "support/base/clock.h"

namespace nestwright::bench {
namespace {

using Json = nlohmann::json;
using Runs = std::vector<std::vector<TimedTrial>>;  // one for each seed

Runs replay_seeds(const Replay& replay, const std::string& strategy, const StrategyComparison& options) {
  Runs runs;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    std::vector<TimedTrial>& trials = runs.emplace_back();
    const ReplayOptions how{.strategy = strategy, .seed = static_cast<std::uint64_t>(seed), .trials = options.trials};
    for (const SurveyedPoint& point : replay.run(how)) trials.push_back({0, point.trial.ns, point.counts});
  }
  return runs;
}

Runs run_seeds(const SuiteEntry& entry, const std::string& strategy, const StrategyComparison& options) {
  Runs runs;
  for (int seed = 1; seed <= options.seeds; ++seed) {
    std::vector<std::string> words = {"--strategy",         strategy,   "--seed",
                                      std::to_string(seed), "--trials", std::to_string(options.trials)};
    words.insert(words.end(), options.tune_options.begin(), options.tune_options.end());
    runs.push_back(run_tuning("strategy", entry.text, words).trials);
  }
  return runs;
}

std::vector<std::optional<int>> counts_of(const Runs& runs, double known_best_ns, double share) {
  std::vector<std::optional<int>> counts;
  for (const auto& trials : runs) counts.push_back(trials_to_share(trials, known_best_ns, share));
  return counts;
}

/// The speed of the best trial of each run relative to the best known, on average; a run without one counts as 0.
double mean_best(const Runs& runs, double known_best_ns) {
  double sum = 0;
  for (const auto& trials : runs) sum += best_ns(trials) > 0 ? known_best_ns / best_ns(trials) : 0;
  return sum / static_cast<double>(runs.size());
}

std::string shown(const std::optional<double>& median, int most) {
  return median ? fmt::format("{:g}", *median) : fmt::format(">{}", most);
}

Task task_of(const SuiteEntry& entry) {
  if (!entry.workload) throw Error(entry.text + ": there is no template for this operator");
  return {*entry.workload, Target::parse("host")};
}

/// The table and its results in JSON, which grow by one workload at a time.
class ComparisonTable {
 public:
  explicit ComparisonTable(const StrategyComparison& options) : options_(options) {
    std::string head =
        fmt::format("{:<28} {:>12}", fmt::format("trials to {:.0f}%", 100 * options.share), "best known");
    for (const std::string& strategy : options.strategies) head += fmt::format(" {:>13}", strategy);
    fmt::print("{}\n", head);
    std::fflush(stdout);
  }

  /// Runs all strategies, on the record if there is one.
  void add(const SuiteEntry& entry, const Replay* replay) {
    std::vector<Runs> all;
    double known = replay != nullptr ? replay->best_ns() : 0;
    for (const std::string& strategy : options_.strategies) {
      all.push_back(replay != nullptr ? replay_seeds(*replay, strategy, options_)
                                      : run_seeds(entry, strategy, options_));
      for (const auto& trials : all.back()) {
        const double best = best_ns(trials);
        if (best > 0 && (known == 0 || best < known)) known = best;
      }
    }
    std::string line = fmt::format("{:<28} {:>9.1f} us", entry.label, known * 1e-3);
    Json strategies = Json::object();
    for (std::size_t s = 0; s < all.size(); ++s) {
      const auto counts = counts_of(all[s], known, options_.share);
      const auto median = median_reached(counts);
      const double reached = mean_best(all[s], known);
      line += fmt::format(" {:>7} {:>5.3f}", shown(median, options_.trials), reached);
      Json& told = strategies[options_.strategies[s]];
      told["median"] = median ? Json(*median) : Json();
      told["mean_best"] = reached;
      for (const auto& count : counts) told["seeds"].push_back(count ? Json(*count) : Json());
    }
    fmt::print("{}\n", line);
    std::fflush(stdout);
    entries_.push_back(
        {{"label", entry.label}, {"workload", entry.text}, {"best_ns", known}, {"strategies", strategies}});
    if (replay != nullptr) entries_.back()["recorded_points"] = replay->space().points().size();
  }

  void write_json() const {
    if (options_.json.empty()) return;
    std::ofstream file(options_.json);
    file << Json{{"share", options_.share}, {"trials", options_.trials}, {"entries", entries_}}.dump(2) << '\n';
    if (!file.flush()) throw Error("cannot write " + options_.json + ": check the folder and the space on the disk");
  }

 private:
  const StrategyComparison& options_;
  Json entries_ = Json::array();
};

}  // namespace

void record_suite(const Suite& suite, const std::string& file, const SurveyOptions& options) {
  TuningLog log = TuningLog::open(file, OpenMode::kWrite);
  for (const SuiteEntry& entry : suite.entries) {
    const Task task = task_of(entry);
    if (const auto there = read_survey(log, task); !there.empty()) {
      fmt::print("{:<28} {} points are there already\n", entry.label, there.size());
      continue;
    }
    const std::int64_t start_ns = steady_clock().now_ns();
    std::int64_t points = 0;
    survey(task, log, options, [&](std::int64_t done) { points = done; });
    fmt::print("{:<28} {} points in {:.0f} s\n", entry.label, points,
               static_cast<double>(steady_clock().now_ns() - start_ns) * 1e-9);
    std::fflush(stdout);
  }
}

void compare_strategies(const Suite& suite, const StrategyComparison& options) {
  ComparisonTable table(options);
  for (const SuiteEntry& entry : suite.entries) {
    const Task task = task_of(entry);
    std::optional<Replay> replay;
    if (!options.record.empty()) {
      const auto surveyed = read_survey(TuningLog::open(options.record, OpenMode::kRead), task);
      replay.emplace(task, surveyed);
      if (const std::size_t left = replay->space().points().size(); left < surveyed.size()) {
        throw Error(fmt::format("{}: only {} of {} points of '{}' are of this build's templates: record it again",
                                options.record, left, surveyed.size(), entry.text));
      }
    }
    table.add(entry, replay ? &*replay : nullptr);
  }
  table.write_json();
}

void compare_strategies_on_foreign(const StrategyComparison& options) {
  const std::vector<ForeignReplay> spaces = read_foreign_spaces(options.record);
  ComparisonTable table(options);
  for (const ForeignReplay& space : spaces) {
    const Replay replay(space.task, space.points);
    if (replay.best_ns() <= 0) {
      fmt::print("{:<28} has no point with a time\n", space.workload);
      continue;
    }
    table.add({fmt::format("{} on {}", space.workload, space.device), space.workload, std::nullopt}, &replay);
  }
  table.write_json();
}

}  // namespace nestwright::bench
