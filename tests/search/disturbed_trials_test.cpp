#include "search/session/disturbed_trials.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestwright {
namespace {

void add(DisturbedTrials& trials, TrialId trial, const std::string& code, double rough_ns) {
  BuiltPoint kernel;
  kernel.result.object.code_fingerprint = code;
  trials.add({trial, {}, rough_ns, TrialQuality::kDisturbed}, kernel);
}

/// The numbers of the trials, each of which has the kernel that it was added with.
std::vector<TrialId> numbers_of(const KeptTrials& taken) {
  std::vector<TrialId> trials;
  for (const SessionTrial& trial : taken.trials) trials.push_back(trial.id);
  EXPECT_EQ(taken.kernels.size(), trials.size());
  return trials;
}

TEST(DisturbedTrials, TheFastestAreTakenFirstEachOnce) {
  DisturbedTrials trials;
  add(trials, 1, "a", 300);
  add(trials, 2, "b", 100);
  add(trials, 3, "c", 200);
  EXPECT_THAT(numbers_of(trials.take(2, {})), ::testing::ElementsAre(2, 3));
  EXPECT_THAT(numbers_of(trials.take(2, {})), ::testing::ElementsAre(1));
  EXPECT_THAT(numbers_of(trials.take(2, {})), ::testing::IsEmpty());
}

TEST(DisturbedTrials, WhatWasMeasuredMeanwhileIsDropped) {
  DisturbedTrials trials;
  add(trials, 1, "a", 100);
  add(trials, 2, "b", 200);
  KnownCode known;
  Measurement m;
  m.timing.disturbance = "the hypervisor took 10 ms";
  known.add("b", 2, m);
  known.add("a", 7, {});
  EXPECT_THAT(numbers_of(trials.take(2, known)), ::testing::ElementsAre(2))
      << "its own disturbed time is no measurement";
}

}  // namespace
}  // namespace nestwright
