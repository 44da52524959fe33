// revalidate from end to end: what it selects, its verdicts and exit codes, and what it leaves in the database.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "logs/sqlite/database.h"
#include "measure/race/take_reading.h"
#include "measure/race/timing.h"
#include "nestwright/registry.h"
#include "search/task/timing_lock.h"
#include "support/base/clock.h"
#include "support/os/machine_lock.h"
#include "target/measured/fma_loop.h"
#include "target/measured/memory_walk.h"
#include "tests/cli/command_line.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

constexpr int kTries = 20;  // on a machine that is disturbed

std::string plugin(const std::string& name) { return PLUGINS "/plugin_" + name + ".so"; }

/// Tunes until a race is won. Fails where the machine is too disturbed for that.
void tune(const std::string& text, const std::string& db) {
  for (int i = 0; i < kTries; ++i) {
    const CommandOutput ran =
        run_nestwright(words("tune " + text + " --threads 1 --effort quick --require raced --db " + db));
    if (ran.code == 0) return;
    ASSERT_EQ(ran.code, 4) << ran.err;
  }
  FAIL() << "no race was won";
}

/// What the sentinels read on this machine, in ns.
std::vector<double> fma_readings() {
  static const double fastest_ns = [] {
    double ns = std::numeric_limits<double>::infinity();
    for (int i = 0; i < 20; ++i) {
      const std::int64_t start = steady_clock().now_ns();
      run_fma_loop(kSentinelIterations);
      ns = std::min(ns, static_cast<double>(steady_clock().now_ns() - start));
    }
    return ns;
  }();
  return {fastest_ns};
}
std::vector<double> walk_readings() {
  static const double median_ns = [] {
    MemoryWalk walk;
    std::vector<double> ns;
    for (int i = 0; i < 9; ++i) ns.push_back(walk.run());
    return median_interval(ns).median;
  }();
  return {median_ns};
}

/// Each test gets a database with the best of two workloads, which won races at made-up times.
class RevalidateCommandTest : public ::testing::Test {
 protected:
  void SetUp() override { restore(); }
  /// Writes the database anew. All times are as before: the ranges reach from a nanosecond to a second.
  void restore() const {
    for (const char* suffix : {"", "-wal", "-shm"}) std::filesystem::remove(db_ + suffix);
    TuningLog log = TuningLog::open(db_, OpenMode::kWrite);
    for (const char* workload : {"matmul m=32 n=32 k=32", "reduce function=sum shape=64x64 axes=1"}) {
      const Task task{parse_workload(workload), Target::parse("cpu")};
      record_default(log, task, 1000);
      const SessionId session = log.begin_session(task_key(task), {.made_by = current_provenance(nullptr)});
      Race race;
      race.entries = {{.trial = log.best(filter_of(task_key(task)))->trial, .measurement = timed(1000)}};
      Timing& timing = race.entries[0].measurement.timing;
      timing.low_ns = 1;
      timing.high_ns = 1e9;
      timing.fma_ns = fma_readings();
      timing.walk_ns = walk_readings();
      race.winner = 0;
      EXPECT_FALSE(log.record_race(session, race).has_value());
      log.end_session(session, SessionStatus::kDone, "made up");
    }
  }
  void edit(const std::string& sql) const { sqlite::Database(db_, db_, SQLITE_OPEN_READWRITE, 1000).execute(sql); }
  /// Marks all bests as those of another code generator.
  void make_hints() const { edit("UPDATE session SET code_generator = '0123456789abcdef'"); }
  /// Sets the stored time of a workload, in ns, with a narrow range.
  void set_time(const std::string& workload, const std::string& ns) const {
    edit("UPDATE race_entry SET median_ns = " + ns + ", low_ns = " + ns + ", high_ns = " + ns +
         " WHERE race_id IN (SELECT race.id FROM race JOIN task ON task.id = race.task_id JOIN workload ON" +
         " workload.id = task.workload_id WHERE workload.workload = '" + workload + "')");
  }

