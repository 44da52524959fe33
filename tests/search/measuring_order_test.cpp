#include "search/session/measuring_order.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "points.h"

namespace nestwright {
namespace {

/// Features that do not predict the time.
std::optional<Features> features(const Point&) {
  Features blind{1};
  append_unknown_resources(blind);
  return blind;
}

DeviceResources resources(std::int64_t x) { return {static_cast<double>(32 + x % 200), 0, 0, 0.5}; }

/// A ranker that has learnt that few registers are fast.
Ranker taught(int trials) {
  Ranker ranker(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1), [](const Point& p) {
    // The audit uses features known before compiling, so half of them predict the label.
    std::optional<Features> f = features(p);
    (*f)[0] = static_cast<float>(p.config.entries()[0].value[0] % 200 / 50);
    return f;
  });
  for (std::int64_t x = 0; x < trials; ++x) {
    ranker.record_resources(numbered_point(x), resources(x));
    ranker.observe({0, numbered_point(x), 1e6 * resources(x).registers});
  }
  ranker.end_batch();
  return ranker;
}

struct OrderedBatch {
  std::vector<Point> points;
  std::vector<BuiltPoint> built;
};

OrderedBatch batch(Ranker& ranker, bool has_resources) {
  OrderedBatch made;
  for (const std::int64_t x : {1090, 1020, 1140, 1004, 1060}) {
    made.points.push_back(numbered_point(x));
    BuildResult& built = made.built.emplace_back().result;
    if (!has_resources) continue;
    built.object.resources = {{.kernel = "k", .registers = static_cast<int>(resources(x).registers), .threads = 128}};
    ranker.record_resources(numbered_point(x), resources(x));
  }
  return made;
}

using Order = std::vector<std::size_t>;

TEST(MeasuringOrder, TheMostPromisingOfACompiledBatchComesFirst) {
  Ranker ranker = taught(200);
  ASSERT_TRUE(ranker.can_rank());
  const OrderedBatch b = batch(ranker, true);
  EXPECT_EQ(measuring_order(b.points, b.built, &ranker), (Order{3, 1, 4, 0, 2}));
}

TEST(MeasuringOrder, WhatTheCompilerDoesNotTellOfStaysAsProposed) {
  Ranker ranker = taught(200);
  const OrderedBatch b = batch(ranker, false);
  EXPECT_EQ(measuring_order(b.points, b.built, &ranker), (Order{0, 1, 2, 3, 4}));
}

TEST(MeasuringOrder, WithoutAModelThatRanksItStaysAsProposed) {
  Ranker ranker = taught(10);
  const OrderedBatch b = batch(ranker, true);
  ASSERT_FALSE(ranker.can_rank());
  EXPECT_EQ(measuring_order(b.points, b.built, &ranker), (Order{0, 1, 2, 3, 4}));
  EXPECT_EQ(measuring_order(b.points, b.built, nullptr), (Order{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace nestwright
