// Figure: whether tuning ends in its time with an answer, whatever the machine does, how soon the first trial is done,
// and how good the answers beside busy processes are.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "bench/figures/machine/load.h"
#include "bench/figures/report/options.h"
#include "bench/figures/tunings/budget_run.h"
#include "bench/figures/tunings/side_by_side.h"
#include "bench/support/child.h"
#include "measure/race/race_finalists.h"
#include "support/base/clock.h"

namespace nestwright::bench {
namespace {

constexpr double kOverrunBar = 0.05;                 // 95th percentile of the share by which a run exceeds its budget
constexpr double kFirstBar_s = 1, kLateFirst_s = 3;  // median and 95th percentile of the time until the first trial
constexpr double kRegretBar = 1.15, kLateRegret = 1.4;  // the same of the time beside busy processes to that without

struct BudgetOptions {
  int runs = 60, expressions = 200, regrets = 20;
  TuningsOptions tunings{.seconds = 30, .executable = own_nestwright(), .out = own_folder() + "/trust-budget"};
};

/// Busy processes on the processors 0, 1, ...
std::vector<std::unique_ptr<Load>> keep_busy(int processes) {
  std::vector<std::unique_ptr<Load>> loads;
  for (int cpu = 0; cpu < processes; ++cpu) {
    loads.push_back(std::make_unique<Load>(LoadKind::kCore, LoadOptions{.idle_ms = 0, .cpu = cpu}));
  }
  return loads;
}

/// Runs `nestwright tune` with an empty database. Returns its report with "wall_s" and "exit_code"; a run without a
/// report has these only.
nlohmann::json tune(const BudgetOptions& options, const TuningStore& store, const std::string& name,
                    std::vector<std::string> words, int busy) {
  if (std::optional<nlohmann::json> kept = store.find(name)) return *kept;
  for (const char* suffix : {".db", ".db-wal", ".db-shm"}) std::filesystem::remove(store.path(name + suffix));
  words.insert(words.begin(), {options.tunings.executable, "tune"});
  words.insert(words.end(), {"--db", store.path(name + ".db"), "--json"});
  const auto loads = keep_busy(busy);
  const std::int64_t start = steady_clock().now_ns();
  const ExitStatus status = Child(words, store.path(name + ".tune"), "trust").wait();
  const double wall_s = static_cast<double>(steady_clock().now_ns() - start) * 1e-9;
  for (const auto& load : loads) load->check_running();
  std::ifstream output(store.path(name + ".tune"));
  nlohmann::json report = nlohmann::json::parse(output, nullptr, false);
  if (!report.is_object()) report = nlohmann::json::object();
  report["wall_s"] = wall_s;
  report["exit_code"] = status.signaled ? -1 : status.code;
  store.put(name, report);
  return report;
}

bool has_answer(const nlohmann::json& report) {
  return report.at("exit_code") == 0 && report.contains("time_ns") && !report.at("time_ns").is_null();
}

void add_runs(const BudgetOptions& options, const TuningStore& store, FigureReport& report) {
  if (options.runs == 0) return;
  std::vector<double> overruns;
  int late = 0, unanswered = 0;
  for (int i = 0; i < options.runs; ++i) {
    const BudgetRun run = draw_budget_run(static_cast<std::uint64_t>(i));
    std::vector<std::string> words = run.workload;
    words.insert(words.end(), {"--seconds", fmt::format("{}", run.seconds), "--threads", std::to_string(run.threads)});
    const nlohmann::json result = tune(options, store, fmt::format("run{}", i), words, run.busy);
    const double wall_s = result.at("wall_s");
    overruns.push_back(wall_s / run.seconds - 1);
    late += wall_s > allowed_seconds(run.seconds) ? 1 : 0;
    unanswered += has_answer(result) ? 0 : 1;
    fmt::print(stderr, "{}, {} threads, {} busy: {:.1f} of {} s, {}\n", fmt::join(run.workload, " "), run.threads,
               run.busy, wall_s, run.seconds, result.value("quality", "no answer"));
    report.details["runs"].push_back({{"workload", run.workload},
                                      {"threads", run.threads},
                                      {"seconds", run.seconds},
                                      {"busy", run.busy},
                                      {"wall_s", wall_s},
                                      {"quality", result.value("quality", "")}});
  }
  report.rows.push_back(row_at_most("overrun, 95th percentile", percentile(overruns, 0.95), kOverrunBar, "%"));
  report.rows.push_back(row_at_most("runs of " + std::to_string(options.runs) + " beyond what is allowed", late, 0));
  report.rows.push_back(row_at_most("runs without an answer", unanswered, 0));
}

void add_first_trials(const BudgetOptions& options, const TuningStore& store, FigureReport& report) {
  if (options.expressions == 0) return;
  std::vector<double> delays;
  for (int i = 0; i < options.expressions; ++i) {
    std::vector<std::string> words = draw_expression(static_cast<std::uint64_t>(i));
    words.insert(words.end(), {"--trials", "1", "--seconds", "10", "--finalists", "0"});
    const nlohmann::json result = tune(options, store, fmt::format("first{}", i), words, 0);
    delays.push_back(result.at("wall_s"));
    report.details["first"].push_back({{"words", words}, {"wall_s", result.at("wall_s")}});
  }
  report.rows.push_back(row_at_most("first trial, median", percentile(delays, 0.5), kFirstBar_s, "s"));
  report.rows.push_back(row_at_most("first trial, 95th percentile", percentile(delays, 0.95), kLateFirst_s, "s"));
}

bool holds(const TunedConfig& interval, double ns) { return interval.low_ns <= ns && ns <= interval.high_ns; }

void add_regrets(const BudgetOptions& options, const TuningStore& store, FigureReport& report) {
  if (options.regrets == 0) return;
  std::vector<double> regrets, reported;
  int within = 0, within_now = 0, alone_within_now = 0;
  for (int i = 0; i < options.regrets; ++i) {
    const BudgetRun run = draw_budget_run(static_cast<std::uint64_t>(100 + i));
    std::vector<std::string> words = run.workload;
    words.insert(words.end(),
                 {"--seconds", fmt::format("{}", options.tunings.seconds), "--threads", std::to_string(run.threads)});
    const nlohmann::json quiet = tune(options, store, fmt::format("quiet{}", i), words, 0);
    const nlohmann::json busy = tune(options, store, fmt::format("busy{}", i), words, 2);
    if (!has_answer(quiet) || !has_answer(busy)) continue;
    SideBySide beside_each_other(host_task(fmt::format("{}", fmt::join(run.workload, " ")), run.threads));
    const TunedConfig alone = tuned_config(quiet), beside = tuned_config(busy);
    const std::vector<Timing> raced = beside_each_other.race({alone, beside});
    const double ratio = ratio_between(raced[1], raced[0]).median;
    const double quiet_ns = alone.median_ns * ratio;
    regrets.push_back(ratio);
    reported.push_back(std::abs(std::log(beside.median_ns / quiet_ns)));
    within += holds(beside, quiet_ns) ? 1 : 0;
    within_now += holds(beside, raced[1].median_ns) ? 1 : 0;
    alone_within_now += holds(alone, raced[0].median_ns) ? 1 : 0;
    report.details["regret"].push_back({{"workload", run.workload},
                                        {"threads", run.threads},
                                        {"ratio", ratio},
                                        {"reported_ns", beside.median_ns},
                                        {"low_ns", beside.low_ns},
                                        {"high_ns", beside.high_ns},
                                        {"quiet_ns", quiet_ns},
                                        {"raced_ns", raced[1].median_ns},
                                        {"alone_ns", alone.median_ns},
                                        {"alone_low_ns", alone.low_ns},
                                        {"alone_high_ns", alone.high_ns},
                                        {"alone_raced_ns", raced[0].median_ns},
                                        {"quality", busy.value("quality", "")}});
  }
  if (regrets.empty()) return;
  const auto share = [&](int count) { return count / static_cast<double>(regrets.size()); };
  report.rows.push_back(
      row_at_most("beside two busy processes: time of the answer on the quiet machine, times that of "
                  "a quiet run, median",
                  percentile(regrets, 0.5), kRegretBar));
  report.rows.push_back(row_at_most("the same, 95th percentile", percentile(regrets, 0.95), kLateRegret));
  report.rows.push_back(
      row_at_most("its reported time, times the quiet one, median", std::exp(percentile(reported, 0.5)), kRegretBar));
  report.rows.push_back(row_at_most("the same, 95th percentile", std::exp(percentile(reported, 0.95)), kLateRegret));
  report.rows.push_back(row_at_least("its interval holds the quiet time", share(within), 0.9, "%"));
  report.rows.push_back(
      row_of("its interval holds the time of its kernel in a race afterwards", share(within_now), "%"));
  report.rows.push_back(
      row_of("the interval of the quiet run holds the time of its kernel in that race", share(alone_within_now), "%"));
}

void run(const BudgetOptions& options, const Publication& publication) {
  const Tunings tunings(options.tunings.executable, options.tunings.out, options.tunings.seconds);
  FigureReport report{.figure = "budget",
                      .conditions = {{"nestwright", options.tunings.executable},
                                     {"runs", options.runs},
                                     {"expressions", options.expressions},
                                     {"regrets", options.regrets},
                                     {"seconds", options.tunings.seconds}}};
  add_runs(options, tunings.store(), report);
  add_first_trials(options, tunings.store(), report);
  add_regrets(options, tunings.store(), report);
  publish(report, publication);
}

}  // namespace

void add_budget_figure(CLI::App& app, Action& action) {
  auto options = std::make_shared<BudgetOptions>();
  CLI::App* command = app.add_subcommand(
      "budget",
      "random workloads with 2 to 30 seconds beside no, one and two busy processes: how long they take, whether they "
      "answer, and how far the answers are from those of a quiet machine");
  const auto add_count = [&](const char* name, int& count, const char* what) {
    command->add_option(name, count, what)->check(CLI::NonNegativeNumber)->capture_default_str();
  };
  add_count("--runs", options->runs, "tunings on a budget");
  add_count("--expressions", options->expressions, "expressions whose first trial is timed");
  add_count("--regrets", options->regrets, "workloads that are tuned without and beside two busy processes");
  add_tunings_options(*command, options->tunings);
  run_when_chosen(*command, action, options, run);
}

}  // namespace nestwright::bench
