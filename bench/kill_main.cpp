// Kills one or several concurrent tuning runs of a task (SIGKILL, the nestwright process only) at random moments, over
// and over on one database. Checks each time that every trial that was ever readable is still there and unchanged, that
// the database is sound, that no process is left, and that the next run resumes. Exits with 1 where any of this fails.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <random>
#include <thread>

#include "bench/support/child.h"
#include "bench/support/database_files.h"
#include "bench/support/trial_rows.h"
#include "nestwright/error.h"

namespace nestwright::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Trials = std::map<std::int64_t, TrialRow>;

constexpr milliseconds kMayStay{1000};  // for a worker to notice

struct Options {
  std::string workload = "matmul m=512 n=512 k=512";
  int kills = 20;
  int tuners = 1;  ///< concurrent runs
  double longest_s = 5;
  double last_s = 10;
  std::uint64_t seed = 1;
};

class KillTest {
 public:
  explicit KillTest(const Options& options) : options_(options), random_(options.seed) {
    const std::filesystem::path folder = std::filesystem::path(own_folder()) / "kill";
    std::filesystem::create_directories(folder);
    database_ = folder / "kill.db";
    output_ = folder / "tune.json";
    remove_database(database_);
  }

  int run() {
    const int rounds = (options_.kills + options_.tuners - 1) / options_.tuners;
    for (int i = 1; i <= rounds; ++i) kill_all(i);
    run_to_the_end(rounds + 1);
    fmt::print("{} kills of {} at once, {} of {} rounds with new trials; {} trials in the end; {} violations\n",
               rounds * options_.tuners, options_.tuners, rounds_with_trials_, rounds, known_.size(), violations_);
    return violations_ == 0 ? 0 : 1;
  }

 private:
  std::string output_of(int tuner) const { return fmt::format("{}-{}", output_, tuner); }

  std::vector<std::string> tune_words(double seconds, int seed) const {
    return {own_folder() + "/nestwright", "tune", options_.workload, "--seconds", fmt::format("{}", seconds), "--seed",
            std::to_string(seed),         "--db", database_,         "--json"};
  }

  /// Starts the tuners and kills each of them at a random moment.
  void kill_all(int round) {
    const std::string mark = fmt::format("{}-{}", getpid(), round);
    const std::size_t known_before = known_.size();
    std::vector<double> moments_s;
    std::vector<std::unique_ptr<Child>> tunings;
    for (int tuner = 0; tuner < options_.tuners; ++tuner) {
      moments_s.push_back(std::uniform_real_distribution<double>(0.05, options_.longest_s)(random_));
      tunings.push_back(
          std::make_unique<Child>(tune_words(600, round * options_.tuners + tuner), output_of(tuner), mark));
    }
    std::sort(moments_s.begin(), moments_s.end());
    const auto start = steady_clock::now();
    for (int tuner = 0; tuner < options_.tuners; ++tuner) {
      const auto at = static_cast<std::size_t>(tuner);
      std::this_thread::sleep_until(start + std::chrono::duration<double>(moments_s[at]));
      if (const auto status = tunings[at]->ended()) {
        violation(fmt::format("a tuner of round {} ended by itself with {}: see {}.err", round, status->str(),
                              output_of(tuner)));
      }
      take_in(read_trials(database_), round);  // all readable trials have been acknowledged
      tunings[at]->kill();
      tunings[at]->wait();
    }
    const double gone_ms = wait_until_gone(mark, steady_clock::now(), round);
    take_in(read_trials(database_), round);
    for (const std::string& what : damage(database_)) violation(fmt::format("after round {}: {}", round, what));
    if (known_.size() > known_before) ++rounds_with_trials_;
    fmt::print("round {:3}, killed after {:.2f} s: {:4} trials ({} new), all processes gone after {:.0f} ms\n", round,
               fmt::join(moments_s, " and "), known_.size(), known_.size() - known_before, gone_ms);
    std::fflush(stdout);
  }

  void run_to_the_end(int round) {
    const std::size_t known_before = known_.size();
    const std::string mark = fmt::format("{}-last", getpid());
    const ExitStatus status = Child(tune_words(options_.last_s, round * options_.tuners), output_of(0), mark).wait();
    if (status.signaled || status.code != 0)
      violation(fmt::format("the last run ended with {}: see {}.err", status.str(), output_of(0)));
    wait_until_gone(mark, steady_clock::now(), round);
    take_in(read_trials(database_), round);
    for (const std::string& what : damage(database_)) violation("after the last run: " + what);
    if (known_.size() <= known_before) violation("the last run added no trial");
    if (const std::int64_t left = unfinished_proposals(database_); left > 0) {
      violation(fmt::format("{} proposals of killed runs were never finished", left));
    }
    fmt::print("last run: {} trials ({} new)\n", known_.size(), known_.size() - known_before);
  }

  /// Checks the trials against all that were ever seen, and adds new ones to these.
  void take_in(const Trials& now, int number) {
    for (const auto& [id, row] : known_) {
      const auto found = now.find(id);
      if (found == now.end()) {
        violation(fmt::format("run {}: trial {} is gone", number, id));
      } else if (found->second.contents != row.contents) {
        violation(fmt::format("run {}: trial {} has changed", number, id));
      }
    }
    known_.insert(now.begin(), now.end());
  }

  double wait_until_gone(const std::string& mark, steady_clock::time_point since, int number) {
    std::vector<pid_t> left;
    while (!(left = processes_marked(mark)).empty() && steady_clock::now() - since < kMayStay) {
      std::this_thread::sleep_for(milliseconds(5));
    }
    if (!left.empty()) violation(fmt::format("run {}: process {} stays behind", number, left.front()));
    return std::chrono::duration<double, std::milli>(steady_clock::now() - since).count();
  }

  void violation(const std::string& what) {
    ++violations_;
    fmt::print("VIOLATION: {}\n", what);
  }

  Options options_;
  std::mt19937_64 random_;
  std::string database_, output_;
  Trials known_;
  int rounds_with_trials_ = 0, violations_ = 0;
};

int main_or_throw(int argc, char** argv) {
  Options options;
  CLI::App app("Kills tuning runs at random moments and checks that nothing is lost or left behind.", "bench/kill");
  app.add_option("--workload", options.workload, "what is tuned")->capture_default_str();
  app.add_option("--kills", options.kills, "how many")->check(CLI::Range(1, 10000))->capture_default_str();
  app.add_option("--tuners", options.tuners, "that run at once, each of which is killed")
      ->check(CLI::Range(1, 16))
      ->capture_default_str();
  app.add_option("--longest", options.longest_s, "seconds that a run lives at most")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--last", options.last_s, "seconds of the run that is not killed")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the moments")->capture_default_str();
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return KillTest(options).run();
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  try {
    return nestwright::bench::main_or_throw(argc, argv);
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench/kill: {}\n", e.what());
    return 1;
  }
}
