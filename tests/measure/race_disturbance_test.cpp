// Races on disturbed machines: which samples are repeated, which are marked, and that implausible times do not win.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/measure/synthetic_kernels.h"

namespace nestwright {
namespace {

using ::testing::Contains;
using ::testing::DoubleNear;
using ::testing::Each;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr EnteredKernel kIncumbent{9, 1e6};

TEST(RaceDisturbance, ADisturbedReadingIsTakenAgainAndLeavesNoTrace) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  int n = 0;
  machine.kernels.disturb = [&](int, Reading& reading) {
    if (++n % 3 == 0) return;  // only every third reading is undisturbed
    reading.ns *= 2;
    reading.queue_ns = 1e6;
  };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_THAT(timing.samples_ns, SizeIs(10));
  EXPECT_THAT(timing.samples_ns, Each(DoubleNear(1e6, 1)));
  EXPECT_FALSE(timing.is_disturbed());
  EXPECT_THAT(machine.kernels.reasons_to_pause, IsEmpty());
}

TEST(RaceDisturbance, WhereTheMachineStaysDisturbedTheRunWaitsAndTheTimingsSayWhy) {
  SyntheticMachine machine({{0, 1.01e6}, {9, 1e6}});
  machine.kernels.disturb = [&](int, Reading& reading) {
    reading.ns += 1e6;
    reading.queue_ns = 1e6;
  };
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_EQ(result.timings[0].disturbance, "a thread waited 1000 us for a processor");
  EXPECT_NEAR(result.timings[0].median_ns, 1.01e6, 1) << "for what it is worth";
  EXPECT_THAT(machine.kernels.reasons_to_pause, Contains("a thread waited 1000 us for a processor"));
  EXPECT_LT(machine.kernels.paused_ns, 1.5e9);
  EXPECT_LE(machine.kernels.samples_of(0), 90u) << "it ends: twice as many samples, each of three tries";
}

TEST(RaceDisturbance, ADisturbedTimingIsNeverASuccessor) {
  SyntheticMachine machine({{0, 0.5e6}, {9, 1e6}});
  machine.kernels.disturb = [&](int, Reading& reading) { reading.queue_ns = 1e6; };
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_TRUE(result.timings[0].is_disturbed());
  EXPECT_FALSE(result.successor.has_value());
}

// Undisturbed during the race, disturbed from then on.
TEST(RaceDisturbance, WithoutUndisturbedFreshPairsNothingIsConfirmed) {
  SyntheticMachine machine({{0, 0.5e6}, {9, 1e6}});
  machine.kernels.disturb = [&](int, Reading& reading) {
    if (machine.kernels.samples_of(0) > 10) reading.queue_ns = 1e6;
  };
  const RaceResult result = machine.race(1, kIncumbent);
  EXPECT_FALSE(result.timings[0].is_disturbed()) << "ten of its samples count";
  EXPECT_FALSE(result.successor.has_value());
}

TEST(RaceDisturbance, ASoundOneIsConfirmedBesideADisturbedOne) {
  SyntheticMachine machine({{0, 0.8e6}, {1, 0.9e6}, {9, 1e6}});
  machine.kernels.disturb = [&](int id, Reading& reading) {
    if (id != 0) return;
    reading.ns += 1e6;
    reading.queue_ns = 1e6;
  };
  machine.conditions.timing.race_within = 10;
  const RaceResult result = machine.race(2, kIncumbent);
  EXPECT_TRUE(result.timings[0].is_disturbed());
  EXPECT_FALSE(result.timings[1].is_disturbed());
  EXPECT_EQ(result.successor, 1u);
}

TEST(RaceDisturbance, TwoUndisturbedPairsAreEnoughAndTheOthersDoNotCount) {
  SyntheticMachine machine({{0, 1.01e6}, {9, 1e6}}, 0);
  machine.kernels.disturb = [&](int id, Reading& reading) {
    if (id == 9 || machine.kernels.samples_of(0) > 2) {
      reading.ns *= id == 9 ? 1 : 3;
      reading.queue_ns = id == 9 ? 0 : 1e6;
    }
  };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_THAT(timing.samples_ns, SizeIs(2));
  EXPECT_THAT(timing.samples_ns, Each(DoubleNear(1.01e6, 1)));
  EXPECT_FALSE(timing.is_disturbed());
}

TEST(RaceDisturbance, StealRepeatsThePass) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  int passes = 0;
  machine.kernels.around = [&] { return Surroundings{1e6, ++passes == 4 ? 20e6 : 0.0}; };
  machine.kernels.slowdown = [&](int id) { return passes == 3 && id == 0 ? 2.0 : 1.0; };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_THAT(timing.samples_ns, SizeIs(10));
  EXPECT_THAT(timing.samples_ns, Each(DoubleNear(1e6, 1))) << "none of the pass from which time was stolen";
  EXPECT_EQ(machine.kernels.samples_of(0), 11u);
  EXPECT_THAT(machine.kernels.reasons_to_pause, ::testing::ElementsAre("the hypervisor took 20 ms"));
}