  CommandOutput run(const std::string& text, const std::vector<std::string>& environment = {}) const {
    return run_nestwright(words("revalidate --db " + db_ + " " + text),
                          {.environment = environment, .folder = folder_.path()});
  }
  /// Runs it until all is decided, each time after `prepare`. Returns the document.
  json decided(const std::string& text, int code, const std::function<void()>& prepare) {
    CommandOutput ran;
    for (int i = 0; i < kTries; ++i) {
      restore();
      prepare();
      ran = run(text + " --json");
      json report = json::parse(ran.out);
      if (report["decided"] != true) continue;
      EXPECT_EQ(ran.code, code) << ran.err;
      return report;
    }
    ADD_FAILURE() << "the machine was disturbed: " << ran.err;
    return {};
  }

  const TemporaryFolder folder_;
  const std::string db_ = folder_.file("copy.db");
};

/// The task of a report with this workload.
json task_of(const json& report, const std::string& workload) {
  for (const json& task : report["tasks"]) {
    if (task["workload"] == workload) return task;
  }
  ADD_FAILURE() << workload << " is not in " << report.dump();
  return {};
}

TEST_F(RevalidateCommandTest, WhereNothingChangedNothingIsRaced) {
  const CommandOutput ran = run("");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(ran.out, "nothing changed since the 2 stored bests were recorded: give --all to race them all the same\n");
  const CommandOutput document = run("--json");
  EXPECT_EQ(document.code, 0);
  const json report = json::parse(document.out);
  EXPECT_EQ(report["format"], "nestwright revalidation 1");
  EXPECT_THAT(report["tasks"], IsEmpty());
  EXPECT_EQ(report["decided"], true);
  EXPECT_EQ(run("--older-than 1h").out.rfind("no stored best that matches was recorded before ", 0), 0U);
}

TEST_F(RevalidateCommandTest, AHintIsRacedAndIsNoneAfterwards) {
  const json report = decided("", 0, [&] { make_hints(); });
  ASSERT_EQ(report["tasks"].size(), 2U);
  for (const json& task : report["tasks"]) {
    EXPECT_EQ(task["verdict"], "as_before");
    EXPECT_EQ(task["changes"], "compiled by another version of the code generator");
    EXPECT_EQ(task["caches"], "warm");
    EXPECT_GT(task["now"]["time_ns"]["median"], 0);
    EXPECT_LT(task["was"]["recorded_at"], task["now"]["recorded_at"]);
    EXPECT_EQ(task["failure"], nullptr);
  }
  EXPECT_EQ(report["counts"]["as_before"], 2);
  EXPECT_EQ(report["regressed"], false);
  EXPECT_EQ(report["only_in_baseline"], nullptr);
  EXPECT_THAT(run("").out, StartsWith("nothing changed"));
  for (const json& best : json::parse(run_nestwright(words("query --json --db " + db_)).out)) {
    EXPECT_EQ(best["hint"], nullptr);
    EXPECT_EQ(best["quality"], "raced");
  }
}

TEST_F(RevalidateCommandTest, ASlowerOneIsARegressionAndAFasterOneIsNot) {
  const json report = decided("--all", 6, [&] {
    set_time("matmul m=32 n=32 k=32", "10.0");
    set_time("reduce function=sum shape=64x64 axes=1", "1e9");
  });
  const json slower = task_of(report, "matmul m=32 n=32 k=32");
  EXPECT_EQ(slower["verdict"], "slower");
  EXPECT_GT(slower["ratio"], 2);
  EXPECT_EQ(slower["changes"], nullptr);
  EXPECT_EQ(task_of(report, "reduce function=sum shape=64x64 axes=1")["verdict"], "faster");
  EXPECT_EQ(report["regressed"], true);
}

TEST_F(RevalidateCommandTest, TheTableAndTheMessageNameTheRegression) {
  CommandOutput ran;
  for (int i = 0; i < kTries && ran.code != 6; ++i) {
    restore();
    set_time("matmul m=32 n=32 k=32", "10.0");
    ran = run_nestwright({"revalidate", "--db", db_, "--workload", "matmul m=32 n=32 k=32"});
  }
  EXPECT_EQ(ran.code, 6);
  EXPECT_THAT(ran.out, AllOf(HasSubstr("workload "), HasSubstr("matmul m=32 n=32 k=32"), HasSubstr("slower"),
                             HasSubstr("1 revalidated in "), Not(HasSubstr("m=16"))));
  EXPECT_THAT(ran.err, AllOf(HasSubstr("1 of 1: matmul m=32 n=32 k=32: "),
                             HasSubstr("1 of 1 stored bests is slower, wrong or fails, the first is matmul m=32"),
                             HasSubstr(" times as long as before)")));
}

