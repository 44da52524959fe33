// Deleting sessions keeps what others name, and points whose trials are deleted are measured again.
#include "logs/upkeep/delete.h"

#include <gmock/gmock.h>

#include "nestwright/error.h"
#include "tests/logs/two_logs.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Pair;
using ::testing::ThrowsMessage;

class DeleteTest : public TwoLogs {};

TEST_F(DeleteTest, AWholeTaskGoesWithWhatDependsOnIt) {
  race(a_, record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(20)}}), "2026-01-01", {10, 20});
  const TaskKey other = task_of(matmul(64, 64, 64));
  race(a_, record(a_, other, "2026-01-01", {{1, timed(5)}}), "2026-01-01", {5});
  const DeleteFilter filter{.tasks = filter_of(task_)};
  const DeleteResult planned = delete_sessions(a_, filter, true);
  EXPECT_EQ(times(a_, task_).size(), 2u) << "a dry run changes nothing";
  for (const DeleteResult& result : {planned, delete_sessions(a_, filter, false)}) {
    EXPECT_EQ(result.tasks, 1);
    EXPECT_EQ(result.sessions, 1);
    EXPECT_EQ(result.trials, 2);
    EXPECT_EQ(result.races, 1);
    EXPECT_EQ(result.kept_trials, 0);
  }
  expect_whole(a_);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM workload"), 1);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM space"), 1);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM proposal"), 1);
  EXPECT_THAT(times(a_, other), ElementsAre(Pair(1, 5)));
}

TEST_F(DeleteTest, TrialsThatOtherSessionsNameStay) {
  const Recorded first =
      record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(20)}, {3, timed(30)}, {4, timed(40)}});
  const Recorded second = record(a_, task_, "2026-01-02", {{5, timed(15)}});
  {
    TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
    log.set_anchor(first.session, first.trials[1], 20);
    log.set_anchor(second.session, first.trials[2], 30);
    Race race;
    race.entries = {{first.trials[0], "finalist", timed(10), false, {}},
                    {second.trials[0], "finalist", timed(15), false, {}}};
    race.winner = 0;
    ASSERT_FALSE(log.record_race(second.session, race).has_value());
    log.set_incumbent(first.session, first.trials[3]);
  }
  const DeleteResult result = delete_sessions(a_, {.session = first.session}, false);
  EXPECT_EQ(result.sessions, 0);
  EXPECT_EQ(result.kept_sessions, 1);
  EXPECT_EQ(result.trials, 1) << "the one that was only its incumbent";
  EXPECT_EQ(result.kept_trials, 3) << "the race's, the anchor of the second session, and their session's own anchor";
  expect_whole(a_);
  EXPECT_THAT(times(a_, task_), ElementsAre(Pair(1, 10), Pair(2, 20), Pair(3, 30), Pair(5, 15)));
  EXPECT_EQ(number_of(TuningLog::open(a_, OpenMode::kRead).best(filter_of(task_))->point), 1);
  EXPECT_EQ(delete_sessions(a_, {}, false).sessions, 2);
  EXPECT_EQ(value(a_, "SELECT count(*) FROM trial"), 0);
}

TEST_F(DeleteTest, ACopyKeepsTheTrialWhoseMeasurementItTakes) {
  const Recorded first = record(a_, task_, "2026-01-01", {{1, timed(10)}, {2, timed(20)}});
  execute(a_, "UPDATE trial SET code = 'c0de'");
  {
    TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
    const SessionId session = log.begin_session(task_, info());
    const Batch batch = log.commit_batch(session, 0, {point(3)});
    log.record(session, batch.ids[0], timed(0), {"c0de", first.trials[0]});
    log.end_session(session, SessionStatus::kDone, "");
  }
  delete_sessions(a_, {.session = first.session}, false);
  expect_whole(a_);
  EXPECT_THAT(times(a_, task_), ElementsAre(Pair(1, 10), Pair(3, 10)));
}

TEST_F(DeleteTest, APointOfAnotherSessionIsMeasuredAgain) {
  SessionId second = 0;
  {
    TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
    const SessionId first = log.begin_session(task_, info());
    log.commit_batch(first, 0, points(1, 2));
    log.end_session(first, SessionStatus::kKilled, "");
    second = log.begin_session(task_, info());
    const Batch claimed = log.claim_unfinished_batch(second).value();
    log.record(second, claimed.ids[0], timed(10));
    log.end_session(second, SessionStatus::kKilled, "");
  }
  EXPECT_EQ(delete_sessions(a_, {.session = second}, false).trials, 1);
  expect_whole(a_);
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  EXPECT_EQ(log.claim_unfinished_batch(log.begin_session(task_, info()))->points.size(), 2u);
}

TEST_F(DeleteTest, OnlyOlderSessionsGo) {
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  record(a_, task_, "2026-01-02", {{2, timed(20)}});
  EXPECT_EQ(delete_sessions(a_, {.before = "2026-01-02"}, false).sessions, 1);
  EXPECT_THAT(times(a_, task_), ElementsAre(Pair(2, 20)));
  EXPECT_EQ(delete_sessions(a_, {.before = "2026-01-02"}, false).sessions, 0);
}

TEST_F(DeleteTest, WhatRunsAndWhatDoesNotExistIsRefused) {
  EXPECT_THAT([&] { delete_sessions(a_, {}, false); }, ThrowsMessage<LogError>(HasSubstr("does not exist")));
  record(a_, task_, "2026-01-01", {{1, timed(10)}});
  TuningLog log = TuningLog::open(a_, OpenMode::kWrite);
  const SessionId session = log.begin_session(task_, info());
  EXPECT_THAT([&] { delete_sessions(a_, {.session = 1}, false); },
              ThrowsMessage<LogError>(HasSubstr("session 2 of database")));
  log.end_session(session, SessionStatus::kDone, "");
  EXPECT_EQ(delete_sessions(a_, {.session = 1}, false).sessions, 1);
}

}  // namespace
}  // namespace nestwright
