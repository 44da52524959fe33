#include "measure/race.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <random>

#include "measure/sampler.h"
#include "tests/support/fake_clock.h"

namespace nestwright {
namespace {

using testing::Each;
using testing::SizeIs;

constexpr double kBracket = 25'000;

// Made-up kernels: a time a call each, under a clock that may drift, with brackets that see the drift.
class MadeUpKernels : public SampleSource {
 public:
  std::map<int, double> call_ns;
  std::map<int, int> fails_at;  ///< the how-manieth sample of a candidate fails
  std::function<double()> drift = [] { return 1.0; };
  std::function<double()> bracket_noise = [] { return 1.0; };
  std::vector<int> order;
  std::map<int, std::vector<std::int64_t>> calls;
  std::function<double()> wait_ns = [] { return 0.0; };
  double total_ns = 0;

  std::optional<Reading> sample(int candidate, std::int64_t n, bool bracket) override {
    order.push_back(candidate);
    calls[candidate].push_back(n);
    const auto fails = fails_at.find(candidate);
    if (fails != fails_at.end() && static_cast<int>(calls[candidate].size()) >= fails->second) return std::nullopt;
    Reading reading;
    const double slow = drift();
    reading.ns = call_ns.at(candidate) * static_cast<double>(n) * slow + wait_ns();
    total_ns += reading.ns;
    if (bracket) {
      reading.bracket_before_ns = kBracket * slow;
      reading.bracket_after_ns = kBracket * slow * bracket_noise();
    }
    return reading;
  }
};

RaceConditions conditions() {
  RaceConditions c;
  c.reference_bracket_ns = kBracket;
  return c;
}

std::vector<Contender> contenders(const MadeUpKernels& kernels, int n) {
  std::vector<Contender> all;
  for (int i = 0; i < n; ++i) all.push_back({i, kernels.call_ns.at(i)});
  return all;
}

TEST(Race, SamplesAreAsLongAsAskedFor) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1.6e6}, {1, 1e3}, {2, 30e6}};
  RaceConditions c = conditions();
  c.timing.give_up_ratio = 1e9;
  race(kernels, c, contenders(kernels, 3), std::nullopt);
  EXPECT_THAT(kernels.calls[0], Each(2));
  EXPECT_EQ(kernels.calls[1].back(), 2000);
  EXPECT_THAT(kernels.calls[2], Each(1));
}

TEST(Race, AWarmUpFindsTheNumberOfCallsWhereNothingIsKnown) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 50}};
  const std::vector<Contender> one = {{0, 0}};
  const std::vector<Timing> timings = race(kernels, conditions(), one, std::nullopt);
  EXPECT_EQ(kernels.calls[0].front(), 1);
  EXPECT_EQ(kernels.calls[0].back(), 40'000);
  EXPECT_DOUBLE_EQ(timings[0].median_ns, 50);
}

TEST(Race, AFirstCallThatWasColdDoesNotMakeSamplesShort) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e3}};
  const std::vector<Contender> one = {{0, 500e3}};  // said to take 500 us, takes 1
  race(kernels, conditions(), one, std::nullopt);
  EXPECT_EQ(kernels.calls[0].back(), 2000);
}

TEST(Race, OneThatIsFarBehindTheIncumbentIsGivenUpAfterOneSample) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1.6e6}, {1, 1.2e6}, {9, 1e6}};
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 2), Contender{9, 1e6});
  EXPECT_TRUE(timings[0].ended_early);
  EXPECT_THAT(timings[0].samples_ns, SizeIs(1));
  EXPECT_DOUBLE_EQ(timings[0].median_ns, 1.6e6);
  EXPECT_FALSE(timings[1].ended_early);
  EXPECT_THAT(timings[1].samples_ns, SizeIs(3)) << "neither bad nor near";
}

TEST(Race, OneSampleThatHadToWaitGivesNobodyUp) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1.1e6}, {1, 1.1e6}, {9, 1e6}};
  int n = 0;
  // The second and the fourth reading are the first samples of the two: another process ran meanwhile, unseen by the
  // brackets.
  kernels.wait_ns = [&] { return ++n == 2 || n == 4 ? 8e6 : 0.0; };
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 2), Contender{9, 1e6});
  EXPECT_FALSE(timings[0].ended_early);
  EXPECT_FALSE(timings[1].ended_early);
}

TEST(Race, AHopelessOneIsNotCalledAgain) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 500e6}, {9, 1e6}};
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 1), Contender{9, 1e6});
  EXPECT_TRUE(timings[0].ended_early);
  EXPECT_EQ(timings[0].median_ns, 500e6);
  EXPECT_TRUE(kernels.calls[0].empty());
}

