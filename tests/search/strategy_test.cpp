// The contract of every strategy, and what each one adds.

#include "search/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "search/candidate.h"
#include "support/error.h"

namespace nestwright {
namespace {

Task matmul(const std::string& sizes) {
  return {parse_workload("matmul " + sizes), Target::parse("cpu,isa=avx512,threads=2")};
}

/// A made-up time that rewards large register tiles: what it depends on, the model can learn.
double made_up_ns(const Point& point) {
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
    std::vector<Trial> trials;
    for (const Point& p : points) trials.push_back({p, Outcome::kOk, made_up_ns(p)});
    instance->observe(trials);
  }

  KnobColumns columns;
  Ranker ranker;
  std::unique_ptr<SearchStrategy> instance;
};

class EveryStrategy : public testing::TestWithParam<std::string> {
 protected:
  const SearchSpace space_{matmul("m=96 n=80 k=64")};
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
  for (const auto& batch : batches) resumed.tell(batch);  // what a resumed session replays from the log
  EXPECT_EQ(interrupted.instance->propose(5, 10), resumed.instance->propose(5, 10));
}

INSTANTIATE_TEST_SUITE_P(All, EveryStrategy, testing::ValuesIn(strategy_names()));

TEST(Strategy, UnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT([] { make_strategy("luck", {}); },
              testing::ThrowsMessage<UsageError>("unknown strategy 'luck': use one of evolutionary, annealing, "
                                                 "genetic, local_search, random, grid"));
}

TEST(RandomStrategy, SeedsGiveDifferentPoints) {
  const SearchSpace space(matmul("m=96 n=80 k=64"));
  EXPECT_NE(Search("random", space, 1).step(0, 8), Search("random", space, 2).step(0, 8));
}

TEST(EvolutionaryStrategy, StartsFromTheTemplatesSeeds) {
  const SearchSpace space(matmul("m=512 n=512 k=512"));
  ASSERT_FALSE(space.seeds().empty());
  const std::vector<Point> first = Search("evolutionary", space, 1).step(0, 16);
  EXPECT_EQ(first.front(), space.seeds().front());
}

TEST(EvolutionaryStrategy, WhatOtherShapesLikedComesByTurnsWithTheSeeds) {
  const SearchSpace space(matmul("m=512 n=512 k=512"));
  std::mt19937_64 random(1);
  const Point liked = *space.sample(random);
  Ranker ranker(make_cost_model("random", 1), make_cost_model("random", 1), [](const Point&) { return std::nullopt; });
  const auto strategy = make_strategy("evolutionary", {&space, &ranker, 1, {liked, space.seeds()[2]}});
  const std::vector<Point> first = strategy->propose(0, 16);
  EXPECT_EQ(first[0], space.seeds()[0]);
  EXPECT_EQ(first[1], liked);
  EXPECT_EQ(first[2], space.seeds()[1]);
  EXPECT_EQ(first[3], space.seeds()[2]);
  EXPECT_EQ(first[4], space.seeds()[3]) << "once is enough";
}

TEST(EvolutionaryStrategy, WhatIsLikeASlowPointIsNotMeasured) {
  const SearchSpace space(matmul("m=300 n=256 k=128"));
  // To the model the shape of the register tile is all there is: programs with the same one are alike.
  const auto mark = [](const Point& p) {
    const auto value = [&](const char* knob) { return static_cast<float>(p.config.find(knob)->value[0]); };
    return 8 * value("register_rows") + value("register_vectors") + 0.25f * value("unroll_k");
  };
  const auto features = [&](const Point& p) -> std::optional<Features> {
    return Features(program_feature_count(), mark(p));
  };
  Ranker ranker(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1), features);
  const auto strategy = make_strategy("evolutionary", {&space, &ranker, 1, {}});
  std::map<float, double> known;
  for (int batch = 0; batch < 3; ++batch) {
    std::vector<Trial> trials;
    for (const Point& p : strategy->propose(batch, 16)) {
      trials.push_back({p, Outcome::kOk, 1e6 / (1 + mark(p))});
      known[mark(p)] = trials.back().median_ns;
    }
    strategy->observe(trials);
  }
  ASSERT_TRUE(ranker.ranks());
  const double best = known.rbegin()->second;
  // Seven by the model, no two alike, and one at random.
  std::set<float> marks;
  int slow = 0;
  for (const Point& p : strategy->propose(3, 8)) {
    marks.insert(mark(p));
    slow += known.contains(mark(p)) && known[mark(p)] > 1.1 * best ? 1 : 0;
  }
  EXPECT_GE(marks.size(), 7u);
  EXPECT_LE(slow, 1);
}

TEST(EvolutionaryStrategy, FindsBetterPointsThanRandomAtEqualTrials) {
  const SearchSpace space(matmul("m=512 n=512 k=512"));
  const auto best = [&](const std::string& strategy) {
    Search search(strategy, space, 3);
    double ns = 1e30;
    for (int batch = 0; batch < 10; ++batch) {
      for (const Point& p : search.step(batch, 16)) ns = std::min(ns, made_up_ns(p));
    }
    return ns;
  };
  EXPECT_LT(best("evolutionary"), best("random"));
}

}  // namespace
}  // namespace nestwright
