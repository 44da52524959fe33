// query on a database with known content: kinds of matches, listings and their filters, exit codes.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "logs/sqlite/database.h"
#include "lookup/provenance.h"
#include "nestwright/registry.h"
#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class QueryTest : public ::testing::Test {
 protected:
  void SetUp() override {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    record("matmul m=64 n=64 k=64", "cpu,isa=x86-64", 20'000, log);
    record("matmul m=64 n=64 k=64", "cpu,isa=x86-64,threads=2", 12'000, log);
    record("matmul m=64 n=64 k=64 dtype=float64", "cpu,isa=x86-64", 40'000, log);
    record("matmul m=256 n=256 k=256", "cpu,isa=x86-64", 900'000, log);
  }

  static void record(const std::string& workload, const std::string& target, double median_ns, TuningLog& log) {
    record_default(log, {parse_workload(workload), Target::parse(target)}, median_ns);
  }

  CommandOutput query(const std::string& text) {
    return run_nestwright(words("query " + text), {.folder = folder_.path()});
  }
  json document(const std::string& text) {
    const CommandOutput ran = query(text + " --json");
    EXPECT_EQ(ran.code, 0) << ran.err;
    return json::parse(ran.out);
  }

  const TemporaryFolder folder_;
};

TEST_F(QueryTest, Exact) {
  const json found = document("matmul m=64 n=64 k=64 --target cpu,isa=x86-64 --exact");
  EXPECT_EQ(found["match"], "exact");
  EXPECT_EQ(found["workload"], "matmul m=64 n=64 k=64");
  EXPECT_EQ(found["template"], "matmul.cpu");
  EXPECT_EQ(found["time_ns"], (json{{"median", 20'000.0}, {"low", 18'000.0}, {"high", 1.03 * (1.02 * 20'000)}}));
  EXPECT_TRUE(found["fma_ns"].is_number());
  EXPECT_TRUE(found["walk_ns"].is_number());
  EXPECT_DOUBLE_EQ(found["gflops"].get<double>(), 2.0 * 64 * 64 * 64 / 20'000);
  EXPECT_EQ(found["verified"], true);
  EXPECT_EQ(found["trials"], 1);
  EXPECT_FALSE(found.contains("recorded_for"));
  EXPECT_TRUE(found["config"].is_object());
}

TEST_F(QueryTest, NearestSaysWhatItWasRecordedFor) {
  const json found = document("matmul m=128 n=64 k=64 --target cpu,isa=x86-64");
  EXPECT_EQ(found["match"], "nearest");
  EXPECT_EQ(found["workload"], "matmul m=128 n=64 k=64");
  EXPECT_EQ(found["recorded_for"], "matmul m=64 n=64 k=64");
  const CommandOutput text = query("matmul m=128 n=64 k=64 --target cpu,isa=x86-64");
  EXPECT_THAT(text.out, HasSubstr("nearest: recorded for matmul m=64 n=64 k=64"));
  EXPECT_THAT(text.out, HasSubstr("for the recorded shape"));
}

TEST_F(QueryTest, EachStateOfTheCachesHasItsOwnRecords) {
  const std::string asked = "matmul m=64 n=64 k=64 --target cpu,isa=x86-64";
  EXPECT_EQ(document(asked)["caches"], "warm");
  const json before = document(asked + " --caches cold");
  EXPECT_EQ(before["match"], "default");
  EXPECT_EQ(before["caches"], "cold");
  EXPECT_THAT(query(asked + " --caches cold").out,
              HasSubstr("default: the database has no record that fits it with cold caches, but one with warm caches"));
  EXPECT_THAT(query(asked + " --caches cold").out,
              AllOf(HasSubstr("run nestwright tune matmul m=64 n=64 k=64 --target cpu,isa=x86-64"),
                    HasSubstr(" --caches cold\n")));
  EXPECT_EQ(query(asked + " --caches cold --top 3").code, 3);
  {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    record_default(log, {parse_workload("matmul m=64 n=64 k=64"), Target::parse("cpu,isa=x86-64"), CacheState::kCold},
                   90'000);
  }
  const json after = document(asked + " --caches cold --exact");
  EXPECT_EQ(after["time_ns"]["median"], 90'000.0);
  EXPECT_EQ(after["caches"], "cold");
  EXPECT_EQ(document(asked)["time_ns"]["median"], 20'000.0) << "of warm ones";
  EXPECT_EQ(document(asked + " --caches cold --top 3").size(), 1u);
  EXPECT_THAT(query(asked + " --caches cold").out, HasSubstr("\ncaches    cold\n"));
  EXPECT_THAT(query(asked).out, ::testing::Not(HasSubstr("caches")));
  EXPECT_THAT(query("").out, HasSubstr("cpu,isa=x86-64,threads=1"));
  EXPECT_THAT(query("--caches cold").out, HasSubstr(" --caches cold\n"));
  EXPECT_EQ(document("--caches cold").size(), 1u);
  const CommandOutput hot = query(asked + " --caches hot");
  EXPECT_EQ(hot.code, 2);
}

TEST_F(QueryTest, DefaultWhereNothingFits) {
  const json found = document("matmul m=64 n=64 k=64 ta=1 --target cpu,isa=x86-64");
  EXPECT_EQ(found["match"], "default");
  EXPECT_TRUE(found["time_ns"].is_null());
  EXPECT_EQ(found["verified"], false);
  EXPECT_EQ(found["trials"], 0);
  EXPECT_GT(found["config"].size(), 5u);
}

TEST_F(QueryTest, ExactOptionExitsWithThreeWithoutAMatch) {
  const CommandOutput near = query("matmul m=128 n=64 k=64 --target cpu,isa=x86-64 --exact");
  expect_refusal(near, 3, {"nothing is recorded for matmul m=128", "run nestwright tune, or drop --exact"});
  const CommandOutput near_json = query("matmul m=128 n=64 k=64 --target cpu,isa=x86-64 --exact --json");
  expect_refusal(near_json, 3, {"nothing is recorded"});
}

TEST_F(QueryTest, ARecordOfAnotherMachineIsNotExact) {
  const Task task{parse_workload("matmul m=96 n=96 k=96"), Target::parse("cpu,isa=x86-64")};
  {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    record_default(log, task, 50'000);
  }
  sqlite::Database database(folder_.file("nestwright.db"), folder_.file("nestwright.db"), SQLITE_OPEN_READWRITE, 1000);
  database.execute("UPDATE target SET machine = 'another machine'");
  const std::string asked = "matmul m=96 n=96 k=96 --target cpu,isa=x86-64";
  const json found = document(asked);
  EXPECT_EQ(found["match"], "other_machine");
  EXPECT_EQ(found["machine"], "another machine");
  EXPECT_EQ(document(asked + " --top 1").at(0)["match"], "other_machine");
  EXPECT_EQ(document("--op matmul").at(0)["match"], "other_machine");
  EXPECT_THAT(query(asked).out, HasSubstr("match     other_machine: recorded on the machine below, not here\n"));
  expect_refusal(
      query(asked + " --exact"), 3,
      {"nothing is recorded for matmul m=96 n=96 k=96 on cpu,isa=x86-64", " that was tuned on this machine"});
}

TEST_F(QueryTest, AHintSaysWhy) {
  const std::string asked = "matmul m=64 n=64 k=64 --target cpu,isa=x86-64";
  EXPECT_TRUE(document(asked)["hint"].is_null());
  sqlite::Database database(folder_.file("nestwright.db"), folder_.file("nestwright.db"), SQLITE_OPEN_READWRITE, 1000);
  database.execute("UPDATE session SET microcode = 'of last year'");
  EXPECT_THAT(document(asked)["hint"].get<std::string>(),
              ::testing::StartsWith("the microcode was of last year, and is "));
  database.execute("UPDATE session SET microcode = '', code_generator = '0123456789abcdef'");
  EXPECT_EQ(document(asked)["hint"], "compiled by another version of the code generator");
  EXPECT_THAT(query(asked).out,
              HasSubstr(", a hint until it is tuned again (compiled by another version of the code generator), "));
}

TEST_F(QueryTest, AnOperatorWithoutRecords) {
  const std::string empty = folder_.file("empty.db");
  TuningLog::open(empty, OpenMode::kWrite);
  for (const std::string more : {"", " --json", " --exact", " --top 3"}) {
    expect_refusal(query("matmul m=64 n=64 k=64 --db " + empty + more), 3, {"nothing", "run nestwright tune"});
  }
  expect_refusal(query("--db " + empty), 3, {"nothing that matches is recorded in", "run nestwright tune first"});
}

TEST_F(QueryTest, ListsAndFilters) {
  EXPECT_EQ(document("").size(), 4u);
  EXPECT_EQ(document("--op matmul").size(), 4u);
  EXPECT_EQ(document("--dtype float64").size(), 1u);
  EXPECT_EQ(document("--threads 2").size(), 1u);
  EXPECT_EQ(document("--threads 2")[0]["time_ns"]["median"], 12'000.0);
  EXPECT_EQ(document("--target cpu,isa=x86-64").size(), 3u);
  EXPECT_EQ(document("--target cpu,isa=x86-64 --dtype float32").size(), 2u);
  expect_refusal(query("--threads 7"), 3, {"nothing that matches"});
}

TEST_F(QueryTest, AListingHasOneLinePerTask) {
  const CommandOutput ran = query("");
  EXPECT_EQ(std::count(ran.out.begin(), ran.out.end(), '\n'), 4);
  EXPECT_THAT(ran.out, HasSubstr("matmul m=256 n=256 k=256"));
  EXPECT_THAT(ran.out, HasSubstr("900 us"));
}

TEST_F(QueryTest, TopIsAlwaysAList) {
  for (const std::string number : {"1", "5"}) {
    const json found = document("matmul m=64 n=64 k=64 --target cpu,isa=x86-64 --top " + number);
    ASSERT_TRUE(found.is_array());
    EXPECT_EQ(found.size(), 1u) << "one trial was recorded";
    EXPECT_EQ(found[0]["time_ns"]["median"], 20'000.0);
  }
  EXPECT_EQ(document("--top 3").size(), 4u);
  expect_refusal(query("matmul m=65 n=64 k=64 --target cpu,isa=x86-64 --top 2"), 3, {"nothing is recorded for"});
}

TEST_F(QueryTest, ReportsTheEvidence) {
  const std::string asked = "matmul m=64 n=64 k=64 --target cpu,isa=x86-64";
  const json confirmed = document(asked);
  EXPECT_EQ(confirmed["source"], "confirmed");
  EXPECT_EQ(confirmed["from_race"], false);
  EXPECT_EQ(confirmed["by_old_rule"], false);
  EXPECT_TRUE(confirmed["process_medians_ns"].empty());
  EXPECT_THAT(query(asked).out, HasSubstr("evidence  last confirmed incumbent, not raced, 1 trials, "));

  TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
  const Task task{parse_workload("matmul m=64 n=64 k=64"), Target::parse("cpu,isa=x86-64")};
  const TaskKey key = task_key(task);
  const TrialRecord stored = log.trials(filter_of(key)).at(0);
  const SessionId session = log.begin_session(key, {.made_by = current_provenance(nullptr)});
  Point other = stored.point;
  other.config.set("synthetic", {1});
  const TrialId rival = log.record(session, log.commit_batch(session, 9, {other}).ids.at(0), timed(21'000));
  Race race;
  race.entries = {{stored.id, "finalist", timed(20'500), false, {20'400, 20'500, 20'600}},
                  {rival, "finalist", timed(20'400), true, {}}};
  race.winner = 0;
  ASSERT_FALSE(log.record_race(session, race));
  const json kept = document(asked);
  EXPECT_EQ(kept["source"], "race");
  EXPECT_EQ(kept["from_race"], true);
  EXPECT_EQ(kept["kept"], true);
  EXPECT_EQ(kept["ties"], 1);
  EXPECT_EQ(kept["process_medians_ns"], (json{20'400.0, 20'500.0, 20'600.0}));
  EXPECT_THAT(
      query(asked).out,
      HasSubstr("evidence  winner of the final race (stored best, kept on a tie with 1), timed in 3 processes, 2 "
                "trials, "));

  race.entries[1].tied = false;
  ASSERT_FALSE(log.record_race(session, race));
  EXPECT_THAT(query(asked).out, HasSubstr("winner of the final race (stored best, kept), "));
  race.winner = 1;
  race.entries[0].tied = true;
  ASSERT_FALSE(log.record_race(session, race));
  EXPECT_THAT(query(asked).out, HasSubstr("winner of the final race (by a tie with 1), "));
}

TEST_F(QueryTest, AnOldRuleIsAHint) {
  const std::string file = folder_.file("nestwright.db");
  sqlite::Database(file, file, SQLITE_OPEN_READWRITE, 1000)
      .execute("UPDATE session SET rule = 1, incumbent_trial_id = NULL");
  const std::string asked = "matmul m=64 n=64 k=64 --target cpu,isa=x86-64";
  EXPECT_EQ(document(asked)["source"], "unconfirmed");
  EXPECT_EQ(document(asked)["by_old_rule"], true);
  EXPECT_THAT(query(asked).out, HasSubstr("evidence  fastest trial of its session, not confirmed, a hint until it is "
                                          "tuned again (scored by an older rule), 1 trials, "));
}

TEST_F(QueryTest, LowerUsesTheBestKnown) {
  const CommandOptions here{.folder = folder_.path()};
  const CommandOutput exact = run_nestwright(words("lower matmul m=64 n=64 k=64 --target cpu,isa=x86-64"), here);
  EXPECT_EQ(exact.code, 0) << exact.err;
  EXPECT_THAT(exact.err, HasSubstr("match     exact"));
  EXPECT_THAT(exact.out, HasSubstr("program matmul(A: float32[64, 64], B: float32[64, 64]) -> (C: float32[64, 64])"));
  const CommandOutput none = run_nestwright(words("lower matmul m=64 n=64 k=64 ta=1 --target cpu,isa=x86-64"), here);
  EXPECT_THAT(none.err, HasSubstr("match     default"));
}

}  // namespace
}  // namespace nestwright
