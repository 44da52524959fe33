// The distribution of samples, and the unit of scores.
#include "measure/race/race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/measure/synthetic_kernels.h"

namespace nestwright {
namespace {

using ::testing::AllOf;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::Ge;
using ::testing::SizeIs;

constexpr EnteredKernel kIncumbent{9, 1e6};

TEST(Race, SamplesAreAsLongAsAskedFor) {
  SyntheticMachine machine({{0, 0.9e6}, {1, 1e3}, {2, 30e6}});
  machine.conditions.timing.give_up_ratio = 1e9;
  machine.race(3);
  EXPECT_THAT(machine.kernels.calls[0], Each(2));
  EXPECT_EQ(machine.kernels.calls[1].back(), 2000);
  EXPECT_THAT(machine.kernels.calls[2], Each(1));
}

TEST(Race, AWarmUpFindsTheNumberOfCallsWhereNothingIsKnown) {
  SyntheticMachine machine(CallTimes{{0, 50}});
  const RaceResult result = machine.race({{0, 0}}, std::nullopt);
  EXPECT_EQ(machine.kernels.calls[0].front(), 1);
  EXPECT_EQ(machine.kernels.calls[0].back(), 40'000);
  EXPECT_DOUBLE_EQ(result.timings[0].median_ns, 50);
}

TEST(Race, AFirstCallThatWasColdDoesNotMakeSamplesShort) {
  SyntheticMachine machine(CallTimes{{0, 1e3}});
  machine.race({{0, 500e3}}, std::nullopt);  // claims 500 us, takes 1
  EXPECT_EQ(machine.kernels.calls[0].back(), 2000);
}

TEST(Race, AnUntimedCallPrecedesShortSamplesOnly) {
  SyntheticMachine machine({{0, 190e6}, {1, 205e6}, {2, 1e3}});
  machine.race(2);
  EXPECT_THAT(machine.kernels.warm_ups[0], AllOf(SizeIs(Ge(1u)), Each(true)));
  EXPECT_THAT(machine.kernels.warm_ups[1], AllOf(SizeIs(Ge(1u)), Each(false)));
  machine.race({{2, 1e3}}, std::nullopt);
  EXPECT_TRUE(machine.kernels.warm_ups[2].back());
}

TEST(Race, OneThatIsFarBehindTheIncumbentIsGivenUpAfterTwoSamples) {
  SyntheticMachine machine({{0, 1.6e6}, {1, 1.2e6}, {9, 1e6}});
  const RaceResult result = machine.race(2, kIncumbent);
  EXPECT_TRUE(result.timings[0].ended_early);
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(2));
  EXPECT_DOUBLE_EQ(result.timings[0].median_ns, 1.6e6);
  EXPECT_FALSE(result.timings[1].ended_early);
  EXPECT_THAT(result.timings[1].samples_ns, SizeIs(3)) << "neither bad nor near";
}

// The first sample of each is slow, undetected by any sentinel.
TEST(Race, OneSlowReadingEndsNobody) {
  SyntheticMachine machine({{0, 1.1e6}, {1, 1.1e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) { return id != 9 && machine.kernels.samples_of(id) == 1 ? 5.0 : 1.0; };
  const RaceResult result = machine.race(2, kIncumbent);
  for (const Timing& timing : result.timings) {
    EXPECT_FALSE(timing.ended_early);
    EXPECT_DOUBLE_EQ(timing.median_ns, 1.1e6);
  }
}

TEST(Race, TwoSlowReadingsThatDisagreeEndNobody) {
  SyntheticMachine machine({{0, 1.05e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) {
    const std::size_t n = machine.kernels.samples_of(id);
    return id == 0 && n <= 2 ? (n == 1 ? 1.7 : 2.4) : 1.0;
  };
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_FALSE(result.timings[0].ended_early);
  EXPECT_DOUBLE_EQ(result.timings[0].median_ns, 1.05e6);
}

TEST(Race, TwoSlowReadingsOfThreeBeatNobody) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) {
    const std::size_t n = machine.kernels.samples_of(id);
    return id == 0 && (n == 2 || n == 3) ? 1.4 : 1.0;
  };
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(10));
  EXPECT_DOUBLE_EQ(result.timings[0].median_ns, 1e6);
}

// Candidate 1 seems twice as fast as it is, and candidate 0 far behind it in both of its samples.
TEST(Race, AReferenceKernelThatWasHitMakesNobodyFarBehind) {
  SyntheticMachine machine({{0, 1e6}, {1, 0.95e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) { return id != 1 && machine.kernels.samples_of(id) == 1 ? 2.0 : 1.0; };
  EXPECT_FALSE(machine.race(2, kIncumbent).timings[0].ended_early);
}

TEST(Race, OneSlowReadingOfTheReferenceKernelEndsNobody) {
  SyntheticMachine machine({{0, 1.1e6}, {1, 0.9e6}, {9, 1e6}});
  machine.kernels.slowdown = [&](int id) { return id == 9 && machine.kernels.samples_of(9) == 1 ? 5.0 : 1.0; };
  for (const Timing& timing : machine.race(2, kIncumbent).timings) EXPECT_FALSE(timing.ended_early);
}

// Both checked calls took that long.
TEST(Race, AHopelessOneIsNotCalledAgain) {
  SyntheticMachine machine({{0, 500e6}, {9, 1e6}});
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_TRUE(result.timings[0].ended_early);
  EXPECT_EQ(result.timings[0].median_ns, 500e6);
  EXPECT_EQ(machine.kernels.samples_of(0), 0u);
}

TEST(Race, TheCheckedCallsOfALongOneDecideUnlessATimeSliceExplainsThem) {
  SyntheticMachine machine({{0, 140e6}, {1, 120e6}, {9, 100e6}});
  const RaceResult result = machine.race(2, EnteredKernel{9, 100e6});
  EXPECT_TRUE(result.timings[0].ended_early);
  EXPECT_EQ(machine.kernels.samples_of(0), 0u);
  EXPECT_FALSE(result.timings[1].ended_early);
  EXPECT_THAT(result.timings[1].samples_ns, SizeIs(Ge(2u)));
}

TEST(Race, WithoutAnIncumbentTheFirstCandidateIsTheReferenceAndTheBestSoFarDecidesWhoIsGivenUp) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}, {2, 1.1e6}});
  const RaceResult result = machine.race(3);
  EXPECT_EQ(result.reference, 0u);
  EXPECT_DOUBLE_EQ(result.reference_ns, 1e6);
  EXPECT_FALSE(result.successor.has_value());
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(Ge(10u))) << "it is what the others are held against";
  EXPECT_FALSE(result.timings[0].ended_early);
  EXPECT_TRUE(result.timings[1].ended_early);
  EXPECT_FALSE(result.timings[2].ended_early);
}

