// The verdicts on stored bests, and their races: what these record, and what they leave where they decide nothing.
#include "search/revalidation/revalidate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <limits>
#include <thread>

#include "logs/sqlite/database.h"
#include "support/base/clock.h"
#include "tests/lookup/small_log.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kNow = "2026-11-30T00:00:00Z";

class JudgeTest : public ::testing::Test {
 protected:
  JudgeTest() {
    best_.context.emplace(Task{parse_workload("matmul m=8 n=8 k=8"), Target::parse("cpu,isa=x86-64")});
    best_.was = figure_of(timed(1000).timing, "2026-10-01T00:00:00Z");
  }
  RevalidatedBest verdict(const RaceAgain& race) const { return judge(best_, race, 0.05, kNow); }

  StoredBest best_;
};

TEST_F(JudgeTest, ComparesTheTimes) {
  EXPECT_EQ(verdict({.measured = timed(1010)}).verdict, RevalidationVerdict::kAsBefore);
  EXPECT_EQ(verdict({.measured = timed(500)}).verdict, RevalidationVerdict::kFaster);
  const RevalidatedBest slower = verdict({.measured = timed(2000)});
  EXPECT_EQ(slower.verdict, RevalidationVerdict::kSlower);
  EXPECT_EQ(slower.comparison.ratio, 2);
  ASSERT_TRUE(slower.now.has_value());
  EXPECT_EQ(slower.now->median_ns, 2000);
  EXPECT_EQ(slower.now->recorded_at, kNow);
}

TEST_F(JudgeTest, WhatIsWrongOrRefusedIsSoOnADisturbedMachineToo) {
  for (const std::string disturbance : {"", "the hypervisor took 10 ms"}) {
    const RevalidatedBest wrong =
        verdict({.measured = failed(Outcome::kWrongResult, "C[0, 0] is 1, not 2"), .disturbance = disturbance});
    EXPECT_EQ(wrong.verdict, RevalidationVerdict::kWrong);
    EXPECT_EQ(wrong.detail, "C[0, 0] is 1, not 2");
    const RevalidatedBest refused =
        verdict({.measured = failed(Outcome::kInvalidConfig, "no such knob"), .disturbance = disturbance});
    EXPECT_EQ(refused.verdict, RevalidationVerdict::kFails);
    EXPECT_EQ(refused.detail, "invalid_config: no such knob");
  }
}

TEST_F(JudgeTest, AProcessThatFailsIsARegressionOnAQuietMachineOnly) {
  for (const Outcome outcome : {Outcome::kCompileError, Outcome::kLaunchError, Outcome::kTimeout, Outcome::kCrash}) {
    const RevalidatedBest quiet = verdict({.measured = failed(outcome, "SIGSEGV")});
    EXPECT_EQ(quiet.verdict, RevalidationVerdict::kFails);
    EXPECT_EQ(quiet.detail, std::string(outcome_name(outcome)) + ": SIGSEGV");
    const RevalidatedBest disturbed =
        verdict({.measured = failed(outcome, "SIGSEGV"), .disturbance = "the hypervisor took 10 ms"});
    EXPECT_EQ(disturbed.verdict, RevalidationVerdict::kUndecided);
    EXPECT_EQ(disturbed.detail, quiet.detail + ", while the machine was disturbed: the hypervisor took 10 ms");
  }
}

TEST_F(JudgeTest, WhatIsUndecidedHasAReason) {
  const RevalidatedBest row = verdict({});
  EXPECT_EQ(row.verdict, RevalidationVerdict::kUndecided);
  EXPECT_EQ(row.detail, "the race did not measure it");
}

TEST_F(JudgeTest, WithoutSentinelsNothingIsDecidedOnACpu) {
  Measurement m = timed(5000);
  m.timing.fma_ns.clear();
  const RevalidatedBest row = verdict({.measured = m});
  EXPECT_EQ(row.verdict, RevalidationVerdict::kUndecided);
  EXPECT_THAT(row.detail, StartsWith("an FMA loop was not timed beside both"));
}

TEST_F(JudgeTest, ADisturbedMachineDecidesNothing) {
  const RevalidatedBest row = verdict({.measured = timed(5000), .disturbance = "the hypervisor took 10 ms"});
  EXPECT_EQ(row.verdict, RevalidationVerdict::kUndecided);
  EXPECT_EQ(row.detail, "the hypervisor took 10 ms");
  Measurement noisy = timed(5000);
  noisy.timing.disturbance = "2 involuntary switches";
  EXPECT_EQ(verdict({.measured = noisy}).verdict, RevalidationVerdict::kUndecided)
      << "though others were not disturbed";
}

