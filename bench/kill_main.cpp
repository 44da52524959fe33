// Kills a tuning run (SIGKILL, the nestwright process alone) at random moments, over and over on one database, and
// checks each time that every trial that anyone could read is still there and unchanged, that the database is sound,
// that no process stays behind, and that the next run goes on. Exit code 1 where any of this fails.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <random>
#include <thread>

#include "bench/child.h"
#include "bench/trial_rows.h"
#include "support/error.h"

namespace nestwright::bench {
namespace {

using std::chrono::milliseconds;
using std::chrono::steady_clock;
using Trials = std::map<std::int64_t, TrialRow>;

constexpr milliseconds kMayStay{1000};  // what a worker may take to notice

struct Options {
  std::string workload = "matmul m=512 n=512 k=512";
  int kills = 20;
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
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(database_ + suffix);
  }

  int run() {
    for (int i = 1; i <= options_.kills; ++i) kill_once(i);
    run_to_the_end();
    fmt::print("{} kills, {} of them after new trials; {} trials in the end; {} violations\n", options_.kills,
               kills_with_trials_, known_.size(), violations_);
    return violations_ == 0 ? 0 : 1;
  }

 private:
  std::vector<std::string> tune_words(double seconds, int seed) const {
    return {own_folder() + "/nestwright", "tune", options_.workload, "--seconds", fmt::format("{}", seconds), "--seed",
            std::to_string(seed),         "--db", database_,         "--json"};
  }

  void kill_once(int number) {
    const std::string mark = fmt::format("{}-{}", getpid(), number);
    const std::size_t known_before = known_.size();
    const double wait_s = std::uniform_real_distribution<double>(0.05, options_.longest_s)(random_);
    Child tuning(tune_words(600, number), output_, mark);
    std::this_thread::sleep_for(std::chrono::duration<double>(wait_s));
    if (const auto status = tuning.ended()) {
      violation(fmt::format("run {} ended by itself with {}: see {}.err", number, status->str(), output_));
    }
    take_in(read_trials(database_), number);  // whatever can be read has been acknowledged
    tuning.kill();
    const auto killed_at = steady_clock::now();
    tuning.wait();
    const double gone_ms = wait_until_gone(mark, killed_at, number);
    take_in(read_trials(database_), number);
    for (const std::string& what : damage(database_)) violation(fmt::format("after kill {}: {}", number, what));
    if (known_.size() > known_before) ++kills_with_trials_;
    fmt::print("kill {:2} after {:4.2f} s: {:4} trials ({} new), all processes gone after {:.0f} ms\n", number, wait_s,
               known_.size(), known_.size() - known_before, gone_ms);
    std::fflush(stdout);
  }

  void run_to_the_end() {
    const std::size_t known_before = known_.size();
    const std::string mark = fmt::format("{}-last", getpid());
    const ExitStatus status = Child(tune_words(options_.last_s, options_.kills + 1), output_, mark).wait();
    if (status.signaled || status.code != 0)
      violation(fmt::format("the last run ended with {}: see {}.err", status.str(), output_));
    wait_until_gone(mark, steady_clock::now(), options_.kills + 1);
    take_in(read_trials(database_), options_.kills + 1);
    for (const std::string& what : damage(database_)) violation("after the last run: " + what);
    if (known_.size() <= known_before) violation("the last run added no trial");
    if (const std::int64_t left = unfinished_proposals(database_); left > 0) {
      violation(fmt::format("{} proposals of killed runs were never finished", left));
    }
    fmt::print("last run: {} trials ({} new)\n", known_.size(), known_.size() - known_before);
  }

  /// Holds what is there now against all that was ever seen, and adds to it.
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
  int kills_with_trials_ = 0, violations_ = 0;
};

int main_or_throw(int argc, char** argv) {
  Options options;
  CLI::App app("Kills tuning runs at random moments and checks that nothing is lost or left behind.", "bench/kill");
  app.add_option("--workload", options.workload, "what is tuned")->capture_default_str();
  app.add_option("--kills", options.kills, "how many")->check(CLI::Range(1, 10000))->capture_default_str();
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