TEST(Race, WithAnIncumbentNobodyIsTheReference) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_FALSE(result.reference.has_value());
  EXPECT_FALSE(result.incumbent_failed);
  EXPECT_EQ(result.reference_ns, 1e6);
}

TEST(Race, AReferenceThatFailsGivesWayToTheNextCandidate) {
  SyntheticMachine machine({{0, 1e6}, {1, 2e6}, {2, 2.2e6}});
  machine.kernels.fails_at = {{0, 4}};
  const RaceResult result = machine.race(3);
  EXPECT_EQ(result.reference, 1u);
  EXPECT_DOUBLE_EQ(result.timings[2].median_ns, 2.2e6);
  EXPECT_EQ(machine.kernels.samples_of(0), 4u);
}

TEST(Race, AReferenceThatFailsLaterGivesWayToTheNextCandidateToo) {
  SyntheticMachine machine({{0, 2e6}, {1, 2e6}, {2, 2.2e6}});
  machine.kernels.fails_at = {{0, 11}};  // in the first pass with the others
  const RaceResult result = machine.race(3);
  EXPECT_EQ(result.reference, 1u);
  EXPECT_DOUBLE_EQ(result.timings[1].median_ns, 2e6);
  EXPECT_DOUBLE_EQ(result.timings[2].median_ns, 2.2e6);
}

