// The command explain, and what tune says where nothing is right.
#include <gmock/gmock.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "logs/sqlite/database.h"
#include "nestwright/registry.h"
#include "nestwright/target.h"
#include "search/task/timing_lock.h"
#include "support/os/machine_lock.h"
#include "tests/cli/command_line.h"
#include "tests/cli/command_test.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::Not;

class ExplainTest : public CommandTest {
 protected:
  /// Records a session of the small workload on one thread, in which the default took 1000 ns and four of its
  /// neighbours failed.
  void record(const SearchFunnel& funnel = {}) {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    Target target = Target::host();
    target.threads = 1;
    const TaskContext context(Task{parse_workload(kSmallWorkload), target});
    const Config config = record_default(log, context.task(), 1000);
    const Template& source = *context.templates().front();
    const SessionId session = log.begin_session(context.key(), info());
    std::vector<Point> points;
    for (const std::int64_t rows : {1, 2, 3, 4}) {
      points.push_back({source.name, source.version, config});
      points.back().config.set("register_rows", {rows});
      if (points.back().config == config) points.pop_back();
    }
    const Batch batch = log.commit_batch(session, log.next_batch_number(context.key()), points);
    for (std::size_t i = 0; i < batch.ids.size(); ++i) {
      log.record(session, batch.ids[i],
                 failed(Outcome::kWrongResult, "C[0, " + std::to_string(i) + "] is 1, not 2 \x1b[31m"));
    }
    log.describe_space(session, {source.name, source.version}, 12345, false);
    log.set_funnel(session, funnel);
    log.end_session(session, SessionStatus::kDone, "made up");
    failures_ = batch.ids.size();
  }
  CommandOutput explain(const std::string& more = "") {
    return run(std::string("explain ") + kSmallWorkload + " --threads 1 " + more);
  }
  json explained(const std::string& more = "") {
    const CommandOutput ran = explain("--json " + more);
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out);
  }

  std::size_t failures_ = 0;
};

TEST_F(ExplainTest, CountsThePointsOfEachStage) {
  record();
  const json report = explained();
  const auto trials = static_cast<std::int64_t>(failures_) + 1;
  EXPECT_EQ(report["funnel"]["proposed"], trials);
  EXPECT_EQ(report["funnel"]["tried"], trials);
  EXPECT_EQ(report["funnel"]["built"], trials);
  EXPECT_EQ(report["funnel"]["right"], 1);
  EXPECT_EQ(report["funnel"]["confirmed"], 1);
  EXPECT_EQ(report["sessions"].size(), 2);
  EXPECT_EQ(report["best"]["time_ns"]["median"], 1000);
  ASSERT_EQ(report["failures"].size(), 1);
  const json& cause = report["failures"][0];
  EXPECT_EQ(cause["trials"], failures_);
  EXPECT_EQ(cause["outcome"], "wrong_result");
  EXPECT_THAT(cause["command"].get<std::string>(), AllOf(HasSubstr("nestwright measure matmul m=32 n=32 k=32"),
                                                         HasSubstr(" --template matmul.cpu --config '")));
  const CommandOutput text = explain();
  EXPECT_EQ(text.code, 0) << text.err;
  EXPECT_THAT(text.out, AllOf(HasSubstr("funnel"), HasSubstr("wrong_result: C[0, "), HasSubstr("bound by"),
                              HasSubstr("\\x1b[31m"), Not(HasSubstr("\x1b"))));
  EXPECT_EQ(report["bound"]["by"], "unknown");
  EXPECT_EQ(report["bound"]["rest_ns"], nullptr);
  EXPECT_THAT(text.out, Not(HasSubstr("the rest"))) << "without rates, nothing is left of the time";
  EXPECT_EQ(report["match"], "exact");
  EXPECT_THAT(text.out, AllOf(HasSubstr("\nmachine   "), Not(HasSubstr("(not "))));
}

TEST_F(ExplainTest, NamesAnotherMachineAndCompiler) {
  record();
  const std::string db = folder_.file("nestwright.db");
  sqlite::Database(db, db, SQLITE_OPEN_READWRITE, 1000)
      .execute("UPDATE target SET machine = 'another machine', backend = 'LLVM 3.0'");
  EXPECT_THAT(explain().out, AllOf(HasSubstr("\nmachine   another machine (not this machine)\n"),
                                   HasSubstr("\ncompiler  LLVM 3.0 (not LLVM ")));
  const json report = explained();
  EXPECT_EQ(report["machine"], "another machine");
  EXPECT_EQ(report["backend"], "LLVM 3.0");
  EXPECT_EQ(report["match"], "other_machine");
  EXPECT_EQ(report["best"]["match"], "other_machine");
  expect_refusal(explain("--run"), 2, {"--run measures this machine", "another machine"});
}

TEST_F(ExplainTest, ARunWaitsForTheMachineAndTakesItsOwnTime) {
  record();
  const TemporaryFolder locks;
  setenv("NESTWRIGHT_LOCK_DIR", locks.path().c_str(), 1);
  MachineLock other(timing_lock_name(Target::host()));
  unsetenv("NESTWRIGHT_LOCK_DIR");
  std::optional<MachineLock::Hold> hold(other.hold([] { return true; }));
  ASSERT_TRUE(hold->is_granted());
  Command command(words(std::string("explain ") + kSmallWorkload + " --threads 1 --run --json"),
                  {.environment = {"NESTWRIGHT_LOCK_DIR=" + locks.path()}, .folder = folder_.path()});
  EXPECT_TRUE(command.wait_for_error_text("another tuner has the machine: explain --run waits for it"));
  hold.reset();
  const CommandOutput ran = command.wait();
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["bound"]["is_time_of_run"], true);
  EXPECT_NE(report["bound"]["time_ns"], report["best"]["time_ns"]["median"]) << "1000 ns were made up";
  EXPECT_GT(report["bound"]["read_gb_s"], 0);
}