TEST_F(RevalidateCommandTest, WhatCannotBeTimedHereIsSkipped) {
  edit(
      "UPDATE workload SET workload = 'clip n=8', op = 'clip' WHERE workload = 'reduce function=sum shape=64x64 "
      "axes=1'");
  edit("UPDATE target SET machine = 'another machine'");
  const CommandOutput ran = run("--all --json --require decided");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["counts"]["skipped"], 2);
  for (const json& task : report["tasks"]) EXPECT_EQ(task["detail"], "it was recorded on another machine");
  edit("UPDATE target SET machine = '" + report["machine"].get<std::string>() + "'");
  const json plugged = json::parse(run("--all --seconds 0.001 --json").out);
  EXPECT_THAT(task_of(plugged, "clip n=8")["detail"], HasSubstr("there is no operator 'clip'"));
}

TEST_F(RevalidateCommandTest, WhatAnotherBackendRecordedIsRacedUnderThisOne) {
  const json report = decided("--op matmul", 0, [&] { edit("UPDATE target SET backend = 'LLVM 3.0'"); });
  ASSERT_EQ(report["tasks"].size(), 1U);
  for (const json& task : report["tasks"]) {
    EXPECT_THAT(task["changes"].get<std::string>(), StartsWith("compiled with LLVM 3.0, not "));
    EXPECT_NE(task["backend"], "LLVM 3.0");
  }
  const json found =
      json::parse(run_nestwright(words("query matmul m=32 n=32 k=32 --threads 1 --exact --json --db " + db_)).out);
  EXPECT_EQ(found["hint"], nullptr);
  EXPECT_EQ(found["source"], "race");
  EXPECT_EQ(found["backend"], report["tasks"][0]["backend"]);
  EXPECT_THAT(run("--seconds 0.001").out, Not(HasSubstr("matmul"))) << "the other one is still a hint";
}

TEST_F(RevalidateCommandTest, WhatTheTimeDoesNotReachIsNotDecided) {
  const CommandOutput ran = run("--all --seconds 0.001 --json");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(json::parse(ran.out)["counts"], (json{{"not_reached", 2}}));
  EXPECT_THAT(run("--all --seconds 0.001").out, HasSubstr("\n0 of 2 revalidated in "));
  const CommandOutput required = run("--all --seconds 0.001 --require decided");
  EXPECT_EQ(required.code, 4);
  EXPECT_THAT(required.out, HasSubstr("not reached: 0.001 seconds were over"));
  EXPECT_THAT(required.err,
              HasSubstr("not everything is decided (--require): give it more time, or a quieter machine"));
}

TEST_F(RevalidateCommandTest, AnotherTunerKeepsTheMachine) {
  const TemporaryFolder locks;
  setenv("NESTWRIGHT_LOCK_DIR", locks.path().c_str(), 1);
  MachineLock other(timing_lock_name(Target::host()));
  unsetenv("NESTWRIGHT_LOCK_DIR");
  const MachineLock::Hold turn = other.hold([] { return true; });
  ASSERT_TRUE(turn.is_granted());
  const CommandOutput ran = run("--all --seconds 0.5 --json", {"NESTWRIGHT_LOCK_DIR=" + locks.path()});
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.err, HasSubstr("1 of 2: matmul m=32 n=32 k=32: another tuner has the machine\n"));
  EXPECT_EQ(json::parse(ran.out)["counts"], (json{{"not_reached", 2}}));
}

TEST_F(RevalidateCommandTest, ABaselineIsWhatTheTimesAreComparedWith) {
  const json before = decided("--op matmul --all", 0, [] {});
  json baseline = before;
  for (json& task : baseline["tasks"]) {
    task["now"]["time_ns"]["low"] = task["now"]["time_ns"]["low"].get<double>() / 10;
    task["now"]["time_ns"]["high"] = task["now"]["time_ns"]["high"].get<double>() * 10;
  }
  const auto write = [&] { std::ofstream(folder_.file("base.json")) << baseline.dump(); };
  write();
  const json same = decided("--op matmul --baseline base.json", 0, [] {});
  for (const json& task : same["tasks"]) {
    EXPECT_EQ(task["verdict"], "as_before");
    EXPECT_EQ(task["was"], task_of(baseline, task["workload"])["now"]) << "that of the file, not of the database";
  }
  EXPECT_THAT(same["only_in_baseline"], IsEmpty());

  for (json& task : baseline["tasks"]) {
    for (json& time : task["now"]["time_ns"]) time = time.get<double>() / 100;
  }
  write();
  EXPECT_EQ(decided("--op matmul --baseline base.json", 6, [] {})["counts"]["slower"], 1);

  baseline["tasks"][0]["workload"] = "matmul m=7 n=7 k=7";
  write();
  const CommandOutput other = run("--baseline base.json --seconds 0.001");
  EXPECT_THAT(other.out, HasSubstr("only in the baseline: matmul m=7 n=7 k=7 on cpu,"));
  EXPECT_EQ(run("--baseline base.json --seconds 0.001 --require decided").code, 4);
}

