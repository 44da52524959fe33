#include "measure/timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "support/error.h"

namespace nestwright {
namespace {

std::vector<double> one_to(int n) {
  std::vector<double> v(static_cast<std::size_t>(n));
  std::iota(v.begin(), v.end(), 1.0);
  std::shuffle(v.begin(), v.end(), std::mt19937(3));
  return v;
}

// The ranks are those of the tables for the sign test.
TEST(MedianInterval, IsExactByOrderStatistics) {
  struct Row {
    int n;
    double median, low, high;
  };
  for (const Row& row :
       {Row{1, 1, 1, 1}, Row{2, 1.5, 1, 2}, Row{3, 2, 1, 3}, Row{5, 3, 1, 5}, Row{6, 3.5, 1, 6}, Row{8, 4.5, 1, 8},
        Row{9, 5, 2, 8}, Row{10, 5.5, 2, 9}, Row{20, 10.5, 6, 15}, Row{100, 50.5, 40, 61}}) {
    const MedianInterval m = median_interval(one_to(row.n));
    EXPECT_EQ(m.median, row.median) << row.n;
    EXPECT_EQ(m.low, row.low) << row.n;
    EXPECT_EQ(m.high, row.high) << row.n;
  }
  EXPECT_EQ(median_interval({}).median, 0);
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSays) {
  std::mt19937_64 random(1);
  std::exponential_distribution<double> noise(1.0);  // skewed, as times are
  const double truth = std::log(2.0);
  int held = 0;
  for (int i = 0; i < 2000; ++i) {
    std::vector<double> v(15);
    for (double& x : v) x = noise(random);
    const MedianInterval m = median_interval(v);
    held += m.low <= truth && truth <= m.high;
  }
  EXPECT_GE(held, 1900);
}

TEST(PairedRatio, FindsASmallDifferenceUnderCommonDrift) {
  std::mt19937_64 random(2);
  std::normal_distribution<double> noise(0, 0.002);
  std::vector<double> a, b;
  for (int i = 0; i < 20; ++i) {
    const double clock = 1 + 0.3 * std::sin(i);  // both in one pass see the same clock
    a.push_back(102 * clock * (1 + noise(random)));
    b.push_back(100 * clock * (1 + noise(random)));
  }
  const MedianInterval ratio = paired_ratio(a, b);
  EXPECT_NEAR(ratio.median, 1.02, 0.003);
  EXPECT_GT(ratio.low, 1.015);
  EXPECT_LT(ratio.high, 1.025);
  EXPECT_LE(ratio.low, ratio.median);
  EXPECT_GE(ratio.high, ratio.median);
}

TEST(PairedRatio, CallsEqualsATie) {
  std::mt19937_64 random(5);
  std::normal_distribution<double> noise(0, 0.01);
  int ties = 0;
  for (int i = 0; i < 200; ++i) {
    std::vector<double> a(15), b(15);
    for (double& x : a) x = 1 + noise(random);
    for (double& x : b) x = 1 + noise(random);
    const MedianInterval ratio = paired_ratio(a, b);
    ties += ratio.low <= 1 && 1 <= ratio.high;
  }
  EXPECT_GE(ties, 180);
}

TEST(PairedRatio, IsDeterministicAndNeedsPairs) {
  const std::vector<double> a = {1, 2, 3, 4, 5}, b = {2, 2, 2, 2, 2};
  EXPECT_EQ(paired_ratio(a, b, 7).low, paired_ratio(a, b, 7).low);
  EXPECT_EQ(paired_ratio({}, {}).median, 0);
  EXPECT_THROW(paired_ratio(a, std::vector<double>{1}), InternalError);
}

TEST(Outcome, NumbersAndNamesAreFrozen) {
  const char* names[] = {"ok", "invalid_config", "compile_error", "launch_error", "timeout", "crash", "wrong_result"};
  for (int i = 0; i < 7; ++i) EXPECT_STREQ(outcome_name(static_cast<Outcome>(i)), names[i]);
}

TEST(Timing, SamplesOnADeviceTake20MsOrMore) {
  TimingOptions options;
  EXPECT_EQ(timing_on(DeviceKind::kCpu, options).sample_ns, options.sample_ns);
  EXPECT_EQ(timing_on(DeviceKind::kCuda, options).sample_ns, 20e6);
  options.sample_ns = 50e6;
  EXPECT_EQ(timing_on(DeviceKind::kOpenCl, options).sample_ns, 50e6);
}

}  // namespace
}  // namespace nestwright
