#include "measure/race/disturbance_gate.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

constexpr double kNorm_ns = 8e3;

/// An undisturbed reading of 2 ms.
Reading quiet() { return {.ns = 2e6, .fma_ns = kNorm_ns, .cpu_ns = 2e6}; }
Reading with_fma(double fma_ns) { return {.ns = 2e6, .fma_ns = fma_ns, .cpu_ns = 2e6}; }

/// A gate that knows its norms.
DisturbanceGate experienced() {
  DisturbanceGate gate;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(gate.classify(quiet()), "");
    EXPECT_EQ(gate.classify(Surroundings{1e6, 0}), "");
  }
  return gate;
}

TEST(DisturbanceGate, AnFmaLoopOffItsNormDisturbs) {
  DisturbanceGate gate = experienced();
  EXPECT_EQ(gate.classify(with_fma(1.09 * kNorm_ns)), "");
  EXPECT_EQ(gate.classify(with_fma(1.75 * kNorm_ns)), "the FMA loop took 1.75 times its norm");
  EXPECT_EQ(gate.classify(with_fma(0.7 * kNorm_ns)), "") << "nothing disturbs by making it faster";
}

TEST(DisturbanceGate, AWalkOffItsNormDisturbs) {
  DisturbanceGate gate = experienced();
  EXPECT_EQ(gate.classify(Surroundings{1.3e6, 0}), "");
  EXPECT_EQ(gate.classify(Surroundings{2e6, 0}), "the walk through memory took 2.00 times its norm");
}

TEST(DisturbanceGate, StealDisturbs) {
  DisturbanceGate gate = experienced();
  EXPECT_EQ(gate.classify(Surroundings{1e6, 10e6}), "the hypervisor took 10 ms");
}

TEST(DisturbanceGate, WaitingForAProcessorDisturbs) {
  DisturbanceGate gate = experienced();
  Reading reading = quiet();
  reading.queue_ns = 40e3;
  EXPECT_EQ(gate.classify(reading), "") << "less than the grain of the accounts";
  reading.queue_ns = 60e3;
  EXPECT_EQ(gate.classify(reading), "a thread waited 60 us for a processor");
}

TEST(DisturbanceGate, CpuTimeIsThatOfTheSpanWithUntimedWork) {
  DisturbanceGate gate = experienced();
  Reading reading{.ns = 2e6, .span_ns = 5e6, .fma_ns = kNorm_ns, .cpu_ns = 5e6 - 40e3};
  EXPECT_EQ(gate.classify(reading), "");
  reading.cpu_ns = 5e6 - 60e3;
  EXPECT_EQ(gate.classify(reading), "the processor was away for 60 us");
}

TEST(DisturbanceGate, CpuTimeThatIsMissingDisturbs) {
  DisturbanceGate gate = experienced();
  Reading reading = quiet();
  reading.cpu_ns = reading.ns - 60e3;
  EXPECT_EQ(gate.classify(reading), "the processor was away for 60 us");
  reading = {.ns = 100e6, .fma_ns = kNorm_ns, .cpu_ns = 99.1e6};
  EXPECT_EQ(gate.classify(reading), "") << "less than a percent of it";
  reading.cpu_ns = 2 * reading.ns;
  EXPECT_EQ(gate.classify(reading), "") << "two threads";
}

TEST(DisturbanceGate, SwitchesDisturbWhereTheyCostTime) {
  DisturbanceGate gate = experienced();
  Reading reading = quiet();
  reading.involuntary_switches = 2;
  EXPECT_EQ(gate.classify(reading), "") << "switched back at once";
  reading.queue_ns = 30e3;
  EXPECT_EQ(gate.classify(reading), "2 involuntary switches");
  reading.queue_ns = 0;
  reading.cpu_ns -= 30e3;
  EXPECT_EQ(gate.classify(reading), "2 involuntary switches");
}

// What a quiet machine takes from a product of 2048 cubed on two threads.
TEST(DisturbanceGate, WhatALongReadingMayLoseIsRelativeToItsLength) {
  DisturbanceGate gate = experienced();
  Reading reading{.ns = 80e6, .fma_ns = kNorm_ns, .cpu_ns = 159e6, .queue_ns = 60e3, .involuntary_switches = 8};
  EXPECT_EQ(gate.classify(reading), "") << "60 us of 80 ms, in 8 switches";
  reading.queue_ns = 2.3e6;
  EXPECT_EQ(gate.classify(reading), "") << "less than three percent";
  reading.queue_ns = 2.5e6;
  EXPECT_EQ(gate.classify(reading), "a thread waited 2500 us for a processor");
  reading = {.ns = 10e6, .fma_ns = kNorm_ns, .cpu_ns = 20e6, .queue_ns = 110e3};
  EXPECT_EQ(gate.classify(reading), "a thread waited 110 us for a processor") << "a percent of 10 ms";
  reading = {.ns = 2e6, .fma_ns = kNorm_ns, .cpu_ns = 4e6, .queue_ns = 19e3, .involuntary_switches = 1};
  EXPECT_EQ(gate.classify(reading), "") << "a percent of 2 ms are 20 us";
  reading.queue_ns = 21e3;
  EXPECT_EQ(gate.classify(reading), "1 involuntary switches");
}

