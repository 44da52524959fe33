#include "search/reference_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace nestwright {
namespace {

std::optional<Measurement> beside(std::vector<double> reference_ns) {
  Measurement m;
  m.timing.reference_ns = std::move(reference_ns);
  return m;
}

TEST(ReferenceReadings, OneReadingOfAKernelTellsNothing) {
  ReferenceReadings readings;
  EXPECT_EQ(readings.drift(), 0);
  readings.add(1, {beside({100, 100, 100})});
  readings.add(2, {beside({700, 700, 700})});
  EXPECT_EQ(readings.drift(), 0) << "two kernels are not compared";
}

TEST(ReferenceReadings, AKernelIsComparedWithItselfInOtherChunks) {
  ReferenceReadings readings;
  readings.add(1, {beside({100, 101, 99})});
  readings.add(1, {beside({110, 111, 109})});
  readings.add(2, {beside({700, 700, 700})});
  EXPECT_NEAR(readings.drift(), std::log(1.1), 1e-12);
}

TEST(ReferenceReadings, OfAChunkTheCandidateWithMostReadingsCounts) {
  ReferenceReadings readings;
  readings.add(1, {beside({100, 100, 100})});
  readings.add(1, {std::nullopt, beside({500}), beside({120, 120, 120}), beside({})});
  EXPECT_NEAR(readings.drift(), std::log(1.2), 1e-12);
}

TEST(ReferenceReadings, DisturbedOnesAndFailuresDoNotCount) {
  ReferenceReadings readings;
  readings.add(1, {beside({100, 100, 100})});
  std::optional<Measurement> disturbed = beside({500, 500}), failed = beside({900, 900});
  disturbed->timing.disturbance = "the host withheld the cores";
  failed->outcome = Outcome::kWrongResult;
  readings.add(1, {disturbed, failed});
  EXPECT_EQ(readings.drift(), 0);
}

TEST(ReferenceReadings, OneChunkOfManyDoesNotMakeTheDrift) {
  ReferenceReadings readings;
  for (int i = 0; i < 99; ++i) readings.add(1, {beside({100, 100})});
  readings.add(1, {beside({300, 300})});
  EXPECT_EQ(readings.drift(), 0) << "2% of the pairs";
}

TEST(ReferenceReadings, AnIntervalGetsTheDriftOnTop) {
  Timing timing{.median_ns = 100, .low_ns = 100 * std::exp(-0.03), .high_ns = 100 * std::exp(0.04)};
  widen(timing, 0);
  EXPECT_DOUBLE_EQ(timing.low_ns, 100 * std::exp(-0.03));
  widen(timing, 0.04);
  EXPECT_DOUBLE_EQ(timing.low_ns, 100 * std::exp(-0.05));
  EXPECT_DOUBLE_EQ(timing.high_ns, 100 * std::exp(0.04 * std::sqrt(2.0)));
  EXPECT_EQ(timing.median_ns, 100);
  Timing none;
  widen(none, 0.04);
  EXPECT_EQ(none.low_ns, 0);
}

}  // namespace
}  // namespace nestwright
