#include "measure/race/process_range.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include "nestwright/error.h"

namespace nestwright {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

using Random = std::mt19937_64;
/// The logarithm of the time of a process, relative to the typical one.
using Draw = std::function<double(Random&)>;

double normal(Random& random) { return std::normal_distribution<double>(0, 0.01)(random); }
double skewed(Random& random) { return std::exponential_distribution<double>(100)(random); }
double heavy_tailed(Random& random) { return 0.01 * std::student_t_distribution<double>(3)(random); }

/// The median of each process, with some processes disturbed throughout.
std::vector<double> race(Random& random, const Draw& draw, int processes, double slow_share) {
  std::vector<double> medians;
  for (int i = 0; i < processes; ++i) {
    const bool is_slow = std::bernoulli_distribution(slow_share)(random);
    const double factor = is_slow ? std::uniform_real_distribution<double>(1.3, 2.2)(random) : 1;
    medians.push_back(1e6 * factor * std::exp(draw(random)));
  }
  return medians;
}

// Three standard deviations of the binomial distribution are 1.8% of 2500 races. Tails that no few processes show cost
// up to 2% more.
TEST(ProcessRange, NineOfTenUndisturbedProcessesAreWithin) {
  constexpr int kRaces = 2500;
  for (const auto& [draw, least] : {std::pair<Draw, double>{normal, 0.88}, {skewed, 0.86}, {heavy_tailed, 0.85}}) {
    for (const int processes : {5, 8, 16}) {
      for (const double slow_share : {0.0, 0.06}) {
        Random random(5);
        int within = 0;
        for (int i = 0; i < kRaces; ++i) {
          const ProcessRange range = process_range(race(random, draw, processes, slow_share));
          const double next = 1e6 * std::exp(draw(random));
          within += range.low <= next && next <= range.high;
        }
        EXPECT_GE(within, least * kRaces) << processes << " " << slow_share;
        EXPECT_LE(within, 0.95 * kRaces) << processes << " " << slow_share;
      }
    }
  }
}

TEST(ProcessRange, ASlowProcessDoesNotWidenTheRange) {
  std::vector<double> medians;
  for (int i = 0; i < 15; ++i) medians.push_back(1000 + i % 5);
  const ProcessRange quiet = process_range(medians);
  EXPECT_EQ(quiet.slow, 0);
  EXPECT_EQ(slow_text(quiet), "");
  medians.push_back(1800);
  const ProcessRange range = process_range(medians);
  EXPECT_DOUBLE_EQ(range.low, quiet.low);
  EXPECT_DOUBLE_EQ(range.high, quiet.high);
  EXPECT_DOUBLE_EQ(range.median, quiet.median);
  EXPECT_EQ(range.processes, 16);
  EXPECT_EQ(range.slow, 1);
  EXPECT_EQ(slow_text(range), "1 of 16 processes took 1.8 times as long");
}

TEST(ProcessRange, WhereMoreThanAQuarterIsSlowTheRangeIncludesThem) {
  const ProcessRange three =
      process_range(std::vector<double>{100, 100, 100, 100, 100, 100, 100, 100, 100, 180, 180, 180});
  EXPECT_EQ(three.slow, 3);
  EXPECT_LT(three.high, 102);
  const ProcessRange four =
      process_range(std::vector<double>{100, 100, 100, 100, 100, 100, 100, 100, 180, 180, 180, 180});
  EXPECT_EQ(four.slow, 0);
  EXPECT_GT(four.high, 180);
  const ProcessRange one_of_three = process_range(std::vector<double>{100, 100, 180});
  EXPECT_EQ(one_of_three.slow, 0) << "one of three may be usual";
  EXPECT_GT(one_of_three.high, 180);
}

TEST(ProcessRange, GrowsWithTheScatterOfTheProcesses) {
  Random random(3);
  const auto half_width = [&](double spread) {
    std::vector<double> medians;
    for (int i = 0; i < 16; ++i) medians.push_back(std::exp(spread / 0.01 * normal(random)));
    const ProcessRange range = process_range(medians);
    return (range.high - range.low) / (2 * range.median);
  };
  EXPECT_NEAR(half_width(0.02), 0.036, 0.012);
  EXPECT_NEAR(half_width(0.1), 0.18, 0.06);
  EXPECT_EQ(slow_text(process_range(std::vector<double>{100, 101, 99, 104, 98})), "") << "4% are not slow";
}

TEST(ProcessRange, IsAtLeastAPercentToEachSide) {
  const ProcessRange range = process_range(std::vector<double>(8, 500));
  EXPECT_NEAR(range.low, 495, 0.1);
  EXPECT_NEAR(range.high, 505, 0.1);
}

TEST(ProcessRange, OneProcessDoesNotShowHowProcessesDiffer) {
  const ProcessRange one = process_range(std::vector<double>{200});
  EXPECT_NEAR(one.low, 194, 0.1);
  EXPECT_NEAR(one.high, 206, 0.1);
  EXPECT_EQ(process_range({}).median, 0);
  EXPECT_EQ(process_range({}).processes, 0);
  EXPECT_THROW(process_range(std::vector<double>{1, 0}), InternalError);
}

TEST(ProcessRange, SlightSlowdownsAreToldWithTwoDigits) {
  std::vector<double> medians(9, 100);
  medians.push_back(107);
  EXPECT_EQ(slow_text(process_range(medians)), "1 of 10 processes took 1.07 times as long");
}

TEST(RobustScatter, IsThatOfTheUsualTimes) {
  EXPECT_NEAR(robust_scatter(std::vector<double>{98, 99, 100, 101, 300}), 1.4826 * std::log(1.01), 1e-3);
  EXPECT_EQ(robust_scatter(std::vector<double>{1, 2}), 0) << "two do not say";
  EXPECT_EQ(robust_scatter({}), 0);
}

using Medians = std::map<int, double>;

TEST(SlowTogether, IsAProcessInWhichTheKernelsAreSlower) {
  const std::vector<Medians> kernels = {{{1, 100}, {2, 101}, {3, 150}, {4, 99}, {5, 100}},
                                        {{1, 200}, {2, 203}, {3, 290}, {4, 201}, {5, 199}},
                                        {{1, 50}, {2, 51}, {3, 80}, {4, 50}, {5, 50}}};
  EXPECT_THAT(slow_together(kernels), ElementsAre(3));
}

TEST(SlowTogether, OneSlowKernelIsNotAll) {
  const std::vector<Medians> kernels = {{{1, 100}, {2, 101}, {3, 150}, {4, 99}, {5, 100}},
                                        {{1, 200}, {2, 203}, {3, 201}, {4, 201}, {5, 199}},
                                        {{1, 50}, {2, 51}, {3, 50}, {4, 50}, {5, 50}}};
  EXPECT_THAT(slow_together(kernels), IsEmpty());
}

TEST(SlowTogether, AProcessWithoutSomeKernelsIsJudgedByTheOthers) {
  const std::vector<Medians> kernels = {
      {{1, 100}, {2, 101}, {4, 180}, {5, 100}, {6, 100}}, {{1, 200}, {2, 203}, {3, 201}, {5, 199}, {6, 200}}, {}};
  EXPECT_THAT(slow_together(kernels), ElementsAre(4));
  EXPECT_THAT(slow_together({}), IsEmpty());
}

TEST(SlowTogether, TheScatterOfTheOthersIsTheScale) {
  const std::vector<Medians> scattering = {{{1, 100}, {2, 90}, {3, 112}, {4, 105}, {5, 95}, {6, 110}}};
  EXPECT_THAT(slow_together(scattering), IsEmpty());
}

}  // namespace
}  // namespace nestwright
