// Options that several figures have in common, and what runs the chosen figure. Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "bench/figures/figures.h"

namespace nestwright::bench {

void add_threads(CLI::App& command, int& threads);
/// `what` they are the seeds of; `least` of them.
void add_seeds(CLI::App& command, int& seeds, const std::string& what, int least = 1);
void add_seconds(CLI::App& command, double& seconds, const std::string& what);

/// Races of two kernels that are made from the default of a workload.
struct PairOptions {
  std::string workload = "matmul m=512 n=512 k=512", load = "all";
  int threads = 1, races = 400;
};
void add_pair_options(CLI::App& command, PairOptions& options);

/// Tunings by an executable nestwright, which are kept in a folder (bench/figures/tunings.h).
struct TuningsOptions {
  double seconds = 0;  ///< of each
  std::string executable, out;
};
void add_tunings_options(CLI::App& command, TuningsOptions& options);

/// Where the subcommand is chosen, `run` is the action.
template <class Options>
void run_when_chosen(CLI::App& command, Action& action, const std::shared_ptr<Options>& options,
                     void (*run)(const Options&, const Publication&)) {
  command.callback([options, run, &action] {
    action = [options, run](const Publication& publication) { run(*options, publication); };
  });
}

}  // namespace nestwright::bench
