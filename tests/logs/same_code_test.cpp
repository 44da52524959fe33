// Trials that take the measurement of another one with the same machine code.
#include <gmock/gmock.h>

#include "logs/sqlite/database.h"
#include "nestwright/database.h"
#include "nestwright/error.h"
#include "tests/logs/sample.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

class SameCodeTest : public ::testing::Test {
 protected:
  struct Run {
    SessionId session;
    std::vector<ProposalId> proposals;
  };
  Run begin(const TaskKey& task, int first, int count) {
    const SessionId session = log_.begin_session(task, info());
    return {session, log_.commit_batch(session, 0, points(first, count)).ids};
  }

  TemporaryFolder folder_;
  std::string path_ = folder_.file("log.db");
  TuningLog log_ = TuningLog::open(path_, OpenMode::kWrite);
  TaskKey task_ = task_of(matmul(512, 512, 512));
};

TEST_F(SameCodeTest, ComesBackAsItWasRecorded) {
  const Run run = begin(task_, 0, 3);
  const TrialId first = log_.record(run.session, run.proposals[0], timed(100), {"c0de", 0});
  log_.record(run.session, run.proposals[1], timed(100), {"c0de", first});
  log_.record(run.session, run.proposals[2], failed(Outcome::kInvalidConfig, "refused"));
  const std::vector<TrialRecord> trials = log_.trials(filter_of(task_));
  ASSERT_EQ(trials.size(), 3u);
  EXPECT_EQ(trials[0].code.identity, "c0de");
  EXPECT_EQ(trials[0].code.same_as, 0);
  EXPECT_EQ(trials[1].code.identity, "c0de");
  EXPECT_EQ(trials[1].code.same_as, first);
  EXPECT_EQ(trials[1].measurement.timing.median_ns, 100);
  EXPECT_EQ(trials[2].code.identity, "");
}

TEST_F(SameCodeTest, IsInTheUnitOfTheSessionThatMeasuredIt) {
  const Run old = begin(task_, 0, 1), now = begin(task_, 1, 1);
  const TrialId first = log_.record(old.session, old.proposals[0], timed(100), {"c0de", 0});
  Measurement converted = timed(80);  // to the unit of the later session
  converted.compile_ms = 7;
  log_.record(now.session, now.proposals[0], converted, {"c0de", first});
  const TrialRecord copy = log_.trials(filter_of(task_)).at(1);
  EXPECT_EQ(copy.measurement.timing.median_ns, 100);
  EXPECT_EQ(copy.measurement.compile_ms, 7) << "it was compiled itself";
}

TEST_F(SameCodeTest, IsNeverBestNorRunnerUpNorChallenger) {
  const Run old = begin(task_, 0, 2);
  const TrialId first = log_.record(old.session, old.proposals[0], timed(50), {"a", 0});
  log_.record(old.session, old.proposals[1], timed(60), {"b", 0});
  log_.end_session(old.session, SessionStatus::kInterrupted, "");
  // A session that measured one trial and takes many measurements from another session, whose clock differed.
  const Run busy = begin(task_, 2, 5);
  const TrialId own = log_.record(busy.session, busy.proposals[0], timed(80), {"c", 0});
  for (int i = 1; i < 5; ++i) log_.record(busy.session, busy.proposals[i], timed(50), {"a", first});
  log_.end_session(busy.session, SessionStatus::kInterrupted, "");

  sqlite::Database(path_, path_, SQLITE_OPEN_READWRITE, 1000).execute("UPDATE session SET rule = 1");
  EXPECT_EQ(log_.best(filter_of(task_))->trial, first) << "two trials were measured there, one here";
  EXPECT_EQ(log_.best(filter_of(task_))->trials, 7) << "all of them count as trials";
  EXPECT_EQ(log_.top(filter_of(task_), 10).size(), 2u);
  std::vector<TrialId> challengers;
  for (const TrialRecord& trial : log_.challengers(task_, 3)) challengers.push_back(trial.id);
  EXPECT_THAT(challengers, ::testing::ElementsAre(first, first + 1, own));
}

TEST_F(SameCodeTest, MustNameATrialOfThisTaskAndCodeThatWasMeasured) {
  const Run run = begin(task_, 0, 3), other = begin(task_of(matmul(64, 64, 64)), 0, 1);
  const TrialId first = log_.record(run.session, run.proposals[0], timed(100), {"a", 0});
  const TrialId copy = log_.record(run.session, run.proposals[1], timed(100), {"a", first});
  const TrialId elsewhere = log_.record(other.session, other.proposals[0], timed(10), {"a", 0});
  const auto record = [&](const std::string& code, TrialId same_as) {
    return [this, &run, code, same_as] { log_.record(run.session, run.proposals[2], timed(100), {code, same_as}); };
  };
  for (const TrialId wrong : {copy, elsewhere, TrialId{99}}) {
    EXPECT_THAT(record("a", wrong),
                ThrowsMessage<LogError>("trial " + std::to_string(wrong) + " of database '" + path_ +
                                        "' is no measured one of this task with the code a"));
  }
  EXPECT_THAT(record("b", first), ThrowsMessage<LogError>(HasSubstr("with the code b")));
  EXPECT_EQ(log_.trials(filter_of(task_)).size(), 2u);
}

}  // namespace
}  // namespace nestwright