TEST(Race, OnlyThoseNearTheBestGetMoreSamplesAndTheIncumbentIsSampledInEachPass) {
  SyntheticMachine machine({{0, 1.00e6}, {1, 1.02e6}, {2, 1.3e6}, {9, 1.01e6}});
  machine.kernels.scatter(0.03);
  const RaceResult result = machine.race(3, EnteredKernel{9, 1.01e6});
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(Ge(10u)));
  EXPECT_THAT(result.timings[1].samples_ns, SizeIs(Ge(5u)));
  EXPECT_THAT(result.timings[2].samples_ns, SizeIs(3));
  for (const Timing& timing : result.timings) EXPECT_EQ(timing.samples_ns.size(), timing.reference_ns.size());
}

TEST(Race, OneThatIsClearlySlowerStopsBeforeTheLastRound) {
  SyntheticMachine machine({{0, 1.00e6}, {1, 1.05e6}, {9, 1.00e6}});
  machine.kernels.scatter(0.002);
  const RaceResult result = machine.race(2, kIncumbent);
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(Ge(10u)));
  EXPECT_THAT(result.timings[1].samples_ns, SizeIs(5)) << "5% behind in each of five pairs";
}

TEST(Race, OneThatTurnsOutClearlySlowerStopsWithinTheLastRound) {
  SyntheticMachine machine({{0, 1.00e6}, {1, 1.012e6}, {9, 1.00e6}});
  // One lucky sample among the first five keeps the second candidate in the race.
  machine.kernels.slowdown = [&](int id) { return id == 1 && machine.kernels.samples_of(1) == 2 ? 0.98 : 1.0; };
  const RaceResult result = machine.race(2, kIncumbent);
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(10)) << "the best is worth all of them";
  EXPECT_GT(result.timings[1].samples_ns.size(), 5u);
  EXPECT_LT(result.timings[1].samples_ns.size(), 10u);
  EXPECT_FALSE(result.timings[1].ended_early) << "it may be a finalist";
}

