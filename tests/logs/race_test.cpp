// Races: which are recorded, which replace the stored best, and what is reported of them.
#include "nestwright/error.h"
#include "tests/logs/recorded_runs.h"
#include "tests/support/message.h"

namespace nestwright {
namespace {

using ::testing::HasSubstr;

class RaceTest : public RecordedRuns {
 protected:
  /// Returns a trial that won the race of a session that has ended.
  TrialId stored_winner(double median_ns = 100, int version = 1) {
    const SessionId session = run(task_, {timed(median_ns)}, version);
    const TrialId trial = trials_[0];
    EXPECT_FALSE(log_.record_race(session, race_of({{trial, median_ns}}, 0)));
    log_.end_session(session, SessionStatus::kDone, "");
    return trial;
  }
  static void fail(RaceEntry& entry) { entry.measurement = failed(Outcome::kWrongResult, "C[0, 0] is 1, not 2"); }
  sqlite::Database database() const { return {path_, path_, SQLITE_OPEN_READONLY, 1000}; }
};

TEST_F(RaceTest, TheLastRaceDecides) {
  const SessionId first = run(task_, {timed(100), timed(90)});
  const std::vector<TrialId> old = trials_;
  // The first one is faster in the race.
  EXPECT_FALSE(log_.record_race(first, race_of({{old[0], 80}, {old[1], 85}}, 0)));
  log_.end_session(first, SessionStatus::kDone, "trials");
  EXPECT_EQ(best()->trial, old[0]);
  EXPECT_EQ(best()->timing.median_ns, 80);
  EXPECT_EQ(best()->source, BestSource::kRace);
  EXPECT_EQ(best()->pipeline, Pipeline::kFinal);

  const SessionId second = run(task_, {timed(50), timed(60), timed(70)});  // a faster clock
  EXPECT_EQ(best()->trial, old[0]) << "raw times of another session do not count";
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 55}, {old[0], 52}}, 1)));
  EXPECT_EQ(best()->trial, old[0]) << "the stored best won again";
  EXPECT_EQ(best()->timing.median_ns, 52);
  EXPECT_EQ(best()->session, second);
  EXPECT_EQ(best()->trials, 5);
}

TEST_F(RaceTest, TheLastRaceDecidesEvenIfTheClockWasSetBack) {
  const TrialId first = stored_winner(100);
  {
    sqlite::Database later(path_, path_, SQLITE_OPEN_READWRITE, 1000);
    later.execute("UPDATE race SET recorded_at = '9000-01-01T00:00:00.000Z'");
  }
  const SessionId second = run(task_, {timed(50)});
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 50}, {first, 100}}, 0)));
  EXPECT_EQ(best()->trial, trials_[0]);
  EXPECT_EQ(best()->recorded_at, "9000-01-01T00:00:00.000Z");
}

TEST_F(RaceTest, ARaceWithoutTheStoredBestIsSentBack) {
  const SessionId first = run(task_, {timed(100)});
  const TrialId stored = trials_[0];
  const SessionId second = run(task_, {timed(90)});
  ASSERT_FALSE(log_.record_race(first, race_of({{stored, 100}}, 0)));
  const Race incomplete = race_of({{trials_[0], 90}}, 0);
  const auto missing = log_.record_race(second, incomplete);
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->trial, stored);
  EXPECT_EQ(best()->trial, stored) << "nothing was written";
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 90}, {stored, 101}}, 0)));
  EXPECT_EQ(best()->trial, trials_[0]);
}

TEST_F(RaceTest, RacesThatProveNothingAreRefused) {
  const SessionId session = run(task_, {timed(100)});
  const auto refusal = [&](Race race) -> std::string {
    return message<LogError>([&] { log_.record_race(session, race); });
  };
  Race race = race_of({{trials_[0], 100}}, 0);
  race.entries[0].measurement.evidence.verified = false;
  EXPECT_THAT(refusal(race), HasSubstr("can only be won by an entry that was checked"));
  race.entries[0].measurement = disturbed(100);
  EXPECT_THAT(refusal(race), HasSubstr("timed to the end without a disturbance"));
  race.winner.reset();
  EXPECT_THAT(refusal(race), HasSubstr("needs a winner among its entries, unless the machine was disturbed"));
  EXPECT_THAT(refusal(race_of({{trials_[0], 100}}, 1)), HasSubstr("needs a winner"));
  EXPECT_THAT(refusal(race_of({}, 0)), HasSubstr("needs a winner"));
  EXPECT_THAT(refusal(race_of({{12345, 100}}, 0)), HasSubstr("trial 12345"));
  const TrialId own = trials_[0];
  run(task_of(matmul(64, 64, 64)), {timed(1)});
  EXPECT_THAT(refusal(race_of({{own, 100}, {trials_[0], 1}}, 1)), HasSubstr("is not one of the task of session"));
  EXPECT_EQ(best()->source, BestSource::kUnconfirmed) << "nothing was written";
}

