#include "bench/comparison/rounds/options.h"

#include <CLI/CLI.hpp>

#include "target/description/host.h"

namespace nestwright::bench {
namespace {

constexpr const char* kWhat =
    "Times our best kernels side by side with libraries, each in a process of its own, all but the running one "
    "stopped, "
    "in random order, round by round. Exit codes: 0 done, 1 failed, 2 usage.";

/// Option values as text.
struct Names {
  std::string pages = "small", caches = "warm";
  std::vector<std::string> weights = {"plain"};
};

void add_what(CLI::App& app, Options& options) {
  app.add_option("suites", options.suites,
                 "names in bench/suites, or files of that form; default: gemm ragged. The form: {\"summary\": \"...\", "
                 "\"entries\": [{\"label\": \"...\", \"workload\": \"matmul m=8 n=8 k=8\"}, ...]}");
  app.add_option("--workload", options.workloads, "a single workload, e.g. 'matmul m=8 n=8 k=8'; may be repeated")
      ->allow_extra_args(false);
  app.add_option("--suites-folder", options.suites_folder, "where the named suites lie");
  app.add_option("--template", options.template_name,
                 "the only template of ours to tune and to time, e.g. generated.cpu, which serves every operator");
  app.add_option("--rivals", options.rivals, "libraries to compare with; default: all that are there")->delimiter(',');
}

void add_conditions(CLI::App& app, Options& options, Names& names) {
  app.add_option("--threads", options.threads, "numbers of threads")
      ->delimiter(',')
      ->check(CLI::Range(1, host_threads()))
      ->capture_default_str();
  app.add_option(
         "--weights", names.weights,
         "plain: packing is part of every call; prepacked: the second operand is constant; blocked: likewise, and "
         "libraries have all tensors of a convolution in layouts of their own; each in tables of its own")
      ->delimiter(',')
      ->check(CLI::IsMember({"plain", "prepacked", "blocked"}))
      ->capture_default_str();
  app.add_option("--pages", names.pages, "that tensors lie on: small (4 KiB) or huge (2 MiB)")
      ->check(CLI::IsMember({"small", "huge"}))
      ->capture_default_str();
  app.add_option("--caches", names.caches,
                 "warm: call after call on the same tensors; cold: calls cycle through copies of the tensors that are "
                 "together twice as large as the last cache")
      ->check(CLI::IsMember({"warm", "cold"}))
      ->capture_default_str();
}

void add_effort(CLI::App& app, Options& options) {
  app.add_option("--seconds", options.seconds,
                 "of tuning, a workload and number of threads; 0: take what the database has")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--rounds", options.rounds, "of measuring, a workload and number of threads")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of the tuning and of the order of the rounds")->capture_default_str();
}

void add_files(CLI::App& app, Options& options) {
  app.add_option("--db", options.db, "database file")->capture_default_str();
  app.add_option("--results", options.results, "where every comparison is kept as soon as it is done")
      ->capture_default_str();
  app.add_flag(
      "--resume", options.resume,
      "go on with what the results file has, and measure only what it lacks; of another commit, machine or way "
      "of measuring it is refused. Without it results begin anew, and the earlier file is kept as FILE.old");
  app.add_option("--json", options.json, "file for everything as one JSON document");
  app.add_option("--commit", options.commit, "of the source, kept with the results");
}

}  // namespace

std::optional<int> parse_options(int argc, char** argv, const std::string& folder, Options& options) {
  options.db = folder + "/bench.db";
  options.results = folder + "/compare.jsonl";
  Names names;
  CLI::App app(kWhat, "bench/compare");
  add_what(app, options);
  add_conditions(app, options, names);
  add_effort(app, options);
  add_files(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    return app.exit(e) == 0 ? 0 : 2;
  }
  options.pages = parse_pages(names.pages);
  options.caches = parse_caches(names.caches);
  options.weights.clear();
  for (const std::string& name : names.weights) options.weights.push_back(parse_weights(name));
  if (options.suites.empty() && options.workloads.empty()) options.suites = {"gemm", "ragged"};
  return std::nullopt;
}

}  // namespace nestwright::bench
