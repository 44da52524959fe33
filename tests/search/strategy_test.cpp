// The contract of all strategies, and the behaviour of each one.

#include "search/propose/make_strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "nestwright/error.h"
#include "nestwright/registry.h"
#include "search/task/candidate.h"
#include "synthetic_space.h"

namespace nestwright {
namespace {

Task matmul(const std::string& sizes) {
  return {parse_workload("matmul " + sizes), Target::parse("cpu,isa=avx512,threads=2")};
}

/// A made-up time that rewards large register tiles, which the model can learn.
double synthetic_ns(const Point& point) {
  double ns = 1e6;
  for (const ConfigEntry& entry : point.config.entries()) {
    for (const std::int64_t value : entry.value) ns *= 1 - 0.01 * static_cast<double>(value % 7);
  }
  return ns;
}

struct Search {
  Search(const std::string& strategy, const SearchSpace& space, std::uint64_t seed)
      : columns(std::vector<ConfigSpace>{space.members()[0].space}),
        ranker(make_cost_model("xgboost", seed), make_cost_model("xgboost", seed),
               [this](const Point& p) {
                 Features f;
                 columns.append(p.config, f);
                 return f;
               }),
        instance(make_strategy(strategy, {&space, &ranker, seed})) {}

  std::vector<Point> step(int batch, int n) {
    std::vector<Point> points = instance->propose(batch, n);
    tell(points);
    return points;
  }
  void tell(const std::vector<Point>& points) {
    std::vector<SessionTrial> trials;
    for (const Point& p : points) trials.push_back({0, p, synthetic_ns(p)});
    instance->observe(trials);
  }

  KnobColumns columns;
  Ranker ranker;
  std::unique_ptr<SearchStrategy> instance;
};

class EveryStrategy : public ::testing::TestWithParam<std::string> {
 protected:
  const SearchSpace space_{matmul("m=96 n=80 k=64"), "matmul.cpu"};
};

TEST_P(EveryStrategy, ProposesValidPointsAndNoneTwice) {
  Search search(GetParam(), space_, 1);
  std::set<std::string> keys;
  for (int batch = 0; batch < 6; ++batch) {
    for (const Point& p : search.step(batch, 12)) {
      EXPECT_TRUE(space_.is_valid(p)) << p.key();
      EXPECT_TRUE(keys.insert(p.key()).second) << "twice: " << p.key();
    }
  }
  EXPECT_EQ(keys.size(), 72u);
}

TEST_P(EveryStrategy, ABatchIsAFunctionOfSeedNumberAndResults) {
  Search interrupted(GetParam(), space_, 5), resumed(GetParam(), space_, 5);
  std::vector<std::vector<Point>> batches;
  for (int batch = 0; batch < 5; ++batch) batches.push_back(interrupted.step(batch, 10));
  for (const auto& batch : batches) resumed.tell(batch);  // as a resumed session replays the log
  EXPECT_EQ(interrupted.instance->propose(5, 10), resumed.instance->propose(5, 10));
}

/// A search over a made-up space. Its model sees all points as alike where `are_alike`; else it sees their numbers.
struct SyntheticSearch {
  SyntheticSearch(const std::string& strategy, const SyntheticSpace& space, bool are_alike = false,
                  std::uint64_t seed = 1)
      : ranker(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1),
               [=](const Point& p) -> std::optional<Features> {
                 const auto x = static_cast<float>(SyntheticSpace::number(p));
                 Features f(program_feature_count(), are_alike ? 1.0f : x);
                 f.push_back(x);
                 return f;
               }),
        instance(make_strategy(strategy, {&space, &ranker, seed})) {}

  /// Larger numbers are faster.
  static SessionTrial trial(const Point& p) { return {0, p, 1e9 / (1.0 + SyntheticSpace::number(p))}; }
  std::vector<Point> step(int batch, int n) {
    std::vector<Point> points = instance->propose(batch, n);
    std::vector<SessionTrial> trials;
    for (const Point& p : points) trials.push_back(trial(p));
    instance->observe(trials);
    return points;
  }
  /// Proposes until nothing is left.
  std::set<std::int64_t> all(int n) {
    std::set<std::int64_t> numbers;
    for (int batch = 0;; ++batch) {
      const std::vector<Point> points = step(batch, n);
      for (const Point& p : points)
        EXPECT_TRUE(numbers.insert(SyntheticSpace::number(p)).second) << "twice: " << p.key();
      if (points.empty()) return numbers;
    }
  }

