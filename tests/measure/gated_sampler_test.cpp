#include "measure/race/gated_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/measure/synthetic_kernels.h"

namespace nestwright {
namespace {

using ::testing::Each;
using ::testing::IsEmpty;

constexpr double kSlow = 1.5 * SyntheticKernels::kFma_ns;

/// Lets the gate learn the norm of the FMA sentinel.
void learn_norm(SyntheticMachine& machine) {
  for (int i = 0; i < 20; ++i) machine.sampler.take(0, 2, false);
  machine.kernels.calls.clear();
}

TEST(GatedSampler, ASampleOfAQuietMachineIsTakenOnce) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  const std::optional<Sample> sample = machine.sampler.take(0, 2, true);
  ASSERT_TRUE(sample.has_value());
  EXPECT_EQ(sample->ns, 2e6);
  EXPECT_EQ(sample->fma_ns, SyntheticKernels::kFma_ns);
  EXPECT_EQ(sample->disturbance, "");
  EXPECT_THAT(machine.kernels.calls[0], ::testing::ElementsAre(2));
  EXPECT_THAT(machine.kernels.warm_ups[0], ::testing::ElementsAre(true));
}

TEST(GatedSampler, ADisturbedReadingIsTakenAgain) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  learn_norm(machine);
  machine.kernels.disturb = [&](int, Reading& reading) {
    if (machine.kernels.samples_of(0) <= 2) reading.fma_ns = kSlow, reading.ns *= 3;
  };
  const std::optional<Sample> sample = machine.sampler.take(0, 2, false);
  EXPECT_EQ(sample->ns, 2e6);
  EXPECT_EQ(sample->disturbance, "");
  EXPECT_EQ(machine.kernels.samples_of(0), 3u);
  EXPECT_THAT(machine.kernels.reasons_to_pause, IsEmpty()) << "three tries at once";
}

TEST(GatedSampler, AfterThreeTriesItWaitsLongerEachTimeAndSaysWhy) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  learn_norm(machine);
  std::vector<double> pauses;
  machine.kernels.disturb = [&](int, Reading& reading) {
    pauses.push_back(machine.kernels.paused_ns);
    if (machine.kernels.samples_of(0) <= 7) reading.fma_ns = kSlow;
  };
  EXPECT_EQ(machine.sampler.take(0, 2, false)->disturbance, "");
  EXPECT_EQ(pauses, (std::vector<double>{0, 0, 0, 5e6, 15e6, 35e6, 75e6, 155e6}));
  EXPECT_THAT(machine.kernels.reasons_to_pause, Each("the FMA loop took 1.50 times its norm"));
}

TEST(GatedSampler, AfterASampleThatCountsThePausesAreShortAgain) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  learn_norm(machine);
  for (int i = 0; i < 2; ++i) {
    machine.kernels.calls.clear();
    machine.kernels.disturb = [&](int, Reading& reading) {
      if (machine.kernels.samples_of(0) <= 5) reading.fma_ns = kSlow;
    };
    const double before = machine.kernels.paused_ns;
    machine.sampler.take(0, 2, false);
    EXPECT_EQ(machine.kernels.paused_ns - before, 5e6 + 10e6 + 20e6);
  }
}

TEST(GatedSampler, WhereItStaysDisturbedItWaitsABoundedTimeAndGivesTheDisturbedSample) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  learn_norm(machine);
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  const std::optional<Sample> sample = machine.sampler.take(0, 2, false);
  EXPECT_EQ(sample->disturbance, "a thread waited 1000 us for a processor");
  EXPECT_EQ(sample->ns, 2e6);
  EXPECT_EQ(sample->call_ns, 0.5e6) << "half of two calls";
  EXPECT_GT(machine.kernels.paused_ns, 0.8e9);
  EXPECT_LT(machine.kernels.paused_ns, 1.3e9) << "a second, and a tenth of the time that it ran";
  // The wait budget is used up, so later samples take three attempts and hardly a pause.
  const double waited = machine.kernels.paused_ns;
  machine.kernels.calls.clear();
  for (int i = 0; i < 10; ++i) EXPECT_NE(machine.sampler.take(0, 2, false)->disturbance, "");
  EXPECT_LE(machine.kernels.samples_of(0), 31u);
  EXPECT_LE(machine.kernels.paused_ns - waited, 160e6);
}

TEST(GatedSampler, WhereMostReadingsAreDisturbedNoneIsTakenAgainAtOnce) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  learn_norm(machine);
  const auto readings_of_ten = [&] {
    machine.kernels.calls.clear();
    for (int i = 0; i < 10; ++i) machine.sampler.take(0, 2, false);
    return machine.kernels.samples_of(0);
  };
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  for (int i = 0; i < 30; ++i) machine.sampler.take(0, 2, false);
  EXPECT_LE(readings_of_ten(), 12u) << "what is left of the waits aside";
  machine.kernels.disturb = {};
  for (int i = 0; i < 30; ++i) machine.sampler.take(0, 2, false);
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  EXPECT_GE(readings_of_ten(), 20u);
}

