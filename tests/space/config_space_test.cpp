#include "nestwright/config_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <set>
#include <thread>

#include "nestwright/error.h"
#include "spaces.h"

namespace nestwright {
namespace {

using testing_spaces::numbers;
using testing_spaces::packing;

TEST(ConfigSpace, CountsAsEnumerationDoes) {
  const ConfigSpace space = packing();
  double valid = 0;
  std::set<std::string> seen;
  const auto size = static_cast<std::uint64_t>(space.size());
  EXPECT_EQ(size, 14u * 6 * 3 + 14u * 6 * 3 * 8);
  for (std::uint64_t i = 0; i < size; ++i) {
    const Config config = space.at(i);
    seen.insert(config.str());
    valid += space.is_valid(config) ? 1 : 0;
  }
  EXPECT_EQ(seen.size(), size);
  EXPECT_EQ(space.count_all().points, static_cast<double>(size));
  EXPECT_EQ(space.count_valid().points, valid);
  EXPECT_FALSE(space.count_valid().estimated);
}

TEST(ConfigSpace, CheckingAConfigurationCountsNothing) {
  std::atomic<int> checks = 0;
  const auto differ = [&](std::span<const KnobValue> v) {
    ++checks;
    return v[0] != v[1];
  };
  const ConfigSpace space({{{numbers("x", 0, 99), numbers("y", 0, 99)}, {{{"x", "y"}, differ, "equal"}}}});
  EXPECT_TRUE(space.is_valid(space.at(1)));
  EXPECT_FALSE(space.is_valid(space.at(0)));
  EXPECT_EQ(checks, 2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) threads.emplace_back([&] { EXPECT_EQ(space.count_valid().points, 9900); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(checks, 2 + 100 * 100) << "whoever asks first counts, once";
}

TEST(ConfigSpace, IndexIsMixedRadixWithTheLastKnobFastest) {
  const ConfigSpace space = packing();
  EXPECT_EQ(space.at(0).str(), "pack=no rows=1 columns=1 unroll=1");
  EXPECT_EQ(space.at(1).str(), "pack=no rows=1 columns=1 unroll=2");
  EXPECT_EQ(space.at(3).str(), "pack=no rows=1 columns=2 unroll=1");
  EXPECT_EQ(space.at(14 * 6 * 3).str(), "pack=yes rows=1 columns=1 unroll=1 panel=1");
  EXPECT_THROW(space.at(space.size()), UsageError);
}

TEST(ConfigSpace, CountsLongChainsExactly) {
  // 16 knobs of 10 values, each at least its predecessor: 10^16 points, of which C(25, 9) are valid.
  Branch branch;
  for (int i = 0; i < 16; ++i) branch.knobs.push_back(numbers("x" + std::to_string(i), 0, 9));
  for (int i = 1; i < 16; ++i) {
    branch.constraints.push_back({{"x" + std::to_string(i - 1), "x" + std::to_string(i)},
                                  [](std::span<const KnobValue> v) { return v[0][0] <= v[1][0]; },
                                  "the values fall"});
  }
  const ConfigSpace space({branch});
  EXPECT_EQ(space.count_all().points, 1e16);
  EXPECT_EQ(space.count_valid().points, 2042975);
  EXPECT_FALSE(space.count_valid().estimated);
}

TEST(ConfigSpace, EstimatesAGroupThatIsTooLarge) {
  // One constraint over 10^8 tuples: half of the points by symmetry.
  Branch branch;
  std::vector<std::string> names;
  for (int i = 0; i < 8; ++i) {
    names.push_back("x" + std::to_string(i));
    branch.knobs.push_back(numbers(names.back(), 0, 9));
  }
  branch.constraints.push_back({names,
                                [](std::span<const KnobValue> v) {
                                  std::int64_t sum = 0;
                                  for (const KnobValue& value : v) sum += value[0];
                                  return sum % 2 == 0;
                                },
                                "the sum is odd"});
  const ConfigSpace space({branch});
  EXPECT_TRUE(space.count_valid().estimated);
  EXPECT_NEAR(space.count_valid().points, 5e7, 1e6);
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(space.is_valid(*space.sample(random)));
}

TEST(ConfigSpace, EmptySpacesHaveNoSample) {
  std::mt19937_64 random(1);
  EXPECT_EQ(ConfigSpace().sample(random), std::nullopt);
  const ConfigSpace barren(
      {{{numbers("x", 0, 3)}, {{{"x"}, [](std::span<const KnobValue> v) { return v[0][0] > 3; }, "x is too small"}}}});
  EXPECT_EQ(barren.count_valid().points, 0);
  EXPECT_EQ(barren.sample(random), std::nullopt);
}

TEST(ConfigSpace, RefusesBrokenDefinitions) {
  EXPECT_THROW(ConfigSpace({{{numbers("x", 0, 3), numbers("x", 0, 3)}, {}}}), InternalError);
  EXPECT_THROW(ConfigSpace({{{numbers("x", 1, 0)}, {}}}), InternalError);
  EXPECT_THROW(
      ConfigSpace({{{numbers("x", 0, 3)}, {{{"y"}, [](std::span<const KnobValue>) { return true; }, "never"}}}}),
      InternalError);
}

}  // namespace
}  // namespace nestwright
