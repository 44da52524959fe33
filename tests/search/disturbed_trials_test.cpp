#include "search/session/disturbed_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestwright {
namespace {

DisturbedTrial disturbed(TrialId trial, const std::string& code, double rough_ns) {
  DisturbedTrial result{.trial = trial, .rough_ns = rough_ns};
  result.built.result.object.code_fingerprint = code;
  return result;
}

std::vector<TrialId> trials_of(const std::vector<DisturbedTrial>& taken) {
  std::vector<TrialId> trials;
  for (const DisturbedTrial& trial : taken) trials.push_back(trial.trial);
  return trials;
}

TEST(DisturbedTrials, TheFastestAreTakenFirstEachOnce) {
  DisturbedTrials trials;
  trials.add(disturbed(1, "a", 300));
  trials.add(disturbed(2, "b", 100));
  trials.add(disturbed(3, "c", 200));
  EXPECT_THAT(trials_of(trials.take(2, {})), ::testing::ElementsAre(2, 3));
  EXPECT_THAT(trials_of(trials.take(2, {})), ::testing::ElementsAre(1));
  EXPECT_THAT(trials.take(2, {}), ::testing::IsEmpty());
}

TEST(DisturbedTrials, WhatWasMeasuredMeanwhileIsDropped) {
  DisturbedTrials trials;
  trials.add(disturbed(1, "a", 100));
  trials.add(disturbed(2, "b", 200));
  KnownCode known;
  Measurement m;
  m.timing.disturbance = "the hypervisor took 10 ms";
  known.add("b", 2, m);
  known.add("a", 7, {});
  EXPECT_THAT(trials_of(trials.take(2, known)), ::testing::ElementsAre(2))
      << "its own disturbed time is no measurement";
}

}  // namespace
}  // namespace nestwright