TEST(Race, OfALongOneACallTells) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 140e6}, {1, 120e6}, {9, 100e6}};
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 2), Contender{9, 100e6});
  EXPECT_TRUE(timings[0].ended_early);
  EXPECT_TRUE(kernels.calls[0].empty());
  EXPECT_FALSE(timings[1].ended_early) << "no further than what else runs on the machine may have cost";
}

TEST(Race, WithoutAnIncumbentTheBestSoFarJudges) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e6}, {1, 2e6}, {2, 1.1e6}};
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 3), std::nullopt);
  EXPECT_FALSE(timings[0].ended_early);
  EXPECT_TRUE(timings[1].ended_early);
  EXPECT_FALSE(timings[2].ended_early);
}

TEST(Race, OnlyThoseNearTheBestGetMoreSamplesAndTheIncumbentRunsWithThem) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1.00e6}, {1, 1.02e6}, {2, 1.3e6}, {9, 1.01e6}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.05);
  kernels.drift = [&] { return noise(random); };
  RaceConditions c = conditions();
  c.reference_bracket_ns = 0;  // so that the noise stays
  const std::vector<Timing> timings = race(kernels, c, contenders(kernels, 3), Contender{9, 1.01e6});
  EXPECT_THAT(timings[0].samples_ns, SizeIs(10));
  EXPECT_GE(timings[1].samples_ns.size(), 5u);
  EXPECT_THAT(timings[2].samples_ns, SizeIs(3));
  EXPECT_GE(kernels.calls[9].size(), 8u) << "once at first, then in each pass of the later rounds";
}

TEST(Race, OneThatIsClearlySlowerStopsBeforeTheLastRound) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1.00e6}, {1, 1.05e6}};
  std::mt19937_64 random(1);
  std::normal_distribution<double> noise(1, 0.002);
  kernels.drift = [&] { return noise(random); };
  RaceConditions c = conditions();
  c.reference_bracket_ns = 0;
  const std::vector<Timing> timings = race(kernels, c, contenders(kernels, 2), std::nullopt);
  EXPECT_THAT(timings[0].samples_ns, SizeIs(10));
  EXPECT_THAT(timings[1].samples_ns, SizeIs(5)) << "5% behind in each of five pairs";
}

TEST(Race, OneThatTurnsOutClearlySlowerStopsWithinTheLastRound) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1.00e6}, {1, 1.01e6}};
  RaceConditions c = conditions();
  c.reference_bracket_ns = 0;
  // One lucky sample among the first five keeps the second one in the race.
  int n = 0;
  kernels.drift = [&] { return kernels.order.back() == 1 && ++n == 2 ? 0.98 : 1.0; };
  const std::vector<Timing> timings = race(kernels, c, contenders(kernels, 2), std::nullopt);
  EXPECT_THAT(timings[0].samples_ns, SizeIs(10)) << "the best is worth all of them";
  EXPECT_GT(timings[1].samples_ns.size(), 5u);
  EXPECT_LT(timings[1].samples_ns.size(), 10u);
  EXPECT_FALSE(timings[1].ended_early) << "it may be a finalist";
}

TEST(Race, TheOrderWithinAPassIsRandomButRepeatable) {
  const auto order = [](std::uint64_t seed) {
    MadeUpKernels kernels;
    for (int i = 0; i < 6; ++i) kernels.call_ns[i] = 1e6;
    RaceConditions c = conditions();
    c.seed = seed;
    race(kernels, c, contenders(kernels, 6), std::nullopt);
    return kernels.order;
  };
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
}

TEST(Race, BracketsTakeTheDriftOut) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e6}};
  double clock = 1;
  kernels.drift = [&] { return clock += 0.05; };  // the machine gets slower all the time
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 1), std::nullopt);
  EXPECT_THAT(timings[0].samples_ns, Each(testing::DoubleNear(1e6, 1)));
  EXPECT_GT(timings[0].raw_ns.back(), timings[0].raw_ns.front() * 1.2) << "the raw times are kept";
  EXPECT_EQ(timings[0].fma_ns.size(), timings[0].raw_ns.size());
}

TEST(Race, ASampleWhoseBracketsDifferIsTakenAgain) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e6}};
  int n = 0;
  kernels.bracket_noise = [&] { return ++n % 3 == 0 ? 1.0 : 1.05; };
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 1), std::nullopt);
  EXPECT_THAT(timings[0].samples_ns, Each(testing::DoubleNear(1e6, 1))) << "only the third try of each is clean";
  EXPECT_EQ(kernels.calls[0].size(), 3 * timings[0].samples_ns.size());
}

TEST(Race, OnAMachineThatIsNeverQuietTheQuietestTryCounts) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e6}};
  int n = 0;
  kernels.bracket_noise = [&] { return 1.02 + 0.01 * (n++ % 3); };
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 1), std::nullopt);
  EXPECT_THAT(timings[0].fma_ns, Each(testing::DoubleNear(kBracket * 1.01, 1)));
}

