#include "search/trials/reference_readings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>

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
  EXPECT_NEAR(readings.drift(), 3.182 * std::log(1.1), 1e-9) << "of three degrees of freedom, though there is one";
}

TEST(ReferenceReadings, OfAChunkTheCandidateWithMostReadingsCounts) {
  ReferenceReadings readings;
  readings.add(1, {beside({100, 100, 100})});
  readings.add(1, {std::nullopt, beside({500}), beside({120, 120, 120}), beside({})});
  EXPECT_NEAR(readings.drift(), 3.182 * std::log(1.2), 1e-9);
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

TEST(ReferenceReadings, TwoReadingsDifferByMoreThanTheDriftInOneOfTwentyCases) {
  std::mt19937_64 random(1);
  std::normal_distribution<double> log(0, 0.03);
  int more = 0;
  constexpr int kSessions = 4000;
  for (int session = 0; session < kSessions; ++session) {
    ReferenceReadings readings;
    for (int chunk = 0; chunk < 6; ++chunk) {
      readings.add(chunk < 3 ? 1 : 2, {beside({(chunk < 3 ? 100 : 300) * std::exp(log(random))})});
    }
    more += std::abs(log(random) - log(random)) > readings.drift();
  }
  EXPECT_GE(more, 0.04 * kSessions);
  EXPECT_LE(more, 0.06 * kSessions);
}

TEST(ReferenceReadings, DeviateAboutTheMeanOfTheirKernel) {
  ReferenceReadings readings;
  EXPECT_EQ(readings.deviation(), 0);
  for (const double log : {-0.1, 0.1}) readings.add(1, {beside({100 * std::exp(log)})});
  for (const double log : {-0.1, 0.1}) readings.add(2, {beside({300 * std::exp(log)})});
  EXPECT_NEAR(readings.deviation(), 0.1 * std::sqrt(2.0), 1e-12);
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
