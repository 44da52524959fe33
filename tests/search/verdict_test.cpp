#include "search/race/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "measure/race/timing.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;

/// An entry of a race with one pass in each process, whose samples vary by `spread` around `ns`. Each pass has a
/// disturbance that all entries share, as the machine's drift does.
RaceEntry entry(TrialId trial, double ns, double spread = 0.01, const std::string& role = "finalist", int passes = 20) {
  std::mt19937_64 own(static_cast<std::uint64_t>(trial)), common(99);
  std::uniform_real_distribution<double> noise(-spread, spread), drift(-0.2, 0.2);
  RaceEntry e;
  e.trial = trial;
  e.role = role;
  e.measurement.evidence.verified = true;
  Timing& t = e.measurement.timing;
  for (int pass = 0; pass < passes; ++pass) {
    const double factor = 1 + drift(common);
    t.raw_ns.push_back(ns * factor * (1 + noise(own)));
    t.samples_ns.push_back(t.raw_ns.back() / factor);
    t.passes.push_back(pass);
    t.processes.push_back(pass);
  }
  t.median_ns = median_interval(t.samples_ns).median;
  return e;
}

RaceEntry failed(TrialId trial, Outcome outcome, const std::string& role) {
  RaceEntry e;
  e.trial = trial;
  e.role = role;
  e.measurement.outcome = outcome;
  e.measurement.message = "why";
  return e;
}

TEST(Verdict, TheFastestWinsThoughTheMachineDrifts) {
  const Verdict v = conclude_race({entry(1, 100), entry(2, 95), entry(3, 105)});
  EXPECT_EQ(v.winner, 1);
  EXPECT_THAT(v.tied, ElementsAre(false, false, false));
  EXPECT_EQ(v.disturbance, "");
}

TEST(Verdict, ATieKeepsTheStoredBestAndIsToldAsOne) {
  const Verdict v = conclude_race({entry(1, 100.05, 0.01, kIncumbentRole), entry(2, 100), entry(3, 120)});
  EXPECT_EQ(v.winner, 0);
  EXPECT_THAT(v.tied, ElementsAre(false, true, false));
}

TEST(Verdict, OneThatIsClearlyFasterReplacesTheStoredBest) {
  const Verdict v = conclude_race({entry(1, 103, 0.01, kIncumbentRole), entry(2, 100)});
  EXPECT_EQ(v.winner, 1);
  EXPECT_THAT(v.tied, ElementsAre(false, false));
}

TEST(Verdict, AStoredBestThatFailsOrIsWrongNowIsBeaten) {
  EXPECT_EQ(conclude_race({failed(1, Outcome::kWrongResult, kIncumbentRole), entry(2, 100)}).winner, 1);
  EXPECT_EQ(conclude_race({failed(1, Outcome::kCompileError, kIncumbentRole), entry(2, 100), entry(3, 90)}).winner, 2);
}

TEST(Verdict, OfTwoThatAreAlikeInMedianTheSteadierOneWins) {
  EXPECT_EQ(conclude_race({entry(1, 100, 0.3), entry(2, 100.2, 0.005)}).winner, 1);
  EXPECT_EQ(conclude_race({entry(2, 100.2, 0.005), entry(1, 100, 0.3)}).winner, 0);
}

TEST(Verdict, ALittleSteadierIsNoReasonToBeSlower) {
  EXPECT_EQ(conclude_race({entry(1, 100, 0.06), entry(2, 100.2, 0.005)}).winner, 0);
  EXPECT_EQ(conclude_race({entry(2, 100.2, 0.005), entry(1, 100, 0.06)}).winner, 1);
}

TEST(Verdict, ADisturbedRaceNamesTheFastestAndWhyItReplacesNothing) {
  RaceEntry disturbed = entry(2, 50);
  disturbed.measurement.timing.disturbance = "the FMA loop took 1.70 times its norm";
  const Verdict v = conclude_race({entry(1, 100, 0.01, kIncumbentRole), disturbed});
  EXPECT_EQ(v.winner, 1);
  EXPECT_EQ(v.disturbance, "the FMA loop took 1.70 times its norm");
}

TEST(Verdict, OfADisturbedRaceTheFastestIsNamed) {
  RaceEntry fast = entry(1, 90), slow = entry(2, 100), wrong = failed(3, Outcome::kWrongResult, "finalist");
  fast.measurement.timing.disturbance = "a neighbour";
  slow.measurement.timing.disturbance = "a neighbour";
  EXPECT_EQ(conclude_race({wrong, slow, fast}).winner, 2);
  EXPECT_EQ(conclude_race({wrong, slow, fast}).disturbance, "a neighbour");
  EXPECT_EQ(conclude_race({wrong}).winner, std::nullopt);
}

TEST(Verdict, ADisturbedEntryThatIsSlowDecidesNothing) {
  RaceEntry slow = entry(2, 150, 0.01, "default");
  slow.measurement.timing.disturbance = "a thread waited 900 us for a processor";
  EXPECT_EQ(conclude_race({entry(1, 100), slow}).winner, 0);
  slow.role = kIncumbentRole;
  const Verdict v = conclude_race({entry(1, 100), slow});
  EXPECT_EQ(v.disturbance, "a thread waited 900 us for a processor") << "how slow the stored best is is not known";
}

TEST(Verdict, WithoutASoundEntryThereIsNoWinner) {
  EXPECT_EQ(conclude_race({failed(1, Outcome::kCrash, "finalist")}).winner, std::nullopt);
  RaceEntry unverified = entry(2, 100);
  unverified.measurement.evidence.verified = false;
  EXPECT_EQ(conclude_race({unverified}).winner, std::nullopt);
  EXPECT_EQ(conclude_race({}).winner, std::nullopt);
}

}  // namespace
}  // namespace nestwright
