// Measures a tuning log of one or ten million trials: SQL copies a trial that the log itself wrote, then the log is
// opened, queried, listed, merged and tuned with as users do. Times are medians; those of shell commands include the
// start of the process, which `nestwright --version` shows on its own.

#include <CLI/CLI.hpp>

#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>

#include "bench/support/child.h"
#include "bench/support/database_files.h"
#include "logs/sqlite/database.h"
#include "lookup/provenance.h"
#include "lookup/task_key.h"
#include "measure/race/timing.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "nestwright/lookup.h"
#include "nestwright/registry.h"
#include "search/space/search_space.h"
#include "space/config_json.h"
#include "support/base/clock.h"
#include "support/os/resident_size.h"

namespace nestwright::bench {
namespace {

constexpr int kRuns = 7;  // of each command

struct Options {
  std::int64_t trials = 1'000'000;
  int tasks = 200;
  std::string file;
  bool keep = false;
};

double seconds_of(const std::function<void()>& action) {
  const std::int64_t start = steady_clock().now_ns();
  action();
  return static_cast<double>(steady_clock().now_ns() - start) * 1e-9;
}

double median_seconds_of(int times, const std::function<void()>& action) {
  std::vector<double> seconds;
  for (int i = 0; i < times; ++i) seconds.push_back(seconds_of(action));
  return median_interval(seconds).median;
}

Task task_number(int number) {
  return {parse_workload(fmt::format("matmul m={} n=512 k=512", 64 + number)), Target::parse("host")};
}

Measurement measured(double ns) {
  Measurement m;
  m.timing.median_ns = ns;
  m.timing.low_ns = 0.99 * ns;
  m.timing.high_ns = 1.01 * ns;
  m.timing.samples_ns = m.timing.raw_ns = m.timing.reference_ns = m.timing.fma_ns = m.timing.walk_ns =
      std::vector<double>(5, ns);
  m.evidence.verified = true;
  return m;
}

/// Makes one session for each task, with its default as the first trial and the winner of a race.
void begin(TuningLog& log, int tasks, std::uint64_t seed) {
  for (int i = 0; i < tasks; ++i) {
    const Task task = task_number(i);
    const Lookup fallback = look_up(task, nullptr);
    const SessionId session = log.begin_session(
        task_key(task), {.seed = seed, .strategy = "s", .cost_model = "c", .made_by = current_provenance(nullptr)});
    const Point point{fallback.source->name, fallback.source->version, fallback.config};
    const TrialId trial = log.record(session, log.commit_batch(session, 0, {point}).ids.at(0), measured(1e6));
    Race race;
    race.entries = {{trial, "finalist", measured(1e6), false, std::vector<double>(7, 1e6)}};
    race.winner = 0;
    log.record_race(session, race);
    log.end_session(session, SessionStatus::kDone, "made up");
  }
}

/// Number of tasks on either side of the queried one that have real configurations, from which it learns.
constexpr int kRealNeighbours = 3;

/// Replaces the configurations of the task that no template has by samples of the space, as long as there are new ones.
void make_real(sqlite::Database& database, int task) {
  const SearchSpace space(task_number(task));
  std::vector<std::int64_t> ids;
  sqlite::Statement select = database.prepare("SELECT id FROM proposal WHERE space_id = ? AND config LIKE 'made_up=%'");
  select.bind(1 + task);
  while (select.step()) ids.push_back(select.integer(0));
  std::mt19937_64 random(static_cast<std::uint64_t>(task));
  sqlite::Transaction transaction(database);
  sqlite::Statement update = database.prepare("UPDATE OR IGNORE proposal SET config = ?, knobs = ? WHERE id = ?");
  for (const std::int64_t id : ids) {
    const auto point = space.sample(random);
    if (!point) break;
    update.bind(point->config.str(), to_json(point->config), id).run();
  }
  transaction.commit();
}

/// Copies the first trial of each task, tasks alternating, with other times and configurations, which are numbered from
/// `first_config` on. Every eighth one failed. Only the middle task and those beside it get configurations that a
/// template has.
void multiply(const std::string& file, std::int64_t trials, int tasks, std::int64_t first_config) {
  sqlite::Database database(file, file, SQLITE_OPEN_READWRITE, 0);
  // The statement at the end counts in one pass what the triggers count row by row.
  sqlite3_db_config(database.connection(), SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, nullptr);
  const std::string numbers = fmt::format(
      "WITH RECURSIVE number(n) AS (SELECT {} UNION ALL SELECT n + 1 FROM number WHERE n < {})", tasks, trials - 1);
  const std::string sql = fmt::format(
      R"sql(PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN;
{0} INSERT INTO batch(session_id, number, runner_session_id, committed_at)
  SELECT 1 + n % {1}, 1 + n / {1}, 1 + n % {1}, 't' FROM number;
{0} INSERT INTO proposal(batch_id, position, space_id, config, knobs, origin)
  SELECT batch.id, 0, 1 + n % {1}, 'made_up=' || (n + {2}), json_object('made_up', n + {2}), 'random' FROM number
  JOIN batch ON batch.session_id = 1 + n % {1} AND batch.number = 1 + n / {1};
INSERT INTO trial(id, proposal_id, session_id, outcome, message, median_ns, low_ns, high_ns, samples_ns, raw_ns,
    reference_ns, fma_ns, walk_ns, ended_early, verified, largest_error, largest_error_ratio, compile_ms, check_ms,
    measure_ms, recorded_at, code)
  SELECT proposal.id, proposal.id, batch.session_id, 0, '', 1e6 + proposal.id % 100000, 1e6, 2e6, first.samples_ns,
    first.raw_ns, first.reference_ns, first.fma_ns, first.walk_ns, 0, 1, 0, 0, 1, 1, 1, first.recorded_at,
    'code' || proposal.id
  FROM proposal JOIN batch ON batch.id = proposal.batch_id JOIN trial AS first ON first.id = 1
  WHERE proposal.config LIKE 'made_up=%';
UPDATE trial SET outcome = 5, message = 'it crashed', median_ns = NULL, low_ns = NULL, high_ns = NULL, verified = 0,
    samples_ns = '[]', raw_ns = '[]', reference_ns = '[]', fma_ns = '[]', walk_ns = '[]'
  WHERE id % 8 = 0 AND id NOT IN (SELECT trial_id FROM race_entry);
UPDATE task SET trials = recorded.trials, spent_ms = recorded.spent_ms
FROM (SELECT session.task_id, count(*) AS trials, sum(compile_ms + check_ms + measure_ms) AS spent_ms
      FROM trial JOIN session ON session.id = trial.session_id GROUP BY 1) AS recorded
WHERE recorded.task_id = task.id;
COMMIT;)sql",
      numbers, tasks, first_config);
  database.execute(sql);
  const int asked = tasks / 2;
  for (int i = std::max(0, asked - kRealNeighbours); i < std::min(tasks, asked + kRealNeighbours + 1); ++i) {
    make_real(database, i);
  }
  database.execute("PRAGMA journal_mode = WAL");
}

/// Runs nestwright; throws unless it exits with 0.
void run_nestwright(std::vector<std::string> words, const std::string& output) {
  const std::string command = words[0];
  words.insert(words.begin(), own_folder() + "/nestwright");
  const ExitStatus status = Child(words, output, "bench-log").wait();
  if (status.signaled || status.code != 0) throw Error(fmt::format("{} failed with {}", command, status.str()));
}

double shell_seconds(const std::vector<std::string>& words, const std::string& output) {
  return median_seconds_of(kRuns, [&] { run_nestwright(words, output); });
}

/// Reads the report of `nestwright tune --trials 1 --json` in `output`. Returns the time until the session had chosen
/// its first candidate, when trials are read, anchors measured and the model is trained.
double seconds_to_first_candidate(const std::string& output) {
  const auto stages = nlohmann::json::parse(std::ifstream(output)).at("stage_seconds");
  double sum = 0;
  for (const char* stage : {"start_up", "propose", "features", "train"}) sum += stages.at(stage).get<double>();
  return sum;
}

void say(const std::string& what, double value, const char* unit) {
  fmt::print("{:<52} {:>10.4g} {}\n", what, value, unit);
  std::fflush(stdout);
}

/// Makes a database; each number makes sessions and configurations of its own.
void make(const Options& options, const std::string& file, int number) {
  remove_database(file);
  {
    TuningLog log = TuningLog::open(file, OpenMode::kWrite);
    begin(log, options.tasks, static_cast<std::uint64_t>(number));
  }
  multiply(file, options.trials, options.tasks, number * options.trials);
}

/// Times reports, and prints their sizes.
void measure_reports(const Options& options, const std::string& workload, const std::string& output) {
  const std::string page = options.file + "-report.html";
  const auto time = [&](const std::string& what, const std::string& tasks) {
    const auto make_report = [&] { run_nestwright({"report", tasks, "--db", options.file, "--out", page}, output); };
    say("nestwright report " + what, median_seconds_of(3, make_report), "s");
    say("  its file", static_cast<double>(std::filesystem::file_size(page)) * 1e-6, "MB");
  };
  time("WORKLOAD", workload);
  time("--all", "--all");
  std::filesystem::remove(page);
}

/// Times the subcommands of `nestwright log`, which change the database.
void measure_log_commands(const Options& options, const std::string& workload, const std::string& output) {
  const auto time = [&](const std::string& what, const std::vector<std::string>& words) {
    say("nestwright log " + what, 1e3 * shell_seconds(words, output), "ms");
  };
  time("sessions", {"log", "sessions", "--db", options.file});
  time("sessions --limit 0", {"log", "sessions", "--limit", "0", "--db", options.file});
  time("trials WORKLOAD", {"log", "trials", workload, "--db", options.file});
  time("trials WORKLOAD --sort time", {"log", "trials", workload, "--sort", "time", "--db", options.file});
  const std::string second = options.file + "-second", both = options.file + "-both";
  make(options, second, 2);
  remove_database(both);
  time("diff", {"log", "diff", options.file, second});
  const auto once = [&](const std::string& what, const std::vector<std::string>& words) {
    say("nestwright log " + what, seconds_of([&] { run_nestwright(words, output); }), "s");
  };
  once("merge of two into a new one", {"log", "merge", options.file, second, "--into", both});
  once("merge of one that is there", {"log", "merge", second, "--into", both});
  once("prune --yes", {"log", "prune", "--yes", "--db", both});
  for (const std::string& file : {second, both}) remove_database(file);
}

int run(Options options) {
  if (options.file.empty()) options.file = own_folder() + "/log-of-many.db";
  fmt::print("{} trials of {} tasks\n", options.trials, options.tasks);
  say("made in", seconds_of([&] { make(options, options.file, 1); }), "s");
  say("file", static_cast<double>(std::filesystem::file_size(options.file)) * 1e-6, "MB");
  say("opened for writing", 1e3 * median_seconds_of(7, [&] { TuningLog::open(options.file, OpenMode::kWrite); }), "ms");
  {
    const ResidentSize own(getpid());
    const std::int64_t before = own.bytes().value_or(0);
    const TuningLog log = TuningLog::open(options.file, OpenMode::kRead);
    const TaskKey key = task_key(task_number(options.tasks / 2));
    say("best of a task, in the process", 1e6 * median_seconds_of(1000, [&] { log.best(filter_of(key)); }), "us");
    say("memory that this took", static_cast<double>(own.bytes().value_or(0) - before) * 1e-6, "MB");
    say("history of a task read", 1e3 * seconds_of([&] { log.history(key, 4096, 64); }), "ms");
    say("trials of a task read", 1e3 * seconds_of([&] { log.trials(filter_of(key)); }), "ms");
  }
  const std::string output = options.file + "-output";
  const std::string workload = task_number(options.tasks / 2).workload.str();
  const double version_s = shell_seconds({"--version"}, output);
  say("nestwright --version", 1e3 * version_s, "ms");
  say("nestwright query WORKLOAD", 1e3 * shell_seconds({"query", workload, "--db", options.file}, output), "ms");
  say("nestwright query (all tasks)", 1e3 * shell_seconds({"query", "--db", options.file}, output), "ms");
  say("nestwright log check", 1e3 * shell_seconds({"log", "check", "--db", options.file}, output), "ms");
  say("nestwright explain WORKLOAD", 1e3 * shell_seconds({"explain", workload, "--db", options.file}, output), "ms");
  measure_reports(options, workload, output);
  measure_log_commands(options, workload, output);
  const std::string fresh = options.file + "-fresh";
  for (const std::string& database : {options.file, fresh}) {
    const std::string name = database == fresh ? "the same with a database of its own" : "nestwright tune --trials 1";
    std::vector<double> first;
    const double all_s = median_seconds_of(kRuns, [&] {
      run_nestwright({"tune", workload, "--trials", "1", "--json", "--db", database}, output);
      first.push_back(version_s + seconds_to_first_candidate(output));
    });
    say(name, 1e3 * all_s, "ms");
    say("  until its first candidate is chosen", 1e3 * median_interval(first).median, "ms");
  }
  for (const std::string& file : {output, output + ".err"}) std::filesystem::remove(file);
  remove_database(fresh);
  if (!options.keep) remove_database(options.file);
  return 0;
}

}  // namespace
}  // namespace nestwright::bench

int main(int argc, char** argv) {
  using namespace nestwright;
  bench::Options options;
  CLI::App app("Times a tuning log of many trials: opening it, querying it, and tuning further.", "bench/log");
  app.add_option("--trials", options.trials, "number of trials")
      ->check(CLI::Range(1, 1'000'000'000))
      ->capture_default_str();
  app.add_option("--tasks", options.tasks, "number of tasks, with equally many trials each")
      ->check(CLI::Range(1, 100'000))
      ->capture_default_str();
  app.add_option("--file", options.file, "database to create (default: beside this program)")->type_name("FILE");
  app.add_flag("--keep", options.keep, "leave the database there");
  CLI11_PARSE(app, argc, argv);
  try {
    return bench::run(options);
  } catch (const std::exception& e) {
    std::fprintf(stderr, "bench/log: %s\n", e.what());
    return 1;
  }
}