  Ranker ranker;
  std::unique_ptr<SearchStrategy> instance;
};

std::set<std::int64_t> as_set(const std::vector<std::int64_t>& list) { return {list.begin(), list.end()}; }

TEST_P(EveryStrategy, CoversATinySpaceCompletely) {
  const std::vector<std::int64_t> valid = multiples(1, 90);
  const SyntheticSpace space(90, valid);
  for (const int n : {1, 7, 64}) {
    SyntheticSearch search(GetParam(), space);
    EXPECT_FALSE(search.instance->is_exhausted());
    EXPECT_EQ(search.all(n), as_set(valid)) << "batches of " << n;
    EXPECT_TRUE(search.instance->is_exhausted());
  }
}

TEST_P(EveryStrategy, CoversWhatTheModelTakesForAlike) {
  const std::vector<std::int64_t> valid = multiples(1, 90);
  const SyntheticSpace space(90, valid);
  EXPECT_EQ(SyntheticSearch(GetParam(), space, true).all(16), as_set(valid));
}

TEST_P(EveryStrategy, CoversRareValidPoints) {
  const std::vector<std::int64_t> valid = multiples(1499, 100'000);
  const SyntheticSpace space(100'000, valid);
  SyntheticSearch search(GetParam(), space);
  EXPECT_EQ(search.all(16), as_set(valid));
  EXPECT_TRUE(search.instance->is_exhausted());
}

TEST_P(EveryStrategy, IsNotExhaustedWhileAValidPointIsLeft) {
  const std::vector<std::int64_t> valid = multiples(1, 40);
  const SyntheticSpace space(40, valid);
  SyntheticSearch search(GetParam(), space);
  int seen = 0;
  for (int batch = 0; seen < 40; ++batch) {
    EXPECT_FALSE(search.instance->is_exhausted()) << seen;
    seen += static_cast<int>(search.step(batch, 3).size());
  }
  EXPECT_TRUE(search.instance->is_exhausted());
}

TEST_P(EveryStrategy, CoversATinySpaceOfTemplates) {
  const SearchSpace space(matmul("m=1 n=1 k=2"));
  std::set<std::string> valid;
  ASSERT_LT(space.size(), 100'000u);
  for (unsigned __int128 i = 0; i < space.size(); ++i) {
    if (space.is_valid(space.at(i))) valid.insert(space.at(i).key());
  }
  ASSERT_EQ(space.exact_valid_points(), static_cast<double>(valid.size()));
  Search search(GetParam(), space, 1);
  std::set<std::string> proposed;
  for (int batch = 0;; ++batch) {
    const std::vector<Point> points = search.step(batch, 32);
    for (const Point& p : points) proposed.insert(p.key());
    if (points.empty()) break;
  }
  EXPECT_EQ(proposed, valid);
  EXPECT_TRUE(search.instance->is_exhausted());
}

TEST_P(EveryStrategy, ABatchAfterAmendmentsIsAFunctionOfTheNewestLabels) {
  Search amended(GetParam(), space_, 5), resumed(GetParam(), space_, 5);
  // With too few trials for the model, it keeps what it learnt from old labels until its next training.
  const std::vector<Point> first = amended.instance->propose(0, 12);
  std::vector<SessionTrial> noisy, newest;
  for (std::size_t i = 0; i < first.size(); ++i) {
    noisy.push_back(
        {0, first[i], 100.0 + static_cast<double>(i), i % 2 == 0 ? TrialQuality::kSound : TrialQuality::kDisturbed});
    newest.push_back({0, first[i], 200.0 - static_cast<double>(i)});
  }
  amended.instance->observe(noisy);
  amended.instance->amend(newest);
  resumed.instance->observe(newest);
  for (int batch = 1; batch < 4; ++batch) EXPECT_EQ(amended.step(batch, 12), resumed.step(batch, 12));
}

TEST_P(EveryStrategy, WhatWasNeverObservedIsNotAmended) {
  const SyntheticSpace space(90, multiples(1, 90));
  SyntheticSearch search(GetParam(), space);
  search.instance->amend(std::vector<SessionTrial>{SyntheticSearch::trial(numbered_point(17))});
  EXPECT_EQ(search.all(16).size(), 90u) << "17 among them";
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, ::testing::ValuesIn(strategy_names()));

TEST(Strategy, UnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT([] { make_strategy("luck", {}); },
              ::testing::ThrowsMessage<UsageError>("unknown strategy 'luck': use one of evolutionary, annealing, "
                                                   "genetic, local_search, random, grid"));
}

TEST(RandomStrategy, SeedsGiveDifferentPoints) {
  const SearchSpace space(matmul("m=96 n=80 k=64"), "matmul.cpu");
  EXPECT_NE(Search("random", space, 1).step(0, 8), Search("random", space, 2).step(0, 8));
}

TEST(EvolutionaryStrategy, StartsFromTheTemplatesSeeds) {
  const SearchSpace space(matmul("m=512 n=512 k=512"), "matmul.cpu");
  ASSERT_FALSE(space.seeds().empty());
  const std::vector<Point> first = Search("evolutionary", space, 1).step(0, 16);
  EXPECT_EQ(first.front(), space.seeds().front());
}

TEST(EvolutionaryStrategy, WhatOtherShapesLikedComesByTurnsWithTheSeeds) {
  const SearchSpace space(matmul("m=512 n=512 k=512"), "matmul.cpu");
  std::mt19937_64 random(1);
  const Point liked = *space.sample(random);
  Ranker ranker(make_cost_model("random", 1), make_cost_model("random", 1), [](const Point&) { return std::nullopt; });
  const auto strategy = make_strategy("evolutionary", {&space, &ranker, 1});
  strategy->transfer({liked, space.seeds()[2]});
  const std::vector<Point> first = strategy->propose(0, 16);
  EXPECT_EQ(first[0], space.seeds()[0]);
  EXPECT_EQ(first[1], liked);
  EXPECT_EQ(first[2], space.seeds()[1]);
  EXPECT_EQ(first[3], space.seeds()[2]);
  EXPECT_EQ(first[4], space.seeds()[3]) << "once is enough";
}

TEST(EvolutionaryStrategy, WhatIsTransferredLaterComesNextAndNothingTwice) {
  const SearchSpace space(matmul("m=512 n=512 k=512"), "matmul.cpu");
  Ranker ranker(make_cost_model("random", 1), make_cost_model("random", 1), [](const Point&) { return std::nullopt; });
  const auto strategy = make_strategy("evolutionary", {&space, &ranker, 1});
  std::set<std::string> keys;
  const auto add = [&](const std::vector<Point>& points) {
    for (const Point& p : points) EXPECT_TRUE(keys.insert(p.key()).second) << "twice: " << p.key();
  };
  const int seeds = static_cast<int>(space.seeds().size());
  const std::vector<Point> first = strategy->propose(0, 2 * seeds);
  add(first);
  EXPECT_FALSE(strategy->outlook().has_starting_points);
  std::mt19937_64 random(1);
  Point later = *space.sample(random);
  while (keys.contains(later.key())) later = *space.sample(random);
  strategy->transfer({first[1], later});
  EXPECT_TRUE(strategy->outlook().has_starting_points);
  const std::vector<Point> second = strategy->propose(1, 4);
  add(second);
  EXPECT_EQ(second.front(), later);
  strategy->transfer({later});
  add(strategy->propose(2, 4));
}

TEST(EvolutionaryStrategy, WhatIsLikeASlowPointIsNotMeasured) {
  const SearchSpace space(matmul("m=300 n=256 k=128"), "matmul.cpu");
  // The model sees only the shape of the register tile: programs with equal shapes are alike.
  const auto mark = [](const Point& p) {
    const auto value = [&](const char* knob) { return static_cast<float>(p.config.find(knob)->value[0]); };
    return 8 * value("register_rows") + value("register_vectors") + 0.25f * value("unroll_k");
  };
  const auto features = [&](const Point& p) -> std::optional<Features> {
    return Features(program_feature_count(), mark(p));
  };
  Ranker ranker(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1), features);
  const auto strategy = make_strategy("evolutionary", {&space, &ranker, 1});
  std::map<float, double> known;
  for (int batch = 0; batch < 3; ++batch) {
    std::vector<SessionTrial> trials;
    for (const Point& p : strategy->propose(batch, 16)) {
      trials.push_back({0, p, 1e6 / (1 + mark(p))});
      known[mark(p)] = trials.back().ns;
    }
    strategy->observe(trials);
  }
  ASSERT_TRUE(ranker.can_rank());
  const double best = known.rbegin()->second;
  // Seven proposals by the model, no two of them alike, and one at random.
  std::set<float> marks;
  int slow = 0;
  for (const Point& p : strategy->propose(3, 8)) {
    marks.insert(mark(p));
    slow += known.contains(mark(p)) && known[mark(p)] > 1.1 * best ? 1 : 0;
  }
  EXPECT_GE(marks.size(), 7u);
  EXPECT_LE(slow, 1);
}

/// The numbers of the points of a batch.
std::vector<std::int64_t> numbers(const std::vector<Point>& points) {
  std::vector<std::int64_t> list;
  for (const Point& p : points) list.push_back(SyntheticSpace::number(p));
  return list;
}

class Climbers : public ::testing::TestWithParam<std::string> {};

TEST_P(Climbers, NeighboursAreThoseOfTheNewestBest) {
  const SyntheticSpace space(1'000'000'000'000, multiples(1'000'000, 1'000'000'000'000));
  SyntheticSearch search(GetParam(), space);
  std::vector<SessionTrial> trials;
  for (std::int64_t i = 1; i <= 8; ++i) {
    trials.push_back({0, numbered_point(i * 10'000'000'000), 100.0 + static_cast<double>(i)});
  }
  search.instance->observe(trials);
  // The four best turn out slow, and the fifth was disturbed.
  for (std::size_t i = 0; i < 4; ++i) trials[i].ns = 1000;
  trials[4].quality = TrialQuality::kDisturbed;
  trials.resize(4);
  search.instance->amend(trials);
  int near = 0;
  for (const std::int64_t x : numbers(search.instance->propose(1, 64))) {
    const std::int64_t rest = x % 10'000'000'000, parent = (x + 1'000'000) / 10'000'000'000;
    if (rest > 1'000'000 && rest < 9'999'000'000) continue;
    near += parent >= 5 && parent <= 8 ? 1 : 0;
    EXPECT_FALSE(parent >= 1 && parent <= 4) << x << " is a neighbour of one that turned out slow";
  }
  EXPECT_GE(near, 4);
}

INSTANTIATE_TEST_SUITE_P(All, Climbers, ::testing::Values("local_search"));

TEST(Strategies, EachPartOfABatchGetsItsShareInBatchesOfOne) {
  // With a model that ranks, nine of ten proposals are near the best and one of ten is a uniform sample.
  const SyntheticSpace space(100'000, multiples(1, 100'000));
  for (const std::string strategy : {"evolutionary", "annealing"}) {
    SyntheticSearch search(strategy, space);
    std::vector<SessionTrial> trials;
    for (std::int64_t x = 0; x < 100'000; x += 500) trials.push_back(SyntheticSearch::trial(numbered_point(x)));
    search.instance->observe(trials);
    ASSERT_TRUE(search.ranker.can_rank());
    int promising = 0;
    constexpr int kBatches = 60;
    for (int batch = 1; batch <= kBatches; ++batch) {
      const std::vector<Point> points = search.step(batch, 1);
      ASSERT_EQ(points.size(), 1u);
      promising += SyntheticSpace::number(points[0]) > 80'000 ? 1 : 0;
    }
    EXPECT_GT(promising, kBatches / 2) << strategy;
    EXPECT_LT(promising, kBatches) << strategy;
  }
}

TEST(Strategies, TheDefaultIsTheFirstTrialInBatchesOfOneToo) {
  const SyntheticSpace space(100'000, multiples(1, 100'000));
  for (const std::string strategy : {"evolutionary", "annealing", "genetic", "local_search"}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      EXPECT_EQ(SyntheticSearch(strategy, space, false, seed).instance->propose(0, 1), space.seeds()) << strategy;
    }
  }
}

TEST(Strategies, TheOutlookTellsWhatTheModelExpects) {
  const SyntheticSpace space(100'000, multiples(1, 100'000));
  for (const std::string strategy : {"evolutionary", "annealing"}) {
    SyntheticSearch search(strategy, space);
    EXPECT_FALSE(search.instance->outlook().predicted_gain);
    std::vector<SessionTrial> trials;
    for (std::int64_t x = 0; x < 50'000; x += 250) trials.push_back(SyntheticSearch::trial(numbered_point(x)));
    search.instance->observe(trials);
    ASSERT_EQ(search.instance->propose(1, 16).size(), 16u);
    const SearchOutlook outlook = search.instance->outlook();
    ASSERT_TRUE(outlook.predicted_gain) << strategy;
    EXPECT_NEAR(*outlook.predicted_gain, 0, 0.1) << "trees do not extrapolate";
    EXPECT_GT(outlook.model_skill.value_or(0), 0.7);
    EXPECT_FALSE(outlook.roofline_share);
  }
}

TEST(Strategies, TheOutlookTellsWhetherStartingPointsAreLeft) {
  const SearchSpace space(matmul("m=512 n=512 k=512"), "matmul.cpu");
  ASSERT_GT(space.seeds().size(), 2u);
  Search search("evolutionary", space, 1);
  search.step(0, 1);
  EXPECT_TRUE(search.instance->outlook().has_starting_points);
  for (int batch = 1; batch < 20; ++batch) search.step(batch, 16);
  EXPECT_FALSE(search.instance->outlook().has_starting_points);
  Search random("random", space, 1);
  random.step(0, 1);
  EXPECT_FALSE(random.instance->outlook().has_starting_points) << "it starts from none";
}

TEST(EvolutionaryStrategy, ADisturbedTrialCallsNothingSlowAndIsNotCalledSlow) {
  // The model distinguishes ten kinds of points; larger ones are faster.
  const SyntheticSpace space(100'000, multiples(1, 100'000));
  const auto kind = [](const Point& p) { return static_cast<float>(SyntheticSpace::number(p) / 10'000); };
  const auto proposed_kinds = [&](const SessionTrial& disturbed) {
    Ranker ranker(
        make_cost_model("xgboost", 1), make_cost_model("xgboost", 1),
        [&](const Point& p) -> std::optional<Features> { return Features(program_feature_count(), kind(p)); });
    const auto strategy = make_strategy("evolutionary", {&space, &ranker, 1});
    std::vector<SessionTrial> trials;
    for (std::int64_t x = 0; x < 90'000; x += 500) {
      trials.push_back({0, numbered_point(x), 1e6 / (1 + kind(numbered_point(x)))});
    }
    trials.push_back(disturbed);
    strategy->observe(trials);
    EXPECT_TRUE(ranker.can_rank());
    std::set<float> kinds;
    for (const Point& p : strategy->propose(1, 4)) kinds.insert(kind(p));
    return kinds;
  };
  // The ninth kind has one trial, which took long while the machine was disturbed.
  EXPECT_TRUE(proposed_kinds({0, numbered_point(95'000), 1e7, TrialQuality::kDisturbed}).contains(9));
  // A trial that seems ten times as fast as all others would make all of them slow.
  EXPECT_TRUE(proposed_kinds({0, numbered_point(1), 1e4, TrialQuality::kDisturbed}).contains(8));
}

TEST(EvolutionaryStrategy, FindsBetterPointsThanRandomAtEqualTrials) {
  const SearchSpace space(matmul("m=512 n=512 k=512"), "matmul.cpu");
  const auto best = [&](const std::string& strategy) {
    Search search(strategy, space, 3);
    double ns = 1e30;
    for (int batch = 0; batch < 10; ++batch) {
      for (const Point& p : search.step(batch, 16)) ns = std::min(ns, synthetic_ns(p));
    }
    return ns;
  };
  EXPECT_LT(best("evolutionary"), best("random"));
}

}  // namespace
}  // namespace nestwright
