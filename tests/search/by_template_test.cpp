// Strategies over several templates, one of which is better and whose spaces differ in size.

#include "search/propose/strategies/by_template.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "search/propose/make_strategy.h"
#include "synthetic_templates.h"

namespace nestwright {
namespace {

constexpr std::int64_t kLarge = 1'000'000'000'000, kSmall = 10'000;

/// Times from 100 to 200 ns for points of "good", 300 to 600 for others; the best are in one region of the space.
double synthetic_ns(const Point& p, std::int64_t size) {
  const double x = static_cast<double>(SyntheticTemplates::number(p)) / static_cast<double>(size);
  const double rough = 0.1 * std::abs(std::sin(1000 * x));
  return (p.template_name == "good" ? 100 : 300) * (1 + 0.9 * std::abs(x - 0.7) / 0.7 + rough);
}

struct Search {
  Search(const std::string& strategy, std::vector<SyntheticTemplate> templates, std::uint64_t seed = 1)
      : space(templates),
        ranker(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1),
               [this](const Point& p) -> std::optional<Features> {
                 const auto x = static_cast<float>(SyntheticTemplates::number(p)) / static_cast<float>(size_of(p));
                 Features f(program_feature_count(), x);
                 f.front() = p.template_name == "good" ? 1 : 0;
                 return f;
               }),
        instance(make_strategy(strategy, {&space, &ranker, seed})) {
    for (const SyntheticTemplate& t : templates) sizes[t.name] = t.size;
  }

  std::int64_t size_of(const Point& p) const { return sizes.at(p.template_name); }
  SessionTrial trial(const Point& p) const { return {0, p, synthetic_ns(p, size_of(p))}; }
  void tell(const std::vector<Point>& points) {
    std::vector<SessionTrial> trials;
    for (const Point& p : points) trials.push_back(trial(p));
    instance->observe(trials);
  }
  std::vector<Point> step(int batch, int n) {
    std::vector<Point> points = instance->propose(batch, n);
    tell(points);
    return points;
  }