TEST(DisturbanceGate, ALoopOfMicrosecondsSaysNothingAboutALongReading) {
  DisturbanceGate gate = experienced();
  EXPECT_EQ(gate.classify(Reading{.ns = 80e6, .fma_ns = 2 * kNorm_ns, .cpu_ns = 160e6}), "");
  EXPECT_NE(gate.classify(Reading{.ns = 10e6, .fma_ns = 2 * kNorm_ns, .cpu_ns = 20e6}), "");
  EXPECT_EQ(gate.classify(Surroundings{2e6, 0, 0.3e9}), "");
  EXPECT_NE(gate.classify(Surroundings{2e6, 0, 0.1e9}), "");
}

TEST(DisturbanceGate, StealIsRelativeToTheReadingsOfThePass) {
  DisturbanceGate gate = experienced();
  EXPECT_EQ(gate.classify(Surroundings{1e6, 10e6, 0.35e9}), "") << "a tick of 10 ms in a third of a second";
  EXPECT_EQ(gate.classify(Surroundings{1e6, 10e6, 0.3e9}), "the hypervisor took 10 ms");
  EXPECT_EQ(gate.classify(Surroundings{1e6, 30e6, 0.9e9}), "the hypervisor took 30 ms");
  EXPECT_EQ(gate.classify(Surroundings{1e6, 10e6, 0.15e9}), "the hypervisor took 10 ms");
}

TEST(DisturbanceGate, WithoutANormNothingIsOffIt) {
  DisturbanceGate gate;
  for (int i = 0; i < 5; ++i) EXPECT_EQ(gate.classify(with_fma(kNorm_ns * (1 + i))), "");
  EXPECT_EQ(gate.classify(with_fma(10 * kNorm_ns)), "the FMA loop took 5.00 times its norm")
      << "the second of five, a low quantile";
}

TEST(DisturbanceGate, WhatADeviceDoesNotTellDoesNotDisturb) {
  DisturbanceGate gate = experienced();
  EXPECT_EQ(gate.classify(Reading{.ns = 20e6}), "");
  EXPECT_EQ(gate.classify(Surroundings{}), "");
  EXPECT_NE(gate.classify(with_fma(2 * kNorm_ns)), "") << "readings without a sentinel are not its norm";
}

TEST(DisturbanceGate, TheNormFollowsASlowDrift) {
  DisturbanceGate gate = experienced();
  double fma_ns = kNorm_ns, walk_ns = 1e6;
  for (int i = 0; i < 2000; ++i) {
    fma_ns *= 1.0003;
    walk_ns *= 1.0003;
    EXPECT_EQ(gate.classify(with_fma(fma_ns)), "") << i;
    EXPECT_EQ(gate.classify(Surroundings{walk_ns, 0}), "") << i;
  }
  EXPECT_GT(fma_ns, 1.8 * kNorm_ns);
}

TEST(DisturbanceGate, TheNormDoesNotFollowAShortBurst) {
  DisturbanceGate gate;
  for (int i = 0; i < 256; ++i) gate.classify(quiet());
  for (int i = 0; i < 150; ++i) EXPECT_NE(gate.classify(with_fma(1.5 * kNorm_ns)), "") << i;
  EXPECT_EQ(gate.classify(quiet()), "");
}

// A lasting slowdown becomes the norm.
TEST(DisturbanceGate, TheNormFollowsAStepThatLasts) {
  DisturbanceGate gate;
  for (int i = 0; i < 256; ++i) gate.classify(quiet());
  for (int i = 0; i < 256; ++i) gate.classify(with_fma(1.5 * kNorm_ns));
  EXPECT_EQ(gate.classify(with_fma(1.5 * kNorm_ns)), "");
}

TEST(DisturbanceGate, ANormThatWasLearntBesideALoadIsForgottenOnceItIsGone) {
  DisturbanceGate gate;
  for (int i = 0; i < 40; ++i) gate.classify(with_fma(2 * kNorm_ns));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(gate.classify(quiet()), "");
  EXPECT_NE(gate.classify(with_fma(2 * kNorm_ns)), "");
}

}  // namespace
}  // namespace nestwright