TEST(Race, TheOrderWithinAPassIsRandomButRepeatable) {
  const auto order = [](std::uint64_t seed) {
    SyntheticMachine machine({{0, 1e6}, {1, 1e6}, {2, 1e6}, {3, 1e6}, {4, 1e6}, {5, 1e6}});
    machine.conditions.seed = seed;
    machine.race(6);
    return machine.kernels.order;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Race, ScoresAreRatiosToTheReferenceWhateverTheClockDoes) {
  SyntheticMachine machine({{0, 1.02e6}, {1, 0.98e6}, {9, 1e6}});
  double clock = 1;
  machine.kernels.slowdown = [&](int) { return clock *= 1.0005; };  // the machine slows down continuously
  machine.kernels.disturb = [&](int, Reading& reading) { reading.fma_ns *= clock; };
  const RaceResult result =
      machine.race(2, EnteredKernel{9, 2e6});  // its reference time was measured on a slower machine
  EXPECT_THAT(result.timings[0].samples_ns, Each(DoubleNear(2.04e6, 0.005e6)));
  EXPECT_THAT(result.timings[1].samples_ns, Each(DoubleNear(1.96e6, 0.005e6)));
  EXPECT_GT(result.timings[1].raw_ns.back(), result.timings[1].raw_ns.front() * 1.01) << "as read from the clock";
  for (const Timing& timing : result.timings) {
    ASSERT_EQ(timing.samples_ns.size(), timing.raw_ns.size());
    ASSERT_EQ(timing.samples_ns.size(), timing.reference_ns.size());
    EXPECT_EQ(timing.samples_ns.size(), timing.passes.size());
    for (std::size_t i = 0; i < timing.raw_ns.size(); ++i) {
      EXPECT_DOUBLE_EQ(timing.samples_ns[i], 2e6 * timing.raw_ns[i] / timing.reference_ns[i]);
    }
  }
}

// The clock slows by a tenth while the reference is sampled alone, and by another tenth while the others are.
TEST(Race, ACandidateThatIsTheReferenceIsInTheUnitOfTheOthers) {
  SyntheticMachine machine({{0, 1.00e6}, {1, 1.00e6}, {2, 1.02e6}});
  double clock = 1;
  machine.kernels.slowdown = [&](int) { return clock *= 1.005; };
  machine.kernels.disturb = [&](int, Reading& reading) { reading.fma_ns *= clock; };
  const RaceResult result = machine.race(3);
  ASSERT_EQ(result.reference, 0u);
  EXPECT_NEAR(result.timings[1].median_ns / result.timings[0].median_ns, 1.00, 0.01);
  EXPECT_NEAR(result.timings[2].median_ns / result.timings[0].median_ns, 1.02, 0.01);
  EXPECT_DOUBLE_EQ(result.timings[0].median_ns, result.reference_ns);
}

TEST(Race, ShortAndLongKernelsFollowOneRule) {
  for (const double scale : {1e3, 1e6, 40e6}) {
    SyntheticMachine machine({{0, 1.01 * scale}, {9, scale}});
    double clock = 1;
    machine.kernels.slowdown = [&](int) { return clock *= 1.001; };
    machine.kernels.disturb = [&](int, Reading& reading) { reading.fma_ns *= clock; };
    const Timing timing = machine.race(1, EnteredKernel{9, scale}).timings[0];
    EXPECT_THAT(timing.samples_ns, Each(DoubleNear(1.01 * scale, 0.005 * scale)));
    EXPECT_THAT(timing.fma_ns, SizeIs(timing.samples_ns.size())) << "a long sample has its sentinels, too";
    EXPECT_THAT(timing.walk_ns, SizeIs(timing.samples_ns.size()));
  }
}

TEST(Race, OnADeviceThereAreNoSentinels) {
  SyntheticMachine machine({{0, 1.01e6}, {9, 1e6}});
  machine.kernels.disturb = [](int, Reading& reading) { reading = {.ns = reading.ns}; };
  machine.kernels.around = [] { return Surroundings{}; };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_THAT(timing.samples_ns, Each(DoubleNear(1.01e6, 1)));
  EXPECT_FALSE(timing.is_disturbed());
  EXPECT_TRUE(timing.fma_ns.empty());
  EXPECT_TRUE(timing.walk_ns.empty());
}

TEST(Race, ALongOneGetsFewerSamplesAndTwoAtLeast) {
  SyntheticMachine machine({{0, 60e6}, {1, 62e6}, {2, 400e6}});
  const RaceResult near = machine.race(2, EnteredKernel{0, 60e6});
  EXPECT_THAT(near.timings[0].samples_ns, SizeIs(5)) << "0.3 s";
  EXPECT_THAT(near.timings[1].samples_ns, SizeIs(4));
  EXPECT_THAT(machine.race({{2, 400e6}}, std::nullopt).timings[0].samples_ns, SizeIs(2));
}

TEST(Race, OneThatFailsDropsOutAndTheOthersGoOn) {
  SyntheticMachine machine({{0, 1e6}, {1, 1e6}, {2, 1e6}, {9, 1e6}});
  machine.kernels.fails_at = {{0, 1}, {2, 3}};
  const RaceResult result = machine.race(3, kIncumbent);
  EXPECT_THAT(result.timings[0].samples_ns, SizeIs(0));
  EXPECT_THAT(result.timings[1].samples_ns, SizeIs(10));
  EXPECT_THAT(result.timings[2].samples_ns, SizeIs(2));
  EXPECT_EQ(machine.kernels.samples_of(0), 1u) << "not asked again";
  EXPECT_EQ(machine.kernels.samples_of(2), 3u);
}

TEST(Race, WhereAllFailThereIsNoTimeAndNoReference) {
  SyntheticMachine machine({{0, 1e6}, {1, 1e6}});
  machine.kernels.fails_at = {{0, 1}, {1, 1}};
  const RaceResult result = machine.race(2);
  EXPECT_FALSE(result.reference.has_value());
  EXPECT_THAT(result.timings, SizeIs(2));
  for (const Timing& timing : result.timings) EXPECT_EQ(timing.median_ns, 0);
}

TEST(Race, AnOrdinaryCandidateCostsFewMilliseconds) {
  CallTimes call_ns = {{99, 1.6e6}};
  for (int i = 0; i < 16; ++i) call_ns[i] = 1.6e6 * (1 + 0.1 * i);
  SyntheticMachine machine(call_ns);
  machine.race(16, EnteredKernel{99, 1.6e6});
  EXPECT_LT(machine.kernels.sampled_ns / 16, 12e6) << "the incumbent's samples among it";
}

TEST(Race, EndsBetweenTwoPassesWhereItIsOver) {
  SyntheticMachine machine({{0, 1e6}, {1, 1e6}, {9, 1e6}});
  machine.conditions.is_over = [&] { return machine.kernels.samples_of(9) >= 2; };
  const RaceResult result = machine.race(2, kIncumbent);
  for (const Timing& timing : result.timings) {
    EXPECT_THAT(timing.samples_ns, SizeIs(2));
    EXPECT_DOUBLE_EQ(timing.median_ns, 1e6) << "what there is";
  }
  EXPECT_FALSE(result.successor.has_value());
}

TEST(Race, APartIsScoredAsItsWhole) {
  // The incumbent takes 160 ms and its part an eighth; the candidates' parts take 10 and 18 ms.
  SyntheticMachine machine({{0, 10e6}, {1, 18e6}, {9, 20e6}});
  machine.conditions.timing = of_parts(machine.conditions.timing);
  const std::vector<EnteredKernel> parts = {{0, 160e6, 0, 12}, {1, 160e6, 0, 8}};
  const RaceResult result = machine.race(parts, EnteredKernel{9, 160e6, 0, 8});
  EXPECT_NEAR(result.timings[0].median_ns, 120e6, 1e3);
  EXPECT_NEAR(result.timings[1].median_ns, 144e6, 1e3);
  EXPECT_EQ(result.timings[0].part_ratio, 12);
  EXPECT_THAT(result.timings[0].raw_ns, Each(DoubleNear(120e6, 1e3)));
  EXPECT_THAT(result.timings[0].reference_ns, Each(DoubleNear(160e6, 1e3)));
  EXPECT_EQ(result.successor, 0u);
  EXPECT_NEAR(result.timings[result.successor.value()].median_ns, 120e6, 1e3);
  EXPECT_THAT(machine.kernels.calls[0], Each(1));
  EXPECT_THAT(machine.kernels.warm_ups[0], Each(false));
}

TEST(Race, TheRankingByPartsIsThatOfTheWholes) {
  // Kernel i takes 100 + i ms as a whole; its part takes a share of that, which differs, and scatters by half a
  // percent.
  constexpr int kKernels = 8;
  SyntheticMachine machine(CallTimes{{99, 100e6 / 8}});
  std::vector<EnteredKernel> parts;
  for (int i = 0; i < kKernels; ++i) {
    const double ratio = 6.0 + (i * 5) % 7;
    machine.kernels.call_ns[i] = (90e6 + 2e6 * i) / ratio;
    parts.push_back({i, 100e6, 0, ratio});
  }
  machine.kernels.scatter(0.005);
  machine.conditions.timing = of_parts(machine.conditions.timing);
  const RaceResult result = machine.race(parts, EnteredKernel{99, 100e6, 0, 8});
  EXPECT_EQ(result.successor, 0u);
  for (int i = 0; i < kKernels; ++i) EXPECT_NEAR(result.timings[i].median_ns, 90e6 + 2e6 * i, 1.5e6) << i;
}

}  // namespace
}  // namespace nestwright