TEST_F(RevalidateCommandTest, WhatIsTooRecentIsNotMissingFromTheBaseline) {
  std::ofstream(folder_.file("base.json")) << run("--all --seconds 0.001 --json").out;
  const CommandOutput ran = run("--baseline base.json --older-than 30d --require decided");
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_THAT(ran.out, StartsWith("no stored best that matches was recorded before "));
}

TEST_F(RevalidateCommandTest, ABaselineDoesNotTakeATimeOfADisturbedMachine) {
  edit("UPDATE race SET disturbance = 'made up'");
  edit("UPDATE race_entry SET disturbance = 'made up'");
  edit("UPDATE trial SET disturbance = 'made up'");
  json report = json::parse(run("--all --seconds 0.001 --json").out);
  for (const json& task : report["tasks"]) {
    EXPECT_EQ(task["verdict"], "not_reached");
    EXPECT_NE(task["was"], nullptr);
    EXPECT_EQ(task["was_comparable"], false);
  }
  std::ofstream(folder_.file("base.json")) << report.dump();
  report = json::parse(run("--baseline base.json --seconds 0.001 --json").out);
  for (const json& task : report["tasks"]) EXPECT_EQ(task["was"], nullptr);
}

TEST_F(RevalidateCommandTest, AnInterruptionKeepsWhatWasDecided) {
  // No other tuner shares this lock, so that the first line is that of a verdict.
  Command command(words("revalidate --all --effort full --json --db " + db_),
                  {.environment = {"NESTWRIGHT_LOCK_DIR=" + folder_.path()}});
  ASSERT_TRUE(command.wait_for_error_text("1 of 2: "));
  command.signal_group(SIGINT);
  const CommandOutput ran = command.wait();
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_TRUE(command.wait_until_all_exit());
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["interrupted"], true);
  ASSERT_EQ(report["tasks"].size(), 2U);
  EXPECT_NE(report["tasks"][0]["verdict"], "not_reached");
  EXPECT_EQ(report["tasks"][1]["verdict"], "not_reached");
}

TEST_F(RevalidateCommandTest, AKilledRunIsRepeated) {
  make_hints();
  Command command(words("revalidate --effort full --db " + db_),
                  {.environment = {"NESTWRIGHT_LOCK_DIR=" + folder_.path()}});
  ASSERT_TRUE(command.wait_for_error_text("1 of 2: "));
  command.signal(SIGKILL);
  EXPECT_EQ(command.wait().signal, SIGKILL);
  EXPECT_TRUE(command.wait_until_all_exit());
  const CommandOutput again = run("--seconds 0.001 --json");
  EXPECT_EQ(again.code, 0) << again.err;
  const json report = json::parse(again.out);
  EXPECT_GE(report["tasks"].size(), 1U) << "that of the second task is still a hint";
  EXPECT_EQ(run_nestwright(words("log check --db " + db_)).code, 0);
}

using RevalidateTimeTest = RevalidateCommandTest;

TEST_F(RevalidateTimeTest, EndsAfterItsSeconds) {
  const auto start = std::chrono::steady_clock::now();
  const CommandOutput ran = run("--all --effort full --seconds 1");
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(ran.code, 0) << ran.err;
  EXPECT_LT(elapsed.count(), 1 + 3);
}

/// A plugin whose second build computes something else, or nothing, in one configuration.
class RegressingPluginTest : public ::testing::Test {
 protected:
  static constexpr const char* kFaultless = "lanes=4";