TEST_F(ExplainTest, TheCommandOfAFailureRepeatsIt) {
  record();
  const std::string command = explained()["failures"][0]["command"];
  const std::size_t config = command.find("--config '") + 10;
  CommandOptions options;
  options.folder = folder_.path();
  const std::vector<std::string> arguments =
      words(command.substr(11, command.find(" --config") - 11)) +
      std::vector<std::string>{"--config", command.substr(config, command.find('\'', config) - config), "--json"};
  const CommandOutput measured = run_nestwright(arguments, options);
  ASSERT_EQ(measured.code, 0) << measured.err;  // the failure was made up
  EXPECT_EQ(json::parse(measured.out)["config_text"], explained()["failures"][0]["config_text"]);
}

TEST_F(ExplainTest, EveryValueHasAStatus) {
  record({{{{"matmul.cpu", 4}, {100, 60}, {{"register_rows", {{"6", {9, 8}}}}}}}});
  const json values = explained()["values"];
  EXPECT_GT(values.size(), 50);
  std::set<std::string> statuses;
  for (const json& value : values) {
    const std::string status = value["status"];
    statuses.insert(status);
    EXPECT_EQ(status == "tried", value["trials"] > 0) << value;
    EXPECT_EQ(status == "ruled out", !value["excluded_by"].empty()) << value;
  }
  EXPECT_THAT(statuses, AllOf(::testing::Contains("tried"), ::testing::Contains("ruled out")));
}

TEST_F(ExplainTest, WhySaysWhatBecameOfAValue) {
  record();
  EXPECT_THAT(explain("--why register_rows=2").out, HasSubstr("matmul.cpu register_rows=2: tried "));
  const json values = explained()["values"];
  const auto ruled_out =
      std::find_if(values.begin(), values.end(), [](const json& value) { return value["status"] == "ruled out"; });
  ASSERT_NE(ruled_out, values.end());
  const std::string asked = (*ruled_out)["knob"].get<std::string>() + "=" + (*ruled_out)["value"].get<std::string>();
  const CommandOutput why = explain("--why " + asked);
  EXPECT_THAT(why.out,
              HasSubstr(asked + ": no valid point has it: " + (*ruled_out)["excluded_by"][0][0].get<std::string>()));
  const json as_json = explained("--why " + asked);
  ASSERT_FALSE(as_json.empty());
  EXPECT_EQ(as_json[0]["status"], "ruled out");
}

TEST_F(ExplainTest, AnUnknownKnobOrValueIsRefusedWithTheNearest) {
  record();
  expect_refusal(explain("--why register_row=2"), 2, {"no knob 'register_row'", "did you mean 'register_rows'"});
  expect_refusal(explain("--why register_rows=1000"), 2, {"register_rows=1000 is not a candidate"});
  expect_refusal(explain("--why pack_b=blok"), 2, {"pack_b=blok is not a candidate", "did you mean 'block'"});
  expect_refusal(explain("--why unroll_k"), 2, {"unroll_k"});
  expect_refusal(run_nestwright(words("explain matmul m=32 n=32 k=32 --why") +
                                    std::vector<std::string>{"unroll_k=1 register_rows=2"},
                                {.folder = folder_.path()}),
                 2, {"--why asks for one value"});
}

TEST_F(ExplainTest, NothingRecordedIsNotFound) {
  record();
  expect_refusal(run("explain matmul m=48 n=32 k=32 --threads 1"), 3,
                 {"nothing is recorded for matmul m=48 n=32 k=32", "run nestwright tune matmul m=48"});
  expect_refusal(explain("--caches cold"), 3, {"nothing is recorded for matmul m=32", " --caches cold"});
  expect_refusal(explain("--db none.db"), 5, {"database 'none.db' does not exist"});
}

TEST_F(ExplainTest, AModelHasManyTasks) {
  expect_refusal(run("explain model.onnx"), 2, {"one kernel, not a model", "nestwright model --tasks"});
}

class ExplainedRunTest : public CommandTest {
 protected:
  void SetUp() override { environment_ = {"NESTWRIGHT_PLUGINS=" PLUGINS "/plugin_faulty.so"}; }
};

TEST_F(ExplainedRunTest, ARunWhoseFirstTrialsAllFailEndsAndSaysSo) {
  const CommandOutput tuned = run("tune faulty n=4096 fault=everywhere --threads 1 --trials 90");
  expect_failure(tuned, 4,
                 {"no valid candidate was found for faulty n=4096", "64 of 64 trials: invalid_config: ",
                  "to repeat one: nestwright measure faulty n=4096 fault=everywhere --threads 1 --template faulty.cpu "
                  "--config '",
                  "see nestwright explain faulty n=4096"});
  EXPECT_THAT(tuned.err, HasSubstr("stopped: the first 64 trials all failed"));
  const CommandOutput report = run("explain faulty n=4096 fault=everywhere --threads 1 --json");
  ASSERT_EQ(report.code, 0) << report.err;
  const json parsed = json::parse(report.out);
  EXPECT_EQ(parsed["sessions"][0]["status"], "failed");
  EXPECT_EQ(parsed["sessions"][0]["reason"], "the first 64 trials all failed");
  EXPECT_EQ(parsed["best"], nullptr);
  EXPECT_EQ(parsed["failures"][0]["trials"], 64);
}

}  // namespace
}  // namespace nestwright
