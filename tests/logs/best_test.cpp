// Which records the log calls best, and which it never does.
#include <gmock/gmock.h>

#include "tests/logs/recorded_runs.h"

namespace nestwright {
namespace {

class BestTest : public RecordedRuns {};

TEST_F(BestTest, NothingRecordedIsNoAnswer) {
  EXPECT_FALSE(best());
  run(task_, {failed(Outcome::kCrash, "SIGSEGV")});
  EXPECT_FALSE(best());
  EXPECT_TRUE(log_.list({}).empty());
}

TEST_F(BestTest, OnlyVerifiedTrialsThatRanToTheEndUndisturbed) {
  Measurement unverified = timed(10), early = timed(20), wrong = timed(30);
  unverified.evidence.verified = false;
  early.timing.ended_early = true;
  wrong.outcome = Outcome::kWrongResult;
  const SessionId session = run_by_old_rule({unverified, early, wrong, timed(100), timed(90), disturbed(40)});
  const auto record = best();
  ASSERT_TRUE(record);
  EXPECT_EQ(record->timing.median_ns, 90);
  EXPECT_EQ(record->trial, trials_[4]);
  EXPECT_EQ(record->source, BestSource::kUnconfirmed);
  EXPECT_TRUE(record->by_old_rule);
  EXPECT_EQ(record->session, session);
  EXPECT_EQ(record->match, MatchKind::kExact);
  EXPECT_EQ(record->trials, 6);
  EXPECT_EQ(log_.top(filter_of(task_), 10).size(), 2u);
  EXPECT_TRUE(record->evidence.verified);
  EXPECT_EQ(record->task.workload.text, task_.workload.text);
  EXPECT_EQ(record->task.machine, "made-up machine");
  EXPECT_DOUBLE_EQ(record->gflops(), 2.0 * 512 * 512 * 512 / 90);
  EXPECT_THAT(record->recorded_at, ::testing::MatchesRegex("20..-..-..T..:..:..\\....Z"));
}

TEST_F(BestTest, OfTheOldRuleTheBusiestSessionAnswers) {
  run_by_old_rule({timed(100), timed(90), timed(95)});
  run_by_old_rule({timed(10)});  // its clock may have been faster, so not comparable
  EXPECT_EQ(best()->timing.median_ns, 90);
}

TEST_F(BestTest, WithoutARaceTheLastConfirmedIncumbentAnswers) {
  run_by_old_rule({timed(10), timed(20)});
  const SessionId first = run({timed(100), timed(90), timed(80)});
  EXPECT_EQ(best()->source, BestSource::kUnconfirmed) << "of the old rule";
  log_.set_incumbent(first, trials_[0]);
  EXPECT_EQ(best()->trial, trials_[0]);
  log_.set_incumbent(first, trials_[1]);
  EXPECT_EQ(best()->trial, trials_[1]) << "the faster one was not confirmed";
  EXPECT_EQ(best()->source, BestSource::kConfirmed);
  EXPECT_FALSE(best()->by_old_rule);
  EXPECT_EQ(best()->pipeline, Pipeline::kSearch);
  const TrialId of_first = trials_[1];

  const SessionId second = run({timed(95)});
  EXPECT_EQ(best()->trial, of_first) << "the latest session has not confirmed any";
  log_.set_incumbent(second, trials_[0]);
  EXPECT_EQ(best()->trial, trials_[0]);
  log_.set_incumbent(second, of_first);
  EXPECT_EQ(best()->trial, of_first) << "an incumbent of another session's";
  EXPECT_EQ(best()->session, first) << "its times are of that one";
  std::vector<TrialId> order;
  for (const BestRecord& record : log_.top(filter_of(task_), 10)) order.push_back(record.trial);
  EXPECT_EQ(order, (std::vector<TrialId>{of_first, of_first + 1, of_first - 1}));
}

TEST_F(BestTest, AnIncumbentOfAnotherTemplateIsPassedOver) {
  const SessionId first = run(task_, {timed(100)}, 1);
  log_.set_incumbent(first, trials_[0]);
  const TrialId of_first = trials_[0];
  const SessionId second = run(task_, {timed(90)}, 2);
  log_.set_incumbent(second, trials_[0]);
  EXPECT_EQ(best({{"matmul.cpu", 1}})->trial, of_first);
  EXPECT_EQ(best({{"matmul.cpu", 2}})->trial, trials_[0]);
  EXPECT_FALSE(best({{"matmul.cpu", 3}}));
}

TEST_F(BestTest, WhereNothingWasConfirmedTheFastestTrialOfTheLatestSessionAnswers) {
  run({timed(100), timed(50)});
  run({timed(100), timed(90)});
  ASSERT_TRUE(best());
  EXPECT_EQ(best()->trial, trials_[1]);
  EXPECT_EQ(best()->source, BestSource::kUnconfirmed);
}

TEST_F(BestTest, ADisturbedTrialAnswersUntilThereIsASoundOne) {
  Measurement unverified = timed(10), early = disturbed(20);
  unverified.evidence.verified = false;
  early.timing.ended_early = true;
  run({disturbed(90), disturbed(70), unverified, early, failed(Outcome::kCrash, "SIGSEGV")});
  ASSERT_TRUE(best());
  EXPECT_EQ(best()->trial, trials_[1]);
  EXPECT_EQ(best()->source, BestSource::kDisturbed);
  EXPECT_EQ(best()->timing.disturbance, "another process took the CPU for 12% of the time");
  EXPECT_EQ(log_.list(filter_of(task_)).size(), 1u);
  EXPECT_FALSE(best({{"matmul.cpu", 2}})) << "of another version";
  confirmed_run(task_, 500);
  EXPECT_EQ(best()->trial, trials_[0]) << "however slow";
  EXPECT_EQ(best()->source, BestSource::kConfirmed);
}

TEST_F(BestTest, AClearlyFasterTrialComesBeforeTheUntunedDefault) {
  const SessionId session = run({timed(100), timed(99), timed(80), disturbed(50)});
  log_.set_anchor(session, trials_[0], 100);
  log_.set_incumbent(session, trials_[0]);
  ASSERT_TRUE(best());
  EXPECT_EQ(best()->trial, trials_[2]) << "the time was over before it could be confirmed";
  EXPECT_EQ(best()->source, BestSource::kUnconfirmed);
  log_.set_incumbent(session, trials_[1]);
  EXPECT_EQ(best()->trial, trials_[1]) << "which is no default";
  const SessionId second = run({timed(100), timed(99)});
  log_.set_anchor(second, trials_[0], 100);
  log_.set_incumbent(second, trials_[0]);
  EXPECT_EQ(best()->trial, trials_[0]) << "the intervals overlap";
}

TEST_F(BestTest, TheWinnerOfADisturbedRaceComesBeforeTheUntunedDefault) {
  const SessionId session = run({timed(100), disturbed(70)});
  log_.set_anchor(session, trials_[0], 100);
  log_.set_incumbent(session, trials_[0]);
  Race race = race_of({{trials_[0], 110}, {trials_[1], 75}}, 1);
  race.disturbance = race.entries[1].measurement.timing.disturbance = "the hypervisor took 40 ms";
  EXPECT_FALSE(log_.record_race(session, race));
  EXPECT_EQ(best()->trial, trials_[1]);
  EXPECT_EQ(best()->source, BestSource::kDisturbed);
}

TEST_F(BestTest, ASoundRecordOfAnotherCompilerComesBeforeALaterDisturbedOne) {
  TaskKey other = task_;
  other.backend = "LLVM 22.1.0";
  confirmed_run(other, 100);
  const TrialId sound = trials_[0];
  run({disturbed(50)});
  TaskFilter any = filter_of(task_);
  any.backend.clear();
  EXPECT_EQ(log_.best(any)->trial, sound);
}

TEST_F(BestTest, SourcesHaveNames) {
  EXPECT_STREQ(best_source_name(BestSource::kRace), "race");
  EXPECT_STREQ(best_source_name(BestSource::kConfirmed), "confirmed");
  EXPECT_STREQ(best_source_name(BestSource::kUnconfirmed), "unconfirmed");
  EXPECT_STREQ(best_source_name(BestSource::kDisturbed), "disturbed");
}

TEST_F(BestTest, OtherVersionsOfTheTemplateArePassedOver) {
  const SessionId first = run(task_, {timed(100)}, 1);
  const TrialId old = trials_[0];
  log_.record_race(first, race_of({{old, 100}}, 0));
  EXPECT_FALSE(best({{"matmul.cpu", 2}}));
  const SessionId second = run(task_, {timed(120)}, 2);
  log_.set_incumbent(second, trials_[0]);
  EXPECT_EQ(best({{"matmul.cpu", 2}})->trial, trials_[0]);
  EXPECT_EQ(best({{"matmul.cpu", 1}})->trial, old);
  EXPECT_FALSE(log_.record_race(second, race_of({{trials_[0], 120}}, 0), {{"matmul.cpu", 2}}))
      << "what cannot be instantiated any more need not be raced";
  EXPECT_EQ(best()->trial, trials_[0]);
  EXPECT_EQ(best({{"other", 1}, {"matmul.cpu", 1}})->trial, old);
}

TEST_F(BestTest, TopStaysWithinOneSession) {
  run(task_, {timed(1)});
  const SessionId session = run(task_, {timed(100), timed(90), timed(95), timed(110), failed(Outcome::kTimeout, "")});
  log_.record_race(session, race_of({{trials_[1], 91}, {trials_[2], 89}, {trials_[0], 99}}, 1));
  std::vector<TrialId> order;
  for (const BestRecord& record : log_.top(filter_of(task_), 10)) order.push_back(record.trial);
  EXPECT_EQ(order, (std::vector<TrialId>{trials_[2], trials_[1], trials_[0], trials_[3]}));
  EXPECT_EQ(log_.top(filter_of(task_), 2).size(), 2u);
  EXPECT_TRUE(log_.top(filter_of(task_of(matmul(1, 1, 1))), 2).empty());
}

TEST_F(BestTest, ChallengersBeginWithTheConfirmedIncumbent) {
  const SessionId session = run({timed(80), timed(70), disturbed(1), timed(90)});
  log_.set_incumbent(session, trials_[3]);
  log_.end_session(session, SessionStatus::kInterrupted, "");
  std::vector<TrialId> challengers;
  for (const TrialRecord& trial : log_.challengers(task_, 3)) challengers.push_back(trial.id);
  EXPECT_EQ(challengers, (std::vector<TrialId>{trials_[3], trials_[1], trials_[0]}));
}

TEST_F(BestTest, ChallengersAreWhatNoRaceHasSeen) {
  const SessionId raced = run(task_, {timed(100), timed(90)});
  log_.record_race(raced, race_of({{trials_[1], 90}}, 0));
  log_.end_session(raced, SessionStatus::kDone, "");
  Measurement early = timed(1);
  early.timing.ended_early = true;
  const SessionId killed = run(task_, {timed(80), early, timed(70), timed(75)});
  const std::vector<TrialId> left = trials_;
  EXPECT_TRUE(log_.challengers(task_, 2).empty()) << "a running session races its own";
  log_.end_session(killed, SessionStatus::kKilled, "");
  const auto challengers = log_.challengers(task_, 2);
  ASSERT_EQ(challengers.size(), 2u);
  EXPECT_EQ(challengers[0].id, left[2]);
  EXPECT_EQ(challengers[1].id, left[3]);
  const SessionId next = run(task_, {timed(60)});
  const TrialId stored = best()->trial;
  EXPECT_FALSE(log_.record_race(next, race_of({{trials_[0], 60}, {left[2], 70}, {stored, 90}}, 0)));
  EXPECT_TRUE(log_.challengers(task_, 2).empty()) << "raced once is raced";
}

// A race without the plugin whose template has the stored best cannot have it among its entries.
TEST_F(BestTest, AWinnerThatALaterRaceDidNotKnowIsAChallenger) {
  const SessionId with = run(task_, {timed(50), timed(60)});
  const TrialId winner = trials_[0];
  log_.record_race(with, race_of({{trials_[0], 50}, {trials_[1], 60}}, 0));
  log_.end_session(with, SessionStatus::kDone, "");
  EXPECT_TRUE(log_.challengers(task_, 2).empty());
  const SessionId without = run(task_, {timed(90)});
  const TrialId other = trials_[0];
  EXPECT_FALSE(log_.record_race(without, race_of({{other, 90}}, 0), {{"no template of the first", 1}}));
  log_.end_session(without, SessionStatus::kDone, "");
  const auto left = log_.challengers(task_, 2);
  ASSERT_EQ(left.size(), 1u);
  EXPECT_EQ(left[0].id, winner);
  const SessionId next = run(task_, {timed(70)});
  EXPECT_FALSE(log_.record_race(next, race_of({{winner, 50}, {other, 90}, {trials_[0], 70}}, 0)));
  EXPECT_TRUE(log_.challengers(task_, 2).empty()) << "now it was compared";
  EXPECT_EQ(best()->trial, winner);
}

TEST_F(BestTest, NearestShapeInLogSpace) {
  confirmed_run(task_of(matmul(256, 512, 512)), 50);                // 1 away from 512^3
  confirmed_run(task_of(matmul(500, 500, 500)), 95);                // about 0.06
  confirmed_run(task_of(matmul(512, 512, 512, "float64")), 10);     // another type
  confirmed_run(task_of(matmul(512, 512, 512, "float32", 1)), 10);  // another flag
  const auto near = log_.nearest(matmul(512, 512, 512), {}, 10);
  ASSERT_EQ(near.size(), 2u);
  EXPECT_EQ(near[0].task.workload.text, matmul(500, 500, 500).text);
  EXPECT_EQ(near[0].match, MatchKind::kNearest);
  EXPECT_NEAR(near[0].distance, 0.0593, 0.0001);
  EXPECT_DOUBLE_EQ(near[1].distance, 1);
  EXPECT_EQ(log_.nearest(matmul(512, 512, 512), {}, 1).size(), 1u);
  TaskKey here = task_of(matmul(500, 500, 500));
  here.machine = "this machine";
  confirmed_run(here, 99);
  confirmed_run(task_of(matmul(500, 500, 500)), 97);
  EXPECT_EQ(log_.nearest(matmul(512, 512, 512), {}, 1, {}, "this machine").at(0).task.machine, "this machine");
  EXPECT_EQ(log_.nearest(matmul(512, 512, 512), {}, 1).at(0).task.machine, "made-up machine") << "the latest";

  TaskFilter elsewhere;
  elsewhere.target = "cpu,isa=avx2,threads=2";
  EXPECT_TRUE(log_.nearest(matmul(512, 512, 512), elsewhere, 10).empty());
}

TEST_F(BestTest, NearestShapeMayHaveSizesThatTheOtherLeavesOut) {
  WorkloadKey plain = matmul(64, 64, 64), batch = plain;
  batch.parameters.push_back({"batch", "8", true});
  batch.text += " batch=8";
  plain.defaults = batch.defaults = {{"batch", "1", true}};
  confirmed_run(task_of(plain), 50);
  ASSERT_EQ(log_.nearest(batch, {}, 10).size(), 1U);
  EXPECT_DOUBLE_EQ(log_.nearest(batch, {}, 10)[0].distance, 3);
  confirmed_run(task_of(batch), 400);
  ASSERT_EQ(log_.nearest(plain, {}, 10).size(), 1U);
  EXPECT_DOUBLE_EQ(log_.nearest(plain, {}, 10)[0].distance, 3);
  plain.defaults.clear();
  EXPECT_TRUE(log_.nearest(plain, {}, 10).empty()) << "what it is without a default is not known";
}

TEST_F(BestTest, FindBestPrefersExactThenWhatFits) {
  confirmed_run(task_of(matmul(256, 512, 512)), 50);
  confirmed_run(task_of(matmul(500, 500, 500)), 95);
  const auto find = [&](std::int64_t m, bool fits_odd) {
    return find_best(log_, matmul(m, 512, 512), {}, {}, {}, [&](const BestRecord& record) {
      return fits_odd || record.task.workload.parameters[0].value != "500";
    });
  };
  EXPECT_EQ(find(256, true)->match, MatchKind::kExact);
  EXPECT_EQ(find(512, true)->task.workload.text, matmul(500, 500, 500).text);
  EXPECT_EQ(find(512, false)->task.workload.text, matmul(256, 512, 512).text);
  EXPECT_FALSE(find_best(log_, matmul(512, 512, 512), {}, {}, {}, [](const BestRecord&) { return false; }));
  EXPECT_STREQ(match_name(MatchKind::kNearest), "nearest");
}

TEST_F(BestTest, OneByTheBackendAtHandComesBeforeALaterOne) {
  TaskKey other = task_;
  other.backend = "another compiler";
  confirmed_run(task_, 100);
  usleep(2000);  // recorded_at has a resolution of milliseconds
  confirmed_run(other, 50);
  TaskFilter filter;
  filter.backend = task_.backend;
  const auto find = [&] {
    return find_best(log_, task_.workload, filter, task_.machine, {}, [](const BestRecord&) { return true; });
  };
  EXPECT_EQ(find()->task.backend, task_.backend);
  filter.backend = "a third compiler";
  EXPECT_EQ(find()->task.backend, "another compiler") << "the latest, as a hint";
  EXPECT_EQ(find()->match, MatchKind::kExact);
}

TEST_F(BestTest, OneOfTheFormerTargetComesAfterOneOfTheTarget) {
  TaskKey former = task_, elsewhere = task_;
  former.target = "former";
  former.backend = "another compiler";
  elsewhere.machine = "another machine";
  TaskFilter filter;
  filter.target = task_.target;
  filter.backend = task_.backend;
  const auto find = [&](const WorkloadKey& workload, const std::string& former_target) {
    return find_best(log_, workload, filter, task_.machine, {}, [](const BestRecord&) { return true; }, former_target);
  };
  confirmed_run(former, 100);
  confirmed_run(elsewhere, 50);
  ASSERT_TRUE(find(task_.workload, "former"));
  EXPECT_EQ(find(task_.workload, "former")->match, MatchKind::kExact);
  EXPECT_EQ(find(task_.workload, "former")->target_now, task_.target);
  EXPECT_EQ(find(task_.workload, "")->match, MatchKind::kOtherMachine);
  const WorkloadKey shape = matmul(256, 512, 512);
  EXPECT_EQ(find(shape, "former")->task.machine, "another machine") << "the target itself comes first";
  confirmed_run(task_, 200);
  EXPECT_EQ(find(task_.workload, "former")->task.target, task_.target);
  EXPECT_EQ(find(task_.workload, "former")->target_now, "");
}

TEST_F(BestTest, TheLatestOfSeveralMachinesAndTheOneAskedFor) {
  TaskKey other = task_;
  other.machine = "another machine";
  confirmed_run(task_, 100);
  usleep(2000);  // recorded_at has a resolution of milliseconds
  confirmed_run(other, 200);
  TaskFilter filter = filter_of(task_);
  filter.machine.clear();
  EXPECT_EQ(log_.best(filter)->task.machine, "another machine");
  EXPECT_EQ(best()->task.machine, "made-up machine");
}

}  // namespace
}  // namespace nestwright