TEST(Race, LongSamplesAreNotBracketedAndTheIncumbentRunsAlongFromTheStart) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 30e6}, {9, 29e6}};
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 1), Contender{9, 29e6});
  EXPECT_TRUE(timings[0].fma_ns.empty());
  EXPECT_EQ(timings[0].samples_ns, timings[0].raw_ns);
  EXPECT_GE(kernels.calls[9].size(), 3u);
}

TEST(Race, ALongOneGetsFewerSamplesAndTwoAtLeast) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 60e6}, {1, 62e6}, {2, 400e6}};
  const std::vector<Timing> near = race(kernels, conditions(), contenders(kernels, 2), std::nullopt);
  EXPECT_THAT(near[0].samples_ns, SizeIs(5)) << "0.3 s";
  EXPECT_THAT(near[1].samples_ns, SizeIs(4));
  const std::vector<Contender> alone = {{2, 400e6}};
  EXPECT_THAT(race(kernels, conditions(), alone, std::nullopt)[0].samples_ns, SizeIs(2));
}

TEST(Race, OneThatFailsDropsOutAndTheOthersGoOn) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e6}, {1, 1e6}, {2, 1e6}};
  kernels.fails_at = {{0, 1}, {2, 3}};
  const std::vector<Timing> timings = race(kernels, conditions(), contenders(kernels, 3), std::nullopt);
  EXPECT_THAT(timings[0].samples_ns, SizeIs(0));
  EXPECT_THAT(timings[1].samples_ns, SizeIs(10));
  EXPECT_THAT(timings[2].samples_ns, SizeIs(2));
  EXPECT_THAT(kernels.calls[0], SizeIs(1)) << "not asked again";
}

TEST(Race, AnOrdinaryCandidateCostsFewMilliseconds) {
  MadeUpKernels kernels;
  for (int i = 0; i < 16; ++i) kernels.call_ns[i] = 1.6e6 * (1 + 0.1 * i);
  race(kernels, conditions(), contenders(kernels, 16), std::nullopt);
  EXPECT_LT(kernels.total_ns / 16, 12e6);
}

TEST(RaceFinalists, EveryoneGetsAllSamplesInterleaved) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 1e6}, {1, 3e6}};
  const std::vector<Contender> two = {{0, 0}, {1, 0}};
  const std::vector<Timing> timings = race_finalists(kernels, conditions(), two);
  for (const Timing& t : timings) {
    EXPECT_THAT(t.samples_ns, SizeIs(20));
    EXPECT_FALSE(t.ended_early);
  }
  EXPECT_DOUBLE_EQ(timings[1].median_ns, 3e6);
}

TEST(RaceFinalists, LongOnesGetFewerSamplesAllOfThemAsMany) {
  MadeUpKernels kernels;
  kernels.call_ns = {{0, 150e6}, {1, 1000e6}};
  const std::vector<Contender> two = {{0, 0}, {1, 0}};
  for (const Timing& t : race_finalists(kernels, conditions(), two)) EXPECT_THAT(t.samples_ns, SizeIs(10)) << "1.5 s";
  kernels.call_ns = {{0, 900e6}, {1, 1000e6}};
  for (const Timing& t : race_finalists(kernels, conditions(), two)) EXPECT_THAT(t.samples_ns, SizeIs(5));
}

TEST(Sampler, ABracketThatWasColdOrInterruptedDoesNotCount) {
  FakeClock clock;
  int brackets = 0;
  const auto cold_at_first = [&] { clock.advance(brackets++ % 3 == 0 ? 29 : brackets % 3 == 2 ? 25 : 90); };
  const Reading reading = take_reading(clock, 1, [&] { clock.advance(100); }, cold_at_first);
  EXPECT_EQ(reading.bracket_before_ns, 25);
  EXPECT_EQ(reading.bracket_after_ns, 25);
  EXPECT_EQ(brackets, 6);
}

TEST(Sampler, ReadsTheClockAroundCallsAndBrackets) {
  FakeClock clock;
  int calls = 0, brackets = 0;
  const Reading reading =
      take_reading(clock, 4, [&] { clock.advance(100 + calls++); }, [&] { clock.advance(25 + brackets++); });
  EXPECT_EQ(reading.ns, 406);
  EXPECT_EQ(reading.bracket_before_ns, 25);
  EXPECT_EQ(reading.bracket_after_ns, 28) << "three runs before it";
  EXPECT_EQ(take_reading(clock, 2, [&] { clock.advance(5); }, {}).bracket_before_ns, 0);
}

}  // namespace
}  // namespace nestwright
