// Compares strategies by the number of trials that each needs to come close to the best known time of a workload.
// Thread rule: one thread at a time.
#pragma once

#include <string>
#include <vector>

#include "bench/replay/survey.h"
#include "bench/support/suite.h"

namespace nestwright::bench {

struct StrategyComparison {
  std::vector<std::string> strategies;
  std::vector<std::string> tune_options;  ///< passed to every run
  int trials = 150;                       ///< in each run
  int seeds = 5;
  double share = 0.95;  ///< of the best known speed, to be reached
  std::string json;     ///< file for all results; empty: none
  std::string record;   ///< database of record_suite to replay instead of tuning; empty: none
};

/// Surveys each workload of the suite into one tuning database; workloads that are in it already are skipped.
void record_suite(const Suite& suite, const std::string& file, const SurveyOptions& options);

/// Runs every strategy with every seed on every workload of the suite, each with an empty database, and prints a table:
/// the trials until a correct candidate reached the share of the best speed found in any run, as the median over the
/// seeds, and the mean over the seeds of the best speed, relative to that one. What no run of a strategy reached is
/// printed as more than the number of trials. Times of different runs are compared directly, so a few percent are
/// noise. With a record, strategies choose among its points, and the best known time is the best of these. Throws
/// Error.
void compare_strategies(const Suite& suite, const StrategyComparison& options);

/// The same over the recorded spaces of other tuners that `options.record` has (bench/replay/foreign_space.h).
void compare_strategies_on_foreign(const StrategyComparison& options);

}  // namespace nestwright::bench
