#include "bench/figures/report/options.h"

namespace nestwright::bench {

void add_threads(CLI::App& command, int& threads) {
  command.add_option("--threads", threads, "of the kernel")->check(CLI::Range(1, 1024))->capture_default_str();
}

void add_seeds(CLI::App& command, int& seeds, const std::string& what, int least) {
  command.add_option("--seeds", seeds, what)->check(CLI::Range(least, 1000))->capture_default_str();
}

void add_seconds(CLI::App& command, double& seconds, const std::string& what) {
  command.add_option("--seconds", seconds, what)->check(CLI::PositiveNumber)->capture_default_str();
}

void add_pair_options(CLI::App& command, PairOptions& options) {
  command.add_option("--races", options.races, "a load")->check(CLI::Range(1, 1'000'000))->capture_default_str();
  command.add_option("--load", options.load, "beside which they are held: none, core, memory or all, one by one")
      ->capture_default_str();
  command.add_option("--workload", options.workload, "whose default kernel it is")->capture_default_str();
  add_threads(command, options.threads);
}

void add_tunings_options(CLI::App& command, TuningsOptions& options) {
  add_seconds(command, options.seconds, "of each tuning");
  command.add_option("--nestwright", options.executable, "that tunes and exports, also of another build")
      ->capture_default_str();
  command.add_option("--out", options.out, "folder of the tunings: what is there is taken")->capture_default_str();
}

}  // namespace nestwright::bench
