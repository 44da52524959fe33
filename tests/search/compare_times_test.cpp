#include "search/revalidation/compare_times.h"

#include <gtest/gtest.h>

namespace nestwright {
namespace {

constexpr double kTolerance = 0.05;

KernelFigure figure(double median_ns, double fma_ns = 15e3, double walk_ns = 70e3) {
  return {median_ns, 0.98 * median_ns, 1.02 * median_ns, fma_ns, walk_ns, "2026-11-30T00:00:00Z"};
}

using enum ComparedSentinels;

TimeChange change(const KernelFigure& was, const KernelFigure& now, ComparedSentinels sentinels = kFma,
                  double tolerance = kTolerance) {
  return compare_times(was, now, tolerance, sentinels).change;
}

TEST(CompareTimes, AChangeIsOneBeyondTheRangesAndTheTolerance) {
  EXPECT_EQ(change(figure(100), figure(100)), TimeChange::kAsBefore);
  EXPECT_EQ(change(figure(100), figure(109)), TimeChange::kAsBefore) << "106.8 is within 102 * 1.05";
  EXPECT_EQ(change(figure(100), figure(110)), TimeChange::kSlower);
  EXPECT_EQ(change(figure(100), figure(92)), TimeChange::kAsBefore);
  EXPECT_EQ(change(figure(100), figure(91)), TimeChange::kFaster);
}

TEST(CompareTimes, TheToleranceIsAShare) {
  EXPECT_EQ(change(figure(100), figure(104.5), kFma, 0), TimeChange::kSlower);
  EXPECT_EQ(change(figure(100), figure(103.5), kFma, 0), TimeChange::kAsBefore) << "the ranges overlap";
  EXPECT_EQ(change(figure(100), figure(200), kFma, 1), TimeChange::kAsBefore);
  EXPECT_EQ(change(figure(100), figure(210), kFma, 1), TimeChange::kSlower);
}

TEST(CompareTimes, ReportsTheRatioOfTheMedians) {
  const TimeComparison comparison = compare_times(figure(100), figure(150, 16.5e3, 140e3), kTolerance, kFma);
  EXPECT_DOUBLE_EQ(comparison.ratio, 1.5);
  EXPECT_DOUBLE_EQ(comparison.fma_ratio, 1.1);
  EXPECT_EQ(comparison.walk_ratio, 0) << "of a kernel that is bound by arithmetic";
  EXPECT_EQ(comparison.obstacle, "");
}

TEST(CompareTimes, AMachineThatIsSlowerAsAWholeMakesNoKernelSlower) {
  EXPECT_EQ(change(figure(100), figure(130)), TimeChange::kSlower);
  EXPECT_EQ(change(figure(100), figure(130, 1.25 * 15e3)), TimeChange::kAsBefore);
  EXPECT_EQ(change(figure(100), figure(150, 1.25 * 15e3)), TimeChange::kSlower)
      << "it is slower relative to the loop, too";
}

TEST(CompareTimes, AMachineThatIsFasterMakesNoKernelSlower) {
  EXPECT_EQ(change(figure(100), figure(100, 0.8 * 15e3)), TimeChange::kAsBefore);
  EXPECT_EQ(change(figure(100), figure(80, 0.8 * 15e3)), TimeChange::kAsBefore) << "as the loop";
  EXPECT_EQ(change(figure(100), figure(70, 0.8 * 15e3)), TimeChange::kFaster);
}

TEST(CompareTimes, TheWalkThroughMemoryCountsForKernelsThatAreBoundByIt) {
  const KernelFigure now = figure(130, 15e3, 1.25 * 70e3);
  EXPECT_EQ(change(figure(100), now, kFmaAndWalk), TimeChange::kAsBefore);
  EXPECT_EQ(change(figure(100), now, kFma), TimeChange::kSlower);
}

TEST(CompareTimes, TheClockAloneDecidesOnDevicesOnly) {
  EXPECT_EQ(change(figure(100, 0, 0), figure(130, 0, 0), kNone), TimeChange::kSlower);
  EXPECT_EQ(change(figure(100, 0), figure(130)), TimeChange::kNotComparable);
  EXPECT_EQ(change(figure(100), figure(130, 0)), TimeChange::kNotComparable);
  EXPECT_EQ(change(figure(100, 15e3, 0), figure(130)), TimeChange::kSlower) << "its walk is not compared";
  const TimeComparison comparison = compare_times(figure(100, 15e3, 0), figure(130), kTolerance, kFmaAndWalk);
  EXPECT_EQ(comparison.change, TimeChange::kNotComparable);
  EXPECT_EQ(comparison.obstacle,
            "a walk through memory was not timed beside both: the speed of the machine is not known");
}

TEST(CompareTimes, TwoDifferentMachinesAreNotCompared) {
  for (const double factor : {0.45, 2.2}) {
    const TimeComparison comparison = compare_times(figure(100), figure(500, factor * 15e3), kTolerance, kFma);
    EXPECT_EQ(comparison.change, TimeChange::kNotComparable);
    EXPECT_TRUE(comparison.obstacle.starts_with("an FMA loop takes ")) << comparison.obstacle;
  }
  EXPECT_EQ(compare_times(figure(100), figure(500, 2.2 * 15e3), kTolerance, kFma).obstacle,
            "an FMA loop takes 2.20 times as long as it did then: the machine is not the same");
}

TEST(CompareTimes, WithoutATimeNothingIsCompared) {
  const TimeComparison comparison = compare_times({}, figure(100), kTolerance, kFma);
  EXPECT_EQ(comparison.change, TimeChange::kNotComparable);
  EXPECT_EQ(comparison.ratio, 0);
  EXPECT_EQ(comparison.obstacle, "it was not timed");
}

TEST(CompareTimes, AFigureHasTheMediansOfTheSentinels) {
  Timing timing{.median_ns = 3, .low_ns = 2, .high_ns = 4};
  timing.fma_ns = {5, 9, 7};
  timing.walk_ns = {20, 10, 30};
  const KernelFigure made = figure_of(timing, "2026-11-30T00:00:00Z");
  EXPECT_EQ(made.median_ns, 3);
  EXPECT_EQ(made.low_ns, 2);
  EXPECT_EQ(made.high_ns, 4);
  EXPECT_EQ(made.fma_ns, 7);
  EXPECT_EQ(made.walk_ns, 20);
  EXPECT_EQ(made.recorded_at, "2026-11-30T00:00:00Z");
}

}  // namespace
}  // namespace nestwright