TEST_F(JudgeTest, NothingIsDecidedWithoutATimeToCompareWith) {
  best_.why_not_compared = "its stored time was taken on a disturbed machine";
  const RevalidatedBest row = verdict({.measured = timed(5000)});
  EXPECT_EQ(row.verdict, RevalidationVerdict::kUndecided);
  EXPECT_EQ(row.detail, best_.why_not_compared);
  best_.was.reset();
  EXPECT_EQ(verdict({.measured = timed(5000)}).verdict, RevalidationVerdict::kNew);
}

TEST_F(JudgeTest, ARaceThatWasOverIsNotReached) {
  const RevalidatedBest row = verdict({.over = "the time was over"});
  EXPECT_EQ(row.verdict, RevalidationVerdict::kNotReached);
  EXPECT_EQ(row.detail, "the time was over");
}

TEST(RevalidationVerdicts, RegressionsAndWhatIsUndecided) {
  using enum RevalidationVerdict;
  std::vector<std::string> regressions, undecided;
  for (const RevalidationVerdict each :
       {kAsBefore, kFaster, kSlower, kWrong, kFails, kUndecided, kNew, kSkipped, kNotReached}) {
    if (is_regression(each)) regressions.emplace_back(verdict_name(each));
    if (is_undecided(each)) undecided.emplace_back(verdict_name(each));
  }
  EXPECT_THAT(regressions, ElementsAre("slower", "wrong", "fails"));
  EXPECT_THAT(undecided, ElementsAre("undecided", "not_reached"));
}

/// Stored bests of this machine, whose times are made up, and their races.
class RevalidateTest : public ::testing::Test {
 protected:
  RevalidateTest() {
    setenv("NESTWRIGHT_WORKER", NESTWRIGHT_BINARY_DIR "/nestwright-worker", 1);
    for (const char* workload : {"matmul m=32 n=32 k=32", "matmul m=16 n=16 k=16"}) {
      record_default(log_, {parse_workload(workload), Target::parse("cpu")}, 1e9);
    }
  }
  std::vector<StoredBest> bests() const {
    return stored_bests(log_, {.only_changed = false}, [](const std::string& text) { return parse_workload(text); });
  }
  std::size_t races() const {
    std::size_t raced = 0;
    for (const BestRecord& record : log_.list({})) raced += record.source == BestSource::kRace ? 1 : 0;
    return raced;
  }

  const TemporaryFolder folder_;
  TuningLog log_ = TuningLog::open(folder_.file("log.db"), OpenMode::kWrite);
};

TEST_F(RevalidateTest, RacesThemInOrderAndRecordsTheirTimes) {
  std::vector<std::size_t> reported;
  std::vector<StoredBest> left = bests();
  std::vector<RevalidatedBest> rows;
  // Where the machine is disturbed, once more.
  for (int attempt = 0; attempt < 20 && !left.empty(); ++attempt) {
    const auto report = [&](std::size_t i, const RevalidatedBest&) { reported.push_back(i); };
    rows = revalidate(left, log_, {.on_verdict = report});
    if (attempt == 0) {
      EXPECT_THAT(reported, ElementsAre(0, 1));
    }
    left = bests();
    std::erase_if(left, [](const StoredBest& best) { return best.record.source == BestSource::kRace; });
  }
  EXPECT_EQ(races(), 2U);
  for (const RevalidatedBest& row : rows) {
    ASSERT_TRUE(row.now.has_value()) << row.detail;
    EXPECT_LT(row.now->median_ns, 1e8) << "a second was made up";
    EXPECT_GT(row.now->fma_ns, 0);
    EXPECT_GT(row.seconds, 0);
    EXPECT_EQ(row.failure, "");
  }
}

TEST_F(RevalidateTest, ARaceOfOneProcessReplacesNothing) {
  const StoredBest best = bests().at(0);
  for (int attempt = 0; attempt < 20; ++attempt) {
    double left = std::numeric_limits<double>::infinity();
    int asked = 0;
    // Enough for the checks, and for one pass of one process.
    const RaceAgain race = race_again(
        best, log_,
        {.seconds_left = [&] { return ++asked > 12 ? 0.0 : left; }, .hard_seconds_left = [&] { return left; }});
    if (!race.over.empty()) continue;
    EXPECT_NE(race.disturbance, "");
    EXPECT_FALSE(race.replaced_by.has_value());
    break;
  }
  EXPECT_EQ(races(), 0U);
  EXPECT_EQ(log_.best(filter_of(best.record.task))->timing.median_ns, best.record.timing.median_ns);
}

