// How many trials each strategy takes to come near the best known time of a workload.
#pragma once

#include <string>
#include <vector>

#include "bench/comparison/suite.h"
#include "search/survey.h"

namespace nestwright::bench {

struct StrategyComparison {
  std::vector<std::string> strategies;
  std::vector<std::string> tune_options;  ///< for every run
  int trials = 150;                       ///< of each run
  int seeds = 5;
  double share = 0.95;  ///< of the speed of the best known
  std::string json;     ///< file for everything; empty: none
  std::string record;   ///< of record_suite, replayed instead of tuning; empty: none
};

/// Surveys each workload of the suite into one tuning database, those that are there already left as they are.
void record_suite(const Suite& suite, const std::string& file, const SurveyOptions& options);

/// Runs every strategy with every seed on every workload of the suite, each with an empty database, and prints a table:
/// trials until a right candidate was within the share of the best that any of all runs found, the median over the
/// seeds. What no run of a strategy reached is printed as more than the trials. Times of different runs are compared,
/// bracketed as they are: a few percent are noise. On a record, the strategies choose among its points, and the best
/// known is the best of these. Throws Error.
void compare_strategies(const Suite& suite, const StrategyComparison& options);

}  // namespace nestwright::bench