TEST(GatedSampler, LongReadingsAreTakenAgainAsFarAsTheWaitBudgetGoes) {
  SyntheticMachine machine(CallTimes{{0, 0.4e9}});
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 0.1e9; };
  EXPECT_NE(machine.sampler.take(0, 1, false)->disturbance, "");
  EXPECT_EQ(machine.kernels.samples_of(0), 3u) << "0.8 of a second and a tenth of what passed";
  EXPECT_NE(machine.sampler.take(0, 1, false)->disturbance, "");
  EXPECT_EQ(machine.kernels.samples_of(0), 4u);
  EXPECT_EQ(machine.kernels.paused_ns, 0);
}

TEST(GatedSampler, WhatTheThreadsOfALoopWaitedIsNotKnownToHaveCostTime) {
  SyntheticMachine machine(CallTimes{{0, 1e6}}, 0.1, 2);
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  machine.wait_budget.set_end([] { return true; });
  const std::optional<Sample> sample = machine.sampler.take(0, 2, false);
  EXPECT_NE(sample->disturbance, "");
  EXPECT_EQ(sample->call_ns, 1e6);
}

TEST(GatedSampler, OnceItsTimeIsOverNothingIsTakenAgain) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  machine.wait_budget.set_end([] { return true; });
  EXPECT_NE(machine.sampler.take(0, 2, false)->disturbance, "");
  EXPECT_EQ(machine.kernels.samples_of(0), 1u);
  EXPECT_EQ(machine.kernels.paused_ns, 0);
}

TEST(GatedSampler, ACandidateThatFailedGivesNoSample) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  machine.kernels.fails_at = {{0, 1}};
  EXPECT_FALSE(machine.sampler.take(0, 2, false).has_value());
  EXPECT_EQ(machine.kernels.samples_of(0), 1u);
}

TEST(GatedSampler, ACandidateThatFailsWhenItIsTakenAgainGivesNoSample) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  machine.kernels.fails_at = {{0, 2}};
  machine.kernels.disturb = [](int, Reading& reading) { reading.queue_ns = 1e6; };
  EXPECT_FALSE(machine.sampler.take(0, 2, false).has_value());
}

TEST(GatedSampler, LooksAroundForWhatIsSeenOnceAPass) {
  SyntheticMachine machine(CallTimes{{0, 1e6}});
  machine.kernels.around = [] { return Surroundings{2e6, 0}; };
  PassObservation observation = machine.sampler.observe();
  EXPECT_EQ(observation.surroundings.walk_ns, 2e6);
  EXPECT_EQ(observation.disturbance, "");
  machine.kernels.around = [] { return Surroundings{2e6, 20e6}; };
  observation = machine.sampler.observe();
  EXPECT_EQ(observation.surroundings.steal_ns, 20e6);
  EXPECT_EQ(observation.disturbance, "the hypervisor took 20 ms");
}

TEST(GatedSampler, StealIsJudgedByTheReadingsSinceTheLastLook) {
  SyntheticMachine machine(CallTimes{{0, 1e9}});
  machine.kernels.around = [] { return Surroundings{2e6, 10e6}; };
  for (int i = 0; i < 2; ++i) machine.sampler.take(0, 2, false);
  PassObservation observation = machine.sampler.observe();
  EXPECT_EQ(observation.surroundings.readings_ns, 4e9);
  EXPECT_EQ(observation.disturbance, "");
  machine.kernels.call_ns[0] = 0.25e9;
  machine.sampler.take(0, 1, false);
  observation = machine.sampler.observe();
  EXPECT_EQ(observation.surroundings.readings_ns, 0.25e9);
  EXPECT_EQ(observation.disturbance, "the hypervisor took 10 ms");
}

TEST(WaitBudget, AllowsASecondAndItsShareOfTheTimeThatPassed) {
  FakeClock clock;
  WaitBudget budget(clock, 0.1);
  EXPECT_TRUE(budget.spend(0.9e9));
  EXPECT_FALSE(budget.spend(0.2e9));
  EXPECT_TRUE(budget.spend(0.1e9)) << "what was refused does not count as waited";
  EXPECT_FALSE(budget.spend(0.1e9));
  clock.advance(2'000'000'000);
  EXPECT_TRUE(budget.spend(0.2e9));
  EXPECT_FALSE(budget.spend(0.01e9));
}

}  // namespace
}  // namespace nestwright
