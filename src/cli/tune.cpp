#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdio>

#include "cli/command.h"
#include "cli/exit_code.h"
#include "cli/progress.h"
#include "cli/report.h"
#include "cost_model/cost_model.h"
#include "search/session.h"
#include "search/strategy.h"
#include "support/error.h"
#include "target/peak.h"

namespace nestwright::cli {
namespace {

constexpr double kDefaultSeconds = 60;

std::atomic<bool> interrupted = false;

/// The first signal asks the session to end; a second one ends the process at once.
void on_signal(int) {
  if (interrupted.exchange(true)) _exit(kInterrupted);
}

struct TuneOptions {
  CommonOptions common;
  SessionOptions session;
};

nlohmann::json times_json(const StageTimes& t) {
  const auto seconds = [](std::int64_t ns) { return static_cast<double>(ns) * 1e-9; };
  return {{"start_up", seconds(t.start_up)}, {"propose", seconds(t.propose)}, {"lower", seconds(t.lower)},
          {"features", seconds(t.features)}, {"compile", seconds(t.compile)}, {"check", seconds(t.check)},
          {"measure", seconds(t.measure)},   {"train", seconds(t.train)},     {"log", seconds(t.log)},
          {"race", seconds(t.race)}};
}

nlohmann::json result_json(const SessionResult& result, const Workload& workload) {
  nlohmann::json json = result.best ? to_json(*result.best, workload) : nlohmann::json{{"workload", workload.str()}};
  nlohmann::json outcomes = nlohmann::json::object();
  for (const auto& [outcome, count] : result.outcomes) outcomes[outcome_name(outcome)] = count;
  json["seconds"] = result.seconds;
  json["trials_this_run"] = result.trials;
  json["trials_earlier"] = result.earlier_trials;
  json["trials_per_second"] = result.seconds > 0 ? static_cast<double>(result.trials) / result.seconds : 0;
  json["outcomes"] = std::move(outcomes);
  json["stopped"] = result.stop_reason;
  json["interrupted"] = result.interrupted;
  json["seconds_to_best"] = result.seconds_to_best;
  json["stage_seconds"] = times_json(result.times);
  if (result.model_audit) json["model_rank_correlation"] = *result.model_audit;
  if (result.default_timing && result.best) {
    json["ratio_to_default"] = result.default_timing->median_ns / result.best->timing.median_ns;
  }
  return json;
}

void print_text(const SessionResult& result, const Task& task) {
  fmt::print("{}", to_text(*result.best, task.workload));
  const double float32_peak = measure_fma_peak(task.target.threads);
  const double peak = task.workload.type("dtype") == kFloat64 ? float32_peak / 2 : float32_peak;
  fmt::print("peak      {:.1f}% of the {:.1f} GFLOP/s that this machine reached in a loop of FMAs just now\n",
             100 * result.best->gflops() / peak, peak);
  if (result.default_timing) {
    fmt::print("default   {:.2f} times as fast as the untuned default schedule ({})\n",
               result.default_timing->median_ns / result.best->timing.median_ns,
               format_time(result.default_timing->median_ns));
  }
}

int run(const TuneOptions& options) {
  const Task task = options.common.task();
  TuningLog log = TuningLog::open(options.common.db, OpenMode::kWrite);

  struct sigaction action = {};
  action.sa_handler = on_signal;
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);

  fmt::print(stderr, "tuning {} on {}\n", task.workload.str(), task.target.str());
  ProgressLine line;
  const SessionResult result =
      run_session(task, log, options.session, &interrupted, [&](const Progress& p) { line.show(p); });
  line.finish();
  fmt::print(stderr, "{} trials in {:.1f} s ({:.1f} a second), {} recorded before; {}; stopped: {}\n", result.trials,
             result.seconds, static_cast<double>(result.trials) / result.seconds, result.earlier_trials,
             outcomes_text(result.outcomes), result.stop_reason);

  if (options.common.json) {
    fmt::print("{}\n", result_json(result, task.workload).dump(2));
  } else if (result.best) {
    print_text(result, task);
  }
  if (result.interrupted) return kInterrupted;
  if (!result.best) {
    fmt::print(stderr, "nestwright: no valid candidate was found for {}{}{}: give it more trials or see nestwright space\n",
               task.workload.str(), result.first_failure.empty() ? "" : "; the first failure was ", result.first_failure);
    return kNoValid;
  }
  return kDone;
}

}  // namespace

void add_tune(CLI::App& app, Action& action) {
  auto options = std::make_shared<TuneOptions>();
  options->session.budget.seconds = -1;
  CLI::App* command = app.add_subcommand("tune", "search for the fastest configuration of a workload");
  add_workload(*command, options->common);
  add_db(*command, options->common);
  add_target(*command, options->common);
  add_json(*command, options->common);
  SessionOptions& session = options->session;
  command->add_option("--trials", session.budget.trials, "stop after this many trials of this run")->check(CLI::PositiveNumber);
  command->add_option("--seconds", session.budget.seconds, "stop after this much time of this run (default 60 without --trials)")
      ->check(CLI::PositiveNumber);
  command->add_option("--early-stop", session.budget.early_stop, "stop after this many trials without a better one")
      ->check(CLI::PositiveNumber);
  command->add_option("--strategy", session.strategy, "how points are proposed")
      ->check(CLI::IsMember(strategy_names()))
      ->capture_default_str();
  command->add_option("--cost-model", session.cost_model, "what ranks them")
      ->check(CLI::IsMember(cost_model_names()))
      ->capture_default_str();
  command->add_option("--seed", session.seed, "of everything random")->capture_default_str();
  command->add_option("--batch", session.batch_size, "points proposed at a time")->check(CLI::Range(1, 256))->capture_default_str();
  command->add_option("--finalists", session.finalists, "points in the final race")->check(CLI::Range(1, 64))->capture_default_str();
  command->add_option("--builders", session.builders, "builder processes (default: one a core)")->check(CLI::Range(1, 256));
  command->callback([options, &action] {
    Budget& budget = options->session.budget;
    if (budget.seconds < 0) budget.seconds = budget.trials > 0 ? 0 : kDefaultSeconds;
    action = [options] { return run(*options); };
  });
}

}  // namespace nestwright::cli