TEST_F(RevalidateTest, AnInterruptedRunReachesNothing) {
  const std::atomic<bool> interrupted = true;
  for (const RevalidatedBest& row : revalidate(bests(), log_, {.interrupt = &interrupted})) {
    EXPECT_EQ(row.verdict, RevalidationVerdict::kNotReached);
    EXPECT_EQ(row.detail, "the run was interrupted");
  }
  EXPECT_EQ(races(), 0U);
}

TEST_F(RevalidateTest, WithTooLittleTimeForAnotherRaceTheRestIsNotReached) {
  std::string detail;
  // A busy machine takes longer.
  for (double seconds = 1; seconds <= 16 && !detail.starts_with("only "); seconds *= 2) {
    const std::int64_t start_ns = steady_clock().now_ns();
    const auto leave_little = [&](std::size_t i, const RevalidatedBest& row) {
      if (i > 0) return;
      const double elapsed = 1e-9 * static_cast<double>(steady_clock().now_ns() - start_ns);
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds - 0.25 * row.seconds - elapsed));
    };
    const auto rows = revalidate(bests(), log_, {.seconds = seconds, .on_verdict = leave_little});
    EXPECT_EQ(rows.at(1).verdict, RevalidationVerdict::kNotReached);
    detail = rows.at(1).detail;
  }
  EXPECT_THAT(detail, AllOf(StartsWith("only "), HasSubstr(" seconds were left, and the longest race took ")));
}

TEST_F(RevalidateTest, WhatCannotBeTimedIsSkipped) {
  std::vector<StoredBest> some{bests().at(0)};
  some[0].obstacle = "it was recorded on another machine";
  const std::vector<RevalidatedBest> rows = revalidate(some, log_, {});
  EXPECT_EQ(rows.at(0).verdict, RevalidationVerdict::kSkipped);
  EXPECT_EQ(rows.at(0).detail, "it was recorded on another machine");
}

TEST_F(RevalidateTest, AConfigurationThatThisBuildDoesNotHaveFails) {
  std::vector<StoredBest> some{bests().at(0)};
  some[0].record.point.config.set("no_such_knob", {1});
  const std::vector<RevalidatedBest> rows = revalidate(some, log_, {});
  EXPECT_EQ(rows.at(0).verdict, RevalidationVerdict::kFails);
  EXPECT_THAT(rows.at(0).detail, StartsWith("invalid_config: the template does not have this configuration any more"));
}

TEST_F(RevalidateTest, ASessionOfARaceProposesNothing) {
  const StoredBest best = bests().at(0);
  const std::int64_t trials = log_.totals(best.record.task).trials;
  const std::size_t sessions = log_.session_units(best.record.task).size();
  revalidate({&best, 1}, log_, {});
  EXPECT_EQ(log_.totals(best.record.task).trials, trials);
  EXPECT_EQ(log_.session_units(best.record.task).size(), sessions + 1);
}

TEST_F(RevalidateTest, ARunThatEndedBeforeItMeasuredWhatAnotherBackendMadeIsContinued) {
  sqlite::Database(log_.path(), log_.path(), SQLITE_OPEN_READWRITE, 1000)
      .execute("UPDATE target SET backend = 'LLVM 3.0'");
  setenv("NESTWRIGHT_LOCK_DIR", folder_.path().c_str(), 1);  // where no tuner makes it wait when the time is over
  const StoredBest best = bests().at(0);
  ASSERT_FALSE(best.is_of_same_task());
  const TaskKey& present = best.context->key();
  const auto race = [&](double seconds) {
    return race_again(best, log_, {.seconds_left = [=] { return seconds; }, .hard_seconds_left = [] { return 60.0; }});
  };
  EXPECT_EQ(race(0).over, "the time was over before its entrants were checked");
  EXPECT_EQ(log_.totals(present).trials, 0) << "they were committed, and not compiled";
  for (int i = 0; i < 2; ++i) {
    const RaceAgain raced = race(std::numeric_limits<double>::infinity());
    EXPECT_EQ(raced.over, "");
    ASSERT_TRUE(raced.measured.has_value());
    EXPECT_EQ(raced.measured->outcome, Outcome::kOk);
    EXPECT_EQ(log_.totals(present).trials, 1) << "the default, which is the stored best, is measured once";
  }
  unsetenv("NESTWRIGHT_LOCK_DIR");
}

}  // namespace
}  // namespace nestwright