TEST_F(RaceTest, AStoredBestThatFailsIsRecordedSoAndBeaten) {
  const TrialId stored = stored_winner(50);
  const SessionId session = run(task_, {timed(100)}, 2);
  Race race = race_of({{stored, 0}, {trials_[0], 101}}, 1);
  fail(race.entries[0]);
  EXPECT_FALSE(log_.record_race(session, race));
  EXPECT_EQ(best()->trial, trials_[0]);
  EXPECT_FALSE(best()->kept);
  EXPECT_FALSE(best({{"matmul.cpu", 1}})) << "it is not the best of its template either";
  EXPECT_EQ(log_.top(filter_of(task_), 10).size(), 1u);
  sqlite::Database file = database();
  sqlite::Statement entry =
      file.prepare("SELECT role, outcome, message FROM race_entry WHERE race_id = 2 AND trial_id = ?");
  ASSERT_TRUE(entry.bind(stored).step());
  EXPECT_EQ(entry.text(0), "incumbent") << "whatever role it was given";
  EXPECT_EQ(entry.integer(1), 6);
  EXPECT_EQ(entry.text(2), "C[0, 0] is 1, not 2");
}

TEST_F(RaceTest, AnIncumbentThatFailsInARaceIsBeatenToo) {
  const SessionId first = run(task_, {timed(50)}, 1);
  log_.set_incumbent(first, trials_[0]);
  log_.end_session(first, SessionStatus::kInterrupted, "");
  const TrialId confirmed = trials_[0];
  const SessionId second = run(task_, {timed(100)}, 2);
  Race race = race_of({{confirmed, 0}, {trials_[0], 101}}, 1);
  fail(race.entries[0]);
  EXPECT_FALSE(log_.record_race(second, race));
  EXPECT_FALSE(best({{"matmul.cpu", 1}}));
  EXPECT_THAT(message<LogError>([&] { log_.set_incumbent(second, confirmed); }), HasSubstr("or failed in a race"));
}

TEST_F(RaceTest, WhatFailedOnceMayWinALaterRace) {
  const TrialId stored = stored_winner();
  const SessionId second = run({timed(90)});
  Race race = race_of({{stored, 0}, {trials_[0], 90}}, 1);
  fail(race.entries[0]);
  ASSERT_FALSE(log_.record_race(second, race));
  ASSERT_FALSE(log_.record_race(second, race_of({{stored, 80}, {trials_[0], 90}}, 0)));
  EXPECT_EQ(best()->trial, stored);
  EXPECT_EQ(best()->timing.median_ns, 80);
}

TEST_F(RaceTest, ADisturbedRaceIsRecordedAndReplacesNothing) {
  const TrialId stored = stored_winner();
  const SessionId session = run({timed(80), timed(90)});
  Race race = race_of({{stored, 0}, {trials_[0], 80}}, 1);
  race.disturbance = "steal of 20%";
  fail(race.entries[0]);
  EXPECT_FALSE(log_.record_race(session, race));
  EXPECT_EQ(best()->trial, stored) << "nor does a failure there beat it";
  race.winner.reset();
  EXPECT_FALSE(log_.record_race(session, race)) << "it needs no winner";
  race.entries.erase(race.entries.begin());
  EXPECT_FALSE(log_.record_race(session, race)) << "nor the stored best";
  EXPECT_EQ(best()->trial, stored);
  EXPECT_EQ(log_.top(filter_of(task_), 10).size(), 1u);
  log_.end_session(session, SessionStatus::kDone, "");
  EXPECT_EQ(log_.challengers(task_, 2).size(), 2u) << "no race has compared them yet";
  sqlite::Database file = database();
  sqlite::Statement races =
      file.prepare("SELECT disturbance, winner_trial_id FROM race WHERE session_id = ? ORDER BY id");
  ASSERT_TRUE(races.bind(session).step());
  EXPECT_EQ(races.text(0), "steal of 20%");
  EXPECT_EQ(races.integer(1), trials_[0]);
  ASSERT_TRUE(races.step());
  EXPECT_TRUE(races.is_null(1));
}

TEST_F(RaceTest, TheWinnerOfADisturbedRaceAnswersWhereNothingElseDoes) {
  const SessionId session = run({disturbed(80), disturbed(60)});
  Race race = race_of({{trials_[0], 75}, {trials_[1], 85}}, 0);
  race.disturbance = race.entries[0].measurement.timing.disturbance = "the hypervisor took 40 ms";
  EXPECT_FALSE(log_.record_race(session, race));
  ASSERT_TRUE(best());
  EXPECT_EQ(best()->trial, trials_[0]) << "the race compared them";
  EXPECT_EQ(best()->timing.median_ns, 75);
  EXPECT_EQ(best()->source, BestSource::kDisturbed);
  EXPECT_EQ(best()->timing.disturbance, "the hypervisor took 40 ms");
  EXPECT_FALSE(log_.stored_best(session)) << "no race has to include it";
  race.entries[0].measurement.evidence.verified = false;
  EXPECT_THROW(log_.record_race(session, race), LogError);
}

