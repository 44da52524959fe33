// Ctrl-C, SIGTERM and a closed terminal end a tuning run cleanly: it prints and keeps its results, exits with code 130
// and leaves no worker.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command_line.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class TuneInterruptTest : public ::testing::TestWithParam<int> {
 protected:
  std::vector<std::string> tune(const std::string& more = "") const {
    return words("tune matmul m=32 n=32 k=32 --threads 1 --seconds 100 --json --db " + db_ + " " + more);
  }
  /// Returns the trials of all sessions in the database.
  std::vector<TrialRecord> recorded() const { return TuningLog::open(db_, OpenMode::kRead).trials({}); }

  const TemporaryFolder folder_;
  const std::string db_ = folder_.file("some.db");
};

TEST_P(TuneInterruptTest, EndsCleanlyAndKeepsItsResults) {
  Command command(tune());
  ASSERT_TRUE(command.wait_for_error_text(", best "));
  EXPECT_GE(command.count_processes(), 2) << "the workers are counted as well";
  command.signal_group(GetParam());
  const CommandOutput ran = command.wait();
  EXPECT_EQ(ran.code, 130) << ran.err;
  EXPECT_EQ(ran.signal, 0);
  EXPECT_TRUE(command.wait_until_all_exit());
  EXPECT_THAT(ran.err, HasSubstr("stopped: interrupted"));

  const json report = json::parse(ran.out);
  EXPECT_EQ(report["interrupted"], true);
  EXPECT_EQ(report["match"], "exact");
  const std::vector<TrialRecord> trials = recorded();
  EXPECT_EQ(report["trials"], trials.size());
  for (const TrialRecord& trial : trials) {
    EXPECT_NE(trial.measurement.outcome, Outcome::kCrash) << "a signal to the group is not a crash of a candidate";
  }
}

INSTANTIATE_TEST_SUITE_P(Signals, TuneInterruptTest, ::testing::Values(SIGINT, SIGTERM, SIGHUP),
                         [](const ::testing::TestParamInfo<int>& number) { return sigabbrev_np(number.param); });

}  // namespace
}  // namespace nestwright
