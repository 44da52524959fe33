// Trials of Nestwright's own in the formats of others.

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "tests/logs/exchange/exchanged_files.h"
#include "tests/logs/recorded_runs.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class ExportedRuns : public RecordedRuns {
 protected:
  json exported(const std::string& format) {
    report_ = export_records(path_, filter_of(task_), format, out_);
    return json_of(out_);
  }
  const TemporaryFolder out_folder_;
  const std::string out_ = out_folder_.file("out.json");
  ExportReport report_;
};

TEST_F(ExportedRuns, AreResultsOfT4ThatItsSchemaAccepts) {
  run({timed(2e6), failed(Outcome::kTimeout, "took too long"), failed(Outcome::kCrash, "signal 11")});
  const json file = exported("t4");
  EXPECT_EQ(report_.trials, 3);
  EXPECT_EQ(file["schema_version"], "1.0.0");
  EXPECT_EQ(file["metadata"]["timeunit"], "milliseconds");
  ASSERT_EQ(file["results"].size(), 3u);
  for (const json& result : file["results"]) {
    for (const char* field : {"configuration", "times", "invalidity", "correctness"}) {
      EXPECT_TRUE(result.contains(field)) << field;
    }
    for (const char* time : {"compilation", "framework", "search_algorithm", "validation"}) {
      EXPECT_TRUE(result["times"][time].is_number()) << time;
    }
    for (const json& measurement : result["measurements"]) EXPECT_TRUE(measurement["value"].is_number());
  }
  const json& first = file["results"][0];
  EXPECT_EQ(first["configuration"], json::parse(R"({"template":"matmul.cpu-1","unroll_k":0,"tile_i_0":4,"tile_i_1":2,
                                                     "tile_i_2":14,"pack_b":"yes"})"));
  EXPECT_DOUBLE_EQ(first["measurements"][0]["value"], 2);
  EXPECT_EQ(first["measurements"][1]["name"], "GFLOP/s");
  EXPECT_DOUBLE_EQ(first["times"]["compilation"], 15.5);
  EXPECT_EQ(first["times"]["runtimes"].size(), 3u);
  EXPECT_EQ(file["results"][1]["invalidity"], "timeout");
  EXPECT_EQ(file["results"][2]["invalidity"], "runtime");
}

TEST_F(ExportedRuns, AreACacheWithTheValuesThatTheyHave) {
  run({timed(2e6), failed(Outcome::kWrongResult, "C[0, 0] is 1, not 2")});
  const json file = exported("kernel-tuner");
  EXPECT_EQ(file["kernel_name"], "matmul");
  EXPECT_EQ(file["problem_size"], json::parse("[512,512,512]"));
  EXPECT_EQ(file["tune_params"]["unroll_k"], json::parse("[0,1]"));
  EXPECT_EQ(file["tune_params_keys"][0], "template");
  ASSERT_TRUE(file["cache"].contains("matmul.cpu-1,0,4,2,14,yes")) << file.dump(1);
  EXPECT_DOUBLE_EQ(file["cache"]["matmul.cpu-1,0,4,2,14,yes"]["time"], 2);
  EXPECT_EQ(file["cache"]["matmul.cpu-1,1,4,2,14,yes"]["time"], "RuntimeFailedConfig");
}

TEST_F(ExportedRuns, OfSessionsWithAnotherUnitAreRescaledOrLeftOut) {
  const SessionId first = run({timed(1e6)});
  const TrialId anchor = trials_[0];
  log_.set_anchor(first, anchor, 50);
  run({timed(5e6)});  // without a unit
  const SessionId last = run({timed(3e6)});
  log_.set_anchor(last, anchor, 100);
  const json file = exported("t4");
  ASSERT_EQ(file["results"].size(), 2u);
  EXPECT_DOUBLE_EQ(file["results"][0]["measurements"][0]["value"], 2) << "the anchor takes twice as long now";
  EXPECT_DOUBLE_EQ(file["results"][1]["measurements"][0]["value"], 3);
  EXPECT_EQ(report_.left_out, 1);
}

TEST_F(ExportedRuns, AreInTheUnitOfTheSessionThatBeganLast) {
  const SessionId later = run({timed(1e6)});
  const TrialId anchor = trials_[0];
  log_.set_anchor(later, anchor, 50);
  const SessionId merged = run({timed(3e6)});  // of another database
  log_.set_anchor(merged, anchor, 100);
  sqlite::Database database(path_, path_, SQLITE_OPEN_READWRITE, 1000);
  database.prepare("UPDATE session SET started_at = '2001-01-01T00:00:00.000Z' WHERE id = ?").bind(merged).run();
  const json file = exported("t4");
  ASSERT_EQ(file["results"].size(), 2u);
  EXPECT_DOUBLE_EQ(file["results"][0]["measurements"][0]["value"], 1);
  EXPECT_DOUBLE_EQ(file["results"][1]["measurements"][0]["value"], 1.5);
}

TEST_F(ExportedRuns, OfSeveralTasksNeedANameAndNothingIsWrittenForNone) {
  run({timed(100)});
  run(task_of(matmul(8, 8, 8)), {timed(10)});
  try {
    export_records(path_, every_task(), "t4", out_);
    FAIL() << "two tasks were written into one file";
  } catch (const UsageError& e) {
    EXPECT_THAT(e.what(), HasSubstr("2 tasks in database"));
  }
  TaskFilter none;
  none.workload = "matmul m=1 n=1 k=1";
  EXPECT_EQ(export_records(path_, none, "t4", out_).tasks, 0);
  EXPECT_FALSE(std::filesystem::exists(out_));
  EXPECT_THROW(export_records(path_, every_task(), "csv", out_), UsageError);
}

}  // namespace
}  // namespace nestwright
