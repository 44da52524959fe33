// Options that several figures share, and the registration of a figure. Thread rule: one thread at a time.
#pragma once

#include <memory>
#include <string>

#include "bench/figures/report/figures.h"

namespace nestwright::bench {

void add_threads(CLI::App& command, int& threads);
/// `what` says what the seeds are for; at least `least` of them.
void add_seeds(CLI::App& command, int& seeds, const std::string& what, int least = 1);
void add_seconds(CLI::App& command, double& seconds, const std::string& what);

/// Options for races of two kernels made from the default of a workload.
struct PairOptions {
  std::string workload = "matmul m=512 n=512 k=512", load = "all";
  int threads = 1, races = 400;
};
void add_pair_options(CLI::App& command, PairOptions& options);

/// Options for tunings by a nestwright executable, kept in a folder (bench/figures/tunings/tunings.h).
struct TuningsOptions {
  double seconds = 0;  ///< for each tuning
  std::string executable, out;
};
void add_tunings_options(CLI::App& command, TuningsOptions& options);

/// Makes `run` the action where the subcommand is chosen.
template <class Options>
void run_when_chosen(CLI::App& command, Action& action, const std::shared_ptr<Options>& options,
                     void (*run)(const Options&, const Publication&)) {
  command.callback([options, run, &action] {
    action = [options, run](const Publication& publication) { run(*options, publication); };
  });
}

}  // namespace nestwright::bench
