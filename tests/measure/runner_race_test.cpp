// The runner's reports of reference kernels, successors and disturbances. Other users of the machine can spoil single
// races, so tests of times need only one good race of several.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "codegen/backend.h"
#include "measure/race/race.h"
#include "measure/race/race_finalists.h"
#include "tests/measure/planted.h"

namespace nestwright {
namespace {

using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::SizeIs;

constexpr int kAttempts = 50;  // about 10 ms each; a disturbance lasts for a few

TEST(RunnerRace, TimesAreInProportion) {
  const auto runner = planted_runner();
  const std::vector<CompiledObject> objects = {planted("right"), planted("slow_10")};
  double ratio = 0;
  bool in_pairs = false;  // the slow one is read once in each process; except for passes in which one was disturbed
  for (int attempt = 0; attempt < kAttempts && !(in_pairs && std::abs(ratio - 10) <= 4); ++attempt) {
    const auto results = runner->race({{&objects[0]}, {&objects[1]}});
    ASSERT_THAT(results[0].timing.samples_ns, SizeIs(Ge(2u)));
    const std::vector<int>&fast = results[0].timing.passes, &slow = results[1].timing.passes;
    in_pairs = slow.size() == 3 && std::includes(fast.begin(), fast.end(), slow.begin(), slow.end());
    EXPECT_FALSE(results[1].timing.ended_early);
    ratio = results[1].timing.median_ns / results[0].timing.median_ns;
  }
  EXPECT_TRUE(in_pairs);
  EXPECT_NEAR(ratio, 10, 4);
}

TEST(RunnerRace, ARaceEndsWhereItIsOver) {
  const auto runner = planted_runner();
  const CompiledObject right = planted("right");
  int asked = 0;
  const auto results = runner->race({{&right}}, {.seconds_left = [&] { return ++asked >= 8 ? 0 : 1e9; }});
  EXPECT_THAT(results[0].timing.samples_ns, SizeIs(Ge(1u)));
  EXPECT_LE(asked, 12);
}

TEST(RunnerRace, TheFirstCallInAProcessIsNeverTimed) {
  const auto runner = planted_runner();
  const CompiledObject object = planted("slow_at_first");
  const auto expect_short = [](const std::vector<double>& readings, const char* of) {
    ASSERT_THAT(readings, SizeIs(Ge(2u)));
    for (const double ns : readings) EXPECT_LT(ns, 10e6) << of;
  };
  expect_short(run_planted(*runner, {"right"}, Contender{&object, 1e6}).measurements[0].timing.reference_ns,
               "the incumbent, which nobody checked in this process");
  expect_short(run_planted(*runner, {"slow_at_first"}, std::nullopt).measurements[0].timing.raw_ns, "a candidate");
  expect_short(runner->race({{&object}})[0].timing.raw_ns, "a finalist, in each of three processes");
}

TEST(RunnerRace, OneThatIsFarBehindTheIncumbentEndsEarly) {
  const auto runner = planted_runner();
  const CompiledObject right = planted("right");
  RunResult result;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    result = run_planted(*runner, {"slow_10", "right"}, Contender{&right, 1e3});
    if (result.measurements[0].timing.ended_early) break;
  }
  EXPECT_TRUE(result.measurements[0].timing.ended_early);
  EXPECT_TRUE(result.measurements[0].evidence.verified);
  EXPECT_THAT(result.measurements[0].timing.samples_ns, SizeIs(Ge(2u)));
  EXPECT_FALSE(result.measurements[1].timing.ended_early);
  EXPECT_FALSE(result.reference.has_value());
  EXPECT_FALSE(result.incumbent_failed);
}

TEST(RunnerRace, AHopelessOneIsCheckedAndNotSampled) {
  const auto runner = planted_runner();
  const CompiledObject right = planted("right");
  const Measurement slow = run_planted(*runner, {"slow_200000"}, Contender{&right, 1e3}).measurements[0];
  EXPECT_EQ(slow.outcome, Outcome::kOk) << slow.message;
  EXPECT_TRUE(slow.evidence.verified);
  EXPECT_TRUE(slow.timing.ended_early);
  EXPECT_THAT(slow.timing.samples_ns, SizeIs(1)) << "the faster of its two checked calls";
  EXPECT_GT(slow.timing.median_ns, 30e6);
}

TEST(RunnerRace, ScoresAreInTheUnitOfTheIncumbent) {
  const auto runner = planted_runner();
  const CompiledObject right = planted("right");
  double score = 0;
  for (int attempt = 0; attempt < kAttempts && std::abs(score - 7e6) > 1e6; ++attempt) {
    const Timing timing = run_planted(*runner, {"right"}, Contender{&right, 7e6}).measurements[0].timing;
    score = timing.median_ns;
    ASSERT_EQ(timing.raw_ns.size(), timing.samples_ns.size());
    EXPECT_LT(timing.raw_ns[0], 1e6) << "as read from the clock";
    EXPECT_EQ(timing.reference_ns.size(), timing.samples_ns.size());
  }
  EXPECT_NEAR(score, 7e6, 1e6);
}

TEST(RunnerRace, OneThatIsFasterThanTheIncumbentIsItsSuccessor) {
  const auto runner = planted_runner();
  const CompiledObject slow = planted("slow_10");
  RunResult result;
  for (int attempt = 0; attempt < kAttempts && !result.successor; ++attempt) {
    result = run_planted(*runner, {"wrong_at_7", "right"}, Contender{&slow, 10e3});
  }
  ASSERT_TRUE(result.successor.has_value());
  EXPECT_EQ(result.successor, 1u) << "of the requests, not of those that were right";
  EXPECT_NEAR(result.measurements[1].timing.median_ns, 1e3, 0.5e3);
}

TEST(RunnerRace, TheFirstThatIsRightIsTheReferenceWhereThereIsNoIncumbent) {
  const auto runner = planted_runner();
  const RunResult result = run_planted(*runner, {"wrong_at_7", "right", "slow_10"});
  ASSERT_TRUE(result.reference.has_value());
  EXPECT_EQ(result.reference, 1u);
  EXPECT_FALSE(run_planted(*runner, {"wrong_at_7"}).reference.has_value());
}

TEST(RunnerRace, AnIncumbentThatFailsIsToldAndCostsNobodyItsTime) {
  const auto runner = planted_runner();
  const CompiledObject missing = planted("no_such_symbol");
  const CompiledObject crashes = planted("wild_store");
  for (const CompiledObject* incumbent : {&missing, &crashes}) {
    const RunResult result = run_planted(*runner, {"right", "slow_2"}, Contender{incumbent, 1e3});
    EXPECT_TRUE(result.incumbent_failed);
    EXPECT_FALSE(result.successor.has_value());
    for (const Measurement& m : result.measurements) {
      EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
      EXPECT_GT(m.timing.median_ns, 0);
    }
  }
}

// The process loses its processor for a millisecond in each call.
TEST(RunnerRace, WhereTheMachineStaysDisturbedTheRunWaitsAndSaysWhy) {
  RunnerOptions options = planted_options();
  std::vector<std::string> reasons;
  options.on_wait = [&](const std::string& why) { reasons.push_back(why); };
  const auto runner = planted_runner(options);
  const CompiledObject slow = planted("slow_10");
  const RunResult result = run_planted(*runner, {"sleeps_1_ms"}, Contender{&slow, 1e9});
  EXPECT_EQ(result.measurements[0].outcome, Outcome::kOk) << result.measurements[0].message;
  EXPECT_TRUE(result.measurements[0].timing.is_disturbed());
  EXPECT_GT(result.measurements[0].timing.median_ns, 0);
  EXPECT_FALSE(result.successor.has_value());
  ASSERT_THAT(reasons, SizeIs(Ge(3u)));
  EXPECT_THAT(reasons, ::testing::Contains(HasSubstr("the processor was away for ")));
}

TEST(RunnerRace, FinalistsRaceInSeveralFreshProcesses) {
  const auto runner = planted_runner();
  const std::vector<CompiledObject> objects = {planted("right"), planted("slow_10"), planted("crashes_when_timed")};
  const auto results = runner->race({{&objects[0]}, {&objects[1]}, {&objects[2]}});
  ASSERT_THAT(results, SizeIs(3));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(results[i].outcome, Outcome::kOk) << results[i].message;
    if (results[i].timing.is_disturbed()) continue;
    EXPECT_THAT(process_medians(results[i].timing), SizeIs(3));
    EXPECT_LE(results[i].timing.low_ns, results[i].timing.median_ns);
    EXPECT_GE(results[i].timing.high_ns, results[i].timing.median_ns);
  }
  EXPECT_THAT(results[2].timing.samples_ns, SizeIs(0));
  EXPECT_EQ(results[2].outcome, Outcome::kCrash);
  EXPECT_EQ(results[2].message, "SIGSEGV while being timed");
}

