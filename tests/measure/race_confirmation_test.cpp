// A candidate that seems to be faster than the reference kernel counts only if fresh samples confirm it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/measure/synthetic_kernels.h"

namespace nestwright {
namespace {

constexpr EnteredKernel kIncumbent{9, 1e6};
constexpr int kLastRound = 10;

TEST(RaceConfirmation, OneThatIsTrulyFasterIsConfirmedByMorePairsTheMoreItGains) {
  struct Row {
    double call_ns;
    int fresh_pairs;
  };
  for (const Row& row : {Row{0.99e6, 6}, Row{0.95e6, 8}, Row{0.8e6, 16}, Row{0.5e6, 30}, Row{0.1e6, 30}}) {
    SyntheticMachine machine({{0, row.call_ns}, {9, 1e6}});
    machine.kernels.scatter(0.001);
    const RaceResult result = machine.race(1, kIncumbent);
    EXPECT_EQ(result.successor, 0u) << row.call_ns;
    EXPECT_NEAR(result.timings[result.successor.value()].median_ns, row.call_ns, 0.002 * row.call_ns);
    const auto fresh = static_cast<int>(result.timings[0].samples_ns.size()) - kLastRound;
    EXPECT_NEAR(fresh, row.fresh_pairs, 1) << row.call_ns << ": all its samples make up its score";
  }
}

TEST(RaceConfirmation, TheSuccessorsTimeIsInTheUnitOfTheReference) {
  SyntheticMachine machine({{0, 0.9e6}, {9, 1e6}});
  const RaceResult result = machine.race(1, EnteredKernel{9, 3e6});  // its time in the session's unit
  ASSERT_EQ(result.successor, 0u);
  EXPECT_NEAR(result.timings[result.successor.value()].median_ns, 2.7e6, 1);
  EXPECT_EQ(result.reference_ns, 3e6);
}

TEST(RaceConfirmation, OneThatWasLuckyInTheRaceIsNotConfirmed) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) { return id == 0 && machine.kernels.samples_of(0) <= kLastRound ? 0.9 : 1.0; };
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_LE(result.timings[0].median_ns, 0.95e6) << "its score is as lucky";
  EXPECT_FALSE(result.successor.has_value());
  EXPECT_GT(machine.kernels.samples_of(0), static_cast<std::size_t>(kLastRound));
}