  /// Revalidates, with the second build, a best of eight lanes of the first build.
  json second_build(const std::string& fault) {
    const std::string workload = "regressing n=4096 fault=" + fault, db = folder_.file("plugin.db");
    tune(workload + " --trials 2 --plugin " + plugin("regressing"), db);
    sqlite::Database(db, db, SQLITE_OPEN_READWRITE, 1000)
        .execute(
            "UPDATE race SET winner_trial_id = (SELECT trial.id FROM trial JOIN proposal ON proposal.id ="
            " trial.proposal_id WHERE proposal.config = 'lanes=8')");
    const CommandOutput ran =
        run_nestwright(words("revalidate --json --db " + db + " --plugin " + plugin("regressing_2")));
    EXPECT_EQ(ran.code, 6) << ran.err;
    EXPECT_THAT(ran.err, HasSubstr("1 of 1 stored bests is slower, wrong or fails"));
    const CommandOutput found = run_nestwright(
        words("query " + workload + " --threads 1 --json --db " + db + " --plugin " + plugin("regressing_2")));
    const json report = json::parse(ran.out);
    if (report["tasks"][0]["replaced_by"] != nullptr) {  // the machine was not disturbed
      EXPECT_EQ(report["tasks"][0]["replaced_by"]["config_text"], kFaultless);
      EXPECT_EQ(json::parse(found.out)["config_text"], kFaultless);
    }
    return report["tasks"][0];
  }

  const TemporaryFolder folder_;
};

TEST_F(RegressingPluginTest, AWrongBestIsARegression) {
  const json task = second_build("wrong");
  EXPECT_EQ(task["verdict"], "wrong");
  EXPECT_EQ(task["config_text"], "lanes=8");
  EXPECT_THAT(task["changes"].get<std::string>(), StartsWith("the plugin regressing was 1.0 "));
  EXPECT_EQ(task["now"], nullptr);
}

TEST_F(RegressingPluginTest, ABestThatIsNotCompiledAnyMoreIsARegression) {
  const json task = second_build("throws");
  EXPECT_EQ(task["verdict"], "fails");
  EXPECT_THAT(task["detail"].get<std::string>(), HasSubstr("this build does not have eight lanes"));
}

TEST_F(RegressingPluginTest, WithoutThePluginItIsSkipped) {
  const std::string db = folder_.file("plugin.db");
  tune("regressing n=4096 fault=wrong --trials 2 --plugin " + plugin("regressing"), db);
  const CommandOutput ran = run_nestwright(words("revalidate --json --db " + db));
  EXPECT_EQ(ran.code, 0) << ran.err;
  const json task = json::parse(ran.out)["tasks"][0];
  EXPECT_EQ(task["verdict"], "skipped");
  EXPECT_THAT(task["detail"].get<std::string>(), HasSubstr("there is no operator 'regressing'"));
}

TEST_F(RevalidateCommandTest, WrongUsageIsRefused) {
  expect_refusal(run("--tolerance 101%"), 2, {"--tolerance", "give a percentage from 0% to 100%", "not '101%'"});
  expect_refusal(run("--tolerance -1"), 2, {"--tolerance"});
  expect_refusal(run("--older-than 30"), 2, {"--older-than", "or an age such as 2w, 30d, 12h or 45min, not '30'"});
  expect_refusal(run("--seconds 0"), 2, {"--seconds"});
  expect_refusal(run("--effort huge"), 2, {"--effort"});
  expect_refusal(run("--require raced"), 2, {"--require"});
  expect_refusal(run("--workload nothing"), 2, {"there is no operator 'nothing'"});
  expect_refusal(run("--baseline none.json"), 2,
                 {"file 'none.json' cannot be read: write one with nestwright revalidate --all --json > FILE"});
  std::ofstream(folder_.file("base.json")) << "[]";
  expect_refusal(run("--baseline base.json"), 2, {"baseline 'base.json' is not what revalidate --json prints"});
}

TEST_F(RevalidateCommandTest, WithoutRecordsNothingIsFound) {
  const CommandOutput other = run_nestwright({"revalidate", "--db", db_, "--workload", "matmul m=7 n=7 k=7"});
  expect_refusal(other, 3, {"nothing that matches is recorded in", "run nestwright tune first"});
  const std::string missing = folder_.file("missing.db");
  expect_refusal(run_nestwright(words("revalidate --db " + missing)), 5, {"missing.db"});
  EXPECT_FALSE(std::filesystem::exists(missing)) << "it is not created";
}

}  // namespace
}  // namespace nestwright
