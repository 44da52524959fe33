#include "measure/race/timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

#include "nestwright/error.h"

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
  std::exponential_distribution<double> noise(1.0);  // skewed, like times
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
    const double clock = 1 + 0.3 * std::sin(i);  // both kernels of a pass see the same clock
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

// The published critical values of Wilcoxon's signed-rank statistic, two-sided 5% (Wilcoxon & Wilcox 1964). The number
// of ordered averages outside on each side follows from the interval of values whose averages are all different.
TEST(PairedRatio, HasTheCriticalValuesOfTheTables) {
  struct Row {
    int n, critical;
  };
  for (const Row& row : {Row{6, 0}, Row{7, 2}, Row{8, 3}, Row{9, 5}, Row{10, 8}, Row{12, 13}, Row{15, 25}, Row{20, 52},
                         Row{25, 89}, Row{30, 137}, Row{50, 434}}) {
    std::mt19937_64 random(3);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> logs(static_cast<std::size_t>(row.n)), a, averages;
    for (double& x : logs) x = uniform(random);
    for (const double x : logs) a.push_back(std::exp(x));
    for (std::size_t i = 0; i < logs.size(); ++i) {
      for (std::size_t j = i; j < logs.size(); ++j) averages.push_back((logs[i] + logs[j]) / 2);
    }
    std::sort(averages.begin(), averages.end());
    const MedianInterval ratio = paired_ratio(a, std::vector<double>(a.size(), 1.0));
    // The critical value is the largest sum of ranks that rejects; the interval begins with the average after it.
    const auto outside = static_cast<std::size_t>(row.critical);
    EXPECT_NEAR(std::log(ratio.low), averages[outside], 1e-12) << row.n;
    EXPECT_NEAR(std::log(ratio.high), averages[averages.size() - 1 - outside], 1e-12) << row.n;
  }
}

TEST(PairedRatio, OfFewerThanSixPairsTheIntervalIsAllOfThem) {
  const std::vector<double> a = {1, 2, 3, 4, 5}, b(5, 1.0);
  const MedianInterval ratio = paired_ratio(a, b);
  EXPECT_NEAR(ratio.low, 1, 1e-12);
  EXPECT_NEAR(ratio.high, 5, 1e-12);
  const MedianInterval one = paired_ratio(std::vector<double>{3}, std::vector<double>{2});
  EXPECT_NEAR(one.median, 1.5, 1e-12);
  EXPECT_NEAR(one.low, 1.5, 1e-12);
  EXPECT_NEAR(one.high, 1.5, 1e-12);
}

TEST(PairedRatio, OfManyPairsTheNormalApproximationServes) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> noise(0, 0.01);
  std::vector<double> a(150), b(150, 1.0);
  for (double& x : a) x = 1.03 * std::exp(noise(random));
  const MedianInterval ratio = paired_ratio(a, b);
  EXPECT_NEAR(ratio.median, 1.03, 0.003);
  EXPECT_NEAR((ratio.high - ratio.low) / 2, 1.96 * 0.01 * 1.03 * std::sqrt(3.1415927 / 3 / 150), 0.0005);
}

TEST(PairedRatio, IsTheReciprocalOfTheOtherWayRound) {
  const std::vector<double> a = {1, 2, 3, 4, 5, 6, 7}, b = {2, 2, 2, 2, 2, 2, 3};
  const MedianInterval there = paired_ratio(a, b), back = paired_ratio(b, a);
  EXPECT_NEAR(there.median * back.median, 1, 1e-12);
  EXPECT_NEAR(there.low * back.high, 1, 1e-12);
  EXPECT_NEAR(there.high * back.low, 1, 1e-12);
}

TEST(PairedRatio, NeedsPairs) {
  EXPECT_EQ(paired_ratio({}, {}).median, 0);
  EXPECT_THROW(paired_ratio(std::vector<double>{1, 2}, std::vector<double>{1}), InternalError);
}

