// A tuning run that is killed keeps all acknowledged trials and leaves no worker, and the next run resumes it.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sqlite3.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <thread>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;

class TuneResumeTest : public ::testing::Test {
 protected:
  std::vector<std::string> tune(const std::string& budget, int batch = 8) const {
    return words("tune matmul m=32 n=32 k=32 --threads 1 --json --db " + db_ + " " + budget + " --batch " +
                 std::to_string(batch));
  }
  std::vector<TrialRecord> recorded() const { return TuningLog::open(db_, OpenMode::kRead).trials({}); }

  std::string one_value(const char* sql) const {
    std::string value;
    sqlite3* database = nullptr;
    EXPECT_EQ(sqlite3_open(db_.c_str(), &database), SQLITE_OK);
    const auto keep = [](void* to, int, char** values, char**) {
      *static_cast<std::string*>(to) = values[0] != nullptr ? values[0] : "";
      return 0;
    };
    EXPECT_EQ(sqlite3_exec(database, sql, keep, &value, nullptr), SQLITE_OK);
    sqlite3_close(database);
    return value;
  }

  const TemporaryFolder folder_;
  const std::string db_ = folder_.file("some.db");
};

TEST_F(TuneResumeTest, AKilledRunResumesAndMeasuresNothingTwice) {
  std::mt19937 random(std::random_device{}());
  for (std::size_t kill = 0; kill < 3; ++kill) {
    Command command(tune("--seconds 100"));
    ASSERT_TRUE(command.wait_for_error_text(", best "));
    // On a disturbed machine the first trial is delayed, and the stored best is shown before it.
    for (int i = 0; i < 6000 && recorded().size() < 4 * (kill + 1); ++i) {
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    const int delay_ms = std::uniform_int_distribution<int>(0, 400)(random);
    SCOPED_TRACE("killed " + std::to_string(delay_ms) + " ms after the first trials");
    std::this_thread::sleep_for(std::chrono::milliseconds(delay_ms));
    command.signal(SIGKILL);
    EXPECT_EQ(command.wait().signal, SIGKILL);
    EXPECT_TRUE(command.wait_until_all_exit()) << "workers end with their parent";
  }
  const std::vector<TrialRecord> before = recorded();
  ASSERT_GE(before.size(), 12u) << "at least the first four of each run were acknowledged";
  EXPECT_EQ(one_value("PRAGMA integrity_check"), "ok");

  const CommandOutput ran = run_nestwright(tune("--trials 8"));
  ASSERT_EQ(ran.code, 0) << ran.err;
  const json report = json::parse(ran.out);
  EXPECT_EQ(report["trials_this_run"], 8);
  EXPECT_EQ(report["trials_earlier"], before.size());
  EXPECT_EQ(report["trials"], before.size() + 8);
  EXPECT_EQ(report["from_race"], !report.contains("race_disturbance")) << ran.out;

  const std::vector<TrialRecord> after = recorded();
  ASSERT_EQ(after.size(), before.size() + 8);
  std::set<std::string> configs;
  for (std::size_t i = 0; i < after.size(); ++i) {
    EXPECT_TRUE(configs.insert(after[i].point.config.str()).second) << "measured twice";
    if (i < before.size()) {
      EXPECT_EQ(after[i].id, before[i].id);
    }
  }
  EXPECT_EQ(one_value("SELECT count(*) FROM session WHERE status = 'killed'"), "3");
}

TEST_F(TuneResumeTest, AnInterruptedBatchIsFinishedFirst) {
  Command command(tune("--seconds 100", 24));
  ASSERT_TRUE(command.wait_for_error_text(", best "));
  command.signal(SIGKILL);
  command.wait();
  ASSERT_TRUE(command.wait_until_all_exit());
  const char* unfinished =
      "SELECT count(*) FROM proposal LEFT JOIN trial ON trial.proposal_id = proposal.id WHERE trial.id IS NULL";
  const int left = std::stoi(one_value(unfinished));
  ASSERT_GT(left, 0) << "killed after the first few of its first batch";
  const CommandOutput ran = run_nestwright(tune("--trials " + std::to_string(left)));
  ASSERT_EQ(ran.code, 0) << ran.err;
  EXPECT_EQ(one_value(unfinished), "0");
}

}  // namespace
}  // namespace nestwright
