#include "search/propose/bandit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace nestwright {
namespace {

using Arms = std::vector<std::size_t>;

const std::vector<BanditArm> kBoth(2);

int count(const Arms& arms, std::size_t arm) { return static_cast<int>(std::count(arms.begin(), arms.end(), arm)); }

/// Trials and the arm of each.
struct Pulls {
  std::vector<SessionTrial> trials;
  Arms arms;
  void add(std::size_t arm, double ns, bool is_sound = true) {
    trials.push_back({.ns = ns, .quality = is_sound ? TrialQuality::kSound : TrialQuality::kFailed});
    arms.push_back(arm);
  }
  Arms next(int n, std::span<const BanditArm> of = kBoth) const { return allocate_trials(trials, arms, of, n); }
};

/// `trials` trials in batches of `n`, whose times `draw` gives for an arm.
template <class Draw>
Pulls run(int trials, int n, const Draw& draw) {
  Pulls pulls;
  while (static_cast<int>(pulls.arms.size()) < trials) {
    for (const std::size_t arm : pulls.next(n)) pulls.add(arm, draw(arm));
  }
  return pulls;
}

int count_last(const Pulls& pulls, std::size_t last, std::size_t arm) {
  return static_cast<int>(std::count(pulls.arms.end() - static_cast<std::ptrdiff_t>(last), pulls.arms.end(), arm));
}

TEST(Bandit, GivesEachArmItsShareAtFirst) {
  EXPECT_EQ(Pulls().next(6, kBoth), (Arms{0, 1, 0, 1, 0, 1}));
  EXPECT_EQ(Pulls().next(4, std::vector<BanditArm>(3)), (Arms{0, 1, 2, 0}));
  Pulls pulls;
  for (std::size_t i = 0; i < 2 * kFirstPulls; ++i) {
    const Arms next = pulls.next(1);
    ASSERT_EQ(next, Arms{i % 2}) << "however much faster the first one is";
    pulls.add(next[0], next[0] == 0 ? 1.0 : 100.0);
  }
}

TEST(Bandit, GivesAnArmItsOwnNumberOfTrialsFirst) {
  const std::vector<BanditArm> arms{{.first_pulls = 3}, {.first_pulls = 5}};
  const Arms first = Pulls().next(8, arms);
  EXPECT_EQ(first, (Arms{0, 1, 0, 1, 0, 1, 1, 1}));
}

TEST(Bandit, LeavesOutWhatIsClosed) {
  EXPECT_EQ(Pulls().next(3, std::vector<BanditArm>{{.is_open = false}, {}}), (Arms{1, 1, 1}));
  EXPECT_EQ(Pulls().next(3, std::vector<BanditArm>(2, {.is_open = false})), Arms{});
  EXPECT_EQ(Pulls().next(0, kBoth), Arms{});
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
  Pulls pulls;
  int rest = 0, longest = 0;
  double ns = 1e6;
  while (pulls.arms.size() < 600) {
    for (const std::size_t arm : pulls.next(8)) {
      rest = arm == 0 ? rest + 1 : 0;
      longest = std::max(longest, rest);
      pulls.add(arm, arm == 0 ? --ns : 2e6);
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
  Pulls pulls;
  for (int i = 0; i < 200; ++i) {
    const bool fails = i % 2 == 0;
    pulls.add(fails ? 0 : 1, fails ? 0.0 : 100.0 - 0.1 * i, !fails);
  }
  EXPECT_EQ(count(pulls.next(10), 1), 10) << "a failure has no time";
}

TEST(Bandit, IgnoresTheUnitOfTime) {
  std::mt19937_64 random(4);
  Pulls pulls, scaled;
  for (int i = 0; i < 700; ++i) {
    const std::size_t arm = random() % 2;
    const auto ns = static_cast<double>(1 + random() % 1000);
    const bool is_sound = random() % 10 != 0;
    pulls.add(arm, ns, is_sound);
    scaled.add(arm, 1e6 * ns * ns, is_sound);
  }
  EXPECT_EQ(pulls.next(32), scaled.next(32));
}

TEST(Bandit, NothingButFailuresIsShared) {
  Pulls pulls;
  for (int i = 0; i < 100; ++i) pulls.add(0, 0, false);
  const Arms next = pulls.next(30);
  EXPECT_GE(count(next, 1), 15);
}

}  // namespace
}  // namespace nestwright