/// Returns the share of `races` between two equal kernels in which they are called different.
template <class Noise>
double called_different(int races, std::size_t pairs, const Noise& noise) {
  std::mt19937_64 random(11);
  int different = 0;
  for (int race = 0; race < races; ++race) {
    std::vector<double> a(pairs), b(pairs);
    for (double& x : a) x = noise(random);
    for (double& x : b) x = noise(random);
    const MedianInterval ratio = paired_ratio(a, b);
    different += ratio.low > 1 || ratio.high < 1;
  }
  return static_cast<double>(different) / races;
}

// The difference of two equal distributions is symmetric, even if each is skewed. Expected: at most 5%, plus 3 standard
// deviations of the simulation: 6.5%.
TEST(PairedRatio, EqualKernelsAreCalledDifferentInOneOfTwentyRacesAtMost) {
  const auto symmetric = [](std::mt19937_64& random) { return std::normal_distribution<double>(1, 0.01)(random); };
  const auto skewed = [](std::mt19937_64& random) { return 1 + std::exponential_distribution<double>(20)(random); };
  const auto heavy_tailed = [](std::mt19937_64& random) {
    const double usual = std::normal_distribution<double>(1, 0.005)(random);
    const double tail = std::abs(std::cauchy_distribution<double>(0, 0.02)(random));
    return random() % 10 == 0 ? usual + std::min(tail, 10.0) : usual;
  };
  for (const std::size_t pairs : {6u, 10u, 20u}) {
    EXPECT_LE(called_different(2000, pairs, symmetric), 0.065) << pairs;
    EXPECT_LE(called_different(2000, pairs, skewed), 0.065) << pairs;
    EXPECT_LE(called_different(2000, pairs, heavy_tailed), 0.065) << pairs;
  }
  EXPECT_GE(called_different(2000, 20, symmetric), 0.03) << "nor is it timid";
}

TEST(PairedRatio, FindsThreePercentInTwentyPairsOfOnePercentNoise) {
  std::mt19937_64 random(12);
  std::normal_distribution<double> noise(1, 0.01);
  int found = 0;
  for (int race = 0; race < 200; ++race) {
    std::vector<double> a(20), b(20);
    for (double& x : a) x = 1.03 * noise(random);
    for (double& x : b) x = noise(random);
    found += paired_ratio(a, b).low > 1;
  }
  EXPECT_GE(found, 198);
}

TEST(RatioOfProcesses, SevenAndMoreGiveTheIntervalByRanks) {
  const std::vector<double> seven = {1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06};
  const MedianInterval ratio = ratio_of_processes(seven);
  const std::vector<double> ones(7, 1.0);
  const MedianInterval less_sure = paired_ratio(seven, ones);
  EXPECT_EQ(ratio.median, less_sure.median);
  EXPECT_EQ(ratio.low, 1.00);
  EXPECT_EQ(ratio.high, 1.06);
  EXPECT_GT(less_sure.low, ratio.low);
}

TEST(RatioOfProcesses, FewerGiveStudentsInterval) {
  // Mean of the logarithms 0.02, deviation 0.01: 0.02 +- 6.965 * 0.01 / sqrt(3).
  const std::vector<double> three = {std::exp(0.01), std::exp(0.02), std::exp(0.03)};
  const MedianInterval ratio = ratio_of_processes(three);
  EXPECT_NEAR(std::log(ratio.median), 0.02, 1e-12);
  EXPECT_NEAR(std::log(ratio.low), 0.02 - 0.040213, 1e-5);
  EXPECT_NEAR(std::log(ratio.high), 0.02 + 0.040213, 1e-5);
}

TEST(RatioOfProcesses, OneAloneDoesNotShowHowProcessesDiffer) {
  const MedianInterval ratio = ratio_of_processes(std::vector<double>{1.02});
  EXPECT_EQ(ratio.median, 1.02);
  EXPECT_LT(ratio.low, 1);
  EXPECT_GT(ratio.high, 1.05);
  EXPECT_EQ(ratio_of_processes({}).median, 0);
}

