#include "search/propose/considered_counter.h"

#include <gmock/gmock.h>

#include "cost_model/knob_columns.h"
#include "nestwright/registry.h"
#include "search/propose/make_strategy.h"

namespace nestwright {
namespace {

using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

TEST(ConsideredCounterTest, CountsEachValueOfEachKnob) {
  ConsideredCounter counter;
  EXPECT_THAT(counter.funnel().templates, IsEmpty());
  const std::vector<Point> points{{"a", 1, Config::parse("tile=[4,2] unroll=1")},
                                  {"a", 1, Config::parse("tile=[4,2] unroll=2")},
                                  {"b", 2, Config::parse("pack=yes")}};
  counter.add_sampled(points);
  counter.add_ranked(points[1]);
  counter.add_not_lowered(points[0]);
  EXPECT_EQ(counter.total(), 5);
  const SearchFunnel funnel = counter.funnel();
  ASSERT_EQ(funnel.templates.size(), 2);
  EXPECT_EQ(funnel.templates[0].source, (TemplateVersion{"a", 1}));
  EXPECT_EQ(funnel.templates[0].points, (ConsideredPoints{2, 1, 1}));
  EXPECT_THAT(funnel.templates[0].values.at("tile"), UnorderedElementsAre(Pair("[4,2]", ConsideredPoints{2, 1, 1})));
  EXPECT_THAT(funnel.templates[0].values.at("unroll"),
              UnorderedElementsAre(Pair("1", ConsideredPoints{1, 0, 1}), Pair("2", ConsideredPoints{1, 1})));
  EXPECT_THAT(funnel.templates[1].values.at("pack"), UnorderedElementsAre(Pair("yes", ConsideredPoints{1, 0})));
}

/// The proposals of the first batches of a search, counted or not.
std::vector<std::string> proposals(const std::string& strategy, ConsideredCounter* counter) {
  const SearchSpace space{Task{parse_workload("matmul m=96 n=80 k=64"), Target::parse("cpu,isa=avx512,threads=1")}};
  KnobColumns columns(space.config_spaces());
  Ranker ranker(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1), [&](const Point& p) {
    Features f;
    columns.append(p.config, f);
    return f;
  });
  if (counter != nullptr) ranker.count_ranked_in(*counter);
  const auto search = make_strategy(strategy, {.space = &space, .ranker = &ranker, .considered = counter});
  std::vector<std::string> keys;
  for (int batch = 0; batch < 4; ++batch) {
    std::vector<SessionTrial> trials;
    for (const Point& point : search->propose(batch, 16)) {
      keys.push_back(point.key());
      const double ns = 1e3 + 100 * static_cast<double>(point.config.entries().back().value[0]);
      trials.push_back({0, point, ns});
    }
    search->observe(trials);
  }
  return keys;
}

TEST(ConsideredCounterTest, CountingChangesNoProposal) {
  for (const std::string& strategy : strategy_names()) {
    ConsideredCounter counter;
    EXPECT_EQ(proposals(strategy, &counter), proposals(strategy, nullptr)) << strategy;
    if (strategy != "grid") EXPECT_GT(counter.total(), 0) << strategy;
  }
}

TEST(ConsideredCounterTest, ASearchThatRanksCountsWhatItRanked) {
  ConsideredCounter counter;
  proposals("annealing", &counter);
  std::int64_t ranked = 0;
  for (const auto& of : counter.funnel().templates) ranked += of.points.ranked;
  EXPECT_GT(ranked, 0);
}

}  // namespace
}  // namespace nestwright
