#include "search/propose/ranker.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <mutex>
#include <set>

#include "points.h"

namespace nestwright {
namespace {

std::optional<Features> features(const Point& p) {
  const auto x = static_cast<float>(p.config.entries()[0].value[0]);
  if (x < 0) return std::nullopt;
  return Features{x, std::fmod(x * 7, 5.0f)};
}

Ranker ranker(std::string_view model) { return Ranker(make_cost_model(model, 1), make_cost_model(model, 1), features); }

/// A trial with so many runs per second; 0: it failed.
SessionTrial observed(std::int64_t x, double throughput, TrialQuality quality = TrialQuality::kSound) {
  if (throughput == 0) return {0, numbered_point(x), 0, TrialQuality::kFailed};
  return {0, numbered_point(x), 1e9 / throughput, quality};
}

void teach(Ranker& r, int n, double (*throughput)(std::int64_t)) {
  for (std::int64_t x = 0; x < n; ++x) r.observe(observed(x, throughput(x)));
  r.end_batch();
}

double rising(std::int64_t x) { return 10.0 + static_cast<double>(x); }
/// A label that the features do not predict.
double noise(std::int64_t x) { return static_cast<double>((x * 2654435761u) % 1000); }

TEST(Ranker, DoesNotRankBeforeThereAreEnoughTrials) {
  Ranker r = ranker("xgboost");
  teach(r, 10, rising);
  EXPECT_FALSE(r.can_rank());
  EXPECT_FALSE(r.audit().has_value());
}

TEST(Ranker, OrdersUnseenPointsOnceItHasLearnt) {
  Ranker r = ranker("xgboost");
  teach(r, 100, rising);
  EXPECT_TRUE(r.can_rank());
  EXPECT_GT(r.audit().value().skill(), 0.7);
  const std::vector<Point> points{numbered_point(90), numbered_point(5)};
  const std::vector<double> scores = r.score(points);
  EXPECT_GT(scores[0], scores[1]);
}

TEST(Ranker, PointsThatCannotBeLoweredComeLast) {
  Ranker r = ranker("xgboost");
  teach(r, 100, rising);
  const std::vector<Point> points{numbered_point(-1), numbered_point(0)};
  const std::vector<double> scores = r.score(points);
  EXPECT_EQ(scores[0], -std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(scores[1]));
}

TEST(Ranker, CountsAPointAsRankedOnlyIfItHasAPrediction) {
  ConsideredCounter counter;
  Ranker r = ranker("xgboost");
  r.count_ranked_in(counter);
  teach(r, 100, rising);
  const std::vector<Point> points{numbered_point(-1), numbered_point(0), numbered_point(1)};
  for (int i = 0; i < 2; ++i) r.score(points);
  const SearchFunnel funnel = counter.funnel();
  ASSERT_EQ(funnel.templates.size(), 1);
  EXPECT_EQ(funnel.templates[0].points, (ConsideredPoints{.ranked = 2, .not_lowered = 1}));
}

TEST(Ranker, TheAuditMakesAModelStepAsideThatDoesNotRank) {
  Ranker r = ranker("xgboost");
  teach(r, 200, noise);
  ASSERT_TRUE(r.audit().has_value() || !r.can_rank());
  EXPECT_FALSE(r.can_rank());
}

TEST(Ranker, TheRandomModelNeverRanks) {
  Ranker r = ranker("random");
  teach(r, 100, rising);
  EXPECT_FALSE(r.can_rank());
}

std::vector<Observation> observations(int n, double (*throughput)(std::int64_t)) {
  std::vector<Observation> list;
  for (std::int64_t x = 0; x < n; ++x)
    list.push_back({features(numbered_point(x)).value(), throughput(x) / throughput(n)});
  return list;
}
double falling(std::int64_t x) { return 1000.0 - static_cast<double>(x); }

bool prefers_large(Ranker& r) {
  const std::vector<double> scores = r.score(std::vector<Point>{numbered_point(90), numbered_point(5)});
  return scores[0] > scores[1];
}

TEST(Ranker, RanksByWhatOtherTasksTaughtBeforeTheFirstTrial) {
  Ranker r = ranker("xgboost");
  r.set_other_tasks(observations(100, rising));
  EXPECT_TRUE(r.can_rank());
  EXPECT_TRUE(prefers_large(r));
  EXPECT_EQ(r.generation(), 1u);
}

TEST(Ranker, OtherTasksMayTeachLaterAndAgain) {
  Ranker r = ranker("xgboost");
  teach(r, 10, falling);
  EXPECT_FALSE(r.can_rank());
  r.set_other_tasks(observations(100, rising));
  EXPECT_TRUE(prefers_large(r));
  EXPECT_EQ(r.generation(), 1u);
  r.set_other_tasks(observations(100, falling));
  EXPECT_FALSE(prefers_large(r));
  EXPECT_EQ(r.generation(), 2u);
  EXPECT_FALSE(prefers_large(r));
  EXPECT_EQ(r.generation(), 2u) << "nothing new";
}

TEST(Ranker, WhatOtherTasksTaughtFades) {
  Ranker r = ranker("xgboost");
  r.set_other_tasks(observations(100, rising));
  ASSERT_TRUE(prefers_large(r));
  teach(r, 300, falling);  // after 277 trials, other tasks have no weight
  Ranker alone = ranker("xgboost");
  teach(alone, 300, falling);
  const std::vector<Point> points{numbered_point(3), numbered_point(77), numbered_point(250)};
  EXPECT_EQ(r.score(points), alone.score(points));
}

TEST(Ranker, LessonsThatDoNotRankAreSeenThrough) {
  Ranker r = ranker("xgboost");
  r.set_other_tasks(observations(200, noise));
  EXPECT_FALSE(r.can_rank());
}

TEST(Ranker, LikenessIsThatOfTheProgramsFeatures) {
  const auto wide = [](const Point& p) -> std::optional<Features> {
    const auto x = static_cast<float>(p.config.entries()[0].value[0]);
    if (x < 0) return std::nullopt;
    Features f(program_feature_count(), 1.0f);
    f[3] = x < 10 ? 2.0f : 3.0f;
    f.push_back(x);  // a knob
    return f;
  };
  Ranker r(make_cost_model("random", 1), make_cost_model("random", 1), wide);
  const auto likeness =
      r.likeness(std::vector<Point>{numbered_point(1), numbered_point(2), numbered_point(20), numbered_point(-1)});
  EXPECT_EQ(likeness[0], likeness[1]);
  EXPECT_NE(likeness[0], likeness[2]);
  EXPECT_FALSE(likeness[3]);
}

TEST(Ranker, OfALongHistoryTheLatestAndTheFastestAreLearntFrom) {
  std::set<std::int64_t> lowered;
  Ranker r(make_cost_model("xgboost", 1), make_cost_model("xgboost", 1), [&](const Point& p) {
    static std::mutex mutex;
    const std::scoped_lock lock(mutex);
    lowered.insert(p.config.entries()[0].value[0]);
    return features(p);
  });
  constexpr std::int64_t kTrials = 5000, kReplayed = 512, kOwn = 100;
  // The fastest trials are observed first.
  for (std::int64_t x = 0; x < kTrials; ++x) r.observe(observed(x, rising(kTrials - x)));
  r.end_replay();
  for (std::int64_t x = kTrials; x < kTrials + kOwn; ++x) r.observe(observed(x, 1));
  r.end_batch();
  EXPECT_TRUE(r.can_rank());
  EXPECT_EQ(lowered.size(), kReplayed + kOwn);
  EXPECT_TRUE(lowered.contains(0));
  EXPECT_TRUE(lowered.contains(kReplayed / 2 - 1));
  EXPECT_FALSE(lowered.contains(kReplayed / 2));
  EXPECT_FALSE(lowered.contains(kTrials - kReplayed / 2 - 1));
  EXPECT_TRUE(lowered.contains(kTrials - kReplayed / 2));
  EXPECT_TRUE(lowered.contains(kTrials));
}

TEST(Ranker, AnAmendedLabelCountsInTheNextTraining) {
  Ranker r = ranker("xgboost"), taught = ranker("xgboost");
  teach(r, 100, noise);
  for (std::int64_t x = 0; x < 100; ++x) r.amend(observed(x, rising(x)));
  teach(taught, 100, rising);
  const std::vector<Point> points{numbered_point(90), numbered_point(5)};
  EXPECT_EQ(r.score(points), taught.score(points)) << "no training came between";
}

TEST(Ranker, AmendmentsDoNotMakeTheModelStale) {
  Ranker r = ranker("xgboost");
  teach(r, 100, rising);
  r.can_rank();
  for (std::int64_t x = 0; x < 100; ++x) r.amend(observed(x, falling(x)));
  r.end_batch();
  EXPECT_TRUE(prefers_large(r)) << "of old labels, until there are a quarter more";
  for (std::int64_t x = 100; x < 130; ++x) r.observe(observed(x, falling(x)));
  r.end_batch();
  EXPECT_FALSE(prefers_large(r));
}

TEST(Ranker, AReadingOfLessWeightAmendsNothing) {
  Ranker r = ranker("xgboost"), taught = ranker("xgboost");
  teach(r, 100, rising);
  r.amend(observed(50, 1e9, TrialQuality::kDisturbed));
  teach(taught, 100, rising);
  const std::vector<Point> points{numbered_point(90), numbered_point(50), numbered_point(5)};
  EXPECT_EQ(r.score(points), taught.score(points));
}

TEST(Ranker, ADisturbedReadingIsNoneToMeasureOthersBy) {
  // One trial in ten seems a thousand times as fast, next to which all others would look alike.
  Ranker r = ranker("xgboost");
  for (std::int64_t x = 0; x < 100; ++x) {
    if (x % 10 == 3) {
      r.observe(observed(x, 1e5 * rising(x), TrialQuality::kDisturbed));
    } else {
      r.observe(observed(x, rising(x)));
    }
  }
  r.end_batch();
  EXPECT_TRUE(r.can_rank());
  const std::vector<double> scores =
      r.score(std::vector<Point>{numbered_point(98), numbered_point(90), numbered_point(5)});
  EXPECT_LT(scores[2], 0.5);
  EXPECT_GT(scores[0], scores[2] + 0.3);
  EXPECT_GT(r.audit().value().skill(), 0.7) << "is not judged by them";
}

TEST(Ranker, LearningDoesNotDependOnWhenItIsAsked) {
  Ranker eager = ranker("xgboost"), lazy = ranker("xgboost");
  for (Ranker* r : {&eager, &lazy}) {
    for (std::int64_t x = 0; x < 128; ++x) {
      r->observe(observed(x, rising(x)));
      if (x % 16 != 15) continue;
      r->end_batch();
      if (r == &eager) r->can_rank();  // an interrupted run trains here, a resumed one does not
    }
  }
  const std::vector<Point> points{numbered_point(3), numbered_point(77), numbered_point(500)};
  EXPECT_EQ(eager.score(points), lazy.score(points));
}

}  // namespace
}  // namespace nestwright
