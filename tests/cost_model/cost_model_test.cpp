// The contract that every cost model keeps; the XGBoost model must also learn.

#include "cost_model/cost_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "cost_model/model_audit.h"
#include "nestwright/error.h"

namespace nestwright {
namespace {

/// Throughput falls with the distance from (3, -1); the third feature is noise, the fourth often missing.
std::vector<Observation> landscape(int n, std::uint64_t seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> unit(-5, 5);
  std::vector<Observation> observations;
  for (int i = 0; i < n; ++i) {
    Observation o;
    o.features = {unit(random), unit(random), unit(random),
                  i % 3 == 0 ? std::numeric_limits<float>::quiet_NaN() : 1.0f};
    o.throughput = 1000.0 / (1 + std::pow(o.features[0] - 3, 2) + std::pow(o.features[1] + 1, 2));
    observations.push_back(std::move(o));
  }
  return observations;
}

std::vector<Features> rows(const std::vector<Observation>& observations) {
  std::vector<Features> out;
  for (const Observation& o : observations) out.push_back(o.features);
  return out;
}

std::vector<double> throughputs(const std::vector<Observation>& observations) {
  std::vector<double> out;
  for (const Observation& o : observations) out.push_back(o.throughput);
  return out;
}

TEST(CostModel, EveryModelGivesOneScorePerRowBeforeAndAfterLearning) {
  for (const std::string& name : cost_model_names()) {
    const auto model = make_cost_model(name, 7);
    const auto data = landscape(40, 1);
    EXPECT_FALSE(model->is_trained()) << name;
    EXPECT_EQ(model->predict(rows(data)).size(), 40u) << name;
    model->update(data);
    const std::vector<double> scores = model->predict(rows(data));
    ASSERT_EQ(scores.size(), 40u) << name;
    for (const double score : scores) EXPECT_TRUE(std::isfinite(score)) << name;
    EXPECT_TRUE(model->predict({}).empty()) << name;
  }
}

TEST(CostModel, EveryModelIsAFunctionOfSeedAndObservations) {
  for (const std::string& name : cost_model_names()) {
    const auto data = landscape(60, 2);
    const auto a = make_cost_model(name, 7), b = make_cost_model(name, 7);
    a->update(landscape(30, 9));  // earlier training must leave no trace
    a->update(data);
    b->update(data);
    EXPECT_EQ(a->predict(rows(data)), b->predict(rows(data))) << name;
  }
}

TEST(CostModel, UnknownNameIsRefusedWithTheKnownOnes) {
  EXPECT_THAT([] { make_cost_model("oracle", 1); },
              ::testing::ThrowsMessage<UsageError>("unknown cost model 'oracle': use one of xgboost, random"));
}

TEST(XgboostModel, RanksPointsItHasNotSeen) {
  const auto model = make_cost_model("xgboost", 1);
  model->update(landscape(400, 3));
  const auto unseen = landscape(200, 4);
  EXPECT_GT(recall_audit(model->predict(rows(unseen)), throughputs(unseen))->skill(), 0.7);
}

TEST(XgboostModel, RandomModelDoesNotRank) {
  const auto model = make_cost_model("random", 1);
  const auto unseen = landscape(400, 4);
  EXPECT_FALSE(recall_audit(model->predict(rows(unseen)), throughputs(unseen))->passes());
}

TEST(XgboostModel, NothingButFailuresTeachesNothing) {
  const auto model = make_cost_model("xgboost", 1);
  auto data = landscape(20, 5);
  for (Observation& o : data) o.throughput = 0;
  model->update(data);
  EXPECT_FALSE(model->is_trained());
  model->update(landscape(20, 5));
  EXPECT_TRUE(model->is_trained());
  model->update(data);
  EXPECT_FALSE(model->is_trained()) << "what it was trained on before does not count";
}

TEST(XgboostModel, RowsOfAnotherLengthAreABug) {
  const auto model = make_cost_model("xgboost", 1);
  model->update(landscape(40, 6));
  const std::vector<Features> wrong{{1, 2}};
  EXPECT_THROW(model->predict(wrong), InternalError);
}

}  // namespace
}  // namespace nestwright
