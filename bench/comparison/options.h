// The command line of bench/compare.
// Thread rule: values; parse_options reads the command line only.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bench/comparison/conditions.h"

namespace nestwright::bench {

struct Options {
  std::vector<std::string> suites;     ///< names or files; none: gemm and ragged, where no workload is given either
  std::vector<std::string> workloads;  ///< single ones, a suite of their own
  std::string suites_folder;
  std::vector<int> threads = {1, 2};
  std::vector<Weights> weights = {Weights::kPlain};
  Pages pages = Pages::kSmall;
  Caches caches = Caches::kWarm;
  std::vector<std::string> rivals;  ///< none: all that are there
  double seconds = 30;
  int rounds = 25;
  std::uint64_t seed = 1;
  std::string db, results, json, commit = "unknown";
  bool resume = false;
};

/// `folder` is where database and results lie if nothing else is said. Gives the exit code where there is nothing to
/// run: help was asked for, or the command line is wrong, which it has said then.
std::optional<int> parse_options(int argc, char** argv, const std::string& folder, Options& options);

}  // namespace nestwright::bench
