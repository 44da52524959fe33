// The command line of bench/compare.
// Thread rule: values; parse_options only reads the command line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/comparison/results/conditions.h"

namespace nestwright::bench {

struct Options {
  std::vector<std::string> suites;     ///< names or files; empty: gemm and ragged, unless workloads are given
  std::vector<std::string> workloads;  ///< single workloads, a suite of their own
  std::string suites_folder;
  std::vector<int> threads = {1, 2};
  std::vector<Weights> weights = {Weights::kPlain};
  Pages pages = Pages::kSmall;
  Caches caches = Caches::kWarm;
  std::string template_name;        ///< the only one of ours to tune and to time; empty: the best of all
  std::vector<std::string> rivals;  ///< empty: all libraries that are built
  double seconds = 30;
  int rounds = 25;
  std::uint64_t seed = 1;
  std::string db, results, json, commit = "unknown";
  bool resume = false;
};

/// `folder` is the default place of the database and the results. Returns the exit code where there is nothing to run:
/// help was requested, or the command line is wrong, which has been reported.
std::optional<int> parse_options(int argc, char** argv, const std::string& folder, Options& options);

}  // namespace nestwright::bench
