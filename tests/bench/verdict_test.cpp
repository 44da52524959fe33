#include "bench/figures/report/verdict.h"

#include <gtest/gtest.h>

namespace nestwright::bench {
namespace {

/// A timing whose samples were taken in passes 1, 2, ... of as many processes.
Timing timing(std::vector<double> raw_ns) {
  Timing timing;
  for (std::size_t i = 0; i < raw_ns.size(); ++i) timing.passes.push_back(static_cast<int>(i) + 1);
  timing.processes = timing.passes;
  const MedianInterval interval = median_interval(raw_ns);
  timing.median_ns = interval.median;
  timing.low_ns = interval.low;
  timing.high_ns = interval.high;
  timing.samples_ns = timing.raw_ns = std::move(raw_ns);
  return timing;
}

PairedRace race(double low, double high, const std::string& disturbance = {}) {
  return {{(low + high) / 2, low, high}, 0.01, disturbance};
}

TEST(Verdict, RatioIsOfTheSecondToTheFirst) {
  const PairedRace paired = paired_race(timing({98, 99, 100, 101, 102}), timing({196, 198, 200, 202, 204}));
  EXPECT_DOUBLE_EQ(paired.ratio.median, 2);
  EXPECT_DOUBLE_EQ(paired.time_half_width, 0.02);
  EXPECT_EQ(paired.disturbance, "");
  EXPECT_EQ(verdict_of(paired), Verdict::kSlower);
}

TEST(Verdict, IntervalWithOneIsATie) {
  EXPECT_EQ(verdict_of(race(0.99, 1.01)), Verdict::kTied);
  EXPECT_EQ(verdict_of(race(1, 1.01)), Verdict::kTied);
  EXPECT_EQ(verdict_of(race(1.001, 1.01)), Verdict::kSlower);
  EXPECT_EQ(verdict_of(race(0.9, 0.99)), Verdict::kFaster);
}

TEST(Verdict, DisturbanceOfEitherKernelCounts) {
  Timing disturbed = timing({200, 200});
  disturbed.disturbance = "stolen";
  EXPECT_EQ(verdict_of(paired_race(timing({100, 100}), disturbed)), Verdict::kDisturbed);
  EXPECT_EQ(verdict_of(paired_race(disturbed, timing({100, 100}))), Verdict::kDisturbed);
  EXPECT_EQ(verdict_of(paired_race(timing({}), timing({}))), Verdict::kDisturbed)
      << "there is nothing to conclude from";
}

TEST(Verdict, TallyLeavesDisturbedRacesOutOfTheWidths) {
  const std::vector<PairedRace> races = {race(0.98, 1.02), race(1.01, 1.03), race(0.5, 0.7), race(0, 9, "stolen")};
  const Tally tally = tally_of(races);
  EXPECT_EQ(tally.races, 4);
  EXPECT_EQ(tally.disturbed, 1);
  EXPECT_EQ(tally.tied, 1);
  EXPECT_EQ(tally.slower, 1);
  EXPECT_EQ(tally.faster, 1);
  EXPECT_EQ(tally.verdicts(), 3);
  EXPECT_NEAR(tally.ratio_half_width, 0.02, 1e-9);
  EXPECT_EQ(tally.time_half_width, 0.01);
}

TEST(Verdict, ShareOfNothingIsNothing) {
  EXPECT_EQ(share_of(1, 4), 0.25);
  EXPECT_EQ(share_of(0, 0), 0);
}

}  // namespace
}  // namespace nestwright::bench
