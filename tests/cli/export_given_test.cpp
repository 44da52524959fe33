// export of a configuration given by hand, and of one trial of the database.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command_test.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using nlohmann::json;

class ExportGivenTest : public CommandTest {
 protected:
  void SetUp() override {
    TuningLog log = TuningLog::open(folder_.file("nestwright.db"), OpenMode::kWrite);
    task_.target.threads = 1;
    config_ = record_default(log, task_, 20'000);
    const TaskKey key = task_key(task_);
    const SessionId session = log.begin_session(key, info());
    const Lookup fallback = look_up(task_, nullptr);
    Config other = config_;
    other.set("unroll_k", {1});
    const Batch batch = log.commit_batch(session, 7, {{fallback.source->name, fallback.source->version, other}});
    Measurement failed;
    failed.outcome = Outcome::kWrongResult;
    failed.message = "element 3 differs";
    failed_ = log.record(session, batch.ids.at(0), failed);
  }

  json manifest(const std::string& options) {
    const CommandOutput ran = run("export matmul m=32 n=32 k=32 --threads 1 --unchecked --out out --name f " + options);
    EXPECT_EQ(ran.code, 0) << ran.err;
    std::ifstream file(folder_.file("out/f_manifest.json"));
    return json::parse(file);
  }

  Task task_{parse_workload("matmul m=32 n=32 k=32"), Target::host()};
  Config config_;
  TrialId failed_ = 0;
};

TEST_F(ExportGivenTest, AConfigurationByHand) {
  const json written = manifest("--config unroll_k=2");
  EXPECT_EQ(written["match"], "given");
  EXPECT_EQ(written["config"]["unroll_k"], 2);
  EXPECT_TRUE(written["time_ns"].is_null());
}

TEST_F(ExportGivenTest, ATrialOfTheDatabase) {
  const json written = manifest("--trial 1");
  EXPECT_EQ(written["match"], "exact");
  EXPECT_EQ(written["config_text"], config_.str());
  EXPECT_EQ(written["time_ns"]["median"], 20'000.0);
  EXPECT_EQ(written["evidence"]["source"], "trial");
  EXPECT_TRUE(written["hint"].is_null());
  EXPECT_EQ(written["verified"], true);
}

TEST_F(ExportGivenTest, OfAHintTheReasonIsNotedAndNothingIsCalledVerified) {
  {
    TuningLog log = TuningLog::open(folder_.file("hints.db"), OpenMode::kWrite);
    RecordProvenance made_by = current_provenance(nullptr);
    made_by.plugins = {"rows 1.0 0123456789abcdef"};
    record_default(log, task_, 20'000, made_by);
  }
  const std::string reason = "the plugin rows was 1.0 0123456789abcdef, and is not loaded";
  const std::string command = "export matmul m=32 n=32 k=32 --threads 1 --unchecked --out out --name f --db hints.db";
  for (const std::string more : {"", " --exact", " --trial 1"}) {
    const CommandOutput ran = run(command + more);
    ASSERT_EQ(ran.code, 0) << ran.err;
    EXPECT_EQ(ran.err, "nestwright: the record of matmul m=32 n=32 k=32 is a hint until it is tuned again (" + reason +
                           "): it was verified and timed before that changed\n");
    EXPECT_THAT(ran.out, ::testing::StartsWith("f exported to out (exact, a hint)\n"));
    std::ifstream file(folder_.file("out/f_manifest.json"));
    const json written = json::parse(file);
    EXPECT_EQ(written["match"], "exact");
    EXPECT_EQ(written["hint"], reason);
    EXPECT_EQ(written["verified"], false);
    EXPECT_EQ(written["time_ns"]["median"], 20'000.0);
  }
  EXPECT_EQ(json::parse(run(command + " --json").out)["hint"], reason);
}

TEST_F(ExportGivenTest, RefusesOtherTrials) {
  const std::string out = " --threads 1 --out out --trial ";
  expect_refusal(run("export matmul m=32 n=32 k=32" + out + "99"), 3, {"has no trial 99"});
  expect_refusal(run("export matmul m=32 n=32 k=32" + out + std::to_string(failed_)), 2,
                 {"failed (wrong_result: element 3 differs)"});
  expect_refusal(run("export matmul m=32 n=32 k=64" + out + "1"), 2,
                 {"trial 1 is of another workload, matmul m=32 n=32 k=32"});
  expect_refusal(run("export matmul m=32 n=32 k=32 --threads 2 --out out --trial 1"), 2,
                 {"trial 1 is of another target"});
  expect_refusal(run("export matmul m=32 n=32 k=32 --config unroll_k=2" + out + "1"), 2, {"--trial", "--config"});
  expect_refusal(run("export matmul m=32 n=32 k=32 --config unroll_k=2 --exact --out out"), 2, {"--exact", "--config"});
}

}  // namespace
}  // namespace nestwright
