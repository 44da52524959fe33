#include "search/propose/bandit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nestwright {
namespace {

using Arms = std::vector<std::size_t>;

const std::vector<BanditArm> kBoth(2);

int count(const Arms& arms, std::size_t arm) { return static_cast<int>(std::count(arms.begin(), arms.end(), arm)); }

/// `trials` trials in batches of `n`, whose times `draw` gives for an arm.
template <class Draw>
std::vector<BanditPull> run(int trials, int n, const Draw& draw) {
  std::vector<BanditPull> pulls;
  while (static_cast<int>(pulls.size()) < trials) {
    for (const std::size_t arm : allocate_trials(pulls, kBoth, n)) pulls.push_back({arm, draw(arm), true});
  }
  return pulls;
}

int count_last(const std::vector<BanditPull>& pulls, std::size_t last, std::size_t arm) {
  return static_cast<int>(std::count_if(pulls.end() - static_cast<std::ptrdiff_t>(last), pulls.end(),
                                        [&](const BanditPull& pull) { return pull.arm == arm; }));
}

TEST(Bandit, GivesEachArmItsShareAtFirst) {
  EXPECT_EQ(allocate_trials({}, kBoth, 6), (Arms{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(allocate_trials({}, std::vector<BanditArm>(3), 4), (Arms{0, 1, 2, 0}));
  std::vector<BanditPull> pulls;
  for (std::size_t i = 0; i < 2 * kFirstPulls; ++i) {
    const Arms next = allocate_trials(pulls, kBoth, 1);
    ASSERT_EQ(next, Arms{i % 2}) << "however much faster the first one is";
    pulls.push_back({next[0], next[0] == 0 ? 1.0 : 100.0, true});
  }
}

TEST(Bandit, GivesAnArmItsOwnNumberOfTrialsFirst) {
  const std::vector<BanditArm> arms{{.first_pulls = 3}, {.first_pulls = 5}};
  const Arms first = allocate_trials({}, arms, 8);
  EXPECT_EQ(first, (Arms{0, 1, 0, 1, 0, 1, 1, 1}));
}

TEST(Bandit, LeavesOutWhatIsClosed) {
  EXPECT_EQ(allocate_trials({}, std::vector<BanditArm>{{.is_open = false}, {}}, 3), (Arms{1, 1, 1}));
  EXPECT_EQ(allocate_trials({}, std::vector<BanditArm>(2, {.is_open = false}), 3), Arms{});
  EXPECT_EQ(allocate_trials({}, kBoth, 0), Arms{});
}

TEST(Bandit, PrefersTheFasterArmAndNeverForgetsTheOther) {
  for (const int n : {1, 16}) {
    std::mt19937_64 random(1);
    std::uniform_real_distribution<double> unit(1, 2);
    const auto pulls = run(1000, n, [&](std::size_t arm) { return (arm == 1 ? 1 : 1.5) * unit(random); });
    EXPECT_GT(count_last(pulls, 500, 1), 400) << "batches of " << n;
    EXPECT_GE(count_last(pulls, 500, 0), 5) << "batches of " << n;
  }
}

TEST(Bandit, EqualArmsGetAboutTheSame) {
  int of_first = 0;
  constexpr int kRuns = 10, kTrials = 2000;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    std::mt19937_64 random(seed);
    std::uniform_real_distribution<double> unit(1, 2);
    const int count = count_last(run(kTrials, 16, [&](std::size_t) { return unit(random); }), kTrials, 0);
    EXPECT_GT(count, kTrials / 10);
    EXPECT_LT(count, kTrials * 9 / 10);
    of_first += count;
  }
  EXPECT_NEAR(of_first, kRuns * kTrials / 2, kRuns * kTrials / 8);
}

TEST(Bandit, NoArmRestsForLong) {
  // All successes are the first arm's.
  std::vector<BanditPull> pulls;
  int rest = 0, longest = 0;
  double ns = 1e6;
  while (pulls.size() < 600) {
    for (const std::size_t arm : allocate_trials(pulls, kBoth, 8)) {
      rest = arm == 0 ? rest + 1 : 0;
      longest = std::max(longest, rest);
      pulls.push_back({arm, arm == 0 ? --ns : 2e6, true});
    }
  }
  EXPECT_LE(longest, 32);
}

TEST(Bandit, FollowsAnArmThatBecomesTheFasterOne) {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> unit(1, 2);
  int tried = 0;
  const auto pulls = run(2000, 16, [&](std::size_t arm) {
    // A climbing search: the second arm begins slower and improves with each trial.
    const double factor = arm == 0 ? 1 : std::max(0.3, 2.0 - 0.03 * tried++);
    return factor * unit(random);
  });
  EXPECT_GT(count_last(pulls, 500, 1), 400);
}

TEST(Bandit, FailuresEarnNothing) {
  std::vector<BanditPull> pulls;
  for (int i = 0; i < 200; ++i) {
    const bool fails = i % 2 == 0;
    pulls.push_back({fails ? 0u : 1u, fails ? 0.0 : 100.0 - 0.1 * i, !fails});
  }
  EXPECT_EQ(count(allocate_trials(pulls, kBoth, 10), 1), 10) << "a failure has no time";
}

TEST(Bandit, IgnoresTheUnitOfTime) {
  std::mt19937_64 random(4);
  std::vector<BanditPull> pulls, scaled;
  for (int i = 0; i < 700; ++i) {
    pulls.push_back({random() % 2, static_cast<double>(1 + random() % 1000), random() % 10 != 0});
    scaled.push_back(pulls.back());
    scaled.back().ns = 1e6 * scaled.back().ns * scaled.back().ns;
  }
  EXPECT_EQ(allocate_trials(pulls, kBoth, 32), allocate_trials(scaled, kBoth, 32));
}

TEST(Bandit, NothingButFailuresIsShared) {
  const std::vector<BanditPull> pulls(100, {0, 0, false});
  const Arms next = allocate_trials(pulls, kBoth, 30);
  EXPECT_GE(count(next, 1), 15);
}

}  // namespace
}  // namespace nestwright
