#include "bench/figures/machine/noisy_machine.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "measure/race/timing.h"

namespace nestwright::bench {
namespace {

const std::vector<PlantedKernel> kKernels = {{1e6, 0}, {1e6, 1}};

struct Seen {
  double call_ns = 0, fma_ns = 0, walk_ns = 0;
};
/// Medians of many readings of a kernel.
Seen look_at(int kernel, const Disturbances& disturbances) {
  NoisyMachine machine(kKernels, disturbances, 1);
  std::vector<double> call, fma, walk;
  for (int i = 0; i < 101; ++i) {
    const std::optional<Reading> reading = machine.sample(kernel, 2, true);
    call.push_back(reading->ns / 2);
    fma.push_back(reading->fma_ns);
    walk.push_back(machine.surroundings().walk_ns);
  }
  return {median_interval(call).median, median_interval(fma).median, median_interval(walk).median};
}

/// A disturbance that practically never ends.
Disturbances always(const Slowdown& slowdown) { return {slowdown, 1, 1e15}; }

TEST(NoisyMachine, WhileItIsQuietKernelsTakeWhatWasPlanted) {
  const Seen quiet = look_at(0, {});
  EXPECT_NEAR(quiet.call_ns, 1e6, 0.005e6);
  EXPECT_NEAR(quiet.fma_ns, 8e3, 0.1e3);
  EXPECT_NEAR(quiet.walk_ns, 400e3, 30e3);
}

TEST(NoisyMachine, ADisturbanceHitsWhatItIsSaidToHit) {
  const Seen quiet = look_at(0, {});
  const Seen core = look_at(0, always({.core = 3}));
  EXPECT_NEAR(core.call_ns / quiet.call_ns, 3, 0.05);
  EXPECT_NEAR(core.fma_ns / quiet.fma_ns, 3, 0.05);
  EXPECT_NEAR(core.walk_ns / quiet.walk_ns, 3, 0.05);
  const Seen sentinel = look_at(0, always({.sentinel = 1.75}));
  EXPECT_NEAR(sentinel.call_ns / quiet.call_ns, 1, 0.01);
  EXPECT_NEAR(sentinel.fma_ns / quiet.fma_ns, 1.75, 0.02);
  const Seen memory = look_at(0, always({.memory = 1.8}));
  EXPECT_NEAR(memory.call_ns / quiet.call_ns, 1, 0.01) << "it does not use memory";
  EXPECT_NEAR(memory.fma_ns / quiet.fma_ns, 1, 0.01);
  EXPECT_NEAR(memory.walk_ns / quiet.walk_ns, 1.8, 0.03);
  EXPECT_NEAR(look_at(1, always({.memory = 1.8})).call_ns / quiet.call_ns, 1.8, 0.02);
}

TEST(NoisyMachine, OfAShortDisturbanceAReadingHasItsPart) {
  NoisyMachine machine(kKernels, {{.core = 3}, 9e6, 1e6}, 1);
  double ns = 0;
  for (int i = 0; i < 2000; ++i) ns += machine.sample(0, 2, false)->ns;
  // A tenth of the time is disturbed; a third of the work is done in it.
  EXPECT_NEAR(ns / 4000, 1e6 / (0.9 + 0.1 / 3), 0.03e6);
}

TEST(NoisyMachine, DriftSlowsEverythingDownAndStays) {
  NoisyMachine machine(kKernels, {.drift = 0.2, .drift_ns = 1e9}, 1);
  const double before = machine.check(0);
  machine.pause(0.5e9, "");
  EXPECT_NEAR(machine.check(0) / before, 1.1, 0.02);
  machine.pause(5e9, "");
  EXPECT_NEAR(machine.check(0) / before, 1.2, 0.02);
  EXPECT_EQ(machine.paused_ns(), 5.5e9);
}

TEST(NoisyMachine, ItsClockGoesByWhatIsDone) {
  NoisyMachine machine(kKernels, {}, 1);
  const std::int64_t before = machine.clock().now_ns();
  const double ns = machine.sample(0, 10, true)->ns;
  EXPECT_GT(static_cast<double>(machine.clock().now_ns() - before), 1.1 * ns - 0.1e6);
  EXPECT_LT(static_cast<double>(machine.clock().now_ns() - before), 1.2 * ns);
}

}  // namespace
}  // namespace nestwright::bench
