#include "cost_model/model_audit.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <random>

#include "nestwright/error.h"

namespace nestwright {
namespace {

std::vector<double> rising(int n) {
  std::vector<double> values(static_cast<std::size_t>(n));
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

std::vector<double> drawn(int n, std::mt19937_64& random) {
  std::uniform_real_distribution<double> unit(0, 1);
  std::vector<double> values;
  for (int i = 0; i < n; ++i) values.push_back(unit(random));
  return values;
}

/// The share of `passes` of `tries` that chance, at the stated level, stays below but for one case in a thousand.
double limit(int tries) { return kAuditLevel + 3 * std::sqrt(kAuditLevel * (1 - kAuditLevel) / tries); }

/// `n` observations of two features; the throughput follows them, with noise of `noise` times its range.
std::vector<Observation> landscape(int n, double noise, std::mt19937_64& random) {
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<Observation> observations;
  for (int i = 0; i < n; ++i) {
    Observation o{.features = {unit(random), unit(random), unit(random)}};
    o.throughput = 10 + o.features[0] + 0.5 * o.features[1] + noise * unit(random);
    observations.push_back(std::move(o));
  }
  return observations;
}

std::vector<std::size_t> all_of(const std::vector<Observation>& observations) {
  std::vector<std::size_t> indices(observations.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  return indices;
}

TEST(ChanceOfHits, IsTheTailOfTheHypergeometricDistribution) {
  EXPECT_NEAR(chance_of_hits(24, 5, 5, 3), (10.0 * 171 + 5 * 19 + 1) / 42504, 1e-9);
  EXPECT_NEAR(chance_of_hits(24, 5, 5, 5), 1.0 / 42504, 1e-12);
  EXPECT_EQ(chance_of_hits(24, 5, 5, 0), 1);
  EXPECT_EQ(chance_of_hits(24, 5, 5, 6), 0);
  EXPECT_NEAR(chance_of_hits(6, 4, 4, 2), 1, 1e-12) << "fewer than two are impossible";
  EXPECT_THROW(chance_of_hits(4, 5, 2, 1), InternalError);
}

TEST(RecallAudit, CountsTheBestAmongTheHighestScores) {
  std::vector<double> scores = rising(40);
  EXPECT_EQ(recall_audit(scores, rising(40))->hits, 5);
  EXPECT_EQ(recall_audit(scores, rising(40))->skill(), 1);
  scores[39] = 0;  // the best one
  scores[36] = -1;
  const ModelAudit audit = recall_audit(scores, rising(40)).value();
  EXPECT_EQ(audit.trials, 40);
  EXPECT_EQ(audit.best, 5);
  EXPECT_EQ(audit.chosen, 5);
  EXPECT_EQ(audit.hits, 3);
  EXPECT_EQ(audit.recall(), 0.6);
  EXPECT_EQ(audit.chance(), 0.125);
  EXPECT_TRUE(audit.passes());
  EXPECT_EQ(recall_audit(rising(400), rising(400))->best, 50);
}

TEST(RecallAudit, FailsAReversedOrderAndEqualScores) {
  std::vector<double> falling = rising(40);
  std::reverse(falling.begin(), falling.end());
  for (const auto& scores : {falling, std::vector<double>(40, 0.5)}) {
    const ModelAudit audit = recall_audit(scores, rising(40)).value();
    EXPECT_EQ(audit.hits, 0);
    EXPECT_FALSE(audit.passes());
    EXPECT_EQ(audit.skill(), 0);
  }
}

TEST(RecallAudit, HasNoAnswerForFewTrialsOrEqualOnes) {
  EXPECT_FALSE(recall_audit(rising(19), rising(19)));
  EXPECT_TRUE(recall_audit(rising(20), rising(20)));
  std::vector<double> equal(40, 1);
  EXPECT_FALSE(recall_audit(rising(40), equal));
  for (std::size_t i = 0; i < 22; ++i) equal[i] = 0.5;
  const ModelAudit audit = recall_audit(rising(40), equal).value();
  EXPECT_EQ(audit.best, 18) << "all that are equally fast";
  EXPECT_EQ(audit.hits, 5);
}

TEST(RecallAudit, RandomScoresPassAtMostAtTheStatedLevel) {
  std::mt19937_64 random(1);
  for (const int n : {20, 24, 37, 100, 512}) {
    constexpr int kTries = 1500;
    int passes = 0;
    for (int i = 0; i < kTries; ++i) passes += recall_audit(drawn(n, random), rising(n))->passes() ? 1 : 0;
    EXPECT_LE(static_cast<double>(passes) / kTries, limit(kTries)) << n << " trials";
    EXPECT_GT(passes, 0) << n << " trials: a level that is never reached is too strict";
  }
}

TEST(CrossValidation, AModelOfNoiseAloneKeepsTheLevelToo) {
  std::mt19937_64 random(2);
  for (const int n : {24, 60}) {
    constexpr int kTries = 60;
    int passes = 0;
    for (int i = 0; i < kTries; ++i) {
      std::vector<Observation> observations = landscape(n, 0, random);
      for (Observation& o : observations) o.throughput = 1 + drawn(1, random)[0];
      const auto model = make_cost_model("xgboost", 1);
      const auto audit = cross_validate(*model, observations, all_of(observations));
      passes += audit && audit->passes() ? 1 : 0;
    }
    EXPECT_LE(static_cast<double>(passes) / kTries, limit(kTries)) << n << " trials";
  }
}

TEST(CrossValidation, AModelThatLearnsPasses) {
  std::mt19937_64 random(3);
  for (const auto& [n, least] : {std::pair(24, 12), std::pair(60, 18), std::pair(200, 20)}) {
    int passes = 0;
    for (int i = 0; i < 20; ++i) {
      const std::vector<Observation> observations = landscape(n, 0.2, random);
      const auto model = make_cost_model("xgboost", 1);
      passes += cross_validate(*model, observations, all_of(observations))->passes() ? 1 : 0;
    }
    EXPECT_GE(passes, least) << n << " trials";
  }
}

TEST(CrossValidation, ScoresEachTrialByAModelThatDidNotSeeIt) {
  /// Remembers what it was trained on, and nothing else.
  class Memory final : public CostModel {
   public:
    void update(std::span<const Observation> observations) override {
      known_.assign(observations.begin(), observations.end());
    }
    std::vector<double> predict(std::span<const Features> rows) const override {
      std::vector<double> scores;
      for (const Features& row : rows) {
        scores.push_back(0);
        for (const Observation& o : known_) {
          if (o.features == row) scores.back() = o.throughput;
        }
      }
      return scores;
    }
    bool is_trained() const override { return true; }

   private:
    std::vector<Observation> known_;
  };
  std::mt19937_64 random(4);
  const std::vector<Observation> observations = landscape(60, 0, random);
  Memory memory;
  EXPECT_EQ(cross_validate(memory, observations, all_of(observations))->hits, 0);
}

TEST(CrossValidation, JudgesByTheGivenTrialsAlone) {
  std::mt19937_64 random(5);
  std::vector<Observation> observations = landscape(100, 0, random);
  std::vector<std::size_t> judged;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    if (i % 2 == 0) judged.push_back(i);
  }
  const auto model = make_cost_model("xgboost", 1);
  EXPECT_EQ(cross_validate(*model, observations, judged)->trials, 50);
  EXPECT_FALSE(cross_validate(*model, observations, std::span(judged).first(10))) << "too few";
}

TEST(CrossValidation, HasNoAnswerForAModelThatCannotBeTrained) {
  std::mt19937_64 random(6);
  const std::vector<Observation> observations = landscape(60, 0, random);
  const auto model = make_cost_model("random", 1);
  EXPECT_FALSE(cross_validate(*model, observations, all_of(observations)));
}

}  // namespace
}  // namespace nestwright