// One kernel under two names: each process favours one of the two by a percent, in all of its samples.
TEST(RatioOfProcesses, EqualKernelsAreToldApartInOneRaceOfFifty) {
  for (const int processes : {2, 3, 5, 7, 8, 16}) {
    std::mt19937_64 random(7);
    std::normal_distribution<double> difference(0, 0.01);
    int told_apart = 0;
    constexpr int kRaces = 4000;
    for (int race = 0; race < kRaces; ++race) {
      std::vector<double> ratios;
      for (int i = 0; i < processes; ++i) ratios.push_back(std::exp(difference(random)));
      const MedianInterval ratio = ratio_of_processes(ratios);
      told_apart += ratio.low > 1 || ratio.high < 1;
    }
    EXPECT_LT(told_apart, 0.03 * kRaces) << processes;
    EXPECT_GT(told_apart, 0.008 * kRaces) << processes;
  }
}

TEST(TimingOptions, LongSamplesAreTakenLessOften) {
  const TimingOptions options;
  EXPECT_EQ(options.samples_of(2e6, 10), 10);
  EXPECT_EQ(options.samples_of(100e6, 10), 3);
  EXPECT_EQ(options.samples_of(1e9, 10), 2);
  EXPECT_EQ(options.samples_of(1e9, 1), 1);
  EXPECT_EQ(options.finalist_samples_of(2e6), 5);
  EXPECT_EQ(options.finalist_samples_of(50e6), 3);
  EXPECT_EQ(options.finalist_samples_of(10e9), 1);
  EXPECT_EQ(options.finalist_max_samples_of(2e6), 15);
  EXPECT_EQ(options.finalist_max_samples_of(20e6), 7);
  EXPECT_EQ(options.finalist_max_samples_of(50e6), 3);
  EXPECT_EQ(options.finalist_max_samples_of(10e9), 1);
}

TEST(Outcome, NumbersAndNamesAreFrozen) {
  const char* names[] = {"ok", "invalid_config", "compile_error", "launch_error", "timeout", "crash", "wrong_result"};
  for (int i = 0; i < 7; ++i) EXPECT_STREQ(outcome_name(static_cast<Outcome>(i)), names[i]);
}

TEST(Timing, SamplesOnADeviceTake20MsOrMore) {
  TimingOptions options;
  EXPECT_EQ(timing_on(DeviceKind::kCpu, 1, options).sample_ns, options.sample_ns);
  EXPECT_EQ(timing_on(DeviceKind::kCuda, 1, options).sample_ns, 20e6);
  options.sample_ns = 50e6;
  EXPECT_EQ(timing_on(DeviceKind::kOpenCl, 2, options).sample_ns, 50e6);
}

TEST(Timing, FinalistsOnSeveralThreadsGetLongSamples) {
  const TimingOptions options;
  EXPECT_EQ(timing_on(DeviceKind::kCpu, 1, options).finalist_sample_ns, 2e6);
  EXPECT_EQ(timing_on(DeviceKind::kCpu, 2, options).finalist_sample_ns, 10e6);
  EXPECT_EQ(timing_on(DeviceKind::kCpu, 2, options).sample_ns, 2e6) << "the samples of a search stay short";
  const TimingOptions shorter = preliminary(timing_on(DeviceKind::kCpu, 2, options));
  EXPECT_EQ(shorter.finalist_sample_ns, 2e6);
  EXPECT_EQ(shorter.finalist_max_samples, shorter.preliminary_samples);
}

TEST(Timing, OnADeviceNoUntimedCallPrecedesLongCalls) {
  EXPECT_EQ(timing_on(DeviceKind::kCuda, 1).warm_below_ns, 0.5e6);
  EXPECT_EQ(timing_on(DeviceKind::kCpu, 1).warm_below_ns, 200e6);
}

}  // namespace
}  // namespace nestwright