TEST_F(RaceTest, ADisturbedEntryIsNoRunnerUp) {
  const SessionId session = run({timed(100), timed(90)});
  Race race = race_of({{trials_[0], 100}, {trials_[1], 90}}, 0);
  race.entries[1].measurement = disturbed(90);
  ASSERT_FALSE(log_.record_race(session, race));
  const std::vector<BestRecord> top = log_.top(filter_of(task_), 10);
  ASSERT_EQ(top.size(), 2u);
  EXPECT_EQ(top[1].trial, trials_[1]);
  EXPECT_EQ(top[1].source, BestSource::kUnconfirmed) << "its own trial was not disturbed";
}

TEST_F(RaceTest, TiesAndAKeptBestAreTold) {
  const TrialId stored = stored_winner();
  EXPECT_FALSE(best()->kept) << "there was none before";
  const SessionId second = run({timed(100), timed(101), timed(120)});
  Race race = race_of({{stored, 100}, {trials_[0], 99}, {trials_[1], 101}, {trials_[2], 120}}, 0);
  race.entries[1].tied = race.entries[2].tied = true;
  race.entries[0].process_medians_ns = {100.5, 99.25, 101};
  ASSERT_FALSE(log_.record_race(second, race));
  const std::vector<BestRecord> top = log_.top(filter_of(task_), 4);
  ASSERT_EQ(top.size(), 4u);
  EXPECT_EQ(top[0].trial, stored);
  EXPECT_TRUE(top[0].kept);
  EXPECT_EQ(top[0].ties, 2);
  EXPECT_FALSE(top[0].tied);
  EXPECT_EQ(top[0].process_medians_ns, (std::vector<double>{100.5, 99.25, 101}));
  EXPECT_TRUE(top[1].tied);
  EXPECT_EQ(top[1].ties, 0);
  EXPECT_TRUE(top[1].process_medians_ns.empty());
  EXPECT_FALSE(top[3].tied);

  race = race_of({{stored, 100}, {trials_[0], 90}}, 1);
  ASSERT_FALSE(log_.record_race(second, race));
  EXPECT_FALSE(best()->kept);
  EXPECT_EQ(best()->ties, 0);
  EXPECT_FALSE(log_.top(filter_of(task_), 2)[1].kept) << "the stored best lost";
}

TEST_F(RaceTest, TheConfirmedIncumbentOfAnotherSessionIsStored) {
  const SessionId first = run({timed(100)}), second = run({timed(90)});
  const TrialId of_second = trials_[0], of_first = of_second - 1;
  log_.set_incumbent(first, of_first);
  log_.set_incumbent(second, of_second);
  EXPECT_FALSE(log_.stored_best(second)) << "the other session still runs: its own race comes";
  log_.end_session(first, SessionStatus::kInterrupted, "");
  ASSERT_TRUE(log_.stored_best(second));
  EXPECT_EQ(log_.stored_best(second)->trial, of_first);
  EXPECT_FALSE(log_.stored_best(second, {{"matmul.cpu", 2}}));
  EXPECT_FALSE(log_.stored_best(first)) << "its own incumbent is not stored against it";

  const auto missing = log_.record_race(second, race_of({{of_second, 90}}, 0));
  ASSERT_TRUE(missing);
  EXPECT_EQ(missing->trial, of_first);
  EXPECT_EQ(missing->source, BestSource::kConfirmed);
  EXPECT_EQ(best()->source, BestSource::kConfirmed) << "nothing was written";
  EXPECT_FALSE(log_.record_race(second, race_of({{of_second, 90}, {of_first, 100}}, 0)));
  EXPECT_EQ(best()->source, BestSource::kRace);
  EXPECT_EQ(log_.stored_best(first)->trial, of_second) << "a race's winner goes before incumbents";
}

TEST_F(RaceTest, AnAdoptedIncumbentIsStoredByTheSessionBefore) {
  const SessionId first = run({timed(100)});
  const TrialId adopted = trials_[0];
  log_.set_incumbent(first, adopted);
  log_.end_session(first, SessionStatus::kInterrupted, "");
  const SessionId second = run({timed(90)});
  log_.set_incumbent(second, adopted);
  ASSERT_TRUE(log_.record_race(second, race_of({{trials_[0], 90}}, 0)));
}

TEST_F(RaceTest, WhatWasNeverConfirmedNeedNotBeRaced) {
  run_by_old_rule({timed(10)});
  const SessionId session = run({timed(90)});
  EXPECT_FALSE(log_.stored_best(session));
  EXPECT_FALSE(log_.record_race(session, race_of({{trials_[0], 90}}, 0)));
  EXPECT_EQ(best()->trial, trials_[0]);
  EXPECT_FALSE(best()->by_old_rule);
  EXPECT_THAT(message<LogError>([&] { log_.stored_best(99); }), HasSubstr("has no session 99"));
}

TEST_F(RaceTest, AWinnerOfTheOldRuleIsAHint) {
  const TrialId stored = stored_winner();
  sqlite::Database(path_, path_, SQLITE_OPEN_READWRITE, 1000).execute("UPDATE session SET rule = 1");
  EXPECT_EQ(best()->trial, stored);
  EXPECT_EQ(best()->source, BestSource::kRace);
  EXPECT_TRUE(best()->by_old_rule);
}

}  // namespace
}  // namespace nestwright
