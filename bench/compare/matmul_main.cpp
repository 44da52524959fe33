// Times tuned matrix products side by side with libraries: bench/matmul builds and runs it.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/compare/report.h"
#include "bench/compare/rounds.h"
#include "bench/compare/tensors.h"
#include "search/check_data.h"
#include "search/session.h"
#include "support/error.h"

namespace nestwright::bench {
namespace {

struct Options {
  std::vector<std::string> shapes = {"512^3", "1024^3", "128x3072x768", "127^3"};
  std::vector<int> threads = {1, 2};
  std::vector<std::string> rivals = {"oneDNN", "OpenBLAS", "BLIS", "Eigen"};
  std::string db, json, commit = "unknown";
  double seconds = 30;
  int rounds = 25;
  std::uint64_t seed = 1;
};

std::filesystem::path own_folder() { return std::filesystem::read_symlink("/proc/self/exe").parent_path(); }

std::string contestant_executable(const std::string& name) {
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return own_folder() / ("bench_contestant_" + lower);
}

void tune(const Problem& problem, int threads, const Options& options) {
  Task task{parse_workload(problem.workload()), Target::host()};
  task.target.threads = threads;
  TuningLog log = TuningLog::open(options.db, OpenMode::kWrite);
  fmt::print(stderr, "tuning {} with threads={} for {} s ...\n", problem.str(), threads, options.seconds);
  const SessionResult result = run_session(task, log, {.budget = {.seconds = options.seconds}, .seed = options.seed});
  fmt::print(stderr, "  {} trials in {:.1f} s, {} before; best {:.1f} GFLOP/s\n", result.trials, result.seconds,
             result.earlier_trials, result.best ? result.best->gflops() : 0);
}

Comparison compare(const Problem& problem, int threads, const Options& options) {
  const UniqueFd tensors = make_tensor_file(make_check_data(parse_workload(problem.workload())));
  set_library_environment(threads);
  std::vector<Contestant> contestants;
  std::vector<std::string> names = options.rivals;
  names.insert(names.begin(), "Nestwright");
  for (const std::string& name : names) {
    contestants.emplace_back(name, contestant_executable(name), problem, threads, tensors.get(), options.db);
  }
  return run_rounds(problem, threads, contestants, options.rounds, options.seed);
}

int run(const Options& options) {
  std::vector<Problem> problems;
  for (const std::string& shape : options.shapes) problems.push_back(parse_problem(shape));
  nlohmann::json document = {{"machine", machine_json(options.commit)},
                             {"tuning_seconds", options.seconds},
                             {"rounds", options.rounds},
                             {"results", nlohmann::json::array()}};
  fmt::print("{}\n", machine_text(document["machine"]));
  std::vector<Comparison> comparisons;
  for (const int threads : options.threads) {
    for (const Problem& problem : problems) {
      if (options.seconds > 0) tune(problem, threads, options);
      comparisons.push_back(compare(problem, threads, options));
      fmt::print("{}\n", to_text(comparisons.back(), options.rounds));
      std::fflush(stdout);
      document["results"].push_back(to_json(comparisons.back()));
    }
  }
  std::vector<Verdict> verdicts;
  for (const std::string& rival : options.rivals) verdicts.push_back(verdict(comparisons, rival));
  fmt::print("geometric means of the ratios\n{}", verdicts_text(verdicts));
  for (const Verdict& v : verdicts) document["verdicts"].push_back(to_json(v));
  if (!options.json.empty()) {
    std::ofstream file(options.json);
    file << document.dump(2) << '\n';
    if (!file.flush()) throw Error("cannot write " + options.json + ": check the folder and the space on the disk");
  }
  return 0;
}

int main_or_throw(int argc, char** argv) {
  Options options;
  options.db = own_folder() / "bench.db";
  CLI::App app(
      "Times tuned matrix products (float32, row-major, packing included, small pages, warm) side by side with "
      "libraries, "
      "each in a process of its own, all but the running one stopped.",
      "bench/matmul");
  app.add_option("shapes", options.shapes, "MxNxK or N^3")->capture_default_str();
  app.add_option("--threads", options.threads, "numbers of threads")
      ->delimiter(',')
      ->check(CLI::Range(1, 2))
      ->capture_default_str();
  app.add_option("--seconds", options.seconds,
                 "of tuning, a shape and number of threads; 0: take what the database has")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "of measuring, a shape and number of threads")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--rivals", options.rivals, "libraries to compare with")
      ->delimiter(',')
      ->check(CLI::IsMember({"oneDNN", "OpenBLAS", "BLIS", "Eigen"}))
      ->capture_default_str();
  app.add_option("--db", options.db, "database file")->capture_default_str();
  app.add_option("--seed", options.seed, "of the tuning and of the order of the rounds")->capture_default_str();
  app.add_option("--json", options.json, "file for everything as one JSON document");
  app.add_option("--commit", options.commit, "of the source, for the report");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  return run(options);
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  try {
    return nestwright::bench::main_or_throw(argc, argv);
  } catch (const nestwright::UsageError& e) {
    fmt::print(stderr, "bench/matmul: {}\n", e.what());
    return 2;
  } catch (const std::exception& e) {
    fmt::print(stderr, "bench/matmul: {}\n", e.what());
    return 1;
  }
}
