// Races of finalists and samples for processes of their own, where nobody is given up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/measure/made_up_kernels.h"

namespace nestwright {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::SizeIs;

TEST(RaceFinalists, EveryoneGetsAllSamplesInterleaved) {
  MadeUpMachine machine({{0, 1e6}, {1, 3e6}});
  const std::vector<Timing> timings = machine.race_finalists(2);
  for (const Timing& timing : timings) {
    EXPECT_THAT(timing.samples_ns, SizeIs(20));
    EXPECT_FALSE(timing.ended_early);
    EXPECT_EQ(timing.passes, timings[0].passes);
  }
  EXPECT_DOUBLE_EQ(timings[1].median_ns, 3e6);
  for (std::size_t i = 0; i + 1 < machine.kernels.order.size(); i += 2) {
    EXPECT_NE(machine.kernels.order[i], machine.kernels.order[i + 1]) << "one of each in a pass";
  }
}

TEST(RaceFinalists, LongOnesGetFewerSamplesAllOfThemAsMany) {
  MadeUpMachine machine({{0, 150e6}, {1, 1000e6}});
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_THAT(timing.samples_ns, SizeIs(10)) << "1.5 s";
  machine.kernels.call_ns = {{0, 900e6}, {1, 1000e6}};
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_THAT(timing.samples_ns, SizeIs(6));
}

TEST(RaceFinalists, TheTwoFastestAreSampledUntilTheyAreToldApartPrecisely) {
  struct Row {
    double noise;
    std::size_t samples;
  };
  for (const Row& row : {Row{0.001, 20}, Row{0.009, 40}, Row{0.05, 60}}) {
    MadeUpMachine machine({{0, 1.00e6}, {1, 1.01e6}, {2, 1.5e6}});
    machine.kernels.scatter(row.noise, 3);
    EXPECT_NEAR(static_cast<double>(machine.race_finalists(3)[0].samples_ns.size()), row.samples,
                row.samples == 40 ? 10 : 0)
        << row.noise;
  }
}

TEST(RaceFinalists, TheOthersMayScatterAsTheyLike) {
  MadeUpMachine machine({{0, 1.00e6}, {1, 1.01e6}, {2, 1.5e6}});
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  machine.kernels.slowdown = [&](int id) { return id == 2 ? noise(random) : 1.0; };
  EXPECT_THAT(machine.race_finalists(3)[0].samples_ns, SizeIs(20));
}

TEST(RaceFinalists, ScoresAreInTheUnitOfTheFirstWhateverTheClockDoes) {
  MadeUpMachine machine({{0, 1.00e6}, {1, 0.98e6}, {2, 1.05e6}});
  double clock = 1;
  machine.kernels.slowdown = [&](int) { return clock *= 1.003; };
  machine.kernels.disturb = [&](int, Reading& reading) { reading.fma_ns *= clock; };
  const std::vector<Timing> timings = machine.race_finalists(3);
  EXPECT_GT(clock, 1.15);
  EXPECT_NEAR(timings[1].median_ns / timings[0].median_ns, 0.98, 0.004);
  EXPECT_NEAR(timings[2].median_ns / timings[0].median_ns, 1.05, 0.004);
  const MedianInterval ratio = ratio_between(timings[2], timings[1]);
  EXPECT_NEAR(ratio.median, 1.05 / 0.98, 0.004);
  EXPECT_GT(ratio.low, 1.05);
  EXPECT_LT(ratio.high, 1.09);
}

TEST(RaceFinalists, OneThatFailsIsNoUnit) {
  MadeUpMachine machine({{0, 1e6}, {1, 2e6}, {2, 3e6}});
  machine.kernels.fails_at = {{0, 3}};
  const std::vector<Timing> timings = machine.race_finalists(3);
  EXPECT_THAT(timings[1].samples_ns, SizeIs(20));
  EXPECT_DOUBLE_EQ(timings[1].median_ns, 2e6);
  EXPECT_DOUBLE_EQ(timings[2].median_ns, 3e6);
  EXPECT_THAT(timings[0].samples_ns, SizeIs(2)) << "what was taken until then";
}

TEST(RaceFinalists, WhereAllFailThereIsNoTime) {
  MadeUpMachine machine({{0, 1e6}, {1, 2e6}});
  machine.kernels.fails_at = {{0, 1}, {1, 1}};
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_EQ(timing.median_ns, 0);
}

TEST(RaceFinalists, EndsBetweenTwoPassesWhereItIsOver) {
  MadeUpMachine machine({{0, 1e6}, {1, 2e6}});
  machine.conditions.is_over = [&] { return machine.kernels.samples_of(0) >= 7; };
  for (const Timing& timing : machine.race_finalists(2)) EXPECT_THAT(timing.samples_ns, SizeIs(7));
  machine.conditions.is_over = [] { return true; };
  for (const Timing& timing : machine.race_finalists(2)) {
    EXPECT_THAT(timing.samples_ns, SizeIs(1)) << "an interrupted race still knows a time of each";
  }
}

TEST(RaceFinalists, OnADisturbedMachineTheyAreMarked) {
  MadeUpMachine machine({{0, 1e6}, {1, 2e6}});
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  for (const Timing& timing : machine.race_finalists(2)) {
    EXPECT_EQ(timing.disturbance, "a thread waited 1000 us for a processor");
    EXPECT_GT(timing.median_ns, 0);
  }
}

TEST(RatioBetween, PairsSamplesOfTheSamePasses) {
  Timing a, b;
  a.passes = {1, 2, 4, 5};
  a.raw_ns = {10, 20, 40, 50};
  b.passes = {2, 3, 4};
  b.raw_ns = {10, 999, 20};
  EXPECT_DOUBLE_EQ(ratio_between(a, b).median, 2);
  EXPECT_DOUBLE_EQ(ratio_between(b, a).median, 0.5);
  b.passes = {7, 8, 9};
  EXPECT_EQ(ratio_between(a, b).median, 0) << "no pass in common";
}

TEST(SampleProcess, TakesAFewRawSamplesOfEach) {
  MadeUpMachine machine({{0, 1e6}, {1, 3e6}});
  const std::vector<Contender> contenders = machine.contenders(2);
  const std::vector<ProcessSamples> all = sample_process(machine.sampler, machine.conditions, contenders);
  ASSERT_THAT(all, SizeIs(2));
  EXPECT_THAT(all[0].raw_ns, SizeIs(8));
  EXPECT_THAT(all[1].raw_ns, SizeIs(8));
  EXPECT_THAT(all[1].raw_ns, Each(DoubleNear(3e6, 1))) << "of one call";
  EXPECT_THAT(all[1].fma_ns, SizeIs(8));
  EXPECT_EQ(all[1].disturbance, "");
}

TEST(SampleProcess, LeavesOutWhatWasDisturbedUnlessThereIsNothingElse) {
  MadeUpMachine machine({{0, 1e6}, {1, 3e6}}, 0);
  machine.kernels.disturb = [&](int id, Reading& reading) {
    if (id == 0 && machine.kernels.samples_of(0) <= 2) return;
    reading.queue_ns = 1e6;
    reading.ns *= 2;
  };
  const std::vector<ProcessSamples> all = sample_process(machine.sampler, machine.conditions, machine.contenders(2));
  EXPECT_THAT(all[0].raw_ns, testing::ElementsAre(DoubleNear(1e6, 1), DoubleNear(1e6, 1)));
  EXPECT_EQ(all[0].disturbance, "");
  EXPECT_THAT(all[1].raw_ns, SizeIs(8));
  EXPECT_EQ(all[1].disturbance, "a thread waited 1000 us for a processor");
}

TEST(SampleProcess, OneThatFailsHasNone) {
  MadeUpMachine machine({{0, 1e6}, {1, 3e6}});
  machine.kernels.fails_at = {{0, 1}};
  const std::vector<ProcessSamples> all = sample_process(machine.sampler, machine.conditions, machine.contenders(2));
  EXPECT_THAT(all[0].raw_ns, SizeIs(0));
  EXPECT_THAT(all[1].raw_ns, SizeIs(8));
}

}  // namespace
}  // namespace nestwright