TEST(RunnerRace, APartIsTimedAndNotChecked) {
  const auto runner = planted_runner();
  const CompiledObject wrong = planted("wrong_at_7"), sleeps = planted("sleeps_1_ms"), right = planted("right");
  const RunResult result = runner->run({{&wrong, 0, 0, 4}, {&sleeps, 0, 0, 4}}, Contender{&sleeps, 8e6, 0, 8});
  for (const Measurement& m : result.measurements) {
    EXPECT_EQ(m.outcome, Outcome::kOk) << m.message;
    EXPECT_FALSE(m.evidence.verified);
    EXPECT_EQ(m.timing.part_ratio, 4);
    EXPECT_EQ(m.check_ms, 0);
  }
  const Timing& timing = result.measurements[1].timing;
  ASSERT_THAT(timing.raw_ns, SizeIs(Ge(1u)));
  EXPECT_GE(timing.raw_ns[0], 4e6) << "four times a millisecond";
  EXPECT_GE(timing.reference_ns[0], 8e6);
  const RunResult whole = runner->run({{&right}}, Contender{&sleeps, 8e6, 0, 8});
  EXPECT_TRUE(whole.measurements[0].evidence.verified) << "the next one is checked";
  EXPECT_EQ(whole.measurements[0].timing.part_ratio, 0);
}

TEST(RunnerRace, AWholeIsConfirmedByFewPairsOrFoundWrong) {
  const auto runner = planted_runner();
  const CompiledObject wrong = planted("wrong_at_7"), slow = planted("slow_10"), right = planted("right");
  const RunResult failed = runner->confirm({&wrong}, Contender{&slow, 1e4});
  EXPECT_EQ(failed.measurements[0].outcome, Outcome::kWrongResult);
  EXPECT_FALSE(failed.successor.has_value());
  RunResult confirmed;
  for (int attempt = 0; attempt < kAttempts && !confirmed.successor; ++attempt) {
    confirmed = runner->confirm({&right}, Contender{&slow, 1e4});
  }
  EXPECT_TRUE(confirmed.successor.has_value());
  EXPECT_TRUE(confirmed.measurements[0].evidence.verified);
}

}  // namespace
}  // namespace nestwright