  std::map<std::string, std::int64_t> sizes;
  SyntheticTemplates space;
  Ranker ranker;
  std::unique_ptr<SearchStrategy> instance;
};

int count_good(const std::vector<Point>& points) {
  return static_cast<int>(
      std::count_if(points.begin(), points.end(), [](const Point& p) { return p.template_name == "good"; }));
}

class ByTemplate : public ::testing::TestWithParam<std::string> {};

TEST_P(ByTemplate, TheBetterTemplateGetsMostTrialsWhateverTheSizesAndTheOtherSome) {
  for (const auto& [good, poor] : {std::pair(kSmall, kLarge), std::pair(kLarge, kSmall)}) {
    Search search(GetParam(), {{"poor", poor}, {"good", good}});
    std::vector<Point> all;
    constexpr int kBatches = 15, kBatch = 16, kLast = 120;
    for (int batch = 0; batch < kBatches; ++batch) {
      const std::vector<Point> points = search.step(batch, kBatch);
      ASSERT_EQ(points.size(), static_cast<std::size_t>(kBatch));
      all.insert(all.end(), points.begin(), points.end());
    }
    const int of_last = count_good({all.end() - kLast, all.end()});
    EXPECT_GE(of_last, kLast * 3 / 4) << good << " good ones";
    EXPECT_LT(of_last, kLast) << good << " good ones";
  }
}

TEST_P(ByTemplate, EachTemplateGetsItsShareAtFirst) {
  Search search(GetParam(), {{"poor", kLarge}, {"good", kSmall}});
  EXPECT_EQ(count_good(search.step(0, 16)), 8);
  EXPECT_NEAR(count_good(search.step(1, 8)), 4, 1);
}

TEST_P(ByTemplate, ABatchIsAFunctionOfSeedNumberAndResults) {
  const std::vector<SyntheticTemplate> templates{{"poor", kLarge}, {"good", kSmall}};
  Search interrupted(GetParam(), templates, 5), resumed(GetParam(), templates, 5);
  for (int batch = 0; batch < 6; ++batch) resumed.tell(interrupted.step(batch, 12));
  for (int batch = 6; batch < 8; ++batch) EXPECT_EQ(interrupted.step(batch, 12), resumed.step(batch, 12));
}

TEST_P(ByTemplate, ABatchAfterAmendmentsIsAFunctionOfTheNewestLabels) {
  const std::vector<SyntheticTemplate> templates{{"poor", kLarge}, {"good", kSmall}};
  Search amended(GetParam(), templates, 5), resumed(GetParam(), templates, 5);
  // Few enough trials for the model not to be trained on old labels.
  const std::vector<Point> first = amended.instance->propose(0, 12);
  std::vector<SessionTrial> noisy, newest;
  for (const Point& p : first) {
    noisy.push_back({0, p, 1, TrialQuality::kDisturbed});
    newest.push_back(amended.trial(p));
  }
  newest.push_back(amended.trial(amended.space.at(17)));
  amended.instance->observe(noisy);
  amended.instance->amend(newest);
  newest.pop_back();  // one that was never observed is not amended
  resumed.instance->observe(newest);
  for (int batch = 1; batch < 4; ++batch) EXPECT_EQ(amended.step(batch, 12), resumed.step(batch, 12));
}

TEST_P(ByTemplate, WhatOneTemplateLacksTheOtherGets) {
  Search search(GetParam(), {{"good", 5}, {"poor", 60}});
  std::set<std::string> keys;
  for (int batch = 0; !search.instance->is_exhausted(); ++batch) {
    ASSERT_LT(batch, 10);
    for (const Point& p : search.step(batch, 8)) EXPECT_TRUE(keys.insert(p.key()).second) << "twice: " << p.key();
  }
  EXPECT_EQ(keys.size(), 65u);
  EXPECT_TRUE(search.step(11, 8).empty());
}

TEST_P(ByTemplate, WithOneTemplateNothingChanges) {
  const std::vector<SyntheticTemplate> one{{"good", kSmall}};
  Search search(GetParam(), one);
  const SyntheticTemplates space(one);
  EXPECT_TRUE(space.parts().empty());
  const Search two(GetParam(), {{"good", kSmall}, {"poor", kLarge}});
  ASSERT_EQ(two.space.parts().size(), 2u);
  EXPECT_EQ(count_good(search.step(0, 16)), 16);
}

INSTANTIATE_TEST_SUITE_P(All, ByTemplate,
                         ::testing::Values("evolutionary", "annealing", "genetic", "local_search", "random"));

TEST(StrategyByTemplate, TheDefaultIsTheFirstPointInBatchesOfOneToo) {
  for (const char* first : {"good", "poor"}) {
    const std::string other = std::string(first) == "good" ? "poor" : "good";
    Search search("evolutionary", {{first, kSmall}, {other, kLarge}});
    EXPECT_EQ(search.step(0, 1).front(), search.space.seeds().front());
    EXPECT_EQ(search.step(1, 1).front(), search.space.seeds().back());
  }
}

TEST(StrategyByTemplate, PointsOfOtherShapesGoToTheirTemplates) {
  Search search("evolutionary", {{"good", kSmall}, {"poor", kLarge}});
  const Point liked = search.space.at(kSmall + 7), also = search.space.at(3);
  const auto strategy = make_strategy("evolutionary", {&search.space, &search.ranker, 1});
  strategy->transfer({liked, also});
  const std::vector<Point> first = strategy->propose(0, 16);
  EXPECT_EQ(first[0], search.space.seeds()[0]);
  EXPECT_EQ(first[1], search.space.seeds()[1]);
  EXPECT_EQ(first[2], also);
  EXPECT_EQ(first[3], liked);
}

TEST(StrategyByTemplate, StartingPointsAreTriedBeforeTheFasterTemplateGetsMore) {
  Search search("evolutionary", {{"good", kSmall}, {"poor", kLarge}});
  std::vector<Point> transferred;
  for (std::int64_t i = 0; i < 15; ++i) transferred.push_back(search.space.at(kSmall + i));
  search.instance->transfer(transferred);
  std::vector<Point> first;
  for (int batch = 0; batch < 3; ++batch) {
    const std::vector<Point> points = search.step(batch, 16);
    first.insert(first.end(), points.begin(), points.end());
  }
  for (const Point& point : transferred) {
    EXPECT_TRUE(std::find(first.begin(), first.end(), point) != first.end()) << point.key();
  }
}

TEST(StrategyByTemplate, WhatIsTransferredLaterIsTriedThoughItsTemplateIsPoor) {
  Search search("evolutionary", {{"good", kSmall}, {"poor", kLarge}});
  for (int batch = 0; batch < 6; ++batch) search.step(batch, 16);
  std::vector<Point> transferred;
  for (std::int64_t i = 0; i < 20; ++i) transferred.push_back(search.space.at(kSmall + i));
  search.instance->transfer(transferred);
  std::vector<Point> later;
  for (int batch = 6; batch < 10; ++batch) {
    const std::vector<Point> points = search.step(batch, 16);
    later.insert(later.end(), points.begin(), points.end());
  }
  EXPECT_TRUE(std::ranges::find(later, transferred.front()) != later.end());
}

TEST(StrategyByTemplate, TheOutlookCountsTheTemplatesThatHavePointsLeft) {
  Search search("evolutionary", {{"good", 5}, {"poor", kLarge}});
  EXPECT_EQ(search.instance->outlook().templates, 2);
  for (int batch = 0; batch < 3; ++batch) search.step(batch, 16);
  EXPECT_EQ(search.instance->outlook().templates, 1);
}

TEST(StrategyByTemplate, TheOutlookIsThatOfTheBestTemplate) {
  Search search("evolutionary", {{"good", kSmall}, {"poor", kLarge}});
  for (int batch = 0; batch < 12; ++batch) search.step(batch, 16);
  ASSERT_TRUE(search.ranker.can_rank());
  const SearchOutlook outlook = search.instance->outlook();
  EXPECT_FALSE(outlook.has_starting_points);
  EXPECT_GT(outlook.model_skill.value_or(0), 0.5);
  ASSERT_TRUE(outlook.predicted_gain.has_value());
  EXPECT_LT(*outlook.predicted_gain, 0.3) << "the poor template's gain over its own best does not count";
}

}  // namespace
}  // namespace nestwright