TEST(RaceDisturbance, AWalkOffItsNormRepeatsThePass) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  int passes = 0;
  machine.kernels.around = [&] { return Surroundings{++passes == 8 ? 3e6 : 1e6, 0}; };
  machine.kernels.slowdown = [&](int id) { return passes == 7 && id == 0 ? 2.0 : 1.0; };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_THAT(timing.samples_ns, Each(DoubleNear(1e6, 1)));
  EXPECT_THAT(timing.walk_ns, Each(1e6)) << "the memory sentinel of each pass that counts";
  EXPECT_THAT(machine.kernels.reasons_to_pause,
              ::testing::ElementsAre("the walk through memory took 3.00 times its norm"));
}

TEST(RaceDisturbance, WhatWasStolenBeforeTheRaceDisturbsNothing) {
  SyntheticMachine machine({{0, 1e6}, {9, 1e6}});
  int looks = 0;
  machine.kernels.around = [&] { return Surroundings{1e6, looks++ == 0 ? 500e6 : 0.0}; };
  machine.race(1, kIncumbent);
  EXPECT_EQ(machine.kernels.samples_of(0), 10u);
  EXPECT_THAT(machine.kernels.reasons_to_pause, IsEmpty());
}

TEST(RaceDisturbance, APassIsNotRepeatedForEver) {
  SyntheticMachine machine({{0, 1.01e6}, {9, 1e6}}, 1e9);
  machine.kernels.around = [] { return Surroundings{1e6, 10e6}; };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_EQ(timing.disturbance, "the hypervisor took 10 ms");
  EXPECT_LE(machine.kernels.samples_of(0), 66u) << "20 samples of any kind, and what the last pass adds";
}

// The disturbed readings of the reference kernel do not define the unit.
TEST(RaceDisturbance, AReferenceThatWasDisturbedAtFirstIsScoredByItsLaterReadings) {
  SyntheticMachine machine({{0, 1e6}, {1, 1.01e6}});
  machine.kernels.disturb = [&](int, Reading& reading) {
    if (machine.kernels.samples_of(1) > 0) return;
    reading.ns *= 3;
    reading.queue_ns = 1e6;
  };
  const RaceResult result = machine.race(2);
  EXPECT_FALSE(result.timings[0].is_disturbed());
  EXPECT_NEAR(result.reference_ns, 1e6, 1);
  EXPECT_NEAR(result.timings[0].median_ns, 1e6, 1);
  EXPECT_NEAR(result.timings[1].median_ns, 1.01e6, 1);
}

TEST(RaceDisturbance, OneDisturbedPassDoesNotGiveACandidateUp) {
  SyntheticMachine machine({{0, 1.1e6}, {9, 1e6}}, 0);
  bool was_late = false;
  machine.kernels.disturb = [&](int id, Reading& reading) {
    if (id == 9 || machine.kernels.samples_of(0) > 3) return;
    reading.ns *= 4;
    reading.queue_ns = 1e6;
    was_late = true;
  };
  const Timing timing = machine.race(1, kIncumbent).timings[0];
  EXPECT_TRUE(was_late);
  EXPECT_FALSE(timing.ended_early);
  EXPECT_NEAR(timing.median_ns, 1.1e6, 1);
}

TEST(RaceDisturbance, WhatIsFasterThanTheMachineIsSampledAgainAndMarked) {
  SyntheticMachine machine({{0, 0.5e6}, {9, 1e6}});
  const RaceResult result = machine.race({{0, 0.5e6, 0.6e6}}, kIncumbent);
  EXPECT_EQ(result.timings[0].disturbance, "it seems to be faster than this machine can be");
  EXPECT_EQ(machine.kernels.samples_of(0), 13u) << "three passes more";
  EXPECT_FALSE(result.successor.has_value());
}

TEST(RaceDisturbance, WhatIsAsFastAsTheMachineIsNot) {
  SyntheticMachine machine({{0, 0.5e6}, {9, 1e6}});
  const RaceResult result = machine.race({{0, 0.5e6, 0.52e6}}, kIncumbent);
  EXPECT_FALSE(result.timings[0].is_disturbed()) << "the highest rates that were seen are no law: 5%";
  EXPECT_EQ(result.successor, 0u);
}

TEST(RaceDisturbance, AFirstCandidateThatIsFasterThanTheMachineIsMarkedToo) {
  SyntheticMachine machine(CallTimes{{0, 0.5e6}});
  const RaceResult result = machine.race({{0, 0.5e6, 0.6e6}}, std::nullopt);
  EXPECT_EQ(result.timings[0].disturbance, "it seems to be faster than this machine can be");
}

TEST(RaceDisturbance, OneBehindAnotherThatIsFasterThanTheMachineIsMarkedToo) {
  SyntheticMachine machine({{0, 0.2e6}, {1, 0.5e6}, {9, 1e6}});
  machine.conditions.timing.give_up_ratio = 10;
  const RaceResult result = machine.race({{0, 0.2e6, 0.6e6}, {1, 0.5e6, 0.6e6}}, kIncumbent);
  EXPECT_TRUE(result.timings[0].is_disturbed());
  EXPECT_TRUE(result.timings[1].is_disturbed()) << "though the first one had beaten it";
}

}  // namespace
}  // namespace nestwright