TEST(RaceConfirmation, HitFreshSamplesDoNotShiftTheUnitOfLaterScores) {
  SyntheticMachine machine({{0, 0.9e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) {
    const std::size_t n = machine.kernels.samples_of(9);
    return id == 9 && n > static_cast<std::size_t>(kLastRound) && n % 2 == 0 ? 2.0 : 1.0;
  };
  const RaceResult result = machine.race(1, kIncumbent);
  ASSERT_EQ(result.successor, 0u);
  EXPECT_NEAR(result.timings[result.successor.value()].median_ns, 0.9e6, 1);
  EXPECT_EQ(result.timings[result.successor.value()].median_ns, result.timings[0].median_ns);
}

TEST(RaceConfirmation, OfEqualKernelsHardlyAnyIsConfirmed) {
  int confirmed = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    CallTimes call_ns = {{9, 1e6}};
    for (int i = 0; i < 8; ++i) call_ns[i] = 1e6;
    SyntheticMachine machine(call_ns);
    machine.kernels.scatter(0.02, seed);
    machine.conditions.seed = seed;
    confirmed += machine.race(8, kIncumbent).successor.has_value();
  }
  EXPECT_LE(confirmed, 10) << "of 200; one of 64 is to be expected";
}

TEST(RaceConfirmation, OneThatIsSlowerIsNotConfirmedAndCostsNoFreshSamples) {
  SyntheticMachine machine({{0, 1.001e6}, {9, 1e6}});
  EXPECT_FALSE(machine.race(1, kIncumbent).successor.has_value());
  EXPECT_LE(machine.kernels.samples_of(0), static_cast<std::size_t>(kLastRound));
}

TEST(RaceConfirmation, TheFastestOfAllIsTheSuccessor) {
  SyntheticMachine machine({{0, 0.95e6}, {1, 0.9e6}, {2, 0.97e6}, {9, 1e6}});
  machine.kernels.scatter(0.002);
  EXPECT_EQ(machine.race(3, kIncumbent).successor, 1u);
}

TEST(RaceConfirmation, TheFirstCandidateMayHaveASuccessorAtOnce) {
  SyntheticMachine machine({{0, 1e6}, {1, 0.9e6}});
  const RaceResult result = machine.race(2);
  EXPECT_EQ(result.reference, 0u);
  EXPECT_EQ(result.successor, 1u);
  EXPECT_NEAR(result.timings[result.successor.value()].median_ns, 0.9e6, 1);
}

TEST(RaceConfirmation, ALongOneIsConfirmedByThreePairs) {
  SyntheticMachine machine({{0, 300e6}, {9, 600e6}});
  machine.kernels.scatter(0.001);
  const RaceResult result = machine.race(1, EnteredKernel{9, 600e6});
  EXPECT_EQ(result.successor, 0u);
  EXPECT_EQ(machine.kernels.samples_of(0), 5u) << "two in the race, three afresh";
}

TEST(RaceConfirmation, OneThatFailsWhileItIsConfirmedIsNoSuccessor) {
  SyntheticMachine machine({{0, 0.9e6}, {9, 1e6}});
  machine.kernels.fails_at = {{0, kLastRound + 2}};
  EXPECT_FALSE(machine.race(1, kIncumbent).successor.has_value());
}

TEST(RaceConfirmation, AnIncumbentThatFailsIsToldAndTheScoresAreRawTimes) {
  SyntheticMachine machine({{0, 0.9e6}, {1, 1.1e6}, {9, 1e6}});
  machine.kernels.fails_at = {{9, 1}};
  const RaceResult result = machine.race(2, EnteredKernel{9, 5e6});
  EXPECT_TRUE(result.incumbent_failed);
  EXPECT_EQ(machine.kernels.samples_of(9), 1u) << "not asked again";
  EXPECT_NEAR(result.timings[0].median_ns, 0.9e6, 1);
  EXPECT_NEAR(result.timings[1].median_ns, 1.1e6, 1);
  EXPECT_FALSE(result.successor.has_value()) << "there is nothing that it could be confirmed against";
  EXPECT_FALSE(result.reference.has_value()) << "a candidate that happened to be the first is no incumbent";
}

TEST(RaceConfirmation, AnIncumbentThatFailsLaterIsToldAndTheScoresAreRawTimes) {
  for (const int at : {2, 5, 9, kLastRound + 3}) {
    SyntheticMachine machine({{0, 0.9e6}, {1, 0.95e6}, {9, 1e6}});
    machine.kernels.fails_at = {{9, at}};
    const RaceResult result = machine.race(2, EnteredKernel{9, 5e6});
    EXPECT_TRUE(result.incumbent_failed);
    EXPECT_NEAR(result.timings[0].median_ns, 0.9e6, 1) << at;
    EXPECT_NEAR(result.timings[1].median_ns, 0.95e6, 1) << at;
    EXPECT_FALSE(result.successor.has_value());
  }
}

TEST(RaceConfirmation, AVeryLongOneIsConfirmedByTwoPairs) {
  SyntheticMachine machine({{0, 900e6}, {9, 1000e6}});
  machine.conditions.timing.rounds.clear();
  EXPECT_EQ(machine.race(1, EnteredKernel{9, 1000e6}).successor, 0u);
  EXPECT_EQ(machine.kernels.samples_of(0), 3u) << "one that made it a challenger, two afresh";
  SyntheticMachine slower({{0, 1001e6}, {9, 1000e6}});
  slower.conditions.timing.rounds.clear();
  EXPECT_FALSE(slower.race(1, EnteredKernel{9, 1000e6}).successor.has_value());
  EXPECT_EQ(slower.kernels.samples_of(0), 1u);
}

}  // namespace
}  // namespace nestwright
